/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/deviation.h"

#include <math.h>

enum {
	LANES = 4,     /* sums side by side: one would wait for its own last addition */
	TILE = 16384,  /* terms of each m that are taken together: a cache holds what they need */
	TOGETHER = 32, /* values of m that are */
};

/*
 * The fewest bits without which n values from the first of them surely are within 2^60 / n, so that
 * their range times n is below 2^62. Halves, since a difference of values might not fit.
 */
static unsigned bits_to_leave_out(const int64_t *x, size_t n)
{
	uint64_t used = 0; /* bits of any half difference, the sign folded */
	unsigned bits = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t half = (uint64_t)(x[i] >> 1) - (uint64_t)(x[0] >> 1);

		used |= half ^ half << 1;
	}
	while (n > 0 && used >> bits >= (UINT64_C(1) << 60) / n)
		bits++;
	return bits;
}

/* Of second differences at distance m, every step-th. */
static double sum_differences(const int64_t *x, size_t terms, size_t m, size_t step, unsigned bits)
{
	double sums[LANES] = {0};

	for (size_t k = 0; k < terms; k++) {
		const int64_t *at = x + k * step;
		uint64_t z = (uint64_t)(at[2 * m] >> bits) - 2 * (uint64_t)(at[m] >> bits) +
			     (uint64_t)(at[0] >> bits);

		sums[k % LANES] += (double)(int64_t)z * (double)(int64_t)z;
	}
	return sums[0] + sums[1] + sums[2] + sums[3];
}

/* S(0). */
static uint64_t first_block_sum(const int64_t *x, size_t m, unsigned bits)
{
	uint64_t s = 0;

	for (size_t i = 0; i < m; i++)
		s += (uint64_t)(x[i + 2 * m] >> bits) - 2 * (uint64_t)(x[i + m] >> bits) +
		     (uint64_t)(x[i] >> bits);
	return s;
}

static inline double square(uint64_t s)
{
	return (double)(int64_t)s * (double)(int64_t)s;
}

/* S(j+1) - S(j), with x at j. */
static inline uint64_t third_difference(const int64_t *at, size_t m, unsigned bits)
{
	return (uint64_t)(at[3 * m] >> bits) - 3 * (uint64_t)(at[2 * m] >> bits) +
	       3 * (uint64_t)(at[m] >> bits) - (uint64_t)(at[0] >> bits);
}

/* S goes on by so many terms, from S(j) with x at j. Returns the sum of their squares. */
static inline __attribute__((always_inline)) double sum_blocks(const int64_t *x, size_t terms,
							       size_t m, unsigned bits, uint64_t *s)
{
	double sums[LANES] = {0};
	uint64_t now = *s;
	size_t k = 0;

	for (; k + LANES <= terms; k += LANES)
		for (size_t lane = 0; lane < LANES; lane++) {
			now += third_difference(x + k + lane, m, bits);
			sums[lane] += square(now);
		}
	for (; k < terms; k++) {
		now += third_difference(x + k, m, bits);
		sums[0] += square(now);
	}
	*s = now;
	return sums[0] + sums[1] + sums[2] + sums[3];
}

/* Of one m, while all of them go through the values. */
struct run {
	size_t terms, done;
	uint64_t s; /* S(done - 1) */
	double sum;
};

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

static void go_on(struct run *r, enum deviation_kind kind, const int64_t *x, size_t m,
		  unsigned bits)
{
	size_t terms = r->terms - r->done < TILE ? r->terms - r->done : TILE;
	size_t step = kind == DEVIATION_ADEV ? m : 1;

	if (terms == 0)
		return;
	if (kind == DEVIATION_ADEV || kind == DEVIATION_OADEV) {
		r->sum += sum_differences(x + r->done * step, terms, m, step, bits);
	} else if (r->done == 0) {
		r->s = first_block_sum(x, m, bits);
		r->sum = square(r->s);
		terms = 1;
	} else if (bits == 0) {
		r->sum += sum_blocks(x + r->done - 1, terms, m, 0, &r->s);
	} else {
		r->sum += sum_blocks(x + r->done - 1, terms, m, bits, &r->s);
	}
	r->done += terms;
}

static void add_together(struct deviation *d, enum deviation_kind kind, const int64_t *x, size_t n,
			 const size_t *m, size_t n_m)
{
	unsigned bits = bits_to_leave_out(x, n);
	struct run runs[TOGETHER] = {0};
	size_t most = 0;

	for (size_t i = 0; i < n_m; i++) {
		runs[i].terms = count_terms(kind, n, m[i]);
		most = runs[i].terms > most ? runs[i].terms : most;
	}
	/* one round more: the first of a block sum is one term */
	for (size_t round = 0; most > 0 && round <= (most - 1) / TILE + 1; round++)
		for (size_t i = 0; i < n_m; i++)
			go_on(&runs[i], kind, x, m[i], bits);
	for (size_t i = 0; i < n_m; i++) {
		d[i].sum += ldexp(runs[i].sum, 2 * (int)bits);
		d[i].terms += runs[i].terms;
	}
}

void deviation_add(struct deviation *d, enum deviation_kind kind, const int64_t *x, size_t n,
		   const size_t *m, size_t n_m)
{
	for (size_t i = 0; i < n_m; i += TOGETHER)
		add_together(d + i, kind, x, n, m + i, n_m - i < TOGETHER ? n_m - i : TOGETHER);
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

static void note_mean(struct phase_means *means, double mean)
{
	if (!means->any || fabs(mean) > fabs(means->worst))
		means->worst = mean;
	means->last = mean;
	means->any = true;
}

/* Sums are about the first value, so that they stay as small as the range lets them. */
void phase_means_add(struct phase_means *means, const int64_t *x, size_t n, size_t window,
		     size_t step)
{
	unsigned bits = bits_to_leave_out(x, n);
	size_t from = 0; /* of the window whose sum it is */
	size_t end = 0;
	uint64_t sum = 0;
	uint64_t about;

	if (n < window)
		return;
	about = (uint64_t)(x[0] >> bits);
	for (size_t k = 0;; k = n - window - k < step ? n - window : k + step) {
		for (; end < k + window; end++)
			sum += (uint64_t)(x[end] >> bits) - about;
		for (; from < k; from++)
			sum -= (uint64_t)(x[from] >> bits) - about;
		note_mean(means,
			  ldexp((double)(int64_t)about + (double)(int64_t)sum / (double)window,
				(int)bits));
		if (k == n - window)
			return;
	}
}
