/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Priorities are set, read back, remembered and given back; the kernel is played by a table. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/supervise/port_priorities.h"
#include "tree-fixture.h"

enum { IRQ_A = 61, IRQ_B = 62, NAPI = 63, CLOCK = 64, THREADS_MAX = 8 };

/* The kernel: what each thread runs at. */
static struct {
	pid_t tid;
	int policy, priority;
	int refuse; /* errno of setting it, 0 */
	int reads;
} threads[THREADS_MAX];

static char memory[128];
static char told[2048]; /* "CODE SUBJECT: …\n" for each event */

static int find(pid_t tid)
{
	for (int i = 0; i < THREADS_MAX; i++)
		if (threads[i].tid == tid)
			return i;
	return -1;
}

static int fake_get(void *userdata, pid_t tid, int *policy, int *priority)
{
	int i = find(tid);

	if (i < 0)
		return -ESRCH;
	threads[i].reads++;
	*policy = threads[i].policy;
	*priority = threads[i].priority;
	return 0;
}

static int fake_set(void *userdata, pid_t tid, int policy, int priority)
{
	int i = find(tid);

	if (i < 0 || threads[i].refuse)
		return i < 0 ? -ESRCH : -threads[i].refuse;
	threads[i].policy = policy;
	threads[i].priority = priority;
	return 0;
}

static void fake_tell(void *userdata, enum event_code code, const char *subject, const char *text)
{
	size_t len = strlen(told);

	(void)snprintf(told + len, sizeof(told) - len, "%s %s\n", event_code_name(code), text);
}

static size_t fake_ports(void *userdata, struct port_name out[static PORT_THREADS_PORTS_MAX])
{
	out[0] = (struct port_name){.interface = "eth0"};
	return 1;
}

static struct port_priorities_ops ops = {
	.get = fake_get, .set = fake_set, .ports = fake_ports, .tell = fake_tell};

static void kernel_thread(pid_t tid, const char *name, int policy, int priority)
{
	int i = find(0);

	plant_thread(&(struct planted_thread){.pid = tid,
					      .name = name,
					      .kernel = 1,
					      .policy = policy,
					      .priority = priority,
					      .started = tid * 10});
	threads[i].tid = tid;
	threads[i].policy = policy;
	threads[i].priority = priority;
	threads[i].refuse = 0;
}

static void end_thread(pid_t tid)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d", (int)tid);
	unplant(path);
	threads[find(tid)].tid = 0;
}

static int runs_at(pid_t tid)
{
	int i = find(tid);

	return threads[i].policy == SCHED_FIFO ? threads[i].priority : 0;
}

static int make_board(void **state)
{
	if (make_tree(state) < 0)
		return -1;
	memset(threads, 0, sizeof(threads));
	told[0] = '\0';
	ops.root = tree();
	(void)snprintf(memory, sizeof(memory), "%s/threads", tree());
	plant("/sys/class/net/eth0/device/msi_irqs/41", "msix\n");
	plant("/sys/class/net/eth0/device/msi_irqs/42", "msix\n");
	kernel_thread(IRQ_A, "irq/41-eth0-rx", SCHED_FIFO, 50);
	kernel_thread(IRQ_B, "irq/42-eth0-tx", SCHED_FIFO, 51);
	kernel_thread(NAPI, "napi/eth0-8193", SCHED_OTHER, 0);
	kernel_thread(CLOCK, "ptp0", SCHED_OTHER, 0);
	kernel_thread(90, "irq/9-mmc", SCHED_FIFO, 50);
	return 0;
}

static struct port_priorities_wish wish(int irq, int napi, int ptp)
{
	return (struct port_priorities_wish){
		.priority = {[PORT_THREAD_IRQ] = irq,
			     [PORT_THREAD_NAPI] = napi,
			     [PORT_THREAD_PTP] = ptp},
	};
}

static struct port_priorities *start(int irq, int napi, int ptp)
{
	const struct port_priorities_wish w = wish(irq, napi, ptp);
	struct port_priorities *p;

	assert_int_equal(port_priorities_new(&p, &ops, memory), 0);
	(void)port_priorities_want(p, &w);
	return p;
}

static void by_default_nothing_is_touched(void **state)
{
	struct port_priorities *p = start(0, 0, 0);

	port_priorities_check(p);
	port_priorities_restore(p);
	assert_int_equal(runs_at(IRQ_A), 50);
	assert_int_equal(threads[0].reads, 0); /* nor even looked at */
	assert_string_equal(told, "");
	assert_int_equal(access(memory, F_OK), -1);
	port_priorities_free(p);
}

static void what_is_set_is_told_and_given_back(void **state)
{
	struct port_priorities *p = start(80, 75, 0);

	assert_int_equal(runs_at(IRQ_A), 80);
	assert_int_equal(runs_at(IRQ_B), 80);
	assert_int_equal(runs_at(NAPI), 75);
	assert_int_equal(runs_at(CLOCK), 0);
	assert_int_equal(runs_at(90), 50); /* another device's */
	assert_string_equal(
		told, "port-threads-set irq/41-eth0-rx (was SCHED_FIFO 50) and 1 more: SCHED_FIFO "
		      "80, as read back\n"
		      "port-threads-set napi/eth0-8193 (was SCHED_OTHER 0): SCHED_FIFO 75, as "
		      "read back\n");
	told[0] = '\0';
	for (int i = 0; i < 20; i++)
		port_priorities_check(p);
	assert_string_equal(told, "");
	port_priorities_restore(p);
	assert_int_equal(runs_at(IRQ_A), 50);
	assert_int_equal(runs_at(IRQ_B), 51);
	assert_int_equal(runs_at(NAPI), 0);
	assert_non_null(strstr(told, "and 2 more: have their priorities back\n"));
	assert_int_equal(access(memory, F_OK), -1);
	port_priorities_free(p);
}

static void another_configuration_gives_back_what_it_does_not_name(void **state)
{
	struct port_priorities *p = start(80, 75, 0);
	struct port_priorities_wish w = wish(0, 76, 60);

	assert_int_equal(port_priorities_want(p, &w), 0);
	assert_int_equal(runs_at(IRQ_A), 50);
	assert_int_equal(runs_at(IRQ_B), 51);
	assert_int_equal(runs_at(NAPI), 76);
	assert_int_equal(runs_at(CLOCK), 60);
	port_priorities_restore(p);
	assert_int_equal(runs_at(NAPI), 0); /* what it had at first, not 75 */
	assert_int_equal(runs_at(CLOCK), 0);
	port_priorities_free(p);
}

/* The one before was killed: its file is all that is left of it. */
static void a_killed_service_leaves_what_the_next_gives_back(void **state)
{
	struct port_priorities *p = start(80, 75, 0);

	port_priorities_free(p);
	p = start(81, 0, 0);
	assert_int_equal(runs_at(IRQ_A), 81);
	assert_int_equal(runs_at(NAPI), 0); /* not wanted any more */
	port_priorities_restore(p);
	assert_int_equal(runs_at(IRQ_A), 50);
	assert_int_equal(runs_at(IRQ_B), 51);
	port_priorities_free(p);
}

static void what_is_not_as_it_was_left_is_not_taken_over(void **state)
{
	struct port_priorities *p = start(80, 0, 0);

	port_priorities_free(p);
	threads[find(IRQ_A)].priority = 33; /* an administrator, meanwhile */
	end_thread(IRQ_B);
	kernel_thread(IRQ_B, "irq/42-eth0-tx", SCHED_FIFO, 80); /* a new one with its number */
	plant_thread(&(struct planted_thread){.pid = IRQ_B,
					      .name = "irq/42-eth0-tx",
					      .kernel = 1,
					      .policy = SCHED_FIFO,
					      .priority = 80,
					      .started = 7777});
	plant_thread(&(struct planted_thread){.pid = IRQ_A,
					      .name = "irq/41-eth0-rx",
					      .kernel = 1,
					      .policy = SCHED_FIFO,
					      .priority = 33,
					      .started = IRQ_A * 10});
	p = start(82, 0, 0);
	port_priorities_restore(p);
	assert_int_equal(runs_at(IRQ_A), 33);
	assert_int_equal(runs_at(IRQ_B), 80);
	port_priorities_free(p);
}

static void nonsense_in_the_file_is_ignored(void **state)
{
	struct port_priorities *p;

	plant("/threads",
	      "\n61\n61 610 1 50 999 0 irq/41-eth0-rx\n-1 610 1 50 80 0 x\n"
	      "61 610 1 50 80 17 irq/41-eth0-rx\n61 610 0 -5 50 0 irq/41-eth0-rx\n"
	      "61 610 0 0 49 0 irq/41-eth0-rx\n%0300d\n",
	      0);
	p = start(0, 0, 0);
	port_priorities_restore(p);
	assert_int_equal(runs_at(IRQ_A), 50);
	port_priorities_free(p);
}

static void new_threads_are_set_within_two_checks(void **state)
{
	struct port_priorities *p = start(80, 0, 0);

	end_thread(IRQ_A);
	port_priorities_check(p);                                     /* the driver is gone … */
	kernel_thread(IRQ_A + 100, "irq/41-eth0-rx", SCHED_FIFO, 50); /* … and back */
	port_priorities_check(p);
	assert_int_equal(runs_at(IRQ_A + 100), 80);
	port_priorities_restore(p);
	assert_int_equal(runs_at(IRQ_A + 100), 50);
	port_priorities_free(p);
}

static void somebody_else_has_the_last_word(void **state)
{
	struct port_priorities *p = start(80, 0, 0);

	told[0] = '\0';
	threads[find(IRQ_A)].priority = 33;
	for (int i = 0; i < 20; i++)
		port_priorities_check(p);
	assert_string_equal(told,
			    "port-threads-changed irq/41-eth0-rx: runs SCHED_FIFO 33, was set "
			    "to SCHED_FIFO 80: somebody else has changed it, and it is left "
			    "so\n");
	port_priorities_restore(p);
	assert_int_equal(runs_at(IRQ_A), 33);
	assert_int_equal(runs_at(IRQ_B), 51);
	port_priorities_free(p);
}

static void a_refusal_is_told_once_and_tried_again(void **state)
{
	const struct port_priorities_wish w = wish(80, 0, 0);
	struct port_priorities *p;

	plant("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
	plant("/proc/self/limits", "x\nMax realtime priority     99  99\n");
	threads[find(IRQ_A)].refuse = EPERM;
	assert_int_equal(port_priorities_new(&p, &ops, memory), 0);
	assert_int_equal(port_priorities_want(p, &w), -EPERM);
	assert_non_null(strstr(told, "port-threads-refused irq/41-eth0-rx: stays at SCHED_FIFO 50, "
				     "asked SCHED_FIFO 80: no CAP_SYS_NICE"));
	told[0] = '\0';
	for (int i = 0; i < 20; i++)
		port_priorities_check(p);
	assert_string_equal(told, "");
	threads[find(IRQ_A)].refuse = 0;
	for (int i = 0; i < 20; i++)
		port_priorities_check(p);
	assert_int_equal(runs_at(IRQ_A), 80);
	port_priorities_restore(p);
	assert_int_equal(runs_at(IRQ_A), 50);
	port_priorities_free(p);
}

static void a_port_without_such_threads_is_told_of_once(void **state)
{
	struct port_priorities *p;

	end_thread(NAPI);
	p = start(0, 75, 0);
	for (int i = 0; i < 20; i++)
		port_priorities_check(p);
	assert_string_equal(told, "port-threads-absent eth0: napi_priority has nothing to set: its "
				  "NAPI is not threaded: write 1 to "
				  "/sys/class/net/INTERFACE/threaded\n");
	port_priorities_free(p);
}

int main(void)
{
#define ON_A_BOARD(test) cmocka_unit_test_setup_teardown(test, make_board, remove_tree)
	const struct CMUnitTest tests[] = {
		ON_A_BOARD(by_default_nothing_is_touched),
		ON_A_BOARD(what_is_set_is_told_and_given_back),
		ON_A_BOARD(another_configuration_gives_back_what_it_does_not_name),
		ON_A_BOARD(a_killed_service_leaves_what_the_next_gives_back),
		ON_A_BOARD(what_is_not_as_it_was_left_is_not_taken_over),
		ON_A_BOARD(nonsense_in_the_file_is_ignored),
		ON_A_BOARD(new_threads_are_set_within_two_checks),
		ON_A_BOARD(somebody_else_has_the_last_word),
		ON_A_BOARD(a_refusal_is_told_once_and_tried_again),
		ON_A_BOARD(a_port_without_such_threads_is_told_of_once),
	};

	return cmocka_run_group_tests_name("port-priorities", tests, NULL, NULL);
}
