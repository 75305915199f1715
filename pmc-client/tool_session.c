// SPDX-License-Identifier: LGPL-2.1-or-later
/* A conversation with one ptp4l, for a command that has nothing else to do than wait. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "pmc-client/tool.h"

int64_t tool_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void tool_complain(const char *format, ...)
{
	va_list args;

	(void)fflush(stdout);
	va_start(args, format);
	(void)fputs("pmc-client: ", stderr);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the checker overlooks va_start() */
	(void)vfprintf(stderr, format, args);
	(void)fputc('\n', stderr);
	va_end(args);
}

/* A question for fields that is answered with none got no data. */
static bool is_good(const struct session *s, const struct pmc_message *m)
{
	if (m->outcome == PMC_EMPTY)
		return s->action != PTP_GET || !m->dataset || m->dataset->n_fields == 0;
	return m->outcome == PMC_OK || m->outcome == PMC_SHORT;
}

void session_complain_gone(struct session *s)
{
	if (s->gone_told)
		return;
	s->gone_told = true;
	if (s->o->network.interface)
		tool_complain("%s: the interface has gone, or is not up any more",
			      s->o->network.interface);
	else
		tool_complain("%s: ptp4l went away", pmc_client_path(s->client));
}

void session_on_message(void *userdata, const struct pmc_message *m)
{
	struct session *s = userdata;
	bool ended_without = m->outcome == PMC_TIMED_OUT || m->outcome == PMC_DISCONNECTED;

	if (!ended_without)
		s->answers++;
	/* Nobody knows how many there were to come. */
	if (m->outcome == PMC_TIMED_OUT && s->collecting && s->answers > 0)
		return;
	if (!is_good(s, m))
		s->refused++;
	s->unsupported += m->outcome == PMC_NOT_SUPPORTED;
	s->sink(s, m);
}

/* Until something comes, a signal, or deadline_ns. */
static void wait_input(struct session *s, int64_t deadline_ns)
{
	struct pollfd wait[] = {
		{.fd = pmc_client_fd(s->client), .events = POLLIN},
		{.fd = s->o->signals_fd, .events = POLLIN},
	};
	int64_t left_ns = deadline_ns - tool_now_ns();

	if (left_ns > 0 && poll(wait, 2, (int)(left_ns / 1000000) + 1) > 0 && wait[1].revents)
		s->interrupted = true;
}

bool session_wait(struct session *s, int64_t until_mono_ns)
{
	bool until_answered = until_mono_ns == INT64_MAX;

	/* What can't be printed needn't be waited for. */
	while (pmc_client_connected(s->client) && !s->interrupted && !ferror(stdout)) {
		int64_t deadline_ns = pmc_client_deadline_ns(s->client);

		if (until_answered ? !pmc_client_busy(s->client) : tool_now_ns() >= until_mono_ns)
			return true;
		wait_input(s, deadline_ns < until_mono_ns ? deadline_ns : until_mono_ns);
		(void)pmc_client_receive(s->client, tool_now_ns());
		pmc_client_expire(s->client, tool_now_ns());
	}
	return false;
}

static bool is_any_clock(const struct ptp_clock_identity *clock)
{
	for (size_t i = 0; i < sizeof(clock->octet); i++)
		if (clock->octet[i] != 0xFF)
			return false;
	return true;
}

bool may_change(const struct tool_options *o)
{
	if (!o->network.interface)
		return true;
	if (!o->allow_set || !o->allow_set_remote) {
		tool_complain("%s: changing a clock over a network wants --allow-set and "
			      "--allow-set-remote",
			      o->network.interface);
		return false;
	}
	if (is_any_clock(&o->clock)) {
		tool_complain("%s: changing a clock over a network wants its identity: --clock",
			      o->network.interface);
		return false;
	}
	return true;
}

static void ask(struct session *s, const struct pmc_request *request)
{
	struct pollfd signals = {.fd = s->o->signals_fd, .events = POLLIN};
	int64_t give_up_ns = tool_now_ns() + s->o->timeout_ns;
	int r;

	if (s->interrupted)
		return;
	if (!pmc_client_connected(s->client)) { /* which has been said */
		s->refused++;
		return;
	}
	s->answers = 0;
	s->action = request->action;
	s->collecting = (s->o->network.interface || request->boundary_hops > 0) &&
			(!request->clock || is_any_clock(request->clock));
	/* Other clients may fill ptp4l's queue for a moment. */
	while ((r = pmc_client_request(s->client, request, tool_now_ns(), s->o->timeout_ns)) ==
		       -EAGAIN &&
	       tool_now_ns() < give_up_ns && !s->interrupted)
		s->interrupted = poll(&signals, 1, 1) > 0;
	if (s->interrupted) {
		pmc_client_cancel(s->client);
		return;
	}
	if (r < 0) {
		if (!pmc_client_connected(s->client))
			session_complain_gone(s);
		else
			tool_complain("%s: %s", pmc_client_path(s->client),
				      r == -EAGAIN
					      ? "ptp4l does not read: it is stopped or overloaded"
					      : strerror(-r));
		s->refused++;
		return;
	}
	(void)session_wait(s, INT64_MAX);
}

const char *session_why_silent(const struct session *s, const struct pmc_message *m)
{
	if (m->outcome == PMC_TIMED_OUT && s->answers == 0 && !is_any_clock(&s->o->clock))
		return "timed out: no clock of that identity answered";
	return pmc_outcome_name(m->outcome);
}

/* A read-only socket has no subscriptions: its answer has no data. */
static void take_read_only(struct session *s, const struct pmc_message *m)
{
	if (m->outcome != PMC_EMPTY)
		return;
	s->read_only_told = true;
	tool_complain("%s: this is ptp4l's read-only socket; the read-write one is its "
		      "uds_address, usually /var/run/ptp4l",
		      pmc_client_path(s->client));
}

bool session_is_read_only(struct session *s)
{
	const struct pmc_request request = {.action = PTP_GET, .id = PTP_ID_SUBSCRIBE_EVENTS_NP};
	unsigned int refused = s->refused, answers = s->answers;
	tool_sink_fn *sink = s->sink;

	if (s->o->network.interface || s->read_only_told)
		return s->read_only_told;
	s->sink = take_read_only;
	ask(s, &request);
	s->sink = sink;
	s->refused = refused;
	s->answers = answers;
	return s->read_only_told;
}

void session_ask(struct session *s, const struct pmc_request *request)
{
	const struct dataset *ds = pmc_dataset_find(request->id);
	unsigned int unsupported = s->unsupported;

	ask(s, request);
	if (s->unsupported > unsupported &&
	    (request->action != PTP_GET || (ds && ds->flags & DATASET_READ_WRITE)))
		(void)session_is_read_only(s);
}

int session_status(const struct session *s)
{
	if (s->interrupted)
		return EXIT_INTERRUPTED;
	return s->refused > 0 || !s->client || !pmc_client_connected(s->client) ? EXIT_BAD
										: EXIT_GOOD;
}

void session_close(struct session *s)
{
	s->client = pmc_client_free(s->client);
	json_decref(s->messages);
	s->messages = NULL;
}
