// SPDX-License-Identifier: GPL-2.0-or-later
/* The Varlink server against clients that mean no good, or are too many. */
#include "varlink-fixture.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_too_long),
		TEST(test_garbage),
		TEST(test_deep_nesting),
		TEST(test_never_reads),
		TEST(test_spam),
		TEST(test_too_far_behind),
		TEST(test_answer_too_large),
		TEST(test_many_clients),
		TEST(test_connections_come_and_go),
		TEST(test_no_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
