/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/bins.h: the one encoding of counts in bins, for record and wire.
 *
 * For each bin that is not empty, in rising order, the step from the bin before (the first: from
 * -1) and the count, both as LEB128 varints. How many bins there are, and what each stands for, is
 * known to whoever reads: stats/histogram.h, stats/signed_histogram.h.
 */
#pragma once
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

/* Adds the encoded counts to bins. 0, or -EBADMSG (bins are then unchanged). */
int bins_decode_add(uint64_t *bins, size_t n, const uint8_t *bytes, size_t len);
