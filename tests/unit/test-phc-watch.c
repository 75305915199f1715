/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/phc_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"

enum { STEPS_MAX = 8 };

/* One second after the other; how far the clock goes in each, and what that is. */
static const struct row {
	const char *name;
	size_t n;
	struct {
		int64_t advance_ns;
		bool frozen;
		enum phc_course course;
		int64_t jump_ns; /* within 2 ms */
	} steps[STEPS_MAX];
} rows[] = {
	/* clang-format off */
	{ "a good one", 3, {
		{ NSEC_PER_SEC, false, PHC_COURSE_RUNS, 0 },
		{ NSEC_PER_SEC + 40000, false, PHC_COURSE_RUNS, 0 },
		{ NSEC_PER_SEC - 40000, false, PHC_COURSE_RUNS, 0 } } },
	{ "a second back, as a driver does that loads it anew", 3, {
		{ NSEC_PER_SEC, false, PHC_COURSE_RUNS, 0 },
		{ 0 - NSEC_PER_SEC / 2, false, PHC_COURSE_JUMPED, -1500 * NSEC_PER_MSEC },
		{ NSEC_PER_SEC, false, PHC_COURSE_RUNS, 0 } } },
	{ "37 s forward", 2, {
		{ 38 * NSEC_PER_SEC, false, PHC_COURSE_JUMPED, 37 * NSEC_PER_SEC },
		{ NSEC_PER_SEC, false, PHC_COURSE_RUNS, 0 } } },
	{ "3 ms", 2, {
		{ 1003 * NSEC_PER_MSEC, false, PHC_COURSE_JUMPED, 3 * NSEC_PER_MSEC },
		{ NSEC_PER_SEC, false, PHC_COURSE_RUNS, 0 } } },
	{ "two jumps", 2, {
		{ 2 * NSEC_PER_SEC, false, PHC_COURSE_JUMPED, NSEC_PER_SEC },
		{ 9 * NSEC_PER_SEC, false, PHC_COURSE_JUMPED, 8 * NSEC_PER_SEC } } },
	{ "a servo pulls by 1 %: one surprise, then its pace", 4, {
		{ 1010 * NSEC_PER_MSEC, false, PHC_COURSE_JUMPED, 10 * NSEC_PER_MSEC },
		{ 1010 * NSEC_PER_MSEC, false, PHC_COURSE_RUNS, 0 },
		{ 1010 * NSEC_PER_MSEC, false, PHC_COURSE_RUNS, 0 },
		{ 1009 * NSEC_PER_MSEC, false, PHC_COURSE_RUNS, 0 } } },
	{ "stuck from the middle of a second on, which the reading shows", 3, {
		{ NSEC_PER_SEC, false, PHC_COURSE_RUNS, 0 },
		{ NSEC_PER_SEC / 2, true, PHC_COURSE_STUCK, 0 },
		{ 0, true, PHC_COURSE_STUCK, 0 } } },
	{ "stuck, where a reading cannot show it", 3, {
		{ NSEC_PER_SEC / 2, false, PHC_COURSE_JUMPED, -NSEC_PER_SEC / 2 },
		{ 0, false, PHC_COURSE_STUCK, 0 },
		{ 0, false, PHC_COURSE_STUCK, 0 } } },
	{ "a coarse one shows the same within a reading, and runs", 2, {
		{ NSEC_PER_SEC, true, PHC_COURSE_RUNS, 0 },
		{ NSEC_PER_SEC, true, PHC_COURSE_RUNS, 0 } } },
	/* clang-format on */
};

static void its_course_is_told(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct phc_watch w = {0};
		struct phc_point p = {.mono_ns = 5, .phc_ns = 1000 * NSEC_PER_SEC};
		int64_t jump_ns;

		assert_int_equal(phc_watch_feed(&w, &p, &jump_ns), PHC_COURSE_FIRST);
		for (size_t s = 0; s < r->n; s++) {
			enum phc_course course;

			p.mono_ns += NSEC_PER_SEC;
			p.phc_ns += r->steps[s].advance_ns;
			p.frozen = r->steps[s].frozen;
			jump_ns = 0;
			course = phc_watch_feed(&w, &p, &jump_ns);
			if (course != r->steps[s].course ||
			    llabs(jump_ns - r->steps[s].jump_ns) > 2 * NSEC_PER_MSEC)
				fail_msg("%s: second %zu: %d, %jd ns", r->name, s + 1, (int)course,
					 (intmax_t)jump_ns);
		}
	}
}

static void what_was_not_read_exactly_is_forgiven(void **state)
{
	struct phc_watch w = {0};
	struct phc_point p = {.mono_ns = 5, .uncertainty_ns = 50 * NSEC_PER_MSEC};
	int64_t jump_ns;

	(void)phc_watch_feed(&w, &p, &jump_ns);
	p.mono_ns += NSEC_PER_SEC;
	p.phc_ns += 1090 * NSEC_PER_MSEC;
	assert_int_equal(phc_watch_feed(&w, &p, &jump_ns), PHC_COURSE_RUNS);
}

static void time_that_does_not_pass_begins_anew(void **state)
{
	struct phc_watch w = {0};
	struct phc_point p = {.mono_ns = 5};
	int64_t jump_ns;

	(void)phc_watch_feed(&w, &p, &jump_ns);
	assert_int_equal(phc_watch_feed(&w, &p, &jump_ns), PHC_COURSE_FIRST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_course_is_told),
		cmocka_unit_test(what_was_not_read_exactly_is_forgiven),
		cmocka_unit_test(time_that_does_not_pass_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
