/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/rollup.h: the hours of the table rollup, as rows are added to them.
 *
 * An hour is that of CLOCK_MONOTONIC; a phase that begins or ends within it cuts it. What the
 * table has of an hour already is read when the first row is added and written back with it, so
 * that rows can come in portions, each within a transaction of the caller's.
 */
#pragma once
#include <sqlite3.h>
#include <stdint.h>

#include "ptpmon/model/sample.h"
#include "ptpmon/stats/window.h"

#define ROLLUP_HOUR_NS INT64_C(3600000000000)

struct rollup;

/* The connection stays the caller's. 0, or -errno. */
int rollup_new(struct rollup **out, sqlite3 *db);
struct rollup *rollup_free(struct rollup *r);

/* Adds to the hour of the series (its id, and the run's). 0, or -errno. */
int rollup_add_sample(struct rollup *r, int64_t run, int64_t series, const struct sample *s);
int rollup_add_window(struct rollup *r, int64_t run, int64_t series,
		      const struct latency_window *w);

/* Writes what was added, and forgets it. 0, or -errno. */
int rollup_write(struct rollup *r);

/* Forgets what was added: the transaction was rolled back. */
void rollup_forget(struct rollup *r);
