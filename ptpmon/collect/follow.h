/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/follow.h: from polls of TIME_STATUS_NP to each servo update once.
 *
 * Pure: fed with answers and times, no I/O. ptp4l keeps only its newest update (linuxptp
 * clock.c, clock_synchronize()), so a poll that comes too late finds the one after. An update is
 * recognised by its ingress time; ptp4l zeroes that when it steps the clock (the offset is then
 * the step's, and new) and when it loses its master (the offset is then the old one).
 *
 * How many updates there really were is told by PORT_STATS_NP: each update comes with one
 * Follow_Up, or with one Sync from a one-step master. A count is taken between two polls that show
 * the same update, so it belongs to that update; what it exceeds the updates seen by was missed,
 * and is declared with the next sample: seen + declared = the increase of the count.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/model/sample.h"

enum { FOLLOW_ARRIVALS = 32 };

enum follow_outcome {
	FOLLOW_NOTHING, /* no news, or nothing that is an offset */
	FOLLOW_SAMPLE,  /* *out is an update not seen before */
	FOLLOW_LOST,    /* there is no master any more; told once */
};

struct follow_options {
	bool real_time_stamps;      /* ingress times are CLOCK_REALTIME (software timestamping) */
	bool end_to_end;            /* E2E: offset 0 before the first path delay is no offset */
	int64_t not_before_mono_ns; /* recorded already up to here; INT64_MIN: nothing was */
};

struct follow {
	struct follow_options options;
	int64_t interval_ns; /* of the updates, learnt; 0: not yet */
	uint64_t seen, declared;

	bool started;                  /* a first answer has come */
	bool lost;                     /* the master was lost, and nothing was measured since */
	int64_t ingress_ns, offset_ns; /* of the newest update */
	int64_t update_mono_ns;        /* its moment; INT64_MIN: none yet */
	int64_t floor_mono_ns;         /* samples are in order: later than this */
	unsigned fruitless;            /* polls since then */
	int64_t hurry_until_mono_ns;   /* poll quickly: the interval is being learnt */

	bool want_count;  /* ask for PORT_STATS_NP, then for TIME_STATUS_NP again */
	bool count_waits; /* an answer waits for the poll after it */
	uint64_t count;   /* that answer */
	int64_t count_ingress_ns;
	bool anchored;                      /* the three below are valid */
	uint64_t anchor_count, anchor_seen; /* counted = seen + declared + (count - anchor) … */
	int64_t anchor_ingress_ns;
	int64_t counted_mono_ns; /* when a count was last applied */
	uint32_t missed;         /* to be declared with the next sample */

	int64_t arrivals_ns[FOLLOW_ARRIVALS]; /* seen - ingress, for stamps of an unknown clock */
	unsigned n_arrivals;
};

/* One answer to GET TIME_STATUS_NP. */
struct follow_status {
	int64_t ingress_ns, offset_ns;
	int64_t seen_mono_ns;
	int64_t real_minus_mono_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC when it was seen */
	int64_t mean_path_delay_ns; /* newest known, or SAMPLE_UNKNOWN; 0 only before the first */
};

void follow_init(struct follow *f, const struct follow_options *options);

/* ptp4l was started anew: its counters and times begin again. Returns what was missed and not
 * declared. */
uint32_t follow_restart(struct follow *f, int64_t now_mono_ns);

/* A master was selected: updates are about to come. */
void follow_expect(struct follow *f, int64_t now_mono_ns);

/* *out lacks series and delay, which only the caller knows. */
enum follow_outcome follow_status(struct follow *f, const struct follow_status *s,
				  struct sample *out);

/* The answer to GET PORT_STATS_NP: Follow_Ups received, or Syncs from a one-step master. */
void follow_count(struct follow *f, uint64_t count);

/* When TIME_STATUS_NP is to be asked for again. */
int64_t follow_next_poll(const struct follow *f, int64_t now_mono_ns);
