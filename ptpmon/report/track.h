/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/track.h: offsets as phase, cut into pieces, for MTIE and the deviations.
 *
 * What these figures are over all pieces together: the largest range in any, the mean over the
 * terms of all. Values are in units of which unit_per_ns make a nanosecond.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/stats/deviation.h"
#include "ptpmon/stats/segments.h"

struct track {
	struct segments pieces;
	const int64_t *times_ns; /* of the values, while none was filled in */
	double unit_per_ns;
	struct mtie **mtie; /* one for each piece, made when first needed */
};

/* Of offsets in ns, borrowed. 0 or -ENOMEM; *out changes only on success. */
int track_open(struct track *out, const struct series_values *offsets);

/*
 * The same track after the 0.1 Hz low-pass, in ps, each piece without what is settling. high_ps,
 * where it is not NULL, becomes the lowest and highest of the high-pass (INT64_MAX and INT64_MIN
 * if nothing settled). 0 or -ENOMEM.
 */
int track_low_pass(struct track *out, const struct track *of, int64_t high_ps[2]);

/* The same track without outliers of frequency, and how many these were. 0 or -ENOMEM. */
int track_without_outliers(struct track *out, const struct track *of, uint64_t *outliers);

/* Frees what it holds; for CLEANUP(). */
void track_clear(struct track *t);

/* In ns; NAN where there is no complete term. 0 or -ENOMEM. */
int track_mtie(struct track *t, size_t m, double *out_ns);
/* For each of n values of m: TDEV in ns, the others as fractional frequency. NAN, 0 or -ENOMEM as
 * well. */
int track_deviation(struct track *t, enum deviation_kind kind, const size_t *m, size_t n,
		    double *out);

/* Means over n values, taken every step > 0 values and at the end of each piece; NAN if there is
 * no piece of as many. */
void track_means(const struct track *t, size_t n, size_t step, double *worst_ns, double *last_ns);
