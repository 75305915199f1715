/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/filter.h: the first-order 0.1 Hz filters of ITU-T G.8273.2, and the removal of
 * outliers before a deviation is taken (NIST SP 1065).
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { FILTER_PS_PER_NS = 1000 };

/*
 * Low-pass: y += a (x - y), a = 1 - exp(-2 pi 0.1 Hz dt), begun at the first value; out in ps, so
 * that a limit of a few ns is not rounded away. It may be the array of values itself. Returns how
 * many values at the beginning are still settling (8 s: less than 1 % of a step is left then) and
 * so mean nothing: all n for a dt above 1 s, at which this is no 0.1 Hz filter any more, and where
 * a value is beyond +-2^53 ns.
 */
size_t filter_low_pass(const int64_t *values_ns, size_t n, int64_t dt_ns, int64_t *out_ps);

/* What the low-pass took away is the high-pass: both of n values, in ps. Widens *low and *high. */
void filter_high_pass_range(const int64_t *values_ns, const int64_t *low_pass_ps, size_t n,
			    int64_t *low_ps, int64_t *high_ps);

/*
 * Phase without outliers of frequency: of the differences of neighbours those further than
 * 5 MAD / 0.6745 from the median (5 sigma of normal noise) become the median, and the phase is
 * added up anew. A MAD of 0 tells nothing of the noise, so none is removed then. `differences` is
 * room for n. Returns how many were.
 */
size_t filter_outliers(int64_t *values, size_t n, int64_t *differences);
