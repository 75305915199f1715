/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real processes: whether exec worked and why not, what they run at, what they may. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/supervise/probe.h"
#include "ptpmon/supervise/spawn.h"

enum { PATIENCE_MS = 10000 };

/* The reports of a start, up to the end of the pipe; the last one is in *out. */
static size_t reports(int fd, struct spawn_report *out)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t n = 0;
	int r;

	for (;;) {
		assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
		r = spawn_read_report(fd, out);
		if (r == 0)
			break;
		if (r != -EAGAIN) {
			assert_int_equal(r, 1);
			n++;
		}
	}
	assert_int_equal(close(fd), 0);
	return n;
}

static int end_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void exec_that_works_reports_nothing(void **state)
{
	char *argv[] = {"true", NULL};
	const struct spawn_plan plan = {
		.program = "/bin/true", .argv = argv, .envp = environ, .output_fd = -1};
	struct spawn_report report;
	pid_t pid;
	int fd;

	assert_int_equal(spawn(&plan, &pid, &fd), 0);
	assert_int_equal(reports(fd, &report), 0);
	assert_int_equal(end_of(pid), 0);
}

static void exec_that_fails_says_why(void **state)
{
	static const struct {
		const char *program;
		int error;
	} rows[] = {{"/no/such/program", ENOENT}, {"/etc/passwd", EACCES}, {"/etc", EACCES}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *argv[] = {"x", NULL};
		const struct spawn_plan plan = {
			.program = rows[i].program, .argv = argv, .envp = environ, .output_fd = -1};
		struct spawn_report report;
		pid_t pid;
		int fd;

		assert_int_equal(spawn(&plan, &pid, &fd), 0);
		if (reports(fd, &report) != 1 || report.step != SPAWN_EXEC || !report.fatal ||
		    report.error != rows[i].error)
			fail_msg("%s: step %d, error %d", rows[i].program, (int)report.step,
				 report.error);
		(void)end_of(pid);
	}
}

/* Starts a shell command with its output in a pipe; the text it printed is in out. */
static void shell(struct spawn_plan plan, const char *command, char *out, size_t size)
{
	char *argv[] = {"sh", "-c", (char *)command, NULL};
	struct spawn_report report;
	size_t len = 0;
	int fds[2];
	ssize_t n;
	pid_t pid;
	int fd;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	plan.program = "/bin/sh";
	plan.argv = argv;
	plan.envp = environ;
	plan.output_fd = fds[1];
	assert_int_equal(spawn(&plan, &pid, &fd), 0);
	(void)reports(fd, &report);
	assert_int_equal(close(fds[1]), 0);
	while (len < size - 1 && (n = read(fds[0], out + len, size - 1 - len)) > 0)
		len += (size_t)n;
	out[len] = '\0';
	assert_int_equal(close(fds[0]), 0);
	(void)end_of(pid);
}

static void what_is_dropped_cannot_come_back(void **state)
{
	const struct spawn_plan plan = {.drop_privileges = true};
	char out[512];

	shell(plan,
	      "ulimit -r; grep -E '^(CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs)' /proc/self/status",
	      out, sizeof(out));
	assert_memory_equal(out, "0\n", 2);
	assert_non_null(strstr(out, "CapPrm:\t0000000000000000\n"));
	assert_non_null(strstr(out, "CapEff:\t0000000000000000\n"));
	assert_non_null(strstr(out, "CapAmb:\t0000000000000000\n"));
	assert_non_null(strstr(out, "NoNewPrivs:\t1\n"));
	if (geteuid() == 0)
		assert_non_null(strstr(out, "CapBnd:\t0000000000000000\n"));
}

static void a_child_inherits_only_what_it_is_given(void **state)
{
	int given = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int kept = open("/dev/null", O_RDONLY | O_CLOEXEC);
	const struct spawn_plan plan = {.fds = {given}, .n_fds = 1};
	char command[128];
	char out[512];

	assert_true(given > 2 && kept > 2);
	(void)snprintf(command, sizeof(command),
		       "test -e /proc/self/fd/%d && ! test -e /proc/self/fd/%d "
		       "&& echo right",
		       given, kept);
	shell(plan, command, out, sizeof(out));
	assert_string_equal(out, "right\n");
	(void)close(given);
	(void)close(kept);
}

static void signals_are_as_a_program_expects_them(void **state)
{
	const struct spawn_plan plan = {.output_fd = -1};
	sigset_t set;
	char out[512];

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	shell(plan, "grep -E '^Sig(Blk|Ign)' /proc/self/status", out, sizeof(out));
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	assert_string_equal(out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

static void a_schedule_is_read_back(void **state)
{
	struct schedule asked = {.policy = SCHED_OTHER};
	struct schedule_proof is;
	char why[SCHEDULE_WHY_MAX] = "";

	assert_int_equal(schedule_verify(getpid(), &asked, 0, &is, why), 0);
	assert_int_equal(is.main_thread.policy, SCHED_OTHER);
	assert_true(cpulist_count(&is.main_thread.cpus) > 0);
	assert_int_equal(is.threads, 1);
	assert_int_equal(is.matching, 1);

	asked.policy = SCHED_FIFO;
	asked.priority = 70;
	assert_int_equal(schedule_verify(getpid(), &asked, 0, &is, why), 1);
	assert_non_null(strstr(why, "runs SCHED_OTHER 0, asked SCHED_FIFO 70"));

	asked = (struct schedule){.policy = SCHED_OTHER, .pinned = true};
	cpulist_add(&asked.cpus, CPULIST_MAX - 1);
	assert_int_equal(schedule_verify(getpid(), &asked, 0, &is, why), 1);
	assert_non_null(strstr(why, "asked 1023: no such CPU: 1023: this machine has "));

	assert_int_equal(schedule_verify(0x3fffffff, &asked, 0, &is, why), -ESRCH);
}

/* A thread that sleeps on the first CPU that it may run on. */
static void *sleep_pinned(void *userdata)
{
	pthread_barrier_t *met = userdata;
	struct schedule s;

	(void)schedule_read(gettid(), &s);
	for (size_t cpu = cpulist_next(&s.cpus, 0) + 1; cpu < CPULIST_MAX; cpu++)
		s.cpus.bits[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
	(void)schedule_set_affinity(&s);
	(void)pthread_barrier_wait(met);
	(void)pthread_barrier_wait(met);
	return NULL;
}

static void every_thread_is_read_back(void **state)
{
	struct schedule asked = {.policy = SCHED_OTHER, .pinned = true};
	struct schedule_proof proof;
	char why[SCHEDULE_WHY_MAX] = "";
	pthread_barrier_t met;
	struct schedule is;
	pthread_t thread;

	assert_int_equal(schedule_read(getpid(), &is), 0);
	assert_true(cpulist_count(&is.cpus) > 1);
	asked.cpus = is.cpus;
	assert_int_equal(pthread_barrier_init(&met, NULL, 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, sleep_pinned, &met), 0);
	(void)pthread_barrier_wait(&met);
	/* the main thread is as asked, the other is not; and the other way round for workers */
	assert_int_equal(schedule_verify(getpid(), &asked, 0, &proof, why), 1);
	assert_int_equal(proof.threads, 2);
	assert_int_equal(proof.matching, 1);
	assert_non_null(strstr(why, "changed by the program itself or by someone else"));
	assert_int_equal(schedule_verify_workers(getpid(), &asked, 1, &proof, why), 0);
	assert_int_equal(schedule_verify_workers(getpid(), &asked, 2, &proof, why), 1);
	assert_non_null(strstr(why, "1 of 2 threads run SCHED_OTHER 0"));
	(void)pthread_barrier_wait(&met);
	(void)pthread_join(thread, NULL);
}

static void locked_memory_is_read_back(void **state)
{
	static char page[8192] __attribute__((aligned(4096)));
	const struct schedule asked = {.policy = SCHED_OTHER};
	struct schedule_proof proof;
	char why[SCHEDULE_WHY_MAX];
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	assert_int_equal(schedule_verify(getpid(), &asked, 0, &proof, why), 0);
	assert_int_equal(proof.locked_bytes, 0);
	if (limit.rlim_cur == RLIM_INFINITY)
		assert_int_equal(proof.lock_limit_bytes, SCHEDULE_NO_LIMIT);
	else
		assert_int_equal(proof.lock_limit_bytes, limit.rlim_cur);
	/* not mlock(), which a sanitizer makes do nothing */
	assert_int_equal(syscall(SYS_mlock, page, sizeof(page)), 0);
	assert_int_equal(schedule_verify(getpid(), &asked, 0, &proof, why), 0);
	assert_int_equal(proof.locked_bytes, sizeof(page));
	assert_int_equal(syscall(SYS_munlock, page, sizeof(page)), 0);
}

static void an_absent_cpu_is_refused(void **state)
{
	struct schedule s = {.policy = SCHED_OTHER, .pinned = true};
	char why[SCHEDULE_WHY_MAX];

	cpulist_add(&s.cpus, CPULIST_MAX - 1);
	assert_int_equal(schedule_try(&s), -EINVAL);
	schedule_explain(&s, EINVAL, why);
	assert_non_null(strstr(why, "no such CPU: 1023: this machine has "));
	s.pinned = false;
	assert_int_equal(schedule_try(&s), 0);
}

static void programs_are_found_as_a_shell_would(void **state)
{
	char path[256];

	assert_int_equal(spawn_find_program("sh", path, sizeof(path)), 0);
	assert_non_null(strstr(path, "/sh"));
	assert_int_equal(spawn_find_program("/bin/sh", path, sizeof(path)), 0);
	assert_int_equal(spawn_find_program("no-such-program", path, sizeof(path)), -ENOENT);
	assert_int_equal(spawn_find_program("/etc/passwd", path, sizeof(path)), -EACCES);
	assert_int_equal(spawn_find_program("/etc", path, sizeof(path)), -EACCES);
}

static void a_probe_takes_one_line_and_no_longer(void **state)
{
	char *quick[] = {"/bin/sh", "-c", "echo 3.1.1; echo more; sleep 100", NULL};
	char *silent[] = {"/bin/sh", "-c", "sleep 100", NULL};
	char *absent[] = {"/no/such/program", NULL};
	char line[32] = "";

	assert_int_equal(probe_first_line(quick, INT64_C(5000000000), line, sizeof(line)), 0);
	assert_string_equal(line, "3.1.1");
	assert_int_equal(probe_first_line(silent, 100000000, line, sizeof(line)), -ENODATA);
	assert_int_equal(probe_first_line(absent, 100000000, line, sizeof(line)), -ENOENT);
}

static void the_environment_loses_what_is_the_parents(void **state)
{
	char **env;

	(void)setenv("NOTIFY_SOCKET", "/x", 1);
	(void)setenv("WATCHDOG_USEC", "1", 1);
	(void)setenv("KEPT", "yes", 1);
	env = spawn_environment();
	assert_non_null(env);
	for (char **e = env; *e; e++) {
		assert_int_not_equal(strncmp(*e, "NOTIFY_SOCKET=", 14), 0);
		assert_int_not_equal(strncmp(*e, "WATCHDOG_", 9), 0);
		if (strcmp(*e, "KEPT=yes") == 0) {
			free(env);
			return;
		}
	}
	fail_msg("KEPT is gone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exec_that_works_reports_nothing),
		cmocka_unit_test(exec_that_fails_says_why),
		cmocka_unit_test(what_is_dropped_cannot_come_back),
		cmocka_unit_test(a_child_inherits_only_what_it_is_given),
		cmocka_unit_test(signals_are_as_a_program_expects_them),
		cmocka_unit_test(a_schedule_is_read_back),
		cmocka_unit_test(every_thread_is_read_back),
		cmocka_unit_test(locked_memory_is_read_back),
		cmocka_unit_test(an_absent_cpu_is_refused),
		cmocka_unit_test(programs_are_found_as_a_shell_would),
		cmocka_unit_test(a_probe_takes_one_line_and_no_longer),
		cmocka_unit_test(the_environment_loses_what_is_the_parents),
	};

	return cmocka_run_group_tests_name("spawn", tests, NULL, NULL);
}
