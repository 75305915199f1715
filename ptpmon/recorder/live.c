/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/recorder/live.h"

#include <stdio.h>
#include <string.h>

#include "ptpmon/model/sample.h"
#include "ptpmon/supervise/schedule.h"

void live_child(struct live *l, const struct status_child *child)
{
	size_t i = 0;

	while (i < l->n_children && strcmp(l->children[i].name, child->name) != 0)
		i++;
	if (i == STATUS_CHILDREN_MAX)
		return;
	if (i == l->n_children)
		l->n_children++;
	l->children[i] = *child;
}

void live_forget(struct live *l, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_children; i++) {
		if (strcmp(l->children[i].name, name) == 0)
			continue;
		l->children[n] = l->children[i];
		memmove(l->said[n], l->said[i], sizeof(l->said[i]));
		n++;
	}
	l->n_children = n;
}

void live_said(struct live *l, const char *name, const char *last_words)
{
	for (size_t i = 0; i < l->n_children; i++)
		if (strcmp(l->children[i].name, name) == 0)
			(void)snprintf(l->said[i], sizeof(l->said[i]), "%.*s", STATUS_TEXT_MAX - 1,
				       last_words);
}

/* "exited, status=255 after 0.0 s: interface 'eth0' does not support …" */
static void add_last_words(struct status_child *child, const char *said)
{
	size_t len = strlen(child->problem);

	if (len && *said)
		(void)snprintf(child->problem + len, sizeof(child->problem) - len, ": %s", said);
}

/* NULL if there is no room for one more. */
static struct live_cpu *cpu_of(struct live *l, unsigned cpu)
{
	size_t i = 0;

	while (i < l->n_cpus && l->cpus[i].status.cpu != cpu)
		i++;
	if (i == STATUS_CPUS_MAX)
		return NULL;
	if (i == l->n_cpus)
		l->cpus[l->n_cpus++] = (struct live_cpu){
			.status = {.cpu = cpu,
				   .min_ns = SAMPLE_UNKNOWN,
				   .avg_ns = SAMPLE_UNKNOWN,
				   .max_ns = SAMPLE_UNKNOWN,
				   .last_max_ns = SAMPLE_UNKNOWN},
		};
	return &l->cpus[i];
}

static int64_t maximum_of_minute(const struct live_cpu *c)
{
	size_t n = c->n_windows < LIVE_MINUTE_WINDOWS ? c->n_windows : LIVE_MINUTE_WINDOWS;
	int64_t max_ns = SAMPLE_UNKNOWN;

	for (size_t i = 0; i < n; i++)
		if (c->maxima_ns[i] > max_ns)
			max_ns = c->maxima_ns[i];
	return max_ns;
}

void live_window(struct live *l, const struct latency_window *w)
{
	struct live_cpu *c = cpu_of(l, w->cpu);
	struct status_cpu *s;

	if (!c)
		return;
	s = &c->status;
	s->mono_ns = w->end_mono_ns;
	s->overflow += w->overflow;
	s->missed += w->missed;
	if (w->count == 0)
		return;
	if (s->count == 0 || w->min_ns < s->min_ns)
		s->min_ns = w->min_ns;
	if (s->count == 0 || w->max_ns > s->max_ns)
		s->max_ns = w->max_ns;
	s->count += w->count;
	c->sum_ns += w->sum_ns;
	s->avg_ns = c->sum_ns / (int64_t)s->count;
	c->maxima_ns[c->n_windows++ % LIVE_MINUTE_WINDOWS] = w->max_ns;
	s->last_max_ns = maximum_of_minute(c);
}

bool live_conditions(struct live *l, const struct latency_conditions *conditions)
{
	struct live_cpu *c = cpu_of(l, conditions->cpu);
	const char *idle = conditions->idle_states_held ? "hold" : "allow";
	char problem[CONDITIONS_TEXT_MAX];
	bool news;

	if (!c)
		return false;
	conditions_problem(conditions, problem);
	problem[sizeof(c->problem) - 1] = '\0';
	news = !c->conditions_known || strcmp(c->problem, problem) != 0 ||
	       strcmp(l->idle_states, idle) != 0;
	c->conditions_known = true;
	c->policy = conditions->policy;
	c->priority = conditions->priority;
	(void)strcpy(c->problem, problem);
	(void)strcpy(l->idle_states, idle);
	return news;
}

/* The sampler is launched as an ordinary process; what counts is what its threads run at. */
static void fill_sampler(const struct live *l, struct status_child *child)
{
	const struct live_cpu *c = l->n_cpus ? &l->cpus[0] : NULL;

	if (strcmp(child->name, "latency") != 0 || child->state != CHILD_UP || !c ||
	    !c->conditions_known || child->policy[0])
		return; /* what the parent has read back counts more than what it says itself */
	(void)snprintf(child->policy, sizeof(child->policy), "%s", schedule_policy_name(c->policy));
	child->priority = c->priority;
	child->schedule_ok = true; /* what is not as it was asked for is the realtime_problem */
}

void live_fill(const struct live *l, struct status *out)
{
	out->n_children = l->n_children;
	memcpy(out->children, l->children, l->n_children * sizeof(l->children[0]));
	for (size_t i = 0; i < out->n_children; i++) {
		fill_sampler(l, &out->children[i]);
		add_last_words(&out->children[i], l->said[i]);
	}
	out->n_cpus = l->n_cpus;
	for (size_t i = 0; i < l->n_cpus; i++) {
		out->cpus[i] = l->cpus[i].status;
		if (!*out->realtime_problem)
			(void)strcpy(out->realtime_problem, l->cpus[i].problem);
	}
	(void)strcpy(out->idle_states, l->idle_states);
}
