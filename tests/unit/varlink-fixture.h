/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/varlink-fixture.h: a Varlink server, with methods of every sort, and its clients on
 * one event loop in this process.
 */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/serve/listener.h"
#include "ptpmon/serve/turns.h"
#include "ptpmon/serve/varlink.h"
#include "ptpmon/serve/varlink_client.h"

enum { BIG_OCTETS = 50 * 1000 };

struct fixture {
	char directory[64];
	char path[108];
	sd_event *loop;
	struct listener listener;
	struct varlink_server *server;
	struct varlink_call *kept; /* by Stream */
	unsigned big_calls, burnt_calls, closed_calls, oneway_calls;
};

/* -- the interface served ---------------------------------------------------------------- */

static inline void on_echo(struct varlink_call *call, json_t *parameters, void *userdata)
{
	varlink_reply(call, json_incref(parameters));
}

static inline void on_big(struct varlink_call *call, json_t *parameters, void *userdata)
{
	static char text[BIG_OCTETS + 1];
	struct fixture *f = userdata;

	f->big_calls++;
	memset(text, 'x', BIG_OCTETS);
	varlink_reply(call, json_pack("{ss}", "text", text));
}

static inline void on_huge(struct varlink_call *call, json_t *parameters, void *userdata)
{
	json_t *list = json_array();

	for (int i = 0; i < 100 * 1000; i++)
		json_array_append_new(list, json_integer(i));
	varlink_reply(call, json_pack("{so}", "list", list));
}

/* A millisecond of the CPU. */
static inline void on_burn(struct varlink_call *call, json_t *parameters, void *userdata)
{
	int64_t end_ns = nsec_now(CLOCK_THREAD_CPUTIME_ID) + NSEC_PER_MSEC;
	struct fixture *f = userdata;

	f->burnt_calls++;
	while (nsec_now(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
	varlink_reply(call, NULL);
}

static inline void on_note(struct varlink_call *call, json_t *parameters, void *userdata)
{
	struct fixture *f = userdata;

	f->oneway_calls++;
	varlink_reply(call, NULL);
}

static inline void on_stream_closed(struct varlink_call *call, void *userdata)
{
	struct fixture *f = userdata;

	assert_ptr_equal(f->kept, call);
	f->kept = NULL;
	f->closed_calls++;
}

static inline void on_stream(struct varlink_call *call, json_t *parameters, void *userdata)
{
	struct fixture *f = userdata;

	f->kept = call;
	varlink_call_on_close(call, on_stream_closed, f);
}

static inline void on_who(struct varlink_call *call, json_t *parameters, void *userdata)
{
	struct varlink_peer peer = varlink_call_peer(call);

	varlink_reply(call, json_pack("{sisi}", "uid", (int)peer.uid, "pid", (int)peer.pid));
}

static const struct varlink_method methods[] = {
	{"Echo", on_echo, 0}, {"Big", on_big, 0},    {"Huge", on_huge, 0},
	{"Burn", on_burn, 0}, {"Note", on_note, 0},  {"Stream", on_stream, VARLINK_MORE},
	{"Who", on_who, 0},   {"Declared", NULL, 0},
};

static const struct varlink_interface test_interface = {"com.example.test",
							"interface com.example.test\n", methods,
							sizeof(methods) / sizeof(methods[0])};

/* -- the fixture ------------------------------------------------------------------------- */

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char why[LISTENER_WHY_MAX];

	strcpy(f->directory, "/tmp/test-varlink-XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	snprintf(f->path, sizeof(f->path), "%s/control", f->directory);
	assert_true(sd_event_new(&f->loop) >= 0);
	assert_int_equal(listener_open(&f->listener, f->path, 0660, why), 0);
	assert_int_equal(
		varlink_server_new(&f->server, f->loop, f->listener.fd, &test_interface, 1, f), 0);
	*state = f;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	f->server = varlink_server_free(f->server);
	listener_close(&f->listener);
	sd_event_unref(f->loop);
	assert_int_equal(rmdir(f->directory), 0);
	free(f);
	return 0;
}

/* Runs the loop until it has nothing to do for quiet_ms. */
static inline void pump(struct fixture *f, unsigned quiet_ms)
{
	while (sd_event_run(f->loop, quiet_ms * 1000) > 0)
		;
}

static inline int try_connect(const struct fixture *f)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strcpy(address.sun_path, f->path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static inline int client(struct fixture *f)
{
	int fd = try_connect(f);

	/* after a burst the listener rests a moment, and its backlog may be full */
	for (int i = 0; fd < 0 && i < 100; i++) {
		pump(f, 10);
		fd = try_connect(f);
	}
	assert_true(fd >= 0);
	pump(f, 0);
	return fd;
}

static inline void send_octets(int fd, const void *octets, size_t n)
{
	assert_int_equal(send(fd, octets, n, MSG_NOSIGNAL), (ssize_t)n);
}

/* A request with its NUL. */
static inline void send_text(int fd, const char *text)
{
	send_octets(fd, text, strlen(text) + 1);
}

/* What there is to read now, NULs shown as '|'; "EOF" after the peer closed with nothing left. */
static inline const char *receive(struct fixture *f, int fd, char *out, size_t size)
{
	size_t len = 0;

	for (;;) {
		ssize_t n;

		pump(f, 0);
		n = recv(fd, out + len, size - len - 1, MSG_DONTWAIT);
		if (n <= 0 && len == 0 && !(n < 0 && errno == EAGAIN))
			return strcpy(out, "EOF");
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	for (size_t i = 0; i < len; i++)
		if (!out[i])
			out[i] = '|';
	out[len] = '\0';
	return out;
}

/* The same, but waits for something to read. */
static inline const char *receive_soon(struct fixture *f, int fd, char *out, size_t size)
{
	int64_t end_ns = nsec_now(CLOCK_MONOTONIC) + 10 * NSEC_PER_SEC;

	while (!receive(f, fd, out, size)[0] && nsec_now(CLOCK_MONOTONIC) < end_ns)
		pump(f, 1);
	return out;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
