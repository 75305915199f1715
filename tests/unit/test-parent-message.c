/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parent and recorder: messages, and an outbox that outlives a recorder. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/parent/recorder_link.h"
#include "ptpmon/supervise/message.h"

static void a_message_arrives_as_it_was_sent(void **state)
{
	const struct message sent = {
		.kind = MESSAGE_CHILD,
		.mono_ns = 42,
		.happened = true,
		.code = EVENT_CHILD_EXITED,
		.child = {.name = "ptp4l", .state = CHILD_WAITING, .pid = 7},
		.text = "ptp4l: exited",
	};
	struct message got;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	assert_int_equal(message_receive(fds[1], &got), -EAGAIN);
	assert_int_equal(message_send(fds[0], &sent), 0);
	assert_int_equal(message_receive(fds[1], &got), 1);
	assert_int_equal(got.mono_ns, 42);
	assert_string_equal(got.child.name, "ptp4l");
	assert_string_equal(got.text, "ptp4l: exited");
	(void)close(fds[0]);
	assert_int_equal(message_receive(fds[1], &got), 0);
	assert_int_equal(message_send(fds[1], &sent), -EPIPE);
	(void)close(fds[1]);
}

static void what_is_no_message_is_refused(void **state)
{
	struct message good = {.version = MESSAGE_VERSION, .kind = MESSAGE_BEAT};
	struct message got;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	struct message bad[5];
	for (size_t i = 0; i < 5; i++)
		bad[i] = good;
	bad[0].version++;
	bad[1].kind = MESSAGE_KIND_MAX;
	bad[2].code = EVENT_CODE_MAX;
	bad[3].child.state = CHILD_STATE_MAX;
	memset(bad[4].text, 'x', sizeof(bad[4].text));
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(send(fds[0], &bad[i], sizeof(bad[i]), 0), sizeof(bad[i]));
		assert_int_equal(message_receive(fds[1], &got), -EPROTO);
	}
	assert_int_equal(send(fds[0], &good, sizeof(good) - 1, 0), sizeof(good) - 1);
	assert_int_equal(message_receive(fds[1], &got), -EPROTO);
	assert_int_equal(send(fds[0], &good, sizeof(good), 0), sizeof(good));
	assert_int_equal(message_receive(fds[1], &got), 1);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

static struct message event(int64_t n)
{
	return (struct message){.kind = MESSAGE_CHILD, .happened = true, .mono_ns = n};
}

static void events_wait_for_the_next_recorder_in_order(void **state)
{
	struct recorder_link l = {.fd = -1, .remote_fd = -1};
	struct message m;
	struct message mere_state = {.kind = MESSAGE_CHILD, .mono_ns = 1000};

	for (int64_t n = 0; n < 3; n++) {
		m = event(n);
		(void)recorder_link_send(&l, &m);
	}
	(void)recorder_link_send(&l, &mere_state); /* worth nothing later */
	assert_int_equal(recorder_link_renew(&l), 0);
	m = event(3);
	(void)recorder_link_send(&l, &m);
	for (int64_t n = 0; n < 4; n++) {
		assert_int_equal(message_receive(l.remote_fd, &m), 1);
		assert_int_equal(m.mono_ns, n);
	}
	assert_int_equal(message_receive(l.remote_fd, &m), -EAGAIN);
	recorder_link_close(&l);
}

/* What one recorder had read, but not made durable, is told to the next. */
static void what_is_not_acknowledged_is_told_again(void **state)
{
	struct recorder_link l = {.fd = -1, .remote_fd = -1};
	struct message m;

	assert_int_equal(recorder_link_renew(&l), 0);
	for (int64_t n = 1; n <= 5; n++) {
		m = event(n);
		assert_true(recorder_link_send(&l, &m));
		assert_int_equal(message_receive(l.remote_fd, &m), 1);
	}
	recorder_link_acknowledge(&l, 2);
	assert_int_equal(recorder_link_renew(&l), 0); /* killed */
	recorder_link_flush(&l);
	for (int64_t n = 3; n <= 5; n++) {
		assert_int_equal(message_receive(l.remote_fd, &m), 1);
		assert_int_equal(m.mono_ns, n);
	}
	recorder_link_acknowledge(&l, 5);
	assert_int_equal(l.n_kept, 0);
	recorder_link_close(&l);
}

/* Its events are told again, and with them that it is no child any more. */
static void a_child_that_left_does_not_come_back(void **state)
{
	static const char *const names[] = {"ptp4l", "ptp4l down", "ptp4l down"};
	struct recorder_link l = {.fd = -1, .remote_fd = -1};
	struct message m;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		m = event((int64_t)i);
		(void)strcpy(m.child.name, names[i]);
		(void)recorder_link_send(&l, &m);
	}
	recorder_link_child_left(&l, "ptp4l down");
	assert_int_equal(recorder_link_renew(&l), 0);
	recorder_link_flush(&l);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(message_receive(l.remote_fd, &m), 1);
		assert_true(m.happened);
		assert_int_equal(m.leaving, i > 0);
	}
	recorder_link_close(&l);
}

static void a_recorder_that_does_not_read_blocks_nobody(void **state)
{
	struct recorder_link l = {.fd = -1, .remote_fd = -1};
	struct message m;
	int64_t sent = 0;
	int64_t got = 0;

	assert_int_equal(recorder_link_renew(&l), 0);
	for (;; sent++) {
		m = event(sent);
		if (!recorder_link_send(&l, &m))
			break;
		assert_true(sent < RECORDER_LINK_OUTBOX_MAX);
	}
	assert_int_equal(sent, RECORDER_LINK_OUTBOX_MAX);
	assert_int_equal(l.lost, 1);
	while (got < sent) {
		assert_int_equal(message_receive(l.remote_fd, &m), 1);
		assert_int_equal(m.mono_ns, got++);
		recorder_link_acknowledge(&l, m.mono_ns);
		recorder_link_flush(&l);
	}
	assert_int_equal(l.n_kept, 0);
	recorder_link_close(&l);
}

/* Closed with something unread: the kernel says so before it hands out what was said last. */
static void last_words_are_heard(void **state)
{
	struct message m = {.kind = MESSAGE_BEAT};
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	assert_int_equal(message_send(fds[0], &m), 0);
	assert_int_equal(message_tell(fds[1], MESSAGE_CANNOT_RUN, "no disk"), 0);
	(void)close(fds[1]);
	assert_int_equal(message_receive(fds[0], &m), 1);
	assert_string_equal(m.text, "no disk");
	assert_int_equal(message_receive(fds[0], &m), 0);
	(void)close(fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_arrives_as_it_was_sent),
		cmocka_unit_test(what_is_no_message_is_refused),
		cmocka_unit_test(events_wait_for_the_next_recorder_in_order),
		cmocka_unit_test(what_is_not_acknowledged_is_told_again),
		cmocka_unit_test(last_words_are_heard),
		cmocka_unit_test(a_child_that_left_does_not_come_back),
		cmocka_unit_test(a_recorder_that_does_not_read_blocks_nobody),
	};

	return cmocka_run_group_tests_name("parent-message", tests, NULL, NULL);
}
