/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps and slews of CLOCK_REALTIME, as one reading a second shows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/step_watch.h"

#define MS NSEC_PER_MSEC

enum { SECONDS = 8 };

/* By how much it moves in each second, and what is told then, both in ms. */
static const struct {
	const char *name;
	int64_t moved[SECONDS], told[SECONDS];
	int set_in; /* the second in which the kernel says so; 0: it does not */
} rows[] = {
	{"it rests", {0}, {0}, 0},
	{"1 ms is none", {0, 1, 0}, {0}, 0},
	{"2 ms, known when it has ended", {0, 2, 0, 0}, {0, 0, 2, 0}, 0},
	{"2 ms back, that the kernel tells of", {0, -2, 0, 0}, {0, -2, 0, 0}, 2},
	{"90 ms", {0, 90, 0, 0}, {0, 0, 90, 0}, 0},
	{"a second: no slew does that", {0, 1000, 0, 0}, {0, 1000, 0, 0}, 0},
	{"90 ms forth and back", {0, 90, -90, 0}, {0, 0, 90, -90}, 0},
	{"100 000 ppm for five seconds", {0, 100, 100, 100, 100, 100, 0, 0}, {0}, 0},
	{"... and back", {0, -100, -100, -100, 0, 0, 0, 0}, {0}, 0},
	{"a servo that settles", {0, 80, 15, 3, 0, 0, 0, 0}, {0}, 0},
	{"... at once", {0, 80, 4, 0, 0, 0, 0, 0}, {0}, 0},
	{"forth, and back by less", {0, 80, -4, 0, 0}, {0, 0, 80, -4, 0}, 0},
	{"... with an overshoot", {0, 80, 30, -12, 4, -2, 0, 0}, {0}, 0},
	{"a step of a second within a slew", {0, 50, 50, 1050, 50, 50, 0, 0}, {0, 0, 0, 1000}, 0},
	{"a step after a slew has ended", {0, 50, 50, 0, 40, 0, 0, 0}, {0, 0, 0, 0, 0, 40}, 0},
	{"a set within a slew", {0, 50, 50, 70, 50, 0, 0, 0}, {0, 0, 0, 20}, 4},
};

static void a_step_ends_and_a_slew_goes_on(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct step_watch w = {0};
		struct step_reading now = {.utc_ns = INT64_C(1767225600) * NSEC_PER_SEC,
					   .uncertainty_ns = 1000};

		assert_int_equal(step_watch_feed(&w, &now), 0);
		for (int s = 0; s < SECONDS; s++) {
			int64_t told_ns;

			now.mono_ns += NSEC_PER_SEC;
			now.utc_ns += NSEC_PER_SEC + rows[i].moved[s] * MS;
			now.was_set = s + 1 == rows[i].set_in;
			told_ns = step_watch_feed(&w, &now);
			if (told_ns != rows[i].told[s] * MS)
				fail_msg("%s: second %d: %lld ns", rows[i].name, s + 1,
					 (long long)told_ns);
		}
	}
}

static void who_slews_may_say_so(void **state)
{
	struct step_reading now = {.uncertainty_ns = 1000};
	struct step_watch w = {0};

	(void)step_watch_feed(&w, &now);
	now.mono_ns += NSEC_PER_SEC;
	now.utc_ns += NSEC_PER_SEC + 90 * MS;
	assert_int_equal(step_watch_feed(&w, &now), 0);
	assert_int_equal(w.pending_ns, 90 * MS);
	step_watch_slewed(&w);
	now.mono_ns += NSEC_PER_SEC;
	now.utc_ns += NSEC_PER_SEC;
	assert_int_equal(step_watch_feed(&w, &now), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_ends_and_a_slew_goes_on),
		cmocka_unit_test(who_slews_may_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
