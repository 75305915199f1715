/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/signed_histogram.h: counts of offsets, of either sign and any size.
 *
 * The bins of stats/histogram.h without its upper end, on both sides of zero: magnitudes below
 * 128 ns have a bin each, above a bin is at most 1/64 of its lower edge wide, up to 2^63 - 1. So a
 * magnitude told from its bin is at most 1.6 % too large, never too small. Histograms add up bin
 * by bin, in any order.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/stats/bins.h"
#include "ptpmon/stats/histogram.h"

enum {
	SIGNED_HISTOGRAM_SIDE = (63 - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS,
	SIGNED_HISTOGRAM_BINS = 2 * SIGNED_HISTOGRAM_SIDE - 1, /* zero has one */
};

struct signed_histogram {
	uint64_t bins[SIGNED_HISTOGRAM_BINS]; /* rising: [SIGNED_HISTOGRAM_SIDE - 1] is zero */
};

/* INT64_MIN, which stands for unknown, counts as -INT64_MAX. */
void signed_histogram_count(struct signed_histogram *h, int64_t value);

void signed_histogram_add(struct signed_histogram *sum, const struct signed_histogram *h);
uint64_t signed_histogram_total(const struct signed_histogram *h);

/* How many values are surely beyond the limit in magnitude: those of bins that lie beyond it. */
uint64_t signed_histogram_beyond(const struct signed_histogram *h, uint64_t limit);

/*
 * The value of a 1-based rank: rising, by the edge that is further from zero; or of magnitudes.
 * For a rank beyond the total, INT64_MAX.
 */
int64_t signed_histogram_at_rank(const struct signed_histogram *h, uint64_t rank);
int64_t signed_histogram_magnitude_at_rank(const struct signed_histogram *h, uint64_t rank);

/* As stats/bins.h says: the length or 0; 0 or -EBADMSG, h then unchanged. */
size_t signed_histogram_encode(const struct signed_histogram *h, uint8_t *out, size_t size);
int signed_histogram_check(const uint8_t *bytes, size_t len, uint64_t *total);
int signed_histogram_decode_add(struct signed_histogram *h, const uint8_t *bytes, size_t len);
