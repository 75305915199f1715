/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/announcer.h"

#include <stdio.h>
#include <string.h>

static bool same_wish(const struct announcement *a, const struct announcement *b)
{
	return a->flags_mask == b->flags_mask && a->flags == b->flags &&
	       a->utc_offset_s == b->utc_offset_s && a->clock_class == b->clock_class;
}

/* What ptp4l has, with what is wanted put in. */
static struct ptp_grandmaster_settings_np modify(const struct ptp_grandmaster_settings_np *have,
						 const struct announcement *wanted)
{
	struct ptp_grandmaster_settings_np s = *have;

	s.flags = (uint8_t)((s.flags & ~wanted->flags_mask) | wanted->flags);
	s.current_utc_offset_s = wanted->utc_offset_s;
	if (wanted->clock_class != CLOCK_CLASS_AUTO)
		s.clock_class = (uint8_t)wanted->clock_class;
	return s;
}

static bool is_as_wanted(const struct ptp_grandmaster_settings_np *have,
			 const struct announcement *wanted)
{
	return (have->flags & wanted->flags_mask) == wanted->flags &&
	       have->current_utc_offset_s == wanted->utc_offset_s &&
	       (wanted->clock_class == CLOCK_CLASS_AUTO ||
		have->clock_class == wanted->clock_class);
}

/* From the start, at once. */
static void begin(struct announcer *a, int64_t now_mono_ns)
{
	a->state = ANNOUNCER_UNKNOWN;
	a->success_told = false;
	a->due_ns = now_mono_ns;
	a->wait_ns = ANNOUNCER_FIRST_NS;
}

bool announcer_want(struct announcer *a, const struct announcement *wanted, int64_t now_mono_ns)
{
	if (a->wanted_known && same_wish(&a->wanted, wanted))
		return false;
	a->wanted = *wanted;
	a->wanted_known = true;
	begin(a, now_mono_ns);
	return true;
}

void announcer_restarted(struct announcer *a, int64_t now_mono_ns)
{
	a->seen_mono_ns = 0;
	begin(a, now_mono_ns);
}

int64_t announcer_due_ns(const struct announcer *a)
{
	return a->wanted_known ? a->due_ns : INT64_MAX;
}

enum announcer_request announcer_next(struct announcer *a, int64_t now_mono_ns,
				      struct ptp_grandmaster_settings_np *out)
{
	if (!a->wanted_known || now_mono_ns < a->due_ns)
		return ANNOUNCER_NOTHING;
	if (a->state != ANNOUNCER_DIFFERS)
		return ANNOUNCER_GET;
	*out = modify(&a->seen, &a->wanted);
	return ANNOUNCER_SET;
}

static enum announcer_news fail(struct announcer *a, bool refused, int64_t now_mono_ns)
{
	bool told = a->refusal_told;

	a->state = ANNOUNCER_UNKNOWN;
	a->due_ns = now_mono_ns + a->wait_ns;
	a->wait_ns = 2 * a->wait_ns < ANNOUNCER_LAST_NS ? 2 * a->wait_ns : ANNOUNCER_LAST_NS;
	a->refusal_told = told || refused;
	return refused && !told ? ANNOUNCER_REFUSED : ANNOUNCER_NO_NEWS;
}

static enum announcer_news succeed(struct announcer *a, int64_t now_mono_ns)
{
	bool told = a->success_told;

	a->state = ANNOUNCER_KEPT;
	a->success_told = true;
	a->refusal_told = false;
	a->wait_ns = ANNOUNCER_FIRST_NS;
	a->due_ns = now_mono_ns + ANNOUNCER_LOOK_NS;
	return told ? ANNOUNCER_NO_NEWS : ANNOUNCER_IS_SET;
}

enum announcer_news announcer_answered(struct announcer *a, enum pmc_outcome outcome,
				       const struct ptp_grandmaster_settings_np *got,
				       int64_t now_mono_ns)
{
	bool fell_back = a->success_told;

	if (outcome != PMC_OK) /* silence is told by whoever asks */
		return fail(a, outcome != PMC_TIMED_OUT && outcome != PMC_DISCONNECTED,
			    now_mono_ns);
	if (a->state == ANNOUNCER_DIFFERS) { /* the answer to the SET proves nothing yet */
		a->state = ANNOUNCER_WAS_SET;
		a->due_ns = now_mono_ns;
		return ANNOUNCER_NO_NEWS;
	}
	a->seen = *got;
	a->seen_mono_ns = now_mono_ns;
	if (is_as_wanted(got, &a->wanted))
		return succeed(a, now_mono_ns);
	if (a->state == ANNOUNCER_WAS_SET)
		return fail(a, true, now_mono_ns);
	a->state = ANNOUNCER_DIFFERS;
	a->success_told = false;
	a->due_ns = now_mono_ns;
	return fell_back ? ANNOUNCER_FELL_BACK : ANNOUNCER_NO_NEWS;
}

const char *announcer_describe(const struct ptp_grandmaster_settings_np *s,
			       char out[static ANNOUNCER_TEXT_MAX])
{
	(void)snprintf(
		out, ANNOUNCER_TEXT_MAX, "UTC offset %d s %s, %s time scale%s%s, class %u",
		s->current_utc_offset_s, s->flags & PTP_UTC_OFFSET_VALID ? "valid" : "not valid",
		s->flags & PTP_TIMESCALE ? "PTP" : "arbitrary",
		s->flags & PTP_TIME_TRACEABLE ? ", time traceable" : "",
		s->flags & PTP_FREQUENCY_TRACEABLE ? ", frequency traceable" : "", s->clock_class);
	return out;
}
