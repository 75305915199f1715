// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any octets as what a client of the control socket sends. What reaches the operations holds what
 * it promises, every answer is a JSON object, and nothing of the client is left when it has gone.
 */
#include "ptpmon/serve/control.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ptpmon/serve/parameter.h"

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len);

enum { SENT_MAX = 60000, ANSWERS_MAX = 1 << 20 };

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void require_text(const char *text, size_t max)
{
	require(text && !parameter_text_problem(text, max));
}

static json_t *op_status(void *userdata)
{
	return json_pack("{ss}", "schema", "ptpmon.status/1");
}

static json_t *op_events(void *userdata, const struct control_filter *filter)
{
	json_t *list = json_array();

	require(filter->limit <= CONTROL_EVENTS_MAX && filter->severity < SEVERITY_MAX);
	for (size_t i = 0; i < filter->limit; i++)
		(void)json_array_append_new(list, json_integer((json_int_t)i));
	return list;
}

static int op_mark(void *userdata, const char *text, const char *who)
{
	require_text(text, CONTROL_MARK_MAX);
	require_text(who, CONTROL_WHO_MAX);
	return 0;
}

static int op_begin_phase(void *userdata, const char *name, const char *who)
{
	require_text(name, CONTROL_PHASE_MAX);
	return 0;
}

static int op_end_phase(void *userdata, const char *who)
{
	return -ENOENT;
}

static int op_put_verdict(void *userdata, const struct verdict *v, const char *who)
{
	require_text(v->plan, VERDICT_TEXT_MAX);
	require_text(v->criterion, VERDICT_TEXT_MAX);
	if (v->phase)
		require_text(v->phase, VERDICT_TEXT_MAX);
	if (v->reason)
		require_text(v->reason, VERDICT_TEXT_MAX);
	require(v->pass <= VERDICT_INCONCLUSIVE && !isinf(v->limit) && !isinf(v->measured));
	return 0;
}

static size_t op_acknowledge(void *userdata, int64_t until_mono_ns, const char *who)
{
	require(until_mono_ns >= 0);
	return 1;
}

static const struct control_ops ops = {
	.status = op_status,
	.events = op_events,
	.mark = op_mark,
	.begin_phase = op_begin_phase,
	.end_phase = op_end_phase,
	.put_verdict = op_put_verdict,
	.acknowledge = op_acknowledge,
};

static int make_listener(struct sockaddr_un *address, socklen_t *size)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* abstract, its name chosen by the kernel */
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	require(bind(fd, (struct sockaddr *)address, sizeof(sa_family_t)) == 0);
	*size = sizeof(*address);
	require(getsockname(fd, (struct sockaddr *)address, size) == 0);
	require(listen(fd, 8) == 0);
	return fd;
}

/* Lets the server work, and takes what it answers. */
static size_t pump(sd_event *loop, int fd, char *answers, size_t len)
{
	ssize_t n = 1;

	while (sd_event_run(loop, 0) > 0 || n > 0) {
		n = recv(fd, answers + len, ANSWERS_MAX - len, MSG_DONTWAIT);
		if (n > 0)
			len += (size_t)n;
		require(len < ANSWERS_MAX);
	}
	return len;
}

/* All of them are whole, since the client reads. */
static void check_answers(const char *answers, size_t len)
{
	while (len > 0) {
		size_t n = strnlen(answers, len);
		json_t *json = json_loadb(answers, n, JSON_REJECT_DUPLICATES, NULL);

		require(n < len && json_is_object(json_object_get(json, "parameters")));
		json_decref(json);
		answers += n + 1;
		len -= n + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len)
{
	static char answers[ANSWERS_MAX];
	struct sockaddr_un address;
	socklen_t size;
	int listener = make_listener(&address, &size);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct control *control = NULL;
	sd_event *loop = NULL;
	size_t got;

	require(sd_event_new(&loop) >= 0);
	/* one of its own: what clients may cost is not used up by the inputs before */
	require(control_new(&control, loop, listener, &ops, NULL) == 0);
	require(connect(fd, (struct sockaddr *)&address, size) == 0);
	(void)!send(fd, octets, len < SENT_MAX ? len : SENT_MAX, MSG_NOSIGNAL);
	got = pump(loop, fd, answers, 0);
	control_tell_status(control);
	control_tell_event(control, json_integer(1));
	got = pump(loop, fd, answers, got);
	check_answers(answers, got);
	(void)close(fd);
	while (sd_event_run(loop, 0) > 0)
		;
	require(!control_is_watched(control));
	control = control_free(control);
	sd_event_unref(loop);
	(void)close(listener);
	return 0;
}
