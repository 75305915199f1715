// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lab/vclock.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"

#define DAY_NS (86400 * NSEC_PER_SEC)

struct fixture {
	char path[PATH_MAX];
	struct vclock *clock;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const char *directory = getenv("TMPDIR");

	assert_non_null(f);
	(void)snprintf(f->path, sizeof(f->path), "%s/test-vclock.%d",
		       directory ? directory : "/tmp", (int)getpid());
	assert_int_equal(vclock_create(f->path, 500, 2000, 1000), 0);
	assert_int_equal(vclock_open(&f->clock, f->path), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	vclock_close(f->clock);
	(void)unlink(f->path);
	free(f);
	return 0;
}

static void a_new_clock_is_as_it_was_asked(void **state)
{
	struct fixture *f = *state;
	struct vclock_state s;

	vclock_read(f->clock, &s);
	assert_int_equal(vclock_time_ns(&s, 1000), 1500);
	assert_int_equal(vclock_time_ns(&s, 1000 + NSEC_PER_SEC), 1500 + NSEC_PER_SEC + 2000);
	assert_int_equal(s.steps, 0);
	assert_int_equal(vclock_create(f->path, 0, 0, 0), -EEXIST);
}

static void nothing_vouches_for_a_new_clock(void **state)
{
	struct fixture *f = *state;
	struct vclock_state s;

	vclock_read(f->clock, &s);
	assert_int_equal(vclock_status(&s), STA_UNSYNC);
	s.status = 0; /* as ptp4l does when it starts */
	assert_int_equal(vclock_status(&s), STA_UNSYNC);
	s.maxerror_us = 15999999;
	assert_int_equal(vclock_status(&s), 0);
}

static void what_is_not_a_clock_is_refused(void **state)
{
	struct fixture *f = *state;
	struct vclock *c = NULL;

	assert_int_equal(truncate(f->path, 100), 0);
	assert_int_equal(vclock_open(&c, f->path), -EBADMSG);
	assert_int_equal(truncate(f->path, 0), 0);
	assert_int_equal(vclock_open(&c, f->path), -EBADMSG);
	assert_int_equal(vclock_open(&c, "/nonexistent/clock"), -ENOENT);
	assert_null(c);
}

static void the_line_is_exact(void **state)
{
	static const struct {
		const char *name;
		struct vclock_state s;
		int64_t real_ns, expected_ns;
	} rows[] = {
		/* clang-format off */
		{ "standing at its point", { .real0_ns = 5, .virt0_ns = 9, .tick_us = 10000 }, 5, 9 },
		{ "nominal rate", { .virt0_ns = 9, .tick_us = 10000 }, DAY_NS, DAY_NS + 9 },
		{ "drift of 1 ppm for a day", { .drift_ppb = 1000, .tick_us = 10000 }, DAY_NS, DAY_NS + 86400000 },
		{ "frequency of 1 ppm", { .freq = 65536, .tick_us = 10000 }, NSEC_PER_SEC, NSEC_PER_SEC + 1000 },
		{ "frequency against drift", { .freq = -65536, .drift_ppb = 1000, .tick_us = 10000 }, DAY_NS, DAY_NS },
		{ "a tick of 100 ppm", { .tick_us = 10001 }, NSEC_PER_SEC, NSEC_PER_SEC + 100000 },
		{ "slow tick", { .tick_us = 9999 }, NSEC_PER_SEC, NSEC_PER_SEC - 100000 },
		{ "before its point", { .real0_ns = NSEC_PER_SEC, .virt0_ns = 0, .drift_ppb = 1000, .tick_us = 10000 }, 0, -NSEC_PER_SEC - 1000 },
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct vclock_state moved = rows[i].s;

		vclock_anchor(&moved, rows[i].real_ns);
		if (vclock_time_ns(&rows[i].s, rows[i].real_ns) != rows[i].expected_ns)
			fail_msg("%s: %jd", rows[i].name,
				 (intmax_t)vclock_time_ns(&rows[i].s, rows[i].real_ns));
		if (moved.real0_ns != rows[i].real_ns || moved.virt0_ns != rows[i].expected_ns)
			fail_msg("%s: the line moved with its point", rows[i].name);
	}
}

static void a_change_is_seen_through_another_mapping(void **state)
{
	struct fixture *f = *state;
	struct vclock *other;
	struct vclock_state s;

	assert_int_equal(vclock_open(&other, f->path), 0);
	for (int64_t i = 1; i <= 3; i++) {
		assert_int_equal(vclock_begin(f->clock, &s), 0);
		s.virt0_ns = i;
		s.steps++;
		vclock_commit(f->clock, &s);
		vclock_read(other, &s);
		assert_int_equal(s.virt0_ns, i);
		assert_int_equal(s.steps, i);
	}
	vclock_close(other);
}

/* A child that stays between begin and commit, with rubbish in hand. */
static pid_t start_writer(struct vclock *c)
{
	struct vclock_state s;
	int ready[2];
	char octet;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)vclock_begin(c, &s);
		(void)write(ready[1], "", 1);
		for (;;)
			(void)pause();
	}
	assert_int_equal(read(ready[0], &octet, 1), 1);
	(void)close(ready[0]);
	(void)close(ready[1]);
	return pid;
}

static void end_writer(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_killed_writer_holds_nobody_up(void **state)
{
	struct fixture *f = *state;
	struct vclock_state s;

	end_writer(start_writer(f->clock));
	vclock_read(f->clock, &s);
	assert_int_equal(vclock_time_ns(&s, 1000), 1500);
	assert_int_equal(vclock_begin(f->clock, &s), 0);
	s.virt0_ns = 7;
	vclock_commit(f->clock, &s);
	assert_int_equal(vclock_begin(f->clock, &s), 0);
	assert_int_equal(s.virt0_ns, 7);
	vclock_commit(f->clock, &s);
}

static void a_stopped_writer_holds_no_reader_up(void **state)
{
	struct fixture *f = *state;
	struct vclock_state s;
	pid_t pid = start_writer(f->clock);

	assert_int_equal(kill(pid, SIGSTOP), 0);
	vclock_read(f->clock, &s);
	assert_int_equal(vclock_time_ns(&s, 1000), 1500);
	assert_int_equal(vclock_begin(f->clock, &s), -ETIMEDOUT);
	end_writer(pid);
	assert_int_equal(vclock_begin(f->clock, &s), 0);
	vclock_commit(f->clock, &s);
}

/* Three writers keep virt0_ns the negative of real0_ns; a reader that mixes two states sees it. */
static void no_reader_sees_half_a_change(void **state)
{
	struct fixture *f = *state;
	struct vclock_state s;
	pid_t pid[3];

	for (int i = 0; i < 3; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		while (pid[i] == 0) {
			if (vclock_begin(f->clock, &s) != 0)
				_exit(1);
			s.real0_ns++;
			s.virt0_ns = -s.real0_ns;
			vclock_commit(f->clock, &s);
		}
	}
	do
		vclock_read(f->clock, &s);
	while (s.virt0_ns > 0);
	for (int i = 0; i < 3000000 && s.virt0_ns == -s.real0_ns; i++)
		vclock_read(f->clock, &s);
	for (int i = 0; i < 3; i++)
		end_writer(pid[i]);
	assert_int_equal(s.virt0_ns, -s.real0_ns);
}

static void who_may_not_write_may_read(void **state)
{
	struct fixture *f = *state;
	struct vclock *c = NULL;
	struct vclock_state s;
	const bool is_root = geteuid() == 0;

	assert_int_equal(chmod(f->path, 0444), 0);
	if (is_root)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(vclock_open(&c, f->path), 0);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	vclock_read(c, &s);
	assert_int_equal(vclock_time_ns(&s, 1000), 1500);
	assert_int_equal(vclock_begin(c, &s), -EACCES);
	vclock_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_new_clock_is_as_it_was_asked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_vouches_for_a_new_clock, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_a_clock_is_refused, set_up, tear_down),
		cmocka_unit_test(the_line_is_exact),
		cmocka_unit_test_setup_teardown(a_change_is_seen_through_another_mapping, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_killed_writer_holds_nobody_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_stopped_writer_holds_no_reader_up, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(no_reader_sees_half_a_change, set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_may_not_write_may_read, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
