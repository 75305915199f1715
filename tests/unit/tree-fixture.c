// SPDX-License-Identifier: GPL-2.0-or-later
#include "tree-fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_BYTES = 512 };

static char root[] = "/tmp/ptpmon-tree-XXXXXX";

int make_tree(void **state)
{
	(void)strcpy(root + strlen(root) - 6, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

int remove_tree(void **state)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command); /* NOLINT(cert-env33-c): a tree of our own */
}

const char *tree(void)
{
	return root;
}

static void below_root(const char *path, char out[static PATH_BYTES])
{
	(void)snprintf(out, PATH_BYTES, "%s%s", root, path);
	for (char *slash = strchr(out + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(out, 0700);
		*slash = '/';
	}
}

void plant(const char *path, const char *fmt, ...)
{
	char full[PATH_BYTES];
	va_list ap;
	FILE *f;

	below_root(path, full);
	f = fopen(full, "w");
	assert_non_null(f);
	va_start(ap, fmt);
	assert_true(vfprintf(f, fmt, ap) >= 0);
	va_end(ap);
	assert_int_equal(fclose(f), 0);
}

void plant_directory(const char *path)
{
	char full[PATH_BYTES];

	below_root(path, full);
	assert_int_equal(mkdir(full, 0700), 0);
}

void plant_link(const char *path, const char *target)
{
	char full[PATH_BYTES];

	below_root(path, full);
	assert_int_equal(symlink(target, full), 0);
}

void unplant(const char *path)
{
	char command[PATH_BYTES + 16];

	(void)snprintf(command, sizeof(command), "rm -r %s%s", root, path);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): a tree of our own */
}

static void plant_stat(const char *path, const struct planted_thread *t, int tid)
{
	/* proc(5): pid comm state, 5 numbers, flags, 4, utime stime, 4, threads, 0, start time, 16,
	 * processor, rt_priority, policy */
	plant(path,
	      "%d (%s) %c 2 0 0 0 -1 %u 0 0 0 0 3 4 0 0 20 0 %d 0 %d 0 0 18446744073709551615 "
	      "0 0 0 0 0 0 0 2147483647 0 0 0 0 17 %d %d %d 0 0 0 0 0 0 0 0 0 0 0\n",
	      tid, t->name, t->state ? t->state : 'S', t->kernel ? 69238848U : 4194560U,
	      t->threads ? t->threads : 1, t->started ? t->started : 24, t->last_cpu, t->priority,
	      t->policy);
}

void plant_thread(const struct planted_thread *t)
{
	int tid = t->tid ? t->tid : t->pid;
	char path[PATH_BYTES];

	if (tid == t->pid) {
		(void)snprintf(path, sizeof(path), "/proc/%d/stat", t->pid);
		plant_stat(path, t, tid);
	}
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", t->pid, tid);
	plant_stat(path, t, tid);
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", t->pid, tid);
	plant(path, "Name:\t%s\nCpus_allowed:\t3\nCpus_allowed_list:\t%s\nMems_allowed:\t1\n",
	      t->name, t->cpus ? t->cpus : "0-1");
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", t->pid, tid);
	plant(path, "%lld %lld 7\n", t->run_ns, t->wait_ns);
}
