/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/retention.h: what is old makes room: rows become hours, hours are removed.
 *
 * Samples and windows are rolled up an hour at a time once all of the hour is older than raw_ns;
 * the hours of rollup, events and clock anchors go once they are older than rollup_ns. When the
 * file comes near its limit, the oldest goes before its time: rows as long as they are the larger
 * part, else hours. Runs, series, phases, marks and verdicts stay.
 *
 * Age is recorded time: how much has been recorded since, in this run and in those after it. A
 * board that was switched off for a month, had no clock, or got a wrong time from its master loses
 * nothing by that.
 *
 * Work is done in slices, each a transaction of its own that is over in milliseconds, so that who
 * has rows to write does not wait. Pages that become free are used again; the file shrinks only
 * if it is larger than its limit, or to a good part empty.
 */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/store/database.h"
#include "ptpmon/store/store.h"
#include "ptpmon/store/usage.h"

struct retention;

/* The connection stays the caller's; run is the one that is being recorded. 0, or -errno. */
int retention_new(struct retention **out, const struct usage *usage,
		  const struct store_retention *policy, int64_t run);
struct retention *retention_free(struct retention *r);

struct retention_progress {
	uint64_t rows, hours; /* rolled up; removed */
	bool before_time;     /* by the slice before: the file was near its limit */
};

/*
 * One slice. 1 if there may be more to do, 0 if not, or -errno with one line in why; then
 * nothing has changed. *progress is added to.
 */
int retention_step(struct retention *r, int64_t now_mono_ns, struct retention_progress *progress,
		   char why[static DATABASE_ERROR_MAX]);
