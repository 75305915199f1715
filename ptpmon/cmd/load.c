// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/cmd/load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"

#define END_WITHIN_NS (10 * NSEC_PER_SEC)

static sigset_t waited_signals(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGCHLD);
	return set;
}

void load_block_signals(void)
{
	const sigset_t set = waited_signals();

	(void)sigprocmask(SIG_BLOCK, &set, NULL);
}

/* -- before anything is started ---------------------------------------------------------- */

static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 ? -errno : 0;
}

/* As execvp(3) searches PATH: an empty directory is the current one, a forbidden file is told. */
int load_check(const char *program)
{
	const char *at = getenv("PATH");
	char path[PATH_MAX];
	int result = -ENOENT;

	if (strchr(program, '/'))
		return check_file(program);
	for (at = at ? at : "/bin:/usr/bin";; at++) {
		size_t len = strcspn(at, ":");
		int n = snprintf(path, sizeof(path), "%.*s%s%s", (int)len, at, len ? "/" : "",
				 program);
		int r = n < (int)sizeof(path) ? check_file(path) : -ENAMETOOLONG;

		if (r == 0)
			return 0;
		if (r == -EACCES)
			result = r;
		at += len;
		if (!*at)
			return result;
	}
}

/* -- in the child, between fork and exec ------------------------------------------------- */

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0 && errno != EPERM)
			return -errno;
	if (syscall(SYS_capset, &header, none) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return 0;
}

/* Best effort: a load that could not volunteer is still a load. */
static void volunteer_for_oom(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, "1000", 4);
	(void)close(fd);
}

static int prepare(pid_t parent)
{
	const struct sched_param ordinary = {0};
	sigset_t none;

	(void)setpgid(0, 0);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) < 0)
		return -errno;
	if (getppid() != parent)
		return -ECHILD;
	if (sched_setscheduler(0, SCHED_OTHER, &ordinary) < 0)
		return -errno;
	volunteer_for_oom();
	/* a background group that reads its terminal would be stopped */
	if (isatty(STDIN_FILENO)) {
		int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
			return -errno;
	}
	return geteuid() == 0 ? drop_capabilities() : 0;
}

_Noreturn static void become(char *const *argv, pid_t parent, int error_fd)
{
	int error = -prepare(parent);

	if (error == 0) {
		(void)execvp(argv[0], argv);
		error = errno;
	}
	(void)!write(error_fd, &error, sizeof(error));
	_exit(127);
}

/* -- in the parent ----------------------------------------------------------------------- */

/* 0 and the pid once exec has worked, or -errno of what did not. */
static int start(char *const *argv, pid_t *out)
{
	CLEANUP(close_fdp) int read_fd = -1;
	CLEANUP(close_fdp) int write_fd = -1;
	pid_t self = getpid();
	int error = 0;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	read_fd = fds[0];
	write_fd = fds[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		become(argv, self, write_fd);
	/* both sides do it, so that the group is there whoever runs first */
	(void)setpgid(pid, pid);
	close_fdp(&write_fd);
	if (read(read_fd, &error, sizeof(error)) == (ssize_t)sizeof(error)) {
		(void)waitpid(pid, NULL, 0);
		return -error;
	}
	*out = pid;
	return 0;
}

/* The next signal, or 0 when deadline_mono_ns (0: none) has passed. */
static int next_signal(int64_t deadline_mono_ns)
{
	const sigset_t set = waited_signals();
	int64_t left_ns = deadline_mono_ns - nsec_now(CLOCK_MONOTONIC);
	struct timespec limit = nsec_to_timespec(left_ns > 0 ? left_ns : 0);
	int signal;

	do
		signal = sigtimedwait(&set, NULL, deadline_mono_ns ? &limit : NULL);
	while (signal < 0 && errno == EINTR);
	return signal < 0 ? 0 : signal;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	/* left unreaped, so that its group's number stays its own */
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       info.si_pid == pid;
}

int load_run(char *const *argv, struct load_result *out)
{
	struct load_result result = {0};
	int64_t deadline_mono_ns = 0;
	pid_t pid = 0;
	int status = 0;
	int r = start(argv, &pid);

	if (r < 0)
		return r;
	while (!has_ended(pid)) {
		int signal = next_signal(deadline_mono_ns);

		if (signal == SIGCHLD)
			continue;
		(void)kill(-pid, signal ? signal : SIGKILL);
		if (!result.interrupted)
			deadline_mono_ns = nsec_now(CLOCK_MONOTONIC) + END_WITHIN_NS;
		else if (!signal)
			deadline_mono_ns = 0;
		result.interrupted = true;
	}
	(void)kill(-pid, SIGTERM);
	(void)waitpid(pid, &status, 0);
	result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	*out = result;
	return 0;
}
