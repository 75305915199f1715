/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/ranks.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"

enum { CLASS_BITS = 16, CLASSES = 1 << CLASS_BITS };

struct selection {
	const int64_t *values;
	size_t n;
	uint64_t flip, fold; /* see key_at() */
	bool distances;
	const uint64_t *ranks;
	int64_t *out;
};

/* Unsigned and in the order asked for: the sign bit flipped, or the magnitude. */
static inline uint64_t key_at(const struct selection *s, size_t i)
{
	int64_t value = s->distances ? s->values[i + 1] - s->values[i] : s->values[i];
	uint64_t negative = (uint64_t)(value >> 63) & s->fold;

	return (((uint64_t)value ^ negative) - negative) ^ s->flip;
}

/* Keys from low on, in classes of 2^bits: the ranks from `first` to `end` - 1 lie among them. */
struct range {
	uint64_t low, high; /* both included */
	uint64_t below;     /* values below low */
	size_t first, end;
};

static unsigned bits_of_class(uint64_t width)
{
	unsigned bits = 0;

	while (width >> bits >= CLASSES)
		bits++;
	return bits;
}

static void count(const struct selection *s, const struct range *r, unsigned bits,
		  uint32_t counts[static CLASSES])
{
	uint64_t width = r->high - r->low;

	memset(counts, 0, CLASSES * sizeof(*counts));
	for (size_t i = 0; i < s->n; i++) {
		uint64_t above = key_at(s, i) - r->low; /* wraps for one below */

		if (above <= width)
			counts[above >> bits]++;
	}
}

static int64_t value_of(const struct selection *s, uint64_t key)
{
	return (int64_t)(key ^ s->flip);
}

/* NOLINTNEXTLINE(misc-no-recursion): at most four deep, 16 bits of a key each */
static int select_in(const struct selection *s, const struct range *r)
{
	CLEANUP(freep) uint32_t *counts = malloc(CLASSES * sizeof(*counts));
	unsigned bits = bits_of_class(r->high - r->low);
	struct range inner = {.below = r->below, .end = r->first};
	int ret = 0;

	if (!counts)
		return -ENOMEM;
	count(s, r, bits, counts);
	for (uint64_t class = 0; class < CLASSES && inner.end < r->end && ret == 0; class ++) {
		inner.first = inner.end;
		while (inner.end < r->end && s->ranks[inner.end] <= inner.below + counts[class])
			inner.end++;
		inner.low = r->low + (class << bits);
		inner.high = inner.low + ((UINT64_C(1) << bits) - 1);
		if (bits > 0 && inner.end > inner.first)
			ret = select_in(s, &inner);
		else
			for (size_t i = inner.first; i < inner.end; i++)
				s->out[i] = value_of(s, inner.low);
		inner.below += counts[class];
	}
	return ret;
}

int ranks_select(const int64_t *values, size_t n, enum ranks_of of, const uint64_t *ranks,
		 size_t n_ranks, int64_t *out)
{
	struct selection s = {
		.values = values,
		.n = n,
		.flip = of == RANKS_OF_MAGNITUDES ? 0 : UINT64_C(1) << 63,
		.fold = of == RANKS_OF_MAGNITUDES ? UINT64_MAX : 0,
		.distances = of == RANKS_OF_DISTANCES,
		.ranks = ranks,
		.out = out,
	};
	struct range all = {.low = UINT64_MAX, .end = n_ranks};

	if (n > UINT32_MAX)
		return -E2BIG;
	for (size_t i = 0; i < n; i++) {
		uint64_t key = key_at(&s, i);

		all.low = key < all.low ? key : all.low;
		all.high = key > all.high ? key : all.high;
	}
	for (size_t i = 0; i < n_ranks; i++)
		assert(ranks[i] >= 1 && ranks[i] <= n && (i == 0 || ranks[i] >= ranks[i - 1]));
	return n_ranks > 0 ? select_in(&s, &all) : 0;
}
