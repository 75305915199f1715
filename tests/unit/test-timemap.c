/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/timemap.h"

#define S NSEC_PER_SEC

/* A board that boots in 1970, is stepped to 2026 after 100 s, and back by 10 s after 200 s. */
#define Y2026 (INT64_C(1764547200) * S)

static const struct clock_anchor anchors[] = {
	{.mono_ns = 10 * S, .utc_ns = 0},
	{.mono_ns = 70 * S, .utc_ns = 60 * S},
	{.mono_ns = 100 * S, .utc_ns = Y2026, .reason = ANCHOR_STEP},
	{.mono_ns = 160 * S, .utc_ns = Y2026 + 60 * S + 3},
	{.mono_ns = 200 * S, .utc_ns = Y2026 + 90 * S, .reason = ANCHOR_STEP},
};

enum { N = sizeof(anchors) / sizeof(anchors[0]) };

static void a_moment_maps_by_the_anchor_before_it(void **state)
{
	static const struct {
		const char *name;
		int64_t mono_ns, utc_ns;
	} rows[] = {
		{"before all anchors", 4 * S, -6 * S},
		{"the first anchor", 10 * S, 0},
		{"in the first minute", 69 * S, 59 * S},
		{"just before the step", 100 * S - 1, 90 * S - 1},
		{"the step", 100 * S, Y2026},
		{"after a minute's slew", 161 * S, Y2026 + 61 * S + 3},
		{"just before the step back", 200 * S - 1, Y2026 + 100 * S + 2},
		{"the step back", 200 * S, Y2026 + 90 * S},
		{"long after", 5000 * S, Y2026 + 4890 * S},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t utc_ns = timemap_to_utc(anchors, N, rows[i].mono_ns);

		if (utc_ns != rows[i].utc_ns)
			fail_msg("%s: %lld", rows[i].name, (long long)utc_ns);
	}
	assert_int_equal(timemap_to_utc(anchors, 0, 1), TIME_UNKNOWN);
}

/* Order on the axis is order in time, whatever the wall clock did. */
static void a_step_reorders_nothing(void **state)
{
	int64_t last_mono_ns = INT64_MIN;

	for (int64_t mono_ns = 0; mono_ns < 300 * S; mono_ns += S / 4) {
		assert_true(mono_ns > last_mono_ns);
		last_mono_ns = mono_ns;
		assert_int_not_equal(timemap_to_utc(anchors, N, mono_ns), TIME_UNKNOWN);
	}
	assert_true(timemap_to_utc(anchors, N, 201 * S) < timemap_to_utc(anchors, N, 199 * S));
}

static void the_way_back_takes_the_later_of_two(void **state)
{
	assert_int_equal(timemap_to_mono(anchors, N, 59 * S), 69 * S);
	assert_int_equal(timemap_to_mono(anchors, N, Y2026 + 5 * S), 105 * S);
	assert_int_equal(timemap_to_mono(anchors, N, Y2026 + 95 * S), 205 * S);
	assert_int_equal(timemap_to_mono(anchors, N, -3 * S), 7 * S);
	assert_int_equal(timemap_to_mono(anchors, 0, 1), TIME_UNKNOWN);
}

static void a_slew_is_no_step(void **state)
{
	const struct clock_anchor start = {.mono_ns = 0, .utc_ns = 1000 * S};
	static const struct {
		const char *name;
		int64_t mono_ns, moved_ns;
		bool stepped;
	} rows[] = {
		{"nothing happened", 60 * S, 0, false},
		{"500 ppm for a minute", 60 * S, 30 * NSEC_PER_MSEC, false},
		{"500 ppm backward", 60 * S, -30 * NSEC_PER_MSEC, false},
		{"2 ms within a second", S, 2 * NSEC_PER_MSEC, true},
		{"a second back", S, -S, true},
		{"0.9 ms is below the limit", S, 900 * NSEC_PER_USEC, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct clock_anchor now = {
			.mono_ns = rows[i].mono_ns,
			.utc_ns = start.utc_ns + rows[i].mono_ns + rows[i].moved_ns,
		};
		int64_t step_ns = 0;
		bool stepped = clock_anchor_stepped(&start, &now, NSEC_PER_MSEC, &step_ns);

		if (stepped != rows[i].stepped || (stepped && step_ns != rows[i].moved_ns))
			fail_msg("%s: %d, %lld", rows[i].name, stepped, (long long)step_ns);
	}
}

static void the_clocks_are_read_within_what_is_said(void **state)
{
	int64_t before_ns = nsec_now(CLOCK_MONOTONIC);
	struct clock_anchor a = clock_anchor_take(ANCHOR_START);
	int64_t after_ns = nsec_now(CLOCK_MONOTONIC);

	assert_true(a.mono_ns >= before_ns && a.mono_ns <= after_ns);
	assert_true(a.uncertainty_ns >= 0 && a.uncertainty_ns < after_ns - before_ns);
	assert_true(a.utc_ns > Y2026 / 2);
	assert_true(a.raw_ns > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_moment_maps_by_the_anchor_before_it),
		cmocka_unit_test(a_step_reorders_nothing),
		cmocka_unit_test(the_way_back_takes_the_later_of_two),
		cmocka_unit_test(a_slew_is_no_step),
		cmocka_unit_test(the_clocks_are_read_within_what_is_said),
	};

	return cmocka_run_group_tests_name("timemap", tests, NULL, NULL);
}
