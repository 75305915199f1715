/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/bins.h: the one encoding of counts in bins, for record and wire.
 *
 * For each bin that is not empty, in rising order, the step from the bin before (the first: from
 * -1) and the count, both as LEB128 varints. How many bins there are, and what each stands for, is
 * known to whoever reads: stats/histogram.h, stats/signed_histogram.h.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BINS_PAIR_MAX = 20 /* octets of a step and a count */ };

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
	bool bad;            /* it ended for what cannot be */
};

static inline struct bins_reader bins_reader(const uint8_t *bytes, size_t len, size_t n)
{
	return (struct bins_reader){.at = bytes, .end = bytes + len, .n_bins = n};
}

bool bins_next_long(struct bins_reader *r);

/* False at the end, and with `bad` where bins_check() would refuse; but for the sum of counts. */
static inline bool bins_next(struct bins_reader *r)
{
	size_t step;

	/* nearly all pairs are two octets */
	if (r->end - r->at < 2 || (r->at[0] | r->at[1]) >= 0x80)
		return bins_next_long(r);
	step = r->at[0];
	r->count = r->at[1];
	r->at += 2;
	r->bad = step == 0 || r->count == 0 || step > r->n_bins - r->next;
	r->bin = r->next + step - 1;
	r->next += step;
	return !r->bad;
}

/* Adds the encoded counts to bins. 0, or -EBADMSG (bins are then unchanged). */
int bins_decode_add(uint64_t *bins, size_t n, const uint8_t *bytes, size_t len);
