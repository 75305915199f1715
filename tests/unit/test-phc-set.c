// SPDX-License-Identifier: GPL-2.0-or-later
/* Without a PHC: how it fails, and what is told. With one: tests/integration/timescale.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/supervise/phc_set.h"

static int run(const char *path, int64_t timeout_ns, struct phc_set_report *out)
{
	return phc_set(&(struct phc_set_plan){.path = path,
					      .feed = FEED_ONCE,
					      .utc_offset_s = UTC_OFFSET_AUTO,
					      .timeout_ns = timeout_ns},
		       out);
}

static void what_is_no_phc_fails_where_it_shows(void **state)
{
	struct phc_set_report r;

	assert_int_equal(run("/dev/no-such-ptp", 5 * NSEC_PER_SEC, &r), 0);
	assert_int_equal(r.step, PHC_SET_OPEN);
	assert_int_equal(r.error, ENOENT);
	assert_int_equal(run("/dev/null", 5 * NSEC_PER_SEC, &r), 0);
	assert_int_equal(r.step, PHC_SET_READ);
	assert_int_equal(r.error, EINVAL);
	assert_true(r.utc.seconds >= UTC_OFFSET_BUILD);
}

static void it_waits_no_longer_than_it_may(void **state)
{
	struct phc_set_report r = {.error = 7};
	int64_t before_ns = nsec_now(CLOCK_MONOTONIC);

	assert_int_equal(run("/dev/null", 0, &r), -ETIMEDOUT);
	assert_true(nsec_now(CLOCK_MONOTONIC) - before_ns < NSEC_PER_SEC);
	assert_int_equal(r.error, 7);
}

static void it_says_what_happened_and_what_helps(void **state)
{
	static const struct {
		const char *name;
		int result;
		struct phc_set_report report;
		enum event_code code;
		const char *text; /* a part of it */
	} rows[] = {
		{"set",
		 0,
		 {.step = PHC_SET_DONE,
		  .feeding = PHC_SET,
		  .utc = {37, UTC_FROM_KERNEL},
		  .error_ns = -37 * NSEC_PER_SEC},
		 EVENT_PHC_SET,
		 "set by +37.000000 s to CLOCK_REALTIME, which is known to be good, + 37 s "
		 "(TAI - UTC: kernel)"},
		{"near enough",
		 0,
		 {.step = PHC_SET_DONE, .utc = {37, UTC_FROM_TABLE}, .error_ns = 1000},
		 EVENT_PHC_LEFT_ALONE,
		 "left alone: +0.000001 s"},
		{"no reference",
		 0,
		 {.step = PHC_SET_DONE,
		  .feeding = PHC_NO_REFERENCE,
		  .trust = REALTIME_BEFORE_BUILD},
		 EVENT_PHC_NOT_SET,
		 "CLOCK_REALTIME is earlier than ptpmon was built"},
		{"virtual clocks",
		 0,
		 {.step = PHC_SET_SET, .error = EBUSY},
		 EVENT_PHC_NOT_SET,
		 "cannot set it: Device or resource busy: it has virtual clocks"},
		{"no right",
		 0,
		 {.step = PHC_SET_OPEN, .error = EACCES},
		 EVENT_PHC_NOT_SET,
		 "cannot open it: Permission denied: give"},
		{"forbidden",
		 0,
		 {.step = PHC_SET_SET, .error = EPERM},
		 EVENT_PHC_NOT_SET,
		 "Operation not permitted: run as root"},
		{"broken",
		 0,
		 {.step = PHC_SET_READ, .error = EIO},
		 EVENT_PHC_NOT_SET,
		 "cannot read it: Input/output error"},
		{"no PHC",
		 0,
		 {.step = PHC_SET_READ, .error = EINVAL},
		 EVENT_PHC_NOT_SET,
		 "it is no PHC"},
		{"silent", -ETIMEDOUT, {.step = 0}, EVENT_PHC_NOT_SET, "did not answer in time"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event e = phc_set_event("/dev/ptp3", rows[i].result, &rows[i].report, 5);

		if (e.code != rows[i].code || !strstr(e.text, rows[i].text) ||
		    strncmp(e.text, "/dev/ptp3: ", 11) != 0)
			fail_msg("%s: %s", rows[i].name, e.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_phc_fails_where_it_shows),
		cmocka_unit_test(it_waits_no_longer_than_it_may),
		cmocka_unit_test(it_says_what_happened_and_what_helps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
