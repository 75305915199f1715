/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/supervise/phc_set.h: gives a grandmaster's PHC its time before ptp4l serves it.
 *
 * Drivers load a PHC with UTC, or with nothing; ptp4l announces what it holds as TAI. Opening,
 * reading and setting a PHC can take as long as its driver likes, so all of it happens in a child
 * that is waited for no longer than a bound, as does reading the table of leap seconds.
 */
#pragma once
#include <stdint.h>

#include "ptpmon/model/event.h"
#include "ptpmon/model/timescale.h"

enum phc_set_step { PHC_SET_OPEN, PHC_SET_READ, PHC_SET_SET, PHC_SET_VERIFY, PHC_SET_DONE };

struct phc_set_plan {
	const char *path; /* "/dev/ptp0" */
	enum feed feed;
	int64_t utc_offset_s; /* of the configuration, or UTC_OFFSET_AUTO */
	int64_t timeout_ns;
};

struct phc_set_report {
	enum phc_set_step step;   /* where it failed, or PHC_SET_DONE */
	int error;                /* errno, if it failed */
	enum phc_feeding feeding; /* what was decided, from PHC_SET_SET on */
	enum realtime_trust trust;
	struct utc_offset utc;
	int64_t error_ns; /* PHC - (CLOCK_REALTIME + TAI - UTC) as it was found; positive: ahead */
	int64_t left_ns;  /* the same afterwards */
};

/*
 * Blocks for timeout_ns at most: for before ptp4l starts, and for nothing else. 0: see out->step;
 * -ETIMEDOUT: the driver did not answer in time; -EPROTO: the child died; or -errno. A child that
 * cannot even be killed, since its driver sleeps for good, is left behind.
 */
int phc_set(const struct phc_set_plan *plan, struct phc_set_report *out);

/* What to tell of it, with the fix if there is one. result: what phc_set() returned. */
struct event phc_set_event(const char *path, int result, const struct phc_set_report *report,
			   int64_t mono_ns);
