/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/run.h: where a run stands in the record; beginning one, or going on with it.
 */
#pragma once
#include <sqlite3.h>
#include <stdint.h>

#include "ptpmon/store/rows.h"
#include "ptpmon/store/store.h"

enum { RUN_PHASE_MAX = 128 };

struct run {
	int64_t id;
	struct rows rows[ROWS_TABLE_MAX];  /* rows.end is the id that the next row gets */
	int64_t newest_ns[ROWS_TABLE_MAX]; /* no row is later; INT64_MIN: there is none */
	int64_t resumed_from_mono_ns;      /* TIME_UNKNOWN: it was begun */
	char phase[RUN_PHASE_MAX];         /* that it was in; "" for none */
	int64_t phase_since_mono_ns;
	int64_t data_bytes, written_bytes; /* what it has cost so far */
};

/*
 * Goes on with the newest run if it has this token and boot and has not ended, else begins one
 * at now_mono_ns. Runs that never ended stay as they are: killed. 0, or -errno.
 */
int run_enter(struct run *out, sqlite3 *db, const struct store_run *as, int64_t now_mono_ns);

/* The rows of any run. 0, -ENOENT if there is no such run, -EUCLEAN for what cannot be, or -errno.
 */
int run_locate(sqlite3 *db, int64_t id, struct rows rows[static ROWS_TABLE_MAX]);

/* The latest moment in any row of a run, its start if there is none. 0, or -errno. */
int run_newest(sqlite3 *db, int64_t id, const struct rows rows[static ROWS_TABLE_MAX],
	       int64_t *mono_ns);
