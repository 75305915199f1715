/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/values.h: a growing array of int64_t, and its mean and deviation. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct values {
	int64_t *v;
	size_t n, size;
};

/* Makes room for more. 0 or -ENOMEM. */
int values_grow(struct values *a);

/* 0 or -ENOMEM. Here, since there may be millions. */
static inline int values_add(struct values *a, int64_t value)
{
	int r = a->n == a->size ? values_grow(a) : 0;

	if (r == 0)
		a->v[a->n++] = value;
	return r;
}

/* Frees what it holds; for CLEANUP(). */
void values_clear(struct values *a);

struct moments {
	int64_t min, max;
	double mean, stddev; /* of the population: divisor n */
};

/*
 * Of n > 0 values, in two passes that lose nothing to large numbers: the mean is exact in integers
 * (sums of quotients and of remainders by n) until its last division, and only deviations from its
 * whole part become doubles. So 1.6e18 + {1, 2, 3} deviate by 0.816.
 */
struct moments values_moments(const struct values *a);
