/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/store.h: the record of a run, written by a thread of its own.
 *
 * store_open() opens or creates the database and begins (or goes on with) the run before anything
 * else happens; after store_start() only the writer thread touches the disk. The store_put_*()
 * functions copy what they are given into a bounded queue and return at once, whatever the disk
 * does; when the queue is full the newest are dropped and counted. One transaction a flush, rows
 * in mono_ns order, synchronous=FULL: what was collected before the last commit that returned is
 * durable.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/event.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/model/timemap.h"
#include "ptpmon/stats/window.h"

struct store;

enum { STORE_QUEUE_MAX = 65536, STORE_ERROR_MAX = 256 };

/* What is known of a run when it begins. Strings are copied; NULL is stored as NULL. */
struct store_run {
	const char
		*token; /* names this run of the service: a recorder started again goes on in it */
	const char *boot_id;
	const char *host, *kernel, *machine;
	const char *version;       /* ptpmon's */
	const char *ptp4l_version; /* may be NULL */
	const char *configuration; /* as --dump-config prints it */
	const char *label;         /* may be NULL */
};

/*
 * Opens DIRECTORY/ptpmon.db (made 0750 and 0640 where missing), takes the directory's lock, checks
 * and migrates it, and begins the run; if a run with this token is there and has not ended it
 * goes on with that one: *resumed_from_mono_ns is then the newest moment recorded in it, else
 * TIME_UNKNOWN.
 * 0, or -errno with one line in why that says what and what to do: -EACCES, -EROFS, -ENOSPC,
 * -EBUSY (another ptpmon records there), -ENOTUNIQ (written by a newer version: left alone),
 * -EUCLEAN (no database, or damaged: left alone).
 */
int store_open(struct store **out, const char *directory, const struct store_run *run,
	       int64_t *resumed_from_mono_ns, char why[static STORE_ERROR_MAX]);

/* Ends the run (how: "stopped", "parent-died" …), flushes, waits for it at most timeout_ns, closes.
 * NULL is fine. */
struct store *store_close(struct store *s, const char *how, int64_t timeout_ns);

/* Starts the writer thread (all signals blocked in it). on each finished flush notify_fd (an
 * eventfd, or -1) is written. */
int store_start(struct store *s, int64_t flush_interval_ns, int notify_fd);

const char *store_path(const struct store *s);
int64_t store_run_id(const struct store *s);

/* Declares a series; its index is the number of series declared before it. 0, or -ENOSPC. */
int store_put_series(struct store *s, const struct series *series);

/* True if taken, false if dropped (and counted). */
bool store_put_sample(struct store *s, const struct sample *sample);
bool store_put_window(struct store *s, unsigned series, const struct latency_window *w);
bool store_put_event(struct store *s, const struct event *e);
bool store_put_anchor(struct store *s, const struct clock_anchor *a);
bool store_put_mark(struct store *s, int64_t mono_ns, const char *text, const char *who);

/* Begins a phase; one that is running ends at the same moment. store_end_phase() ends the running
 * one. */
bool store_begin_phase(struct store *s, int64_t mono_ns, const char *name);
bool store_end_phase(struct store *s, int64_t mono_ns);

/* The phase that a resumed run was in ("" if none), and since when; valid after store_open(). */
const char *store_resumed_phase(const struct store *s, int64_t *since_mono_ns);

/* Flush now: an event that matters. Does not wait. */
void store_kick(struct store *s);

struct store_health {
	bool ok; /* the last flush reached the disk */
	char problem[STORE_ERROR_MAX];
	int64_t flushed_mono_ns; /* when the last commit returned; 0: none yet */
	uint64_t samples;        /* samples and windows committed */
	uint64_t queued, dropped;
};
struct store_health store_health(const struct store *s);
