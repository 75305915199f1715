/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines as linuxptp prints them, and what is told of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/complaints.h"

#define S NSEC_PER_SEC

enum { NONE = EVENT_CODE_MAX };

/* clang-format off */
static const struct {
	const char *program, *text;
	int code;
} lines[] = {
	{ "ptp4l", "timed out while polling for tx timestamp", EVENT_TX_TIMESTAMP_TIMEOUT },
	{ "ptp4l", "increasing tx_timestamp_timeout may correct this issue, but it is likely caused by a driver bug", NONE },
	{ "ptp4l", "port 1 (eth0): received SYNC without timestamp", EVENT_TIMESTAMP_MISSING },
	{ "ptp4l", "missing timestamp on transmitted delay request", EVENT_TIMESTAMP_MISSING },
	{ "ptp4l", "interface 'eth0' does not support requested timestamping mode", EVENT_TIMESTAMPING_REFUSED },
	{ "ptp4l", "driver rejected most general HWTSTAMP filter", EVENT_TIMESTAMPING_REFUSED },
	{ "phc2sys", "interface eth0 does not have a PHC", EVENT_TIMESTAMPING_REFUSED },
	{ "ptp4l", "clockcheck: clock jumped forward or running faster than expected!", EVENT_CLOCKCHECK },
	{ "phc2sys", "clockcheck: clock frequency changed unexpectedly!", EVENT_CLOCKCHECK },
	{ "ptp4l", "failed to step clock: Operation not permitted", EVENT_CLOCK_REFUSED },
	{ "ptp4l", "failed to set the clock offset: Device or resource busy", EVENT_CLOCK_REFUSED },
	{ "ptp4l", "port 1: SLAVE to UNCALIBRATED on SYNCHRONIZATION_FAULT", EVENT_SYNCHRONIZATION_FAULT },
	{ "ptp4l", "port 1 (eth0): SLAVE to FAULTY on FAULT_DETECTED (FT_UNSPECIFIED)", EVENT_PORT_FAULT },
	{ "ptp4l", "port 1: UNCALIBRATED to FAULTY on FAULT_DETECTED (FT_BAD_PEER_NETWORK)", EVENT_ROGUE_RESPONDER },
	{ "ptp4l", "port 1: multiple peer responses", EVENT_ROGUE_RESPONDER },
	{ "ptp4l", "port 1 (eth0): received 3 multiple sequential peer delay resp, resetting asCapable", EVENT_ROGUE_RESPONDER },
	{ "ptp4l", "port 1: rogue peer delay response", EVENT_ROGUE_RESPONDER },
	{ "ptp4l", "port 1: peer_delay (25000) > neighborPropDelayThresh (800), resetting asCapable", EVENT_NOT_AS_CAPABLE },
	{ "ptp4l", "port 1: assuming the grand master role", EVENT_GRANDMASTER_ROLE },
	{ "ptp4l", "foreign master not using PTP timescale", EVENT_FOREIGN_TIME_SCALE },
	{ "ptp4l", "running in a temporal vortex", EVENT_FOREIGN_TIME_SCALE },
	{ "ptp4l", "clock update suspended due to leap second", EVENT_LEAP_SECOND },
	{ "phc2sys", "clock set to insert leap second at midnight (UTC)", EVENT_LEAP_SECOND },
	{ "ptp4l", "port 1: bad message", EVENT_BAD_MESSAGE },
	{ "ptp4l", "port 1 (eth0): send delay request failed", EVENT_SEND_FAILED },
	{ "ptp4l", "sendto failed: Network is unreachable", EVENT_SEND_FAILED },
	{ "ptp4l", "port 1 (eth0): error on fda[0]: Network is down", EVENT_SOCKET_TROUBLE },
	{ "ptp4l", "port 1: unexpected socket error", EVENT_SOCKET_TROUBLE },
	{ "ptp4l", "socket failed: Operation not permitted", EVENT_SOCKET_TROUBLE },
	{ "ptp4l", "setsockopt SO_BINDTODEVICE failed: Operation not permitted", EVENT_SOCKET_TROUBLE },
	{ "ptp4l", "bind failed: Permission denied", EVENT_SOCKET_TROUBLE },
	{ "ptp4l", "bind failed: Address already in use", EVENT_SOCKET_TROUBLE },
	{ "ptp4l", "rtnl: recvmsg: No buffer space available", EVENT_SOCKET_TROUBLE },
	{ "ptp4l", "uds: bind failed: No such file or directory", EVENT_SOCKET_TROUBLE },
	{ "ptp4l", "setsockopt IP_ADD_MEMBERSHIP failed: No such device", EVENT_SOCKET_TROUBLE },
	{ "ptp4l", "port 1 (eth0): delay response timeout", EVENT_DELAY_UNANSWERED },
	{ "ptp4l", "port 1: pdelay_req on E2E port", EVENT_DELAY_UNANSWERED },
	{ "ptp4l", "port 1: unicast grant of SYNC rejected", EVENT_UNICAST_REFUSED },
	{ "ptp4l", "port 1 (eth0): link down", EVENT_PORT_LINK_DOWN },
	{ "ptp4l", "port 2: PHC device mismatch", EVENT_PHC_MISMATCH },
	{ "ptp4l", "unknown option masterOnly at line 3 in [global] section", EVENT_PROGRAM_OPTION },
	{ "ptp4l", "300 is an out of range value for option priority1 at line 3", EVENT_PROGRAM_OPTION },
	{ "ptp4l", "failed to parse configuration file /etc/ptp4l.conf", EVENT_PROGRAM_OPTION },
	{ "phc2sys", "Waiting for ptp4l...", EVENT_CLOCK_WAITS },
	{ "phc2sys", "source clock not ready, waiting...", EVENT_CLOCK_WAITS },
	{ "phc2sys", "master clock not ready, waiting...", EVENT_CLOCK_WAITS },
	{ "phc2sys", "nothing to synchronize", EVENT_CLOCK_WAITS },
	/* nothing to complain of */
	{ "ptp4l", "Waiting for ptp4l...", NONE },
	{ "phc2sys", "port 1: bad message", NONE },
	{ "ptp4l", "selected /dev/ptp0 as PTP clock", NONE },
	{ "ptp4l", "port 1: LISTENING to UNCALIBRATED on RS_SLAVE", NONE },
	{ "ptp4l", "port 1 (eth0): link up", NONE },
	{ "ptp4l", "port 1: UNCALIBRATED to SLAVE on MASTER_CLOCK_SELECTED", NONE },
	{ "ptp4l", "", NONE },
};
/* clang-format on */

static void lines_have_their_codes(void **state)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct complaint *row = complaint_find(lines[i].program, lines[i].text);

		if ((row ? (int)row->code : NONE) != lines[i].code)
			fail_msg("%s: %s: %s", lines[i].program, lines[i].text,
				 row ? event_code_name(row->code) : "not known");
	}
}

static void the_first_is_told_and_the_rest_counted(void **state)
{
	struct complaints c = {.program = "ptp4l", .name = "ptp4l"};
	struct event e;

	assert_true(complaints_feed(&c, "port 1: bad message", 1 * S, &e));
	assert_int_equal(e.code, EVENT_BAD_MESSAGE);
	assert_string_equal(e.subject, "ptp4l");
	assert_non_null(strstr(e.text, "ptp4l: port 1: bad message: a device"));
	assert_string_equal(e.detail, "{\"count\":1,\"since_told\":1}");
	for (int i = 0; i < 1000; i++)
		assert_false(complaints_feed(&c, "port 1: bad message", 2 * S + i, &e));
	assert_false(complaints_due(&c, 60 * S, &e));
	/* another code has a turn of its own */
	assert_true(complaints_feed(&c, "port 1: rogue peer delay response", 3 * S, &e));
	assert_true(complaints_due(&c, 61 * S, &e));
	assert_int_equal(e.code, EVENT_BAD_MESSAGE);
	assert_string_equal(e.detail, "{\"count\":1001,\"since_told\":1000}");
	assert_non_null(strstr(e.text, "(1000 times)"));
	assert_false(complaints_due(&c, 200 * S, &e));
	assert_int_equal(c.n, 2);
	assert_int_equal(c.counts[0].count, 1001);
}

static void one_after_a_quiet_minute_is_told_at_once(void **state)
{
	struct complaints c = {.program = "ptp4l", .name = "ptp4l"};
	struct event e;

	assert_true(complaints_feed(&c, "port 1: bad message", 1 * S, &e));
	assert_true(complaints_feed(&c, "port 1: bad message", 62 * S, &e));
	assert_string_equal(e.detail, "{\"count\":2,\"since_told\":1}");
}

/* When the transmit timestamps failed, in seconds, and whether the PHY is suspected. */
static const struct {
	const char *name;
	unsigned major;
	int at_s[12];
	bool suspected;
} tries[] = {
	{"every 16 s", 4, {1, 17, 34}, true},
	{"of an older linuxptp", 3, {1, 17, 34, 50}, false},
	{"of a version that is not known", 0, {1, 17, 34, 50}, false},
	{"a burst under load", 4, {1, 1, 1, 2, 2, 3, 4}, false},
	{"now and then", 4, {1, 100, 200, 300}, false},
	{"twice", 4, {1, 17}, false},
	{"every 16 s, with more within a try", 4, {1, 2, 17, 18, 34, 35}, true},
	{"again after a good hour", 4, {1, 17, 3600, 3616}, false},
};

static void a_phy_without_minor_version_is_suspected(void **state)
{
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		struct complaints c = {
			.program = "ptp4l", .name = "ptp4l", .major = tries[i].major};
		struct event e = {0};
		int64_t last_ns = 0;

		for (size_t k = 0; k < 12 && tries[i].at_s[k]; k++) {
			last_ns = tries[i].at_s[k] * S;
			(void)complaints_feed(&c, "timed out while polling for tx timestamp",
					      last_ns, &e);
		}
		if (complaints_due(&c, last_ns, &e) != tries[i].suspected)
			fail_msg("%s", tries[i].name);
		if (!tries[i].suspected)
			continue;
		assert_int_equal(e.code, EVENT_PTP_MINOR_VERSION);
		assert_non_null(strstr(e.text, "ptp_minor_version=0"));
		assert_false(complaints_due(&c, last_ns, &e));
	}
}

/* What real programs printed on ordinary days: no complaint is an error in the table. */
static void recorded_logs_have_no_surprise(void **state)
{
	static const char *const files[] = {"ptp4l_3.1.1_follower_1hz.log",
					    "ptp4l_4.4_follower_1hz.log"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[512];
		char line[512];
		size_t n = 0;
		FILE *f;

		(void)snprintf(path, sizeof(path), "%s/logs/%s", getenv("TEST_DATA"), files[i]);
		f = fopen(path, "re");
		assert_non_null(f);
		while (fgets(line, sizeof(line), f)) {
			const struct complaint *row = complaint_find("ptp4l", line);

			n++;
			if (row && row->code != EVENT_GRANDMASTER_ROLE &&
			    row->code != EVENT_FOREIGN_TIME_SCALE &&
			    row->code != EVENT_PORT_LINK_DOWN && row->code != EVENT_PORT_FAULT &&
			    row->code != EVENT_SOCKET_TROUBLE)
				fail_msg("%s: %s", files[i], line);
		}
		(void)fclose(f);
		assert_true(n > 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_their_codes),
		cmocka_unit_test(the_first_is_told_and_the_rest_counted),
		cmocka_unit_test(one_after_a_quiet_minute_is_told_at_once),
		cmocka_unit_test(a_phy_without_minor_version_is_suspected),
		cmocka_unit_test(recorded_logs_have_no_surprise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
