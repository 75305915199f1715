/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/values.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

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

struct moments values_moments(const struct values *a)
{
	int64_t n = (int64_t)a->n;
	struct moments m = {.min = INT64_MAX, .max = INT64_MIN};
	int64_t quotients = 0;  /* cannot overflow: at most n times max / n … */
	int64_t remainders = 0; /* … and n times n - 1 */
	double sum = 0;
	double squares = 0;
	double mean_deviation;

	assert(n > 0);
	for (size_t i = 0; i < a->n; i++) {
		int64_t x = a->v[i];

		m.min = x < m.min ? x : m.min;
		m.max = x > m.max ? x : m.max;
		quotients += x / n;
		remainders += x % n;
	}
	quotients += remainders / n;
	remainders %= n;
	for (size_t i = 0; i < a->n; i++) {
		double d = difference(a->v[i], quotients);

		sum += d;
		squares += d * d;
	}
	m.mean = (double)quotients + (double)remainders / (double)n;
	mean_deviation = sum / (double)n;
	m.stddev = sqrt(fmax(squares / (double)n - mean_deviation * mean_deviation, 0));
	return m;
}
