/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/time_scale.h"

#include <inttypes.h>
#include <stdio.h>

/* As a grandmaster */

static void tell(struct time_scale *t, enum announcer_news news, int64_t mono_ns)
{
	static const struct {
		enum event_code code;
		const char *what;
	} rows[] = {
		[ANNOUNCER_IS_SET] = {EVENT_TIME_SCALE_SET, "announces"},
		[ANNOUNCER_FELL_BACK] = {EVENT_TIME_SCALE_FELL_BACK,
					 "something else made it announce"},
	};
	char text[ANNOUNCER_TEXT_MAX];
	struct event e = event_make(rows[news].code, mono_ns, t->name, "%s: %s %s", t->name,
				    rows[news].what, announcer_describe(&t->announcer.seen, text));

	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"utc_offset_s\":%d,\"flags\":%u,\"clock_class\":%u}",
		       t->announcer.seen.current_utc_offset_s, t->announcer.seen.flags,
		       t->announcer.seen.clock_class);
	t->on_event(t->userdata, &e);
}

static void tell_refusal(struct time_scale *t, const struct pmc_message *m)
{
	char text[ANNOUNCER_TEXT_MAX];
	struct event e;

	if (m->outcome == PMC_OK)
		e = event_make(EVENT_TIME_SCALE_REFUSED, m->received_mono_ns, t->name,
			       "%s: ptp4l does not take what it should announce; it has %s",
			       t->name, announcer_describe(&t->announcer.seen, text));
	else
		e = event_make(EVENT_TIME_SCALE_REFUSED, m->received_mono_ns, t->name,
			       "%s: ptp4l refuses to be told what to announce: %s: is its socket "
			       "the read-only one?",
			       t->name, pmc_outcome_name(m->outcome));
	t->on_event(t->userdata, &e);
}

bool time_scale_ask(struct time_scale *t, struct pmc_client *client, int64_t now_mono_ns,
		    int64_t timeout_ns)
{
	union ptp_data data = {0};
	enum announcer_request request =
		announcer_next(&t->announcer, now_mono_ns, &data.grandmaster_settings_np);
	int r;

	if (request == ANNOUNCER_NOTHING)
		return false;
	if (request == ANNOUNCER_GET)
		r = pmc_client_get(client, PTP_ID_GRANDMASTER_SETTINGS_NP, PTP_PORT_ALL,
				   now_mono_ns, timeout_ns);
	else
		r = pmc_client_request(client,
				       &(struct pmc_request){
					       .action = PTP_SET,
					       .id = PTP_ID_GRANDMASTER_SETTINGS_NP,
					       .port = PTP_PORT_ALL,
					       .data = &data,
				       },
				       now_mono_ns, timeout_ns);
	if (r < 0)
		(void)announcer_answered(&t->announcer, PMC_DISCONNECTED, NULL, now_mono_ns);
	return r == 0;
}

bool time_scale_answered(struct time_scale *t, const struct pmc_message *m)
{
	enum announcer_news news = announcer_answered(
		&t->announcer, m->outcome, m->data ? &m->data->grandmaster_settings_np : NULL,
		m->received_mono_ns);

	switch (news) {
	case ANNOUNCER_NO_NEWS:
		break;
	case ANNOUNCER_IS_SET:
	case ANNOUNCER_FELL_BACK:
		tell(t, news, m->received_mono_ns);
		break;
	case ANNOUNCER_REFUSED:
		tell_refusal(t, m);
		break;
	}
	return news != ANNOUNCER_NO_NEWS;
}

void time_scale_restarted(struct time_scale *t, int64_t now_mono_ns)
{
	announcer_restarted(&t->announcer, now_mono_ns);
	t->received_known = false;
	t->received_told = RECEIVED_GOOD;
}

/* As a slave */

static struct event received_event(const struct time_scale *t, int64_t utc_offset_s,
				   int64_t mono_ns)
{
	switch (t->received) {
	case RECEIVED_ARBITRARY:
		return event_make(
			EVENT_TIME_SCALE_ARBITRARY, mono_ns, t->name,
			"%s: the grandmaster's time scale is arbitrary, not TAI: this clock "
			"is taken to be UTC as it is; right if it uses software timestamps",
			t->name);
	case RECEIVED_UTC_INVALID:
		return event_make(EVENT_UTC_OFFSET_INVALID, mono_ns, t->name,
				  "%s: the grandmaster announces a UTC offset of %" PRId64
				  " s as not valid: UTC may be whole seconds off until its own "
				  "clock is known to be good",
				  t->name, utc_offset_s);
	case RECEIVED_UTC_MISMATCH:
		return event_make(EVENT_UTC_OFFSET_MISMATCH, mono_ns, t->name,
				  "%s: the grandmaster announces a UTC offset of %" PRId64
				  " s, but TAI - UTC is %" PRId64 " s (%s): UTC is %+" PRId64
				  " s off, here or there",
				  t->name, utc_offset_s, t->ours.seconds,
				  utc_source_name(t->ours.source), t->ours.seconds - utc_offset_s);
	case RECEIVED_GOOD:
	case RECEIVED_MAX:
	default:
		return event_make(EVENT_TIME_SCALE_GOOD, mono_ns, t->name,
				  "%s: the grandmaster announces TAI with a valid UTC offset of "
				  "%" PRId64 " s",
				  t->name, utc_offset_s);
	}
}

/* Told when it was the same twice: a grandmaster that has just started may be set right yet. */
static bool judge(struct time_scale *t, uint8_t flags, int64_t utc_offset_s, int64_t mono_ns)
{
	enum received_scale now = received_scale_judge(flags, utc_offset_s, &t->ours);
	bool again = t->received_known && now == t->received;
	struct event e;

	t->received = now;
	t->received_known = true;
	if (now == t->received_told)
		return false;
	if (!again)
		return true;
	t->received_told = now;
	e = received_event(t, utc_offset_s, mono_ns);
	(void)snprintf(e.detail, sizeof(e.detail), "{\"utc_offset_s\":%" PRId64 ",\"flags\":%u}",
		       utc_offset_s, flags);
	t->on_event(t->userdata, &e);
	return false;
}

bool time_scale_properties(struct time_scale *t, const struct ptp_time_properties_ds *ds,
			   bool is_slave, int64_t mono_ns)
{
	if (!is_slave) {
		t->received_known = false;
		return false;
	}
	return t->ours_known && judge(t, ds->flags, ds->current_utc_offset_s, mono_ns);
}
