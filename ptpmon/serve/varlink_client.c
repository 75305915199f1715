// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/serve/varlink_client.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/serve/frames.h"

enum { RETRY_MS = 10 };

/* Waits for events on fd (-1: for no more than limit_ms). 0, or -ETIMEDOUT. */
static int wait_for(int fd, short events, int limit_ms, int64_t deadline_mono_ns)
{
	struct pollfd p = {.fd = fd, .events = events};
	int64_t left_ms = (deadline_mono_ns - nsec_now(CLOCK_MONOTONIC)) / NSEC_PER_MSEC;

	if (left_ms <= 0)
		return -ETIMEDOUT;
	if (left_ms > limit_ms)
		left_ms = limit_ms;
	(void)poll(&p, 1, (int)left_ms);
	return 0;
}

static int connect_to(int fd, const char *path, int64_t deadline_mono_ns)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	while (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		int r = -errno;

		/* a full backlog; poll() cannot tell when there is room in it */
		if (r == -EAGAIN)
			r = wait_for(-1, 0, RETRY_MS, deadline_mono_ns);
		if (r < 0 && r != -EINTR)
			return r;
	}
	return 0;
}

/* Sends what is unsent, and waits for one message, which stays frames' own. */
static int await_message(struct frames *f, int64_t deadline_mono_ns, const char **answer,
			 size_t *len)
{
	int r = 0;

	while (r >= 0 && !frames_waiting(f)) {
		short events = POLLIN;

		r = frames_flush(f);
		if (r < 0)
			break;
		if (frames_unsent(f))
			events |= POLLOUT;
		r = wait_for(f->fd, events, 1000, deadline_mono_ns);
		if (r < 0)
			break;
		r = frames_receive(f);
		if (r >= 0 && f->ended && !frames_waiting(f))
			r = -ECONNRESET;
	}
	if (r < 0)
		return r;
	*answer = frames_next(f, len);
	return 0;
}

static int parse_answer(const char *text, size_t len, json_t **reply,
			char why[static VARLINK_WHY_MAX])
{
	json_auto_t *answer = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	json_t *parameters = json_object_get(answer, "parameters");
	json_t *error = json_object_get(answer, "error");

	if (!json_is_object(answer) || (error && !json_is_string(error)) ||
	    (parameters && !json_is_object(parameters)))
		return -EBADMSG;
	*reply = parameters ? json_incref(parameters) : json_object();
	if (!error)
		return 0;
	(void)snprintf(why, VARLINK_WHY_MAX, "%s", json_string_value(error));
	return VARLINK_ERROR;
}

static const char *explain(int error)
{
	switch (error) {
	case -ETIMEDOUT:
		return "no answer in time";
	case -ECONNRESET:
	case -EPIPE:
		return "it hung up";
	case -EBADMSG:
	case -EMSGSIZE:
		return "its answer is no Varlink";
	default:
		return strerror(-error);
	}
}

struct varlink_stream {
	int fd;
	struct frames frames;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

DEFINE_FREEP(struct varlink_stream, varlink_stream_free)

static int complain(int error, const char *path, char why[static VARLINK_WHY_MAX])
{
	(void)snprintf(why, VARLINK_WHY_MAX, "%s: %s", path, explain(error));
	return error;
}

/* The request is queued, not sent yet. */
static int stream_open(struct varlink_stream **out, const char *path, const char *method,
		       json_t *parameters, bool more, int64_t deadline_mono_ns)
{
	CLEANUP(varlink_stream_freep) struct varlink_stream *s = calloc(1, sizeof(*s));
	json_auto_t *message = json_pack("{ss sO*}", "method", method, "parameters", parameters);
	CLEANUP(freep) char *request = NULL;
	int r;

	if (!s)
		return -ENOMEM;
	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return -errno;
	if (more)
		(void)json_object_set_new(message, "more", json_true());
	request = json_dumps(message, JSON_COMPACT);
	if (!request)
		return -EINVAL;
	s->frames = (struct frames){.fd = s->fd, .in_max = VARLINK_REPLY_MAX};
	(void)snprintf(s->path, sizeof(s->path), "%s", path);
	r = connect_to(s->fd, path, deadline_mono_ns);
	if (r == 0)
		r = frames_put(&s->frames, request);
	if (r == 0)
		*out = steal(&s);
	return r;
}

int varlink_stream_open(struct varlink_stream **out, const char *path, const char *method,
			json_t *parameters, int64_t timeout_ns, char why[static VARLINK_WHY_MAX])
{
	int r = stream_open(out, path, method, parameters, true,
			    nsec_now(CLOCK_MONOTONIC) + timeout_ns);

	return r < 0 ? complain(r, path, why) : 0;
}

static int stream_next(struct varlink_stream *s, int64_t deadline_mono_ns, json_t **reply,
		       char why[static VARLINK_WHY_MAX])
{
	const char *answer = NULL;
	size_t len = 0;
	int r = await_message(&s->frames, deadline_mono_ns, &answer, &len);

	if (r == 0)
		r = parse_answer(answer, len, reply, why);
	return r < 0 ? complain(r, s->path, why) : r;
}

int varlink_stream_next(struct varlink_stream *s, int64_t timeout_ns, json_t **reply,
			char why[static VARLINK_WHY_MAX])
{
	return stream_next(s, nsec_now(CLOCK_MONOTONIC) + timeout_ns, reply, why);
}

struct varlink_stream *varlink_stream_free(struct varlink_stream *s)
{
	if (!s)
		return NULL;
	frames_clear(&s->frames);
	close_fdp(&s->fd);
	free(s);
	return NULL;
}

int varlink_call(const char *path, const char *method, json_t *parameters, int64_t timeout_ns,
		 json_t **reply, char why[static VARLINK_WHY_MAX])
{
	CLEANUP(varlink_stream_freep) struct varlink_stream *s = NULL;
	int64_t deadline_mono_ns = nsec_now(CLOCK_MONOTONIC) + timeout_ns;
	int r = stream_open(&s, path, method, parameters, false, deadline_mono_ns);

	return r < 0 ? complain(r, path, why) : stream_next(s, deadline_mono_ns, reply, why);
}
