/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who else steers a clock, and whether that is a rival here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/model/rivals.h"

static const char *const ports[] = {"eth0", "eth1"};
static const struct rivals_ptp4l ptp4l[] = {
	{"/run/ptpmon/eth0/ptp4l", 20, 1}, /* of a [ptp4l] with profile gptp */
	{"/run/ptpmon/down/ptp4l", 7, 0},
};

#define OURS(s, p)                                                                                 \
	{                                                                                          \
		.system = (s), .phc = (p), .ports = ports, .n_ports = 2, .ptp4l = ptp4l,           \
		.n_ptp4l = sizeof(ptp4l) / sizeof(ptp4l[0]),                                       \
	}

/* software slave; hardware slave with phc2sys; hardware slave alone; grandmaster fed once */
static const struct rivals_ours software = OURS(true, false);
static const struct rivals_ours both = OURS(true, true);
static const struct rivals_ours hardware = OURS(false, true);
static const struct rivals_ours grandmaster = OURS(false, false);

enum { WORDS = 12 };

static size_t count(const char *const *words)
{
	size_t n = 0;

	while (n < WORDS && words[n])
		n++;
	return n;
}

/* clang-format off */
static const struct {
	const char *comm;
	const char *words[WORDS];
	const struct rivals_ours *ours;
	enum rival_verdict verdict;
	const char *why;
} rows[] = {
	{ "bash", { "bash" }, &both, RIVAL_UNKNOWN, "" },
	{ "chronyd", { "chronyd" }, &software, RIVAL_RIVAL, "steers CLOCK_REALTIME as well" },
	{ "chronyd", { NULL }, &both, RIVAL_RIVAL, "steers CLOCK_REALTIME as well" },
	{ "chronyd", { "chronyd" }, &hardware, RIVAL_HARMLESS, "" },
	{ "chronyd", { "chronyd" }, &grandmaster, RIVAL_HARMLESS, "" },
	{ "systemd-timesyn", { "systemd-timesyncd" }, &software, RIVAL_RIVAL, "steers CLOCK_REALTIME as well" },
	{ "ntpd", { "ntpd", "-g" }, &both, RIVAL_RIVAL, "steers CLOCK_REALTIME as well" },
	{ "ts2phc", { "ts2phc", "-c", "eth0" }, &hardware, RIVAL_RIVAL, "may steer the same hardware clock" },
	{ "ts2phc", { "ts2phc", "-c", "eth0" }, &grandmaster, RIVAL_HARMLESS, "" },
	{ "timemaster", { "timemaster" }, &software, RIVAL_RIVAL, "steers CLOCK_REALTIME as well" },
	{ "phc2sys", { "phc2sys", "-s", "eth0", "-w" }, &both, RIVAL_RIVAL, "steers CLOCK_REALTIME as well" },
	{ "phc2sys", { "phc2sys", "-s", "eth0", "-w" }, &hardware, RIVAL_HARMLESS, "" },
	{ "phc2sys", { "phc2sys", "-s", "CLOCK_REALTIME", "-c", "eth0" }, &hardware, RIVAL_RIVAL, "may steer the same hardware clock" },
	{ "phc2sys", { "phc2sys", "-a", "-r" }, &software, RIVAL_RIVAL, "steers CLOCK_REALTIME as well" },
	{ "phc2sys", { "phc2sys", "-a" }, &software, RIVAL_HARMLESS, "" },
	{ "ptp4l", { "ptp4l", "-i", "eth1", "-m" }, &grandmaster, RIVAL_RIVAL, "runs PTP on a port of ours" },
	{ "ptp4l", { "ptp4l", "-ieth1" }, &grandmaster, RIVAL_RIVAL, "runs PTP on a port of ours" },
	{ "ptp4l", { "ptp4l", "-i", "eth7" }, &hardware, RIVAL_HARMLESS, "" },
	{ "ptp4l", { "ptp4l", "-S", "-i", "eth7" }, &software, RIVAL_RIVAL, "steers CLOCK_REALTIME as well" },
	{ "ptp4l", { "ptp4l", "-i", "eth7", "--time_stamping=software" }, &software, RIVAL_RIVAL, "steers CLOCK_REALTIME as well" },
	{ "ptp4l", { "ptp4l", "-f", "/etc/ptp4l.conf" }, &hardware, RIVAL_RIVAL, "may steer the same hardware clock" },
};

static const struct {
	const char *comm;
	const char *words[WORDS];
	const char *why; /* "": it does not wait in vain */
} waiting[] = {
	{ "phc2sys", { "phc2sys", "-s", "eth0", "-w" }, "it asks on /var/run/ptp4l: -z names another socket" },
	{ "phc2sys", { "phc2sys", "-a", "-z", "/run/ptpmon/eth0/ptp4l" }, "its domain is 0, ptp4l's 20: -n" },
	{ "phc2sys", { "phc2sys", "-w", "-n20", "-z", "/run/ptpmon/eth0/ptp4l" },
	  "its transportSpecific is 0, ptp4l's 1: --transportSpecific" },
	{ "phc2sys", { "phc2sys", "-w", "-n", "20", "-z", "/run/ptpmon/eth0/ptp4l", "--transportSpecific=1" }, "" },
	{ "phc2sys", { "phc2sys", "-w", "-n", "20", "-z", "/run/ptpmon/eth0/ptp4l", "--transportSpecific", "1" }, "" },
	{ "phc2sys", { "phc2sys", "-w", "-n", "20", "-z", "/run/ptpmon/down/ptp4l" },
	  "its domain is 20, ptp4l's 7: -n" },
	{ "phc2sys", { "phc2sys", "-w", "-n", "7", "-z", "/run/ptpmon/down/ptp4l", "--transportSpecific=1" },
	  "its transportSpecific is 1, ptp4l's 0: --transportSpecific" },
	{ "phc2sys", { "phc2sys", "-w", "-n", "7", "-z", "/run/ptpmon/down/ptp4l" }, "" },
	{ "phc2sys", { "phc2sys", "-s", "eth0", "-O", "-37" }, "" },
	{ "ptp4l", { "ptp4l", "-w" }, "" },
};
/* clang-format on */

static void programs_are_judged_by_what_is_ours(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char why[RIVAL_WHY_MAX] = "";
		enum rival_verdict verdict = rival_judge(rows[i].comm, rows[i].words,
							 count(rows[i].words), rows[i].ours, why);

		if (verdict != rows[i].verdict || strcmp(why, rows[i].why) != 0)
			fail_msg("row %zu, %s: %d, %s", i, rows[i].comm, (int)verdict, why);
		assert_int_equal(rival_is_known(rows[i].comm), verdict != RIVAL_UNKNOWN);
	}
}

static void a_phc2sys_that_asks_another_waits_for_ever(void **state)
{
	for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++) {
		char why[RIVAL_WHY_MAX] = "";
		bool vain = rival_waits_in_vain(waiting[i].comm, waiting[i].words,
						count(waiting[i].words), &both, why);

		if (vain != (*waiting[i].why != '\0') || strcmp(why, waiting[i].why) != 0)
			fail_msg("row %zu: %s", i, why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_are_judged_by_what_is_ours),
		cmocka_unit_test(a_phc2sys_that_asks_another_waits_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
