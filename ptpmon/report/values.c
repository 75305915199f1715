/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/values.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 1024 };

int values_grow(struct values *a)
{
	size_t size = a->size ? a->size * 2 : FIRST_SIZE;
	int64_t *bigger = reallocarray(a->v, size, sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	a->v = bigger;
	a->size = size;
	return 0;
}

int values_add_all(struct values *a, const int64_t *values, size_t n)
{
	if (a->size - a->n < n) {
		int64_t *bigger = reallocarray(a->v, a->n + n, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		a->v = bigger;
		a->size = a->n + n;
	}
	if (n > 0)
		memcpy(a->v + a->n, values, n * sizeof(*values));
	a->n += n;
	return 0;
}

void values_clear(struct values *a)
{
	free(a->v);
	*a = (struct values){0};
}

/* x - y, exact where it fits into 64 bits. */
static double difference(int64_t x, int64_t y)
{
	int64_t d;

	if (__builtin_sub_overflow(x, y, &d))
		return (double)x - (double)y;
	return (double)d;
}

/* The sum of deviations from about, and of their squares, all of which fit into 64 bits. */
static void sum_deviations(const int64_t *values, size_t n, int64_t about, double *sum,
			   double *squares)
{
	double sums[2] = {0}; /* side by side: one would wait for its own last addition */
	double both[2] = {0};

	for (size_t i = 0; i < n; i++) {
		double d = (double)(values[i] - about);

		sums[i % 2] += d;
		both[i % 2] += d * d;
	}
	*sum = sums[0] + sums[1];
	*squares = both[0] + both[1];
}

static void sum_far_deviations(const int64_t *values, size_t n, int64_t about, double *sum,
			       double *squares)
{
	*sum = *squares = 0;
	for (size_t i = 0; i < n; i++) {
		double d = difference(values[i], about);

		*sum += d;
		*squares += d * d;
	}
}

struct moments values_moments(const int64_t *values, size_t n)
{
	struct moments m = {.min = INT64_MAX, .max = INT64_MIN};
	int64_t count = (int64_t)n;
	int64_t highs = 0; /* the sum is highs 2^32 + lows: n of either fit into 64 bits */
	uint64_t lows = 0;
	int64_t whole;
	double sum;
	double squares;
	double mean_deviation;
	double range;

	assert(n > 0 && n <= INT32_MAX);
	for (size_t i = 0; i < n; i++) {
		int64_t x = values[i];

		m.min = x < m.min ? x : m.min;
		m.max = x > m.max ? x : m.max;
		highs += x >> 32;
		lows += (uint64_t)x & UINT32_MAX;
	}
	whole = highs / count - (highs % count < 0); /* rounded down */
	lows += (uint64_t)(highs - whole * count) << 32;
	whole = whole * (INT64_C(1) << 32) + (int64_t)(lows / n);
	range = difference(m.max, m.min);
	if (range < 0x1p62)
		sum_deviations(values, n, whole, &sum, &squares);
	else
		sum_far_deviations(values, n, whole, &sum, &squares);
	m.mean = (double)whole + (double)(lows % n) / (double)n;
	mean_deviation = sum / (double)n;
	m.stddev = sqrt(fmax(squares / (double)n - mean_deviation * mean_deviation, 0));
	return m;
}
