/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/step_watch.h: tells a step of CLOCK_REALTIME from a slew, by readings of it against
 * CLOCK_MONOTONIC. Pure.
 *
 * The kernel slews both clocks alike; one that something else keeps (a virtual machine's, a lab's)
 * may be pulled against CLOCK_MONOTONIC by a tenth, 100 000 ppm: in a second, more than many a
 * step. What tells them apart: a slew goes on, if only at a fraction, and a step does not. So a
 * move that is no more than a slew can do is a step only if it has ended by the next reading, and
 * what is slewed already may be slewed a good deal faster or slower.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define STEP_LIMIT_NS INT64_C(1000000) /* a step is more than this */

struct step_reading {
	int64_t mono_ns, utc_ns; /* both clocks at one moment … */
	int64_t uncertainty_ns;  /* … or so */
	bool was_set;            /* the kernel says that somebody has set it since the last one */
};

/* Begins as {0}. */
struct step_watch {
	bool known;
	struct step_reading last;
	double pace;        /* how fast it was slewed between the last two: 0.1 is 100 000 ppm */
	int64_t pending_ns; /* moved by this between the last two: a step, unless it goes on */
	double pending_pace;
};

/* By how much it was stepped; 0: it was not. */
int64_t step_watch_feed(struct step_watch *w, const struct step_reading *now);

/* What is pending is known to be a slew: whoever does it has said so. */
void step_watch_slewed(struct step_watch *w);
