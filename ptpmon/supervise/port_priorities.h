/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/supervise/port_priorities.h: the priorities of a port's kernel threads, set, read back,
 * and given back.
 *
 * What each thread had is remembered, in a file too: a service that was killed leaves it to the
 * next one, which then gives back what the threads had before the first. A thread that somebody
 * else changes meanwhile is told of once and is no longer ours: neither set again nor given back.
 * New threads (an interface that came back) are set as soon as they are seen.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/model/event.h"
#include "ptpmon/supervise/port_threads.h"

struct port_priorities;

/* How threads are found and changed; for a test, a kernel of its own. */
struct port_priorities_ops {
	const char *root; /* of port_threads_find() */
	/* 0, or -errno: -ESRCH if it has ended */
	int (*get)(void *userdata, pid_t tid, int *policy, int *priority);
	int (*set)(void *userdata, pid_t tid, int policy, int priority);
	/* The ports, as they are now. How many. */
	size_t (*ports)(void *userdata, struct port_name out[static PORT_THREADS_PORTS_MAX]);
	/* What happened, in one line; subject is a thread or a port. */
	void (*tell)(void *userdata, enum event_code code, const char *subject, const char *text);
	void *userdata;
};

/* The kernel's own calls, for .get and .set. */
int port_priorities_get(void *userdata, pid_t tid, int *policy, int *priority);
int port_priorities_set(void *userdata, pid_t tid, int policy, int priority);

/* What is asked for: a SCHED_FIFO priority for each kind, 0 leaves (or gives) them as they were. */
struct port_priorities_wish {
	int64_t priority[PORT_THREAD_KIND_MAX];
};

/*
 * memory is the path of the file; what a killed service left in it is taken over. ops must outlive
 * the result. 0, or -ENOMEM.
 */
int port_priorities_new(struct port_priorities **out, const struct port_priorities_ops *ops,
			const char *memory);

/* Forgets, without giving anything back: port_priorities_restore() does that. */
struct port_priorities *port_priorities_free(struct port_priorities *p);

/*
 * From now on. Sets what is found, and gives back what is no longer wanted. 0, or -EPERM and the
 * like if a thread that is there was refused, which was told.
 */
int port_priorities_want(struct port_priorities *p, const struct port_priorities_wish *wish);

/* Reads them back, and looks for new ones; every few seconds. Cheap while nothing is wanted. */
void port_priorities_check(struct port_priorities *p);

/* New threads are likely: they are looked for at each of the next checks. */
void port_priorities_look(struct port_priorities *p);

/* Gives everything back and removes the file. */
void port_priorities_restore(struct port_priorities *p);
