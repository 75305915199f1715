/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ptp4l's answers and pushes say. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/pmc_impl.h"
#include "ptpmon/stats/quantile.h"

#define MINUTE_NS (60 * NSEC_PER_SEC)
#define SURE_NS   (2 * NSEC_PER_SEC) /* until what seems wrong is looked at again */

void pmc_source_tell(struct pmc_source *s, struct event e)
{
	s->options.on_event(s->options.userdata, &e);
}

static void observe(struct reading *r, int64_t value, int64_t mono_ns)
{
	*r = (struct reading){.known = true, .value = value, .mono_ns = mono_ns};
}

static void observe_state(struct pmc_source *s, struct status_port *p, unsigned state,
			  int64_t mono_ns)
{
	const char *was =
		p->state.mono_ns ? ptp_port_state_name((unsigned)p->state.value) : "unknown";
	bool changed = !p->state.mono_ns || p->state.value != (int64_t)state;
	struct event e;

	observe(&p->state, state, mono_ns);
	if (!changed)
		return;
	p->state_since_mono_ns = mono_ns;
	e = event_make(EVENT_PORT_STATE, mono_ns, p->name, "port %td (%s): %s, was %s",
		       p - s->ports + 1, p->name, ptp_port_state_name(state), was);
	(void)snprintf(e.detail, sizeof(e.detail), "{\"state\":\"%s\",\"was\":\"%s\"}",
		       ptp_port_state_name(state), was);
	pmc_source_tell(s, e);
	s->due_ns[ASK_PARENT] = s->due_ns[ASK_PROPERTIES] = mono_ns;
}

static void remember_offset(struct pmc_source *s, const struct sample *sample)
{
	struct pmc_minute *min = &s->minute;
	size_t at = min->n++ % FAST_OFFSETS;

	min->ring[at].mono_ns = sample->mono_ns;
	min->ring[at].abs_ns = llabs(sample->value);
}

static void summarise_minute(struct pmc_source *s, int64_t now_mono_ns)
{
	struct pmc_minute *min = &s->minute;
	struct status_window *w = &s->ports[s->at].last_minute;
	size_t kept = min->n < FAST_OFFSETS ? min->n : FAST_OFFSETS;
	size_t n = 0;

	for (size_t i = 0; i < kept; i++)
		if (min->ring[i].mono_ns > now_mono_ns - MINUTE_NS)
			min->scratch[n++] = min->ring[i].abs_ns;
	w->count = n;
	w->p50_ns = w->p99_ns = w->max_ns = SAMPLE_UNKNOWN;
	if (n == 0)
		return;
	w->max_ns = quantile_select(min->scratch, n, QUANTILE_WHOLE);
	if (quantile_supported(50000, n))
		w->p50_ns = quantile_select(min->scratch, n, 50000);
	if (quantile_supported(99000, n))
		w->p99_ns = quantile_select(min->scratch, n, 99000);
}

/* 2^log2 s; what no clock can mean is the nearest that one can. */
static int64_t interval_ns(int log2)
{
	int n = log2 < -10 ? -10 : log2 > 20 ? 20 : log2;

	return n < 0 ? NSEC_PER_SEC >> -n : NSEC_PER_SEC << n;
}

static void take_port(struct pmc_source *s, const struct pmc_message *m)
{
	const struct ptp_port_ds *ds = &m->data->port_ds;
	size_t i = (size_t)ds->port_identity.port - 1;

	if (i >= s->options.n_ports)
		return;
	s->announce_timeout_ns[i] =
		interval_ns(ds->log_announce_interval) * ds->announce_receipt_timeout;
	if (ds->delay_mechanism == PTP_P2P && ds->peer_mean_path_delay_ns != 0)
		observe(&s->ports[i].mean_path_delay_ns, ds->peer_mean_path_delay_ns,
			m->received_mono_ns);
	if (i == s->at)
		summarise_minute(s, m->received_mono_ns);
	observe_state(s, &s->ports[i], ds->port_state, m->received_mono_ns);
}

static void take_delay(struct pmc_source *s, const struct pmc_message *m)
{
	/* 0 is not a delay: none was measured yet, or it is the port's (P2P) */
	if (m->data->current_ds.mean_path_delay_ns != 0)
		observe(&s->ports[s->at].mean_path_delay_ns, m->data->current_ds.mean_path_delay_ns,
			m->received_mono_ns);
	for (size_t i = 0; i < s->options.n_ports; i++)
		observe(&s->ports[i].steps_removed, m->data->current_ds.steps_removed,
			m->received_mono_ns);
}

static void take_parent(struct pmc_source *s, const struct pmc_message *m)
{
	const struct ptp_parent_ds *ds = &m->data->parent_ds;
	char was[sizeof(s->ports[0].grandmaster)];

	(void)strcpy(was, s->ports[0].grandmaster);
	for (size_t i = 0; i < s->options.n_ports; i++) {
		struct status_port *p = &s->ports[i];

		(void)ptp_clock_identity_format(&ds->grandmaster_identity, p->grandmaster);
		observe(&p->clock_class, ds->grandmaster_clock_class, m->received_mono_ns);
		observe(&p->clock_accuracy, ds->grandmaster_clock_accuracy, m->received_mono_ns);
	}
	if (*was && strcmp(was, s->ports[0].grandmaster) != 0)
		pmc_source_tell(s, event_make(EVENT_GRANDMASTER_CHANGED, m->received_mono_ns,
					      s->ports[0].name, "grandmaster: %s, was %s",
					      s->ports[0].grandmaster, was));
}

static void take_clock(struct pmc_source *s, const struct pmc_message *m)
{
	for (size_t i = 0; i < s->options.n_ports; i++)
		(void)ptp_clock_identity_format(&m->data->default_ds.clock_identity,
						s->ports[i].clock_identity);
}

static bool has_slave(const struct pmc_source *s)
{
	for (size_t i = 0; i < s->options.n_ports; i++)
		if (s->ports[i].state.known && s->ports[i].state.value == PTP_SLAVE)
			return true;
	return false;
}

static void observe_scale(struct status_scale *out, const struct ptp_time_properties_ds *ds,
			  int64_t mono_ns)
{
	observe(&out->utc_offset_s, ds->current_utc_offset_s, mono_ns);
	observe(&out->utc_offset_valid, !!(ds->flags & PTP_UTC_OFFSET_VALID), mono_ns);
	observe(&out->ptp_timescale, !!(ds->flags & PTP_TIMESCALE), mono_ns);
	observe(&out->time_traceable, !!(ds->flags & PTP_TIME_TRACEABLE), mono_ns);
	observe(&out->frequency_traceable, !!(ds->flags & PTP_FREQUENCY_TRACEABLE), mono_ns);
}

static void take_properties(struct pmc_source *s, const struct pmc_message *m)
{
	const struct ptp_time_properties_ds *ds = &m->data->time_properties_ds;

	for (size_t i = 0; i < s->options.n_ports; i++) {
		observe(&s->ports[i].time_source, ds->time_source, m->received_mono_ns);
		observe_scale(&s->ports[i].scale, ds, m->received_mono_ns);
	}
	if (time_scale_properties(&s->scale, ds, has_slave(s), m->received_mono_ns))
		s->due_ns[ASK_PROPERTIES] = m->received_mono_ns + SURE_NS;
}

static void take_settings(struct pmc_source *s, const struct pmc_message *m)
{
	if (time_scale_answered(&s->scale, m))
		s->due_ns[ASK_PROPERTIES] = s->due_ns[ASK_PARENT] = m->received_mono_ns;
}

static uint32_t flags_of(const struct pmc_update *u)
{
	return (u->flags & PMC_UPDATE_STEP ? SAMPLE_STEP : 0U) |
	       (u->flags & PMC_UPDATE_TIME_ASSUMED ? SAMPLE_TIME_ASSUMED : 0U) |
	       (u->flags & PMC_UPDATE_UNLOCKED ? SAMPLE_UNLOCKED : 0U);
}

static void tell_pushes_resumed(struct pmc_source *s, int64_t from_mono_ns, int64_t to_mono_ns)
{
	const char *name = s->ports[s->at].name;
	struct event e = event_make(EVENT_SOURCE_BACK, to_mono_ns, name,
				    "%s: pushed again, polled for %.1f s", name,
				    (double)(to_mono_ns - from_mono_ns) / 1e9);

	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"from_mono_ns\":\"%" PRId64 "\",\"to_mono_ns\":\"%" PRId64 "\"}",
		       from_mono_ns, to_mono_ns);
	pmc_source_tell(s, e);
}

/* What was not recorded because this program did not run is nobody else's gap. */
static void tell_stall(struct pmc_source *s, int64_t to_mono_ns)
{
	struct event e;

	if (!s->stalled)
		return;
	s->stalled = false;
	e = event_make(EVENT_GAP, to_mono_ns, s->ports[s->at].name,
		       "%s: nothing followed for %.1f s: the recorder was stopped, or got no CPU",
		       s->ports[s->at].name, (double)(s->awake_mono_ns - s->stalled_mono_ns) / 1e9);
	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"from_mono_ns\":\"%" PRId64 "\",\"to_mono_ns\":\"%" PRId64 "\"}",
		       s->stalled_mono_ns, to_mono_ns);
	pmc_source_tell(s, e);
}

/* Another port is the slave now: what was known of the offset was the other one's. */
static void move_to(struct pmc_source *s, unsigned port_number)
{
	struct status_port *was = &s->ports[s->at];

	if (port_number == 0 || port_number > s->options.n_ports || port_number - 1 == s->at)
		return;
	was->offset_ns.known = was->sync_interval_ns.known = false;
	was->mean_path_delay_ns.known = false;
	s->at = port_number - 1;
	s->minute.n = 0;
}

void pmc_source_take_update(struct pmc_source *s, const struct pmc_update *u)
{
	const struct pmc_follower_state state = pmc_follower_state(s->follower);
	struct status_port *p;
	const struct sample sample = {
		.flags = flags_of(u),
		.missed = u->missed,
		.mono_ns = u->mono_ns,
		.value = u->offset_ns,
		.delay_ns = u->delay_ns == PMC_DELAY_UNKNOWN ? SAMPLE_UNKNOWN : u->delay_ns,
	};

	move_to(s, state.port);
	p = &s->ports[s->at];
	observe(&p->offset_ns, sample.value, sample.mono_ns);
	if (state.interval_ns)
		observe(&p->sync_interval_ns, state.interval_ns, sample.mono_ns);
	p->updates = state.yielded;
	p->missed = state.missed;
	if (!(sample.flags & (SAMPLE_UNLOCKED | SAMPLE_STEP)))
		remember_offset(s, &sample);
	tell_stall(s, sample.mono_ns);
	if (s->stale) {
		s->stale = false;
		pmc_source_tell(s, event_make(EVENT_SOURCE_BACK, s->advanced_mono_ns, p->name,
					      "%s: offsets again", p->name));
	}
	if (u->pushes_stopped_mono_ns)
		tell_pushes_resumed(s, u->pushes_stopped_mono_ns, u->mono_ns);
	s->options.on_sample(s->options.userdata, s->at, &sample);
}

static void follow(struct pmc_source *s, const struct pmc_message *m)
{
	struct status_port *p = &s->ports[s->at];
	struct pmc_update update;

	switch (pmc_follower_message(s->follower, m, &update)) {
	case PMC_FOLLOW_NOTHING:
		break;
	case PMC_FOLLOW_UPDATE:
		if (s->options.offsets)
			pmc_source_take_update(s, &update);
		break;
	case PMC_FOLLOW_LOST:
		p->offset_ns.known = false;
		pmc_source_tell(s, event_make(EVENT_MASTER_LOST, m->received_mono_ns, p->name,
					      "%s: no master any more", p->name));
		break;
	}
}

static const struct {
	uint16_t id;
	void (*take)(struct pmc_source *s, const struct pmc_message *m);
} takers[] = {
	{PTP_ID_PORT_DATA_SET, take_port},
	{PTP_ID_CURRENT_DATA_SET, take_delay},
	{PTP_ID_PARENT_DATA_SET, take_parent},
	{PTP_ID_DEFAULT_DATA_SET, take_clock},
	{PTP_ID_TIME_PROPERTIES_DATA_SET, take_properties},
};

static void heard(struct pmc_source *s, int64_t mono_ns)
{
	s->answered_mono_ns = mono_ns;
	s->timeouts = 0;
	if (!s->silent)
		return;
	s->silent = false;
	pmc_source_tell(s, event_make(EVENT_SOURCE_BACK, mono_ns, s->ports[0].name,
				      "%s: answers on %s again", s->options.name,
				      s->options.server_path));
}

void pmc_source_on_message(void *userdata, const struct pmc_message *m)
{
	struct pmc_source *s = userdata;

	follow(s, m);
	if (m->outcome == PMC_TIMED_OUT && m->last)
		s->timeouts++;
	if (m->last && m->id == PTP_ID_GRANDMASTER_SETTINGS_NP)
		take_settings(s, m);
	if (m->outcome == PMC_TIMED_OUT || m->outcome == PMC_DISCONNECTED)
		return;
	heard(s, m->received_mono_ns);
	if (m->outcome != PMC_OK)
		return;
	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		if (takers[i].id == m->id)
			takers[i].take(s, m);
}
