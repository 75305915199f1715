/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/histogram.h"

#include <errno.h>

enum { SUB_BINS = 1 << HISTOGRAM_SUB_BITS, VARINT_MAX = 10 /* octets of a 64-bit number */ };

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

static size_t put_varint(uint64_t v, uint8_t out[static VARINT_MAX])
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	return n;
}

size_t histogram_encode(const struct histogram *h, uint8_t *out, size_t size)
{
	size_t len = 0;
	size_t next = 0; /* the bin that a step of 1 leads to */

	for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
		uint8_t pair[2 * VARINT_MAX];
		size_t n;

		if (h->bins[i] == 0)
			continue;
		n = put_varint(i - next + 1, pair);
		n += put_varint(h->bins[i], pair + n);
		if (size - len < n)
			return 0;
		for (size_t k = 0; k < n; k++)
			out[len++] = pair[k];
		next = i + 1;
	}
	return len;
}

/* Reads an encoding pair by pair. */
struct reader {
	const uint8_t *at, *end;
	size_t bin; /* of the pair read last, plus one */
	uint64_t count;
};

static int read_varint(struct reader *r, uint64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
		uint64_t octet = *r->at++;
		uint64_t part = octet & 0x7f;

		if (part << shift >> shift != part)
			return -EBADMSG;
		v |= part << shift;
		if (octet < 0x80) {
			*out = v;
			return 0;
		}
	}
	return -EBADMSG;
}

static int read_pair(struct reader *r)
{
	uint64_t step;

	if (read_varint(r, &step) < 0 || read_varint(r, &r->count) < 0)
		return -EBADMSG;
	if (step == 0 || r->count == 0 || step > HISTOGRAM_BINS - r->bin)
		return -EBADMSG;
	r->bin += (size_t)step;
	return 0;
}

int histogram_check(const uint8_t *bytes, size_t len, uint64_t *total)
{
	struct reader r = {.at = bytes, .end = bytes + len};
	uint64_t sum = 0;

	while (r.at < r.end) {
		if (read_pair(&r) < 0 || __builtin_add_overflow(sum, r.count, &sum))
			return -EBADMSG;
	}
	*total = sum;
	return 0;
}

int histogram_decode_add(struct histogram *h, const uint8_t *bytes, size_t len)
{
	struct reader r = {.at = bytes, .end = bytes + len};
	uint64_t total;

	if (histogram_check(bytes, len, &total) < 0)
		return -EBADMSG;
	while (r.at < r.end && read_pair(&r) == 0)
		h->bins[r.bin - 1] += r.count;
	return 0;
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
