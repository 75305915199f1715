/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data-file.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/stats/quantile.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { GOLDEN_DECIMALS = 4, PERCENT_DECIMALS = 3, VALUES_MAX = 2000 };

/* "95.1772" times 10^decimals, exactly; *end is left behind the number. */
static int64_t scaled(const char *text, int decimals, const char **end)
{
	int64_t sign = *text == '-' ? -1 : 1;
	int64_t v = 0;
	bool fraction = false;

	text += sign < 0;
	for (; (*text >= '0' && *text <= '9') || (*text == '.' && text[1] != '.'); text++) {
		if (*text == '.') {
			fraction = true;
			continue;
		}
		v = v * 10 + (*text - '0');
		decimals -= fraction;
	}
	assert_true(decimals >= 0);
	while (decimals-- > 0)
		v *= 10;
	*end = text;
	return sign * v;
}

/* "15,20,35" or "1..1000", scaled. */
static size_t parse_values(const char *text, int64_t *out)
{
	const char *end = NULL;
	size_t n = 0;

	if (strstr(text, "..")) {
		int64_t first = scaled(text, 0, &end);
		int64_t last = scaled(end + 2, 0, &end);

		for (int64_t v = first; v <= last; v++)
			out[n++] = v * 10000;
		return n;
	}
	for (;;) {
		assert_true(n < VALUES_MAX);
		out[n++] = scaled(text, GOLDEN_DECIMALS, &end);
		if (*end != ',')
			return n;
		text = end + 1;
	}
}

static void test_golden_cases(void **state)
{
	CLEANUP(fclosep) FILE *f = data_open("percentile_cases.tsv");
	char line[1024];
	size_t cases = 0;

	assert_non_null(fgets(line, sizeof(line), f)); /* the headings */
	while (fgets(line, sizeof(line), f)) {
		int64_t values[VALUES_MAX];
		char *rest = line;
		const char *source = strsep(&rest, "\t");
		const char *data = strsep(&rest, "\t");
		const char *percent = strsep(&rest, "\t");
		const char *expected = strsep(&rest, "\t");
		const char *end = NULL;
		size_t n = parse_values(data, values);
		uint32_t p_milli = (uint32_t)scaled(percent, PERCENT_DECIMALS, &end);
		int64_t got = quantile_select(values, n, p_milli);

		if (got != scaled(expected, GOLDEN_DECIMALS, &end))
			fail_msg("%s, %s %%: %jd, not %s", source, percent, (intmax_t)got,
				 expected);
		cases++;
	}
	assert_int_equal(cases, 36);
}

/* clang-format off */
static const struct {
	const char *name;
	uint32_t p_milli;
	uint64_t n, rank, needed;
} ranks[] = {
	{ "no values",                       50000, 0, 0, 2 },
	{ "one value",                       50000, 1, 1, 2 },
	{ "the minimum",                     0, 10, 1, 2 },
	{ "the maximum",                     100000, 10, 10, UINT64_MAX },
	{ "99.9/100*1000 > 999 in doubles",  99900, 1000, 999, 1000 },
	{ "95*0.01*500 > 475 in doubles",    95000, 500, 475, 20 },
	{ "one below what is needed",        99900, 999, 999, 1000 },
	{ "99.99 % of 10000",                99990, 10000, 9999, 10000 },
	{ "99.99 % of 9999",                 99990, 9999, 9999, 10000 },
	{ "99 % of 100",                     99000, 100, 99, 100 },
	{ "a third, rounded up",             33333, 10, 4, 2 },
	{ "p n beyond 64 bits",              99900, UINT64_C(1000000000000000000),
	                                     UINT64_C(999000000000000000), 1000 },
	{ "as many as there can be",         100000, UINT64_MAX, UINT64_MAX, UINT64_MAX },
};
/* clang-format on */

static void test_ranks(void **state)
{
	for (size_t i = 0; i < COUNT(ranks); i++) {
		uint64_t rank = quantile_rank(ranks[i].p_milli, ranks[i].n);
		uint64_t needed = quantile_needed(ranks[i].p_milli);

		if (rank != ranks[i].rank || needed != ranks[i].needed)
			fail_msg("%s: rank %ju, needed %ju", ranks[i].name, (uintmax_t)rank,
				 (uintmax_t)needed);
		if (quantile_supported(ranks[i].p_milli, ranks[i].n) != (rank < ranks[i].n))
			fail_msg("%s: supported disagrees with the rank", ranks[i].name);
	}
}

static void test_needed_is_the_least_that_supports(void **state)
{
	for (uint32_t p = 0; p < QUANTILE_WHOLE; p += 7) {
		uint64_t needed = quantile_needed(p);

		if (!quantile_supported(p, needed) || quantile_supported(p, needed - 1))
			fail_msg("%u thousandths of a percent: %ju", p, (uintmax_t)needed);
	}
}

static int64_t rising(size_t i, size_t n)
{
	return (int64_t)i;
}

static int64_t falling(size_t i, size_t n)
{
	return (int64_t)(n - i);
}

static int64_t constant(size_t i, size_t n)
{
	return -42;
}

static int64_t few_values(size_t i, size_t n)
{
	return (int64_t)(i * 7 % 3);
}

static int64_t organ_pipe(size_t i, size_t n)
{
	return (int64_t)(i < n / 2 ? i : n - i);
}

static int64_t extremes(size_t i, size_t n)
{
	return i % 3 == 0 ? INT64_MIN : i % 3 == 1 ? INT64_MAX : 0;
}

static int64_t scattered(size_t i, size_t n)
{
	return (int64_t)(((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static int64_t sawtooth(size_t i, size_t n)
{
	return i % 2 == 0 ? (int64_t)i : (int64_t)(n - i) * 2;
}

/* clang-format off */
static const struct {
	const char *name;
	int64_t (*value)(size_t i, size_t n);
} shapes[] = {
	{ "rising", rising },
	{ "falling", falling },
	{ "constant", constant },
	{ "three values", few_values },
	{ "organ pipe", organ_pipe },
	{ "extremes", extremes },
	{ "scattered", scattered },
	{ "sawtooth", sawtooth },
};
/* clang-format on */

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void test_selects_what_sorting_finds(void **state)
{
	static const size_t sizes[] = {1, 2, 3, 4, 5, 100, 1000, 1001};
	static const uint32_t percents[] = {0, 1, 50000, 90000, 99000, 99900, 99990, 100000};

	for (size_t s = 0; s < COUNT(shapes); s++)
		for (size_t z = 0; z < COUNT(sizes); z++) {
			int64_t sorted[VALUES_MAX];
			int64_t values[VALUES_MAX];
			size_t n = sizes[z];

			for (size_t i = 0; i < n; i++)
				sorted[i] = values[i] = shapes[s].value(i, n);
			qsort(sorted, n, sizeof(sorted[0]), compare);
			for (size_t p = 0; p < COUNT(percents); p++)
				if (quantile_select(values, n, percents[p]) !=
				    sorted[quantile_rank(percents[p], n) - 1])
					fail_msg("%s, %zu values, %u", shapes[s].name, n,
						 percents[p]);
			qsort(values, n, sizeof(values[0]), compare);
			assert_memory_equal(values, sorted, n * sizeof(values[0]));
		}
}

/* A million values of any shape take far below a second; were one quadratic, many minutes. */
static void test_no_shape_is_slow(void **state)
{
	const size_t n = 1000000;
	CLEANUP(freep) int64_t *values = calloc(n, sizeof(*values));

	assert_non_null(values);
	for (size_t s = 0; s < COUNT(shapes); s++) {
		int64_t start_ns;

		for (size_t i = 0; i < n; i++)
			values[i] = shapes[s].value(i, n);
		start_ns = nsec_now(CLOCK_PROCESS_CPUTIME_ID);
		(void)quantile_select(values, n, 50000);
		(void)quantile_select(values, n, 99900);
		if (nsec_now(CLOCK_PROCESS_CPUTIME_ID) - start_ns > 5 * NSEC_PER_SEC)
			fail_msg("%s is slow", shapes[s].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_cases),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_needed_is_the_least_that_supports),
		cmocka_unit_test(test_selects_what_sorting_finds),
		cmocka_unit_test(test_no_shape_is_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
