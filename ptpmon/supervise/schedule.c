/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/supervise/schedule.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/procstat.h"
#include "ptpmon/supervise/refusal.h"

enum { MASK_BYTES = CPULIST_MAX / CHAR_BIT, MASK_LONGS = MASK_BYTES / sizeof(unsigned long) };

int schedule_set_affinity(const struct schedule *s)
{
	unsigned long mask[MASK_LONGS];
	unsigned long got[MASK_LONGS] = {0};

	if (!s->pinned)
		return 0;
	cpulist_to_mask(&s->cpus, mask, sizeof(mask));
	if (syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask) < 0 ||
	    syscall(SYS_sched_getaffinity, 0, sizeof(got), got) < 0)
		return -errno;
	return memcmp(mask, got, sizeof(mask)) == 0 ? 0 : -EINVAL;
}

int schedule_set_policy(const struct schedule *s)
{
	const struct sched_param p = {.sched_priority = s->priority};

	return sched_setscheduler(0, s->policy, &p) < 0 ? -errno : 0;
}

int schedule_try(const struct schedule *s)
{
	pid_t pid = fork();
	int status;
	int r;

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		r = schedule_set_affinity(s);
		_exit(r < 0 ? -r : -schedule_set_policy(s));
	}
	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -ECHILD;
}

int schedule_read(pid_t tid, struct schedule *out)
{
	unsigned long mask[MASK_LONGS] = {0};
	struct schedule s = {.pinned = true};
	struct sched_param p;

	s.policy = sched_getscheduler(tid);
	if (s.policy < 0 || sched_getparam(tid, &p) < 0 ||
	    syscall(SYS_sched_getaffinity, tid, sizeof(mask), mask) < 0)
		return -errno;
	s.policy &= ~SCHED_RESET_ON_FORK;
	s.priority = p.sched_priority;
	cpulist_from_mask(&s.cpus, mask, sizeof(mask));
	*out = s;
	return 0;
}

const char *schedule_policy_name(int policy)
{
	switch (policy) {
	case SCHED_OTHER:
		return "SCHED_OTHER";
	case SCHED_FIFO:
		return "SCHED_FIFO";
	case SCHED_RR:
		return "SCHED_RR";
	case SCHED_BATCH:
		return "SCHED_BATCH";
	case SCHED_IDLE:
		return "SCHED_IDLE";
	default:
		return "SCHED_?";
	}
}

static void explain_cpus(const struct cpulist *cpus, char why[static SCHEDULE_WHY_MAX])
{
	struct refusal_facts facts;

	refusal_read(&facts, "");
	if (cpulist_count(cpus) == 0)
		(void)strcpy(why, "there is no such CPU here: see "
				  "/sys/devices/system/cpu/isolated");
	else
		refusal_explain_cpus(&facts, cpus, why);
}

void schedule_explain(const struct schedule *asked, int error, char why[static SCHEDULE_WHY_MAX])
{
	struct refusal_facts facts;

	why[0] = '\0';
	if (error == EINVAL && asked->pinned) /* not all of the CPUs can be had */
		explain_cpus(&asked->cpus, why);
	if (*why)
		return;
	refusal_read(&facts, "");
	refusal_explain_priority(&facts, error, asked->priority, why);
}

__attribute__((format(printf, 2, 3))) static void add(char *why, const char *fmt, ...)
{
	size_t len = strlen(why);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why + len, SCHEDULE_WHY_MAX - len, fmt, ap);
	va_end(ap);
}

static bool same_class(const struct schedule *is, const struct schedule *asked)
{
	return is->policy == asked->policy && is->priority == asked->priority;
}

/* Says what differs in one thread; false if nothing does. */
static bool differs(pid_t tid, const struct schedule *is, const struct schedule *asked,
		    int set_error, char *why)
{
	static const char someone[] = "changed by the program itself or by someone else";
	char cause[SCHEDULE_WHY_MAX] = "";
	char is_cpus[CPULIST_TEXT_MAX];
	char asked_cpus[CPULIST_TEXT_MAX];

	why[0] = '\0';
	if (!same_class(is, asked)) {
		if (set_error)
			schedule_explain(asked, set_error, cause);
		add(why, "thread %d runs %s %d, asked %s %d: %s", (int)tid,
		    schedule_policy_name(is->policy), is->priority,
		    schedule_policy_name(asked->policy), asked->priority, *cause ? cause : someone);
		return true;
	}
	if (asked->pinned && !cpulist_equal(&is->cpus, &asked->cpus)) {
		explain_cpus(&asked->cpus, cause);
		add(why, "thread %d runs on CPUs %.60s, asked %.60s: %s", (int)tid,
		    cpulist_format(&is->cpus, is_cpus),
		    *cpulist_format(&asked->cpus, asked_cpus) ? asked_cpus : "none",
		    *cause ? cause : someone);
		return true;
	}
	return false;
}

/* Calls visit for each thread until it returns true. 0, 1 if it did, or -errno. */
static int each_thread(pid_t pid,
		       bool (*visit)(void *userdata, pid_t tid, const struct schedule *is),
		       void *userdata)
{
	CLEANUP(closedirp) DIR *tasks = NULL;
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return errno == ENOENT ? -ESRCH : -errno;
	for (struct dirent *e = readdir(tasks); e; e = readdir(tasks)) {
		pid_t tid = isdigit((unsigned char)e->d_name[0]) ? (pid_t)atoi(e->d_name) : 0;
		struct schedule is;

		if (tid && schedule_read(tid, &is) == 0 && visit(userdata, tid, &is))
			return 1;
	}
	return 0;
}

static int64_t locked_bytes(pid_t pid)
{
	char text[4096];
	const char *at;

	(void)procstat_text("", text, sizeof(text), "/proc/%d/status", (int)pid);
	at = procstat_value(text, "VmLck");
	return at ? strtoll(at, NULL, 10) * 1024 : 0;
}

/* What is true of the process as a whole. 0, or -errno. */
static int read_process(pid_t pid, struct schedule_proof *out)
{
	struct rlimit limit = {0};
	int r = schedule_read(pid, &out->main_thread);

	if (r < 0)
		return r;
	out->locked_bytes = locked_bytes(pid);
	if (prlimit(pid, RLIMIT_MEMLOCK, NULL, &limit) < 0)
		return -errno;
	out->lock_limit_bytes = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT64_MAX
					? SCHEDULE_NO_LIMIT
					: (int64_t)limit.rlim_cur;
	return 0;
}

/* A process being verified. */
struct verifying {
	const struct schedule *asked;
	int set_error;
	struct schedule_proof proof;
	char *why; /* of the first thread that differs */
	bool bad;
};

static void count_match(struct verifying *v, const struct schedule *is)
{
	v->proof.matching++;
	for (size_t i = 0; i < CPULIST_WORDS; i++)
		v->proof.cpus.bits[i] |= is->cpus.bits[i];
}

static bool verify_thread(void *userdata, pid_t tid, const struct schedule *is)
{
	struct verifying *v = userdata;
	char why[SCHEDULE_WHY_MAX];

	v->proof.threads++;
	if (!differs(tid, is, v->asked, v->set_error, why)) {
		count_match(v, is);
	} else if (!v->bad) {
		v->bad = true;
		(void)strcpy(v->why, why);
	}
	return false;
}

int schedule_verify(pid_t pid, const struct schedule *asked, int set_error,
		    struct schedule_proof *out, char why[static SCHEDULE_WHY_MAX])
{
	struct verifying v = {.asked = asked, .set_error = set_error, .why = why};
	int r = read_process(pid, &v.proof);

	if (r == 0)
		r = each_thread(pid, verify_thread, &v);
	if (r < 0)
		return r;
	*out = v.proof;
	return v.bad;
}

static bool verify_worker(void *userdata, pid_t tid, const struct schedule *is)
{
	struct verifying *v = userdata;

	v->proof.threads++;
	if (same_class(is, v->asked) && cpulist_count(&is->cpus) == 1)
		count_match(v, is);
	return false;
}

int schedule_verify_workers(pid_t pid, const struct schedule *asked, unsigned workers,
			    struct schedule_proof *out, char why[static SCHEDULE_WHY_MAX])
{
	struct verifying v = {.asked = asked, .why = why};
	int r = read_process(pid, &v.proof);

	if (r == 0)
		r = each_thread(pid, verify_worker, &v);
	if (r < 0)
		return r;
	*out = v.proof;
	if (v.proof.matching >= workers && cpulist_count(&v.proof.cpus) >= workers)
		return 0;
	(void)snprintf(why, SCHEDULE_WHY_MAX,
		       "%u of %u threads run %s %d on a CPU of their own: changed by someone else, "
		       "or ended",
		       v.proof.matching, workers, schedule_policy_name(asked->policy),
		       asked->priority);
	return 1;
}
