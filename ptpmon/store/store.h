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
 *
 * A flush that fails is tried again after the next interval, with what has come in since. The
 * first one that works again records when it failed (store-failed), that it works
 * (store-recovered), and how many the queue could not take (samples-dropped).
 *
 * A database that is damaged, also one that is found to be while it is written, is set aside under
 * a dated name and the run begins again in a new one, which tells of it (store-set-aside). So it
 * does when the file was moved away or removed.
 *
 * One thread calls all of it. Nothing here logs: store_health() says how it stands.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/event.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/model/timemap.h"
#include "ptpmon/model/verdict.h"
#include "ptpmon/stats/window.h"

struct store;

enum {
	STORE_QUEUE_MAX = 65536, /* samples and windows; the rest may go STORE_RESERVE above */
	STORE_RESERVE = 1024,    /* events, anchors, marks, phases: few, and not to be missed */
	STORE_QUEUE_BYTES_MAX = 33554432, /* where windows are large, this is reached before */
	STORE_SERIES_MAX = 1024,
	STORE_ERROR_MAX = 256,
};

/* What is known of a run when it begins. Strings are copied; NULL is stored as NULL. */
struct store_run {
	const char *token;   /* names this run of the service; never NULL */
	const char *boot_id; /* never NULL */
	const char *host, *kernel, *machine;
	const char *version; /* ptpmon's */
	const char *ptp4l_version;
	const char *configuration; /* as config_to_text() gives it */
	const char *label;
	const char *board;     /* a JSON object: what kind of board it is */
	int64_t start_mono_ns; /* 0: now */
};

/*
 * Opens DIRECTORY/ptpmon.db (made 0750 and 0640 where missing; not the directories above), takes
 * the directory's lock, checks and migrates the database, and begins the run. If the newest run
 * has this token and boot and has not ended, goes on with that one, as a recorder started again
 * does: *resumed_from_mono_ns is then the newest moment recorded in it, else TIME_UNKNOWN. Blocks
 * on the disk.
 * 0, or -errno with one line in why that says what and what to do: -EACCES, -EROFS, -ENOSPC,
 * -ENOENT, -EBUSY (another ptpmon records there), -ENOTUNIQ (written by a newer version: left
 * alone), -EUCLEAN (somebody else's database: left alone), or what else failed.
 */
int store_open(struct store **out, const char *directory, const struct store_run *run,
	       int64_t *resumed_from_mono_ns, char why[static STORE_ERROR_MAX]);

/* How long what is kept is kept, as store/retention.h says; 0 is for ever, and without a cap. */
struct store_retention {
	int64_t raw_ns;    /* samples and windows; older ones become hours */
	int64_t rollup_ns; /* hours, events */
	int64_t cap_bytes; /* of the file and its log, at least USAGE_CAP_MIN */
};

/* To be called before store_start(); without it everything is kept. */
void store_set_retention(struct store *s, const struct store_retention *policy);

/*
 * For what was recorded elsewhere: a new run in any file, which is made if it is missing. Nothing
 * is set aside: -EUCLEAN for a file that is no sound database of ptpmon's. Such a store is not
 * started: store_write() writes what was put so far, in the caller's thread, and store_end()
 * writes the rest, ends the run at a moment of its own time and closes.
 * Each 0, or -errno with one line in why.
 */
int store_open_file(struct store **out, const char *path, const struct store_run *run,
		    char why[static STORE_ERROR_MAX]);
int store_write(struct store *s, char why[static STORE_ERROR_MAX]);
int store_end(struct store *s, const char *how, int64_t end_mono_ns,
	      char why[static STORE_ERROR_MAX]);

/*
 * Ends the run (how: "stopped", "parent-died" …; a phase that is running ends with it; NULL: it
 * goes on with the next who opens it), flushes,
 * waits for that at most timeout_ns, closes. A disk that hangs longer keeps the writer thread and
 * what it holds, and the run stays "not ended" until it answers. NULL is fine.
 */
struct store *store_close(struct store *s, const char *how, int64_t timeout_ns);

/*
 * Starts the writer thread, with all signals blocked. notify_fd (an eventfd, or -1; the caller's)
 * is written after each flush, also after one that failed. 0, or -errno.
 */
int store_start(struct store *s, int64_t flush_interval_ns, int notify_fd);

const char *store_path(const struct store *s);
int64_t store_run_id(struct store *s);

/*
 * Declares a series; its index is the number of series declared before it. One that a resumed run
 * had already is the same series. 0, or -ENOSPC after STORE_SERIES_MAX.
 */
int store_put_series(struct store *s, const struct series *series);

/*
 * True if taken, false if dropped (and counted). Of each series, put the samples in the order of
 * mono_ns: so they are read. A window's bins may be as long as they like up to WINDOW_BINS_MAX.
 */
bool store_put_sample(struct store *s, const struct sample *sample);
bool store_put_window(struct store *s, unsigned series, const struct latency_window *w);
bool store_put_event(struct store *s, const struct event *e);
bool store_put_anchor(struct store *s, const struct clock_anchor *a);
bool store_put_mark(struct store *s, int64_t mono_ns, const char *text, const char *who);

/* Each text of at most VERDICT_TEXT_MAX octets; who of at most 63. */
bool store_put_verdict(struct store *s, int64_t mono_ns, const struct verdict *v, const char *who);

/*
 * Begins a phase (name shorter than 128); one that is running ends at the same moment.
 * store_end_phase() ends the running one, if any.
 */
bool store_begin_phase(struct store *s, int64_t mono_ns, const char *name);
bool store_end_phase(struct store *s, int64_t mono_ns);

/* The phase that a resumed run was in ("" if none), and since when; valid after store_open(). */
const char *store_resumed_phase(const struct store *s, int64_t *since_mono_ns);

/* Flush now: an event that matters. Does not wait; ignored while flushes fail. */
void store_kick(struct store *s);

struct store_health {
	bool ok;                       /* the last flush reached the disk, or none was needed yet */
	char problem[STORE_ERROR_MAX]; /* one line, "" while ok */
	int64_t flushed_mono_ns;       /* when the last commit returned; 0: none yet */
	uint64_t samples;              /* samples and windows committed */
	uint64_t queued;               /* records of any kind not yet committed */
	uint64_t dropped;              /* records of any kind since store_open() */
	int64_t data_bytes;            /* what the run added to the file */
	int64_t written_bytes;         /* what it wrote to the disk, log and all; -1: not known */
	int64_t file_bytes, log_bytes; /* how large they are now */
	int64_t free_bytes;            /* beside them on the disk, for us; -1: not known */
	unsigned set_asides;           /* new files begun since store_open(), its own included */
	char set_aside[STORE_ERROR_MAX]; /* the last of them in one line */
};
struct store_health store_health(struct store *s);
