/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where values are placed on the axes of charts, where ticks are, and what they say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/scale.h"

static void near(double got, double wanted)
{
	if (fabs(got - wanted) > 1e-6 * fmax(fabs(wanted), 1))
		fail_msg("got %g, wanted %g", got, wanted);
}

static void values_are_placed(void **state)
{
	const struct scale linear = {SCALE_LINEAR, -10, 30, 0, 100, 500, 0};
	const struct scale log = {SCALE_LOG, 1, 1000, 0, 300, 0, 0};
	const struct scale symlog = {SCALE_SYMLOG, -1000, 1000, 10, 0, 600, 0};

	near(scale_at(&linear, -10), 100);
	near(scale_at(&linear, 10), 300);
	near(scale_at(&linear, 99), 500); /* beyond the end: at it */
	near(scale_at(&log, 10), 200);
	near(scale_at(&log, 0), 300);
	near(scale_at(&symlog, 0), 300);
	near(scale_at(&symlog, 5), 350);
	near(scale_at(&symlog, 10), 400);
	near(scale_at(&symlog, -100), 100);
	near(scale_at(&symlog, 1000), 600);
}

static void ticks_are_round(void **state)
{
	static const struct {
		const char *name;
		struct scale scale;
		size_t most, n;
		double first, second, last;
	} rows[] = {
		{"linear", {SCALE_LINEAR, -37, 81, 0, 0, 1, 0}, 6, 8, -40, -20, 100},
		{"one value", {SCALE_LINEAR, 5, 5, 0, 0, 1, 0}, 4, 5, 4, 4.5, 6},
		{"log", {SCALE_LOG, 3, 4000, 0, 0, 1, 0}, 5, 5, 1, 10, 10000},
		{"many decades", {SCALE_LOG, 1, 1e12, 0, 0, 1, 0}, 5, 5, 1, 1e3, 1e12},
		{"symlog", {SCALE_SYMLOG, -700, 9000, 50, 0, 1, 0}, 6, 6, -500, -50, 5000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double ticks[SCALE_TICKS_MAX];
		struct scale s = rows[i].scale;
		size_t n;

		scale_round(&s, rows[i].most);
		n = scale_ticks(&s, rows[i].most, ticks);
		if (n != rows[i].n)
			fail_msg("%s: %zu ticks", rows[i].name, n);
		near(ticks[0], rows[i].first);
		near(ticks[1], rows[i].second);
		near(ticks[n - 1], rows[i].last);
	}
}

static void only_spikes_bend_the_axis(void **state)
{
	assert_int_equal(scale_of_offsets(-30, 40, 20).kind, SCALE_LINEAR);
	assert_int_equal(scale_of_offsets(-30, 4000, 20).kind, SCALE_SYMLOG);
	near(scale_of_offsets(-30, 4000, 23).linear, 50);
	assert_int_equal(scale_of_offsets(-30, 4000, 0).kind, SCALE_LINEAR); /* not known */
	near(scale_of_offsets(37e9, 37e9 + 3, 37e9).low, 0);
}

static void ticks_say_their_unit(void **state)
{
	static const struct {
		const char *(*write)(double value, char *out);
		double value;
		const char *wanted;
	} rows[] = {
		{scale_text_ns, 0, "0"},
		{scale_text_ns, -200,
		 "\xe2\x88\x92"
		 "200 ns"},
		{scale_text_ns, 1000, "1 us"},
		{scale_text_ns, 2.5e6, "2.5 ms"},
		{scale_text_ns, 37e9, "37 s"},
		{scale_text_number, -18240,
		 "\xe2\x88\x92"
		 "18240"},
		{scale_text_count, 1e4, "10k"},
		{scale_text_count, 1, "1"},
		{scale_text_s, 0.1, "100 ms"},
		{scale_text_s, 1e4, "10000 s"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[SCALE_TEXT_MAX];

		assert_string_equal(rows[i].write(rows[i].value, text), rows[i].wanted);
	}
}

static void time_has_round_steps(void **state)
{
	assert_int_equal(scale_time_step(36000 * NSEC_PER_SEC, 11), 3600 * NSEC_PER_SEC);
	assert_int_equal(scale_time_step(140 * NSEC_PER_SEC, 11), 15 * NSEC_PER_SEC);
	assert_int_equal(scale_time_step(NSEC_PER_MSEC, 5), NSEC_PER_SEC);
	assert_true(scale_time_step(INT64_MAX, 5) > INT64_MAX / 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_placed),         cmocka_unit_test(ticks_are_round),
		cmocka_unit_test(only_spikes_bend_the_axis), cmocka_unit_test(ticks_say_their_unit),
		cmocka_unit_test(time_has_round_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
