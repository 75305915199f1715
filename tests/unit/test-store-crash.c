/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writing process is killed at any moment, and a new one goes on with its record: what a
 * commit that returned had covered is there, once, in order, and the file is sound.
 */
#include "store-fixture.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>

enum { KILLS = 20, LONGEST_US = 60000, PATIENCE_MS = 10000 };

/* Values count up from first; the pipe is told how many are durable. Until killed. */
static void record_until_killed(struct fixture *f, int64_t first, int tell_fd)
{
	struct store *s = open_fixture(f);
	int flushed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	(void)store_put_series(s, &fixture_offset);
	(void)store_start(s, 2 * NSEC_PER_MSEC, flushed_fd);
	for (int64_t value = first;; value++) {
		struct sample sample = sample_at(value, value);
		eventfd_t flushes;

		while (!store_put_sample(s, &sample))
			nap();
		if (eventfd_read(flushed_fd, &flushes) == 0) {
			int64_t durable = first + (int64_t)store_health(s).samples;

			(void)!write(tell_fd, &durable, sizeof(durable));
		}
		if (value % 64 == 0)
			(void)usleep(100);
	}
}

/* Kills a writer run_us after its start or, if once_told, after its first commit. */
static int64_t kill_after(struct fixture *f, int64_t first, useconds_t run_us, bool once_told)
{
	int64_t durable = first;
	int64_t told;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		record_until_killed(f, first, fds[1]);
		_exit(1);
	}
	(void)close(fds[1]);
	if (once_told)
		assert_int_equal(
			poll(&(struct pollfd){.fd = fds[0], .events = POLLIN}, 1, PATIENCE_MS), 1);
	(void)usleep(run_us);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	while (read(fds[0], &told, sizeof(told)) == (ssize_t)sizeof(told))
		durable = told;
	(void)close(fds[0]);
	return durable;
}

static int check_next(void *userdata, const struct sample *sample)
{
	int64_t *next = userdata;

	if (sample->value != *next)
		fail_msg("value %jd follows %jd", (intmax_t)sample->value, (intmax_t)*next - 1);
	(*next)++;
	return 0;
}

static void test_killed_at_any_moment(void **state)
{
	struct fixture *f = *state;
	int64_t written = 0;
	int told = 0;

	for (int i = 0; i < KILLS; i++) {
		useconds_t run_us =
			(useconds_t)(i * LONGEST_US / KILLS) + (useconds_t)(i * 7919 % 997);
		int64_t durable = kill_after(f, written, run_us, i % 2);
		int64_t found = 0;
		struct query *q;

		told += durable > written;
		if (access(f->path, F_OK) < 0)
			continue; /* killed before there was anything */
		assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
		if (ask_int(f->path, "SELECT count(*) FROM run") == 0)
			continue;
		q = query_fixture(f, "last");
		if (query_visit_samples(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX, check_next,
					&found) < 0)
			fail_msg("kill %d: not readable", i);
		(void)query_free(q);
		if (found < durable)
			fail_msg("kill %d: %jd of %jd", i, (intmax_t)found, (intmax_t)durable);
		written = found;
	}
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM run"), 1);
	assert_true(told >= KILLS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_killed_at_any_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
