/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/pmc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pmc-client/pmc-client.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/time_scale.h"
#include "ptpmon/stats/quantile.h"

#define CONNECT_EVERY_NS (250 * NSEC_PER_MSEC)
#define TIMEOUT_NS       NSEC_PER_SEC
#define ROOM_NS          NSEC_PER_MSEC /* own questions keep this far from the follower's */
#define MINUTE_NS        (60 * NSEC_PER_SEC)
#define STALL_NS         (2 * NSEC_PER_SEC)
#define SURE_NS          (2 * NSEC_PER_SEC) /* until what seems wrong is looked at again */

#define ANNOUNCE_TIMEOUT_NS (6 * NSEC_PER_SEC) /* three intervals of two seconds: the default */

enum {
	SILENT_TIMEOUTS = 3,
	FAST_OFFSETS = 8192, /* the last minute at 128 a second */
};

/* What is asked for beside the follower's questions, and how often. */
enum question { ASK_PARENT, ASK_CLOCK, ASK_PROPERTIES, QUESTIONS };

static const struct {
	uint16_t id;
	int64_t every_ns;
} questions[QUESTIONS] = {
	[ASK_PARENT] = {PTP_ID_PARENT_DATA_SET, 2 * NSEC_PER_SEC},
	[ASK_CLOCK] = {PTP_ID_DEFAULT_DATA_SET, 10 * NSEC_PER_SEC},
	[ASK_PROPERTIES] = {PTP_ID_TIME_PROPERTIES_DATA_SET, 10 * NSEC_PER_SEC},
};

/* |offset| of the last minute. */
struct minute {
	struct {
		int64_t mono_ns, abs_ns;
	} ring[FAST_OFFSETS];
	size_t n; /* ever put in */
	int64_t scratch[FAST_OFFSETS];
};

struct pmc_source {
	struct pmc_source_options options;
	struct pmc_client *client;
	struct pmc_follower *follower;
	struct status_port ports[STATUS_PORTS_MAX];
	int64_t announce_timeout_ns[STATUS_PORTS_MAX];
	dev_t socket_dev; /* what was connected to */
	ino_t socket_ino; /* 0: not known */
	size_t at;        /* the port whose offsets come, or came last */
	int64_t due_ns[QUESTIONS];
	int64_t connect_due_ns;
	unsigned connections;
	int64_t answered_mono_ns; /* the last answer to anything; 0: none */
	unsigned timeouts;        /* in a row */
	int64_t advanced_mono_ns; /* when this was last called; 0: never */
	int64_t stalled_mono_ns;  /* we were not running from then … */
	int64_t awake_mono_ns;    /* … until then; 0: never */
	bool stalled;             /* and no offset came since */
	bool silent, stale;       /* told so */
	struct time_scale scale;
	struct minute minute;
};

static void emit(struct pmc_source *s, struct event e)
{
	s->options.on_event(s->options.userdata, &e);
}

/* What an answer says */

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
	emit(s, e);
	s->due_ns[ASK_PARENT] = s->due_ns[ASK_PROPERTIES] = mono_ns;
}

static void remember_offset(struct pmc_source *s, const struct sample *sample)
{
	struct minute *min = &s->minute;
	size_t at = min->n++ % FAST_OFFSETS;

	min->ring[at].mono_ns = sample->mono_ns;
	min->ring[at].abs_ns = llabs(sample->value);
}

static void summarise_minute(struct pmc_source *s, int64_t now_mono_ns)
{
	struct minute *min = &s->minute;
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
		emit(s, event_make(EVENT_GRANDMASTER_CHANGED, m->received_mono_ns, s->ports[0].name,
				   "grandmaster: %s, was %s", s->ports[0].grandmaster, was));
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
	emit(s, e);
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
	emit(s, e);
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

static void take_update(struct pmc_source *s, const struct pmc_update *u)
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
		emit(s, event_make(EVENT_SOURCE_BACK, s->advanced_mono_ns, p->name,
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
			take_update(s, &update);
		break;
	case PMC_FOLLOW_LOST:
		p->offset_ns.known = false;
		emit(s, event_make(EVENT_MASTER_LOST, m->received_mono_ns, p->name,
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
	emit(s, event_make(EVENT_SOURCE_BACK, mono_ns, s->ports[0].name, "%s: answers on %s again",
			   s->options.name, s->options.server_path));
}

static void on_message(void *userdata, const struct pmc_message *m)
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

/* Asking */

static void tell_silence(struct pmc_source *s, int64_t now_mono_ns)
{
	struct status_port *p = &s->ports[s->at];
	int64_t bound_ns = 3 * pmc_follower_state(s->follower).interval_ns;
	struct event e;

	if (bound_ns < s->options.stale_after_ns)
		bound_ns = s->options.stale_after_ns;
	if (!s->silent && s->timeouts >= SILENT_TIMEOUTS) {
		s->silent = true;
		e = event_make(EVENT_SOURCE_SILENT, now_mono_ns, p->name,
			       "%s: no answer on %s for %u s", s->options.name,
			       s->options.server_path, s->timeouts);
		(void)snprintf(e.detail, sizeof(e.detail), "{\"from_mono_ns\":\"%" PRId64 "\"}",
			       s->answered_mono_ns);
		emit(s, e);
	}
	if (!s->stale && p->offset_ns.mono_ns && now_mono_ns - p->offset_ns.mono_ns > bound_ns &&
	    now_mono_ns - s->awake_mono_ns > bound_ns) {
		s->stale = true;
		e = event_make(EVENT_SOURCE_SILENT, now_mono_ns, p->name,
			       "%s: no new offset for %.1f s", p->name,
			       (double)(now_mono_ns - p->offset_ns.mono_ns) / 1e9);
		(void)snprintf(e.detail, sizeof(e.detail), "{\"from_mono_ns\":\"%" PRId64 "\"}",
			       p->offset_ns.mono_ns);
		emit(s, e);
	}
}

/* We are called ten times a second and more, unless we cannot run. */
static void look_for_stall(struct pmc_source *s, int64_t now_mono_ns)
{
	if (s->advanced_mono_ns && now_mono_ns - s->advanced_mono_ns > STALL_NS) {
		s->stalled_mono_ns = s->advanced_mono_ns;
		s->awake_mono_ns = now_mono_ns;
		s->stalled = s->ports[s->at].offset_ns.mono_ns != 0;
		for (size_t i = 0; i < s->options.n_ports; i++) /* told again: it was unknown */
			s->ports[i].state = (struct reading){0};
	}
	s->advanced_mono_ns = now_mono_ns;
}

/* ptp4l's counters begin anew, and what was missed of the old one has no sample to stand with. */
static void forget_server(struct pmc_source *s, int64_t now_mono_ns)
{
	struct pmc_update update;
	struct event e;
	uint32_t missed;

	if (pmc_follower_release(s->follower, &update) == PMC_FOLLOW_UPDATE && s->options.offsets)
		take_update(s, &update);
	missed = pmc_follower_restart(s->follower, now_mono_ns);
	s->ports[s->at].missed = pmc_follower_state(s->follower).missed;
	memset(s->due_ns, 0, sizeof(s->due_ns));
	time_scale_restarted(&s->scale, now_mono_ns);
	for (size_t i = 0; i < s->options.n_ports; i++)
		s->ports[i].mean_path_delay_ns.known = false;
	if (!missed)
		return;
	e = event_make(EVENT_GAP, now_mono_ns, s->ports[s->at].name,
		       "%s: %u updates of the ptp4l that ended were missed", s->ports[s->at].name,
		       missed);
	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"from_mono_ns\":\"%" PRId64 "\",\"to_mono_ns\":\"%" PRId64
		       "\",\"missed\":%u}",
		       s->ports[s->at].offset_ns.mono_ns, now_mono_ns, missed);
	emit(s, e);
}

static void try_connect(struct pmc_source *s, int64_t now_mono_ns)
{
	struct stat st = {0};

	if (now_mono_ns < s->connect_due_ns)
		return;
	s->connect_due_ns = now_mono_ns + CONNECT_EVERY_NS;
	if (pmc_client_connect(s->client) < 0)
		return;
	s->connections++;
	s->socket_ino = stat(s->options.server_path, &st) == 0 ? st.st_ino : 0;
	s->socket_dev = st.st_dev;
	forget_server(s, now_mono_ns);
}

/* The question that is due first. */
static enum question next_question(const struct pmc_source *s)
{
	enum question next = 0;

	for (enum question q = 1; q < QUESTIONS; q++)
		if (s->due_ns[q] < s->due_ns[next])
			next = q;
	return next;
}

static void ask(struct pmc_source *s, int64_t now_mono_ns)
{
	enum question q = next_question(s);
	int64_t follower_ns;

	(void)pmc_follower_ask(s->follower, now_mono_ns); /* what went wrong shows as silence */
	if (pmc_client_busy(s->client))
		return;
	if (time_scale_ask(&s->scale, s->client, now_mono_ns, TIMEOUT_NS) ||
	    s->due_ns[q] > now_mono_ns)
		return;
	follower_ns = pmc_follower_due_ns(s->follower);
	if (follower_ns < now_mono_ns + ROOM_NS) {
		s->due_ns[q] = follower_ns;
		return;
	}
	s->due_ns[q] = now_mono_ns + questions[q].every_ns;
	(void)pmc_client_get(s->client, questions[q].id, PTP_PORT_ALL, now_mono_ns, TIMEOUT_NS);
}

void pmc_source_advance(struct pmc_source *s, int64_t now_mono_ns)
{
	look_for_stall(s, now_mono_ns);
	if (!pmc_client_connected(s->client))
		try_connect(s, now_mono_ns);
	if (pmc_client_connected(s->client)) {
		(void)pmc_client_receive(s->client, now_mono_ns);
		pmc_client_expire(s->client, now_mono_ns);
	}
	s->ports[0].malformed = pmc_client_counters(s->client)->malformed;
	tell_silence(s, now_mono_ns);
	if (pmc_client_connected(s->client))
		ask(s, now_mono_ns);
}

int64_t pmc_source_deadline_ns(const struct pmc_source *s)
{
	int64_t due_ns;
	int64_t follower_ns;

	if (!pmc_client_connected(s->client))
		return s->connect_due_ns;
	if (pmc_client_busy(s->client))
		return pmc_client_deadline_ns(s->client);
	due_ns = s->due_ns[next_question(s)];
	if (announcer_due_ns(&s->scale.announcer) < due_ns)
		due_ns = announcer_due_ns(&s->scale.announcer);
	follower_ns = pmc_follower_due_ns(s->follower);
	return follower_ns < due_ns ? follower_ns : due_ns;
}

bool pmc_source_announce(struct pmc_source *s, const struct announcement *wanted,
			 int64_t now_mono_ns)
{
	return announcer_want(&s->scale.announcer, wanted, now_mono_ns);
}

void pmc_source_expect_utc(struct pmc_source *s, const struct utc_offset *ours)
{
	s->scale.ours = *ours;
	s->scale.ours_known = true;
}

void pmc_source_restarted(struct pmc_source *s, int64_t now_mono_ns)
{
	s->connect_due_ns = now_mono_ns;
}

void pmc_source_ended(struct pmc_source *s)
{
	for (size_t i = 0; i < s->options.n_ports; i++) {
		struct status_port *p = &s->ports[i];

		p->state.known = p->offset_ns.known = p->mean_path_delay_ns.known = false;
		p->sync_interval_ns.known = p->clock_class.known = false;
	}
}

int pmc_source_fd(const struct pmc_source *s)
{
	int fd = pmc_client_fd(s->client);

	return fd < 0 ? -1 : fd;
}

unsigned pmc_source_connections(const struct pmc_source *s)
{
	return s->connections;
}

size_t pmc_source_ports(const struct pmc_source *s)
{
	return s->options.n_ports;
}

const struct status_port *pmc_source_port(const struct pmc_source *s, size_t i)
{
	return &s->ports[i];
}

int64_t pmc_source_answered_mono_ns(const struct pmc_source *s)
{
	return s->answered_mono_ns;
}

int64_t pmc_source_announce_timeout_ns(const struct pmc_source *s, size_t i)
{
	return s->announce_timeout_ns[i] ?: ANNOUNCE_TIMEOUT_NS;
}

bool pmc_source_socket_there(const struct pmc_source *s)
{
	struct stat st;

	if (!pmc_client_connected(s->client) || !s->socket_ino)
		return true;
	return stat(s->options.server_path, &st) == 0 && st.st_ino == s->socket_ino &&
	       st.st_dev == s->socket_dev;
}

uint64_t pmc_source_requests(const struct pmc_source *s)
{
	return pmc_client_counters(s->client)->sent;
}

int pmc_source_new(struct pmc_source **out, const struct pmc_source_options *options)
{
	struct pmc_source *s = calloc(1, sizeof(*s));
	const struct pmc_follower_options follow = {
		.real_time_stamps = options->real_time_stamps,
		.not_before_mono_ns = options->not_before_mono_ns,
		.events = PMC_EVENT_PORT_STATE,
	};
	int r;

	if (!s)
		return -ENOMEM;
	s->options = *options;
	s->scale = (struct time_scale){
		.name = options->port_names[0],
		.on_event = options->on_event,
		.userdata = options->userdata,
	};
	for (size_t i = 0; i < options->n_ports; i++) {
		struct status_port *p = &s->ports[i];

		(void)snprintf(p->name, sizeof(p->name), "%s", options->port_names[i]);
		(void)snprintf(p->socket, sizeof(p->socket), "%s", options->server_path);
		p->last_minute.p50_ns = p->last_minute.p99_ns = SAMPLE_UNKNOWN;
		p->last_minute.max_ns = SAMPLE_UNKNOWN;
	}
	r = pmc_client_new(&s->client, &(struct pmc_client_options){
					       .server_path = options->server_path,
					       .own_path = options->own_path,
					       .domain = options->domain,
					       .allow_set = options->may_set,
					       .transport_specific = options->transport_specific,
					       .on_message = on_message,
					       .userdata = s,
				       });
	if (r == 0)
		r = pmc_follower_new(&s->follower, s->client, &follow);
	if (r < 0) {
		(void)pmc_source_free(s);
		return r;
	}
	*out = s;
	return 0;
}

struct pmc_source *pmc_source_free(struct pmc_source *s)
{
	if (!s)
		return NULL;
	(void)pmc_follower_free(s->follower);
	(void)pmc_client_free(s->client);
	free(s);
	return NULL;
}
