/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/pmc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/pmc_impl.h"

#define CONNECT_EVERY_NS (250 * NSEC_PER_MSEC)
#define TIMEOUT_NS       NSEC_PER_SEC
#define ROOM_NS          NSEC_PER_MSEC /* own questions keep this far from the follower's */
#define STALL_NS         (2 * NSEC_PER_SEC)

#define ANNOUNCE_TIMEOUT_NS (6 * NSEC_PER_SEC) /* three intervals of two seconds: the default */

enum { SILENT_TIMEOUTS = 3 };

/* How often each is asked. */
static const struct {
	uint16_t id;
	int64_t every_ns;
} questions[QUESTIONS] = {
	[ASK_PARENT] = {PTP_ID_PARENT_DATA_SET, 2 * NSEC_PER_SEC},
	[ASK_CLOCK] = {PTP_ID_DEFAULT_DATA_SET, 10 * NSEC_PER_SEC},
	[ASK_PROPERTIES] = {PTP_ID_TIME_PROPERTIES_DATA_SET, 10 * NSEC_PER_SEC},
};

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
		pmc_source_tell(s, e);
	}
	if (!s->stale && p->offset_ns.mono_ns && now_mono_ns - p->offset_ns.mono_ns > bound_ns &&
	    now_mono_ns - s->awake_mono_ns > bound_ns) {
		s->stale = true;
		e = event_make(EVENT_SOURCE_SILENT, now_mono_ns, p->name,
			       "%s: no new offset for %.1f s", p->name,
			       (double)(now_mono_ns - p->offset_ns.mono_ns) / 1e9);
		(void)snprintf(e.detail, sizeof(e.detail), "{\"from_mono_ns\":\"%" PRId64 "\"}",
			       p->offset_ns.mono_ns);
		pmc_source_tell(s, e);
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
		pmc_source_take_update(s, &update);
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
	pmc_source_tell(s, e);
}

static void try_connect(struct pmc_source *s, int64_t now_mono_ns)
{
	struct stat st = {0};

	if (now_mono_ns < s->connect_due_ns)
		return;
	s->connect_due_ns = now_mono_ns + CONNECT_EVERY_NS;
	s->connect_error = -pmc_client_connect(s->client);
	if (s->connect_error)
		return;
	s->connections++;
	s->socket_ino = stat(s->options.server_path, &st) == 0 ? st.st_ino : 0;
	s->socket_dev = st.st_dev;
	forget_server(s, now_mono_ns);
}

/* The question that is due first. */
static enum pmc_question next_question(const struct pmc_source *s)
{
	enum pmc_question next = 0;

	for (enum pmc_question q = 1; q < QUESTIONS; q++)
		if (s->due_ns[q] < s->due_ns[next])
			next = q;
	return next;
}

static void ask(struct pmc_source *s, int64_t now_mono_ns)
{
	enum pmc_question q = next_question(s);
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

int pmc_source_connect_error(const struct pmc_source *s)
{
	return pmc_client_connected(s->client) ? 0 : s->connect_error;
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
					       .on_message = pmc_source_on_message,
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
