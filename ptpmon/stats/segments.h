/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/segments.h: a series cut into pieces of even spacing.
 *
 * Statistics of differences (MTIE, the deviations) take values by index, a term at a time, and a
 * term must not reach across a gap: whatever happened there (a restart, a new lock) broke the
 * phase. So a series is cut where two neighbours are further apart than 1.5 times the usual
 * distance, or out of order, and where the caller knows of a break.
 *
 * Two concessions, both counted. Holes of at most SEGMENTS_HOLE_MAX values, while they are less
 * than 1 % of the series together, are filled on a straight line instead; with more of them none
 * is. And a series of which more than 1 % of the distances are off by more than a tenth is uneven:
 * its pieces are taken as even all the same, cut only where more than SEGMENTS_HOLE_MAX values
 * are missing, and MTIE should be taken by time (stats/mtie.h).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEGMENTS_HOLE_MAX = 3 };

struct segment {
	size_t first, n; /* values[first] … values[first + n - 1] */
};

struct segments {
	int64_t tau0_ns; /* the usual distance */
	const int64_t *values;
	size_t n_values;
	size_t n, size;
	struct segment *v; /* in order, each of at least one value */
	uint64_t filled;   /* of n_values */
	bool uneven;
	int64_t *own; /* what values is where holes were filled */
};

/*
 * n values at times_ns, the usual distance of which is tau0_ns > 0 (the median), with breaks before
 * the values of these indices, rising. Unless holes are filled, out->values is the caller's array.
 * 0, or -ENOMEM; *out changes only on success.
 */
struct series_values {
	const int64_t *times_ns, *values;
	size_t n;
	int64_t tau0_ns;
	const int64_t *breaks;
	size_t n_breaks;
};
int segments_cut(struct segments *out, const struct series_values *series);

/* Frees what it holds; for CLEANUP(). */
void segments_clear(struct segments *s);

/* Of the longest piece, 0 if there is none. */
size_t segments_longest(const struct segments *s);
