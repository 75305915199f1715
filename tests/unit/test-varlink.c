// SPDX-License-Identifier: GPL-2.0-or-later
/* The Varlink protocol: what is asked, answered and streamed, and the client that waits. */
#include "varlink-fixture.h"

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
	const struct CMUnitTest tests[] = {
		TEST(test_exchanges), TEST(test_info),           TEST(test_peer),
		TEST(test_pipelined), TEST(test_octet_by_octet), TEST(test_half_closed),
		TEST(test_hung_up),   TEST(test_hung_up_before), TEST(test_stream),
		TEST(test_client),    TEST(test_listener),       TEST(test_listener_long_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
