/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/supervise/spawn.h: starts a program so that the caller learns whether exec worked.
 *
 * fork; in the child: signals, descriptors, affinity, scheduler, parent-death signal, exec. What
 * does not work is written as a struct spawn_report into a close-on-exec pipe; the end of the pipe
 * without a fatal report is the proof that exec worked. Only the main thread may call spawn(),
 * since the parent-death signal follows the thread.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ptpmon/supervise/schedule.h"

enum { SPAWN_FDS_MAX = 48 };

struct spawn_plan {
	const char *program; /* a path */
	char *const *argv;
	char *const *envp;
	int output_fd;          /* becomes stdout and stderr; -1: they are inherited */
	int fds[SPAWN_FDS_MAX]; /* kept open over exec, under their own numbers */
	size_t n_fds;
	struct schedule schedule;
	bool schedules_itself; /* schedule is what this many of its threads give themselves */
	unsigned workers;
	bool must_schedule;   /* a refused schedule is fatal */
	bool drop_privileges; /* no capability, no real-time priority, neither to be had again */
	int death_signal;     /* sent when the parent ends */
};

enum spawn_step { SPAWN_AFFINITY, SPAWN_POLICY, SPAWN_PRIVILEGES, SPAWN_PARENT, SPAWN_EXEC };

struct spawn_report {
	enum spawn_step step;
	int error;  /* errno */
	bool fatal; /* the child has ended because of it */
};

/* 0, or -errno. *report_fd is non-blocking and is read with spawn_read_report(). */
int spawn(const struct spawn_plan *plan, pid_t *pid, int *report_fd);

/* 1: a report; 0: the end, exec worked (or the child died); -EAGAIN: not yet; else -errno. */
int spawn_read_report(int report_fd, struct spawn_report *out);

/* "set CPU affinity" and so on. */
const char *spawn_step_name(enum spawn_step step);

/*
 * A program as given in the configuration: a path, or a name looked up in PATH and then in
 * /usr/sbin, /sbin. 0, or -errno: -ENOENT, -EACCES.
 */
int spawn_find_program(const char *name, char *out, size_t size);

/* environ without what speaks to our own service manager (NOTIFY_SOCKET, WATCHDOG_*). Caller frees.
 */
char **spawn_environment(void);
