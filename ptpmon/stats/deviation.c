/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/deviation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum {
	LANES = 4,    /* sums side by side: one would wait for its own last addition */
	TILE = 16384, /* terms of each m that are taken together, so that a cache holds what they
			 need */
};

struct phase {
	const int64_t *x;
	size_t n;
	unsigned left_out; /* lowest bits of x */
	uint64_t sums[];   /* sums[i]: of the first i, modulo 2^64 */
};

static uint64_t range_of(const int64_t *x, size_t n)
{
	int64_t low = n > 0 ? x[0] : 0;
	int64_t high = low;

	for (size_t i = 1; i < n; i++) {
		low = x[i] < low ? x[i] : low;
		high = x[i] > high ? x[i] : high;
	}
	return (uint64_t)high - (uint64_t)low;
}

/* The fewest bits without which range times n is below 2^62. */
static unsigned bits_to_leave_out(uint64_t range, size_t n)
{
	unsigned bits = 0;

	while (n > 0 && range >> bits >= (UINT64_C(1) << 62) / n)
		bits++;
	return bits;
}

static inline uint64_t kept(const struct phase *p, size_t i)
{
	return (uint64_t)(p->x[i] >> p->left_out);
}

int phase_new(struct phase **out, const int64_t *x, size_t n)
{
	struct phase *p = malloc(sizeof(*p) + (n + 1) * sizeof(p->sums[0]));
	uint64_t sum = 0;

	if (!p)
		return -ENOMEM;
	p->x = x;
	p->n = n;
	p->left_out = bits_to_leave_out(range_of(x, n), n);
	for (size_t i = 0; i < n; i++) {
		p->sums[i] = sum;
		sum += kept(p, i);
	}
	p->sums[n] = sum;
	*out = p;
	return 0;
}

struct phase *phase_free(struct phase *p)
{
	free(p);
	return NULL;
}

/* About the first of them, so that what wraps around is only what they share. */
double phase_mean(const struct phase *p, size_t first, size_t n)
{
	uint64_t about = kept(p, first);
	int64_t sum = (int64_t)(p->sums[first + n] - p->sums[first] - about * n);

	return ldexp((double)(int64_t)about + (double)sum / (double)n, (int)p->left_out);
}

/* Of second differences at distance m, every step-th. */
static double sum_differences(const struct phase *p, size_t first, size_t terms, size_t m,
			      size_t step)
{
	double sums[LANES] = {0};

	for (size_t k = 0; k < terms; k++) {
		size_t i = first + k * step;
		double z = (double)(int64_t)(kept(p, i + 2 * m) - 2 * kept(p, i + m) + kept(p, i));

		sums[k % LANES] += z * z;
	}
	return sums[0] + sums[1] + sums[2] + sums[3];
}

static inline double block_difference(const uint64_t *at, size_t m)
{
	return (double)(int64_t)(at[3 * m] - 3 * at[2 * m] + 3 * at[m] - at[0]);
}

static double sum_block_differences(const struct phase *p, size_t first, size_t terms, size_t m)
{
	const uint64_t *at = p->sums + first;
	const uint64_t *end = at + terms;
	double sums[LANES] = {0};
	double rest = 0;

	for (; end - at >= LANES; at += LANES)
		for (size_t lane = 0; lane < LANES; lane++) {
			double s = block_difference(at + lane, m);

			sums[lane] += s * s;
		}
	for (; at < end; at++)
		rest += block_difference(at, m) * block_difference(at, m);
	return sums[0] + sums[1] + sums[2] + sums[3] + rest;
}

/* How many terms there are within n values. */
static size_t count_terms(enum deviation_kind kind, size_t n, size_t m)
{
	bool blocks = kind == DEVIATION_MDEV || kind == DEVIATION_TDEV;
	size_t span; /* of a term: from its first value to its last */

	if (m > (SIZE_MAX - 1) / 3)
		return 0;
	span = blocks ? 3 * m - 1 : 2 * m;
	if (n <= span)
		return 0;
	return kind == DEVIATION_ADEV ? (n - span - 1) / m + 1 : n - span;
}

static double sum_terms(enum deviation_kind kind, const struct phase *p, size_t first, size_t terms,
			size_t m)
{
	switch (kind) {
	case DEVIATION_ADEV:
		return sum_differences(p, first, terms, m, m);
	case DEVIATION_OADEV:
		return sum_differences(p, first, terms, m, 1);
	case DEVIATION_MDEV:
	case DEVIATION_TDEV:
	case DEVIATION_KIND_MAX:
		break;
	}
	return sum_block_differences(p, first, terms, m);
}

void deviation_add(struct deviation *d, enum deviation_kind kind, const struct phase *p,
		   const struct segment *piece, const size_t *m, size_t n)
{
	for (size_t done = 0; done < piece->n; done += TILE)
		for (size_t i = 0; i < n; i++) {
			size_t terms = count_terms(kind, piece->n, m[i]);
			size_t step = kind == DEVIATION_ADEV ? m[i] : 1;
			double sum;

			if (done >= terms)
				continue;
			terms = terms - done < TILE ? terms - done : TILE;
			sum = sum_terms(kind, p, piece->first + done * step, terms, m[i]);
			d[i].sum += ldexp(sum, 2 * (int)p->left_out);
			d[i].terms += terms;
		}
}

bool deviation_value(const struct deviation *d, enum deviation_kind kind, size_t m, int64_t tau0_ns,
		     double *out)
{
	double tau_ns = (double)m * (double)tau0_ns;

	if (d->terms == 0)
		return false;
	switch (kind) {
	case DEVIATION_ADEV:
	case DEVIATION_OADEV:
		*out = sqrt(d->sum / (2 * (double)d->terms)) / tau_ns;
		break;
	case DEVIATION_MDEV:
		*out = sqrt(d->sum / (2 * (double)d->terms)) / (double)m / tau_ns;
		break;
	case DEVIATION_TDEV:
	case DEVIATION_KIND_MAX:
		*out = sqrt(d->sum / (6 * (double)d->terms)) / (double)m;
		break;
	}
	return true;
}
