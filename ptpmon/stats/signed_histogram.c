/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/signed_histogram.h"

enum { ZERO = SIGNED_HISTOGRAM_SIDE - 1 };

void signed_histogram_count(struct signed_histogram *h, int64_t value)
{
	if (value == INT64_MIN)
		value = -INT64_MAX;
	if (value < 0)
		h->bins[ZERO - histogram_bin((uint64_t)-value)]++;
	else
		h->bins[ZERO + histogram_bin((uint64_t)value)]++;
}

void signed_histogram_add(struct signed_histogram *sum, const struct signed_histogram *h)
{
	for (size_t i = 0; i < SIGNED_HISTOGRAM_BINS; i++)
		sum->bins[i] += h->bins[i];
}

uint64_t signed_histogram_total(const struct signed_histogram *h)
{
	uint64_t total = 0;

	for (size_t i = 0; i < SIGNED_HISTOGRAM_BINS; i++)
		total += h->bins[i];
	return total;
}

/* Of one magnitude: both signs, zero once. */
static uint64_t both(const struct signed_histogram *h, size_t bin)
{
	return h->bins[ZERO + bin] + (bin > 0 ? h->bins[ZERO - bin] : 0);
}

uint64_t signed_histogram_beyond(const struct signed_histogram *h, uint64_t limit)
{
	uint64_t beyond = 0;

	for (size_t bin = SIGNED_HISTOGRAM_SIDE; bin-- > 0;) {
		if (histogram_bin_low(bin) <= limit)
			break;
		beyond += both(h, bin);
	}
	return beyond;
}

int64_t signed_histogram_at_rank(const struct signed_histogram *h, uint64_t rank)
{
	uint64_t below = 0;

	for (size_t i = 0; i < SIGNED_HISTOGRAM_BINS; i++) {
		below += h->bins[i];
		if (below < rank || below == 0)
			continue;
		return i < ZERO ? -(int64_t)histogram_bin_high(ZERO - i)
				: (int64_t)histogram_bin_high(i - ZERO);
	}
	return INT64_MAX;
}

int64_t signed_histogram_magnitude_at_rank(const struct signed_histogram *h, uint64_t rank)
{
	uint64_t below = 0;

	for (size_t bin = 0; bin < SIGNED_HISTOGRAM_SIDE; bin++) {
		below += both(h, bin);
		if (below >= rank && below > 0)
			return (int64_t)histogram_bin_high(bin);
	}
	return INT64_MAX;
}

size_t signed_histogram_encode(const struct signed_histogram *h, uint8_t *out, size_t size)
{
	return bins_encode(h->bins, SIGNED_HISTOGRAM_BINS, out, size);
}

int signed_histogram_check(const uint8_t *bytes, size_t len, uint64_t *total)
{
	return bins_check(SIGNED_HISTOGRAM_BINS, bytes, len, total);
}

int signed_histogram_decode_add(struct signed_histogram *h, const uint8_t *bytes, size_t len)
{
	return bins_decode_add(h->bins, SIGNED_HISTOGRAM_BINS, bytes, len);
}
