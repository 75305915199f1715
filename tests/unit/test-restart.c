/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The restart table, fed with numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/supervise/restart.h"

#define MS NSEC_PER_MSEC
#define S  NSEC_PER_SEC

/* Feeds one event at a time and checks what the table answers. */
struct step {
	enum restart_event event;
	int64_t at_ns;
	enum restart_action action;
	enum child_state state;
	int64_t deadline_ns; /* INT64_MAX: none */
};

#define NONE INT64_MAX

static void walk(const char *name, const struct restart_policy *policy, const struct step *steps,
		 size_t n)
{
	struct restart r = restart_init();

	for (size_t i = 0; i < n; i++) {
		enum restart_action action =
			restart_feed(&r, policy, steps[i].event, steps[i].at_ns);

		if (action != steps[i].action || r.state != steps[i].state ||
		    r.deadline_ns != steps[i].deadline_ns)
			fail_msg("%s, step %zu: action %d, state %d, deadline %lld", name, i,
				 (int)action, (int)r.state, (long long)r.deadline_ns);
	}
}

#define WALK(steps) walk(__func__, &restart_default_policy, steps, sizeof(steps) / sizeof(steps[0]))

static void an_orderly_life(void **state)
{
	static const struct step steps[] = {
		{RESTART_START, 0, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXECUTED, 1 * MS, RESTART_NOTHING, CHILD_UP, NONE},
		{RESTART_START, 2 * MS, RESTART_NOTHING, CHILD_UP, NONE},
		{RESTART_STOP, 5 * S, RESTART_TERMINATE, CHILD_STOPPING, 10 * S},
		{RESTART_EXITED, 6 * S, RESTART_DONE, CHILD_STOPPED, NONE},
		{RESTART_EXITED, 7 * S, RESTART_NOTHING, CHILD_STOPPED, NONE},
		{RESTART_STOP, 8 * S, RESTART_DONE, CHILD_STOPPED, NONE},
	};

	WALK(steps);
}

static void what_does_not_end_is_killed(void **state)
{
	static const struct step steps[] = {
		{RESTART_START, 0, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXECUTED, 1, RESTART_NOTHING, CHILD_UP, NONE},
		{RESTART_STOP, 1 * S, RESTART_TERMINATE, CHILD_STOPPING, 6 * S},
		{RESTART_TIMER, 6 * S, RESTART_KILL, CHILD_KILLING, NONE},
		{RESTART_EXITED, 6 * S, RESTART_DONE, CHILD_STOPPED, NONE},
	};

	WALK(steps);
}

static void a_restart_waits_for_the_end(void **state)
{
	static const struct step steps[] = {
		{RESTART_START, 0, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXECUTED, 1, RESTART_NOTHING, CHILD_UP, NONE},
		{RESTART_AGAIN, 1 * S, RESTART_TERMINATE, CHILD_STOPPING, 6 * S},
		{RESTART_EXITED, 2 * S, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXECUTED, 3 * S, RESTART_NOTHING, CHILD_UP, NONE},
		/* a stop that comes after the wish to restart wins */
		{RESTART_AGAIN, 4 * S, RESTART_TERMINATE, CHILD_STOPPING, 9 * S},
		{RESTART_STOP, 4 * S, RESTART_NOTHING, CHILD_STOPPING, 9 * S},
		{RESTART_EXITED, 5 * S, RESTART_DONE, CHILD_STOPPED, NONE},
	};

	WALK(steps);
}

static void crashes_back_off_to_a_cap_and_give_up(void **state)
{
	static const int64_t waits_ms[] = {500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000};
	struct restart r = restart_init();
	int64_t now = 0;

	(void)restart_feed(&r, &restart_default_policy, RESTART_START, now);
	for (size_t i = 0; i < sizeof(waits_ms) / sizeof(waits_ms[0]); i++) {
		(void)restart_feed(&r, &restart_default_policy, RESTART_EXECUTED, now);
		now += 1 * S; /* not long enough to be healthy */
		assert_int_equal(restart_feed(&r, &restart_default_policy, RESTART_EXITED, now),
				 RESTART_NOTHING);
		assert_int_equal(r.state, CHILD_WAITING);
		assert_int_equal(r.deadline_ns - now, waits_ms[i] * MS);
		now = r.deadline_ns;
		assert_int_equal(restart_feed(&r, &restart_default_policy, RESTART_TIMER, now),
				 RESTART_LAUNCH);
	}
	(void)restart_feed(&r, &restart_default_policy, RESTART_EXECUTED, now);
	assert_int_equal(restart_feed(&r, &restart_default_policy, RESTART_EXITED, now),
			 RESTART_GIVE_UP);
	assert_int_equal(r.state, CHILD_FAILED);
	assert_int_equal(r.deadline_ns, NONE);
	/* a new wish begins afresh */
	assert_int_equal(restart_feed(&r, &restart_default_policy, RESTART_START, now),
			 RESTART_LAUNCH);
	(void)restart_feed(&r, &restart_default_policy, RESTART_EXITED, now);
	assert_int_equal(r.deadline_ns - now, 500 * MS);
}

static void a_configuration_error_is_no_loop(void **state)
{
	static const struct step steps[] = {
		{RESTART_START, 0, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXECUTED, 1 * MS, RESTART_NOTHING, CHILD_UP, NONE},
		{RESTART_REFUSED, 10 * MS, RESTART_NOTHING, CHILD_WAITING, 510 * MS},
		{RESTART_TIMER, 510 * MS, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_REFUSED, 520 * MS, RESTART_NOTHING, CHILD_WAITING, 1520 * MS},
		{RESTART_TIMER, 1520 * MS, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXECUTED, 1521 * MS, RESTART_NOTHING, CHILD_UP, NONE},
		{RESTART_REFUSED, 1530 * MS, RESTART_CONFIGURE, CHILD_FAILED, NONE},
		{RESTART_TIMER, 60 * S, RESTART_NOTHING, CHILD_FAILED, NONE},
		/* with another configuration it is tried afresh */
		{RESTART_AGAIN, 61 * S, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXECUTED, 61 * S, RESTART_NOTHING, CHILD_UP, NONE},
		{RESTART_REFUSED, 62 * S, RESTART_NOTHING, CHILD_WAITING, 62500 * MS},
	};

	WALK(steps);
}

static void a_run_between_shows_that_the_configuration_works(void **state)
{
	static const struct step steps[] = {
		{RESTART_START, 0, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_REFUSED, 0, RESTART_NOTHING, CHILD_WAITING, 500 * MS},
		{RESTART_TIMER, 500 * MS, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_REFUSED, 500 * MS, RESTART_NOTHING, CHILD_WAITING, 1500 * MS},
		{RESTART_TIMER, 1500 * MS, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXECUTED, 1500 * MS, RESTART_NOTHING, CHILD_UP, NONE},
		{RESTART_EXITED, 4500 * MS, RESTART_NOTHING, CHILD_WAITING, 6500 * MS},
		{RESTART_TIMER, 6500 * MS, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_REFUSED, 6500 * MS, RESTART_NOTHING, CHILD_WAITING, 10500 * MS},
	};

	WALK(steps);
}

/* A ptp4l that ran for a minute, until its PHC failed, does take its configuration. */
static void what_has_worked_is_no_configuration_error(void **state)
{
	static const struct step steps[] = {
		{RESTART_START, 0, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXECUTED, 0, RESTART_NOTHING, CHILD_UP, NONE},
		{RESTART_EXITED, 60 * S, RESTART_NOTHING, CHILD_WAITING, 60500 * MS},
		{RESTART_TIMER, 61 * S, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_REFUSED, 61 * S, RESTART_NOTHING, CHILD_WAITING, 62 * S},
		{RESTART_TIMER, 62 * S, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_REFUSED, 62 * S, RESTART_NOTHING, CHILD_WAITING, 64 * S},
		{RESTART_TIMER, 64 * S, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_REFUSED, 64 * S, RESTART_NOTHING, CHILD_WAITING, 68 * S},
	};

	WALK(steps);
}

static void where_refusals_are_no_evidence_they_are_ends(void **state)
{
	const struct restart_policy policy = {.first_wait_ns = 1 * S, .longest_wait_ns = 2 * S};
	struct restart r = restart_init();

	(void)restart_feed(&r, &policy, RESTART_START, 0);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(restart_feed(&r, &policy, RESTART_REFUSED, 0), RESTART_NOTHING);
		assert_int_equal(r.state, CHILD_WAITING);
		assert_int_equal(restart_feed(&r, &policy, RESTART_TIMER, 0), RESTART_LAUNCH);
	}
}

static void a_healthy_run_resets_the_backoff(void **state)
{
	static const struct step steps[] = {
		{RESTART_START, 0, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXITED, 0, RESTART_NOTHING, CHILD_WAITING, 500 * MS},
		{RESTART_TIMER, 500 * MS, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXITED, 1 * S, RESTART_NOTHING, CHILD_WAITING, 2 * S},
		{RESTART_TIMER, 2 * S, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_EXECUTED, 2 * S, RESTART_NOTHING, CHILD_UP, NONE},
		{RESTART_EXITED, 12 * S, RESTART_NOTHING, CHILD_WAITING, 12 * S + 500 * MS},
	};

	WALK(steps);
}

static void waiting_for_something_outside_never_gives_up(void **state)
{
	struct restart r = restart_init();
	int64_t now = 0;

	(void)restart_feed(&r, &restart_default_policy, RESTART_START, now);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(restart_feed(&r, &restart_default_policy, RESTART_BLOCKED, now),
				 RESTART_NOTHING);
		assert_int_equal(r.state, CHILD_WAITING);
		assert_true(r.deadline_ns - now <= 30 * S);
		now = r.deadline_ns;
		assert_int_equal(restart_feed(&r, &restart_default_policy, RESTART_TIMER, now),
				 RESTART_LAUNCH);
	}
}

static void what_is_waited_for_may_come_early(void **state)
{
	static const struct step steps[] = {
		{RESTART_START, 0, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_BLOCKED, 0, RESTART_NOTHING, CHILD_WAITING, 500 * MS},
		{RESTART_AGAIN, 10 * MS, RESTART_LAUNCH, CHILD_STARTING, NONE},
		{RESTART_BLOCKED, 10 * MS, RESTART_NOTHING, CHILD_WAITING, 1010 * MS},
		{RESTART_STOP, 20 * MS, RESTART_DONE, CHILD_STOPPED, NONE},
	};

	WALK(steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_orderly_life),
		cmocka_unit_test(what_does_not_end_is_killed),
		cmocka_unit_test(a_restart_waits_for_the_end),
		cmocka_unit_test(crashes_back_off_to_a_cap_and_give_up),
		cmocka_unit_test(a_configuration_error_is_no_loop),
		cmocka_unit_test(a_run_between_shows_that_the_configuration_works),
		cmocka_unit_test(what_has_worked_is_no_configuration_error),
		cmocka_unit_test(where_refusals_are_no_evidence_they_are_ends),
		cmocka_unit_test(a_healthy_run_resets_the_backoff),
		cmocka_unit_test(waiting_for_something_outside_never_gives_up),
		cmocka_unit_test(what_is_waited_for_may_come_early),
	};

	return cmocka_run_group_tests_name("restart", tests, NULL, NULL);
}
