/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/histogram.h"

#include <errno.h>

enum { SUB_BINS = 1 << HISTOGRAM_SUB_BITS };

/* How far the values of a bin are shifted; 0 for those that have a bin of their own. */
static unsigned bin_shift(size_t bin)
{
	return bin / SUB_BINS < 2 ? 0 : (unsigned)(bin / SUB_BINS) - 1;
}

uint64_t histogram_bin_low(size_t bin)
{
	unsigned shift = bin_shift(bin);

	return (uint64_t)(bin - (size_t)shift * SUB_BINS) << shift;
}

uint64_t histogram_bin_high(size_t bin)
{
	return histogram_bin_low(bin) + (UINT64_C(1) << bin_shift(bin)) - 1;
}

void histogram_add(struct histogram *sum, const struct histogram *h)
{
	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		sum->bins[i] += h->bins[i];
}

size_t histogram_encode(const struct histogram *h, uint8_t *out, size_t size)
{
	return bins_encode(h->bins, HISTOGRAM_BINS, out, size);
}

int histogram_check(const uint8_t *bytes, size_t len, uint64_t *total)
{
	return bins_check(HISTOGRAM_BINS, bytes, len, total);
}

int histogram_decode(struct histogram_counts *out, const uint8_t *bytes, size_t len)
{
	struct bins_reader r = bins_reader(bytes, len, HISTOGRAM_BINS);

	out->total = 0;
	for (out->n = 0; bins_next(&r); out->n++) {
		out->v[out->n].bin = r.bin;
		out->v[out->n].count = r.count;
		if (__builtin_add_overflow(out->total, r.count, &out->total))
			return -EBADMSG;
	}
	return r.bad ? -EBADMSG : 0;
}

int histogram_decode_add(struct histogram *h, const uint8_t *bytes, size_t len)
{
	return bins_decode_add(h->bins, HISTOGRAM_BINS, bytes, len);
}

int64_t histogram_at_rank(const struct histogram *h, uint64_t rank)
{
	uint64_t below = 0;

	for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
		below += h->bins[i];
		if (below >= rank && below > 0)
			return (int64_t)histogram_bin_high(i);
	}
	return INT64_MAX;
}
