/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/values.h"

#define NEVER_SET INT64_C(1600000000000000000) /* an offset to a clock that nobody set */

struct row {
	const char *name;
	int64_t v[6];
	size_t n;
	int64_t min, max;
	double mean, stddev;
};

/* clang-format off */
static const struct row rows[] = {
	{ "one value", { -7 }, 1, -7, -7, -7, 0 },
	{ "two", { 1, 2 }, 2, 1, 2, 1.5, 0.5 },
	{ "signs", { -3, 3, -3, 3 }, 4, -3, 3, 0, 3 },
	{ "negative mean", { -1, -2, -3, -5 }, 4, -5, -1, -2.75, 1.479020 },
	{ "a constant that is large", { NEVER_SET, NEVER_SET, NEVER_SET }, 3, NEVER_SET, NEVER_SET,
	  1.6e18, 0 },
	{ "small steps on what is large", { NEVER_SET + 1, NEVER_SET + 2, NEVER_SET + 3 }, 3,
	  NEVER_SET + 1, NEVER_SET + 3, 1.6e18, 0.816497 },
	{ "37 s beside nanoseconds", { 37000000000, 0, 0, 0 }, 4, 0, 37000000000, 9250000000.0,
	  16021469971.0 },
	{ "the ends of the range", { INT64_MAX, -INT64_MAX }, 2, -INT64_MAX, INT64_MAX, 0,
	  9.223372036854775807e18 },
	{ "sum beyond 64 bits", { INT64_MAX, INT64_MAX, INT64_MAX - 3 }, 3, INT64_MAX - 3, INT64_MAX,
	  9.223372036854775806e18, 1.414214 },
};
/* clang-format on */

static bool near(double a, double b)
{
	double scale = b < 0 ? -b : b;
	double d = a < b ? b - a : a - b;

	return d <= 1e-6 + scale * 1e-9;
}

static void moments_are_exact(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		CLEANUP(values_clear) struct values a = {0};
		struct moments m;

		for (size_t k = 0; k < row->n; k++)
			assert_int_equal(values_add(&a, row->v[k]), 0);
		m = values_moments(a.v, a.n);
		if (m.min != row->min || m.max != row->max || !near(m.mean, row->mean) ||
		    !near(m.stddev, row->stddev))
			fail_msg("%s: mean %.9g, deviation %.9g", row->name, m.mean, m.stddev);
	}
}

/* 0 .. 999999: more than one block of memory, and a mean and deviation that are known. */
static void many_values_fit(void **state)
{
	CLEANUP(values_clear) struct values a = {0};
	struct moments m;

	for (int64_t i = 0; i < 1000000; i++)
		assert_int_equal(values_add(&a, NEVER_SET + i), 0);
	m = values_moments(a.v, a.n);
	assert_int_equal(m.min, NEVER_SET);
	assert_int_equal(m.max, NEVER_SET + 999999);
	assert_true(near(m.stddev, 288675.13459466846));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moments_are_exact),
		cmocka_unit_test(many_values_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
