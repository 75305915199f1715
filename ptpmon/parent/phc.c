/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one thing that the parent does to a clock: a grandmaster's PHC gets its time. */
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/ethtool.h"
#include "ptpmon/parent/state.h"
#include "ptpmon/supervise/phc_set.h"

#define PHC_TIMEOUT_NS (2 * NSEC_PER_SEC) /* far more than a bus takes; nothing waits longer */

/* The PHC of its first port, which is that of all, or ptp4l would not take them. 0, or -errno. */
static int find_phc(const struct config_ptp4l *ptp4l, int *index)
{
	struct ethtool_timestamping stamps = {.phc_index = ETHTOOL_NO_PHC};
	int r = ethtool_timestamping_get(ptp4l->interfaces.name[0], &stamps);

	*index = stamps.phc_index;
	return r;
}

/* The ptp4l that steers it as a slave; NULL: none does. Never two writers on one PHC. */
static const struct config_ptp4l *steered_by(const struct config *c, int index)
{
	int other;

	for (size_t i = 0; i < c->n_ptp4l; i++)
		if (config_ptp4l_steers(&c->ptp4l[i]) &&
		    c->ptp4l[i].timestamping != TIMESTAMPING_SOFTWARE &&
		    find_phc(&c->ptp4l[i], &other) == 0 && other == index)
			return &c->ptp4l[i];
	return NULL;
}

static struct event feed(const struct config *c, const struct config_ptp4l *ptp4l, bool *done)
{
	const char *port = ptp4l->interfaces.name[0];
	struct phc_set_report report = {0};
	const struct config_ptp4l *other;
	char device[ETHTOOL_DEVICE_MAX];
	int index;
	int r = find_phc(ptp4l, &index);

	if (r < 0 || index == ETHTOOL_NO_PHC)
		return event_make(EVENT_PHC_NOT_SET, nsec_now(CLOCK_MONOTONIC), port,
				  "%s: has no PHC to set%s%s: say [%s] timestamping = software",
				  port, r < 0 ? ": " : "", r < 0 ? strerror(-r) : "", ptp4l->child);
	(void)ethtool_phc_device(index, device);
	other = steered_by(c, index);
	if (other)
		return event_make(EVENT_PHC_LEFT_ALONE, nsec_now(CLOCK_MONOTONIC), device,
				  "%s: left alone: [%s] steers it", device, other->child);
	r = phc_set(
		&(struct phc_set_plan){
			.path = device,
			.feed = c->phc2sys.feed,
			.utc_offset_s = c->phc2sys.utc_offset_s,
			.timeout_ns = PHC_TIMEOUT_NS,
		},
		&report);
	*done = r == 0 && report.step == PHC_SET_DONE && report.feeding != PHC_NO_REFERENCE;
	return phc_set_event(device, r, &report, nsec_now(CLOCK_MONOTONIC));
}

void parent_feed_phc(struct supervised *s)
{
	const struct config *c = s->parent->config;
	const struct config_ptp4l *ptp4l = &c->ptp4l[s->instance];
	struct event e;

	if (s->phc_done || !config_ptp4l_feeds(c, ptp4l))
		return;
	e = feed(c, ptp4l, &s->phc_done);
	parent_tell(s, &e);
}
