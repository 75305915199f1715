// SPDX-License-Identifier: GPL-2.0-or-later
/* The Varlink server against clients of every sort, all on one event loop in this process. */
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

static void on_echo(struct varlink_call *call, json_t *parameters, void *userdata)
{
	varlink_reply(call, json_incref(parameters));
}

static void on_big(struct varlink_call *call, json_t *parameters, void *userdata)
{
	static char text[BIG_OCTETS + 1];
	struct fixture *f = userdata;

	f->big_calls++;
	memset(text, 'x', BIG_OCTETS);
	varlink_reply(call, json_pack("{ss}", "text", text));
}

static void on_huge(struct varlink_call *call, json_t *parameters, void *userdata)
{
	json_t *list = json_array();

	for (int i = 0; i < 100 * 1000; i++)
		json_array_append_new(list, json_integer(i));
	varlink_reply(call, json_pack("{so}", "list", list));
}

/* A millisecond of the CPU. */
static void on_burn(struct varlink_call *call, json_t *parameters, void *userdata)
{
	int64_t end_ns = nsec_now(CLOCK_THREAD_CPUTIME_ID) + NSEC_PER_MSEC;
	struct fixture *f = userdata;

	f->burnt_calls++;
	while (nsec_now(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
	varlink_reply(call, NULL);
}

static void on_note(struct varlink_call *call, json_t *parameters, void *userdata)
{
	struct fixture *f = userdata;

	f->oneway_calls++;
	varlink_reply(call, NULL);
}

static void on_stream_closed(struct varlink_call *call, void *userdata)
{
	struct fixture *f = userdata;

	assert_ptr_equal(f->kept, call);
	f->kept = NULL;
	f->closed_calls++;
}

static void on_stream(struct varlink_call *call, json_t *parameters, void *userdata)
{
	struct fixture *f = userdata;

	f->kept = call;
	varlink_call_on_close(call, on_stream_closed, f);
}

static void on_who(struct varlink_call *call, json_t *parameters, void *userdata)
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

static int setup(void **state)
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

static int teardown(void **state)
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
static void pump(struct fixture *f, unsigned quiet_ms)
{
	while (sd_event_run(f->loop, quiet_ms * 1000) > 0)
		;
}

static int try_connect(const struct fixture *f)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strcpy(address.sun_path, f->path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static int client(struct fixture *f)
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

static void send_octets(int fd, const void *octets, size_t n)
{
	assert_int_equal(send(fd, octets, n, MSG_NOSIGNAL), (ssize_t)n);
}

/* A request with its NUL. */
static void send_text(int fd, const char *text)
{
	send_octets(fd, text, strlen(text) + 1);
}

/* What there is to read now, NULs shown as '|'; "EOF" after the peer closed with nothing left. */
static const char *receive(struct fixture *f, int fd, char *out, size_t size)
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
static const char *receive_soon(struct fixture *f, int fd, char *out, size_t size)
{
	int64_t end_ns = nsec_now(CLOCK_MONOTONIC) + 10 * NSEC_PER_SEC;

	while (!receive(f, fd, out, size)[0] && nsec_now(CLOCK_MONOTONIC) < end_ns)
		pump(f, 1);
	return out;
}

/* -- the protocol ------------------------------------------------------------------------ */

#define SERVICE_ERROR(name, key, value)                                                            \
	"{\"parameters\":{\"" key "\":\"" value "\"},\"error\":\"org.varlink.service." name "\"}|"

static const struct exchange {
	const char *name, *request, *answer;
} exchanges[] = {
	{"echo", "{\"method\":\"com.example.test.Echo\",\"parameters\":{\"a\":[1,null]}}",
	 "{\"parameters\":{\"a\":[1,null]}}|"},
	{"no parameters", "{\"method\":\"com.example.test.Echo\"}", "{\"parameters\":{}}|"},
	{"null parameters", "{\"method\":\"com.example.test.Echo\",\"parameters\":null}",
	 "{\"parameters\":{}}|"},
	{"more, answered once", "{\"method\":\"com.example.test.Echo\",\"more\":true}",
	 "{\"parameters\":{}}|"},
	{"unknown member", "{\"method\":\"com.example.test.Echo\",\"later\":7}",
	 "{\"parameters\":{}}|"},
	{"no such interface", "{\"method\":\"com.example.nothing.Echo\"}",
	 SERVICE_ERROR("InterfaceNotFound", "interface", "com.example.nothing")},
	{"no such method", "{\"method\":\"com.example.test.Nothing\"}",
	 SERVICE_ERROR("MethodNotFound", "method", "com.example.test.Nothing")},
	{"empty method", "{\"method\":\"com.example.test.\"}",
	 SERVICE_ERROR("MethodNotFound", "method", "com.example.test.")},
	{"a mere dot", "{\"method\":\".\"}", SERVICE_ERROR("InterfaceNotFound", "interface", "")},
	{"declared only", "{\"method\":\"com.example.test.Declared\"}",
	 SERVICE_ERROR("MethodNotImplemented", "method", "com.example.test.Declared")},
	{"upgrade", "{\"method\":\"com.example.test.Echo\",\"upgrade\":true}",
	 SERVICE_ERROR("InvalidParameter", "parameter", "upgrade")},
	{"stream without more", "{\"method\":\"com.example.test.Stream\"}",
	 "{\"parameters\":{},\"error\":\"org.varlink.service.ExpectedMore\"}|"},
	{"description of none", "{\"method\":\"org.varlink.service.GetInterfaceDescription\"}",
	 SERVICE_ERROR("InvalidParameter", "parameter", "interface")},
	{"description of what is not there",
	 "{\"method\":\"org.varlink.service.GetInterfaceDescription\","
	 "\"parameters\":{\"interface\":\"a.b\"}}",
	 SERVICE_ERROR("InterfaceNotFound", "interface", "a.b")},
	{"description",
	 "{\"method\":\"org.varlink.service.GetInterfaceDescription\","
	 "\"parameters\":{\"interface\":\"com.example.test\"}}",
	 "{\"parameters\":{\"description\":\"interface com.example.test\\n\"}}|"},
	{"info with a parameter",
	 "{\"method\":\"org.varlink.service.GetInfo\",\"parameters\":{\"x\":1}}",
	 SERVICE_ERROR("InvalidParameter", "parameter", "x")},
	{"oneway", "{\"method\":\"com.example.test.Note\",\"oneway\":true}", ""},
	{"oneway error", "{\"method\":\"com.example.test.Nothing\",\"oneway\":true}", ""},
	{"not JSON", "hello", "EOF"},
	{"empty message", "", "EOF"},
	{"array", "[]", "EOF"},
	{"two values", "{} {}", "EOF"},
	{"no method", "{\"parameters\":{}}", "EOF"},
	{"method is a number", "{\"method\":5}", "EOF"},
	{"method without a dot", "{\"method\":\"Echo\"}", "EOF"},
	{"parameters are a list", "{\"method\":\"com.example.test.Echo\",\"parameters\":[]}",
	 "EOF"},
	{"flag is a number", "{\"method\":\"com.example.test.Echo\",\"more\":1}", "EOF"},
	{"oneway and more", "{\"method\":\"com.example.test.Echo\",\"more\":true,\"oneway\":true}",
	 "EOF"},
	{"key twice", "{\"method\":\"a.b\",\"method\":\"a.c\"}", "EOF"},
	{"broken UTF-8", "{\"method\":\"com.example.test.\xff\"}", "EOF"},
	{"escaped NUL", "{\"method\":\"com.example.test.Echo\\u0000\"}", "EOF"},
};

static void test_exchanges(void **state)
{
	struct fixture *f = *state;
	char got[4096];

	for (size_t i = 0; i < sizeof(exchanges) / sizeof(exchanges[0]); i++) {
		const struct exchange *x = &exchanges[i];
		CLEANUP(close_fdp) int fd = client(f);

		send_text(fd, x->request);
		receive(f, fd, got, sizeof(got));
		if (strcmp(got, x->answer) != 0)
			fail_msg("%s: got %s, not %s", x->name, got, x->answer);
	}
	assert_int_equal(f->oneway_calls, 1);
}

static void test_info(void **state)
{
	struct fixture *f = *state;
	CLEANUP(close_fdp) int fd = client(f);
	char got[1024];

	send_text(fd, "{\"method\":\"org.varlink.service.GetInfo\"}");
	receive(f, fd, got, sizeof(got));
	assert_non_null(strstr(got, "\"product\":\"ptpmon\""));
	assert_non_null(strstr(got, "[\"org.varlink.service\",\"com.example.test\"]"));
}

static void test_peer(void **state)
{
	struct fixture *f = *state;
	CLEANUP(close_fdp) int fd = client(f);
	char expected[128];
	char got[128];

	send_text(fd, "{\"method\":\"com.example.test.Who\"}");
	snprintf(expected, sizeof(expected), "{\"parameters\":{\"uid\":%d,\"pid\":%d}}|",
		 (int)getuid(), (int)getpid());
	assert_string_equal(receive(f, fd, got, sizeof(got)), expected);
}

static void test_pipelined(void **state)
{
	static const char two[] = "{\"method\":\"com.example.test.Echo\"}\0"
				  "{\"method\":\"com.example.test.Nothing\"}";
	struct fixture *f = *state;
	CLEANUP(close_fdp) int fd = client(f);
	char got[1024];

	send_octets(fd, two, sizeof(two));
	assert_string_equal(receive(f, fd, got, sizeof(got)),
			    "{\"parameters\":{}}|" SERVICE_ERROR("MethodNotFound", "method",
								 "com.example.test.Nothing"));
}

static void test_octet_by_octet(void **state)
{
	static const char request[] = "{\"method\":\"com.example.test.Echo\"}";
	struct fixture *f = *state;
	CLEANUP(close_fdp) int fd = client(f);
	char got[64];

	for (size_t i = 0; i < sizeof(request); i++) {
		assert_string_equal(receive(f, fd, got, sizeof(got)), "");
		send_octets(fd, request + i, 1);
	}
	assert_string_equal(receive(f, fd, got, sizeof(got)), "{\"parameters\":{}}|");
}

/* What was asked before the client closed its sending side is still done. */
static void test_half_closed(void **state)
{
	struct fixture *f = *state;
	CLEANUP(close_fdp) int fd = client(f);
	char got[64];

	send_text(fd, "{\"method\":\"com.example.test.Echo\"}");
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_string_equal(receive(f, fd, got, sizeof(got)), "{\"parameters\":{}}|");
	assert_string_equal(receive(f, fd, got, sizeof(got)), "EOF");
}

/* Who closed waits for nothing any more: of what it asked only the oneway calls are done. */
static void test_hung_up(void **state)
{
	struct fixture *f = *state;
	int fd = client(f);

	send_text(fd, "{\"method\":\"com.example.test.Note\",\"oneway\":true}");
	send_text(fd, "{\"method\":\"com.example.test.Note\"}");
	send_text(fd, "{\"method\":\"com.example.test.Note\",\"oneway\":true}");
	send_text(fd, "{\"method\":\"com.example.test.Note\"}");
	close(fd);
	pump(f, 0);
	assert_int_equal(f->oneway_calls, 2);
	assert_int_equal(varlink_server_clients(f->server), 0);
}

/* ... also if it was not even accepted yet: it connected to a process that did not run. */
static void test_hung_up_before(void **state)
{
	struct fixture *f = *state;
	int fd = try_connect(f);

	assert_true(fd >= 0);
	send_text(fd, "{\"method\":\"com.example.test.Note\"}");
	close(fd);
	pump(f, 0);
	assert_int_equal(f->oneway_calls, 0);
	assert_int_equal(varlink_server_clients(f->server), 0);
}

static void test_stream(void **state)
{
	struct fixture *f = *state;
	int fd = client(f);
	char got[256];

	send_text(fd, "{\"method\":\"com.example.test.Stream\",\"more\":true}");
	send_text(fd, "{\"method\":\"com.example.test.Echo\"}");
	assert_string_equal(receive(f, fd, got, sizeof(got)), "");
	assert_non_null(f->kept);
	varlink_notify(f->kept, json_pack("{si}", "n", 1));
	varlink_notify(f->kept, json_pack("{si}", "n", 2));
	assert_string_equal(receive(f, fd, got, sizeof(got)),
			    "{\"parameters\":{\"n\":1},\"continues\":true}|"
			    "{\"parameters\":{\"n\":2},\"continues\":true}|");
	varlink_reply(f->kept, NULL);
	/* the request that waited behind it gets its turn */
	assert_string_equal(receive(f, fd, got, sizeof(got)),
			    "{\"parameters\":{}}|{\"parameters\":{}}|");
	assert_int_equal(f->closed_calls, 0);

	send_text(fd, "{\"method\":\"com.example.test.Stream\",\"more\":true}");
	pump(f, 0);
	close(fd);
	pump(f, 0);
	assert_int_equal(f->closed_calls, 1);
	assert_null(f->kept);
}

/* -- hostile clients --------------------------------------------------------------------- */

static void test_too_long(void **state)
{
	static const struct {
		const char *name;
		size_t octets; /* of the message, with its NUL */
		bool fits;
	} rows[] = {
		{"longest", VARLINK_REQUEST_MAX, true},
		{"one more", VARLINK_REQUEST_MAX + 1, false},
		{"much more", VARLINK_REQUEST_MAX * 3, false},
	};
	static char text[VARLINK_REQUEST_MAX * 3];
	static char got[VARLINK_REQUEST_MAX * 3];
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(close_fdp) int fd = client(f);
		static const char request[] = "{\"method\":\"com.example.test.Echo\"}";
		size_t sent = 0;

		memset(text, ' ', sizeof(text));
		memcpy(text, request, sizeof(request) - 1);
		text[rows[i].octets - 1] = '\0';
		while (sent < rows[i].octets) {
			ssize_t n = send(fd, text + sent, rows[i].octets - sent, MSG_NOSIGNAL);

			if (n < 0 && errno != EAGAIN)
				break;
			if (n > 0)
				sent += (size_t)n;
			pump(f, 0);
		}
		receive(f, fd, got, sizeof(got));
		if ((strcmp(got, "{\"parameters\":{}}|") == 0) != rows[i].fits)
			fail_msg("%s: got %.100s", rows[i].name, got);
	}
}

static void test_garbage(void **state)
{
	struct fixture *f = *state;
	uint32_t x = 1;

	for (int round = 0; round < 500; round++) {
		CLEANUP(close_fdp) int fd = client(f);
		unsigned char octets[512];

		for (size_t i = 0; i < sizeof(octets); i++) {
			x = x * 1664525 + 1013904223;
			octets[i] = (unsigned char)(x >> 24);
		}
		send_octets(fd, octets, 1 + x % sizeof(octets));
	}
	pump(f, 150);
	assert_int_equal(varlink_server_clients(f->server), 0);
}

static void test_deep_nesting(void **state)
{
	static char text[VARLINK_REQUEST_MAX];
	struct fixture *f = *state;
	CLEANUP(close_fdp) int fd = client(f);
	char got[64];

	memset(text, '[', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	send_octets(fd, text, sizeof(text));
	assert_string_equal(receive(f, fd, got, sizeof(got)), "EOF");
}

/* It asks 10 000 times and never reads: it is served as far as its socket goes, and no further. */
static void test_never_reads(void **state)
{
	static const char request[] = "{\"method\":\"com.example.test.Big\"}";
	struct fixture *f = *state;
	CLEANUP(close_fdp) int fd = client(f);
	CLEANUP(close_fdp) int other = client(f);
	char got[64];
	int64_t began_ns;

	for (int i = 0; i < 10000; i++) {
		(void)!send(fd, request, sizeof(request), MSG_NOSIGNAL);
		pump(f, 0);
	}
	assert_in_range(f->big_calls, 1, 100);
	assert_int_equal(varlink_server_clients(f->server), 2);
	send_text(other, "{\"method\":\"com.example.test.Echo\"}");
	assert_string_equal(receive(f, other, got, sizeof(got)), "{\"parameters\":{}}|");
	/* and it is dropped in time, while the other stays */
	began_ns = nsec_now(CLOCK_MONOTONIC);
	while (varlink_server_clients(f->server) == 2 &&
	       nsec_now(CLOCK_MONOTONIC) - began_ns < 2 * VARLINK_BEHIND_MAX_S * NSEC_PER_SEC)
		pump(f, 100);
	assert_int_equal(varlink_server_clients(f->server), 1);
	send_text(other, "{\"method\":\"com.example.test.Echo\"}");
	assert_string_equal(receive(f, other, got, sizeof(got)), "{\"parameters\":{}}|");
}

/* Any number of them ask all the time: together they get their share of the CPU. */
static void test_spam(void **state)
{
	enum { SPAMMERS = 8, RUN_MS = 3 * TURNS_SAVED_MS };
	static const char request[] = "{\"method\":\"com.example.test.Burn\"}";
	struct fixture *f = *state;
	int64_t end_ns = nsec_now(CLOCK_MONOTONIC) + RUN_MS * NSEC_PER_MSEC;
	CLEANUP(close_fdp) int other = client(f);
	int spammers[SPAMMERS];
	char got[64];

	for (size_t i = 0; i < SPAMMERS; i++)
		spammers[i] = client(f);
	while (nsec_now(CLOCK_MONOTONIC) < end_ns) {
		for (size_t i = 0; i < SPAMMERS; i++)
			(void)!send(spammers[i], request, sizeof(request), MSG_NOSIGNAL);
		pump(f, 1);
	}
	/* what was saved up, what came in since, and the turn that overdraws */
	assert_in_range(f->burnt_calls, 10, (RUN_MS + TURNS_SAVED_MS) / TURNS_SHARE + 1);
	/* who asks once has its turn after one of each of them */
	f->burnt_calls = 0;
	send_text(other, "{\"method\":\"com.example.test.Echo\"}");
	assert_string_equal(receive_soon(f, other, got, sizeof(got)), "{\"parameters\":{}}|");
	assert_in_range(f->burnt_calls, 0, 2 * SPAMMERS);
	for (size_t i = 0; i < SPAMMERS; i++)
		close(spammers[i]);
}

static void test_too_far_behind(void **state)
{
	struct fixture *f = *state;
	CLEANUP(close_fdp) int fd = client(f);
	int i;

	send_text(fd, "{\"method\":\"com.example.test.Stream\",\"more\":true}");
	pump(f, 0);
	for (i = 0; f->kept && i < 10000; i++) {
		varlink_notify(f->kept, json_pack("{s[iiiiiiii]}", "n", 1, 2, 3, 4, 5, 6, 7, 8));
		if (i % 100 == 0)
			pump(f, 0);
	}
	assert_true(i < 10000);
	assert_int_equal(f->closed_calls, 1);
	assert_int_equal(varlink_server_clients(f->server), 0);
}

static void test_answer_too_large(void **state)
{
	struct fixture *f = *state;
	CLEANUP(close_fdp) int fd = client(f);

	send_text(fd, "{\"method\":\"com.example.test.Huge\"}");
	pump(f, 0);
	assert_int_equal(varlink_server_clients(f->server), 0);
}

/* One that hoards connections does not keep others out. */
static void test_many_clients(void **state)
{
	struct fixture *f = *state;
	int hoard[3 * VARLINK_CLIENTS_MAX];
	char got[64];
	int fd;

	for (size_t i = 0; i < 3 * VARLINK_CLIENTS_MAX; i++) {
		hoard[i] = client(f);
		assert_true(varlink_server_clients(f->server) <= VARLINK_CLIENTS_MAX);
	}
	fd = client(f);
	send_text(fd, "{\"method\":\"com.example.test.Echo\"}");
	assert_string_equal(receive_soon(f, fd, got, sizeof(got)), "{\"parameters\":{}}|");
	close(fd);
	for (size_t i = 0; i < 3 * VARLINK_CLIENTS_MAX; i++)
		close(hoard[i]);
	pump(f, 0);
	assert_int_equal(varlink_server_clients(f->server), 0);
}

static size_t open_descriptors(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void connect_and_go(struct fixture *f, int times)
{
	for (int i = 0; i < times; i++) {
		int fd = client(f);

		if (i % 3 == 0)
			send_octets(fd, "{\"meth", 7);
		close(fd);
	}
	pump(f, 300);
}

static void test_connections_come_and_go(void **state)
{
	struct fixture *f = *state;
	size_t before;

	/* the loop opens a timer's descriptor when it first needs one */
	connect_and_go(f, 2 * VARLINK_CLIENTS_MAX);
	before = open_descriptors();
	connect_and_go(f, 10 * VARLINK_CLIENTS_MAX);
	assert_int_equal(varlink_server_clients(f->server), 0);
	assert_int_equal(open_descriptors(), before);
}

/* Without a free descriptor the loop must rest between tries, and go on when there is one. */
static void test_no_descriptors(void **state)
{
	struct fixture *f = *state;
	CLEANUP(close_fdp) int fd = try_connect(f);
	struct rlimit saved;
	struct rlimit none;
	int64_t end_ns;
	unsigned wakeups = 0;
	char got[64];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &saved), 0);
	none = (struct rlimit){.rlim_cur = 3, .rlim_max = saved.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	end_ns = nsec_now(CLOCK_MONOTONIC) + 500 * NSEC_PER_MSEC;
	while (nsec_now(CLOCK_MONOTONIC) < end_ns)
		wakeups += sd_event_run(f->loop, 10 * 1000) > 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &saved), 0);
	assert_in_range(wakeups, 1, 2000);
	send_text(fd, "{\"method\":\"com.example.test.Echo\"}");
	for (int i = 0; i < 100 && varlink_server_clients(f->server) == 0; i++)
		pump(f, 10);
	assert_string_equal(receive(f, fd, got, sizeof(got)), "{\"parameters\":{}}|");
}

/* -- the blocking client ----------------------------------------------------------------- */

struct asker {
	const char *path, *method;
	int64_t timeout_ns;
	int r;
	json_t *reply;
	char why[VARLINK_WHY_MAX];
	pthread_t thread;
	int done[2]; /* a pipe */
};

static void *ask(void *userdata)
{
	struct asker *a = userdata;

	a->r = varlink_call(a->path, a->method, NULL, a->timeout_ns, &a->reply, a->why);
	close_fdp(&a->done[1]);
	return NULL;
}

static void run_asker(struct fixture *f, struct asker *a, bool serve)
{
	assert_int_equal(pipe(a->done), 0);
	assert_int_equal(pthread_create(&a->thread, NULL, ask, a), 0);
	while (poll(&(struct pollfd){.fd = a->done[0]}, 1, 0) == 0)
		if (serve)
			(void)sd_event_run(f->loop, 1000);
	assert_int_equal(pthread_join(a->thread, NULL), 0);
	close_fdp(&a->done[0]);
}

static void test_client(void **state)
{
	struct fixture *f = *state;
	struct asker a = {
		.path = f->path, .method = "com.example.test.Big", .timeout_ns = 5 * NSEC_PER_SEC};

	run_asker(f, &a, true);
	assert_int_equal(a.r, 0);
	assert_int_equal(json_string_length(json_object_get(a.reply, "text")), BIG_OCTETS);
	json_decref(a.reply);

	a = (struct asker){.path = f->path,
			   .method = "com.example.test.Nothing",
			   .timeout_ns = 5 * NSEC_PER_SEC};
	run_asker(f, &a, true);
	assert_int_equal(a.r, VARLINK_ERROR);
	assert_string_equal(a.why, "org.varlink.service.MethodNotFound");
	json_decref(a.reply);

	a = (struct asker){.path = f->path, .method = "no-dot", .timeout_ns = 5 * NSEC_PER_SEC};
	run_asker(f, &a, true);
	assert_int_equal(a.r, -ECONNRESET);

	a = (struct asker){.path = f->path,
			   .method = "com.example.test.Echo",
			   .timeout_ns = 200 * NSEC_PER_MSEC};
	run_asker(f, &a, false);
	assert_int_equal(a.r, -ETIMEDOUT);
	assert_non_null(strstr(a.why, f->path));

	a = (struct asker){.path = "/nowhere/control",
			   .method = "com.example.test.Echo",
			   .timeout_ns = NSEC_PER_SEC};
	run_asker(f, &a, false);
	assert_int_equal(a.r, -ENOENT);
}

/* -- the listener ------------------------------------------------------------------------ */

static void test_listener(void **state)
{
	struct fixture *f = *state;
	char why[LISTENER_WHY_MAX] = "";
	struct listener second = {.fd = -1};
	char other[128];
	struct stat st;
	mode_t old = umask(0077);
	int fd;

	/* a live owner keeps its name */
	assert_int_equal(listener_open(&second, f->path, 0660, why), -EADDRINUSE);
	assert_non_null(strstr(why, f->path));
	assert_int_equal(second.fd, -1);
	/* what a killed one left behind is replaced; the mode is the asked one */
	fd = dup(f->listener.fd);
	snprintf(other, sizeof(other), "%s/other", f->directory);
	assert_int_equal(rename(f->path, other), 0);
	assert_int_equal(listener_open(&second, other, 0660, why), -EADDRINUSE);
	f->server = varlink_server_free(f->server);
	listener_close(&f->listener); /* renamed: it leaves both names alone */
	close(fd);
	assert_int_equal(access(other, F_OK), 0);
	assert_int_equal(listener_open(&second, other, 0640, why), 0);
	assert_int_equal(stat(other, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	/* closing removes its own name, not what replaced it */
	assert_int_equal(unlink(other), 0);
	fd = open(other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	listener_close(&second);
	assert_int_equal(access(other, F_OK), 0);
	/* a file that is no socket is never removed */
	assert_int_equal(listener_open(&second, other, 0660, why), -EEXIST);
	close(fd);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(listener_open(&second, "/nowhere/control", 0660, why), -ENOENT);
	umask(old);
}

static void test_listener_long_path(void **state)
{
	char path[200];
	char why[LISTENER_WHY_MAX];
	struct listener l = {.fd = -1};

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(listener_open(&l, path, 0660, why), -ENAMETOOLONG);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_exchanges),      TEST(test_info),
		TEST(test_peer),           TEST(test_pipelined),
		TEST(test_octet_by_octet), TEST(test_half_closed),
		TEST(test_hung_up),        TEST(test_hung_up_before),
		TEST(test_stream),         TEST(test_too_long),
		TEST(test_garbage),        TEST(test_deep_nesting),
		TEST(test_never_reads),    TEST(test_spam),
		TEST(test_too_far_behind), TEST(test_answer_too_large),
		TEST(test_many_clients),   TEST(test_connections_come_and_go),
		TEST(test_no_descriptors), TEST(test_client),
		TEST(test_listener),       TEST(test_listener_long_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
