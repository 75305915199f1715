/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/timemap.h: from CLOCK_MONOTONIC, the axis, to the time on the wall and back.
 *
 * The clock that is being steered cannot be the axis. Anchors (both clocks at one moment) are
 * taken at start, each minute, and whenever CLOCK_REALTIME was stepped; a moment is mapped by the
 * last anchor at or before it, one before all anchors by the first. So a step moves the wall
 * clock of what came after it, and neither reorders nor loses anything.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIME_UNKNOWN INT64_MIN

enum anchor_reason { ANCHOR_START, ANCHOR_PERIODIC, ANCHOR_STEP, ANCHOR_REASON_MAX };

const char *anchor_reason_name(enum anchor_reason reason);

/* The clocks at one moment. */
struct clock_anchor {
	int64_t mono_ns;        /* CLOCK_MONOTONIC */
	int64_t raw_ns;         /* CLOCK_MONOTONIC_RAW */
	int64_t utc_ns;         /* CLOCK_REALTIME */
	int64_t tai_offset_s;   /* the kernel's TAI - UTC, or TIME_UNKNOWN while that is 0 (not set)
				 */
	int64_t uncertainty_ns; /* half of what reading the clocks took */
	enum anchor_reason reason;
};

/* Reads the clocks: the quickest of a few bracketed readings. */
struct clock_anchor clock_anchor_take(enum anchor_reason reason);

/*
 * CLOCK_REALTIME - CLOCK_MONOTONIC in `now` differs from what `last` says by more than limit_ns?
 * Slewing moves it as well, by at most 500 ppm of the time between, which is allowed for.
 */
bool clock_anchor_stepped(const struct clock_anchor *last, const struct clock_anchor *now,
			  int64_t limit_ns, int64_t *step_ns);

/* n anchors in mono_ns order. UTC of a moment on the axis; TIME_UNKNOWN without any anchor. */
int64_t timemap_to_utc(const struct clock_anchor *anchors, size_t n, int64_t mono_ns);

/* The other way. Where a step back made a wall-clock time occur twice, the later occurrence. */
int64_t timemap_to_mono(const struct clock_anchor *anchors, size_t n, int64_t utc_ns);
