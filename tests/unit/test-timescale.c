// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/timescale.h"

#define S     NSEC_PER_SEC
#define BUILD (INT64_C(1796000000) * S) /* in November 2026 */

/* One more leap second than today's tables have, so that its row can be told from the default. */
static const struct leap_table table = {
	.n = 3,
	.row = {{1435708800, 36}, {1483228800, 37}, {1798761600, 38}}, /* 2015, 2017, 2027 */
	.expires_utc_s = 1830297600,                                   /* 2028 */
};

static const struct leap_table empty_table;

static void tai_minus_utc_comes_from_the_first_that_knows(void **state)
{
	static const struct {
		const char *name;
		int64_t key_s, kernel_s, utc_ns;
		const struct leap_table *table;
		struct utc_offset want;
	} rows[] = {
		{"the key", 35, 36, BUILD, &table, {35, UTC_FROM_KEY}},
		{"a key of 0", 0, 36, BUILD, &table, {0, UTC_FROM_KEY}},
		{"the kernel", UTC_OFFSET_AUTO, 36, BUILD, &table, {36, UTC_FROM_KERNEL}},
		{"the table", UTC_OFFSET_AUTO, 0, BUILD, &table, {37, UTC_FROM_TABLE}},
		{"the table's next row",
		 UTC_OFFSET_AUTO,
		 0,
		 INT64_C(1798761600) * S,
		 &table,
		 {38, UTC_FROM_TABLE}},
		{"the second before it",
		 UTC_OFFSET_AUTO,
		 0,
		 INT64_C(1798761600) * S - 1,
		 &table,
		 {37, UTC_FROM_TABLE}},
		{"a clock in 1970 looks at the build's row",
		 UTC_OFFSET_AUTO,
		 0,
		 5 * S,
		 &table,
		 {37, UTC_FROM_TABLE}},
		{"an expired table",
		 UTC_OFFSET_AUTO,
		 0,
		 INT64_C(1830297600) * S,
		 &table,
		 {38, UTC_FROM_EXPIRED_TABLE}},
		{"no table", UTC_OFFSET_AUTO, 0, BUILD, NULL, {37, UTC_FROM_BUILD}},
		{"an empty table", UTC_OFFSET_AUTO, 0, BUILD, &empty_table, {37, UTC_FROM_BUILD}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct utc_offset got = utc_offset_choose(rows[i].key_s, rows[i].kernel_s,
							  rows[i].table, rows[i].utc_ns, BUILD);

		if (got.seconds != rows[i].want.seconds || got.source != rows[i].want.source)
			fail_msg("%s: %lld s, %s", rows[i].name, (long long)got.seconds,
				 utc_source_name(got.source));
	}
}

static void a_clock_is_good_while_something_vouches_for_it(void **state)
{
	static const struct {
		const char *name;
		struct realtime r;
		bool was_good;
		enum realtime_trust want;
	} rows[] = {
		{"disciplined", {BUILD + S, true, S / 100, 0}, false, REALTIME_GOOD},
		{"in 1970", {5 * S, true, S / 100, 0}, false, REALTIME_BEFORE_BUILD},
		{"1970, and undisciplined", {5 * S, false, 0, 0}, true, REALTIME_BEFORE_BUILD},
		{"at the build", {BUILD, true, 0, 0}, false, REALTIME_GOOD},
		{"undisciplined", {BUILD + S, false, 0, 0}, true, REALTIME_UNSYNCHRONISED},
		{"uncertain", {BUILD + S, true, 2 * S, 0}, false, REALTIME_UNCERTAIN},
		{"a bit uncertain, but good before", {BUILD, true, 2 * S, 0}, true, REALTIME_GOOD},
		{"uncertain at last", {BUILD, true, 4 * S, 0}, true, REALTIME_UNCERTAIN},
		{"nobody can say", {BUILD, true, INT64_MAX, 0}, true, REALTIME_UNCERTAIN},
		/* ptp4l clears STA_UNSYNC when it starts with software stamps; the error stays */
		{"only the flag is clear", {BUILD, true, 16 * S, 0}, false, REALTIME_UNCERTAIN},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (realtime_judge(&rows[i].r, BUILD, rows[i].was_good) != rows[i].want)
			fail_msg("%s", rows[i].name);
}

static void a_phc_is_set_when_it_is_far_off(void **state)
{
	static const struct {
		const char *name;
		enum feed feed;
		int64_t error_ns;
		enum realtime_trust trust;
		enum phc_feeding want;
	} rows[] = {
		{"UTC in it", FEED_ONCE, -37 * S, REALTIME_GOOD, PHC_SET},
		{"ahead", FEED_ONCE, 37 * S, REALTIME_GOOD, PHC_SET},
		{"1970", FEED_ONCE, -BUILD, REALTIME_GOOD, PHC_SET},
		{"right", FEED_ONCE, 0, REALTIME_GOOD, PHC_LEAVE},
		{"a second off", FEED_ONCE, -S, REALTIME_GOOD, PHC_LEAVE},
		{"a bit more", FEED_ONCE, S + 1, REALTIME_GOOD, PHC_SET},
		{"a bit more behind", FEED_ONCE, -S - 1, REALTIME_GOOD, PHC_SET},
		{"nobody vouches", FEED_ONCE, -37 * S, REALTIME_UNSYNCHRONISED, PHC_SET},
		{"no clock is right", FEED_ONCE, BUILD, REALTIME_BEFORE_BUILD, PHC_NO_REFERENCE},
		{"both in 1970", FEED_ONCE, S / 2, REALTIME_BEFORE_BUILD, PHC_LEAVE},
		{"to be followed", FEED_FOLLOW, -37 * S, REALTIME_GOOD, PHC_SET},
		{"somebody else's", FEED_NONE, -37 * S, REALTIME_GOOD, PHC_LEAVE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (phc_feeding_decide(rows[i].feed, rows[i].error_ns, rows[i].trust) !=
		    rows[i].want)
			fail_msg("%s", rows[i].name);
}

static void the_epoch_guard_holds_what_is_older_than_the_build(void **state)
{
	assert_true(epoch_holds(EPOCH_GUARDED, 100 * S, BUILD));
	assert_true(epoch_holds(EPOCH_GUARDED, BUILD - 1, BUILD));
	assert_false(epoch_holds(EPOCH_GUARDED, BUILD, BUILD));
	assert_false(epoch_holds(EPOCH_ARBITRARY, 100 * S, BUILD));
	assert_false(epoch_holds(EPOCH_ARBITRARY, INT64_MIN, BUILD));
}

static void this_build_has_a_date(void **state)
{
	assert_true(timescale_build_utc_ns() > INT64_C(1700000000) * S);
	assert_true(timescale_build_utc_ns() <= nsec_now(CLOCK_REALTIME));
}

static void whole_seconds_are_explained(void **state)
{
	static const struct {
		const char *name;
		int64_t offset_ns, want;
	} rows[] = {
		{"TAI taken as UTC", 37 * S + 120, 37},
		{"UTC taken as TAI", -37 * S - 40 * NSEC_PER_MSEC, -37},
		{"an old table", 36 * S, 36},
		{"a newer one", -38 * S, -38},
		{"nothing", 0, 0},
		{"a second", S, 0},
		{"half a second more", 37 * S + S / 2, 0},
		{"35 s", 35 * S, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (utc_offset_explains(rows[i].offset_ns, 37) != rows[i].want)
			fail_msg("%s", rows[i].name);
}

enum {
	BASE = PTP_TIMESCALE | PTP_UTC_OFFSET_VALID | PTP_TIME_TRACEABLE,
	ALL = BASE | PTP_FREQUENCY_TRACEABLE,
};

static void flags_say_what_is_known(void **state)
{
	static const struct {
		const char *name;
		bool hardware, phc_known;
		enum feed feed;
		enum realtime_trust trust;
		int64_t phc_error_ns;
		uint8_t mask, flags;
	} rows[] = {
		{"a PHC set once", true, false, FEED_ONCE, REALTIME_GOOD, 0, ALL, BASE},
		{"and measured", true, true, FEED_ONCE, REALTIME_GOOD, -S, ALL, BASE},
		{"but far off", true, true, FEED_ONCE, REALTIME_GOOD, -37 * S, ALL, PTP_TIMESCALE},
		{"followed", true, true, FEED_FOLLOW, REALTIME_GOOD, 9, ALL, ALL},
		{"somebody else's", true, true, FEED_NONE, REALTIME_GOOD, 9, BASE, BASE},
		{"nobody vouches", true, true, FEED_FOLLOW, REALTIME_UNSYNCHRONISED, 9, ALL,
		 PTP_TIMESCALE},
		{"software stamps", false, false, FEED_ONCE, REALTIME_GOOD, 0, ALL,
		 ALL & ~PTP_TIMESCALE},
		{"... a PHC is beside the point", false, true, FEED_ONCE, REALTIME_GOOD, -37 * S,
		 ALL, ALL & ~PTP_TIMESCALE},
		{"... of a clock in 1970", false, false, FEED_ONCE, REALTIME_BEFORE_BUILD, 0, ALL,
		 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct announcement a = announcement_make(&(struct timescale_facts){
			.hardware_stamps = rows[i].hardware,
			.feed = rows[i].feed,
			.utc = {37, UTC_FROM_TABLE},
			.trust = rows[i].trust,
			.phc_known = rows[i].phc_known,
			.phc_error_ns = rows[i].phc_error_ns,
			.clock_class = 52,
		});

		if (a.flags_mask != rows[i].mask || a.flags != rows[i].flags ||
		    a.utc_offset_s != 37 || a.clock_class != 52)
			fail_msg("%s: 0x%02x of 0x%02x", rows[i].name, a.flags, a.flags_mask);
	}
}

static void what_a_slave_is_told_is_judged(void **state)
{
	static const struct utc_offset ours = {37, UTC_FROM_TABLE};
	static const struct {
		const char *name;
		uint8_t flags;
		int64_t offset_s;
		enum received_scale want;
	} rows[] = {
		{"all good", BASE, 37, RECEIVED_GOOD},
		{"not traceable", PTP_TIMESCALE | PTP_UTC_OFFSET_VALID, 37, RECEIVED_GOOD},
		{"one second less", BASE, 36, RECEIVED_UTC_MISMATCH},
		{"none", BASE, 0, RECEIVED_UTC_MISMATCH},
		{"not valid", PTP_TIMESCALE, 37, RECEIVED_UTC_INVALID},
		{"not valid, and wrong", PTP_TIMESCALE, 0, RECEIVED_UTC_INVALID},
		{"arbitrary", 0, 37, RECEIVED_ARBITRARY},
		{"arbitrary, valid or not", PTP_UTC_OFFSET_VALID, 36, RECEIVED_ARBITRARY},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (received_scale_judge(rows[i].flags, rows[i].offset_s, &ours) != rows[i].want)
			fail_msg("%s", rows[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tai_minus_utc_comes_from_the_first_that_knows),
		cmocka_unit_test(a_clock_is_good_while_something_vouches_for_it),
		cmocka_unit_test(a_phc_is_set_when_it_is_far_off),
		cmocka_unit_test(the_epoch_guard_holds_what_is_older_than_the_build),
		cmocka_unit_test(this_build_has_a_date),
		cmocka_unit_test(whole_seconds_are_explained),
		cmocka_unit_test(flags_say_what_is_known),
		cmocka_unit_test(what_a_slave_is_told_is_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
