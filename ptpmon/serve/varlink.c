// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A client is always in one of three states, which rearm() turns into the events it waits for:
 * something unsent or a request waiting (EPOLLOUT: both need room in the socket), a call that
 * its handler kept (only its hang-up), or nothing (EPOLLIN). Memory per client is bounded by the
 * limits of the header, work per wake-up by one read and one request, and work of all of them by
 * the turns they take.
 */
#include "ptpmon/serve/varlink.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/serve/varlink_impl.h"

enum {
	/* neither who connects all the time may keep the loop busy nor a lack of descriptors */
	ACCEPT_INTERVAL_US = 200 * 1000,
	ACCEPT_BURST = 64,
	BEHIND_ACCURACY_US = 100 * 1000,
	/* what the kernel holds for a client counts as read: little, so that one that reads
	 * nothing is soon behind */
	SEND_BUFFER_BYTES = 16 * 1024,
};

/* -- clients ----------------------------------------------------------------------------- */

static struct client *client_free(struct client *c)
{
	if (!c)
		return NULL;
	if (c->call.open && c->call.closed)
		c->call.closed(&c->call, c->call.closed_userdata);
	turns_leave(&c->server->turns, &c->turn);
	(void)sd_event_source_disable_unref(c->turn.io);
	(void)sd_event_source_disable_unref(c->behind);
	frames_clear(&c->frames);
	close_fdp(&c->fd);
	free(c);
	return NULL;
}

DEFINE_FREEP(struct client, client_free)

static void client_drop(struct client *c)
{
	struct varlink_server *s = c->server;

	for (size_t i = 0; i < s->n_clients; i++)
		if (s->clients[i] == c) {
			s->clients[i] = s->clients[--s->n_clients];
			break;
		}
	(void)client_free(c);
}

/* Cannot be dropped where it stands: the shutdown wakes its own source, which does it. */
static void client_break(struct client *c)
{
	c->broken = true;
	(void)shutdown(c->fd, SHUT_RDWR);
}

static void rearm(struct client *c)
{
	bool unsent = frames_unsent(&c->frames) > 0;
	uint32_t events = EPOLLIN;
	int enabled = SD_EVENT_OFF;

	if (unsent || (frames_waiting(&c->frames) && !c->call.open))
		events = EPOLLOUT;
	else if (c->call.open)
		events = 0; /* EPOLLHUP comes unasked */
	(void)sd_event_source_set_io_events(c->turn.io, events);
	/* from the moment it falls behind until it has caught up */
	if (!unsent) {
		(void)sd_event_source_set_enabled(c->behind, SD_EVENT_OFF);
		return;
	}
	(void)sd_event_source_get_enabled(c->behind, &enabled);
	if (enabled != SD_EVENT_OFF)
		return;
	(void)sd_event_source_set_time_relative(c->behind,
						(uint64_t)VARLINK_BEHIND_MAX_S * 1000000);
	(void)sd_event_source_set_enabled(c->behind, SD_EVENT_ONESHOT);
}

/* -- answers ----------------------------------------------------------------------------- */

static void client_send(struct client *c, json_t *message)
{
	CLEANUP(freep) char *text = json_dumps(message, JSON_COMPACT);

	if (!text || frames_put(&c->frames, text) < 0 || frames_flush(&c->frames) < 0 ||
	    frames_unsent(&c->frames) > VARLINK_UNSENT_MAX)
		client_break(c);
	else
		rearm(c);
}

/* Takes over parameters. error NULL: a reply. */
static void answer(struct varlink_call *call, const char *error, json_t *parameters)
{
	struct client *c = call->client;
	json_auto_t *message = json_object();

	if (!parameters)
		parameters = json_object();
	if (json_object_set_new(message, "parameters", parameters) < 0 ||
	    (error && json_object_set_new(message, "error", json_string(error)) < 0)) {
		client_break(c);
		return;
	}
	call->open = false;
	if (!call->oneway)
		client_send(c, message);
	else
		rearm(c);
}

void varlink_reply(struct varlink_call *call, json_t *parameters)
{
	answer(call, NULL, parameters);
}

/* What it costs to send is paid in the client's turn. */
static void client_notify(struct client *c, const char *text)
{
	if (c->broken)
		return;
	if (!text || frames_put(&c->frames, text) < 0 ||
	    frames_unsent(&c->frames) > VARLINK_UNSENT_MAX)
		client_break(c);
	else
		rearm(c);
}

void varlink_notify_each(struct varlink_call *const *calls, size_t n, json_t *parameters)
{
	json_auto_t *message =
		json_pack("{so sb}", "parameters", parameters ?: json_object(), "continues", true);
	CLEANUP(freep) char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;

	for (size_t i = 0; i < n; i++)
		client_notify(calls[i]->client, text);
}

void varlink_notify(struct varlink_call *call, json_t *parameters)
{
	varlink_notify_each(&call, 1, parameters);
}

bool varlink_call_wants_more(const struct varlink_call *call)
{
	return call->more;
}

void varlink_error(struct varlink_call *call, const char *name, json_t *parameters)
{
	answer(call, name, parameters);
}

struct varlink_peer varlink_call_peer(const struct varlink_call *call)
{
	return call->client->peer;
}

void varlink_call_on_close(struct varlink_call *call,
			   void (*closed)(struct varlink_call *call, void *userdata),
			   void *userdata)
{
	call->closed = closed;
	call->closed_userdata = userdata;
}

/* -- requests ---------------------------------------------------------------------------- */

/* An absent flag is false; what is no boolean is no request. */
static bool read_flag(const json_t *request, const char *name, bool *out)
{
	const json_t *value = json_object_get(request, name);

	*out = json_is_true(value);
	return !value || json_is_boolean(value);
}

/* Has the client closed, not only its sending side? Asked anew: this process may have been stopped.
 */
static bool has_hung_up(const struct client *c)
{
	struct pollfd p = {.fd = c->fd};

	return poll(&p, 1, 0) > 0;
}

/* 0, or -EBADMSG for what is no request. */
static int serve(struct client *c, const char *text, size_t len)
{
	json_auto_t *request = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	const char *name = json_string_value(json_object_get(request, "method"));
	json_t *parameters = json_object_get(request, "parameters");
	json_auto_t *none = json_object();
	bool upgrade;

	c->call = (struct varlink_call){.client = c};
	if (!name || strlen(name) >= VARLINK_METHOD_MAX || !strchr(name, '.'))
		return -EBADMSG;
	if (!read_flag(request, "oneway", &c->call.oneway) ||
	    !read_flag(request, "more", &c->call.more) ||
	    !read_flag(request, "upgrade", &upgrade) || (c->call.oneway && c->call.more))
		return -EBADMSG;
	if (!parameters || json_is_null(parameters))
		parameters = none;
	if (!json_is_object(parameters))
		return -EBADMSG;
	/* it gave up waiting, and has told its user that nothing was done */
	if (!c->call.oneway && has_hung_up(c))
		return 0;
	c->call.open = true;
	c->last_active = ++c->server->activity;
	if (upgrade)
		varlink_invalid_parameter(&c->call, "upgrade");
	else
		varlink_dispatch(&c->call, name, parameters);
	return 0;
}

/* One step of one client. A negative value: it is to be dropped. */
static int client_step(struct client *c, uint32_t revents)
{
	struct frames *f = &c->frames;
	const char *text;
	size_t len;
	int r = frames_flush(f);

	if (r < 0)
		return r;
	if (frames_unsent(f))
		return 0;
	if (c->call.open)
		return revents & (EPOLLHUP | EPOLLERR) ? -EPIPE : 0;
	if (!frames_waiting(f)) {
		if (f->ended)
			return -EPIPE;
		r = frames_receive(f);
		if (r < 0)
			return r;
	}
	text = frames_next(f, &len);
	if (text)
		return serve(c, text, len);
	return f->ended ? -EPIPE : 0;
}

static int on_client(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct client *c = userdata;
	struct turns *turns = &c->server->turns;

	if (c->broken) {
		client_drop(c);
		return 0;
	}
	if (!turns_take(turns, &c->turn))
		return 0;
	if (client_step(c, revents) < 0)
		client_drop(c);
	else if (!c->broken)
		rearm(c);
	turns_done(turns);
	return 0;
}

static int on_behind(sd_event_source *source, uint64_t usec, void *userdata)
{
	client_drop(userdata);
	return 0;
}

/* -- the server -------------------------------------------------------------------------- */

static int client_new(struct client **out, struct varlink_server *s, int fd)
{
	int send_bytes = SEND_BUFFER_BYTES;
	CLEANUP(client_freep) struct client *c = calloc(1, sizeof(*c));
	int r;

	if (!c) {
		(void)close(fd);
		return -ENOMEM;
	}
	c->server = s;
	c->fd = fd;
	c->frames = (struct frames){.fd = fd, .in_max = VARLINK_REQUEST_MAX};
	c->last_active = ++s->activity;
	r = peer_get(&c->peer, fd);
	if (r < 0)
		return r;
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof(send_bytes));
	r = sd_event_add_io(s->loop, &c->turn.io, fd, EPOLLIN, on_client, c);
	if (r < 0)
		return r;
	r = sd_event_add_time_relative(s->loop, &c->behind, CLOCK_MONOTONIC, 0, BEHIND_ACCURACY_US,
				       on_behind, c);
	if (r < 0)
		return r;
	(void)sd_event_source_set_enabled(c->behind, SD_EVENT_OFF);
	(void)sd_event_source_set_priority(c->turn.io, SD_EVENT_PRIORITY_IDLE);
	(void)sd_event_source_set_priority(c->behind, SD_EVENT_PRIORITY_IDLE);
	*out = steal(&c);
	return 0;
}

/* The client that asked nothing for longest, if it is not owed an answer. */
static struct client *most_idle(const struct varlink_server *s)
{
	struct client *found = NULL;

	for (size_t i = 0; i < s->n_clients; i++) {
		struct client *c = s->clients[i];

		if (!c->call.open && !frames_unsent(&c->frames) &&
		    (!found || c->last_active < found->last_active))
			found = c;
	}
	return found;
}

static int on_connection(sd_event_source *source, int listen_fd, uint32_t revents, void *userdata)
{
	struct varlink_server *s = userdata;
	int fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct client *c = NULL;

	/* out of descriptors: the source's rate limit paces the next try */
	if (fd < 0)
		return 0;
	if (s->n_clients == VARLINK_CLIENTS_MAX) {
		c = most_idle(s);
		if (!c) {
			(void)close(fd);
			return 0;
		}
		client_drop(c);
	}
	if (client_new(&c, s, fd) == 0)
		s->clients[s->n_clients++] = c;
	return 0;
}

int varlink_server_listen(struct varlink_server *s, int listen_fd)
{
	sd_event_source *listener = NULL;
	int r = sd_event_add_io(s->loop, &listener, listen_fd, EPOLLIN, on_connection, s);

	if (r >= 0)
		r = sd_event_source_set_priority(listener, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = sd_event_source_set_ratelimit(listener, ACCEPT_INTERVAL_US, ACCEPT_BURST);
	if (r < 0) {
		(void)sd_event_source_disable_unref(listener);
		return r;
	}
	(void)sd_event_source_disable_unref(s->listener);
	s->listener = listener;
	return 0;
}

int varlink_server_new(struct varlink_server **out, sd_event *loop, int listen_fd,
		       const struct varlink_interface *interfaces, size_t n_interfaces,
		       void *userdata)
{
	struct varlink_server *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->loop = sd_event_ref(loop);
	s->interfaces = interfaces;
	s->n_interfaces = n_interfaces;
	s->userdata = userdata;
	r = turns_init(&s->turns, loop);
	if (r >= 0)
		r = varlink_server_listen(s, listen_fd);
	if (r < 0) {
		(void)varlink_server_free(s);
		return r;
	}
	*out = s;
	return 0;
}

struct varlink_server *varlink_server_free(struct varlink_server *s)
{
	if (!s)
		return NULL;
	while (s->n_clients)
		client_drop(s->clients[s->n_clients - 1]);
	turns_clear(&s->turns);
	(void)sd_event_source_disable_unref(s->listener);
	(void)sd_event_unref(s->loop);
	free(s);
	return NULL;
}

size_t varlink_server_clients(const struct varlink_server *s)
{
	return s->n_clients;
}
