/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/supervise/schedule.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"

enum { MASK_BYTES = CPULIST_MAX / CHAR_BIT, MASK_LONGS = MASK_BYTES / sizeof(unsigned long) };

int schedule_set_affinity(const struct schedule *s)
{
	unsigned long mask[MASK_LONGS];

	if (!s->pinned)
		return 0;
	cpulist_to_mask(&s->cpus, mask, sizeof(mask));
	return syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask) < 0 ? -errno : 0;
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

static bool has_cap_sys_nice(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	return syscall(SYS_capget, &header, data) == 0 &&
	       (data[CAP_SYS_NICE / 32].effective >> CAP_SYS_NICE % 32 & 1);
}

/* The path of our cgroup in version 1's cpu controller, "" if there is none. */
static void cpu_cgroup(char *out, size_t size)
{
	CLEANUP(fclosep) FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX];

	out[0] = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		for (char *c = strtok(controllers + 1, ","); c; c = strtok(NULL, ","))
			if (strcmp(c, "cpu") == 0)
				(void)snprintf(out, size, "%s", path);
	}
}

/* RT group scheduling gives our cgroup no time at all? file is then what to write to. */
static bool no_group_budget(char *file, size_t size)
{
	CLEANUP(fclosep) FILE *f = NULL;
	char path[100];
	long long runtime_us = -1;

	cpu_cgroup(path, sizeof(path));
	if (!*path)
		return false;
	(void)snprintf(file, size, "/sys/fs/cgroup/cpu%s/cpu.rt_runtime_us",
		       strcmp(path, "/") == 0 ? "" : path);
	f = fopen(file, "re");
	return f && fscanf(f, "%lld", &runtime_us) == 1 && runtime_us == 0;
}

void schedule_explain_refusal(int error, char why[static SCHEDULE_WHY_MAX])
{
	char file[160];
	struct rlimit limit = {0};

	if (error != EPERM)
		(void)snprintf(why, SCHEDULE_WHY_MAX, "%s", strerror(error));
	else if (no_group_budget(file, sizeof(file)))
		(void)snprintf(why, SCHEDULE_WHY_MAX,
			       "RT group scheduling gives this cgroup no real-time time: write "
			       "950000 to %s",
			       file);
	else if (has_cap_sys_nice())
		(void)snprintf(why, SCHEDULE_WHY_MAX, "refused in spite of CAP_SYS_NICE");
	else if (getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur == 0)
		(void)snprintf(why, SCHEDULE_WHY_MAX,
			       "no CAP_SYS_NICE, and RLIMIT_RTPRIO is 0: run as root, or with "
			       "AmbientCapabilities=CAP_SYS_NICE");
	else
		(void)snprintf(why, SCHEDULE_WHY_MAX,
			       "no CAP_SYS_NICE, and RLIMIT_RTPRIO allows priority %llu at most",
			       (unsigned long long)limit.rlim_cur);
}

/* Adds what differs in one thread to why; true if something does. */
static bool differs(pid_t tid, const struct schedule *is, const struct schedule *asked,
		    int set_error, char *why)
{
	char is_cpus[CPULIST_TEXT_MAX];
	char asked_cpus[CPULIST_TEXT_MAX];
	int n;

	if (is->policy != asked->policy || is->priority != asked->priority) {
		n = snprintf(why, SCHEDULE_WHY_MAX, "thread %d runs %s %d, asked %s %d: ", (int)tid,
			     schedule_policy_name(is->policy), is->priority,
			     schedule_policy_name(asked->policy), asked->priority);
		if (set_error && n < SCHEDULE_WHY_MAX) {
			char cause[SCHEDULE_WHY_MAX];

			schedule_explain_refusal(set_error, cause);
			(void)snprintf(why + n, (size_t)(SCHEDULE_WHY_MAX - n), "%s", cause);
		} else if (n < SCHEDULE_WHY_MAX) {
			(void)snprintf(why + n, (size_t)(SCHEDULE_WHY_MAX - n),
				       "changed by the program itself or by someone else");
		}
		return true;
	}
	if (asked->pinned && !cpulist_equal(&is->cpus, &asked->cpus)) {
		(void)snprintf(why, SCHEDULE_WHY_MAX,
			       "thread %d runs on CPUs %.60s, asked %.60s: the others are absent, "
			       "offline or not in this cpuset",
			       (int)tid, cpulist_format(&is->cpus, is_cpus),
			       cpulist_format(&asked->cpus, asked_cpus));
		return true;
	}
	return false;
}

static void closedirp(DIR **d)
{
	if (*d)
		(void)closedir(*d);
}

int schedule_verify(pid_t pid, const struct schedule *asked, int set_error, struct schedule *out,
		    char why[static SCHEDULE_WHY_MAX])
{
	CLEANUP(closedirp) DIR *tasks = NULL;
	struct schedule main_thread;
	char path[64];
	int r = schedule_read(pid, &main_thread);

	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return -errno;
	*out = main_thread;
	for (struct dirent *e = readdir(tasks); e; e = readdir(tasks)) {
		pid_t tid = isdigit((unsigned char)e->d_name[0]) ? (pid_t)atoi(e->d_name) : 0;
		struct schedule is;

		if (tid && schedule_read(tid, &is) == 0 && differs(tid, &is, asked, set_error, why))
			return 1;
	}
	return 0;
}
