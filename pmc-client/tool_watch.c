// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * watch: ids at an interval, or events as they happen. Subscriptions are short and renewed at half
 * their time, so that this program, stopped or starved, leaves ptp4l room to work on. Whether ptp4l
 * still has it is asked for each second: a connected socket does not tell that its peer has gone.
 * A ptp4l that has gone is waited for, and subscribed to again.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "pmc-client/tool.h"

/* clang-format off */
static const struct {
	const char *name;
	uint32_t event;
	uint16_t came_with; /* an id that a ptp4l which pushes it has: events it only stores */
} events[] = {
	{ "port-state",      PMC_EVENT_PORT_STATE,      PTP_ID_SUBSCRIBE_EVENTS_NP },
	{ "time-sync",       PMC_EVENT_TIME_SYNC,       PTP_ID_PORT_HWCLOCK_NP },
	{ "parent-data-set", PMC_EVENT_PARENT_DATA_SET, PTP_ID_PORT_HWCLOCK_NP },
	{ "cmlds",           PMC_EVENT_CMLDS,           PTP_ID_CMLDS_INFO_NP },
};
/* clang-format on */

enum { N_EVENTS = sizeof(events) / sizeof(events[0]) };

static const int64_t second_ns = 1000000000;

struct watch {
	struct session session;
	uint32_t mask;
	int64_t renew_mono_ns, ends_mono_ns; /* of the subscription */
	bool ended;                          /* ptp4l does not have it any more */
	bool denied;                         /* it refuses to have one */
	bool returned;                       /* it is another ptp4l: nothing was ordered of it */
	unsigned int pushes;
	uint64_t lost;         /* of the client's counter, told */
	int64_t heard_mono_ns; /* when all that was pushed had come */
};

/* Names with commas between; "all" or nothing is all of them. */
static int parse_events(const char *names, uint32_t *mask)
{
	*mask = 0;
	while (*names) {
		size_t len = strcspn(names, ","), i = 0;

		while (i < N_EVENTS && (strlen(events[i].name) != len ||
					strncasecmp(events[i].name, names, len) != 0))
			i++;
		if (i == N_EVENTS) {
			tool_complain(
				"%s: events are port-state, time-sync, parent-data-set, cmlds",
				names);
			return EXIT_USAGE;
		}
		*mask |= events[i].event;
		names += len + (names[len] == ',');
	}
	return 0;
}

/* What was pushed up to here has come. */
static void mark_heard(struct watch *w)
{
	w->lost = pmc_client_counters(w->session.client)->pushes_lost;
	w->heard_mono_ns = tool_now_ns();
}

/*
 * Names the time in which events may have been missed: from when they were last sure to come. What
 * came late was pushed before the subscription ended, which ptp4l counts in whole seconds.
 */
static void report_gap(struct watch *w, const char *what)
{
	char from[TOOL_TIME_OF_DAY], to[TOOL_TIME_OF_DAY];
	int64_t now_mono_ns = tool_now_ns(), from_mono_ns = w->ends_mono_ns - second_ns;

	if (from_mono_ns > w->heard_mono_ns)
		from_mono_ns = w->heard_mono_ns;
	tool_complain("%s: events may be missing from %s to %s", what,
		      tool_time_of_day(from, now_mono_ns - from_mono_ns), tool_time_of_day(to, 0));
	if (w->session.o->json)
		print_gap(&w->session, from, to, what);
	mark_heard(w);
	w->ends_mono_ns = INT64_MAX;
}

static void take_push(struct watch *w)
{
	w->pushes++;
	if (pmc_client_counters(w->session.client)->pushes_lost > w->lost)
		report_gap(w, "a hole in the sequence");
	mark_heard(w);
}

/* The answer to a question about the subscription. */
static void on_subscription(struct watch *w, const struct pmc_message *m)
{
	w->ended = m->outcome == PMC_OK &&
		   (m->data->subscribe_events_np.events[0] & w->mask) != w->mask;
	if (w->ended)
		report_gap(w, "ptp4l has no subscription any more");
	else if (m->outcome == PMC_OK && w->returned)
		report_gap(w, "ptp4l was away");
	else if (m->outcome == PMC_OK)
		mark_heard(w);
	w->returned &= m->outcome != PMC_OK;
	w->denied = m->outcome == PMC_ERROR_STATUS || m->outcome == PMC_NOT_SUPPORTED;
}

/* A reader that is slow is waited for here, where a signal ends that, and not by printing. */
static bool can_print(struct session *s)
{
	struct pollfd wait[] = {
		{.fd = STDOUT_FILENO, .events = POLLOUT},
		{.fd = s->o->signals_fd, .events = POLLIN},
	};

	(void)poll(wait, 2, -1);
	s->interrupted |= wait[1].revents != 0;
	return !s->interrupted;
}

static void on_watched(struct session *s, const struct pmc_message *m)
{
	struct watch *w = (struct watch *)s; /* its first member */

	if (m->id == PTP_ID_SUBSCRIBE_EVENTS_NP && s->o->events) {
		on_subscription(w, m);
		if (m->outcome == PMC_OK)
			return;
	}
	if (m->push)
		take_push(w);
	if (!can_print(s))
		return;
	if (s->o->json)
		collect_message(s, m);
	else
		print_line(s, m);
}

/*
 * Ask so quickly for a moment that the library sees how fast Syncs come, if they come so fast that
 * it matters.
 */
static void learn_rate(struct session *s)
{
	const struct pmc_request request = {.action = PTP_GET, .id = PTP_ID_TIME_STATUS_NP};
	tool_sink_fn *sink = s->sink;

	s->sink = discard_message;
	for (int i = 0; i < 25; i++) {
		session_ask(s, &request);
		(void)session_wait(s, tool_now_ns() + 4000000);
	}
	s->sink = sink;
	s->refused = 0;
}

/*
 * An older ptp4l takes orders for events that it does not have, and is silent. Says which these
 * are; false if no others are left.
 */
static bool drop_unknown_events(struct watch *w)
{
	struct session *s = &w->session;
	tool_sink_fn *sink = s->sink;

	s->sink = discard_message;
	for (size_t i = 0; i < N_EVENTS; i++) {
		const struct pmc_request request = {
			.action = PTP_GET, .id = events[i].came_with, .port = 1};

		if (!(w->mask & events[i].event))
			continue;
		s->unsupported = 0;
		session_ask(s, &request);
		if (!pmc_client_connected(s->client) || s->interrupted)
			break;
		if (s->unsupported == 0)
			continue;
		w->mask &= ~events[i].event;
		tool_complain("%s: this ptp4l is too old to push it; linuxptp %s can",
			      events[i].name,
			      events[i].event == PMC_EVENT_TIME_SYNC ? "4.0"
			      : events[i].event == PMC_EVENT_CMLDS   ? "4.3"
								     : "4.2");
	}
	s->sink = sink;
	s->refused = w->mask ? 0 : 1;
	return w->mask != 0 && pmc_client_connected(s->client) && !s->interrupted;
}

/* A ptp4l that is silent may go on yet: it is asked again. */
static bool goes_on(struct watch *w)
{
	struct session *s = &w->session;

	if (!w->denied)
		s->refused = 0;
	return pmc_client_connected(s->client) && !s->interrupted && !w->denied && !ferror(stdout);
}

/* False if ptp4l has gone, or refuses to tell. */
static bool ask_subscription(struct watch *w)
{
	const struct pmc_request request = {.action = PTP_GET, .id = PTP_ID_SUBSCRIBE_EVENTS_NP};
	struct session *s = &w->session;

	session_ask(s, &request);
	return goes_on(w);
}

static bool subscribe(struct watch *w)
{
	struct session *s = &w->session;
	uint16_t duration_s = pmc_client_subscription_max_s(s->client);
	int64_t ends_mono_ns;
	int r;

	if (duration_s == 0 && w->mask & PMC_EVENT_TIME_SYNC) {
		tool_complain("Syncs come every %.1f ms: too fast to be pushed without danger to "
			      "ptp4l; watch TIME_STATUS_NP instead",
			      (double)pmc_client_sync_interval_ns(s->client) / 1e6);
		s->refused++;
		return false;
	}
	if (tool_now_ns() >= w->ends_mono_ns)
		report_gap(w, "stopped for longer than the subscription");
	r = pmc_client_subscribe(s->client, w->mask, duration_s, tool_now_ns(), s->o->timeout_ns);
	if (r == -EAGAIN) { /* it doesn't read */
		w->renew_mono_ns = tool_now_ns() + second_ns;
		return true;
	}
	if (r < 0) {
		if (pmc_client_connected(s->client)) /* else it is said at the end */
			tool_complain("%s: %s", pmc_client_path(s->client), strerror(-r));
		s->refused++;
		return false;
	}
	w->renew_mono_ns = tool_now_ns() + duration_s * second_ns / 2;
	ends_mono_ns = tool_now_ns() + duration_s * second_ns;
	w->ended = false;
	(void)session_wait(s, INT64_MAX);
	w->ends_mono_ns = ends_mono_ns;
	return goes_on(w);
}

/* Until the subscription is to be renewed. 1: enough has been seen. */
static int watch_subscription(struct watch *w)
{
	struct session *s = &w->session;
	int64_t ask_mono_ns = tool_now_ns() + second_ns;

	do {
		int64_t step_ns = tool_now_ns() + second_ns / 20;

		if (!session_wait(s, step_ns < w->renew_mono_ns ? step_ns : w->renew_mono_ns))
			return 0;
		if (s->o->count > 0 && w->pushes >= s->o->count)
			return 1;
		if (tool_now_ns() >= ask_mono_ns) {
			if (!ask_subscription(w))
				return 0;
			ask_mono_ns = tool_now_ns() + second_ns;
		}
	} while (tool_now_ns() < w->renew_mono_ns && !w->ended);
	return 0;
}

/* Up to a loss of ptp4l, or the end. True: enough has been seen. */
static bool watch_connection(struct watch *w)
{
	if (w->mask & PMC_EVENT_TIME_SYNC)
		learn_rate(&w->session);
	w->ends_mono_ns = INT64_MAX;
	while (subscribe(w))
		if (watch_subscription(w) != 0)
			return true;
	return false;
}

/* True: it had gone, and is back. */
static bool is_restarted(struct session *s)
{
	return !pmc_client_connected(s->client) && !s->interrupted && !ferror(stdout) &&
	       session_await_return(s);
}

static int watch_events(struct watch *w)
{
	const uint32_t wanted = w->mask;
	struct session *s = &w->session;

	mark_heard(w);
	do {
		w->mask = wanted;
		w->denied = false;
		if (session_is_read_only(s)) {
			s->refused++;
			break;
		}
		if (drop_unknown_events(w) && watch_connection(w))
			return EXIT_GOOD;
		w->returned = true;
	} while (is_restarted(s));
	return session_status(s);
}

static void ask_words(struct session *s, char **words)
{
	for (; *words; words++) {
		struct pmc_request request = {
			.action = PTP_GET,
			.port = (uint16_t)s->o->port,
			.clock = &s->o->clock,
			.boundary_hops = s->o->boundary_hops,
		};
		const struct dataset *ds;

		(void)parse_id(*words, &request.id, &ds);
		session_ask(s, &request);
	}
}

/* A round that ends because ptp4l does is asked again, once that is back. */
static int watch_ids(struct watch *w, char **words)
{
	struct session *s = &w->session;
	int64_t next_mono_ns = tool_now_ns();
	unsigned int round = 0;

	while (s->o->count == 0 || round < s->o->count) {
		unsigned int refused = s->refused;

		if (session_wait(s, next_mono_ns))
			ask_words(s, words);
		if (pmc_client_connected(s->client)) {
			if (s->interrupted || ferror(stdout))
				break;
			round++;
			next_mono_ns += s->o->interval_ns;
		} else if (is_restarted(s)) {
			s->refused = refused;
		} else {
			break;
		}
		/* After a stop there is nothing to be made up for. */
		if (next_mono_ns < tool_now_ns())
			next_mono_ns = tool_now_ns();
	}
	return session_status(s);
}

static int check_words(char **words, const struct tool_options *o, struct watch *w,
		       bool *read_write)
{
	const struct dataset *ds;
	uint16_t id;

	*read_write = o->events != NULL;
	if (o->events && words[0]) {
		tool_complain("watch takes ids or --events, not both");
		return EXIT_USAGE;
	}
	if (o->events && o->network.interface) {
		tool_complain("%s: events come from a ptp4l's socket, not over a network",
			      o->network.interface);
		return EXIT_USAGE;
	}
	if (o->events)
		return parse_events(o->events, &w->mask);
	if (!words[0]) {
		tool_complain("an id is missing; \"pmc-client list\" shows them");
		return EXIT_USAGE;
	}
	for (; *words; words++) {
		if (!parse_id(*words, &id, &ds))
			return EXIT_USAGE;
		*read_write |= ds && ds->flags & DATASET_READ_WRITE;
	}
	return 0;
}

int run_watch(const struct tool_options *o, char **words)
{
	struct watch w = {0};
	bool read_write;
	int r = check_words(words, o, &w, &read_write);

	if (r != 0)
		return r;
	r = session_open(&w.session, o, read_write);
	if (r == 0) {
		w.session.sink = on_watched;
		r = o->events ? watch_events(&w) : watch_ids(&w, words);
	}
	session_close(&w.session);
	return r;
}
