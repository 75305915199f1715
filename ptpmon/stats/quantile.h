/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/quantile.h: nearest-rank percentiles, exact.
 *
 * A percentile is given in thousandths of a percent: 99.9 % is 99900. The rank is computed in
 * integers, k = ceil(p N), at least 1: in doubles 99.9/100*1000 is more than 999 and would give
 * the maximum instead.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QUANTILE_WHOLE = 100000 }; /* 100 % */

/* The 1-based rank of a percentile among n values; 0 if n is 0. p_milli <= QUANTILE_WHOLE. */
uint64_t quantile_rank(uint32_t p_milli, uint64_t n);

/* At least one value lies beyond it (rank < n)? Else it says nothing the maximum does not. */
bool quantile_supported(uint32_t p_milli, uint64_t n);

/* The least n that supports it: 1000 for 99.9 %; UINT64_MAX for 100 %. */
uint64_t quantile_needed(uint32_t p_milli);

/*
 * The percentile of n > 0 values, by selection (expected O(n), never worse than sorting); reorders
 * values. Later calls on
 * the same array are cheaper. The value is always one that occurs.
 */
int64_t quantile_select(int64_t *values, size_t n, uint32_t p_milli);

/* How many of n values are beyond the limit in magnitude. */
size_t quantile_beyond(const int64_t *values, size_t n, int64_t limit);
