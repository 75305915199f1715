/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/supervise/schedule.h: real-time schedules: asked for, read back from the kernel, compared.
 *
 * That a call to set a priority returned says little; what the kernel answers afterwards is the
 * proof.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ptpmon/base/cpulist.h"

struct schedule {
	int policy;   /* SCHED_FIFO, SCHED_OTHER …, without SCHED_RESET_ON_FORK */
	int priority; /* 0 for SCHED_OTHER */
	bool pinned;  /* cpus is asked for; if not, any are right */
	struct cpulist cpus;
};

enum { SCHEDULE_WHY_MAX = 256 };

#define SCHEDULE_NO_LIMIT INT64_C(-1)

/* What the kernel says of a whole process. */
struct schedule_proof {
	struct schedule main_thread;
	unsigned threads;         /* how many it has */
	unsigned matching;        /* how many of them are as asked */
	struct cpulist cpus;      /* where those that match may run, together */
	int64_t locked_bytes;     /* memory that cannot be paged out (VmLck) */
	int64_t lock_limit_bytes; /* RLIMIT_MEMLOCK, or SCHEDULE_NO_LIMIT */
};

/*
 * Async-signal-safe, for between fork and exec: 0 or -errno. -EINVAL if not all of the CPUs can be
 * had, of which the kernel drops some without a word.
 */
int schedule_set_affinity(const struct schedule *s);
int schedule_set_policy(const struct schedule *s);

/*
 * Whether a process of ours may have this schedule: a child tries it and ends. 0, or -errno.
 * Blocks for as long as a fork takes: only for before the event loop.
 */
int schedule_try(const struct schedule *s);

/* What the kernel says of one thread. 0, or -errno (-ESRCH: it is gone). */
int schedule_read(pid_t tid, struct schedule *out);

/*
 * Each thread of a process against what was asked. 0 if all match, 1 if one does not (why says
 * which, how, and the cause as far as it can be told from the error that setting it ended with, 0
 * if none), or -errno. *out is filled in unless that is negative.
 */
int schedule_verify(pid_t pid, const struct schedule *asked, int set_error,
		    struct schedule_proof *out, char why[static SCHEDULE_WHY_MAX]);

/*
 * The same for a process that schedules some of its threads itself: 0 if at least so many workers
 * are as asked, each on a CPU of its own.
 */
int schedule_verify_workers(pid_t pid, const struct schedule *asked, unsigned workers,
			    struct schedule_proof *out, char why[static SCHEDULE_WHY_MAX]);

/* Why a schedule was refused with this errno, and what to do about it. */
void schedule_explain(const struct schedule *asked, int error, char why[static SCHEDULE_WHY_MAX]);

/* "SCHED_FIFO" and so on. */
const char *schedule_policy_name(int policy);
