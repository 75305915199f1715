/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Following a clock: each update of ptp4l's servo once, in order, and every one that was missed
 * declared.
 *
 * A follower asks through a client that may ask other things as well: hand it every message that
 * the client gets, and let it ask whenever it is due. Where ptp4l can push each update (linuxptp
 * 4.0 and later, the read-write socket) and the rate of Syncs allows it within what ptp4l survives
 * (see pmc_subscription_max_s()), updates are pushed; elsewhere it polls at the rate that it learns
 * from ingress times. Pushes that stop by themselves are noticed and ordered again, with polls in
 * between. Either way ptp4l's own count of what it received is the measure:
 *
 *   yielded + missed + unused = increase of rx_Follow_Up (rx_Sync of a one-step master)
 *
 * It finds the port that is a slave by itself. No I/O but through the client, no allocation after
 * creation; one follower and its client belong to one thread at a time.
 */
#pragma once

#include "pmc-client/client.h"

struct pmc_follower;

struct pmc_follower_options {
	bool real_time_stamps;      /* ingress times are CLOCK_REALTIME: software timestamping */
	bool never_push;            /* always poll */
	int64_t not_before_mono_ns; /* known already up to here; INT64_MIN: nothing is */
	/*
	 * Subscribed to as well (enum pmc_event, those without a rate): a SET of the subscription
	 * would replace the follower's, so leave subscribing to it.
	 */
	uint32_t events;
};

enum pmc_follow_outcome {
	PMC_FOLLOW_NOTHING, /* no news, or nothing that is an offset */
	PMC_FOLLOW_UPDATE,  /* *out is an update not yielded before */
	PMC_FOLLOW_LOST,    /* there is no master any more; told once */
};

enum pmc_update_flag {
	PMC_UPDATE_STEP = 1 << 0,         /* the servo stepped the clock with this very offset */
	PMC_UPDATE_TIME_ASSUMED = 1 << 1, /* mono_ns is when it was read, not its own moment */
	PMC_UPDATE_UNLOCKED = 1 << 2,     /* the port was not SLAVE */
	PMC_UPDATE_PUSHED = 1 << 3,       /* it came without being asked for */
};

#define PMC_DELAY_UNKNOWN INT64_MIN

struct pmc_update {
	uint32_t flags;    /* enum pmc_update_flag */
	uint32_t missed;   /* updates between the one before and this, or before that, unseen */
	uint32_t unused;   /* what ptp4l received meanwhile and made no update of */
	int64_t mono_ns;   /* CLOCK_MONOTONIC of its moment: when its Sync came in */
	int64_t offset_ns; /* local minus master */
	int64_t delay_ns;  /* mean path delay (E2E) or peer delay (P2P); or PMC_DELAY_UNKNOWN */
	/*
	 * Set with the first update that is pushed after pushes had stopped by themselves: the gap
	 * began with the last update before it, at this moment, and ends with this one. Polling
	 * yielded what there was in between, but for what is declared missed. Else 0.
	 */
	int64_t pushes_stopped_mono_ns;
};

/* What is known now. */
struct pmc_follower_state {
	uint16_t port;       /* the slave's; 0: none is */
	bool pushed;         /* updates come by pushes */
	int64_t interval_ns; /* of the updates, learnt; 0: not yet */
	int64_t delay_ns;    /* or PMC_DELAY_UNKNOWN */
	uint64_t yielded, missed, unused;
};

/*
 * The client must outlive the follower. 0; -EINVAL: options->events has TIME_SYNC or CMLDS;
 * -ENOMEM. *out changes only on success.
 */
PMC_EXPORT int pmc_follower_new(struct pmc_follower **out, struct pmc_client *client,
				const struct pmc_follower_options *options);

/* Takes NULL, returns NULL. */
PMC_EXPORT struct pmc_follower *pmc_follower_free(struct pmc_follower *f);

/*
 * The client has connected to a ptp4l that may be another: its counters begin again. Returns what
 * was missed of the old one and has no update to be declared with.
 */
PMC_EXPORT uint32_t pmc_follower_restart(struct pmc_follower *f, int64_t now_mono_ns);

/*
 * The update that waits for its count, if there is one: before a restart, and at the end.
 * PMC_FOLLOW_UPDATE or PMC_FOLLOW_NOTHING.
 */
PMC_EXPORT enum pmc_follow_outcome pmc_follower_release(struct pmc_follower *f,
							struct pmc_update *out);

/* When pmc_follower_ask() has something to ask (CLOCK_MONOTONIC), INT64_MAX if never. */
PMC_EXPORT int64_t pmc_follower_due_ns(const struct pmc_follower *f);

/*
 * Ask what is due, if something is. 0, or what pmc_client_get() and pmc_client_subscribe() return:
 * -EBUSY while the client waits for an answer; -EAGAIN: ptp4l's queue is full, so it will be tried
 * again in a while; -ENOTCONN ... : connect, then pmc_follower_restart().
 */
PMC_EXPORT int pmc_follower_ask(struct pmc_follower *f, int64_t now_mono_ns);

/* Hand over a message of the client, any of them. *out is written with PMC_FOLLOW_UPDATE only. */
PMC_EXPORT enum pmc_follow_outcome
pmc_follower_message(struct pmc_follower *f, const struct pmc_message *m, struct pmc_update *out);

PMC_EXPORT struct pmc_follower_state pmc_follower_state(const struct pmc_follower *f);
