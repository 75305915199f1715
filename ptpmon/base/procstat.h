/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/base/procstat.h: what the kernel says of one process or thread in /proc/PID/stat, and
 * the small texts of /proc and /sys.
 *
 * Files are read below a root directory: "" is this machine, another a copy made for a test.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROCSTAT_NAME_MAX = 64 }; /* a kernel thread's is longer than a program's 15 octets */

struct procstat {
	pid_t tid;
	char name[PROCSTAT_NAME_MAX];
	char state; /* 'R', 'S', 'D' … */
	bool kernel;
	int threads;            /* of its process */
	uint64_t run_ticks;     /* user and system time, in clock ticks */
	uint64_t started_ticks; /* since boot: with the tid it names a thread for ever */
	int last_cpu;
	int rt_priority; /* 0 for one that is not real-time */
	int policy;      /* SCHED_FIFO … */
};

/* One line of a stat file (proc(5)). 0, or -EBADMSG. *out changes only on success. */
int procstat_parse(const char *line, struct procstat *out);

/* ROOT/proc/PID/task/TID/stat; with tid 0 the process as a whole, /proc/PID/stat. 0, or -errno
 * (-ENOENT or -ESRCH: it is gone). */
int procstat_read(const char *root, pid_t pid, pid_t tid, struct procstat *out);

/* What follows "KEY:" at the beginning of a line of a status file, or NULL. */
const char *procstat_value(const char *text, const char *key);

/*
 * A whole small file, path printf'd after root, without the newline at its end. How many octets,
 * at most size - 1, or -errno; text is a string in any case.
 */
__attribute__((format(printf, 4, 5))) ssize_t procstat_text(const char *root, char *text,
							    size_t size, const char *path, ...);
