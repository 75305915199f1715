/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/alarm.h: turns numbers into alarms that are raised, cleared, and kept until read.
 *
 * An alarm is one quantity of one subject (the offset of eth0). It is raised when its limit was
 * reached in n of the last m numbers, and without a break for hold_before_ns; it is cleared when
 * the number has stayed at its clear value or better for hold_ns. Between the two it stays as it
 * is. A condition is a number as well: 1 while it holds.
 *
 * What is not known is not fed but told by alarms_feed_unknown(): it never raises a limit's alarm
 * and never clears one. That there is no data is an alarm of its own, whose number is an age.
 *
 * One that was raised stays in the list, with how often and when last, until it is acknowledged.
 * Values without I/O: the time is an argument.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/event.h"

enum alarm_code {
	ALARM_OFFSET,
	ALARM_PHC,
	ALARM_LATENCY,
	ALARM_SILENT,
	ALARM_PORT_STATE,
	ALARM_CHILD,
	ALARM_SCHEDULE,
	ALARM_NOT_REALTIME,
	ALARM_STORE,
	ALARM_DISK,
	ALARM_DROPPED,
	ALARM_CODE_MAX
};

enum alarm_unit {
	ALARM_NS,
	ALARM_BYTES,
	ALARM_COUNT,
	ALARM_YES_NO, /* a condition: its number is 0 or 1 */
};

enum {
	ALARMS_MAX = 64,
	ALARM_SUBJECT_MAX = 32,
	ALARM_TEXT_MAX = NSEC_TEXT_MAX,
	ALARM_SAMPLES_MAX = 64
};

/* The stable name ("port-state"), what its number counts, how grave it is, what it means. */
const char *alarm_code_name(enum alarm_code code);
enum alarm_unit alarm_code_unit(enum alarm_code code);
enum severity alarm_code_severity(enum alarm_code code);
const char *alarm_code_meaning(enum alarm_code code);

/* The code of that name, or ALARM_CODE_MAX. */
enum alarm_code alarm_code_parse(const char *name);

/* A number of that alarm for people: "1.200 ms", "12.5 MiB", "3", "yes". */
const char *alarm_format_value(enum alarm_code code, int64_t value,
			       char out[static ALARM_TEXT_MAX]);

struct alarm_rule {
	bool on;
	int64_t limit; /* this or worse counts toward raising … */
	int64_t clear; /* … and this or better toward clearing */
	unsigned n, m; /* of so many numbers; m is at most ALARM_SAMPLES_MAX */
	int64_t hold_before_ns;
	int64_t hold_ns;
};

struct alarm {
	enum alarm_code code;
	char subject[ALARM_SUBJECT_MAX]; /* port, CPU, child, clock */
	bool raised;
	uint32_t count;        /* how often it was raised since it was acknowledged */
	int64_t since_mono_ns; /* when it was raised; after that, when it was cleared */
	int64_t last_mono_ns;  /* when the number was last at its limit or worse */
	int64_t value;         /* the newest that is known */
	int64_t worst;         /* since it was raised last */
	int64_t limit;
};

struct alarms {
	struct alarm_rule rules[ALARM_CODE_MAX]; /* to be changed as they like by the owner */
	size_t n;
	uint64_t lost; /* alarms for which there was no room */
	struct alarm_track {
		struct alarm alarm;
		uint64_t samples;        /* a bit each, the newest first: at the limit or worse */
		int64_t beyond_since_ns; /* without a break; 0: the newest was not */
		int64_t within_since_ns;
	} tracks[ALARMS_MAX];
};

/* Conditions are on, limits are off until somebody gives one. */
void alarms_init(struct alarms *a);

/* A limit's rule as it is configured: 0 for limit turns it off, 0 for clear means 3/4 of it. */
void alarms_set_limit(struct alarms *a, enum alarm_code code, int64_t limit, int64_t clear,
		      int64_t hold_ns);

/*
 * One number, at that moment. NULL: nothing changed; else the alarm, which has just been raised or
 * cleared (a->raised); good until the next call.
 */
const struct alarm *alarms_feed(struct alarms *a, enum alarm_code code, const char *subject,
				int64_t value, int64_t now_mono_ns);

/* There is no number now: holds begin anew. */
void alarms_feed_unknown(struct alarms *a, enum alarm_code code, const char *subject);

/* Copies what is raised or was and is not acknowledged: raised ones first. Returns how many. */
size_t alarms_list(const struct alarms *a, struct alarm *out, size_t max);

/* There is no such thing any more: nothing is kept of it. */
void alarms_forget(struct alarms *a, enum alarm_code code, const char *subject);

/*
 * What was last at its limit at that moment or before has been seen: what is cleared goes, what is
 * raised counts anew. Returns how many of them there were.
 */
size_t alarms_acknowledge(struct alarms *a, int64_t until_mono_ns);

/* The event of an alarm that was raised or cleared at that moment. */
struct event alarm_event(const struct alarm *alarm, int64_t now_mono_ns);
