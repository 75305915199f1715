/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/bins.h"

#include <errno.h>

enum { VARINT_MAX = BINS_PAIR_MAX / 2 };

static size_t put_varint(uint64_t v, uint8_t out[static VARINT_MAX])
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	return n;
}

size_t bins_encode(const uint64_t *bins, size_t n, uint8_t *out, size_t size)
{
	size_t len = 0;
	size_t next = 0; /* the bin that a step of 1 leads to */

	for (size_t i = 0; i < n; i++) {
		uint8_t pair[BINS_PAIR_MAX];
		size_t pair_len;

		if (bins[i] == 0)
			continue;
		pair_len = put_varint(i - next + 1, pair);
		pair_len += put_varint(bins[i], pair + pair_len);
		if (size - len < pair_len)
			return 0;
		for (size_t k = 0; k < pair_len; k++)
			out[len++] = pair[k];
		next = i + 1;
	}
	return len;
}

/* Reads an encoding pair by pair. */
struct reader {
	const uint8_t *at, *end;
	size_t n_bins;
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
	if (step == 0 || r->count == 0 || step > r->n_bins - r->bin)
		return -EBADMSG;
	r->bin += (size_t)step;
	return 0;
}

int bins_check(size_t n, const uint8_t *bytes, size_t len, uint64_t *total)
{
	struct reader r = {.at = bytes, .end = bytes + len, .n_bins = n};
	uint64_t sum = 0;

	while (r.at < r.end) {
		if (read_pair(&r) < 0 || __builtin_add_overflow(sum, r.count, &sum))
			return -EBADMSG;
	}
	*total = sum;
	return 0;
}

int bins_decode_add(uint64_t *bins, size_t n, const uint8_t *bytes, size_t len)
{
	struct reader r = {.at = bytes, .end = bytes + len, .n_bins = n};
	uint64_t total;

	if (bins_check(n, bytes, len, &total) < 0)
		return -EBADMSG;
	while (r.at < r.end && read_pair(&r) == 0)
		bins[r.bin - 1] += r.count;
	return 0;
}
