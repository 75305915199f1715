/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/step_watch.h"

#include <math.h>
#include <stdlib.h>

#define PACE_NOISE 500e-6 /* no news: the kernel's adjtime() slews by as much */
#define PACE_MAX   0.1    /* no slew exceeds it */
#define SETTLES    20     /* a servo settles from second to second by no more than this factor */

static int64_t take_pending(struct step_watch *w)
{
	int64_t step_ns = w->pending_ns;

	w->pending_ns = 0;
	return step_ns;
}

int64_t step_watch_feed(struct step_watch *w, const struct step_reading *now)
{
	const struct step_reading last = w->last;
	double elapsed = (double)(now->mono_ns - last.mono_ns);
	int64_t moved_ns = (now->utc_ns - last.utc_ns) - (now->mono_ns - last.mono_ns);
	double size = fabs((double)moved_ns);
	double slack = (double)STEP_LIMIT_NS + PACE_NOISE * elapsed +
		       (double)(now->uncertainty_ns + last.uncertainty_ns);
	bool goes_on = w->pending_ns && (moved_ns > 0) == (w->pending_ns > 0) &&
		       size * SETTLES >= fabs((double)w->pending_ns);
	int64_t step_ns;

	w->last = *now;
	if (!w->known || elapsed <= 0) {
		w->known = true;
		return 0;
	}
	if ((now->was_set && size > slack) || size > PACE_MAX * elapsed + slack)
		return take_pending(w) + moved_ns - (int64_t)(w->pace * elapsed);
	if (goes_on || size <= SETTLES * fabs(w->pace) * elapsed + slack) {
		w->pace = (double)moved_ns / elapsed;
		step_ns = take_pending(w);
		return goes_on ? 0 : step_ns;
	}
	step_ns = take_pending(w);
	w->pending_ns = moved_ns;
	w->pending_pace = (double)moved_ns / elapsed;
	return step_ns;
}

void step_watch_slewed(struct step_watch *w)
{
	if (w->pending_ns)
		w->pace = w->pending_pace;
	w->pending_ns = 0;
}
