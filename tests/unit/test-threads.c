/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a scan of /proc finds, in a tree made for it and on this machine. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/threads.h"
#include "tree-fixture.h"

static const struct audit_context context = {.subject = "ptp4l"};

static void scan(struct thread_scan *s, int subject, int64_t now_ns, size_t at_once,
		 struct audit *out)
{
	const int32_t tid = subject;
	int r = thread_scan_begin(s, &tid, 1, now_ns);

	assert_int_equal(r, 0);
	while ((r = thread_scan_step(s, at_once)) == 0)
		assert_true(thread_scan_runs(s));
	assert_int_equal(r, 1);
	assert_false(thread_scan_runs(s));
	thread_scan_judge(s, &context, now_ns, out);
}

static void plant_board(void)
{
	plant_thread(&(struct planted_thread){
		.pid = 2, .name = "kthreadd", .kernel = 1, .policy = SCHED_OTHER});
	plant_thread(&(struct planted_thread){.pid = 18,
					      .name = "migration/1",
					      .kernel = 1,
					      .policy = SCHED_FIFO,
					      .priority = 99,
					      .cpus = "1"});
	plant_thread(&(struct planted_thread){
		.pid = 30, .name = "kworker/1:1-events", .kernel = 1, .state = 'R', .cpus = "1"});
	plant_thread(&(struct planted_thread){
		.pid = 500, .name = "ptp4l", .policy = SCHED_FIFO, .priority = 70, .cpus = "1"});
	plant_thread(&(struct planted_thread){.pid = 600, .name = "camera", .threads = 2});
	plant_thread(&(struct planted_thread){.pid = 600,
					      .tid = 601,
					      .name = "grab (1)",
					      .policy = SCHED_FIFO,
					      .priority = 90,
					      .last_cpu = 1,
					      .threads = 2});
	plant("/proc/version", "no process\n");
}

static void threads_of_a_board_are_judged(void **state)
{
	struct thread_scan *s;
	struct audit whole;
	struct audit a;

	plant_board();
	assert_int_equal(thread_scan_new(&s, tree()), 0);
	scan(s, 500, NSEC_PER_SEC, 1000, &whole);
	assert_string_equal(whole.cpus, "1");
	assert_int_equal(whole.priority, 70);
	assert_int_equal(whole.n_findings, 2);
	assert_int_equal(whole.findings[0].kind, AUDIT_ABOVE);
	assert_string_equal(whole.findings[0].name, "grab (1)");
	assert_string_equal(whole.findings[0].text, "a thread of camera");
	assert_string_equal(whole.findings[0].cpus, "0-1");
	assert_int_equal(whole.findings[1].kind, AUDIT_KERNEL);
	assert_string_equal(whole.problem, "");
	assert_true(whole.cost_ns > 0);
	scan(s, 500, 2 * NSEC_PER_SEC, 1, &a); /* one process at a time */
	assert_true(audit_same(&a, &whole, AUDIT_ABOVE));
	assert_int_equal(thread_scan_begin(s, NULL, 0, 3 * NSEC_PER_SEC),
			 0); /* given up half way */
	assert_int_equal(thread_scan_step(s, 1), 0);
	scan(s, 500, 4 * NSEC_PER_SEC, 2, &a);
	assert_true(audit_same(&a, &whole, AUDIT_ABOVE));
	assert_null(thread_scan_free(s));
}

static void a_worker_that_waits_between_scans_is_starved(void **state)
{
	struct planted_thread busy = {.pid = 601,
				      .name = "busy",
				      .policy = SCHED_FIFO,
				      .priority = 60,
				      .last_cpu = 1,
				      .cpus = "1"};
	struct thread_scan *s;
	struct audit a;

	plant_thread(&busy);
	assert_int_equal(thread_scan_new(&s, tree()), 0);
	scan(s, 500, NSEC_PER_SEC, 1000, &a);
	assert_int_equal(audit_count(&a, AUDIT_STARVED), 0);
	busy.run_ns = 55 * NSEC_PER_SEC;
	plant_thread(&busy);
	scan(s, 500, 61 * NSEC_PER_SEC, 1000, &a);
	assert_int_equal(audit_count(&a, AUDIT_STARVED), 1);
	assert_string_equal(a.findings[1].name, "kworker/1:1-events");
	assert_string_equal(a.findings[1].text,
			    "waited 60000 of 60000 ms for a CPU that busy/601 (SCHED_FIFO 60) had");
	assert_null(thread_scan_free(s));
}

static void hidden_threads_are_said_to_be(void **state)
{
	struct thread_scan *s;
	struct audit a;

	unplant("/proc/2");
	unplant("/proc/18");
	unplant("/proc/30");
	assert_int_equal(thread_scan_new(&s, tree()), 0);
	scan(s, 500, NSEC_PER_SEC, 1000, &a);
	assert_non_null(strstr(a.problem, "hidden"));
	assert_null(thread_scan_free(s));
}

static void this_machine_can_be_scanned(void **state)
{
	struct thread_scan *s;
	struct audit a;

	assert_int_equal(thread_scan_new(&s, ""), 0);
	scan(s, getpid(), nsec_now(CLOCK_MONOTONIC), 1000, &a);
	assert_int_equal(a.subjects, 1);
	assert_string_equal(a.policy, "SCHED_OTHER");
	assert_true(*a.cpus);
	assert_null(thread_scan_free(s));
	assert_int_equal(thread_scan_new(&s, "/no/such/root"), 0);
	assert_true(thread_scan_begin(s, NULL, 0, 0) < 0);
	assert_null(thread_scan_free(s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_of_a_board_are_judged),
		cmocka_unit_test(a_worker_that_waits_between_scans_is_starved),
		cmocka_unit_test(hidden_threads_are_said_to_be),
		cmocka_unit_test(this_machine_can_be_scanned),
	};

	return cmocka_run_group_tests_name("threads", tests, make_tree, remove_tree);
}
