/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Order statistics against a sorted copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/stats/quantile.h"
#include "ptpmon/stats/ranks.h"

enum { N = 3000 };

static uint64_t scramble(uint64_t i)
{
	return (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static int64_t small(uint64_t i)
{
	return (int64_t)(scramble(i) >> 55) - 256;
}

static int64_t one_far_out(uint64_t i)
{
	return i == 1234 ? -2000000000 : small(i);
}

static int64_t all_sizes(uint64_t i)
{
	int64_t v = (int64_t)(scramble(i) >> (i % 63 + 1));

	return i % 2 ? -v : v;
}

static int64_t equal(uint64_t i)
{
	return -77;
}

static int64_t ends(uint64_t i)
{
	return i % 2 ? INT64_MAX : -INT64_MAX;
}

static const struct {
	const char *name;
	int64_t (*value)(uint64_t i);
} rows[] = {
	{"small", small}, {"one far out", one_far_out}, {"all sizes", all_sizes},
	{"equal", equal}, {"both ends", ends},
};

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void ranks_are_those_of_a_sorted_array(void **state)
{
	static const uint64_t ranks[] = {1, 2, 2, 750, 1500, 1501, 2990, 2999, 3000, 3000};
	enum { RANKS = sizeof(ranks) / sizeof(ranks[0]) };

	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
		for (enum ranks_of of = RANKS_OF_VALUES; of <= RANKS_OF_MAGNITUDES; of++) {
			int64_t values[N];
			int64_t sorted[N];
			int64_t out[RANKS];

			for (uint64_t i = 0; i < N; i++) {
				values[i] = rows[r].value(i);
				sorted[i] = of == RANKS_OF_VALUES ? values[i] : llabs(values[i]);
			}
			qsort(sorted, N, sizeof(sorted[0]), compare);
			assert_int_equal(ranks_select(values, N, of, ranks, RANKS, out), 0);
			for (size_t i = 0; i < RANKS; i++)
				if (out[i] != sorted[ranks[i] - 1])
					fail_msg("%s: rank %llu", rows[r].name,
						 (unsigned long long)ranks[i]);
		}
}

static void values_beyond_are_counted(void **state)
{
	const int64_t values[] = {5, -5, 6, -6, 0, INT64_MAX, -INT64_MAX};

	assert_int_equal(quantile_beyond(values, 7, 5), 4);
	assert_int_equal(quantile_beyond(values, 7, 0), 6);
	assert_int_equal(quantile_beyond(values, 7, INT64_MAX), 0);
}

static void nothing_asked_is_nothing_done(void **state)
{
	const int64_t value = 3;
	const uint64_t rank = 1;
	int64_t out = 0;

	assert_int_equal(ranks_select(&value, 1, RANKS_OF_VALUES, &rank, 1, &out), 0);
	assert_int_equal(out, 3);
	assert_int_equal(ranks_select(NULL, 0, RANKS_OF_VALUES, NULL, 0, NULL), 0);
}

/* Between neighbours, the last value included. */
static void distances_are_ranked(void **state)
{
	static const int64_t times[] = {0, 10, 20, 30, 1000000030, 1000000041, 1000000050};
	static const uint64_t ranks[] = {1, 2, 5, 6};
	static const int64_t want[] = {9, 10, 11, 1000000000};
	int64_t got[4];

	assert_int_equal(ranks_select(times, 6, RANKS_OF_DISTANCES, ranks, 4, got), 0);
	assert_memory_equal(got, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_those_of_a_sorted_array),
		cmocka_unit_test(values_beyond_are_counted),
		cmocka_unit_test(nothing_asked_is_nothing_done),
		cmocka_unit_test(distances_are_ranked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
