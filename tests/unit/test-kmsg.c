/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's log, played by a datagram socket: one record each read, as /dev/kmsg has it. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/collect/kmsg.h"

/* clang-format off */
static const struct {
	const char *name, *record;
	bool tells;
} rows[] = {
	{ "the kernel's line", "4,339,5140900,-;sched: RT throttling activated\n", true },
	{ "with a continuation", "4,339,5140900,-,caller=T1;sched: RT throttling activated\n SUBSYSTEM=x\n", true },
	{ "another line", "6,340,5140900,-;eth0: link up\n", false },
	{ "a program's line", "12,341,5140900,-;sched: RT throttling activated\n", false },
	{ "quoted by another", "4,342,5140900,-;x: sched: RT throttling activated\n", false },
	{ "no record", "sched: RT throttling activated\n", false },
	{ "no numbers", "x;sched: RT throttling activated\n", false },
	{ "nothing", "", false },
};
/* clang-format on */

static void only_the_kernels_own_line_counts(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t when = -1;

		if (kmsg_tells_throttled(rows[i].record, &when) != rows[i].tells ||
		    when != (rows[i].tells ? INT64_C(5140900000) : -1))
			fail_msg("%s", rows[i].name);
	}
}

static void it_is_news_once(void **state)
{
	struct kmsg k;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds), 0);
	kmsg_init(&k, fds[0]);
	assert_false(kmsg_read(&k, 10));
	for (size_t i = 0; i < 3; i++)
		assert_true(write(fds[1], rows[2].record, strlen(rows[2].record)) > 0);
	assert_true(write(fds[1], rows[0].record, strlen(rows[0].record)) > 0);
	assert_false(kmsg_read(&k, 3)); /* no more than allowed at once */
	assert_true(kmsg_read(&k, 3));
	assert_true(k.throttled);
	assert_int_equal(k.throttled_mono_ns, INT64_C(5140900000));
	assert_true(write(fds[1], rows[0].record, strlen(rows[0].record)) > 0);
	assert_false(kmsg_read(&k, 3));
	(void)close(fds[0]);
	(void)close(fds[1]);
}

static void who_may_not_read_says_so(void **state)
{
	struct kmsg k;

	kmsg_init(&k, -EPERM);
	assert_non_null(strstr(k.why, "CAP_SYSLOG"));
	assert_false(kmsg_read(&k, 10));
	kmsg_init(&k, -ENOENT);
	assert_string_equal(k.why, "/dev/kmsg: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_kernels_own_line_counts),
		cmocka_unit_test(it_is_news_once),
		cmocka_unit_test(who_may_not_read_says_so),
	};

	return cmocka_run_group_tests_name("kmsg", tests, NULL, NULL);
}
