/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/quantile.h"

#include <assert.h>
#include <stdlib.h>

uint64_t quantile_rank(uint32_t p_milli, uint64_t n)
{
	uint64_t whole = n / QUANTILE_WHOLE * p_milli; /* in two parts: p n may not fit */
	uint64_t rest = n % QUANTILE_WHOLE * p_milli;
	uint64_t rank = whole + (rest + QUANTILE_WHOLE - 1) / QUANTILE_WHOLE;

	assert(p_milli <= QUANTILE_WHOLE);
	return rank == 0 && n > 0 ? 1 : rank;
}

bool quantile_supported(uint32_t p_milli, uint64_t n)
{
	return quantile_rank(p_milli, n) < n;
}

uint64_t quantile_needed(uint32_t p_milli)
{
	uint64_t beyond = QUANTILE_WHOLE - p_milli;

	assert(p_milli <= QUANTILE_WHOLE);
	if (beyond == 0)
		return UINT64_MAX;
	return p_milli == 0 ? 2 : (QUANTILE_WHOLE + beyond - 1) / beyond;
}

static void swap(int64_t *a, int64_t *b)
{
	int64_t t = *a;

	*a = *b;
	*b = t;
}

static int64_t median_of_three(int64_t a, int64_t b, int64_t c)
{
	if (a > b)
		swap(&a, &b);
	if (b > c)
		b = c;
	return a > b ? a : b;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Into three: [*lo, *eq) below the pivot, [*eq, *gt) equal to it, [*gt, *hi) above. */
static void partition(int64_t *v, size_t lo, size_t hi, int64_t pivot, size_t *eq, size_t *gt)
{
	size_t at = lo;

	while (at < hi)
		if (v[at] < pivot)
			swap(&v[at++], &v[lo++]);
		else if (v[at] > pivot)
			swap(&v[at], &v[--hi]);
		else
			at++;
	*eq = lo;
	*gt = hi;
}

/*
 * Quickselect. Partitioning into three ends at once on constant data, the median of three serves
 * sorted data, and whatever still will not shrink in the rounds that it should need is sorted.
 */
int64_t quantile_select(int64_t *values, size_t n, uint32_t p_milli)
{
	size_t k = (size_t)quantile_rank(p_milli, n) - 1;
	size_t lo = 0;
	size_t hi = n;

	assert(n > 0);
	for (unsigned rounds = 4U * (64U - (unsigned)__builtin_clzll(n)); rounds > 0; rounds--) {
		int64_t pivot =
			median_of_three(values[lo], values[lo + (hi - lo) / 2], values[hi - 1]);
		size_t eq;
		size_t gt;

		partition(values, lo, hi, pivot, &eq, &gt);
		if (k < eq)
			hi = eq;
		else if (k >= gt)
			lo = gt;
		else
			return pivot;
	}
	qsort(values + lo, hi - lo, sizeof(*values), compare);
	return values[k];
}

size_t quantile_beyond(const int64_t *values, size_t n, int64_t limit)
{
	size_t beyond = 0;

	for (size_t i = 0; i < n; i++)
		beyond += values[i] > limit || values[i] < -limit;
	return beyond;
}
