/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/latency_summary.h: the wake-up latency of one CPU over any number of windows.
 *
 * A value type: {0} is a summary of nothing. Windows may be added in any order; those of several
 * phases or CPUs go into a summary each. Count, minimum, maximum, average, overflows and missed
 * periods are exact; a percentile is at most 1/64 too high (stats/histogram.h) and never above
 * the maximum.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/stats/histogram.h"
#include "ptpmon/stats/window.h"

struct latency_summary {
	uint64_t windows;
	int64_t start_mono_ns, end_mono_ns; /* from the earliest start to the latest end */
	uint64_t count;                     /* wake-ups; everything below needs count > 0 */
	int64_t min_ns, max_ns, sum_ns;
	int64_t max_start_mono_ns, max_end_mono_ns; /* the window that the maximum came from */
	uint64_t overflow;                          /* wake-ups beyond the histogram, in count */
	uint64_t missed; /* periods that passed in a late wake-up, not in count */
	struct histogram histogram;
};

/*
 * 0, or -EBADMSG if the window's bins and count disagree, or the sum passes 64 bits; s is then
 * unchanged.
 */
int latency_summary_add(struct latency_summary *s, const struct latency_window *w);

/*
 * The same without the histogram, whose bins hold `binned` wake-ups: for who keeps these by
 * himself.
 */
int latency_summary_count(struct latency_summary *s, const struct latency_window *w,
			  uint64_t binned);

/* The average rounded to the nearest nanosecond; 0 if count is 0. */
int64_t latency_summary_avg_ns(const struct latency_summary *s);

/*
 * Nearest-rank percentile, p_milli in thousandths of a percent (stats/quantile.h). One that falls
 * among the overflows is the maximum. False, and *out_ns untouched, if fewer than
 * quantile_needed(p_milli) wake-ups were counted: no value lies beyond it then.
 */
bool latency_summary_percentile(const struct latency_summary *s, uint32_t p_milli, int64_t *out_ns);
