/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long a subscription may be. ptp4l blocks, and PTP with it, once about 278 pushes wait for a
 * client that doesn't read; so rate times duration stays within half of that. The rate is learnt
 * from the ingress times of TIME_STATUS_NP: a slave's logSyncInterval is not its master's rate.
 */
#pragma once

#include "pmc-client/client.h"

enum { PUSH_BUDGET_INTERVALS = 8 };

/* All zero: nothing learnt yet. */
struct push_budget {
	int64_t last_ingress_ns;
	int64_t intervals_ns[PUSH_BUDGET_INTERVALS]; /* the latest ones, in a ring */
	unsigned int n;
};

void push_budget_learn(struct push_budget *b, int64_t ingress_time_ns);

/* The mean of the latest distances of two Syncs, without those that lack one; 0: not known. */
int64_t push_budget_interval_ns(const struct push_budget *b);

/*
 * The longest duration for the learnt rate, see pmc_subscription_max_s(). While nothing is learnt
 * it is the shortest there is, which suits every rate that can be subscribed to.
 */
uint16_t push_budget_max_s(const struct push_budget *b);
