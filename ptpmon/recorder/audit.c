/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is above ptp4l on its CPUs, and what the kernel throttles: looked at now and then. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/base/procstat.h"
#include "ptpmon/port_names.h"
#include "ptpmon/recorder/state.h"
#include "ptpmon/supervise/port_threads.h"

enum {
	PROCESSES_AT_ONCE = 200, /* a few milliseconds */
	COST_SHARE = 1000,       /* a scan may cost this part of the time up to the next */
	KMSG_LINES_AT_ONCE = 500,
};

#define AUDIT_INTERVAL_NS   (60 * NSEC_PER_SEC)
#define STARVED_INTERVAL_NS (600 * NSEC_PER_SEC)
#define AUDIT_SOON_NS       (2 * NSEC_PER_SEC) /* for threads to come to their schedule */

void recorder_audit_soon(struct recorder *rec)
{
	rec->audit_due_ns = nsec_now(CLOCK_MONOTONIC) + AUDIT_SOON_NS;
}

int recorder_open_audit(struct recorder *rec)
{
	int fd = rec->options->kmsg_fd;

	/* without one the parent could not open it: trying says why */
	kmsg_init(&rec->kmsg, fd >= 0 ? fd : kmsg_open());
	recorder_audit_soon(rec);
	return thread_scan_new(&rec->scan, "");
}

void recorder_close_audit(struct recorder *rec)
{
	rec->scan = thread_scan_free(rec->scan);
}

/* 0 if there is no such file. */
static int64_t read_number(const char *path)
{
	char text[32];

	(void)procstat_text("", text, sizeof(text), "%s", path);
	return strtoll(text, NULL, 10);
}

static void read_throttling(struct status_throttling *t)
{
	t->runtime_us = read_number("/proc/sys/kernel/sched_rt_runtime_us");
	t->period_us = read_number("/proc/sys/kernel/sched_rt_period_us");
}

/* -- the scan ---------------------------------------------------------------------------- */

/* The main threads of every ptp4l that runs. How many. */
static size_t find_subjects(const struct recorder *rec, int32_t tids[static CONFIG_PTP4L_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < rec->live.n_children; i++)
		for (size_t j = 0; j < rec->n_ptp4l && n < CONFIG_PTP4L_MAX; j++)
			if (strcmp(rec->live.children[i].name, rec->ptp4l[j].config->child) == 0 &&
			    rec->live.children[i].pid)
				tids[n++] = (int32_t)rec->live.children[i].pid;
	return n;
}

static size_t find_our_pids(const struct recorder *rec, int32_t pids[static STATUS_CHILDREN_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < rec->live.n_children; i++)
		if (rec->live.children[i].pid)
			pids[n++] = (int32_t)rec->live.children[i].pid;
	return n;
}

/* Those of the scan that serve one of the ports. */
static size_t find_port_tids(const struct recorder *rec, int32_t tids[static PORT_THREADS_MAX])
{
	struct port_name ports[PORT_THREADS_PORTS_MAX];
	struct port_map map;
	const struct audit_thread *threads;
	size_t n_ports = port_names_read(rec->config, ports);
	size_t n_threads;
	size_t n = 0;

	port_map_read(&map, "", ports, n_ports);
	threads = thread_scan_threads(rec->scan, &n_threads);
	for (size_t i = 0; i < n_threads && n < PORT_THREADS_MAX; i++)
		if (threads[i].kernel &&
		    port_map_kind(&map, threads[i].name) != PORT_THREAD_KIND_MAX)
			tids[n++] = threads[i].tid;
	return n;
}

/* What is above is not what was told last; or what starves, which may come and go for weeks. */
static bool is_news(const struct recorder *rec)
{
	if (!rec->audit.subjects)
		return false;
	return !audit_same(&rec->audit, &rec->told, AUDIT_ABOVE) ||
	       (!audit_same(&rec->audit, &rec->told, AUDIT_STARVED) &&
		(!rec->told.mono_ns ||
		 rec->audit.mono_ns - rec->told.mono_ns > STARVED_INTERVAL_NS));
}

static void tell(struct recorder *rec)
{
	bool trouble = audit_has_trouble(&rec->audit);
	char line[AUDIT_LINE_MAX];
	struct event e;

	if (!is_news(rec))
		return;
	rec->told = rec->audit;
	e = event_make(trouble ? EVENT_PRIORITY_AUDIT : EVENT_PRIORITY_AUDIT_CLEAN,
		       rec->audit.mono_ns, rec->audit.subject, "priority audit: %s",
		       audit_describe(&rec->audit, line));
	if (trouble)
		(void)snprintf(e.detail, sizeof(e.detail),
			       "{\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"priority\":%" PRId64
			       ",\"cpu\":%" PRId64 ",\"above\":%zu,\"starved\":%zu}",
			       rec->audit.findings[0].pid, rec->audit.findings[0].tid,
			       rec->audit.findings[0].priority, rec->audit.findings[0].last_cpu,
			       audit_count(&rec->audit, AUDIT_ABOVE),
			       audit_count(&rec->audit, AUDIT_STARVED));
	record_event(&rec->record, &e);
}

static void judge(struct recorder *rec, int64_t now_ns)
{
	int32_t pids[STATUS_CHILDREN_MAX];
	int32_t tids[PORT_THREADS_MAX];
	const struct audit_context context = {
		.subject = "ptp4l",
		.our_pids = pids,
		.n_our_pids = find_our_pids(rec, pids),
		.port_tids = tids,
		.n_port_tids = find_port_tids(rec, tids),
	};

	thread_scan_judge(rec->scan, &context, now_ns, &rec->audit);
	read_throttling(&rec->throttling);
	tell(rec);
}

/* -- throttling -------------------------------------------------------------------------- */

static void tick_throttling(struct recorder *rec)
{
	int64_t since_ns = rec->record.resumed_from_mono_ns == TIME_UNKNOWN
				   ? rec->options->started_mono_ns
				   : rec->record.resumed_from_mono_ns;
	struct event e;

	if (!kmsg_read(&rec->kmsg, KMSG_LINES_AT_ONCE) || rec->kmsg.throttled_mono_ns < since_ns)
		return; /* what was before this run is in status */
	e = event_make(EVENT_RT_THROTTLED, nsec_now(CLOCK_MONOTONIC), "kernel",
		       "kernel: real-time threads used more than their share of a CPU and were "
		       "stopped (RT throttling); it says so once since boot");
	record_event(&rec->record, &e);
}

void recorder_fill_audit(struct recorder *rec)
{
	struct status_throttling *t = &rec->status.rt_throttling;

	rec->status.audit = rec->audit;
	*t = rec->throttling;
	t->fired_known = rec->kmsg.fd >= 0;
	t->fired = rec->kmsg.throttled;
	t->fired_mono_ns = rec->kmsg.throttled_mono_ns;
	(void)strcpy(t->problem, rec->kmsg.why);
}

void recorder_tick_audit(struct recorder *rec)
{
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	int64_t wait_ns = rec->audit.cost_ns * COST_SHARE;
	int32_t tids[CONFIG_PTP4L_MAX];

	tick_throttling(rec);
	if (thread_scan_runs(rec->scan)) {
		if (thread_scan_step(rec->scan, PROCESSES_AT_ONCE) != 0)
			judge(rec, now_ns);
		return;
	}
	if (now_ns < rec->audit_due_ns)
		return;
	rec->audit_due_ns = now_ns + (wait_ns > AUDIT_INTERVAL_NS ? wait_ns : AUDIT_INTERVAL_NS);
	(void)thread_scan_begin(rec->scan, tids, find_subjects(rec, tids), now_ns);
}
