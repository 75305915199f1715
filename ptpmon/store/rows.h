/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/rows.h: finding moments in the tables that have no index on time.
 *
 * The rows [first, end) of a run stand almost in time order: none stands behind one that is later
 * by more than late_ns, which the writer keeps in the run. With that, a binary search on the row
 * id is exact: it may end at a row that is too early or too late, never beyond one that counts.
 */
#pragma once
#include <sqlite3.h>
#include <stdint.h>

enum rows_table { ROWS_SAMPLE, ROWS_LATENCY, ROWS_TABLE_MAX };

struct rows {
	enum rows_table table; /* time is mono_ns, and start_mono_ns */
	int64_t first, end;    /* ids */
	int64_t late_ns;
	int64_t longest_ns; /* window; 0 for samples */
};

/* An id before which no row is at or after the moment, no window ends after it. 0, or -errno. */
int rows_find_first(sqlite3 *db, const struct rows *rows, int64_t mono_ns, int64_t *id);

/* An id from which on all rows are at or after the moment (start there). 0, or -errno. */
int rows_find_end(sqlite3 *db, const struct rows *rows, int64_t mono_ns, int64_t *id);

/* The latest moment of any row, for windows their end; TIME_UNKNOWN without rows. 0, or -errno. */
int rows_newest(sqlite3 *db, const struct rows *rows, int64_t *mono_ns);
