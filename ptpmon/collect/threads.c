/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/threads.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"

enum { STATUS_MAX = 4096, SCHEDSTAT_MAX = 96 };

struct list {
	struct audit_thread *threads;
	size_t n, size;
	int64_t mono_ns; /* when its scan began */
};

struct thread_scan {
	char root[PATH_MAX / 2];
	DIR *processes; /* NULL between scans */
	int32_t subjects[THREAD_SCAN_SUBJECTS_MAX];
	size_t n_subjects;
	bool kernel_seen;
	int64_t cost_ns; /* CPU time of this scan so far */
	struct list now, before;
};

int thread_scan_new(struct thread_scan **out, const char *root)
{
	struct thread_scan *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	(void)snprintf(s->root, sizeof(s->root), "%s", root);
	*out = s;
	return 0;
}

struct thread_scan *thread_scan_free(struct thread_scan *s)
{
	if (!s)
		return NULL;
	closedirp(&s->processes);
	free(s->now.threads);
	free(s->before.threads);
	free(s);
	return NULL;
}

int thread_scan_begin(struct thread_scan *s, const int32_t *subjects, size_t n, int64_t now_mono_ns)
{
	struct list recycled = s->before;
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/proc", s->root);
	if (!s->processes) { /* else it was not finished, and the one before still is */
		s->before = s->now;
		s->now = recycled;
	}
	closedirp(&s->processes);
	s->now.n = 0;
	s->now.mono_ns = now_mono_ns;
	s->n_subjects = n < THREAD_SCAN_SUBJECTS_MAX ? n : THREAD_SCAN_SUBJECTS_MAX;
	for (size_t i = 0; i < s->n_subjects; i++)
		s->subjects[i] = subjects[i];
	s->kernel_seen = false;
	s->cost_ns = 0;
	s->processes = opendir(path);
	return s->processes ? 0 : -errno;
}

bool thread_scan_runs(const struct thread_scan *s)
{
	return s->processes;
}

static struct audit_thread *append(struct list *l)
{
	size_t size = l->size ? 2 * l->size : 64;
	struct audit_thread *threads;

	if (l->n == l->size) {
		threads = realloc(l->threads, size * sizeof(*threads));
		if (!threads)
			return NULL;
		l->threads = threads;
		l->size = size;
	}
	return &l->threads[l->n++];
}

static void read_cpus(const struct thread_scan *s, struct audit_thread *t)
{
	char text[STATUS_MAX];
	char list[CPULIST_TEXT_MAX];
	const char *at;

	(void)procstat_text(s->root, text, sizeof(text), "/proc/%d/task/%d/status", t->pid, t->tid);
	at = procstat_value(text, "Cpus_allowed_list");
	if (!at)
		return;
	(void)snprintf(list, sizeof(list), "%.*s", (int)strcspn(at, "\n"), at);
	(void)cpulist_parse(list, &t->cpus);
}

/* Nothing is known of a kernel without CONFIG_SCHED_INFO: then nobody waits. */
static void read_times(const struct thread_scan *s, struct audit_thread *t)
{
	char text[SCHEDSTAT_MAX];

	if (procstat_text(s->root, text, sizeof(text), "/proc/%d/task/%d/schedstat", t->pid,
			  t->tid) > 0)
		(void)sscanf(text, "%" SCNd64 " %" SCNd64, &t->run_ns, &t->wait_ns);
}

static bool is_subject(const struct thread_scan *s, pid_t tid)
{
	for (size_t i = 0; i < s->n_subjects; i++)
		if (s->subjects[i] == tid)
			return true;
	return false;
}

static int keep(struct thread_scan *s, pid_t pid, const struct procstat *stat, const char *program)
{
	struct audit_thread *t;

	if (!audit_concerns(stat) && !is_subject(s, stat->tid))
		return 0;
	t = append(&s->now);
	if (!t)
		return -ENOMEM;
	*t = (struct audit_thread){
		.pid = pid,
		.tid = stat->tid,
		.started_ticks = stat->started_ticks,
		.kernel = stat->kernel,
		.state = stat->state,
		.policy = stat->policy,
		.priority = stat->rt_priority,
		.last_cpu = stat->last_cpu,
	};
	(void)snprintf(t->name, sizeof(t->name), "%s", stat->name);
	(void)snprintf(t->program, sizeof(t->program), "%s", program);
	read_cpus(s, t);
	read_times(s, t);
	return 0;
}

static int visit_threads(struct thread_scan *s, const struct procstat *process)
{
	CLEANUP(closedirp) DIR *tasks = NULL;
	char path[PATH_MAX];
	int r = 0;

	(void)snprintf(path, sizeof(path), "%s/proc/%d/task", s->root, (int)process->tid);
	tasks = opendir(path);
	for (struct dirent *e = tasks ? readdir(tasks) : NULL; e && r == 0; e = readdir(tasks)) {
		pid_t tid = isdigit((unsigned char)e->d_name[0]) ? (pid_t)atoi(e->d_name) : 0;
		struct procstat stat;

		if (tid && procstat_read(s->root, process->tid, tid, &stat) == 0)
			r = keep(s, process->tid, &stat, process->name);
	}
	return r;
}

static int visit(struct thread_scan *s, pid_t pid)
{
	struct procstat process;

	if (procstat_read(s->root, pid, 0, &process) < 0)
		return 0; /* it has just ended, or it is hidden from us */
	s->kernel_seen |= process.kernel;
	if (process.threads > 1)
		return visit_threads(s, &process);
	return keep(s, pid, &process, process.name);
}

int thread_scan_step(struct thread_scan *s, size_t processes)
{
	int64_t began_ns = nsec_now(CLOCK_THREAD_CPUTIME_ID);
	int r = 0;

	while (s->processes && processes > 0 && r == 0) {
		struct dirent *e = readdir(s->processes);

		if (!e)
			closedirp(&s->processes);
		else if (isdigit((unsigned char)e->d_name[0]) && processes--)
			r = visit(s, (pid_t)atoi(e->d_name));
	}
	s->cost_ns += nsec_now(CLOCK_THREAD_CPUTIME_ID) - began_ns;
	return r < 0 ? r : !s->processes;
}

const struct audit_thread *thread_scan_threads(const struct thread_scan *s, size_t *n)
{
	*n = s->now.n;
	return s->now.threads;
}

void thread_scan_judge(const struct thread_scan *s, const struct audit_context *context,
		       int64_t now_mono_ns, struct audit *out)
{
	struct audit_context c = *context;

	c.subject_tids = s->subjects;
	c.n_subjects = s->n_subjects;
	c.before = s->before.threads;
	c.n_before = s->before.n;
	c.elapsed_ns = s->before.mono_ns ? s->now.mono_ns - s->before.mono_ns : 0;
	audit_judge(&c, s->now.threads, s->now.n, out);
	out->mono_ns = now_mono_ns;
	out->cost_ns = s->cost_ns;
	if (!s->kernel_seen)
		(void)snprintf(out->problem, sizeof(out->problem),
			       "kernel threads and other users' are hidden here (hidepid, "
			       "ProtectProc=, or a PID namespace): the audit sees only its own");
}
