/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/bins.h"

#include <assert.h>
#include <errno.h>

enum {
	VARINT_MAX = 10,
	MARK = 0x00, /* what an encoding begins with, but for the oldest */
	SHORT_STEP = 8,
	SHORT_COUNT = 16, /* at most, in one octet */
	LONG_STEP = 32,
	LONG_COUNT = 512, /* in two */
	LONG = 0x80,
	VARINTS = 0xc0,
};

static_assert(BINS_PAIR_MAX == 1 + 2 * VARINT_MAX && BINS_STEP_MAX == 2 + VARINT_MAX, "as long");

static size_t put_varint(uint64_t v, uint8_t out[static VARINT_MAX])
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	return n;
}

static size_t put_pair(uint64_t step, uint64_t count, uint8_t out[static BINS_PAIR_MAX])
{
	size_t n = 1;

	if (step <= SHORT_STEP && count <= SHORT_COUNT) {
		out[0] = (uint8_t)((step - 1) << 4 | (count - 1));
		return 1;
	}
	if (step <= LONG_STEP && count <= LONG_COUNT) {
		out[0] = (uint8_t)(LONG | (step - 1) << 1 | (count - 1) >> 8);
		out[1] = (uint8_t)(count - 1);
		return 2;
	}
	out[0] = VARINTS;
	n += put_varint(step, out + n);
	return n + put_varint(count, out + n);
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
		pair_len = put_pair(i - next + 1, bins[i], pair);
		if (size - len < pair_len + (len == 0))
			return 0;
		if (len == 0)
			out[len++] = MARK;
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

struct bins_reader bins_reader(const uint8_t *bytes, size_t len, size_t n)
{
	bool marked = len > 1 && bytes[0] == MARK;

	return (struct bins_reader){
		.at = bytes + marked,
		.end = bytes + len,
		.n_bins = n,
		.varints = !marked,
	};
}

static bool read_pair(struct bins_reader *r, uint64_t *step)
{
	unsigned first;

	if (r->varints)
		return read_varint(r, step) && read_varint(r, &r->count);
	first = *r->at++;
	if (first == VARINTS)
		return read_varint(r, step) && read_varint(r, &r->count);
	if (first >= VARINTS || r->at == r->end)
		return false;
	*step = (first >> 1 & (LONG_STEP - 1)) + 1;
	r->count = ((first & 1) << 8 | *r->at++) + 1;
	return true;
}

bool bins_next_long(struct bins_reader *r)
{
	uint64_t step;

	if (r->at == r->end)
		return false;
	r->bad = !read_pair(r, &step) || step == 0 || r->count == 0 || step > r->n_bins - r->next;
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
