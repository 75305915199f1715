/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/store_impl.h: the inside of a store, for store.c (the caller's side) and flush.c
 * (the writer's side) alone.
 *
 * Two threads meet at one mutex, which neither ever holds for longer than it takes to copy a
 * record or to hand over a chain of blocks. The batch, the writer and the connection belong to
 * the writer thread from store_start() on.
 */
#pragma once
#include <limits.h>
#include <pthread.h>

#include "ptpmon/store/database.h"
#include "ptpmon/store/guard.h"
#include "ptpmon/store/queue.h"
#include "ptpmon/store/retention.h"
#include "ptpmon/store/run.h"
#include "ptpmon/store/store.h"
#include "ptpmon/store/writer.h"

enum { STORE_TEXTS = 10 }; /* of struct store_run */

struct store {
	char path[PATH_MAX];
	int lock_fd;
	struct store_run as; /* its strings are in texts */
	char *texts[STORE_TEXTS];
	bool sets_aside;    /* a damaged file */
	struct run resumed; /* the run as store_open() entered it */
	struct store_retention policy;
	int64_t flush_interval_ns;
	int notify_fd;
	bool started;
	pthread_t thread;

	pthread_mutex_t mutex; /* guards what follows, up to the writer's */
	pthread_cond_t wake;   /* something to do for the writer */
	pthread_cond_t ended;  /* the writer thread has done its last */
	struct run run;        /* as it was entered in the file that is written now */
	struct queue queue;
	size_t in_hand, in_hand_bytes; /* the writer's batch */
	struct series series[STORE_SERIES_MAX];
	size_t n_series;
	int64_t dropping_since_mono_ns; /* since the last drop that was recorded; 0: none */
	bool kicked, stopping, has_ended, abandoned;
	struct store_health health;

	/* the writer's */
	sqlite3 *db;                 /* NULL: could not be opened again yet */
	struct guard guard;          /* of what is open */
	struct writer *writer;       /* NULL as well then */
	struct retention *retention; /* NULL until it is first needed for this file */
	struct queue batch;
	uint64_t recorded_drops;
	int64_t data_bytes;                      /* of the run in this file */
	int64_t written_bytes, written_at_start; /* the same; what the thread had written before */
	int64_t cost_due_mono_ns, trim_told_mono_ns;
	bool tell_trim;
	int64_t failing_since_mono_ns; /* 0: not failing */
	char first_problem[STORE_ERROR_MAX];
	unsigned damages;                /* flushes in a row that found the file damaged */
	bool anew;                       /* the run has begun again in a new file */
	char phase[RUN_PHASE_MAX];       /* that the run is in, as far as it is written */
	char set_aside[STORE_ERROR_MAX]; /* to be told by the next that works; "" for nothing */
};

/* The writer's side. */

/* Opens or creates the database and enters the run. 0, or -errno and why. */
int store_open_database(struct store *s, char why[static STORE_ERROR_MAX]);

/* One transaction with all there is; nothing is written if there is nothing. */
void store_flush(struct store *s);

/* Flushes until it is told to stop, then once more; the thread's main function. */
void *store_write_until_stopped(void *store);

/* Frees all of it. */
void store_release(struct store *s);
