// SPDX-License-Identifier: GPL-2.0-or-later
/* When what is known becomes unknown, and how it is judged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/sample.h"
#include "status-fixture.h"

#define MS NSEC_PER_MSEC

static const struct staleness {
	const char *name;
	int64_t stale_after_ns, interval_ns, age_ns;
	bool offset_known, state_known;
} stalenesses[] = {
	{"fresh", 0, 31250000, 0, true, true},
	{"auto, at its bound", 0, 31250000, 1000 * MS, true, true},
	{"auto, beyond", 0, 31250000, 1000 * MS + 1, false, true},
	{"slow syncs, within three", 0, 2000 * MS, 6000 * MS, true, false},
	{"slow syncs, beyond three", 0, 2000 * MS, 6000 * MS + 1, false, false},
	{"configured", 5000 * MS, 31250000, 5000 * MS, true, true},
	{"configured, beyond", 5000 * MS, 31250000, 5000 * MS + 1, false, false},
	{"configured shorter than the poll", 200 * MS, 31250000, 201 * MS, false, true},
	{"interval unknown", 0, 0, 1001 * MS, false, true},
	{"state at its bound", 0, 31250000, 3000 * MS, false, true},
	{"state beyond", 0, 31250000, 3000 * MS + 1, false, false},
};

static void test_staleness(void **state)
{
	for (size_t i = 0; i < sizeof(stalenesses) / sizeof(stalenesses[0]); i++) {
		const struct staleness *row = &stalenesses[i];
		struct status *s = status_fixture_new(&status_fixtures[0]);
		struct status_port *p = &s->ports[0];

		s->stale_after_ns = row->stale_after_ns;
		p->sync_interval_ns = (struct reading){row->interval_ns > 0, row->interval_ns, 0};
		p->offset_ns.mono_ns = p->state.mono_ns = p->clock_class.mono_ns =
			p->sync_interval_ns.mono_ns = s->taken_mono_ns - row->age_ns;
		status_expire(s, s->taken_mono_ns);
		if (p->offset_ns.known != row->offset_known || p->state.known != row->state_known)
			fail_msg("%s: offset %sknown, state %sknown", row->name,
				 p->offset_ns.known ? "" : "un", p->state.known ? "" : "un");
		if (p->sync_interval_ns.known != (p->offset_ns.known && row->interval_ns > 0))
			fail_msg("%s: an interval without an offset", row->name);
		if (!p->offset_ns.known &&
		    (p->offset_ns.value || p->offset_ns.mono_ns != s->taken_mono_ns - row->age_ns))
			fail_msg("%s: a value without data, or no age", row->name);
		if (!p->state.known && p->state_since_mono_ns)
			fail_msg("%s: a state's past outlives it", row->name);
		free(s);
	}
}

/* What is asked for less often is known longer; the grandmaster's name goes with its class. */
static void test_slow_polls(void **state)
{
	static const struct {
		const char *name;
		int64_t age_ns;
		bool parent_known, source_known;
	} polls[] = {
		{"two missed", 6000 * MS, true, true},
		{"three missed", 6000 * MS + 1, false, true},
		{"properties, two missed", 30000 * MS, false, true},
		{"properties, three missed", 30000 * MS + 1, false, false},
	};

	for (size_t i = 0; i < sizeof(polls) / sizeof(polls[0]); i++) {
		struct status *s = status_fixture_new(&status_fixtures[0]);
		struct status_port *p = &s->ports[0];

		p->clock_class.mono_ns = p->clock_accuracy.mono_ns = p->steps_removed.mono_ns =
			p->time_source.mono_ns = s->taken_mono_ns - polls[i].age_ns;
		status_expire(s, s->taken_mono_ns);
		if (p->clock_class.known != polls[i].parent_known ||
		    p->clock_accuracy.known != polls[i].parent_known ||
		    p->steps_removed.known != polls[i].parent_known ||
		    (p->grandmaster[0] != '\0') != polls[i].parent_known ||
		    p->time_source.known != polls[i].source_known)
			fail_msg("%s", polls[i].name);
		free(s);
	}
}

static void test_last_minute_goes(void **state)
{
	struct status *s = status_fixture_new(&status_fixtures[0]);

	s->ports[0].offset_ns.mono_ns = s->taken_mono_ns - 60000 * MS;
	status_expire(s, s->taken_mono_ns);
	assert_int_equal(s->ports[0].last_minute.count, 1919);
	status_expire(s, s->taken_mono_ns + 1);
	assert_int_equal(s->ports[0].last_minute.count, 0);
	assert_true(s->ports[0].last_minute.max_ns == SAMPLE_UNKNOWN);
	free(s);
}

static void test_latency_goes(void **state)
{
	struct status *s = status_fixture_new(&status_fixtures[0]);

	s->cpus[0].mono_ns = s->taken_mono_ns - 3000 * MS;
	s->cpus[1].mono_ns = s->taken_mono_ns - 3000 * MS - 1;
	status_expire(s, s->taken_mono_ns);
	assert_int_equal(s->cpus[0].last_max_ns, 31200);
	assert_true(s->cpus[1].last_max_ns == SAMPLE_UNKNOWN);
	assert_int_equal(s->cpus[1].max_ns, 57300);
	free(s);
}

static void test_verdicts(void **state)
{
	for (size_t i = 0; i < n_status_fixtures; i++) {
		struct status *s = status_fixture_new(&status_fixtures[i]);
		char why[STATUS_TEXT_MAX] = "";
		enum status_verdict verdict = status_judge(s, why);

		if (verdict != status_fixtures[i].verdict || !why[0])
			fail_msg("%s: %s, %s", status_fixtures[i].name,
				 status_verdict_name(verdict), why);
		free(s);
	}
}

/* The cause comes before what follows from it, and bad before unknown. */
static void test_order(void **state)
{
	struct status *s = status_fixture_new(&status_fixtures[0]);
	char why[STATUS_TEXT_MAX];

	s->children[1].state = CHILD_STARTING;
	assert_int_equal(status_judge(s, why), STATUS_UNKNOWN);
	assert_string_equal(why, "ptp4l eth0: starting");
	s->ports[0].offset_ns.value = STATUS_OFFSET_BAD_NS;
	assert_int_equal(status_judge(s, why), STATUS_BAD);
	assert_string_equal(why, "eth0: offset 10.000 ms");
	s->ports[0].offset_ns.value = -STATUS_OFFSET_BAD_NS + 1;
	assert_int_equal(status_judge(s, why), STATUS_UNKNOWN);
	s->children[2].state = CHILD_WAITING;
	assert_int_equal(status_judge(s, why), STATUS_BAD);
	assert_string_equal(why, "latency: waiting");
	free(s);
}

/* A phc2sys that may not run now is no failure; one that may, and does not, is. */
static void test_held(void **state)
{
	struct status *s = status_fixture_new(&status_fixtures[0]);
	char why[STATUS_TEXT_MAX];

	strcpy(s->children[2].name, "phc2sys to eth0");
	s->children[2].state = CHILD_STOPPED;
	s->children[2].policy[0] = '\0';
	assert_int_equal(status_judge(s, why), STATUS_BAD);
	assert_string_equal(why, "phc2sys to eth0: stopped");
	s->children[2].held = true;
	assert_int_equal(status_judge(s, why), STATUS_GOOD);
	s->children[2].state = CHILD_FAILED;
	assert_int_equal(status_judge(s, why), STATUS_BAD);
	free(s);
}

/* Why a ptp4l of somebody else cannot be asked. */
static void test_socket_problems(void **state)
{
	static const struct {
		int error;
		const char *text;
	} rows[] = {
		{EACCES, "/var/run/ptp4l: permission denied: let this user write to it "
			 "(uds_file_mode of ptp4l 4, or chmod), or run ptpmon as root"},
		{ENOENT, "/var/run/ptp4l: no such socket: start ptp4l, or set [ptp4l far] socket "
			 "to its uds_address"},
		{ECONNREFUSED, "/var/run/ptp4l: nobody listens there any more: start ptp4l again"},
		{EMFILE, "/var/run/ptp4l: Too many open files"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct status *s = status_fixture_new(&status_fixtures[0]);
		char expected[STATUS_TEXT_MAX];
		char why[STATUS_TEXT_MAX];

		s->ports[0].state = (struct reading){0};
		status_explain_socket(rows[i].error, "/var/run/ptp4l", "ptp4l far",
				      s->ports[0].problem);
		assert_string_equal(s->ports[0].problem, rows[i].text);
		assert_int_equal(status_judge(s, why), STATUS_UNKNOWN);
		snprintf(expected, sizeof(expected), "eth0: port state unknown: %.200s",
			 rows[i].text);
		assert_string_equal(why, expected);
		free(s);
	}
}

/* The parent's word on its children holds for a while; a silent one is no news of what is bad. */
static void test_parent(void **state)
{
	struct status *s = status_fixture_new(&status_fixtures[0]);
	char why[STATUS_TEXT_MAX];

	s->parent_mono_ns = s->taken_mono_ns - 30000 * MS;
	assert_int_equal(status_judge(s, why), STATUS_GOOD);
	s->parent_mono_ns--;
	assert_int_equal(status_judge(s, why), STATUS_UNKNOWN);
	assert_string_equal(why, "the parent was last heard 30 s ago");
	s->ports[0].carrier = false;
	assert_int_equal(status_judge(s, why), STATUS_BAD);
	s->parent_mono_ns = 0;
	s->ports[0].carrier = true;
	assert_int_equal(status_judge(s, why), STATUS_GOOD);
	free(s);
}

/* What is longer than there is room for says that it was cut. */
static void test_cut(void **state)
{
	struct status *s = status_fixture_new(&status_fixtures[0]);
	char why[STATUS_TEXT_MAX];

	s->children[1].state = CHILD_FAILED;
	memset(s->children[1].problem, 'p', sizeof(s->children[1].problem) - 1);
	assert_int_equal(status_judge(s, why), STATUS_BAD);
	assert_int_equal(strlen(why), STATUS_TEXT_MAX - 1);
	assert_string_equal(why + STATUS_TEXT_MAX - 5, "p...");
	free(s);
}

static void test_schedules(void **state)
{
	struct status *s = status_fixture_new(&status_fixtures[0]);
	char why[STATUS_TEXT_MAX];

	s->children[2].schedule_ok = false;
	s->children[2].policy[0] = '\0';
	assert_int_equal(status_judge(s, why), STATUS_UNKNOWN);
	assert_string_equal(why, "latency: schedule not read back yet");
	strcpy(s->children[2].policy, "SCHED_OTHER");
	assert_int_equal(status_judge(s, why), STATUS_BAD);
	free(s);
}

static void test_announced(void **state)
{
	struct status *s = status_fixture_new(&status_fixtures[1]);
	char why[STATUS_TEXT_MAX];

	assert_string_equal(s->role, "grandmaster");
	assert_true(status_is_within(s, why));
	s->ports[0].scale.utc_offset_s = (struct reading){0};
	assert_false(status_is_within(s, why));
	assert_string_equal(why, "eth0: announced time scale unknown, never seen yet");
	free(s);
}

/* What wait-sync waits for, and the one condition that fails. */
static void test_within(void **state)
{
	static const struct {
		const char *name, *fixture;
		int64_t offset_ns, limit_ns;
		const char *why; /* NULL: within */
	} rows[] = {
		{"a slave", "good-slave", -112, 1000, NULL},
		{"at the limit", "good-slave", -1000, 1000, "eth0: offset -1000 ns, limit 1000 ns"},
		{"below it by one", "good-slave", 999, 1000, NULL},
		{"no limit", "good-slave", 37000000000, 0, NULL},
		{"a grandmaster", "grandmaster", 0, 1000, NULL},
		{"a system clock", "phc", -112, 1000, NULL},
		{"a system clock that is off", "phc", 0, 31,
		 "ptp0: system clock -31 ns from it, limit 31 ns"},
		{"a system clock that may not be steered", "held-back", 0, 1000,
		 "phc2sys: held back: the PHC shows a time before ptpmon was built"},
		{"stale", "stale", 0, 1000, "eth0: offset unknown, last seen 12 s ago"},
		{"no carrier", "no-carrier", 0, 1000, "eth0: no carrier"},
		{"not locked", "uncalibrated", 0, 1000, "eth0: UNCALIBRATED, not SLAVE"},
		{"no data yet", "no-data", 0, 1000, "eth0: port state unknown, never seen yet"},
		{"a full disk does not matter", "disk-full", 0, 1000, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char why[STATUS_TEXT_MAX] = "";
		struct status *s = NULL;
		bool within;

		for (size_t f = 0; f < n_status_fixtures; f++)
			if (strcmp(status_fixtures[f].name, rows[i].fixture) == 0)
				s = status_fixture_new(&status_fixtures[f]);
		assert_non_null(s);
		s->limits.ready_offset_ns = rows[i].limit_ns;
		if (s->ports[0].offset_ns.known)
			s->ports[0].offset_ns.value = rows[i].offset_ns;
		within = status_is_within(s, why);
		if (within != !rows[i].why || (!within && strcmp(why, rows[i].why) != 0))
			fail_msg("%s: %s", rows[i].name, within ? "within" : why);
		free(s);
	}
}

/* Two ports of one ptp4l, and what its role makes of their states. */
static const struct {
	const char *role;
	enum ptp_port_state first, second;
	enum status_verdict verdict;
	const char *why;
} roles[] = {
	{"boundary", PTP_SLAVE, PTP_MASTER, STATUS_GOOD, "swp0 is SLAVE"},
	{"boundary", PTP_MASTER, PTP_SLAVE, STATUS_GOOD, "swp1 is SLAVE"},
	{"boundary", PTP_SLAVE, PTP_PASSIVE, STATUS_GOOD, "swp0 is SLAVE"},
	{"boundary", PTP_MASTER, PTP_MASTER, STATUS_BAD, "no port of this boundary clock is SLAVE"},
	{"boundary", PTP_SLAVE, PTP_FAULTY, STATUS_BAD, "swp1: FAULTY, not SLAVE or MASTER"},
	{"auto", PTP_MASTER, PTP_MASTER, STATUS_GOOD, "swp0 is MASTER"},
	{"auto", PTP_MASTER, PTP_SLAVE, STATUS_GOOD, "swp1 is SLAVE"},
	{"monitor", PTP_MASTER, PTP_MASTER, STATUS_GOOD, "swp0 is MASTER"},
	{"monitor", PTP_LISTENING, PTP_MASTER, STATUS_BAD, "swp0: LISTENING, not SLAVE or MASTER"},
	{"grandmaster", PTP_MASTER, PTP_SLAVE, STATUS_BAD, "swp1: SLAVE, not MASTER"},
};

static void test_roles(void **state)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		struct status *s = status_fixture_new(&status_fixtures[0]);
		char why[STATUS_TEXT_MAX] = "";
		enum status_verdict verdict;

		s->n_ports = 2;
		s->ports[1] = s->ports[0];
		(void)strcpy(s->ports[0].name, "swp0");
		(void)strcpy(s->ports[1].name, "swp1");
		s->ports[0].state.value = roles[i].first;
		s->ports[1].state.value = roles[i].second;
		for (size_t j = 0; j < 2; j++)
			(void)strcpy(s->ports[j].role, roles[i].role);
		verdict = status_judge(s, why);
		if (verdict != roles[i].verdict || !strstr(why, roles[i].why))
			fail_msg("%s %s %s: %s, %s", roles[i].role,
				 ptp_port_state_name(roles[i].first),
				 ptp_port_state_name(roles[i].second), status_verdict_name(verdict),
				 why);
		free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_staleness),
		cmocka_unit_test(test_slow_polls),
		cmocka_unit_test(test_last_minute_goes),
		cmocka_unit_test(test_latency_goes),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_socket_problems),
		cmocka_unit_test(test_parent),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_schedules),
		cmocka_unit_test(test_within),
		cmocka_unit_test(test_announced),
		cmocka_unit_test(test_roles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
