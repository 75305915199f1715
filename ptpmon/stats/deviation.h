/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/deviation.h: ADEV, OADEV, MDEV and TDEV of phase values (ITU-T G.810, NIST SP 1065).
 *
 * For tau = m tau0, phase x[0] to x[n-1], z(i) = x[i+2m] - 2 x[i+m] + x[i], and S(j) the sum of
 * z(j) to z(j+m-1):
 *
 *	ADEV   sqrt(mean of z^2 / 2) / tau, every m-th z     floor((n-1)/m) - 1 terms
 *	OADEV  the same, every z                             n - 2m terms
 *	MDEV   sqrt(mean of S^2 / 2) / (m^2 tau0)            n - 3m + 1 terms
 *	TDEV   tau MDEV / sqrt(3)                            n - 3m + 1 terms
 *
 * Each takes one pass whatever m is: S(j+1) is S(j) and a third difference of x. All sums are
 * exact: they are kept in 64 bits and may wrap, since S itself fits (it is at most 2 m times the
 * range of x). Where it might not, because range times n may pass 2^62, the lowest bits of x are
 * left out, few more than need be; ns values within a second of the first never come to that below
 * 10^9 of them. So it is the same on 32 bits, where there is no wider type.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum deviation_kind {
	DEVIATION_ADEV,
	DEVIATION_OADEV,
	DEVIATION_MDEV,
	DEVIATION_TDEV,
	DEVIATION_KIND_MAX
};

/* Terms so far, of any number of pieces. {0} is none. */
struct deviation {
	double sum; /* of squares */
	uint64_t terms;
};

/*
 * Adds the terms within n phase values x, for each of n_m values of m > 0: d[i] is of m[i]. Several
 * at once take less than one by one: what lies together is read once.
 */
void deviation_add(struct deviation *d, enum deviation_kind kind, const int64_t *x, size_t n,
		   const size_t *m, size_t n_m);

/*
 * False, and *out untouched, if there is no term. TDEV in the unit of x; the others per ns of
 * tau: of phase in ns they are fractional frequencies.
 */
bool deviation_value(const struct deviation *d, enum deviation_kind kind, size_t m, int64_t tau0_ns,
		     double *out);

/* Of means over so many values that follow one another. {0} is none. */
struct phase_means {
	bool any;
	double worst, last; /* worst: the largest in magnitude */
};

/* Adds those within n values x, one every step > 0 values and the one at the end; window > 0. */
void phase_means_add(struct phase_means *means, const int64_t *x, size_t n, size_t window,
		     size_t step);
