/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/phc.h: one PHC, measured against CLOCK_REALTIME at an interval.
 *
 * phc2sys steers by what it measures; this is somebody else's measurement of the same, whatever the
 * role. A driver may take its time, or sleep for good, so a thread of its own reads it: what waits
 * for a slow bus is that thread, which waits ten times as long before the next reading, and the one
 * that follows ptp4l only finds a result in a socket, or after a while the lack of one.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/collect/phc_device.h"
#include "ptpmon/model/event.h"
#include "ptpmon/model/sample.h"

struct phc_source;

struct phc_source_options {
	const char *device; /* "/dev/ptp0" */
	int64_t interval_ns;
	unsigned readings; /* 1 to 25, of which the quickest counts */
	void (*on_sample)(void *userdata, const struct sample *s);
	void (*on_event)(void *userdata, const struct event *e);
	void *userdata;
};

/* The device need not be there yet. 0, or -errno. */
int phc_source_new(struct phc_source **out, const struct phc_source_options *options);

/* Waits a moment for a reading under way; one that does not end is left to its fate. */
struct phc_source *phc_source_free(struct phc_source *s);

/* Readable when there is something to receive. */
int phc_source_fd(const struct phc_source *s);
void phc_source_receive(struct phc_source *s);

/* Once a second: tells that a reading does not end, and of a jump that nobody has explained. */
void phc_source_tick(struct phc_source *s, int64_t now_mono_ns);

/* We have set it ourselves, a moment before: no jump to tell of. */
void phc_source_was_set(struct phc_source *s, int64_t mono_ns);

/*
 * TAI - UTC, or what else the PHC is ahead of UTC by design, from the next reading on. A sample's
 * value is CLOCK_REALTIME - (PHC - this): positive means that the system clock is ahead.
 */
void phc_source_set_utc_offset(struct phc_source *s, int64_t seconds);

/* What is known; texts live as long as the source. */
struct phc_facts {
	const char *name;           /* "ptp0" */
	bool known;                 /* there was a reading, and it is: */
	struct phc_reading reading; /* the newest */
	int64_t sys_minus_phc_ns;
	int64_t utc_offset_s; /* that this was made with */
	bool stuck;
	int error;            /* errno of the newest try, 0 */
	int64_t silent_since; /* mono_ns: a reading is under way since then; 0: none */
	unsigned jumps;
};
struct phc_facts phc_source_facts(const struct phc_source *s);
