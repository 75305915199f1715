/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The deviations against published tables, and against what can be told without a table. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "golden.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/stats/deviation.h"

/* One data set and statistic while its rows are checked. */
struct checking {
	const char *name;
	const struct golden *data;
	enum deviation_kind kind;
	double tau0_s;
};

static void check(const struct checking *c, size_t m, size_t terms, double expected,
		  double relative)
{
	struct deviation d = {0};
	double value = -1;

	deviation_add(&d, c->kind, c->data->x, c->data->n, &m, 1);
	assert_true(deviation_value(&d, c->kind, m, llrint(c->tau0_s * 1e9), &value));
	value *= (c->kind == DEVIATION_TDEV ? 1 : 1e9) / c->data->scale;
	if (!golden_near(value, expected, relative) || (terms && terms != d.terms))
		fail_msg("%s, m = %zu: %.9g of %llu terms, not %.9g of %zu", c->name, m, value,
			 (unsigned long long)d.terms, expected, terms);
}

static void check_row(void *userdata, size_t m, size_t terms, double value)
{
	check(userdata, m, terms, value, 1e-4);
}

static void check_published(void *userdata, size_t m, size_t terms, double value, double relative)
{
	check(userdata, m, terms, value, relative);
}

struct table {
	const char *file;
	enum deviation_kind kind;
	double tau0_s;
	size_t rows;
};

static void check_tables(struct golden data, const struct table *tables, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct checking c = {tables[i].file, &data, tables[i].kind, tables[i].tau0_s};

		assert_int_equal(golden_table(tables[i].file, 5, check_row, &c), tables[i].rows);
	}
	golden_free(&data);
}

static void phase_dat_is_reproduced(void **state)
{
	static const struct table tables[] = {
		{"phase_dat/phase_dat_adev.txt", DEVIATION_ADEV, 1, 125},
		{"phase_dat/phase_dat_adev_octave.txt", DEVIATION_ADEV, 1, 8},
		{"phase_dat/phase_dat_oadev.txt", DEVIATION_OADEV, 1, 139},
		{"phase_dat/phase_dat_oadev_octave.txt", DEVIATION_OADEV, 1, 8},
		{"phase_dat/phase_dat_mdev.txt", DEVIATION_MDEV, 1, 139},
		{"phase_dat/phase_dat_mdev_octave.txt", DEVIATION_MDEV, 1, 8},
		{"phase_dat/phase_dat_tdev.txt", DEVIATION_TDEV, 1, 139},
		{"phase_dat/phase_dat_tdev_octave.txt", DEVIATION_TDEV, 1, 8},
	};

	check_tables(golden_phase("phase_dat/PHASE.DAT", 1e12), tables,
		     sizeof(tables) / sizeof(tables[0]));
}

static void pink_frequency_is_reproduced(void **state)
{
	static const struct table of_42_s[] = {
		{"pink_frequency/adev.txt", DEVIATION_ADEV, 42, 225},
		{"pink_frequency/oadev.txt", DEVIATION_OADEV, 42, 195},
		{"pink_frequency/mdev.txt", DEVIATION_MDEV, 42, 195},
		{"pink_frequency/tdev.txt", DEVIATION_TDEV, 42, 195},
	};
	static const struct table of_1_s[] = {
		{"pink_frequency/s32_oadev_octave.txt", DEVIATION_OADEV, 1, 12},
	};

	check_tables(golden_frequency("pink_frequency/pink_frequency.txt", 42, 1e15), of_42_s,
		     sizeof(of_42_s) / sizeof(of_42_s[0]));
	check_tables(golden_frequency("pink_frequency/pink_frequency.txt", 1, 1e15), of_1_s,
		     sizeof(of_1_s) / sizeof(of_1_s[0]));
}

static void sp1065_is_reproduced(void **state)
{
	static const struct {
		const char *dataset, *statistic;
		enum deviation_kind kind;
		size_t rows;
	} sets[] = {
		{"sp1065_1000", "ADEV", DEVIATION_ADEV, 3},
		{"sp1065_1000", "OADEV", DEVIATION_OADEV, 11},
		{"sp1065_1000", "MDEV", DEVIATION_MDEV, 11},
		{"sp1065_1000", "TDEV", DEVIATION_TDEV, 11},
		{"nbs14", "ADEV", DEVIATION_ADEV, 2},
		{"nbs14", "OADEV", DEVIATION_OADEV, 2},
		{"nbs14", "MDEV", DEVIATION_MDEV, 2},
		{"nbs14", "TDEV", DEVIATION_TDEV, 2},
	};
	struct golden of_1000 = golden_frequency("sp1065/sp1065_1000pt_freq.txt", 1, 1e13);
	struct golden nbs14 = golden_frequency("sp1065/nbs14_9pt_freq.txt", 1, 1e12);

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		bool small = sets[i].dataset[0] == 'n';
		struct checking c = {sets[i].statistic, small ? &nbs14 : &of_1000, sets[i].kind, 1};

		assert_int_equal(
			golden_expected(sets[i].dataset, sets[i].statistic, check_published, &c),
			sets[i].rows);
	}
	golden_free(&of_1000);
	golden_free(&nbs14);
}

/* What is known without a table, of n values: x in ns, tau0 = 1 s. */
struct analytic {
	const char *name;
	int64_t (*x)(int64_t i);
	size_t n;
	enum deviation_kind kind;
	size_t m;
	double expected, absolute;
};

static int64_t ramp(int64_t i)
{
	return 3 * i;
}

static int64_t constant(int64_t i)
{
	return 123;
}

static int64_t quadratic(int64_t i)
{
	return i * i;
}

static int64_t alternating(int64_t i)
{
	return i % 2 ? -1 : 1;
}

/* In millionths of 10 sin(2 pi i / 100). */
static int64_t sine(int64_t i)
{
	return llrint(1e7 * sin(2 * M_PI * (double)i / 100));
}

/* A ramp through the whole of int64_t, in which the lowest bits have to go. */
static int64_t huge(int64_t i)
{
	return (i - 500) * (INT64_MAX / 501) + (i % 2 ? INT64_MAX / 1000000 : 0);
}

/* clang-format off */
static const struct analytic analytic[] = {
	{ "ramp",        ramp,        1001, DEVIATION_TDEV,  7,   0, 0 },
	{ "ramp",        ramp,        1001, DEVIATION_ADEV,  7,   0, 0 },
	{ "ramp",        ramp,        1001, DEVIATION_OADEV, 500, 0, 0 },
	{ "ramp",        ramp,        1001, DEVIATION_MDEV,  333, 0, 0 },
	{ "constant",    constant,    500,  DEVIATION_TDEV,  166, 0, 0 },
	{ "quadratic",   quadratic,   1000, DEVIATION_ADEV,  13,  2e-9 * 13 / M_SQRT2, 1e-18 },
	{ "quadratic",   quadratic,   1000, DEVIATION_OADEV, 13,  2e-9 * 13 / M_SQRT2, 1e-18 },
	{ "quadratic",   quadratic,   1000, DEVIATION_MDEV,  13,  2e-9 * 13 / M_SQRT2, 1e-18 },
	{ "quadratic",   quadratic,   1000, DEVIATION_TDEV,  13,  2. * 13 * 13 / 2.449489742783178, 1e-9 },
	{ "alternating", alternating, 1000, DEVIATION_TDEV,  1,   1.632993161855452, 1e-12 },
	{ "alternating", alternating, 1000, DEVIATION_TDEV,  8,   0, 0 },
	{ "alternating", alternating, 1000, DEVIATION_TDEV,  5,   1.632993161855452 / 5, 1e-12 },
	{ "sine",        sine,        10001, DEVIATION_TDEV, 100, 0, 1 },
	{ "huge",        huge,        1000, DEVIATION_TDEV,  1,   1.632993161855452 * (INT64_MAX / 2000000), 1e6 },
};
/* clang-format on */

static void what_is_known_comes_out(void **state)
{
	for (size_t i = 0; i < sizeof(analytic) / sizeof(analytic[0]); i++) {
		const struct analytic *a = &analytic[i];
		int64_t *x = calloc(a->n, sizeof(*x));
		struct deviation d = {0};
		double value = NAN;

		assert_non_null(x);
		for (size_t k = 0; k < a->n; k++)
			x[k] = a->x((int64_t)k);
		deviation_add(&d, a->kind, x, a->n, &a->m, 1);
		assert_true(deviation_value(&d, a->kind, a->m, NSEC_PER_SEC, &value));
		if (!(fabs(value - a->expected) <= a->absolute))
			fail_msg("%s, m = %zu: %.17g, not %.17g", a->name, a->m, value,
				 a->expected);
		free(x);
	}
}

static void without_a_term_there_is_no_value(void **state)
{
	static const struct {
		enum deviation_kind kind;
		size_t m, least; /* values that it takes */
	} rows[] = {
		{DEVIATION_ADEV, 4, 9},
		{DEVIATION_OADEV, 4, 9},
		{DEVIATION_MDEV, 4, 12},
		{DEVIATION_TDEV, 4, 12},
	};
	const size_t too_large = SIZE_MAX;
	int64_t x[16] = {0, 5};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = rows[i].least;
		struct deviation d = {0};
		double value = -7;

		deviation_add(&d, rows[i].kind, x, n - 1, &rows[i].m, 1);
		deviation_add(&d, rows[i].kind, x, n, &too_large, 1);
		deviation_add(&d, rows[i].kind, NULL, 0, &rows[i].m, 1);
		assert_false(deviation_value(&d, rows[i].kind, rows[i].m, 1, &value));
		assert_true(value == -7);
		deviation_add(&d, rows[i].kind, x, n, &rows[i].m, 1);
		assert_int_equal(d.terms, 1);
		assert_true(deviation_value(&d, rows[i].kind, rows[i].m, 1, &value));
		deviation_add(&d, rows[i].kind, x, n, &rows[i].m, 1); /* another piece */
		assert_int_equal(d.terms, 2);
	}
}

/* A long piece, several at once, against the definition summed up plainly. */
static void many_at_once_are_as_one_by_one(void **state)
{
	enum { N = 100000 };
	const size_t m[] = {1, 7, 2048, 30000};
	struct deviation d[4] = {0};
	int64_t *x = calloc(N, sizeof(*x));

	assert_non_null(x);
	for (uint64_t i = 0; i < N; i++)
		x[i] = (int64_t)((i * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
	for (enum deviation_kind kind = 0; kind < DEVIATION_TDEV; kind++) {
		for (size_t i = 0; i < 4; i++)
			d[i] = (struct deviation){0};
		deviation_add(d, kind, x, N, m, 4);
		for (size_t i = 0; i < 4; i++) {
			size_t step = kind == DEVIATION_ADEV ? m[i] : 1;
			size_t wide = kind == DEVIATION_MDEV ? m[i] : 1;
			uint64_t terms = 0;
			int64_t s = 0;
			double sum = 0;

			for (size_t k = 0; k + 2 * m[i] + wide <= N; k += step, terms++) {
				for (size_t w = terms ? wide - 1 : 0; w < wide; w++) {
					size_t at = k + w;

					s = (wide == 1 ? 0 : s) + x[at + 2 * m[i]] -
					    2 * x[at + m[i]] + x[at];
				}
				sum += (double)s * (double)s;
				if (wide > 1)
					s -= x[k + 2 * m[i]] - 2 * x[k + m[i]] + x[k];
			}
			assert_int_equal(d[i].terms, terms);
			assert_true(golden_near(d[i].sum, sum, 1e-12));
		}
	}
	free(x);
}

static void means_are_of_what_was_asked(void **state)
{
	const int64_t large = 1000000000000000;
	const int64_t x[] = {large, large + 2, large + 7, -4, -8, 3};
	const int64_t ends[] = {INT64_MAX, INT64_MAX, INT64_MAX};
	struct phase_means m = {0};

	phase_means_add(&m, x, 2, 3, 1);
	assert_false(m.any);
	phase_means_add(&m, x, 3, 3, 1);
	assert_true(m.any && m.worst == (double)large + 3 && m.last == m.worst);
	m = (struct phase_means){0};
	phase_means_add(&m, x + 3, 3, 2, 1);
	assert_true(m.worst == -6 && m.last == -2.5);
	m = (struct phase_means){0};
	phase_means_add(&m, x + 3, 3, 1, 2); /* -4, then 3, and -8 is passed over */
	assert_true(m.worst == -4 && m.last == 3);
	phase_means_add(&m, x + 3, 3, 1, 100);
	assert_true(m.worst == -4 && m.last == 3);
	phase_means_add(&m, ends, 3, 3, 1);
	assert_true(m.worst == (double)INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phase_dat_is_reproduced),
		cmocka_unit_test(pink_frequency_is_reproduced),
		cmocka_unit_test(sp1065_is_reproduced),
		cmocka_unit_test(what_is_known_comes_out),
		cmocka_unit_test(without_a_term_there_is_no_value),
		cmocka_unit_test(many_at_once_are_as_one_by_one),
		cmocka_unit_test(means_are_of_what_was_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
