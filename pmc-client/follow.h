/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From TIME_STATUS_NP, polled or pushed, to each servo update once: the rules that follower.h
 * keeps.
 *
 * Pure: fed with answers and times, no I/O. ptp4l keeps only its newest update (linuxptp
 * clock.c, clock_synchronize()), so a poll that comes too late finds the one after. An update is
 * recognised by its ingress time; ptp4l zeroes that when it steps the clock (the offset is then
 * the step's, and new) and when it loses its master (the offset is then the old one).
 *
 * ptp4l pushes an update before it does anything else, and its datagrams keep their order: so a
 * poll that shows an update that was not pushed says that pushes have ended.
 *
 * How many updates there really were is told by PORT_STATS_NP: each update comes with one
 * Follow_Up, or with one Sync from a one-step master. A count belongs to the update before it if
 * the poll after it shows the same update, or if an update is pushed next. What it exceeds the
 * updates seen by is declared with the update after the hole, which is held back for it, or with
 * the next if that takes too long: seen + declared = the increase of the count. If all since the
 * count before were pushed, in sequence, none can have been missed: then ptp4l received a Sync or a
 * Follow_Up whose partner it did not have, and made no update of it.
 */
#pragma once
#include "pmc-client/follower.h"

enum { PMC_FOLLOW_ARRIVALS = 32 };

struct pmc_follow_options {
	bool real_time_stamps;      /* ingress times are CLOCK_REALTIME (software timestamping) */
	int64_t not_before_mono_ns; /* recorded already up to here; INT64_MIN: nothing was */
};

struct pmc_follow {
	struct pmc_follow_options options;
	int64_t interval_ns; /* of the updates, learnt; 0: not yet */
	int64_t steady_ns;   /* of what ptp4l received in two long spans alike; 0: not so */
	uint64_t seen, missed, unused; /* yielded; declared as the one or the other */

	bool started;                  /* a first answer has come */
	bool lost;                     /* the master was lost, and nothing was measured since */
	unsigned fruitless;            /* polls since the newest update */
	int64_t ingress_ns, offset_ns; /* of that */
	int64_t update_mono_ns;        /* its moment; INT64_MIN: none yet */
	int64_t floor_mono_ns;         /* updates are in order: later than this */
	int64_t early_ns; /* polls are that much earlier, to learn when updates really come */
	int64_t hurry_until_mono_ns; /* poll quickly: the interval is being learnt */

	bool pushed;             /* updates come without being asked for */
	int64_t stopped_mono_ns; /* the last that came so, if they stopped by themselves; else 0 */

	bool want_count;  /* ask for PORT_STATS_NP, then for TIME_STATUS_NP again */
	bool count_waits; /* an answer, .count, waits for what comes after it */
	bool anchored;    /* .anchor_… are valid */
	bool unbroken;    /* pushed in sequence, all since the anchor */
	bool span_begun;  /* .span_count and .span_update_ns are valid */
	uint64_t count;   /* that answer */
	int64_t excess;   /* of Syncs over Follow_Ups, in it */
	int64_t count_ingress_ns, count_update_ns; /* of the update it was asked after */
	uint64_t anchor_count, anchor_known; /* received; and yielded or accounted for by then */
	int64_t anchor_update_ns;
	int64_t excess_before[2]; /* at the last two anchors: a Sync may be waiting for its
				     Follow_Up */
	int64_t counted_mono_ns;  /* when a count was last applied */
	uint64_t span_count;      /* received at the begin of the span, and when */
	int64_t span_update_ns;
	int64_t span_interval_ns;          /* of the span before; 0: none */
	uint32_t more_missed, more_unused; /* to be declared with the next update */

	bool held; /* an update after a hole waits for the count that says what was missed */
	int64_t held_until_mono_ns;
	struct pmc_update held_update;

	int64_t arrivals_ns[PMC_FOLLOW_ARRIVALS]; /* seen - ingress, of an unknown clock */
	unsigned n_arrivals;
};

/* One TIME_STATUS_NP. */
struct pmc_follow_status {
	bool pushed;     /* not asked for */
	bool after_hole; /* pushes may be missing between the one before and this */
	int64_t ingress_ns, offset_ns;
	int64_t seen_mono_ns;
	int64_t real_minus_mono_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC when it was seen */
	int64_t mean_path_delay_ns; /* newest known; 0: none was measured yet */
};

void pmc_follow_init(struct pmc_follow *f, const struct pmc_follow_options *options);

/* ptp4l was started anew: its counters and times begin again. Returns what was missed and not
 * declared. */
uint32_t pmc_follow_restart(struct pmc_follow *f, int64_t now_mono_ns);

/* A master was selected: updates are about to come. */
void pmc_follow_expect(struct pmc_follow *f, int64_t now_mono_ns);

/* An update that is held back goes as it is: before a restart, and at the end. */
enum pmc_follow_outcome pmc_follow_release(struct pmc_follow *f, struct pmc_update *out);

/* Pushes have ended: by themselves, or because they were cancelled. */
void pmc_follow_pushes_end(struct pmc_follow *f, bool cancelled);

/* *out is written, but for delay and PMC_UPDATE_UNLOCKED, with PMC_FOLLOW_UPDATE only. */
enum pmc_follow_outcome pmc_follow_status(struct pmc_follow *f, const struct pmc_follow_status *s,
					  struct pmc_update *out);

/*
 * The answer to GET PORT_STATS_NP: Follow_Ups received, or Syncs from a one-step master; and Syncs.
 * A Follow_Up whose Sync was lost made no update.
 */
void pmc_follow_count(struct pmc_follow *f, uint64_t count, uint64_t syncs);

/* When TIME_STATUS_NP is to be asked for again. */
int64_t pmc_follow_next_poll(const struct pmc_follow *f, int64_t now_mono_ns);
