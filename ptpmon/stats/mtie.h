/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/mtie.h: maximum time interval error (ITU-T G.810): the largest range that phase
 * values have within any window of length tau. It never falls as tau grows.
 *
 * Of evenly spaced values the windows hold m + 1 of them, from i to i + m. One pass whatever m is,
 * and mostly less: extremes of blocks of 64 are kept and pass through two monotonic queues, and
 * the values of two blocks are compared one by one only if their extremes differ by more than the
 * largest found.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n values, borrowed, and the extremes of their blocks. */
struct mtie;

/* 0 or -ENOMEM. n is less than 2^32 blocks. */
int mtie_new(struct mtie **out, const int64_t *x, size_t n);
struct mtie *mtie_free(struct mtie *t);

/*
 * For windows of m + 1 values; false, and *out untouched, if there is no such window (m >= n).
 * Remembers the last result, so that rising m cost less.
 */
bool mtie_at(struct mtie *t, size_t m, uint64_t *out);

/*
 * The same of values at any times, rising: windows [t, t + tau_ns], both ends included. 0;
 * -ENODATA if they span less than tau_ns; -ENOMEM.
 */
int mtie_by_time(const int64_t *times_ns, const int64_t *x, size_t n, int64_t tau_ns,
		 uint64_t *out);
