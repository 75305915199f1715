/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From answers to GET TIME_STATUS_NP to each servo update once.
 *
 * Pure: fed with answers and times, no I/O. ptp4l keeps only its newest update (linuxptp
 * clock.c, clock_synchronize()), so a poll that comes too late finds the one after. An update is
 * recognised by its ingress time; ptp4l zeroes that when it steps the clock (the offset is then
 * the step's, and new) and when it loses its master (the offset is then the old one).
 *
 * How many updates there really were is told by PORT_STATS_NP: each update comes with one
 * Follow_Up, or with one Sync from a one-step master. A count is taken between two polls that show
 * the same update, so it belongs to that update; what it exceeds the updates seen by was missed,
 * and is declared with the next update: seen + declared = the increase of the count.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { PMC_FOLLOW_ARRIVALS = 32 };

#define PMC_FOLLOW_UNKNOWN INT64_MIN

enum pmc_follow_outcome {
	PMC_FOLLOW_NOTHING, /* no news, or nothing that is an offset */
	PMC_FOLLOW_UPDATE,  /* *out is an update not seen before */
	PMC_FOLLOW_LOST,    /* there is no master any more; told once */
};

struct pmc_follow_options {
	bool real_time_stamps;      /* ingress times are CLOCK_REALTIME (software timestamping) */
	bool end_to_end;            /* E2E: offset 0 before the first path delay is no offset */
	int64_t not_before_mono_ns; /* recorded already up to here; INT64_MIN: nothing was */
};

enum pmc_update_flag {
	PMC_UPDATE_STEP = 1 << 0,         /* the servo stepped the clock with this very offset */
	PMC_UPDATE_TIME_ASSUMED = 1 << 1, /* mono_ns is when it was read, not its own moment */
};

struct pmc_update {
	uint32_t flags;    /* enum pmc_update_flag */
	uint32_t missed;   /* updates between the one before and this, unseen */
	int64_t mono_ns;   /* CLOCK_MONOTONIC of its moment: when its Sync came in */
	int64_t offset_ns; /* local minus master */
};

struct pmc_follow {
	struct pmc_follow_options options;
	int64_t interval_ns; /* of the updates, learnt; 0: not yet */
	uint64_t seen, declared;

	bool started;                  /* a first answer has come */
	bool lost;                     /* the master was lost, and nothing was measured since */
	int64_t ingress_ns, offset_ns; /* of the newest update */
	int64_t update_mono_ns;        /* its moment; INT64_MIN: none yet */
	int64_t floor_mono_ns;         /* updates are in order: later than this */
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
	uint32_t missed;         /* to be declared with the next update */

	int64_t arrivals_ns[PMC_FOLLOW_ARRIVALS]; /* seen - ingress, for stamps of an unknown clock
						   */
	unsigned n_arrivals;
};

/* One answer to GET TIME_STATUS_NP. */
struct pmc_follow_status {
	int64_t ingress_ns, offset_ns;
	int64_t seen_mono_ns;
	int64_t real_minus_mono_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC when it was seen */
	int64_t mean_path_delay_ns; /* newest known, or PMC_FOLLOW_UNKNOWN; 0 only before the first
				     */
};

void pmc_follow_init(struct pmc_follow *f, const struct pmc_follow_options *options);

/* ptp4l was started anew: its counters and times begin again. Returns what was missed and not
 * declared. */
uint32_t pmc_follow_restart(struct pmc_follow *f, int64_t now_mono_ns);

/* A master was selected: updates are about to come. */
void pmc_follow_expect(struct pmc_follow *f, int64_t now_mono_ns);

/* *out is written with PMC_FOLLOW_UPDATE only. */
enum pmc_follow_outcome pmc_follow_status(struct pmc_follow *f, const struct pmc_follow_status *s,
					  struct pmc_update *out);

/* The answer to GET PORT_STATS_NP: Follow_Ups received, or Syncs from a one-step master. */
void pmc_follow_count(struct pmc_follow *f, uint64_t count);

/* When TIME_STATUS_NP is to be asked for again. */
int64_t pmc_follow_next_poll(const struct pmc_follow *f, int64_t now_mono_ns);
