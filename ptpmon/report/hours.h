/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/hours.h: what is left of offsets whose rows have aged out, for one column of a
 * report; for offsets.c.
 */
#pragma once
#include "ptpmon/report/building.h"
#include "ptpmon/stats/signed_histogram.h"

/* {0} is none. */
struct hours {
	uint64_t count, missed, steps, unlocked;
	int64_t min_ns, max_ns; /* meaningless while count is 0 */
	double sum, sum_squares;
	int64_t to_mono_ns; /* the last moment in any; TIME_UNKNOWN: there is no hour at all */
	struct signed_histogram *histogram;
};

/* Is what happened from .. to in that phase (an index of the query, or none) part of a column? */
bool hours_lie_in(const struct building *b, size_t column, size_t phase, int64_t from_mono_ns,
		  int64_t to_mono_ns);

/* Those of a series of the query that lie in the column as a whole. 0, or -errno. */
int hours_read(struct hours *out, const struct building *b, size_t series, size_t column);

/* Joins them with n values and what is said of these. The histogram holds the values, too, then. */
void hours_join(struct hours *h, struct report_offset *o, const int64_t *values, size_t n);

/* Frees what it holds; for CLEANUP(). */
void hours_clear(struct hours *h);
