/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child's lines on their way into a journal that reads, that does not, and that is gone. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/recorder/journal.h"

static void make(struct journal_stream *j, int *reader)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
			 0);
	*j = (struct journal_stream){.fd = fds[0]};
	*reader = fds[1];
}

static void a_line_is_an_entry_with_its_priority(void **state)
{
	struct journal_stream j;
	char got[128];
	int reader;
	ssize_t n;

	make(&j, &reader);
	assert_true(journal_stream_line(&j, LOG_LEVEL_INFO, "port 1: link\nup\033"));
	n = read(reader, got, sizeof(got) - 1);
	assert_true(n > 0);
	got[n] = '\0';
	assert_string_equal(got, "<6>port 1: link up \n");
	journal_stream_close(&j);
	assert_int_equal(j.fd, -1);
	(void)close(reader);
}

static void a_long_line_is_cut(void **state)
{
	struct journal_stream j;
	char text[5000];
	char got[5000];
	int reader;
	ssize_t n;

	make(&j, &reader);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_true(journal_stream_line(&j, LOG_LEVEL_INFO, text));
	n = read(reader, got, sizeof(got));
	assert_in_range(n, 100, 1024);
	assert_int_equal(got[n - 1], '\n');
	journal_stream_close(&j);
	(void)close(reader);
}

static void one_that_does_not_read_is_not_waited_for(void **state)
{
	struct journal_stream j;
	int reader;

	make(&j, &reader);
	for (int i = 0; i < 100000 && !j.lost; i++)
		assert_true(journal_stream_line(&j, LOG_LEVEL_INFO, "again and again"));
	assert_int_equal(j.lost, 1);
	assert_true(j.fd >= 0);
	journal_stream_close(&j);
	(void)close(reader);
}

static void without_one_the_line_is_the_callers(void **state)
{
	struct journal_stream j;
	int reader;

	make(&j, &reader);
	(void)close(reader);
	assert_true(journal_stream_line(&j, LOG_LEVEL_INFO, "the last"));
	assert_int_equal(j.fd, -1);
	assert_false(journal_stream_line(&j, LOG_LEVEL_INFO, "to whom?"));
	/* our stderr is no journal here */
	journal_stream_open(&j, "ptp4l");
	assert_int_equal(j.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_an_entry_with_its_priority),
		cmocka_unit_test(a_long_line_is_cut),
		cmocka_unit_test(one_that_does_not_read_is_not_waited_for),
		cmocka_unit_test(without_one_the_line_is_the_callers),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
