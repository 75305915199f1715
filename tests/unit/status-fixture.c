// SPDX-License-Identifier: GPL-2.0-or-later
#include "status-fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/sample.h"

#define AGO(ns) (FIXTURE_TAKEN_MONO_NS - (ns))

static struct reading reading(int64_t value, int64_t age_ns)
{
	return (struct reading){true, value, AGO(age_ns)};
}

static struct status_port slave_port(const char *name)
{
	struct status_port p = {
		.role = "slave",
		.state = reading(PTP_SLAVE, 400 * NSEC_PER_MSEC),
		.state_since_mono_ns = AGO(8010 * NSEC_PER_SEC),
		.carrier_known = true,
		.carrier = true,
		.clock_identity = "020000.fffe.000002",
		.grandmaster = "020000.fffe.000001",
		.clock_class = reading(248, 400 * NSEC_PER_MSEC),
		.clock_accuracy = reading(0x21, 400 * NSEC_PER_MSEC),
		.time_source = reading(PTP_INTERNAL_OSCILLATOR, 400 * NSEC_PER_MSEC),
		.steps_removed = reading(1, 400 * NSEC_PER_MSEC),
		.offset_ns = reading(-112, 20 * NSEC_PER_MSEC),
		.mean_path_delay_ns = reading(1204, 20 * NSEC_PER_MSEC),
		.sync_interval_ns = reading(31250000, 20 * NSEC_PER_MSEC),
		.last_minute = {1919, 8, 35, 223},
		.updates = 256320,
	};

	snprintf(p.name, sizeof(p.name), "%s", name);
	snprintf(p.socket, sizeof(p.socket), "/run/ptpmon/%s/ptp4l", name);
	return p;
}

static struct status_child child(const char *name, const char *policy, int64_t priority)
{
	struct status_child c = {
		.state = CHILD_UP,
		.pid = 4242,
		.started_mono_ns = AGO(8039 * NSEC_PER_SEC),
		.starts = 1,
		.priority = priority,
		.cpus = "0-1",
		.schedule_ok = true,
	};

	snprintf(c.name, sizeof(c.name), "%s", name);
	snprintf(c.policy, sizeof(c.policy), "%s", policy);
	return c;
}

static struct status_cpu cpu(unsigned number)
{
	return (struct status_cpu){
		.cpu = number,
		.mono_ns = AGO(300 * NSEC_PER_MSEC),
		.count = 8039000 + number,
		.min_ns = 1850 + 10 * number,
		.avg_ns = 4480 + 100 * number,
		.max_ns = 55300 + 1000 * (number * 7 % 5),
		.last_max_ns = 31200 + 100 * number,
	};
}

static void set_cpus(struct status *s, unsigned n)
{
	s->n_cpus = n;
	for (unsigned i = 0; i < n; i++)
		s->cpus[i] = cpu(i);
}

static void make_good_slave(struct status *s)
{
	*s = (struct status){
		.taken_mono_ns = FIXTURE_TAKEN_MONO_NS,
		.taken_utc_ns = INT64_C(1772402400123456789),
		.started_mono_ns = FIXTURE_STARTED_MONO_NS,
		.parent_mono_ns = AGO(2 * NSEC_PER_SEC),
		.version = "0.1.0",
		.host = "board-a",
		.label = "night 3",
		.role = "slave",
		.stale_after_ns = NSEC_PER_SEC,
		.phase = "load",
		.phase_since_mono_ns = AGO(723 * NSEC_PER_SEC),
		.idle_states = "allow",
		.record = {.path = "/var/lib/ptpmon/ptpmon.db",
			   .run = 12,
			   .ok = true,
			   .flushed_mono_ns = AGO(2100 * NSEC_PER_MSEC),
			   .samples = 272398,
			   .queued = 67},
		.limits = {.offset_ns = 10 * NSEC_PER_MSEC,
			   .port_state_ns = 30 * NSEC_PER_SEC,
			   .ready_offset_ns = 10 * NSEC_PER_MSEC,
			   .ready_hold_ns = 2 * NSEC_PER_SEC},
		.readiness = {.ready = true, .since_mono_ns = AGO(8008 * NSEC_PER_SEC)},
		.cost = {.cpu_ns = 32 * NSEC_PER_SEC, .rss_bytes = 12689408, .requests = 270012},
		.n_ports = 1,
		.ports = {slave_port("eth0")},
		.n_children = 3,
		.children = {child("recorder", "SCHED_OTHER", 0),
			     child("ptp4l eth0", "SCHED_FIFO", 70),
			     child("latency", "SCHED_FIFO", 98)},
	};
	set_cpus(s, 2);
}

/* -- what differs ------------------------------------------------------------------------ */

static void change_nothing(struct status *s)
{
}

static void make_grandmaster(struct status *s)
{
	struct status_port *p = &s->ports[0];

	strcpy(s->role, "grandmaster");
	strcpy(p->role, "grandmaster");
	s->label[0] = s->phase[0] = '\0';
	s->phase_since_mono_ns = 0;
	p->state.value = PTP_MASTER;
	strcpy(p->grandmaster, p->clock_identity);
	p->clock_accuracy.value = 0xfe;
	p->steps_removed.value = 0;
	p->scale = (struct status_scale){
		.utc_offset_s = reading(37, 2 * NSEC_PER_SEC),
		.utc_offset_valid = reading(true, 2 * NSEC_PER_SEC),
		.ptp_timescale = reading(true, 2 * NSEC_PER_SEC),
		.time_traceable = reading(true, 2 * NSEC_PER_SEC),
		.frequency_traceable = reading(false, 2 * NSEC_PER_SEC),
		.utc_offset_source = "leap-seconds.list",
		.realtime = "known to be good",
		.phc_error_ns = reading(-1840, 400 * NSEC_PER_MSEC),
	};
	p->offset_ns = p->mean_path_delay_ns = p->sync_interval_ns = (struct reading){0};
	p->last_minute = (struct status_window){0, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN};
	p->updates = 0;
}

/* A moment after the start: everything is still to come. */
static void make_no_data(struct status *s)
{
	struct status_port p = {.role = "slave",
				.last_minute = {0, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}};

	strcpy(p.name, "eth0");
	strcpy(p.socket, "/run/ptpmon/eth0/ptp4l");
	s->ports[0] = p;
	s->started_mono_ns = AGO(1200 * NSEC_PER_MSEC);
	s->phase[0] = '\0';
	s->phase_since_mono_ns = 0;
	s->record.flushed_mono_ns = 0;
	s->record.samples = s->record.queued = 0;
	s->cost = (struct status_cost){0};
	s->n_cpus = 1;
	s->cpus[0] = (struct status_cpu){
		0, 0, 0, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, 0, 0};
	for (size_t i = 0; i < s->n_children; i++) {
		s->children[i].started_mono_ns = s->started_mono_ns;
		s->children[i].policy[0] = s->children[i].cpus[0] = '\0';
		s->children[i].priority = 0;
	}
	strcpy(s->idle_states, "");
	s->readiness =
		(struct status_readiness){.reason = "eth0: port state unknown, never seen yet"};
}

/* The master went silent 12 s ago, the sampler 9 s ago. */
static void make_stale(struct status *s)
{
	struct status_port *p = &s->ports[0];

	p->offset_ns.mono_ns = p->mean_path_delay_ns.mono_ns = p->sync_interval_ns.mono_ns =
		AGO(12 * NSEC_PER_SEC);
	for (size_t i = 0; i < s->n_cpus; i++)
		s->cpus[i].mono_ns = AGO(9 * NSEC_PER_SEC);
}

/* ptp4l itself answers no more. */
static void make_all_stale(struct status *s)
{
	struct status_port *p = &s->ports[0];

	make_stale(s);
	p->offset_ns.mono_ns = p->state.mono_ns = p->clock_class.mono_ns =
		p->clock_accuracy.mono_ns = p->time_source.mono_ns = p->steps_removed.mono_ns =
			AGO(75 * NSEC_PER_SEC);
}

static void make_failed_child(struct status *s)
{
	struct status_child *c = &s->children[1];

	make_all_stale(s);
	c->state = CHILD_FAILED;
	c->pid = 0;
	c->starts = 10;
	c->policy[0] = c->cpus[0] = '\0';
	c->priority = 0;
	strcpy(c->problem, "/usr/sbin/ptp4l: no such file or directory; given up after 10 starts");
	s->n_complaints = 3;
	for (size_t k = 0; k < s->n_complaints; k++) {
		struct status_complaint *said = &s->complaints[k];

		(void)strcpy(said->name, "ptp4l");
		(void)strcpy(said->code, k == 0 ? "tx-timestamp-timeout" : "port-fault");
		(void)strcpy(said->hint, "raise [ptp4l] tx_timestamp_timeout");
		said->count = k == 0 ? 7 : 1;
		said->mono_ns = s->taken_mono_ns - 16 * NSEC_PER_SEC;
	}
}

/* A program at SCHED_FIFO 99 on ptp4l's CPU, and the kernel had to stop it. */
static void make_outranked(struct status *s)
{
	s->rt_throttling = (struct status_throttling){
		.runtime_us = 950000,
		.period_us = 1000000,
		.fired_known = true,
		.fired = true,
		.fired_mono_ns = AGO(100 * NSEC_PER_SEC),
	};
	s->audit = (struct audit){
		.mono_ns = AGO(21 * NSEC_PER_SEC),
		.cost_ns = 4 * NSEC_PER_MSEC,
		.threads = 12,
		.subject = "ptp4l",
		.subjects = 1,
		.policy = "SCHED_FIFO",
		.priority = 70,
		.cpus = "0-1",
		.n_findings = 2,
		.findings = {{.kind = AUDIT_ABOVE,
			      .name = "grab",
			      .pid = 4700,
			      .tid = 4711,
			      .policy = "SCHED_FIFO",
			      .priority = 99,
			      .cpus = "0-1",
			      .last_cpu = 1,
			      .text = "a thread of camera"},
			     {.kind = AUDIT_OURS,
			      .name = "sampler/0",
			      .pid = 4242,
			      .tid = 4243,
			      .policy = "SCHED_FIFO",
			      .priority = 98,
			      .cpus = "0",
			      .text = "ptpmon's own"}},
	};
}

static void make_refused_schedule(struct status *s)
{
	struct status_child *c = &s->children[1];

	strcpy(c->policy, "SCHED_OTHER");
	c->priority = 0;
	c->schedule_ok = false;
	strcpy(c->problem, "SCHED_FIFO 70 refused: no CAP_SYS_NICE and RLIMIT_RTPRIO is 0");
	strcpy(s->realtime_problem, "SCHED_FIFO 98 refused: no CAP_SYS_NICE");
}

static void make_eight_cpus(struct status *s)
{
	set_cpus(s, 8);
	s->cpus[6].max_ns = 118000;
	s->cpus[6].overflow = 0;
	s->cpus[6].missed = 3;
}

static void make_seconds_off(struct status *s)
{
	struct status_port *p = &s->ports[0];

	p->offset_ns.value = INT64_C(-37000000112);
	p->mean_path_delay_ns.value = 250000;
	p->last_minute = (struct status_window){64, INT64_C(37000000098), SAMPLE_UNKNOWN,
						INT64_C(37000000223)};
	p->missed = 3;
}

static void make_no_carrier(struct status *s)
{
	s->ports[0].carrier = false;
	s->ports[0].state.value = PTP_LISTENING;
	make_stale(s);
}

static void make_absent(struct status *s)
{
	struct status_child *c = &s->children[1];

	make_no_data(s);
	s->ports[0].absent = true;
	s->ports[0].carrier_known = true;
	c->state = CHILD_WAITING;
	c->pid = 0;
	strcpy(c->problem, "eth0: no such interface: ptp4l waits for it");
}

/* The parent was stopped: what it said last still looks good. */
static void make_parent_silent(struct status *s)
{
	s->parent_mono_ns = AGO(40 * NSEC_PER_SEC);
}

/* Words enough for several lines. */
static void make_wordy(struct status *s)
{
	struct status_child *c = &s->children[1];

	make_failed_child(s);
	strcpy(c->problem,
	       "exited, status=255 after 0.0 s; next start in 2.0 s: interface 'eth0' does not "
	       "support the requested time stamping mode; its driver was asked for hardware time "
	       "stamps of every received message and gave none at all");
}

static void make_disk_full(struct status *s)
{
	s->record.ok = false;
	strcpy(s->record.problem, "database or disk is full");
	s->record.flushed_mono_ns = AGO(185 * NSEC_PER_SEC);
	s->record.queued = 65536;
	s->record.dropped = 4711;
}

static void make_uncalibrated(struct status *s)
{
	s->ports[0].state.value = PTP_UNCALIBRATED;
	s->ports[0].state_since_mono_ns = AGO(3 * NSEC_PER_SEC);
}

/* More of everything than a screen has room for. */
static void make_crowded(struct status *s)
{
	s->n_ports = 8;
	for (size_t i = 0; i < s->n_ports; i++) {
		char name[32];

		snprintf(name, sizeof(name), "swp%zu", i);
		s->ports[i] = slave_port(name);
	}
	set_cpus(s, 64);
	s->cpus[63].max_ns = 7654321;
	s->n_children = 12;
	for (size_t i = 3; i < s->n_children; i++) {
		char name[32];

		snprintf(name, sizeof(name), "ptp4l swp%zu", i - 2);
		s->children[i] = child(name, "SCHED_FIFO", 70);
	}
	s->children[9].state = CHILD_WAITING;
	s->children[9].pid = 0;
	strcpy(s->children[9].problem, "killed by signal 11");
}

/* Names from outside that would play tricks on a terminal. */
static void make_hostile(struct status *s)
{
	strcpy(s->label, "\033[2J\r\nGOOD \xc2\x9b"
			 "5m T\xc3\xbcr");
	strcpy(s->phase, "a\nb");
	strcpy(s->record.problem, "\a");
	strcpy(s->ports[0].name, "e\ttherneteth15");
}

/* One that lasts, one that is over and unread, one that is no reason for a verdict. */
static void make_alarms(struct status *s)
{
	static const struct alarm alarms[] = {
		{ALARM_DISK, "database", true, 1, AGO(3600 * NSEC_PER_SEC), AGO(NSEC_PER_SEC),
		 12 << 20, 11 << 20, 64 << 20},
		{ALARM_OFFSET, "eth0", true, 3, AGO(12 * NSEC_PER_SEC), AGO(20 * NSEC_PER_MSEC),
		 -1500, 2750, 1000},
		{ALARM_LATENCY, "cpu 1", false, 1, AGO(290 * NSEC_PER_SEC), AGO(300 * NSEC_PER_SEC),
		 31300, 118000, 100000},
	};

	s->limits.offset_ns = 1000;
	s->limits.latency_ns = 100000;
	s->ports[0].offset_ns.value = -1500;
	s->readiness = (struct status_readiness){.reason = "eth0: offset -1500 ns, limit 1000 ns"};
	s->n_alarms = sizeof(alarms) / sizeof(alarms[0]);
	memcpy(s->alarms, alarms, sizeof(alarms));
}

/* What is over does not make it bad. */
static void make_unread(struct status *s)
{
	make_alarms(s);
	s->ports[0].offset_ns.value = -112;
	s->alarms[1].raised = false;
}

static void make_phc(struct status *s)
{
	s->n_phcs = 1;
	s->phcs[0] = (struct status_phc){
		.name = "ptp0",
		.method = "PTP_SYS_OFFSET_EXTENDED",
		.sys_minus_phc_ns = reading(-31, 340 * NSEC_PER_MSEC),
		.delay_ns = reading(2562, 340 * NSEC_PER_MSEC),
		.interval_ns = NSEC_PER_SEC,
		.utc_offset_s = 37,
		.utc_offset_source = "the grandmaster",
	};
	s->phc2sys = (struct status_phc2sys){
		.wanted = true,
		.open = true,
		.phc = "ptp0",
		.utc_offset_s = 37,
		.offset_ns = reading(-12, 720 * NSEC_PER_MSEC),
		.delay_ns = reading(2530, 720 * NSEC_PER_MSEC),
		.interval_ns = reading(NSEC_PER_SEC, 720 * NSEC_PER_MSEC),
	};
	s->children[s->n_children++] = child("phc2sys", "SCHED_FIFO", 60);
}

/* The port is good, but its PHC shows 1970. */
static void make_held_back(struct status *s)
{
	struct status_child *c;

	make_phc(s);
	s->phc2sys = (struct status_phc2sys){
		.wanted = true,
		.reason = "the PHC shows a time before ptpmon was built",
		.offset_ns = {.known = true, .value = -12, .mono_ns = AGO(90 * NSEC_PER_SEC)},
	};
	c = &s->children[s->n_children - 1];
	*c = (struct status_child){.name = "phc2sys", .state = CHILD_STOPPED, .starts = 1};
}

static void make_stuck_phc(struct status *s)
{
	make_phc(s);
	(void)strcpy(s->phcs[0].problem, "stands still");
}

/* A second port has a PHC of its own, which a phc2sys keeps with the first. */
static void make_joined(struct status *s)
{
	struct status_port *p = &s->ports[s->n_ports++];

	make_phc(s);
	*p = slave_port("eth1");
	(void)strcpy(p->socket, s->ports[0].socket);
	p->state.value = PTP_MASTER;
	p->offset_ns = p->mean_path_delay_ns = (struct reading){0};
	(void)strcpy(s->role, "boundary");
	(void)strcpy(s->ports[0].role, "boundary");
	(void)strcpy(p->role, "boundary");
	s->phcs[s->n_phcs] = s->phcs[0];
	(void)strcpy(s->phcs[s->n_phcs++].name, "ptp1");
	s->n_joiners = 2;
	s->joiners[0] = (struct status_phc2sys){
		.name = "phc2sys for eth0",
		.wanted = true,
		.needless = true,
		.reason = "its PHC is steered by ptp4l itself",
	};
	s->joiners[1] = (struct status_phc2sys){
		.name = "phc2sys for eth1",
		.wanted = true,
		.open = true,
		.sink = "ptp1",
		.phc = "ptp0",
		.offset_ns = reading(23, 720 * NSEC_PER_MSEC),
		.delay_ns = reading(2530, 720 * NSEC_PER_MSEC),
		.interval_ns = reading(NSEC_PER_SEC, 720 * NSEC_PER_MSEC),
	};
	s->children[s->n_children] = child("phc2sys for eth0", "", 0);
	s->children[s->n_children++].state = CHILD_STOPPED;
	s->children[s->n_children++] = child("phc2sys for eth1", "SCHED_FIFO", 60);
}

static void make_not_joined(struct status *s)
{
	make_joined(s);
	s->joiners[1] = (struct status_phc2sys){
		.name = "phc2sys for eth1",
		.wanted = true,
		.reason = "no fresh offset from the master",
	};
	s->children[s->n_children - 1] = child("phc2sys for eth1", "", 0);
	s->children[s->n_children - 1].state = CHILD_STOPPED;
}

static void make_nothing(struct status *s)
{
	s->n_ports = s->n_children = s->n_cpus = 0;
	s->record.path[0] = '\0';
}

const struct status_fixture status_fixtures[] = {
	{"good-slave", change_nothing, STATUS_GOOD},
	{"grandmaster", make_grandmaster, STATUS_GOOD},
	{"no-data", make_no_data, STATUS_UNKNOWN},
	{"stale", make_stale, STATUS_UNKNOWN},
	{"all-stale", make_all_stale, STATUS_UNKNOWN},
	{"failed-child", make_failed_child, STATUS_BAD},
	{"outranked", make_outranked, STATUS_GOOD},
	{"refused-schedule", make_refused_schedule, STATUS_BAD},
	{"eight-cpus", make_eight_cpus, STATUS_GOOD},
	{"seconds-off", make_seconds_off, STATUS_BAD},
	{"no-carrier", make_no_carrier, STATUS_BAD},
	{"absent", make_absent, STATUS_BAD},
	{"parent-silent", make_parent_silent, STATUS_UNKNOWN},
	{"wordy", make_wordy, STATUS_BAD},
	{"disk-full", make_disk_full, STATUS_BAD},
	{"uncalibrated", make_uncalibrated, STATUS_BAD},
	{"crowded", make_crowded, STATUS_BAD},
	{"hostile", make_hostile, STATUS_GOOD},
	{"alarms", make_alarms, STATUS_BAD},
	{"unread", make_unread, STATUS_GOOD},
	{"phc", make_phc, STATUS_GOOD},
	{"held-back", make_held_back, STATUS_BAD},
	{"stuck-phc", make_stuck_phc, STATUS_BAD},
	{"joined", make_joined, STATUS_GOOD},
	{"not-joined", make_not_joined, STATUS_BAD},
	{"nothing", make_nothing, STATUS_UNKNOWN},
};

const size_t n_status_fixtures = sizeof(status_fixtures) / sizeof(status_fixtures[0]);

struct status *status_fixture_new(const struct status_fixture *f)
{
	struct status *s = malloc(sizeof(*s));

	if (!s)
		abort();
	make_good_slave(s);
	f->change(s);
	status_expire(s, s->taken_mono_ns);
	return s;
}
