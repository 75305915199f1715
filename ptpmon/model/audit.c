/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/audit.h"

#include <ctype.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6 /* linux/sched.h */
#endif

enum {
	STARVED_PERCENT = 10, /* of the time a worker waited to be told of */
	CULPRIT_PERCENT = 10, /* of the time a thread ran to be the cause */
	DEADLINE_RANK = 1000, /* above every SCHED_FIFO */
};

const char *audit_kind_name(enum audit_kind kind)
{
	static const char *const names[AUDIT_KIND_MAX] = {
		[AUDIT_ABOVE] = "above", [AUDIT_STARVED] = "starved", [AUDIT_PORT] = "port",
		[AUDIT_OURS] = "ours",   [AUDIT_KERNEL] = "kernel",   [AUDIT_POOLED] = "pooled",
	};

	return names[kind];
}

static const char *policy_name(int policy)
{
	static const struct {
		int policy;
		const char *name;
	} names[] = {
		{SCHED_OTHER, "SCHED_OTHER"}, {SCHED_FIFO, "SCHED_FIFO"},
		{SCHED_RR, "SCHED_RR"},       {SCHED_BATCH, "SCHED_BATCH"},
		{SCHED_IDLE, "SCHED_IDLE"},   {SCHED_DEADLINE, "SCHED_DEADLINE"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].policy == policy)
			return names[i].name;
	return "SCHED_?";
}

static bool is_real_time(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

/* Higher preempts lower; 0 is everything ordinary. */
static int rank(const struct audit_thread *t)
{
	if (t->policy == SCHED_DEADLINE)
		return DEADLINE_RANK;
	return t->policy == SCHED_FIFO || t->policy == SCHED_RR ? t->priority : 0;
}

static bool begins(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool audit_concerns(const struct procstat *s)
{
	static const char *const prefixes[] = {"kworker/", "ksoftirqd/", "napi/", "ptp"};

	for (size_t i = 0; s->kernel && i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (begins(s->name, prefixes[i]))
			return true;
	return is_real_time(s->policy);
}

static bool overlap(const struct cpulist *a, const struct cpulist *b)
{
	for (size_t i = 0; i < CPULIST_WORDS; i++)
		if (a->bits[i] & b->bits[i])
			return true;
	return false;
}

static bool among(const int32_t *ids, size_t n, int32_t id)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* What the kernel runs for itself above every program, and why that is no cause for alarm. */
static const char *explain_kernel(const char *name)
{
	static const struct {
		const char *prefix, *what;
	} rows[] = {
		{"migration/", "the kernel's own: moves tasks between CPUs, for microseconds"},
		{"stopper/", "the kernel's own: moves tasks between CPUs, for microseconds"},
		{"watchdog", "the kernel's own: feeds the watchdog, for microseconds"},
		{"sugov:", "the kernel's own: sets the frequency for the schedutil governor"},
		{"idle_inject/", "the kernel's own: makes a CPU idle while it is too hot"},
		{"irq/", "an interrupt's thread, not of this port"},
		{"napi/", "another port's packets"},
		{"rcu", "the kernel's own: read-copy-update"},
		{"ktimers/", "the kernel's own: timers on a real-time kernel"},
		{"ksoftirqd/", "the kernel's own: soft interrupts of that CPU"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (begins(name, rows[i].prefix))
			return rows[i].what;
	return NULL;
}

/* -- the list ---------------------------------------------------------------------------- */

/* Kept in the order of weight, then of priority; what does not fit is counted. */
static void add(struct audit *out, const struct audit_finding *f)
{
	size_t at = out->n_findings;

	while (at > 0 && (out->findings[at - 1].kind > f->kind ||
			  (out->findings[at - 1].kind == f->kind &&
			   out->findings[at - 1].priority < f->priority)))
		at--;
	if (out->n_findings == AUDIT_FINDINGS_MAX)
		out->more++;
	else
		out->n_findings++;
	if (at == AUDIT_FINDINGS_MAX)
		return;
	memmove(&out->findings[at + 1], &out->findings[at],
		(out->n_findings - 1 - at) * sizeof(out->findings[0]));
	out->findings[at] = *f;
}

static void format_cpus(const struct cpulist *cpus, char out[static AUDIT_CPUS_MAX])
{
	char text[CPULIST_TEXT_MAX];

	(void)snprintf(out, AUDIT_CPUS_MAX, "%.*s", AUDIT_CPUS_MAX - 1, cpulist_format(cpus, text));
}

__attribute__((format(printf, 4, 5))) static void
report(struct audit *out, enum audit_kind kind, const struct audit_thread *t, const char *fmt, ...)
{
	struct audit_finding f = {
		.kind = kind,
		.pid = t->pid,
		.tid = t->tid,
		.priority = t->priority,
		.last_cpu = t->last_cpu,
	};
	va_list ap;

	(void)snprintf(f.name, sizeof(f.name), "%s", t->name);
	(void)snprintf(f.policy, sizeof(f.policy), "%s", policy_name(t->policy));
	format_cpus(&t->cpus, f.cpus);
	va_start(ap, fmt);
	(void)vsnprintf(f.text, sizeof(f.text), fmt, ap);
	va_end(ap);
	add(out, &f);
}

/* A thread of a program is known to people by the program's name. */
static void report_above(struct audit *out, const struct audit_context *c,
			 const struct audit_thread *t)
{
	const char *kernel = t->kernel ? explain_kernel(t->name) : NULL;

	if (among(c->our_pids, c->n_our_pids, t->pid))
		report(out, AUDIT_OURS, t, "ptpmon's own");
	else if (kernel)
		report(out, AUDIT_KERNEL, t, "%s", kernel);
	else if (strcmp(t->program, t->name) != 0)
		report(out, AUDIT_ABOVE, t, "a thread of %s", t->program);
	else
		report(out, AUDIT_ABOVE, t, "%s", t->kernel ? "a kernel thread" : "");
}

/* -- starvation -------------------------------------------------------------------------- */

static const struct audit_thread *same_thread(const struct audit_thread *threads, size_t n,
					      const struct audit_thread *t)
{
	for (size_t i = 0; i < n; i++)
		if (threads[i].tid == t->tid && threads[i].started_ticks == t->started_ticks)
			return &threads[i];
	return NULL;
}

/* How long it was ready without a CPU since the scan before; 0 if that is not known. */
static int64_t waited_ns(const struct audit_context *c, const struct audit_thread *t)
{
	const struct audit_thread *then = same_thread(c->before, c->n_before, t);

	if (!then)
		return 0;
	/* a wait is counted when it ends: one that fills the whole time is not in the figure */
	if (t->state == 'R' && then->state == 'R' && t->run_ns == then->run_ns)
		return c->elapsed_ns;
	return t->wait_ns - then->wait_ns;
}

/* The real-time thread that ran most on that CPU since the scan before, or NULL. */
static const struct audit_thread *culprit(const struct audit_context *c,
					  const struct audit_thread *threads, size_t n,
					  const struct cpulist *cpus, int64_t *ran_ns)
{
	const struct audit_thread *worst = NULL;

	*ran_ns = c->elapsed_ns / 100 * CULPRIT_PERCENT;
	for (size_t i = 0; i < n; i++) {
		const struct audit_thread *t = &threads[i];
		const struct audit_thread *then;

		if (!rank(t) || t->last_cpu < 0 || !cpulist_has(cpus, (size_t)t->last_cpu))
			continue;
		then = same_thread(c->before, c->n_before, t);
		if (!then || t->run_ns - then->run_ns <= *ran_ns)
			continue;
		*ran_ns = t->run_ns - then->run_ns;
		worst = t;
	}
	return worst;
}

static void report_starved(struct audit *out, const struct audit_context *c,
			   const struct audit_thread *threads, size_t n,
			   const struct audit_thread *worker)
{
	int64_t waited = waited_ns(c, worker);
	const struct audit_thread *t;
	int64_t ran_ns;

	if (!c->elapsed_ns || waited < c->elapsed_ns / 100 * STARVED_PERCENT)
		return;
	t = culprit(c, threads, n, &worker->cpus, &ran_ns);
	if (t)
		report(out, AUDIT_STARVED, worker,
		       "waited %" PRId64 " of %" PRId64 " ms for a CPU that %.40s/%d (%s %d) had",
		       waited / NSEC_PER_MSEC, c->elapsed_ns / NSEC_PER_MSEC, t->name, t->tid,
		       policy_name(t->policy), t->priority);
}

/* -- the audit --------------------------------------------------------------------------- */

static bool is_subject(const struct audit_context *c, const struct audit_thread *t)
{
	return among(c->subject_tids, c->n_subjects, t->tid);
}

/* How many subjects there are, and the least of them and all of their CPUs in *least. */
static size_t gather_subjects(const struct audit_context *c, const struct audit_thread *threads,
			      size_t n, struct audit_thread *least)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		struct cpulist cpus = least->cpus;

		if (!is_subject(c, &threads[i]))
			continue;
		if (found++ == 0 || rank(&threads[i]) < rank(least))
			*least = threads[i];
		for (size_t w = 0; found > 1 && w < CPULIST_WORDS; w++)
			least->cpus.bits[w] |= cpus.bits[w] | threads[i].cpus.bits[w];
	}
	return found;
}

/* Above one of the subjects, on a CPU of that one? */
static bool is_above_one(const struct audit_context *c, const struct audit_thread *threads,
			 size_t n, const struct audit_thread *t)
{
	for (size_t i = 0; i < n; i++)
		if (is_subject(c, &threads[i]) && t->pid != threads[i].pid &&
		    rank(t) > rank(&threads[i]) && overlap(&t->cpus, &threads[i].cpus))
			return true;
	return false;
}

void audit_judge(const struct audit_context *context, const struct audit_thread *threads, size_t n,
		 struct audit *out)
{
	struct audit_thread least = {0};

	*out = (struct audit){
		.threads = n,
		.subjects = gather_subjects(context, threads, n, &least),
	};
	(void)snprintf(out->subject, sizeof(out->subject), "%s", context->subject);
	if (!out->subjects)
		return;
	out->priority = least.priority;
	(void)snprintf(out->policy, sizeof(out->policy), "%s", policy_name(least.policy));
	format_cpus(&least.cpus, out->cpus);
	for (size_t i = 0; i < n; i++) {
		const struct audit_thread *t = &threads[i];
		bool shares = overlap(&t->cpus, &least.cpus);

		if (among(context->port_tids, context->n_port_tids, t->tid))
			report(out, AUDIT_PORT, t, "serves the port");
		else if (shares && is_above_one(context, threads, n, t))
			report_above(out, context, t);
		else if (shares && t->kernel && begins(t->name, "ksoftirqd/"))
			report(out, AUDIT_POOLED, t, "%s", "");
		if (shares && t->kernel && begins(t->name, "kworker/"))
			report_starved(out, context, threads, n, t);
	}
}

size_t audit_count(const struct audit *a, enum audit_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_findings; i++)
		n += a->findings[i].kind == kind;
	return n;
}

static bool is_trouble(const struct audit_finding *f)
{
	return f->kind == AUDIT_ABOVE || f->kind == AUDIT_STARVED;
}

bool audit_has_trouble(const struct audit *a)
{
	return a->n_findings && is_trouble(&a->findings[0]); /* the gravest come first */
}

static bool holds(const struct audit *a, const struct audit_finding *f)
{
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct audit_finding *g = &a->findings[i];

		if (g->kind == f->kind && g->priority == f->priority &&
		    strcmp(g->name, f->name) == 0 && strcmp(g->policy, f->policy) == 0 &&
		    strcmp(g->cpus, f->cpus) == 0)
			return true;
	}
	return false;
}

static bool covers(const struct audit *a, const struct audit *b, enum audit_kind kind)
{
	for (size_t i = 0; i < b->n_findings; i++)
		if (b->findings[i].kind == kind && !holds(a, &b->findings[i]))
			return false;
	return true;
}

bool audit_same(const struct audit *a, const struct audit *b, enum audit_kind kind)
{
	return covers(a, b, kind) && covers(b, a, kind);
}

const char *audit_describe(const struct audit *a, char out[static AUDIT_LINE_MAX])
{
	size_t n = audit_count(a, AUDIT_ABOVE) + audit_count(a, AUDIT_STARVED);
	const struct audit_finding *f = &a->findings[0]; /* the gravest */
	char more[32] = "";

	if (n > 1)
		(void)snprintf(more, sizeof(more), "; %zu more", n - 1);
	if (!a->subjects)
		(void)snprintf(out, AUDIT_LINE_MAX, "%s does not run", a->subject);
	else if (!n)
		(void)snprintf(out, AUDIT_LINE_MAX,
			       "nothing above %.20s (%s %" PRId64 ", CPUs %.20s)", a->subject,
			       a->policy, a->priority, a->cpus);
	else if (f->kind == AUDIT_ABOVE)
		(void)snprintf(out, AUDIT_LINE_MAX,
			       "above %.20s (%s %" PRId64 ", CPUs %.20s): %.32s/%" PRId64
			       " %s %" PRId64 " on CPU %" PRId64 "%s%.32s%s",
			       a->subject, a->policy, a->priority, a->cpus, f->name, f->tid,
			       f->policy, f->priority, f->last_cpu, *f->text ? ", " : "", f->text,
			       more);
	else
		(void)snprintf(out, AUDIT_LINE_MAX, "starved: %.32s/%" PRId64 " %.*s%s", f->name,
			       f->tid, AUDIT_TEXT_MAX - 1, f->text, more);
	return out;
}
