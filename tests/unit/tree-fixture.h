/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small copy of a machine's /proc and /sys below a directory of its own. */
#pragma once
#include <stddef.h>

/* Makes the directory; remove_tree() removes it with all that was planted. For cmocka's fixtures.
 */
int make_tree(void **state);
int remove_tree(void **state);

/* Where it is; "" as a root is the machine itself. */
const char *tree(void);

/* A file with that text, its directories with it. */
__attribute__((format(printf, 2, 3))) void plant(const char *path, const char *fmt, ...);

/* An empty directory; a symbolic link. */
void plant_directory(const char *path);
void plant_link(const char *path, const char *target);
void unplant(const char *path);

/* One thread: its stat, status and schedstat files. */
struct planted_thread {
	int pid, tid; /* tid 0: the process's only thread */
	const char *name;
	int kernel;
	char state; /* 0: 'S' */
	int policy, priority, last_cpu;
	const char *cpus; /* NULL: "0-1" */
	long long run_ns, wait_ns;
	int threads; /* 0: 1 */
	int started; /* 0: 24 */
};

void plant_thread(const struct planted_thread *t);
