/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/phc_watch.h"

#include <math.h>

#include "ptpmon/base/nsec.h"

/* A change of place beyond this is no change of pace: 1 ms, and 500 ppm of the time between. */
#define LEAST_JUMP_NS (double)NSEC_PER_MSEC
#define PACE_CHANGE   500e-6
#define STANDS_STILL  1e-3 /* a pace below this fraction of the real one */

enum phc_course phc_watch_feed(struct phc_watch *w, const struct phc_point *p, int64_t *jump_ns)
{
	const struct phc_point last = w->last;
	double elapsed = (double)(p->mono_ns - last.mono_ns);
	double advance = (double)(p->phc_ns - last.phc_ns);
	double ahead = advance - elapsed;
	double limit = LEAST_JUMP_NS + PACE_CHANGE * elapsed +
		       (double)(p->uncertainty_ns + last.uncertainty_ns);
	double surprise = ahead - w->pace * elapsed;

	if (!w->known || elapsed <= 0) {
		*w = (struct phc_watch){.known = true, .last = *p};
		return PHC_COURSE_FIRST;
	}
	w->last = *p;
	if ((advance >= 0 && advance < elapsed * STANDS_STILL) ||
	    (p->frozen && fabs(surprise) > limit))
		return PHC_COURSE_STUCK;
	if (fabs(surprise) <= limit) {
		w->pace = ahead / elapsed;
		w->was_jump = false;
		return PHC_COURSE_RUNS;
	}
	if (w->was_jump && fabs(ahead - w->new_pace * elapsed) <= limit) {
		w->pace = ahead / elapsed;
		w->was_jump = false;
		return PHC_COURSE_RUNS;
	}
	w->was_jump = true;
	w->new_pace = ahead / elapsed;
	*jump_ns = (int64_t)surprise;
	return PHC_COURSE_JUMPED;
}
