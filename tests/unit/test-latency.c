/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect/latency.c, with a socketpair playing the sampler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/collect/latency.h"

struct heard {
	unsigned windows, conditions;
	int64_t last_start_mono_ns;
	struct latency_source source;
	int sampler; /* the other end */
};

static void on_window(void *userdata, const struct latency_window *w)
{
	struct heard *h = userdata;

	h->windows++;
	h->last_start_mono_ns = w->start_mono_ns;
}

static void on_conditions(void *userdata, const struct latency_conditions *c)
{
	struct heard *h = userdata;

	h->conditions++;
}

static struct heard heard;

static int set_up(void **state)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	heard = (struct heard){.sampler = pair[1]};
	heard.source = (struct latency_source){pair[0], on_window, on_conditions, &heard, 0};
	return 0;
}

static int tear_down(void **state)
{
	(void)close(heard.source.fd);
	(void)close(heard.sampler);
	return 0;
}

static void send_octets(const void *octets, size_t len)
{
	assert_int_equal(send(heard.sampler, octets, len, 0), (ssize_t)len);
}

static void send_window(int64_t start_mono_ns)
{
	static struct latency_window w;
	static uint8_t message[WINDOW_MESSAGE_MAX];

	w.start_mono_ns = start_mono_ns;
	w.end_mono_ns = start_mono_ns + 1;
	send_octets(message, window_encode(&w, message));
}

static void messages_reach_their_callback(void **state)
{
	const struct latency_conditions c = {.interval_ns = 1000, .clocksource = "tsc"};
	static uint8_t message[WINDOW_MESSAGE_MAX];

	assert_int_equal(latency_receive(&heard.source), 0); /* nothing there: does not wait */
	send_octets(message, window_encode_conditions(&c, message));
	send_window(7);
	assert_int_equal(latency_receive(&heard.source), 0);
	assert_int_equal(heard.conditions, 1);
	assert_int_equal(heard.windows, 1);
	assert_int_equal(heard.last_start_mono_ns, 7);
	assert_int_equal(heard.source.malformed, 0);
}

static void bad_messages_are_counted_and_passed_over(void **state)
{
	static const uint8_t nonsense[2 * WINDOW_MESSAGE_MAX] = {1};

	send_octets(nonsense, 1);
	send_octets(nonsense, 200);
	send_octets(nonsense, sizeof(nonsense)); /* longer than any message can be */
	send_window(9);
	assert_int_equal(latency_receive(&heard.source), 0);
	assert_int_equal(heard.source.malformed, 3);
	assert_int_equal(heard.windows, 1);
}

static void one_call_takes_a_bounded_number(void **state)
{
	for (int i = 0; i < LATENCY_BATCH_MAX + 3; i++)
		send_window(i);
	assert_int_equal(latency_receive(&heard.source), 0);
	assert_int_equal(heard.windows, LATENCY_BATCH_MAX);
	assert_int_equal(latency_receive(&heard.source), 0);
	assert_int_equal(heard.windows, LATENCY_BATCH_MAX + 3);
}

static void the_end_comes_after_what_was_sent(void **state)
{
	send_window(1);
	assert_int_equal(shutdown(heard.sampler, SHUT_WR), 0);
	assert_int_equal(latency_receive(&heard.source), LATENCY_SAMPLER_GONE);
	assert_int_equal(heard.windows, 1);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(messages_reach_their_callback),
		CASE(bad_messages_are_counted_and_passed_over),
		CASE(one_call_takes_a_bounded_number),
		CASE(the_end_comes_after_what_was_sent),
	};

	return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
