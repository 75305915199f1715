/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/filter.h"

#include <math.h>
#include <stdlib.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/stats/quantile.h"

#define CORNER_HZ  0.1
#define SETTLE_NS  (8 * NSEC_PER_SEC)
#define LARGEST_NS (INT64_C(1) << 53)

static const double sigmas_rejected = 5;
static const double mad_of_sigma = 0.6745; /* of normal noise */

size_t filter_low_pass(const int64_t *values_ns, size_t n, int64_t dt_ns, int64_t *out_ps)
{
	double a = 1 - exp(-2 * M_PI * CORNER_HZ * (double)dt_ns / NSEC_PER_SEC);
	double y = n > 0 ? (double)values_ns[0] : 0;
	size_t settling = (size_t)(SETTLE_NS / (dt_ns > 0 ? dt_ns : 1)) + 1;

	if (dt_ns <= 0 || dt_ns > NSEC_PER_SEC)
		return n;
	for (size_t i = 0; i < n; i++) {
		if (values_ns[i] > LARGEST_NS || values_ns[i] < -LARGEST_NS)
			return n;
		y += a * ((double)values_ns[i] - y);
		out_ps[i] = llrint(y * FILTER_PS_PER_NS);
	}
	return settling < n ? settling : n;
}

void filter_high_pass_range(const int64_t *values_ns, const int64_t *low_pass_ps, size_t n,
			    int64_t *low_ps, int64_t *high_ps)
{
	for (size_t i = 0; i < n; i++) {
		int64_t rest_ps = values_ns[i] * FILTER_PS_PER_NS - low_pass_ps[i];

		*low_ps = rest_ps < *low_ps ? rest_ps : *low_ps;
		*high_ps = rest_ps > *high_ps ? rest_ps : *high_ps;
	}
}

/* The nearest that fits, where it does not: no noise is that large. */
static int64_t difference(int64_t a, int64_t b)
{
	int64_t d;

	return __builtin_sub_overflow(a, b, &d) ? (a > b ? INT64_MAX : -INT64_MAX) : d;
}

static int64_t distance(int64_t a, int64_t b)
{
	int64_t d = difference(a, b);

	return d == INT64_MIN ? INT64_MAX : llabs(d);
}

size_t filter_outliers(int64_t *values, size_t n, int64_t *differences)
{
	size_t removed = 0;
	int64_t before;
	int64_t median;
	double limit;

	if (n < 2)
		return 0;
	for (size_t i = 0; i + 1 < n; i++)
		differences[i] = difference(values[i + 1], values[i]);
	median = quantile_select(differences, n - 1, QUANTILE_WHOLE / 2);
	for (size_t i = 0; i + 1 < n; i++)
		differences[i] = distance(differences[i], median);
	limit = (double)quantile_select(differences, n - 1, QUANTILE_WHOLE / 2) * sigmas_rejected /
		mad_of_sigma;
	before = values[0];
	for (size_t i = 1; i < n; i++) {
		int64_t d = difference(values[i], before);

		before = values[i];
		if (limit > 0 && (double)distance(d, median) > limit) {
			d = median;
			removed++;
		}
		values[i] = (int64_t)((uint64_t)values[i - 1] + (uint64_t)d);
	}
	return removed;
}
