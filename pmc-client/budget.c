// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/budget.h"

enum {
	PUSHES_MAX = 139, /* half of the 278 pushes that block ptp4l on a connected socket */
	SUBSCRIPTION_MIN_S = 2,
	SUBSCRIPTION_MAX_S = 60,
};

static const int64_t second_ns = 1000000000;

uint16_t pmc_subscription_max_s(int64_t interval_ns)
{
	int64_t max_s;

	if (interval_ns >= second_ns)
		return SUBSCRIPTION_MAX_S;
	max_s = PUSHES_MAX * interval_ns / second_ns;
	if (max_s < SUBSCRIPTION_MIN_S)
		return 0;
	return (uint16_t)(max_s < SUBSCRIPTION_MAX_S ? max_s : SUBSCRIPTION_MAX_S);
}

void push_budget_learn(struct push_budget *b, int64_t ingress_time_ns)
{
	int64_t interval_ns = ingress_time_ns - b->last_ingress_ns;

	/* 0 after a step or without a master; the same as before when asked twice between two Syncs
	 */
	if (ingress_time_ns == 0 || interval_ns == 0)
		return;
	if (b->last_ingress_ns != 0 && interval_ns > 0)
		b->intervals_ns[b->n++ % PUSH_BUDGET_INTERVALS] = interval_ns;
	b->last_ingress_ns = ingress_time_ns;
}

/*
 * Syncs come early and late, so the shortest distance alone would refuse a rate that is allowed.
 * One of twice that has a Sync in its middle that was not seen.
 */
int64_t push_budget_interval_ns(const struct push_budget *b)
{
	unsigned int n = b->n < PUSH_BUDGET_INTERVALS ? b->n : PUSH_BUDGET_INTERVALS;
	int64_t shortest_ns = INT64_MAX;
	int64_t excess_ns = 0;
	int64_t counted = 0;

	for (unsigned int i = 0; i < n; i++)
		if (b->intervals_ns[i] < shortest_ns)
			shortest_ns = b->intervals_ns[i];
	for (unsigned int i = 0; i < n; i++)
		if (b->intervals_ns[i] - shortest_ns < shortest_ns) {
			excess_ns += (b->intervals_ns[i] - shortest_ns) / PUSH_BUDGET_INTERVALS;
			counted++;
		}
	return counted == 0 ? 0 : shortest_ns + excess_ns * PUSH_BUDGET_INTERVALS / counted;
}

uint16_t push_budget_max_s(const struct push_budget *b)
{
	int64_t interval_ns = push_budget_interval_ns(b);

	return interval_ns == 0 ? SUBSCRIPTION_MIN_S : pmc_subscription_max_s(interval_ns);
}
