/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/writer.h: records become rows of one run, one transaction at a time.
 *
 * All of a batch or nothing of it: after a failure the writer stands where it stood before, and
 * the same batch can be tried again. Used by one thread at a time.
 */
#pragma once
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/sample.h"
#include "ptpmon/model/verdict.h"
#include "ptpmon/stats/window.h"
#include "ptpmon/store/database.h"
#include "ptpmon/store/queue.h"
#include "ptpmon/store/run.h"

/* A window as it is queued: without the room for bins that it does not use. */
struct verdict_record {         /* RECORD_VERDICT */
	double limit, measured; /* NAN: NULL */
	enum verdict_pass pass;
	char plan[VERDICT_TEXT_MAX + 1], phase[VERDICT_TEXT_MAX + 1]; /* "": NULL */
	char criterion[VERDICT_TEXT_MAX + 1], reason[VERDICT_TEXT_MAX + 1];
	char who[64];
};

struct window_record {
	uint64_t series;
	struct latency_window window; /* cut off behind bins_len octets of bins */
};

struct writer;

/* The connection stays the caller's. 0, or -errno. */
int writer_new(struct writer **out, sqlite3 *db, const struct run *run);
struct writer *writer_free(struct writer *w);

/* How many of the series are in the record. */
size_t writer_series(const struct writer *w);

/* The phase that the run is in, as committed; "" for none. */
const char *writer_phase(const struct writer *w);

/*
 * What the run has cost so far, to be written with the next commit, which adds its own data.
 * written_bytes -1: not known.
 */
void writer_set_cost(struct writer *w, int64_t data_bytes, int64_t written_bytes);

/*
 * Commits n records, in the order given, after the series that were declared since the last time;
 * series holds all of them, and records name them by their index. 0, or -errno with one line in
 * why.
 */
int writer_commit(struct writer *w, const struct series *series, size_t n_series,
		  const struct queue_entry *entries, size_t n, char why[static DATABASE_ERROR_MAX]);
