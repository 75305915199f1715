/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/interval.h"

#include <math.h>
#include <string.h>

#include "ptpmon/stats/quantile.h"

enum { BLOCKS_MIN = 8 };

static const double alike = 0.2;   /* correlation of neighbours above which they are put together */
static const double z_95 = 1.9600; /* of the normal distribution, both sides */

/* What a set of blocks says. */
struct spread {
	size_t n;
	double count, share; /* of all; beyond */
	double variance;     /* of share, as the blocks differ */
	double correlation;  /* of neighbouring blocks */
};

/* Of the share as a ratio: a block's residual is what it has beyond more than its part. */
static struct spread measure(const struct interval_block *blocks, size_t n)
{
	struct spread s = {.n = n};
	double beyond = 0;
	double squares = 0;
	double products = 0;
	double before = 0;

	for (size_t i = 0; i < n; i++) {
		s.count += (double)blocks[i].count;
		beyond += (double)blocks[i].beyond;
	}
	s.share = beyond / s.count;
	for (size_t i = 0; i < n; i++) {
		double residual = (double)blocks[i].beyond - s.share * (double)blocks[i].count;

		squares += residual * residual;
		products += residual * before;
		before = residual;
	}
	s.variance = squares / (s.count * s.count) * (double)n / (double)(n - 1);
	s.correlation = squares > 0 ? products / squares : 0;
	return s;
}

static size_t pack(struct interval_block *blocks, size_t n)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (blocks[i].count > 0)
			blocks[used++] = blocks[i];
	return used;
}

/* An odd last one joins the last pair. */
static size_t pair(struct interval_block *blocks, size_t n)
{
	size_t pairs = n / 2;

	for (size_t i = 0; i < n; i++) {
		struct interval_block b = blocks[i];
		size_t at = i / 2 < pairs ? i / 2 : pairs - 1;

		if (i % 2 == 0 && at == i / 2)
			blocks[at] = (struct interval_block){0};
		blocks[at].count += b.count;
		blocks[at].beyond += b.beyond;
	}
	return pairs;
}

/* Student's t for 95 % on both sides, by the expansion about the normal quantile: to 0.1 % from 7
 * degrees of freedom on. */
static double student(size_t degrees)
{
	double z = z_95;
	double v = (double)degrees;
	double z3 = z * z * z;
	double z5 = z3 * z * z;

	return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v);
}

/*
 * How many of n values lie beyond the true percentile: a binomial number, of as many values as are
 * independent, by the normal approximation with its first correction for skewness.
 */
static void write_ranks(struct interval *out, double n, double beyond_share, double t)
{
	double grouped = n / out->effective;
	double expected = out->effective * beyond_share;
	double deviation = sqrt(expected * (1 - beyond_share));
	double skew = (t * t - 1) / 6 * (1 - 2 * beyond_share);
	double fewest = floor((expected - t * deviation + skew) * grouped);
	double most = ceil((expected + t * deviation + skew) * grouped);

	out->high_rank = fewest >= 1 ? (uint64_t)(n - fewest + 1) : 0;
	out->low_rank = most < n ? (uint64_t)(n - most) : 0;
}

bool interval_of_percentile(struct interval *out, uint32_t p_milli,
			    const struct interval_block blocks[static INTERVAL_BLOCKS])
{
	struct interval_block copy[INTERVAL_BLOCKS];
	double beyond_share = 1 - (double)p_milli / QUANTILE_WHOLE;
	struct interval result;
	struct spread s;
	double independent;
	size_t n;

	memcpy(copy, blocks, sizeof(copy));
	n = pack(copy, INTERVAL_BLOCKS);
	if (n < BLOCKS_MIN)
		return false;
	s = measure(copy, n);
	while (s.correlation > alike && n / 2 >= BLOCKS_MIN) {
		n = pair(copy, n);
		s = measure(copy, n);
	}
	if (s.share <= 0 || s.share >= 1)
		return false;
	independent = s.share * (1 - s.share) / s.count;
	result.effective = s.count * fmin(1, independent / fmax(s.variance, independent));
	write_ranks(&result, s.count, beyond_share, student(n - 1));
	*out = result;
	return true;
}
