/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/supervise/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"

static const char *const step_names[] = {
	[SPAWN_AFFINITY] = "set CPU affinity",
	[SPAWN_POLICY] = "set real-time priority",
	[SPAWN_PRIVILEGES] = "drop privileges",
	[SPAWN_PARENT] = "the parent is gone",
	[SPAWN_EXEC] = "execute",
};

const char *spawn_step_name(enum spawn_step step)
{
	return step_names[step];
}

/* From here to exec_child(): between fork and exec, async-signal-safe only. */

static void say(int report_fd, enum spawn_step step, int error, bool fatal)
{
	const struct spawn_report report = {.step = step, .error = error, .fatal = fatal};

	(void)!write(report_fd, &report, sizeof(report));
	if (fatal)
		_exit(127);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		if (s != SIGKILL && s != SIGSTOP)
			(void)signal(s, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void arrange_descriptors(const struct spawn_plan *plan)
{
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null_fd >= 0)
		(void)dup2(null_fd, STDIN_FILENO);
	if (plan->output_fd >= 0) {
		(void)dup2(plan->output_fd, STDOUT_FILENO);
		(void)dup2(plan->output_fd, STDERR_FILENO);
	}
	(void)close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC); /* nothing by accident */
	for (size_t i = 0; i < plan->n_fds; i++)
		(void)fcntl(plan->fds[i], F_SETFD, 0);
}

/* As root too, exec must give nothing back: an empty bounding set sees to that. */
static int drop_privileges(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
	const struct rlimit no_priority = {0};

	if (setrlimit(RLIMIT_RTPRIO, &no_priority) < 0)
		return -errno;
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0 && errno != EPERM)
			return -errno; /* EPERM: unprivileged, so exec gives nothing anyway */
	if (syscall(SYS_capset, &header, none) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return 0;
}

__attribute__((noreturn)) static void exec_child(const struct spawn_plan *plan, int report_fd,
						 pid_t parent)
{
	const struct schedule ordinary = {.policy = SCHED_OTHER};
	const struct schedule *schedule = plan->schedules_itself ? &ordinary : &plan->schedule;
	int r;

	reset_signals();
	(void)setpgid(0, 0); /* a terminal's ^C goes to the parent, which stops us in order */
	arrange_descriptors(plan);
	r = schedule_set_affinity(schedule);
	if (r < 0)
		say(report_fd, SPAWN_AFFINITY, -r, plan->must_schedule);
	r = schedule_set_policy(schedule);
	if (r < 0)
		say(report_fd, SPAWN_POLICY, -r, plan->must_schedule);
	if (plan->drop_privileges) {
		r = drop_privileges();
		if (r < 0)
			say(report_fd, SPAWN_PRIVILEGES, -r, true);
	}
	(void)prctl(PR_SET_PDEATHSIG, plan->death_signal, 0, 0, 0);
	if (getppid() != parent)
		say(report_fd, SPAWN_PARENT, ESRCH, true);
	(void)execve(plan->program, plan->argv, plan->envp);
	say(report_fd, SPAWN_EXEC, errno, true);
	_exit(127);
}

int spawn(const struct spawn_plan *plan, pid_t *pid, int *report_fd)
{
	CLEANUP(close_fdp) int read_end = -1;
	CLEANUP(close_fdp) int write_end = -1;
	pid_t parent = getpid();
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	read_end = fds[0];
	write_end = fds[1];
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0)
		exec_child(plan, write_end, parent);
	*pid = child;
	*report_fd = steal_fd(&read_end);
	return 0;
}

int spawn_read_report(int report_fd, struct spawn_report *out)
{
	struct spawn_report report;
	ssize_t n =
		read(report_fd, &report, sizeof(report)); /* shorter than PIPE_BUF: whole or none */

	if (n < 0)
		return -errno;
	if (n == 0)
		return 0;
	if (n != sizeof(report))
		return -EBADMSG;
	*out = report;
	return 1;
}

static int check_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	return access(path, X_OK) < 0 ? -errno : 0;
}

int spawn_find_program(const char *name, char *out, size_t size)
{
	CLEANUP(freep) char *path = NULL;
	int worst = -ENOENT;

	if (strchr(name, '/'))
		return snprintf(out, size, "%s", name) >= (int)size ? -ENAMETOOLONG
								    : check_program(name);
	if (asprintf(&path, "%s:/usr/sbin:/sbin:/usr/bin", getenv("PATH") ?: "") < 0) {
		path = NULL;
		return -ENOMEM;
	}
	for (char *d = strtok(path, ":"); d; d = strtok(NULL, ":")) {
		int r;

		if (snprintf(out, size, "%s/%s", d, name) >= (int)size)
			continue;
		r = check_program(out);
		if (r == 0)
			return 0;
		if (r == -EACCES)
			worst = r;
	}
	return worst;
}

char **spawn_environment(void)
{
	static const char *const ours[] = {"NOTIFY_SOCKET=", "WATCHDOG_"};
	size_t n = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 1, sizeof(*env));
	n = 0;
	for (char **e = environ; env && *e; e++)
		if (strncmp(*e, ours[0], strlen(ours[0])) != 0 &&
		    strncmp(*e, ours[1], strlen(ours[1])) != 0)
			env[n++] = *e;
	return env;
}
