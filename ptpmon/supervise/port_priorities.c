/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/supervise/port_priorities.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/supervise/refusal.h"
#include "ptpmon/supervise/schedule.h"

enum {
	TEXT_MAX = 400,
	LOOK_AGAIN = 6,  /* checks between two searches for new threads */
	LOOK_CLOSE = 30, /* checks after one has ended: its successor is looked for at each */
};

/* A thread that was touched. */
struct kept {
	struct port_thread thread; /* its policy and priority: what it had before */
	int64_t set;               /* SCHED_FIFO priority; 0: it was refused */
	bool lost;                 /* somebody else changed it since */
};

struct port_priorities {
	const struct port_priorities_ops *ops;
	char memory[PATH_MAX];
	struct port_priorities_wish wish;
	size_t n_ports;
	struct port_name ports[PORT_THREADS_PORTS_MAX];
	size_t n_kept;
	struct kept kept[PORT_THREADS_MAX];
	struct port_thread found[PORT_THREADS_MAX];
	bool absence_told[PORT_THREAD_KIND_MAX];
	bool changed; /* since the file was written */
	unsigned checks, look_close;
};

int port_priorities_get(void *userdata, pid_t tid, int *policy, int *priority)
{
	struct schedule s;
	int r = schedule_read(tid, &s);

	if (r < 0)
		return r;
	*policy = s.policy;
	*priority = s.priority;
	return 0;
}

int port_priorities_set(void *userdata, pid_t tid, int policy, int priority)
{
	const struct sched_param p = {.sched_priority = priority};

	return sched_setscheduler(tid, policy, &p) < 0 ? -errno : 0;
}

__attribute__((format(printf, 4, 5))) static void tell(const struct port_priorities *p,
						       enum event_code code, const char *subject,
						       const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	p->ops->tell(p->ops->userdata, code, subject, text);
}

/* -- memory ------------------------------------------------------------------------------ */

/* One line a thread: TID STARTED POLICY PRIORITY SET KIND NAME. A half-written file is never seen.
 */
static void remember(struct port_priorities *p)
{
	char path[PATH_MAX + 8];
	FILE *f;
	bool ok = true;

	if (!p->changed)
		return;
	p->changed = false;
	if (!p->n_kept) {
		(void)unlink(p->memory);
		return;
	}
	(void)snprintf(path, sizeof(path), "%s.new", p->memory);
	f = fopen(path, "we");
	if (!f)
		return; /* the directory is gone: nothing to be done about it here */
	for (size_t i = 0; i < p->n_kept; i++) {
		const struct kept *k = &p->kept[i];

		if (k->set && !k->lost)
			ok &= fprintf(f, "%d %" PRIu64 " %d %d %" PRId64 " %d %s\n",
				      (int)k->thread.tid, k->thread.started_ticks, k->thread.policy,
				      k->thread.priority, k->set, (int)k->thread.kind,
				      k->thread.name) > 0;
	}
	ok &= fclose(f) == 0;
	if (!ok || rename(path, p->memory) < 0)
		(void)unlink(path);
}

static bool parse_line(const char *line, struct kept *out)
{
	struct kept k = {0};
	int tid;
	int kind;

	if (sscanf(line, "%d %" SCNu64 " %d %d %" SCNd64 " %d %63s", &tid, &k.thread.started_ticks,
		   &k.thread.policy, &k.thread.priority, &k.set, &kind, k.thread.name) != 7)
		return false;
	k.thread.tid = tid;
	k.thread.kind = (enum port_thread_kind)kind;
	*out = k;
	return tid > 0 && kind >= 0 && kind < PORT_THREAD_KIND_MAX && k.set > 0 && k.set < 100 &&
	       k.thread.priority >= 0 && k.thread.priority < 100;
}

/* Is it that very thread, and still as it was left? */
static bool is_as_left(const struct port_priorities *p, const struct kept *k)
{
	struct procstat s;
	int policy;
	int priority;

	return procstat_read(p->ops->root, k->thread.tid, 0, &s) == 0 && s.kernel &&
	       s.started_ticks == k->thread.started_ticks && strcmp(s.name, k->thread.name) == 0 &&
	       p->ops->get(p->ops->userdata, k->thread.tid, &policy, &priority) == 0 &&
	       policy == SCHED_FIFO && priority == k->set;
}

static void recall(struct port_priorities *p)
{
	CLEANUP(fclosep) FILE *f = fopen(p->memory, "re");
	char line[256];

	while (f && p->n_kept < PORT_THREADS_MAX && fgets(line, sizeof(line), f)) {
		struct kept *k = &p->kept[p->n_kept];

		if (parse_line(line, k) && is_as_left(p, k))
			p->n_kept++;
	}
}

int port_priorities_new(struct port_priorities **out, const struct port_priorities_ops *ops,
			const char *memory)
{
	struct port_priorities *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->ops = ops;
	p->changed = true; /* what it holds may be true no more */
	(void)snprintf(p->memory, sizeof(p->memory), "%s", memory);
	recall(p);
	*out = p;
	return 0;
}

struct port_priorities *port_priorities_free(struct port_priorities *p)
{
	free(p);
	return NULL;
}

/* -- one thread -------------------------------------------------------------------------- */

static struct kept *kept_of(struct port_priorities *p, const struct port_thread *t)
{
	for (size_t i = 0; i < p->n_kept; i++)
		if (p->kept[i].thread.tid == t->tid &&
		    p->kept[i].thread.started_ticks == t->started_ticks)
			return &p->kept[i];
	return NULL;
}

static void forget(struct port_priorities *p, size_t i)
{
	p->kept[i] = p->kept[--p->n_kept];
	p->changed = true;
}

/* Sets it and believes only what is read back. 0, or -errno. */
static int set_and_read(const struct port_priorities *p, pid_t tid, int policy, int priority)
{
	int is_policy;
	int is_priority;
	int r = p->ops->set(p->ops->userdata, tid, policy, priority);

	if (r == 0)
		r = p->ops->get(p->ops->userdata, tid, &is_policy, &is_priority);
	if (r == 0 && (is_policy != policy || is_priority != priority))
		r = -EREMOTEIO;
	return r;
}

static void tell_refused(const struct port_priorities *p, const struct port_thread *t,
			 int64_t priority, int error)
{
	struct refusal_facts facts;
	char why[REFUSAL_WHY_MAX];

	refusal_read(&facts, p->ops->root);
	if (error == EPERM && !facts.cap_sys_nice) /* RLIMIT_RTPRIO is for our own threads only */
		(void)snprintf(why, sizeof(why),
			       "no CAP_SYS_NICE, which threads of the kernel take: run as root, or "
			       "with AmbientCapabilities=CAP_SYS_NICE");
	else
		refusal_explain_priority(&facts, error, (int)priority, why);
	tell(p, EVENT_PORT_THREADS_REFUSED, t->name,
	     "%s: stays at %s %d, asked SCHED_FIFO %" PRId64 ": %s", t->name,
	     schedule_policy_name(t->policy), t->priority, priority,
	     error == EREMOTEIO ? "something else is read back than was set" : why);
}

/* 1: it was set now; 0: it was already so, or is not ours any more; or -errno. */
static int apply(struct port_priorities *p, const struct port_thread *t)
{
	int64_t priority = p->wish.priority[t->kind];
	struct kept *k = kept_of(p, t);
	bool was_refused = k && !k->set;
	int r;

	if (k && (k->lost || k->set == priority))
		return 0;
	if (!k && p->n_kept == PORT_THREADS_MAX)
		return 0;
	r = set_and_read(p, t->tid, SCHED_FIFO, (int)priority);
	if (r == -ESRCH)
		return 0;
	if (!k) {
		k = &p->kept[p->n_kept++];
		*k = (struct kept){.thread = *t};
	}
	k->set = r < 0 ? 0 : priority;
	p->changed |= r == 0;
	if (r < 0 && !was_refused)
		tell_refused(p, t, priority, -r);
	return r < 0 ? r : 1;
}

/* Gives one back, if it is as we left it. False if somebody else has changed it. */
static bool give_back(const struct port_priorities *p, const struct kept *k)
{
	int policy;
	int priority;

	if (!k->set || k->lost)
		return false;
	if (p->ops->get(p->ops->userdata, k->thread.tid, &policy, &priority) < 0 ||
	    policy != SCHED_FIFO || priority != k->set)
		return false;
	return set_and_read(p, k->thread.tid, k->thread.policy, k->thread.priority) == 0;
}

/* -- all of them ------------------------------------------------------------------------- */

static bool is_wanted(const struct port_priorities *p, enum port_thread_kind kind)
{
	return p->wish.priority[kind] > 0;
}

static void tell_set(const struct port_priorities *p, enum port_thread_kind kind, size_t n,
		     const struct port_thread *first)
{
	char others[32] = "";

	if (n > 1)
		(void)snprintf(others, sizeof(others), " and %zu more", n - 1);
	tell(p, EVENT_PORT_THREADS_SET, first->name,
	     "%s (was %s %d)%s: SCHED_FIFO %" PRId64 ", as read back", first->name,
	     schedule_policy_name(first->policy), first->priority, others, p->wish.priority[kind]);
}

static void tell_absent(struct port_priorities *p, enum port_thread_kind kind, bool found)
{
	if (found || !is_wanted(p, kind)) {
		p->absence_told[kind] = false;
		return;
	}
	if (!p->absence_told[kind] && p->n_ports)
		tell(p, EVENT_PORT_THREADS_ABSENT, p->ports[0].interface,
		     "%s: %s_priority has nothing to set: %s", p->ports[0].interface,
		     port_thread_kind_name(kind), port_thread_kind_absence(kind));
	p->absence_told[kind] = true;
}

/* Sets what was found of one kind. 0, or the first refusal. */
static int apply_kind(struct port_priorities *p, enum port_thread_kind kind, size_t n_found)
{
	struct port_thread first = {0};
	bool found = false;
	size_t n_set = 0;
	int refused = 0;

	for (size_t i = 0; i < n_found; i++) {
		int r;

		if (p->found[i].kind != kind)
			continue;
		found = true;
		r = is_wanted(p, kind) ? apply(p, &p->found[i]) : 0;
		if (r > 0 && n_set++ == 0)
			first = kept_of(p, &p->found[i])->thread;
		if (r < 0 && !refused)
			refused = r;
	}
	if (n_set)
		tell_set(p, kind, n_set, &first);
	tell_absent(p, kind, found);
	return refused;
}

static int apply_all(struct port_priorities *p)
{
	int refused = 0;
	ssize_t n;

	p->n_ports = p->ops->ports(p->ops->userdata, p->ports);
	n = port_threads_find(p->ops->root, p->ports, p->n_ports, p->found, PORT_THREADS_MAX);

	for (enum port_thread_kind kind = 0; kind < PORT_THREAD_KIND_MAX; kind++) {
		int r = apply_kind(p, kind, n < 0 ? 0 : (size_t)n);

		refused = refused ? refused : r;
	}
	remember(p);
	return refused;
}

/* Gives back what is not (all: whatever is) wanted; tells of it once. */
static void give_back_unwanted(struct port_priorities *p, bool all)
{
	char first[PROCSTAT_NAME_MAX] = "";
	size_t n = 0;

	for (size_t i = p->n_kept; i-- > 0;) {
		if (!all && is_wanted(p, p->kept[i].thread.kind))
			continue;
		if (give_back(p, &p->kept[i]) && n++ == 0)
			(void)strcpy(first, p->kept[i].thread.name);
		forget(p, i);
	}
	if (n == 1)
		tell(p, EVENT_PORT_THREADS_RESTORED, first, "%s: has its priority back", first);
	else if (n)
		tell(p, EVENT_PORT_THREADS_RESTORED, first,
		     "%s and %zu more: have their priorities back", first, n - 1);
}

static bool wants_any(const struct port_priorities *p)
{
	for (enum port_thread_kind kind = 0; kind < PORT_THREAD_KIND_MAX; kind++)
		if (is_wanted(p, kind))
			return true;
	return false;
}

int port_priorities_want(struct port_priorities *p, const struct port_priorities_wish *wish)
{
	for (enum port_thread_kind kind = 0; kind < PORT_THREAD_KIND_MAX; kind++)
		if (p->wish.priority[kind] != wish->priority[kind])
			p->absence_told[kind] = false;
	p->wish = *wish;
	give_back_unwanted(p, false);
	if (wants_any(p))
		return apply_all(p);
	remember(p);
	return 0;
}

/* Gone, or changed by somebody else? */
static void check_one(struct port_priorities *p, size_t i)
{
	struct kept *k = &p->kept[i];
	int policy;
	int priority;

	if (p->ops->get(p->ops->userdata, k->thread.tid, &policy, &priority) < 0) {
		p->look_close = LOOK_CLOSE;
		forget(p, i);
		return;
	}
	if (k->lost || !k->set || (policy == SCHED_FIFO && priority == k->set))
		return;
	k->lost = p->changed = true;
	tell(p, EVENT_PORT_THREADS_CHANGED, k->thread.name,
	     "%s: runs %s %d, was set to SCHED_FIFO %" PRId64
	     ": somebody else has changed it, and it is left so",
	     k->thread.name, schedule_policy_name(policy), priority, k->set);
}

void port_priorities_check(struct port_priorities *p)
{
	if (!wants_any(p))
		return;
	for (size_t i = p->n_kept; i-- > 0;)
		check_one(p, i);
	if (p->look_close)
		p->look_close--;
	else if (++p->checks % LOOK_AGAIN != 0)
		return;
	(void)apply_all(p);
}

void port_priorities_look(struct port_priorities *p)
{
	p->look_close = LOOK_CLOSE;
}

void port_priorities_restore(struct port_priorities *p)
{
	give_back_unwanted(p, true);
	remember(p);
}
