/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/histogram.h: counts of non-negative nanoseconds in log-linear bins.
 *
 * Values below 128 ns have a bin each; above, every power of two is cut into 64 bins, so a bin is
 * at most 1/64 of its lower edge wide: a value told from its bin is at most 1.6 % too high, and
 * exact minimum and maximum are kept beside it by whoever counts. Histograms of the same shape
 * add up bin by bin.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/stats/bins.h"

enum {
	HISTOGRAM_SUB_BITS = 6,  /* 64 bins an octave */
	HISTOGRAM_MAX_BITS = 30, /* values of 2^30 ns (1.07 s) and more overflow */
	HISTOGRAM_BINS = (HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS,
	HISTOGRAM_ENCODED_MAX = HISTOGRAM_BINS * BINS_STEP_MAX + 1,
};

struct histogram {
	uint64_t bins[HISTOGRAM_BINS];
};

/* The bin of a value, value_ns < 2^HISTOGRAM_MAX_BITS; no branches but one. */
static inline size_t histogram_bin(uint64_t value_ns)
{
	unsigned shift;

	if (value_ns < 2U << HISTOGRAM_SUB_BITS)
		return (size_t)value_ns;
	shift = 63U - (unsigned)__builtin_clzll(value_ns) - HISTOGRAM_SUB_BITS;
	return ((size_t)shift << HISTOGRAM_SUB_BITS) + (size_t)(value_ns >> shift);
}

/* The lowest and the highest value of a bin. */
uint64_t histogram_bin_low(size_t bin);
uint64_t histogram_bin_high(size_t bin);

void histogram_add(struct histogram *sum, const struct histogram *h);

/* What an encoding holds, read once to be added to several histograms. */
struct histogram_counts {
	uint64_t total;
	size_t n;
	struct {
		size_t bin;
		uint64_t count;
	} v[HISTOGRAM_BINS];
};

/* 0, or -EBADMSG as histogram_check() with out undefined. */
int histogram_decode(struct histogram_counts *out, const uint8_t *bytes, size_t len);

static inline void histogram_add_counts(struct histogram *sum, const struct histogram_counts *c)
{
	for (size_t i = 0; i < c->n; i++)
		sum->bins[c->v[i].bin] += c->v[i].count;
}

/*
 * The encoding of stats/bins.h; a quiet second takes about 55 octets. Returns the length, or 0 if
 * it does not fit into size octets (HISTOGRAM_ENCODED_MAX always does); an empty histogram has
 * length 0 as well.
 */
size_t histogram_encode(const struct histogram *h, uint8_t *out, size_t size);

/* As bins_check() and bins_decode_add(): 0, or -EBADMSG with h unchanged. */
int histogram_check(const uint8_t *bytes, size_t len, uint64_t *total);
int histogram_decode_add(struct histogram *h, const uint8_t *bytes, size_t len);

/*
 * Nearest-rank percentile of the values counted, overflows being the largest of them.
 * rank is 1-based (quantile_rank()); returns the highest value of the bin it falls into, or
 * INT64_MAX for one among the overflows or beyond.
 */
int64_t histogram_at_rank(const struct histogram *h, uint64_t rank);
