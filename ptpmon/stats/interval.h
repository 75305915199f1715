/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/interval.h: how sure a percentile is, of values that depend on one another.
 *
 * The offsets of a servo are no independent draws: neighbours are alike, and excursions come in
 * groups. So the series is cut into blocks that follow one another in time, and how much the share
 * of values beyond the percentile differs from block to block, against what independent values
 * would do, says how many of the values count as one. While neighbouring blocks are themselves
 * alike, they are put together, two and two. The interval (95 %) is one of ranks: the values of
 * these ranks in the sorted series enclose the percentile.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INTERVAL_BLOCKS = 64 };

/* Of each block: its values, and those of them beyond the percentile. Empty ones do no harm. */
struct interval_block {
	uint64_t count, beyond;
};

struct interval {
	uint64_t low_rank, high_rank; /* 1-based; 0: the values reach no such bound */
	double effective;             /* independent values that would be as sure, at most n */
};

/*
 * Of the percentile p_milli (stats/quantile.h). False, and *out untouched, if less than 8 blocks
 * have values, or all of them, or none, are beyond: then nothing can be said.
 */
bool interval_of_percentile(struct interval *out, uint32_t p_milli,
			    const struct interval_block blocks[static INTERVAL_BLOCKS]);
