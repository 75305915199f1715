/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MTIE against published tables, against the definition, and by index against by time. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "golden.h"
#include "ptpmon/stats/mtie.h"

struct checking {
	const struct golden *data;
	struct mtie *mtie;
};

static void check_published(void *userdata, size_t m, size_t terms, double value, double relative)
{
	const struct checking *c = userdata;
	uint64_t range;

	assert_true(mtie_at(c->mtie, m, &range));
	if (!golden_near((double)range / c->data->scale, value, relative) ||
	    (terms && terms != c->data->n - m))
		fail_msg("m = %zu: %.9g, not %.9g", m, (double)range / c->data->scale, value);
}

static void check_row(void *userdata, size_t m, size_t terms, double value)
{
	check_published(userdata, m, terms, value, 1e-4);
}

static void tables_are_reproduced(void **state)
{
	struct golden phase_dat = golden_phase("phase_dat/PHASE.DAT", 1e12);
	struct golden nbs14 = golden_phase("sp1065/nbs14_10pt_phase.txt", 1e5);
	struct golden of_1000 = golden_frequency("sp1065/sp1065_1000pt_freq.txt", 1, 1e13);
	struct checking checks[] = {{.data = &phase_dat}, {.data = &nbs14}, {.data = &of_1000}};

	for (size_t i = 0; i < 3; i++)
		assert_int_equal(mtie_new(&checks[i].mtie, checks[i].data->x, checks[i].data->n),
				 0);
	assert_int_equal(golden_table("phase_dat/phase_dat_mtie.txt", 3, check_row, &checks[0]), 9);
	assert_int_equal(golden_expected("nbs14_10pt_phase", "MTIE", check_published, &checks[1]),
			 9);
	assert_int_equal(golden_expected("sp1065_1000", "MTIE", check_published, &checks[2]), 11);
	for (size_t i = 0; i < 3; i++)
		checks[i].mtie = mtie_free(checks[i].mtie);
	golden_free(&phase_dat);
	golden_free(&nbs14);
	golden_free(&of_1000);
}

/* By the definition, window by window. */
static uint64_t defined(const int64_t *x, size_t n, size_t m)
{
	uint64_t largest = 0;

	for (size_t i = 0; i + m < n; i++) {
		int64_t low = x[i];
		int64_t high = x[i];

		for (size_t k = i; k <= i + m; k++) {
			low = x[k] < low ? x[k] : low;
			high = x[k] > high ? x[k] : high;
		}
		if ((uint64_t)high - (uint64_t)low > largest)
			largest = (uint64_t)high - (uint64_t)low;
	}
	return largest;
}

static int64_t ramp(int64_t i)
{
	return 3 * i;
}

static int64_t falling(int64_t i)
{
	return -5 * i;
}

static int64_t quadratic(int64_t i)
{
	return i * i;
}

static int64_t step(int64_t i)
{
	return i < 500 ? 0 : 50;
}

static int64_t alternating(int64_t i)
{
	return i % 2 ? -1 : 1;
}

static int64_t outlier(int64_t i)
{
	return i == 500 ? 1000 : 0;
}

static int64_t sine(int64_t i)
{
	return llrint(1e7 * sin(2 * M_PI * (double)i / 100));
}

static int64_t noise(int64_t i)
{
	return (int64_t)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) >> 50);
}

static int64_t all_of_int64(int64_t i)
{
	return (int64_t)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15));
}

static const struct series {
	const char *name;
	int64_t (*x)(int64_t i);
	size_t n;
} series[] = {
	{"ramp", ramp, 1001},
	{"falling", falling, 321},
	{"quadratic", quadratic, 640},
	{"step", step, 1000},
	{"alternating", alternating, 1000},
	{"one outlier", outlier, 1000},
	{"sine", sine, 700},
	{"noise", noise, 1111},
	{"all of int64", all_of_int64, 777},
	{"two", ramp, 2},
	{"one block", noise, 64},
};

static void every_window_is_as_defined(void **state)
{
	for (size_t s = 0; s < sizeof(series) / sizeof(series[0]); s++) {
		size_t n = series[s].n;
		int64_t *x = calloc(n, sizeof(*x));
		int64_t *times = calloc(n, sizeof(*times));
		struct mtie *rising;
		uint64_t range;

		assert_true(x && times);
		for (size_t i = 0; i < n; i++) {
			x[i] = series[s].x((int64_t)i);
			times[i] = (int64_t)i * 10;
		}
		assert_int_equal(mtie_new(&rising, x, n), 0);
		for (size_t m = 1; m < n; m++) {
			uint64_t expected = defined(x, n, m);
			uint64_t by_time;
			struct mtie *fresh;

			assert_int_equal(mtie_new(&fresh, x, n), 0);
			assert_true(mtie_at(fresh, m, &range));
			assert_int_equal(mtie_by_time(times, x, n,
						      (int64_t)m * 10 + 9 * (m < n - 1), &by_time),
					 0);
			if (range != expected || by_time != expected)
				fail_msg("%s, m = %zu: %llu, by time %llu, not %llu",
					 series[s].name, m, (unsigned long long)range,
					 (unsigned long long)by_time, (unsigned long long)expected);
			fresh = mtie_free(fresh);
			assert_true(mtie_at(rising, m, &range));
			assert_int_equal(range, expected);
		}
		assert_true(mtie_at(rising, 1, &range)); /* what was larger is forgotten */
		assert_int_equal(range, defined(x, n, 1));
		assert_false(mtie_at(rising, n, &range));
		assert_int_equal(mtie_by_time(times, x, n, (int64_t)n * 10, &range), -ENODATA);
		rising = mtie_free(rising);
		free(x);
		free(times);
	}
}

static void known_cases_come_out(void **state)
{
	int64_t x[1001];
	struct mtie *t;
	uint64_t range;

	for (int64_t i = 0; i < 1001; i++)
		x[i] = quadratic(i);
	assert_int_equal(mtie_new(&t, x, 1001), 0);
	for (size_t m = 1; m < 1001; m++) {
		assert_true(mtie_at(t, m, &range));
		assert_int_equal(range, 2 * m * 1000 - m * m); /* the last window is the largest */
	}
	t = mtie_free(t);
}

/* A window has the values within it, however unevenly they lie: also across a hole. */
static void by_time_counts_no_values(void **state)
{
	const int64_t times[] = {0, 10, 11, 500, 505, 1000};
	const int64_t x[] = {0, 7, 3, 20, 90, 91};
	static const struct {
		int64_t tau;
		uint64_t expected;
	} rows[] = {{1, 4}, {4, 4}, {5, 70}, {11, 70}, {489, 70}, {490, 70}, {494, 87}, {1000, 91}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t range;

		assert_int_equal(mtie_by_time(times, x, 6, rows[i].tau, &range), 0);
		if (range != rows[i].expected)
			fail_msg("tau = %lld: %llu", (long long)rows[i].tau,
				 (unsigned long long)range);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_reproduced),
		cmocka_unit_test(every_window_is_as_defined),
		cmocka_unit_test(known_cases_come_out),
		cmocka_unit_test(by_time_counts_no_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
