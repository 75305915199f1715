/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/gate.h"

#include <stdlib.h>

static bool not_wanted(const struct gate_policy *p, const struct gate_input *in)
{
	return !in->wanted;
}

static bool no_sink(const struct gate_policy *p, const struct gate_input *in)
{
	return in->sink_missing;
}

static bool sink_taken(const struct gate_policy *p, const struct gate_input *in)
{
	return in->sink_taken;
}

static bool no_slave(const struct gate_policy *p, const struct gate_input *in)
{
	return !in->slave;
}

static bool no_phc(const struct gate_policy *p, const struct gate_input *in)
{
	return in->phc_index < 0;
}

static bool source_busy(const struct gate_policy *p, const struct gate_input *in)
{
	return in->source_busy;
}

static bool phc_failed(const struct gate_policy *p, const struct gate_input *in)
{
	return in->phc_failed;
}

static bool phc_stuck(const struct gate_policy *p, const struct gate_input *in)
{
	return in->phc_stuck;
}

static bool epoch(const struct gate_policy *p, const struct gate_input *in)
{
	return !in->epoch_ok;
}

static bool no_offset(const struct gate_policy *p, const struct gate_input *in)
{
	return !in->offset_known;
}

static bool offset_large(const struct gate_policy *p, const struct gate_input *in)
{
	return llabs(in->offset_ns) > p->max_offset_ns;
}

static bool no_utc_offset(const struct gate_policy *p, const struct gate_input *in)
{
	return !in->utc_known;
}

/* In the order in which they are looked for: a cause before what follows from it. */
static const struct condition {
	const char *text;
	bool (*applies)(const struct gate_policy *p, const struct gate_input *in);
	bool at_once; /* following the PHC any longer does harm, whatever the policy */
} conditions[GATE_REASON_MAX] = {
	/* clang-format off */
	[GATE_OPEN]          = { "open", NULL, false },
	[GATE_NOT_WANTED]    = { "it is off", not_wanted, true },
	[GATE_NO_SINK]       = { "the port of its PHC has none", no_sink, true },
	[GATE_SINK_TAKEN]    = { "its PHC is steered by ptp4l itself", sink_taken, true },
	[GATE_NO_SLAVE]      = { "the port is not SLAVE", no_slave, false },
	[GATE_NO_PHC]        = { "the port has no PHC", no_phc, true },
	[GATE_SOURCE_BUSY]   = { "the PHC is still steered by another phc2sys", source_busy, false },
	[GATE_PHC_FAILED]    = { "the PHC cannot be read", phc_failed, false },
	[GATE_PHC_STUCK]     = { "the PHC stands still", phc_stuck, true },
	[GATE_EPOCH]         = { "the PHC shows a time before ptpmon was built", epoch, true },
	[GATE_NO_OFFSET]     = { "no fresh offset from the master", no_offset, false },
	[GATE_OFFSET_LARGE]  = { "the offset from the master is too large", offset_large, false },
	[GATE_NO_UTC_OFFSET] = { "TAI - UTC is not known", no_utc_offset, false },
	/* clang-format on */
};

const char *gate_reason_text(enum gate_reason reason)
{
	return conditions[reason].text;
}

static enum gate_reason look(const struct gate_policy *p, const struct gate_input *in)
{
	for (enum gate_reason r = GATE_OPEN + 1; r < GATE_REASON_MAX; r++)
		if (conditions[r].applies(p, in))
			return r;
	return GATE_OPEN;
}

static void open_with(struct gate *g, const struct gate_input *in)
{
	g->open = true;
	g->phc_index = in->phc_index;
	g->sink_index = in->sink_index;
	g->utc_offset_s = in->utc_offset_s;
}

/* A loss that began before is one loss, whatever its reason is by now. */
static bool is_over(struct gate *g, const struct gate_policy *policy, int64_t now_mono_ns)
{
	if (conditions[g->reason].at_once)
		return true;
	if (!g->lost_mono_ns)
		g->lost_mono_ns = now_mono_ns;
	return policy->on_loss == GATE_LOSS_STOP &&
	       now_mono_ns - g->lost_mono_ns >= policy->loss_ns;
}

enum gate_action gate_feed(struct gate *g, const struct gate_policy *policy,
			   const struct gate_input *in, int64_t now_mono_ns)
{
	g->reason = look(policy, in);
	if (g->reason != GATE_OPEN) {
		if (!g->open || !is_over(g, policy, now_mono_ns))
			return GATE_DO_NOTHING;
		g->open = false;
		g->lost_mono_ns = 0;
		return GATE_DO_STOP;
	}
	g->lost_mono_ns = 0;
	if (!g->open) {
		open_with(g, in);
		return GATE_DO_START;
	}
	if (g->phc_index == in->phc_index && g->sink_index == in->sink_index &&
	    g->utc_offset_s == in->utc_offset_s)
		return GATE_DO_NOTHING;
	open_with(g, in);
	return GATE_DO_RESTART;
}
