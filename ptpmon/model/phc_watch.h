/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/phc_watch.h: whether a PHC runs, stands still, or was moved, from its readings.
 * Pure.
 *
 * Judged against CLOCK_MONOTONIC and against its own pace so far: a servo may pull a clock by
 * thousands of ppm, which is no jump as long as it goes on like that.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct phc_point {
	int64_t mono_ns, phc_ns; /* both clocks at one moment … */
	int64_t uncertainty_ns;  /* … or so */
	bool frozen;             /* it showed the same, several times within this reading */
};

enum phc_course {
	PHC_COURSE_FIRST, /* nothing to compare with */
	PHC_COURSE_RUNS,
	PHC_COURSE_JUMPED,
	PHC_COURSE_STUCK,
};

/* Begins as {0}. */
struct phc_watch {
	bool known;
	struct phc_point last;
	double pace;     /* how much faster than CLOCK_MONOTONIC it runs, as a fraction */
	bool was_jump;   /* the reading before was told as a jump … */
	double new_pace; /* … unless this is its pace now */
};

/* *jump_ns: by how much it was moved, with PHC_COURSE_JUMPED; positive is forward. */
enum phc_course phc_watch_feed(struct phc_watch *w, const struct phc_point *p, int64_t *jump_ns);
