/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/recorder/record.h: what the recorder writes: series, events and clocks of one run, over
 * the store.
 *
 * Decides what deserves a line in the log and a flush at once; where a recorder that was killed
 * left off, declares the gap. Waits for no disk after record_open().
 */
#pragma once
#include <stdbool.h>

#include "ptpmon/base/cpulist.h"
#include "ptpmon/conf/conf.h"
#include "ptpmon/model/step_watch.h"
#include "ptpmon/store/store.h"

enum { RECORD_NO_SERIES = -1, RECORD_PHASE_MAX = 64 };

struct record {
	void (*on_event)(void *userdata,
			 const struct event *e); /* each that is recorded; or NULL */
	void *userdata;
	struct store *store;
	unsigned n_series;
	struct record_port {
		const char *name;
		bool expected; /* its ptp4l is a slave: without offsets there is a gap */
		int series;    /* of its offsets */
		bool gap_open; /* a resumed run has no offset of it yet */
	} ports[CONFIG_PORTS_MAX];
	size_t n_ports;
	int cpu_series[CPULIST_MAX];
	struct clock_anchor anchor;   /* the newest */
	struct step_watch steps;      /* of CLOCK_REALTIME */
	int64_t resumed_from_mono_ns; /* TIME_UNKNOWN: this run is new */
	bool store_ok;                /* as last told */
	int64_t store_failing_since_mono_ns;
	/* events of children, by their moment: written, put before the flush that runs, put */
	int64_t durable_mono_ns, flushing_mono_ns, put_mono_ns;
	unsigned set_asides; /* as last told */
	char phase[RECORD_PHASE_MAX];
	int64_t phase_since_mono_ns;
};

/* Opens the store and the run. The configuration must outlive it. 0, or -errno and why, as
 * store_open(). */
int record_open(struct record *r, const struct config *config, const char *token,
		const char *ptp4l_version, char why[static STORE_ERROR_MAX]);

/* Starts writing, and writes how the run begins. 0, or -errno. */
int record_start(struct record *r, int64_t flush_interval_ns, int notify_fd);

/* Ends the run (how: NULL if it never began) and waits for the disk a bounded time. */
void record_close(struct record *r, const char *how);

/* Leaves the run to the next recorder: as one that was killed, but nothing is lost. */
void record_leave(struct record *r);

/* The log, the store, and the disk at once if it matters. */
void record_event(struct record *r, const struct event *e);

/*
 * The same for one of a child, which the parent has logged. It tells it again until it is durable
 * (durable_mono_ns), so that one which a killed recorder had written comes twice: it is passed
 * over.
 */
void record_child_event(struct record *r, const struct event *e);

/* port: of all instances' ports, in the order of the configuration. */
void record_sample(struct record *r, size_t port, const struct sample *sample);
/* Of a series of its own; *series is RECORD_NO_SERIES before its first sample. */
void record_other(struct record *r, int *series, enum series_kind kind, const char *source,
		  const char *subject, const struct sample *sample);
void record_window(struct record *r, const struct latency_window *w);

/* Looks for a step of CLOCK_REALTIME; once a minute an anchor anyway. The step; 0: none. */
int64_t record_clocks(struct record *r, bool was_set);

/* 0, or -ENOBUFS: the queue is full; -ENOENT: there is no phase to end. */
int record_mark(struct record *r, const char *text, const char *who);
int record_begin_phase(struct record *r, const char *name, const char *who);
int record_verdict(struct record *r, const struct verdict *v, const char *who);
int record_end_phase(struct record *r, const char *who);

/* A flush has ended: logs that the disk fails, and that it works again. */
void record_flushed(struct record *r);
