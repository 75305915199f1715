/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/query_impl.h: the inside of a query, for query.c and query_visit.c alone.
 */
#pragma once
#include <limits.h>
#include <sqlite3.h>

#include "ptpmon/store/query.h"
#include "ptpmon/store/rows.h"

struct kept_text {
	struct kept_text *next;
	char text[];
};

/* 146 years of either sign: sums and differences of such times never overflow. */
#define QUERY_TIME_MAX (INT64_C(1) << 62)

static inline bool query_is_time(int64_t mono_ns)
{
	return mono_ns >= 0 && mono_ns < QUERY_TIME_MAX;
}

/* The version of the record that brought the hours of today, and what a run costs. */
enum { QUERY_ROLLUPS_SINCE = 2 };

struct query {
	char path[PATH_MAX];
	int64_t version; /* of the record */
	sqlite3 *db;     /* in a read transaction since query_open() */
	struct query_run run;
	struct rows rows[ROWS_TABLE_MAX];
	struct query_series *series;
	struct query_phase *phases;
	struct query_mark *marks;
	struct clock_anchor *anchors;
	size_t n_series, n_phases, n_marks, n_anchors;
	struct kept_text *kept; /* every string of the above */
};
