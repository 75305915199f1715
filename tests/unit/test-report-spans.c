/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/spans.h"

static void make(struct spans *s)
{
	assert_int_equal(spans_add(s, 10, 20), 0);
	assert_int_equal(spans_add(s, 30, 40), 0);
	assert_int_equal(spans_add(s, 50, 51), 0);
}

static void what_touches_becomes_one(void **state)
{
	CLEANUP(spans_clear) struct spans s = {0};

	make(&s);
	assert_int_equal(spans_add(&s, 51, 60), 0); /* touches */
	assert_int_equal(spans_add(&s, 55, 70), 0); /* begins too early: cut, then touches */
	assert_int_equal(spans_add(&s, 65, 70), 0); /* nothing left of it */
	assert_int_equal(spans_add(&s, 80, 80), 0); /* empty */
	assert_int_equal(s.n, 3);
	assert_int_equal(s.v[2].from_ns, 50);
	assert_int_equal(s.v[2].to_ns, 70);
}

static void many_are_found(void **state)
{
	CLEANUP(spans_clear) struct spans s = {0};

	for (int64_t i = 0; i < 1000; i++)
		assert_int_equal(spans_add(&s, i * 10, i * 10 + 5), 0);
	assert_int_equal(s.n, 1000);
	assert_int_equal(spans_overlap(s.v, s.n, 0, 10000), 5000);
	for (int64_t t = 0; t < 10000; t++)
		assert_int_equal(spans_contain(s.v, s.n, t), t % 10 < 5);
}

static void moments_are_in_or_out(void **state)
{
	static const struct {
		int64_t at;
		bool in;
	} rows[] = {{9, false}, {10, true}, {19, true},  {20, false},        {29, false},
		    {30, true}, {50, true}, {51, false}, {INT64_MIN, false}, {INT64_MAX, false}};
	CLEANUP(spans_clear) struct spans s = {0};

	assert_false(spans_contain(s.v, s.n, 5));
	make(&s);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (spans_contain(s.v, s.n, rows[i].at) != rows[i].in)
			fail_msg("%lld", (long long)rows[i].at);
}

static void ranges_are_covered_or_not(void **state)
{
	static const struct {
		const char *name;
		int64_t from, to;
		bool covered;
		int64_t overlap;
	} rows[] = {
		{"all of one", 10, 20, true, 10},     {"within", 12, 15, true, 3},
		{"across the end", 15, 25, false, 5}, {"across the beginning", 5, 15, false, 5},
		{"two of them", 10, 40, false, 20},   {"all", 0, 100, false, 21},
		{"between", 20, 30, false, 0},        {"behind", 60, 70, false, 0},
	};
	CLEANUP(spans_clear) struct spans s = {0};

	make(&s);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (spans_cover(s.v, s.n, rows[i].from, rows[i].to) != rows[i].covered ||
		    spans_overlap(s.v, s.n, rows[i].from, rows[i].to) != rows[i].overlap)
			fail_msg("%s", rows[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_touches_becomes_one),
		cmocka_unit_test(many_are_found),
		cmocka_unit_test(moments_are_in_or_out),
		cmocka_unit_test(ranges_are_covered_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
