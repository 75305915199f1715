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

/* 0 or -ENOMEM. */
int values_add_all(struct values *a, const int64_t *values, size_t n);

/* Frees what it holds; for CLEANUP(). */
void values_clear(struct values *a);

struct moments {
	int64_t min, max;
	double mean, stddev; /* of the population: divisor n */
};

/*
 * Of 0 < n < 2^32 values, in two passes that lose nothing to large numbers: the sum is exact, and
 * only deviations from the mean's whole part become doubles. So 1.6e18 + {1, 2, 3} deviate by
 * 0.816.
 */
struct moments values_moments(const int64_t *values, size_t n);
