/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/ranks.h: several order statistics of an array at once, exact, leaving it as it is.
 *
 * Values are counted in 65536 classes of their range; a class that holds a rank asked for and more
 * than one value is counted again in itself. Offsets of a locked clock take one pass, an outlier
 * of a second among them two or three, and nothing more than four for each class asked for.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ranks_of {
	RANKS_OF_VALUES,
	RANKS_OF_MAGNITUDES, /* INT64_MIN is not allowed then */
	RANKS_OF_DISTANCES,  /* of each value to the next: of n + 1 values, which must not fall */
};

/*
 * out[i] is the value of the 1-based ranks[i] (stats/quantile.h) among n values; ranks rising,
 * each from 1 to n. 0, -ENOMEM, or -E2BIG for 2^32 values and more.
 */
int ranks_select(const int64_t *values, size_t n, enum ranks_of of, const uint64_t *ranks,
		 size_t n_ranks, int64_t *out);
