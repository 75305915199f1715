/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/bins.h: the one encoding of counts in bins, for record and wire.
 *
 * An octet 0, then for each bin that is not empty, in rising order, the step from the bin before
 * (the first: from -1) and the count, in the shortest that both fit into:
 *
 *	0sss cccc             step - 1 and count - 1
 *	10ss sssc  cccc cccc  the same, more of either
 *	1100 0000             step and count follow as LEB128 varints
 *
 * Nearly all bins of a board under load are one octet. Without the octet 0, which no step begins
 * with, all are varints: so they were until version 3 of the record, and are read. How many bins
 * there are, and what each stands for, is known to whoever reads: stats/histogram.h,
 * stats/signed_histogram.h.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BINS_PAIR_MAX = 21, /* octets of a step and a count */
	BINS_STEP_MAX = 12, /* … of a step of 1 and a count */
};

/* The length, 0 for bins that are all empty; also 0 if it does not fit into size octets. */
size_t bins_encode(const uint64_t *bins, size_t n, uint8_t *out, size_t size);

/*
 * Checks an encoding of n bins that came from elsewhere, and sums its counts. 0, or -EBADMSG: cut
 * short, a bin beyond the last, a step or count of 0, a number or sum beyond 64 bits.
 */
int bins_check(size_t n, const uint8_t *bytes, size_t len, uint64_t *total);

/* Reads an encoding pair by pair. */
struct bins_reader {
	const uint8_t *at, *end;
	size_t n_bins, next; /* next: the bin that a step of 1 leads to */
	size_t bin;          /* of the pair read last … */
	uint64_t count;      /* … and its count, not 0 */
	bool varints;        /* nothing else is in it */
	bool bad;            /* it ended for what cannot be */
};

struct bins_reader bins_reader(const uint8_t *bytes, size_t len, size_t n);

/* A pair of any length; for bins_next(). */
bool bins_next_long(struct bins_reader *r);

/* False at the end, and with `bad` where bins_check() would refuse; but for the sum of counts. */
static inline bool bins_next(struct bins_reader *r)
{
	unsigned pair;

	if (r->at == r->end || *r->at >= 0x80 || r->varints)
		return bins_next_long(r);
	pair = *r->at++;
	r->count = (pair & 0xf) + 1;
	r->bin = r->next + (pair >> 4);
	r->next = r->bin + 1;
	r->bad = r->next > r->n_bins;
	return !r->bad;
}

/* Adds the encoded counts to bins. 0, or -EBADMSG (bins are then unchanged). */
int bins_decode_add(uint64_t *bins, size_t n, const uint8_t *bytes, size_t len);
