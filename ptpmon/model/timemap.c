/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/timemap.h"

#include <stdlib.h>
#include <sys/timex.h>

#include "ptpmon/base/nsec.h"

enum { READINGS = 5 };

/* The kernel slews by at most 500 ppm, ptp4l and phc2sys with the tick by at most 10 %. */
enum { SLEW_DIVISOR = 2000 };

static const char *const reason_names[] = {
	[ANCHOR_START] = "start",
	[ANCHOR_PERIODIC] = "periodic",
	[ANCHOR_STEP] = "step",
};

const char *anchor_reason_name(enum anchor_reason reason)
{
	return reason_names[reason];
}

static int64_t kernel_tai_offset_s(void)
{
	struct timex tx = {0};

	if (clock_adjtime(CLOCK_REALTIME, &tx) < 0 || tx.tai == 0)
		return TIME_UNKNOWN;
	return tx.tai;
}

struct clock_anchor clock_anchor_take(enum anchor_reason reason)
{
	struct clock_anchor best = {.uncertainty_ns = INT64_MAX};

	for (int i = 0; i < READINGS; i++) {
		int64_t before_ns = nsec_now(CLOCK_MONOTONIC);
		int64_t utc_ns = nsec_now(CLOCK_REALTIME);
		int64_t raw_ns = nsec_now(CLOCK_MONOTONIC_RAW);
		int64_t after_ns = nsec_now(CLOCK_MONOTONIC);
		int64_t half_ns = (after_ns - before_ns + 1) / 2;

		if (half_ns < best.uncertainty_ns)
			best = (struct clock_anchor){
				.mono_ns = before_ns + half_ns,
				.raw_ns = raw_ns,
				.utc_ns = utc_ns,
				.uncertainty_ns = half_ns,
			};
	}
	best.tai_offset_s = kernel_tai_offset_s();
	best.reason = reason;
	return best;
}

bool clock_anchor_stepped(const struct clock_anchor *last, const struct clock_anchor *now,
			  int64_t limit_ns, int64_t *step_ns)
{
	int64_t moved_ns = (now->utc_ns - now->mono_ns) - (last->utc_ns - last->mono_ns);
	int64_t slewed_ns = (now->mono_ns - last->mono_ns) / SLEW_DIVISOR;

	if (llabs(moved_ns) <= limit_ns + slewed_ns + last->uncertainty_ns + now->uncertainty_ns)
		return false;
	*step_ns = moved_ns;
	return true;
}

int64_t timemap_to_utc(const struct clock_anchor *anchors, size_t n, int64_t mono_ns)
{
	size_t lo = 0;
	size_t hi = n;

	if (n == 0)
		return TIME_UNKNOWN;
	while (hi - lo > 1) { /* the last anchor at or before mono_ns lies in [lo, hi) */
		size_t mid = lo + (hi - lo) / 2;

		if (anchors[mid].mono_ns <= mono_ns)
			lo = mid;
		else
			hi = mid;
	}
	return anchors[lo].utc_ns + (mono_ns - anchors[lo].mono_ns);
}

int64_t timemap_to_mono(const struct clock_anchor *anchors, size_t n, int64_t utc_ns)
{
	if (n == 0)
		return TIME_UNKNOWN;
	for (size_t i = n; i-- > 1;)
		if (anchors[i].utc_ns <= utc_ns)
			return anchors[i].mono_ns + (utc_ns - anchors[i].utc_ns);
	return anchors[0].mono_ns + (utc_ns - anchors[0].utc_ns);
}
