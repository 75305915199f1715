/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/cmd/latency_result.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/stats/quantile.h"

struct percentile {
	const char *title, *member; /* of the column, and in JSON */
	uint32_t p_milli;
};

static const struct percentile percentiles[] = {
	{"p50", "p50_ns", 50000},
	{"p99", "p99_ns", 99000},
	{"p99.9", "p99_9_ns", 99900},
	{"p99.99", "p99_99_ns", 99990},
};

enum {
	N_PERCENTILES = sizeof(percentiles) / sizeof(percentiles[0]),
	UNRELIABLE_PERCENT = 5,
};

void latency_result_clear(struct latency_result *r)
{
	for (size_t cpu = 0; cpu < CPULIST_MAX; cpu++)
		free(r->cpus[cpu]);
	*r = (struct latency_result){0};
}

static struct latency_cpu *cpu_of(struct latency_result *r, uint32_t cpu)
{
	if (cpu >= CPULIST_MAX) {
		r->malformed++;
		return NULL;
	}
	if (!r->cpus[cpu])
		r->cpus[cpu] = calloc(1, sizeof(*r->cpus[cpu]));
	if (!r->cpus[cpu])
		r->no_memory = true;
	return r->cpus[cpu];
}

void latency_result_add_window(struct latency_result *r, const struct latency_window *w)
{
	struct latency_cpu *c = cpu_of(r, w->cpu);

	if (!c)
		return;
	if (c->conditions.interval_ns == 0 && !c->problem[0])
		(void)snprintf(c->problem, sizeof(c->problem), "the sampler did not say how");
	if (latency_summary_add(&c->summary, w) < 0)
		r->malformed++;
}

void latency_result_add_conditions(struct latency_result *r, const struct latency_conditions *now)
{
	struct latency_cpu *c = cpu_of(r, now->cpu);

	if (!c)
		return;
	c->conditions = *now;
	if (!c->problem[0])
		(void)conditions_problem(now, c->problem);
}

uint64_t latency_result_worst(const struct latency_result *r, int64_t *max_ns, unsigned *cpu)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < CPULIST_MAX; i++) {
		const struct latency_cpu *c = r->cpus[i];

		if (!c || c->summary.count == 0)
			continue;
		if (count == 0 || c->summary.max_ns > *max_ns) {
			*max_ns = c->summary.max_ns;
			*cpu = i;
		}
		count += c->summary.count;
	}
	return count;
}

static const char *policy_name(int policy)
{
	switch (policy) {
	case SCHED_FIFO:
		return "SCHED_FIFO";
	case SCHED_RR:
		return "SCHED_RR";
	case SCHED_OTHER:
		return "SCHED_OTHER";
	default:
		return "another policy";
	}
}

/* Everything about a CPU's conditions that people read, but for its number. */
static void describe(const struct latency_cpu *c, char *out, size_t size)
{
	const struct latency_conditions *now = &c->conditions;
	char interval[NSEC_TEXT_MAX];
	char idle[96];

	if (now->idle_error)
		(void)snprintf(idle, sizeof(idle), "NOT held off (%s)", strerror(now->idle_error));
	else
		(void)snprintf(idle, sizeof(idle), "%s",
			       now->idle_states_held ? "held off" : "allowed");
	(void)snprintf(
		out, size, "%s %d every %s, memory %slocked\n  idle states %s, clock source %s%s%s",
		policy_name(now->policy), now->priority,
		nsec_format_duration(now->interval_ns, interval), now->memory_locked ? "" : "not ",
		idle, now->clocksource, c->problem[0] ? "\n  NOT REAL-TIME: " : "", c->problem);
}

void latency_result_print_conditions(const struct latency_result *r, FILE *out)
{
	struct cpulist done = {0};
	bool not_realtime = false;

	for (size_t i = 0; i < CPULIST_MAX; i++) {
		struct cpulist alike = {0};
		char text[768];
		char cpus[CPULIST_TEXT_MAX];

		if (!r->cpus[i] || cpulist_has(&done, i))
			continue;
		describe(r->cpus[i], text, sizeof(text));
		for (size_t k = i; k < CPULIST_MAX; k++) {
			char other[sizeof(text)];

			if (!r->cpus[k])
				continue;
			describe(r->cpus[k], other, sizeof(other));
			if (strcmp(text, other) != 0)
				continue;
			cpulist_add(&alike, k);
			cpulist_add(&done, k);
		}
		(void)fprintf(out, "cpu %s: %s\n", cpulist_format(&alike, cpus), text);
		not_realtime |= r->cpus[i]->problem[0] != '\0';
	}
	if (not_realtime)
		(void)fprintf(out,
			      "  real time needs CAP_SYS_NICE and CAP_IPC_LOCK (root has them), "
			      "and real-time\n  runtime in the cgroup where the kernel shares "
			      "it out (cpu.rt_runtime_us)\n");
}

static void print_us(FILE *out, int64_t ns)
{
	(void)fprintf(out, " %7.1f", (double)ns / 1000);
}

/* What was refused for the lack of wake-ups is noted in refused. */
static void print_row(FILE *out, size_t cpu, const struct latency_summary *s,
		      bool refused[static N_PERCENTILES])
{
	(void)fprintf(out, "%3zu %8" PRIu64, cpu, s->count);
	if (s->count == 0) {
		(void)fprintf(out, " no wake-up was counted\n");
		return;
	}
	print_us(out, s->min_ns);
	print_us(out, latency_summary_avg_ns(s));
	for (size_t i = 0; i < N_PERCENTILES; i++) {
		int64_t value_ns;

		if (latency_summary_percentile(s, percentiles[i].p_milli, &value_ns)) {
			print_us(out, value_ns);
		} else {
			(void)fprintf(out, " %7s", "-");
			refused[i] = true;
		}
	}
	print_us(out, s->max_ns);
	(void)fprintf(out, " %4" PRIu64 " %6" PRIu64 "\n", s->overflow, s->missed);
}

static void print_refused(FILE *out, const bool refused[static N_PERCENTILES])
{
	bool any = false;

	for (size_t i = 0; i < N_PERCENTILES; i++) {
		if (!refused[i])
			continue;
		(void)fprintf(out, "%s %s %%%s %" PRIu64,
			      any ? "," : "-: too few wake-ups:", percentiles[i].title + 1,
			      any ? "" : " takes", quantile_needed(percentiles[i].p_milli));
		any = true;
	}
	if (any)
		(void)fputc('\n', out);
}

/* The worst CPU's share of missed periods, if it is so large that its figures mean little. */
static bool is_unreliable(const struct latency_result *r, double *percent)
{
	*percent = 0;
	for (size_t cpu = 0; cpu < CPULIST_MAX; cpu++) {
		const struct latency_summary *s = r->cpus[cpu] ? &r->cpus[cpu]->summary : NULL;
		uint64_t periods = s ? s->count + s->missed : 0;
		double share = periods ? 100 * (double)s->missed / (double)periods : 0;

		if (share > *percent)
			*percent = share;
	}
	return *percent >= UNRELIABLE_PERCENT;
}

void latency_result_print_table(const struct latency_result *r, FILE *out)
{
	bool refused[N_PERCENTILES] = {false};
	uint64_t overflow = 0;
	uint64_t missed = 0;
	double percent;

	if (is_unreliable(r, &percent))
		(void)fprintf(
			out,
			"UNRELIABLE: %.0f %% of the periods missed: the interval is too short, "
			"or a CPU was taken away\n",
			percent);
	(void)fprintf(out, "wake-up latency in us\ncpu    count     min     avg");
	for (size_t i = 0; i < N_PERCENTILES; i++)
		(void)fprintf(out, " %7s", percentiles[i].title);
	(void)fprintf(out, "     max over missed\n");
	for (size_t cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (!r->cpus[cpu])
			continue;
		print_row(out, cpu, &r->cpus[cpu]->summary, refused);
		overflow += r->cpus[cpu]->summary.overflow;
		missed += r->cpus[cpu]->summary.missed;
	}
	print_refused(out, refused);
	if (overflow)
		(void)fprintf(out, "over: wake-ups later than 1.07 s\n");
	if (missed)
		(void)fprintf(out,
			      "missed: periods that passed in a late wake-up; not wake-ups, so "
			      "not in any figure\n");
}

/* CLOCK_MONOTONIC does not fit into the integers of every JSON reader. */
static json_t *json_mono(int64_t ns)
{
	return json_sprintf("%" PRId64, ns);
}

static json_t *json_conditions(const struct latency_cpu *c)
{
	const struct latency_conditions *now = &c->conditions;

	return json_pack("{s:s, s:i, s:b, s:b, s:b, s:s?, s:I, s:s, s:b, s:s?}", "policy",
			 policy_name(now->policy), "priority", now->priority, "pinned", now->pinned,
			 "memory_locked", now->memory_locked, "idle_states_held",
			 now->idle_states_held, "idle_error",
			 now->idle_error ? strerror(now->idle_error) : NULL, "interval_ns",
			 (json_int_t)now->interval_ns, "clocksource", now->clocksource, "realtime",
			 !c->problem[0], "problem", c->problem[0] ? c->problem : NULL);
}

/* What needs at least one wake-up is null without one. */
static json_t *json_figure(const struct latency_summary *s, int64_t value_ns)
{
	return s->count > 0 ? json_integer(value_ns) : json_null();
}

static json_t *json_cpu(size_t cpu, const struct latency_cpu *c)
{
	const struct latency_summary *s = &c->summary;
	json_t *o = json_pack("{s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:I}", "cpu",
			      (json_int_t)cpu, "conditions", json_conditions(c), "start_mono_ns",
			      json_mono(s->start_mono_ns), "end_mono_ns", json_mono(s->end_mono_ns),
			      "count", (json_int_t)s->count, "min_ns", json_figure(s, s->min_ns),
			      "avg_ns", json_figure(s, latency_summary_avg_ns(s)), "max_ns",
			      json_figure(s, s->max_ns), "overflow", (json_int_t)s->overflow,
			      "missed", (json_int_t)s->missed);

	for (size_t i = 0; i < N_PERCENTILES; i++) {
		const struct percentile *p = &percentiles[i];
		int64_t value_ns;
		bool known = latency_summary_percentile(s, p->p_milli, &value_ns);

		(void)json_object_set_new(o, p->member,
					  known ? json_integer(value_ns) : json_null());
	}
	if (s->count > 0)
		(void)json_object_set_new(o, "max_window_start_mono_ns",
					  json_mono(s->max_start_mono_ns));
	return o;
}

int latency_result_print_json(const struct latency_result *r, FILE *out)
{
	json_auto_t *cpus = json_array();
	json_auto_t *root = NULL;
	bool realtime = true;
	double percent;
	bool unreliable = is_unreliable(r, &percent);

	for (size_t cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (!r->cpus[cpu])
			continue;
		realtime &= !r->cpus[cpu]->problem[0];
		if (json_array_append_new(cpus, json_cpu(cpu, r->cpus[cpu])) < 0)
			return -ENOMEM;
	}
	root = json_pack("{s:s, s:o, s:b, s:b, s:I, s:O}", "schema", "ptpmon.latency/1", "realtime",
			 json_array_size(cpus) ? json_boolean(realtime) : json_null(), "unreliable",
			 unreliable, "interrupted", r->interrupted, "malformed",
			 (json_int_t)r->malformed, "cpus", cpus);
	if (!root)
		return -ENOMEM;
	/* the caller looks whether it got out */
	(void)json_dumpf(root, out, JSON_INDENT(2));
	(void)fputc('\n', out);
	return 0;
}
