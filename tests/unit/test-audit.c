/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is above ptp4l on its CPU, by named cases. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/audit.h"

enum { DEADLINE = 6, PTP4L = 100, PTP4L_TWO = 101, SAMPLER = 200 };

static struct cpulist cpus(const char *text)
{
	struct cpulist set = {0};

	assert_int_equal(cpulist_parse(text, &set), 0);
	return set;
}

static struct audit_thread thread(int tid, const char *name, int policy, int priority,
				  const char *where)
{
	struct audit_thread t = {
		.pid = tid,
		.tid = tid,
		.started_ticks = 5,
		.state = 'S',
		.policy = policy,
		.priority = priority,
		.cpus = cpus(where),
	};

	(void)snprintf(t.name, sizeof(t.name), "%s", name);
	(void)snprintf(t.program, sizeof(t.program), "%s", name);
	t.last_cpu = (int)cpulist_next(&t.cpus, 0);
	return t;
}

static struct audit_context context(void)
{
	static const int32_t ours[] = {SAMPLER};
	static const int32_t port[] = {300};
	static const int32_t subjects[] = {PTP4L, PTP4L_TWO};

	return (struct audit_context){
		.subject = "ptp4l",
		.subject_tids = subjects,
		.n_subjects = 2,
		.our_pids = ours,
		.n_our_pids = 1,
		.port_tids = port,
		.n_port_tids = 1,
	};
}

/* ptp4l runs SCHED_FIFO 70 on CPU 1; what is said of one more thread? */
/* clang-format off */
static const struct {
	const char *name, *thread;
	int tid, policy, priority;
	const char *cpus;
	bool kernel;
	enum audit_kind kind; /* AUDIT_KIND_MAX: not listed */
	const char *text;
} rows[] = {
	{ "a busy one above",       "busy",        7, SCHED_FIFO, 99, "1",   false, AUDIT_ABOVE, "" },
	{ "round robin counts",     "busy",        7, SCHED_RR,   71, "0-3", false, AUDIT_ABOVE, "" },
	{ "equal is not above",     "busy",        7, SCHED_FIFO, 70, "1",   false, AUDIT_KIND_MAX, "" },
	{ "another CPU",            "busy",        7, SCHED_FIFO, 99, "0,2", false, AUDIT_KIND_MAX, "" },
	{ "ordinary",               "busy",        7, SCHED_OTHER, 0, "1",   false, AUDIT_KIND_MAX, "" },
	{ "a deadline program",     "camera",      7, DEADLINE,    0, "0-3", false, AUDIT_ABOVE, "" },
	{ "a deadline of the kernel", "sugov:0",   7, DEADLINE,    0, "0-3", true,  AUDIT_KERNEL, "frequency" },
	{ "migration",              "migration/1", 7, SCHED_FIFO, 99, "1",   true,  AUDIT_KERNEL, "moves tasks" },
	{ "a program so named",     "migration/1", 7, SCHED_FIFO, 99, "1",   false, AUDIT_ABOVE, "" },
	{ "an unknown kernel thread", "frob/1",    7, SCHED_FIFO, 99, "1",   true,  AUDIT_ABOVE, "" },
	{ "a foreign interrupt",    "irq/9-mmc",   7, SCHED_FIFO, 90, "1",   true,  AUDIT_KERNEL, "not of this port" },
	{ "an interrupt below",     "irq/9-mmc",   7, SCHED_FIFO, 50, "1",   true,  AUDIT_KIND_MAX, "" },
	{ "the port's, above",      "irq/8-eth0",  300, SCHED_FIFO, 80, "0", true,  AUDIT_PORT, "serves" },
	{ "the port's, below",      "irq/8-eth0",  300, SCHED_FIFO, 50, "1", true,  AUDIT_PORT, "serves" },
	{ "our sampler",            "sampler/1", SAMPLER, SCHED_FIFO, 98, "1", false, AUDIT_OURS, "own" },
	{ "pooled",                 "ksoftirqd/1", 7, SCHED_OTHER, 0, "1",   true,  AUDIT_POOLED, "" },
	{ "pooled elsewhere",       "ksoftirqd/0", 7, SCHED_OTHER, 0, "0",   true,  AUDIT_KIND_MAX, "" },
	{ "an idle worker",         "kworker/1:0", 7, SCHED_OTHER, 0, "1",   true,  AUDIT_KIND_MAX, "" },
};
/* clang-format on */

static void each_thread_is_judged_by_what_it_is(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct audit_context c = context();
		struct audit_thread threads[] = {
			thread(PTP4L, "ptp4l", SCHED_FIFO, 70, "1"),
			thread(rows[i].tid, rows[i].thread, rows[i].policy, rows[i].priority,
			       rows[i].cpus),
		};
		struct audit a;

		threads[1].kernel = rows[i].kernel;
		audit_judge(&c, threads, 2, &a);
		if (a.n_findings != (rows[i].kind != AUDIT_KIND_MAX) ||
		    (a.n_findings && (a.findings[0].kind != rows[i].kind ||
				      !strstr(a.findings[0].text, rows[i].text))))
			fail_msg("%s: %zu findings, the first %s: %s", rows[i].name, a.n_findings,
				 audit_kind_name(a.findings[0].kind), a.findings[0].text);
	}
}

static void a_finding_names_thread_priority_and_cpu(void **state)
{
	struct audit_context c = context();
	struct audit_thread threads[] = {
		thread(PTP4L, "ptp4l", SCHED_FIFO, 70, "1"),
		thread(4711, "worker", SCHED_FIFO, 99, "0-1"),
	};
	char line[AUDIT_LINE_MAX];
	struct audit a;

	threads[1].pid = 4700;
	threads[1].last_cpu = 1;
	(void)strcpy(threads[1].program, "camera");
	audit_judge(&c, threads, 2, &a);
	assert_int_equal(a.n_findings, 1);
	assert_int_equal(a.findings[0].pid, 4700);
	assert_int_equal(a.findings[0].tid, 4711);
	assert_int_equal(a.findings[0].priority, 99);
	assert_string_equal(a.findings[0].policy, "SCHED_FIFO");
	assert_string_equal(a.findings[0].cpus, "0-1");
	assert_int_equal(a.findings[0].last_cpu, 1);
	assert_string_equal(a.findings[0].text, "a thread of camera");
	assert_string_equal(audit_describe(&a, line),
			    "above ptp4l (SCHED_FIFO 70, CPUs 1): worker/4711 SCHED_FIFO 99 on CPU "
			    "1, a thread of camera");
}

static void an_ordinary_ptp4l_is_below_everybody(void **state)
{
	struct audit_context c = context();
	struct audit_thread threads[] = {
		thread(PTP4L, "ptp4l", SCHED_OTHER, 0, "0-1"),
		thread(7, "irq/9-mmc", SCHED_FIFO, 50, "0"),
		thread(8, "x", SCHED_FIFO, 1, "1"),
	};
	struct audit a;

	threads[1].kernel = true;
	audit_judge(&c, threads, 3, &a);
	assert_int_equal(audit_count(&a, AUDIT_ABOVE), 1);
	assert_int_equal(audit_count(&a, AUDIT_KERNEL), 1);
	assert_int_equal(a.findings[0].tid, 8); /* what weighs most comes first */
}

static void several_are_each_judged_on_their_own_cpus(void **state)
{
	struct audit_context c = context();
	struct audit_thread threads[] = {
		thread(PTP4L, "ptp4l", SCHED_FIFO, 70, "1"),
		thread(PTP4L_TWO, "ptp4l", SCHED_FIFO, 40, "3"),
		thread(7, "above the second", SCHED_FIFO, 50, "3"),
		thread(8, "above none of them", SCHED_FIFO, 50, "1-2"),
	};
	char line[AUDIT_LINE_MAX];
	struct audit a;

	audit_judge(&c, threads, 4, &a);
	assert_int_equal(a.subjects, 2);
	assert_int_equal(a.priority, 40);
	assert_string_equal(a.cpus, "1,3");
	assert_int_equal(a.n_findings, 1);
	assert_int_equal(a.findings[0].tid, 7);
	audit_judge(&c, threads, 2, &a);
	assert_string_equal(audit_describe(&a, line),
			    "nothing above ptp4l (SCHED_FIFO 40, CPUs 1,3)");
}

static void without_ptp4l_nothing_is_said(void **state)
{
	struct audit_context c = context();
	struct audit_thread threads[] = {thread(7, "busy", SCHED_FIFO, 99, "1")};
	char line[AUDIT_LINE_MAX];
	struct audit a;

	audit_judge(&c, threads, 1, &a);
	assert_int_equal(a.subjects, 0);
	assert_int_equal(a.n_findings, 0);
	assert_string_equal(audit_describe(&a, line), "ptp4l does not run");
}

static void a_long_list_keeps_the_gravest(void **state)
{
	struct audit_context c = context();
	struct audit_thread threads[1 + 2 * AUDIT_FINDINGS_MAX] = {
		thread(PTP4L, "ptp4l", SCHED_FIFO, 20, "1")};
	size_t n = 1;
	struct audit a;

	for (int i = 0; i < AUDIT_FINDINGS_MAX; i++)
		threads[n++] = thread(1000 + i, "migration/1", SCHED_FIFO, 99, "1");
	for (int i = 0; i < AUDIT_FINDINGS_MAX; i++) {
		threads[n - 1 - (size_t)i].kernel = true;
		threads[n + (size_t)i] = thread(2000 + i, "busy", SCHED_FIFO, 30 + i, "1");
	}
	n += AUDIT_FINDINGS_MAX - 1; /* one of them left out */
	audit_judge(&c, threads, n, &a);
	assert_int_equal(a.n_findings, AUDIT_FINDINGS_MAX);
	assert_int_equal(a.more, AUDIT_FINDINGS_MAX - 1);
	assert_int_equal(audit_count(&a, AUDIT_ABOVE), AUDIT_FINDINGS_MAX - 1);
	assert_int_equal(a.findings[0].priority, 30 + AUDIT_FINDINGS_MAX - 2);
	assert_int_equal(a.findings[AUDIT_FINDINGS_MAX - 1].kind, AUDIT_KERNEL);
}

/* A worker of CPU 1, twice; what it waited, and who had the CPU. */
static void a_starved_worker_is_named_with_who_starves_it(void **state)
{
	static const struct {
		const char *name;
		int64_t ran_ns, waited_ns, culprit_ran_ns;
		char state_before, state_now;
		bool starved;
	} cases[] = {
		{"a wait that goes on", 0, 0, 57 * NSEC_PER_SEC, 'R', 'R', true},
		{"waits that ended", NSEC_PER_SEC, 20 * NSEC_PER_SEC, 57 * NSEC_PER_SEC, 'I', 'I',
		 true},
		{"waits too short", NSEC_PER_SEC, NSEC_PER_SEC, 57 * NSEC_PER_SEC, 'I', 'I', false},
		{"nobody is to blame", 0, 0, NSEC_PER_SEC, 'R', 'R', false},
		{"it slept", 0, 0, 57 * NSEC_PER_SEC, 'I', 'I', false},
		{"it ran", 30 * NSEC_PER_SEC, 0, 57 * NSEC_PER_SEC, 'R', 'R', false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct audit_context c = context();
		struct audit_thread before[] = {
			thread(PTP4L, "ptp4l", SCHED_FIFO, 70, "1"),
			thread(7, "kworker/1:2-events", SCHED_OTHER, 0, "1"),
			thread(8, "busy", SCHED_FIFO, 60, "1"),
		};
		struct audit_thread now[3];
		struct audit a;

		before[1].kernel = true;
		before[1].state = cases[i].state_before;
		memcpy(now, before, sizeof(now));
		now[1].state = cases[i].state_now;
		now[1].run_ns = cases[i].ran_ns;
		now[1].wait_ns = cases[i].waited_ns;
		now[2].run_ns = cases[i].culprit_ran_ns;
		c.before = before;
		c.n_before = 3;
		c.elapsed_ns = 60 * NSEC_PER_SEC;
		audit_judge(&c, now, 3, &a);
		if (audit_count(&a, AUDIT_STARVED) != cases[i].starved ||
		    (cases[i].starved && !strstr(a.findings[0].text, "busy/8 (SCHED_FIFO 60)")))
			fail_msg("%s: %s", cases[i].name, a.findings[0].text);
		now[1].started_ticks++; /* another thread with the same number */
		audit_judge(&c, now, 3, &a);
		assert_int_equal(audit_count(&a, AUDIT_STARVED), 0);
	}
}

static void only_what_changes_is_news(void **state)
{
	struct audit_context c = context();
	struct audit_thread threads[] = {
		thread(PTP4L, "ptp4l", SCHED_FIFO, 70, "0-1"),
		thread(7, "busy", SCHED_FIFO, 99, "0-1"),
		thread(SAMPLER, "sampler/1", SCHED_FIFO, 98, "1"),
	};
	struct audit first;
	struct audit next;

	audit_judge(&c, threads, 3, &first);
	threads[1].last_cpu = 1;
	audit_judge(&c, threads, 3, &next);
	assert_true(audit_same(&first, &next, AUDIT_ABOVE));
	threads[1].tid = threads[1].pid = 8; /* started again */
	audit_judge(&c, threads, 3, &next);
	assert_true(audit_same(&first, &next, AUDIT_ABOVE));
	audit_judge(&c, threads, 2, &next); /* our own do not count */
	assert_true(audit_same(&first, &next, AUDIT_ABOVE));
	threads[1].priority = 98;
	audit_judge(&c, threads, 3, &next);
	assert_false(audit_same(&first, &next, AUDIT_ABOVE));
	audit_judge(&c, threads, 1, &next);
	assert_false(audit_same(&first, &next, AUDIT_ABOVE));
	assert_false(audit_same(&next, &first, AUDIT_ABOVE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_is_judged_by_what_it_is),
		cmocka_unit_test(a_finding_names_thread_priority_and_cpu),
		cmocka_unit_test(an_ordinary_ptp4l_is_below_everybody),
		cmocka_unit_test(several_are_each_judged_on_their_own_cpus),
		cmocka_unit_test(without_ptp4l_nothing_is_said),
		cmocka_unit_test(a_long_list_keeps_the_gravest),
		cmocka_unit_test(a_starved_worker_is_named_with_who_starves_it),
		cmocka_unit_test(only_what_changes_is_news),
	};

	return cmocka_run_group_tests_name("audit", tests, NULL, NULL);
}
