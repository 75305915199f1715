/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/supervise/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"

static int start(char *const *argv, int output_fd, bool with_stderr, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int r;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawnattr_init(&attributes);
	(void)sigemptyset(&none);
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	(void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
	if (with_stderr)
		(void)posix_spawn_file_actions_adddup2(&actions, output_fd, STDERR_FILENO);
	else
		(void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
						       O_WRONLY, 0);
	r = posix_spawn(pid, argv[0], &actions, &attributes, argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	return -r;
}

/* Reads until the end of the first line, of the output, or of the time. */
static size_t read_line(int fd, int64_t deadline_ns, char *out, size_t size)
{
	size_t len = 0;

	while (len < size - 1 && !memchr(out, '\n', len)) {
		int64_t left_ns = deadline_ns - nsec_now(CLOCK_MONOTONIC);
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (left_ns <= 0 || poll(&p, 1, (int)(left_ns / NSEC_PER_MSEC) + 1) <= 0)
			break;
		n = read(fd, out + len, size - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	out[len] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return strlen(out);
}

static int probe(char *const *argv, bool with_stderr, int64_t timeout_ns, char *out, size_t size)
{
	CLEANUP(close_fdp) int read_end = -1;
	CLEANUP(close_fdp) int write_end = -1;
	int fds[2];
	pid_t pid;
	int r;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	read_end = fds[0];
	write_end = fds[1];
	r = start(argv, write_end, with_stderr, &pid);
	if (r < 0)
		return r;
	close_fdp(&write_end);
	r = read_line(read_end, nsec_now(CLOCK_MONOTONIC) + timeout_ns, out, size) ? 0 : -ENODATA;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	return r;
}

int probe_first_line(char *const *argv, int64_t timeout_ns, char *out, size_t size)
{
	return probe(argv, false, timeout_ns, out, size);
}

int probe_first_output(char *const *argv, int64_t timeout_ns, char *out, size_t size)
{
	return probe(argv, true, timeout_ns, out, size);
}
