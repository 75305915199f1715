/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/audit.h: who may keep ptp4l from its CPU.
 *
 * Pure rules over a list of threads: whatever may run on the subject's CPUs at a priority above
 * its own, the port's own kernel threads and the pooled ones, and kernel workers that a busy
 * real-time thread keeps waiting. Nothing here changes a thread.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/base/cpulist.h"
#include "ptpmon/base/procstat.h"

enum { AUDIT_FINDINGS_MAX = 32, AUDIT_CPUS_MAX = 64, AUDIT_TEXT_MAX = 160, AUDIT_LINE_MAX = 256 };

/* A thread as it is seen in one scan. */
struct audit_thread {
	int32_t pid, tid;
	uint64_t started_ticks;
	char name[PROCSTAT_NAME_MAX];
	char program[PROCSTAT_NAME_MAX]; /* the name of its process */
	bool kernel;
	char state;
	int policy, priority; /* SCHED_…, its real-time priority */
	int last_cpu;
	struct cpulist cpus;     /* where it may run */
	int64_t run_ns, wait_ns; /* on a CPU, and ready without one, since it began */
};

/* In the order of their weight. */
enum audit_kind {
	AUDIT_ABOVE,   /* somebody else's, above the subject */
	AUDIT_STARVED, /* a kernel worker that a real-time thread keeps waiting */
	AUDIT_PORT,    /* serves the port's interrupts, packets or clock, at whatever priority */
	AUDIT_OURS,    /* our own, above the subject: the sampler */
	AUDIT_KERNEL,  /* the kernel's own, above the subject: text explains it */
	AUDIT_POOLED,  /* ksoftirqd of one of its CPUs: serves everybody, is never set */
	AUDIT_KIND_MAX
};

struct audit_finding {
	enum audit_kind kind;
	char name[PROCSTAT_NAME_MAX];
	int64_t pid, tid;
	char policy[16]; /* "SCHED_FIFO" */
	int64_t priority;
	char cpus[AUDIT_CPUS_MAX]; /* where it may run */
	int64_t last_cpu;
	char text[AUDIT_TEXT_MAX]; /* what it is, or what keeps it waiting; or "" */
};

struct audit {
	int64_t mono_ns;  /* when the scan ended; 0: never yet */
	int64_t cost_ns;  /* CPU time of that scan */
	uint64_t threads; /* looked at */
	/* the subjects: ptp4l's main threads, as they were then */
	char subject[64];
	uint64_t subjects; /* how many; 0: none runs */
	char policy[16];   /* the lowest of them */
	int64_t priority;
	char cpus[AUDIT_CPUS_MAX];    /* of all of them */
	char problem[AUDIT_TEXT_MAX]; /* the scan is not complete because …, or "" */
	uint64_t more;                /* findings beyond those listed */
	size_t n_findings;
	struct audit_finding findings[AUDIT_FINDINGS_MAX];
};

/* What is known beside the threads. */
struct audit_context {
	const char *subject; /* how they are called: "ptp4l" */
	const int32_t *subject_tids;
	size_t n_subjects;
	const int32_t *our_pids; /* processes of this service */
	size_t n_our_pids;
	const int32_t *port_tids; /* kernel threads that serve its port */
	size_t n_port_tids;
	/* the scan before and the time since, for what went on between; NULL and 0 at first */
	const struct audit_thread *before;
	size_t n_before;
	int64_t elapsed_ns;
};

/* The threads must hold the subjects; without any *out says only that there is none. */
void audit_judge(const struct audit_context *context, const struct audit_thread *threads, size_t n,
		 struct audit *out);

/* Might it be of interest: is it real-time, a kernel worker, ksoftirqd, or of a kind
 * that serves a port? */
bool audit_concerns(const struct procstat *s);

/* "above", "starved", "port", "ours", "kernel", "pooled" */
const char *audit_kind_name(enum audit_kind kind);

/* How many findings of that kind are listed. */
size_t audit_count(const struct audit *a, enum audit_kind kind);

/* Somebody else's thread is above, or a worker starved. */
bool audit_has_trouble(const struct audit *a);

/*
 * The findings of that kind are those of another audit: nothing to tell anew. A program that was
 * started again, or runs on another of its CPUs at the moment, is the same.
 */
bool audit_same(const struct audit *a, const struct audit *b, enum audit_kind kind);

/* "above ptp4l (SCHED_FIFO 70, CPUs 1): busy/4711 SCHED_FIFO 99 on CPU 1; 2 more", or that nothing
 * is. */
const char *audit_describe(const struct audit *a, char out[static AUDIT_LINE_MAX]);
