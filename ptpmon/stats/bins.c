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

static bool read_varint(struct bins_reader *r, uint64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
		uint64_t octet = *r->at++;
		uint64_t part = octet & 0x7f;

		if (part << shift >> shift != part)
			return false;
		v |= part << shift;
		if (octet < 0x80) {
			*out = v;
			return true;
		}
	}
	return false;
}

/* A pair of any length. */
bool bins_next_long(struct bins_reader *r)
{
	uint64_t step;

	if (r->at == r->end)
		return false;
	r->bad = !read_varint(r, &step) || !read_varint(r, &r->count) || step == 0 ||
		 r->count == 0 || step > r->n_bins - r->next;
	if (r->bad)
		return false;
	r->bin = r->next + (size_t)step - 1;
	r->next = r->bin + 1;
	return true;
}

int bins_check(size_t n, const uint8_t *bytes, size_t len, uint64_t *total)
{
	struct bins_reader r = bins_reader(bytes, len, n);
	uint64_t sum = 0;

	while (bins_next(&r))
		if (__builtin_add_overflow(sum, r.count, &sum))
			return -EBADMSG;
	if (r.bad)
		return -EBADMSG;
	*total = sum;
	return 0;
}

int bins_decode_add(uint64_t *bins, size_t n, const uint8_t *bytes, size_t len)
{
	struct bins_reader r = bins_reader(bytes, len, n);
	uint64_t total;

	if (bins_check(n, bytes, len, &total) < 0)
		return -EBADMSG;
	while (bins_next(&r))
		bins[r.bin] += r.count;
	return 0;
}
