/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/timescale.h: what a grandmaster's time is, and what may be said of it. Pure rules.
 *
 * Three clocks: CLOCK_REALTIME is UTC; a PHC under ptp4l is TAI, which is UTC + (TAI - UTC); and a
 * PHC that nobody has set counts from anywhere. A slave that is told too much ends whole seconds
 * wrong, so a flag is set only while something vouches for what it says.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/base/leap_seconds.h"
#include "ptpmon/base/realtime.h"

/* How a grandmaster's PHC gets its time. */
enum feed {
	FEED_NONE,   /* ptpmon leaves it alone */
	FEED_ONCE,   /* set before ptp4l starts if it is far off, then free-running */
	FEED_FOLLOW, /* the same, and phc2sys steers it by CLOCK_REALTIME */
	FEED_MAX
};

/* Whether a PHC from before ptpmon was built may steer CLOCK_REALTIME. */
enum epoch { EPOCH_GUARDED, EPOCH_ARBITRARY, EPOCH_MAX };

/* The moment before which no clock can be right: see meson.build. */
int64_t timescale_build_utc_ns(void);

/* TAI - UTC */

enum utc_source {
	UTC_FROM_KEY,
	UTC_FROM_KERNEL,
	UTC_FROM_TABLE,
	UTC_FROM_EXPIRED_TABLE,
	UTC_FROM_BUILD, /* as it was when ptpmon was built */
	UTC_SOURCE_MAX
};

#define UTC_OFFSET_AUTO  INT64_MIN /* no key: find it out */
#define UTC_OFFSET_BUILD 37        /* since 2017 */

struct utc_offset {
	int64_t seconds;
	enum utc_source source;
};

/* "configuration", "kernel", "leap-seconds.list", "expired leap-seconds.list", "built in" */
const char *utc_source_name(enum utc_source source);

/*
 * The key, else the kernel's unless that is 0, else the table's for utc_ns (not earlier than the
 * build), else 37. table may be NULL.
 */
struct utc_offset utc_offset_choose(int64_t key_s, int64_t kernel_s, const struct leap_table *table,
				    int64_t utc_ns, int64_t build_utc_ns);

/* CLOCK_REALTIME */

/* Nearer than this, by the kernel's own bound, it knows the second; it is lost from twice that on.
 */
#define REALTIME_GOOD_NS INT64_C(2000000000)

enum realtime_trust {
	REALTIME_GOOD,
	REALTIME_BEFORE_BUILD,   /* certainly wrong */
	REALTIME_UNSYNCHRONISED, /* nobody disciplines it */
	REALTIME_UNCERTAIN,      /* not for long enough */
	REALTIME_TRUST_MAX
};

/* was_good: it was so a moment ago; then a bit more error is forgiven. */
enum realtime_trust realtime_judge(const struct realtime *r, int64_t build_utc_ns, bool was_good);

/* Why it is not known to be good; "known to be good". */
const char *realtime_trust_text(enum realtime_trust trust);

/* Setting a PHC */

#define PHC_FAR_NS INT64_C(1000000000)

enum phc_feeding {
	PHC_LEAVE,        /* nothing asked for, or near enough */
	PHC_SET,          /* to CLOCK_REALTIME + TAI - UTC */
	PHC_NO_REFERENCE, /* far off, but so is CLOCK_REALTIME, certainly */
};

/* error_ns: PHC - (CLOCK_REALTIME + TAI - UTC); positive means that the PHC is ahead. */
enum phc_feeding phc_feeding_decide(enum feed feed, int64_t error_ns, enum realtime_trust trust);

/* The epoch guard: is phc2sys -> CLOCK_REALTIME held back from a PHC that shows this? */
bool epoch_holds(enum epoch epoch, int64_t phc_ns, int64_t build_utc_ns);

/* TAI - UTC, or one second less or more, forgotten or applied twice: seconds that explain an offset
 * to a tenth of a second, with its sign; 0: it is something else. */
int64_t utc_offset_explains(int64_t offset_ns, int64_t tai_offset_s);

/* What a grandmaster announces */

#define CLOCK_CLASS_AUTO INT64_MIN /* as ptp4l has it */

struct timescale_facts {
	bool hardware_stamps; /* the PHC is what is given out, else CLOCK_REALTIME is */
	enum feed feed;
	struct utc_offset utc;
	enum realtime_trust trust;
	bool phc_known; /* and how far it is off, as above */
	int64_t phc_error_ns;
	int64_t clock_class; /* or CLOCK_CLASS_AUTO */
};

/* What GRANDMASTER_SETTINGS_NP is to say; everything else of it stays as ptp4l has it. */
struct announcement {
	uint8_t flags_mask; /* the flags (enum ptp_time_flags) that are decided here … */
	uint8_t flags;      /* … and how */
	int16_t utc_offset_s;
	int64_t clock_class; /* or CLOCK_CLASS_AUTO */
};

/*
 * ptpTimescale is what the time stamps are: a PHC's are TAI, software ones are CLOCK_REALTIME's,
 * UTC. UTC valid and time traceable take a CLOCK_REALTIME that is known to be good, and a PHC that
 * is not known to be far from it. Frequency traceable takes a clock that is steered by it: not that
 * of a PHC left alone, and with FEED_NONE that is not ours to say.
 */
struct announcement announcement_make(const struct timescale_facts *f);

/* What a slave is told */

enum received_scale {
	RECEIVED_GOOD,
	RECEIVED_ARBITRARY,    /* not the PTP time scale */
	RECEIVED_UTC_INVALID,  /* TAI, but nobody vouches for TAI - UTC */
	RECEIVED_UTC_MISMATCH, /* TAI - UTC is not what our table says */
	RECEIVED_MAX
};

/* flags: enum ptp_time_flags. ours: without the kernel's, which ptp4l sets from what it is told. */
enum received_scale received_scale_judge(uint8_t flags, int64_t utc_offset_s,
					 const struct utc_offset *ours);
