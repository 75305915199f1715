/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The worst moments, what else was there in the same second, and what happened around them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/building.h"
#include "ptpmon/report/clean.h"

int64_t worst_by_offset(const struct report_worst *w)
{
	return llabs(w->offset_ns);
}

int64_t worst_by_latency(const struct report_worst *w)
{
	return w->latency_ns;
}

void worst_keep(struct report_worst *list, size_t *n, const struct report_worst *w,
		int64_t (*badness)(const struct report_worst *w))
{
	size_t at = *n;

	while (at > 0 && badness(&list[at - 1]) < badness(w))
		at--;
	if (at == REPORT_WORST)
		return;
	if (*n < REPORT_WORST)
		(*n)++;
	memmove(&list[at + 1], &list[at], (*n - at - 1) * sizeof(*list));
	list[at] = *w;
}

/* One of the moments, while it is completed. */
struct completing {
	struct building *b;
	struct report_worst *w;
	enum severity gravest;
};

static int on_window(void *userdata, size_t series, const struct latency_window *window)
{
	struct completing *c = userdata;
	struct report_worst *w = c->w;
	size_t n;

	if (!window->count || (w->latency_ns != SAMPLE_UNKNOWN && window->max_ns <= w->latency_ns))
		return 0;
	w->second.from_ns = window->start_mono_ns;
	w->second.to_ns = window->end_mono_ns;
	w->latency_ns = window->max_ns;
	CLEAN(w->cpu, query_series(c->b->query, &n)[series].subject);
	return 0;
}

static int on_sample(void *userdata, const struct sample *s)
{
	struct completing *c = userdata;
	struct report_worst *w = c->w;
	size_t n;
	const struct query_series *series = &query_series(c->b->query, &n)[s->series];

	if (series->kind != SERIES_OFFSET || s->value == SAMPLE_UNKNOWN ||
	    s->flags & (SAMPLE_STEP | SAMPLE_UNLOCKED))
		return 0;
	if (w->offset_ns != SAMPLE_UNKNOWN && llabs(s->value) <= llabs(w->offset_ns))
		return 0;
	w->offset_ns = s->value;
	CLEAN(w->port, series->subject);
	return 0;
}

static int on_event(void *userdata, const struct query_event *e)
{
	struct completing *c = userdata;

	if (e->severity < SEVERITY_NOTICE)
		return 0;
	if (c->w->events++ > 0 && e->severity <= c->gravest)
		return 0;
	c->gravest = e->severity;
	CLEAN(c->w->event, e->text);
	return 0;
}

static int add_events(struct completing *c)
{
	return query_visit_events(c->b->query, c->w->second.from_ns, c->w->second.to_ns, on_event,
				  c);
}

#define NEAR_NS (2 * NSEC_PER_SEC)

static void add_near(struct report_worst *w, int64_t mono_ns, const char *code, const char *text)
{
	struct report_near *near = &w->near[w->n_near];

	if (w->n_near++ >= REPORT_NEAR_MAX)
		return;
	near->after_ns = mono_ns - w->at.mono_ns;
	CLEAN(near->code, code);
	CLEAN(near->text, text);
}

static int on_near_event(void *userdata, const struct query_event *e)
{
	struct completing *c = userdata;

	add_near(c->w, e->mono_ns, e->code_name, e->text);
	return 0;
}

static int on_near_sample(void *userdata, const struct sample *s)
{
	struct completing *c = userdata;
	struct report_worst *w = c->w;
	size_t n;

	if (query_series(c->b->query, &n)[s->series].kind != SERIES_OFFSET)
		return 0;
	w->near_missed += s->missed;
	if (s->value != SAMPLE_UNKNOWN &&
	    (w->near_offset_ns == SAMPLE_UNKNOWN || llabs(s->value) > llabs(w->near_offset_ns)))
		w->near_offset_ns = s->value;
	return 0;
}

static int on_near_window(void *userdata, size_t series, const struct latency_window *window)
{
	struct completing *c = userdata;

	if (window->count && window->max_ns > c->w->near_latency_ns)
		c->w->near_latency_ns = window->max_ns;
	return 0;
}

/* What is known from NEAR_NS before from_ns to NEAR_NS after to_ns. */
static int complete_near(struct completing *c, int64_t from_ns, int64_t to_ns)
{
	size_t n;
	const struct query_mark *marks = query_marks(c->b->query, &n);
	int r;

	from_ns -= NEAR_NS;
	to_ns += NEAR_NS;
	c->w->near_offset_ns = c->w->near_latency_ns = SAMPLE_UNKNOWN;
	r = query_visit_events(c->b->query, from_ns, to_ns, on_near_event, c);
	if (r == 0)
		r = query_visit_values(c->b->query, QUERY_ALL_SERIES, from_ns, to_ns,
				       on_near_sample, c);
	if (r == 0)
		r = query_visit_windows(c->b->query, QUERY_ALL_SERIES, from_ns, to_ns,
					on_near_window, c);
	for (size_t i = 0; i < n; i++)
		if (marks[i].mono_ns >= from_ns && marks[i].mono_ns < to_ns)
			add_near(c->w, marks[i].mono_ns, "mark", marks[i].text);
	return r;
}

static int complete_offset(struct building *b, struct report_worst *w)
{
	struct completing c = {.b = b, .w = w};
	int64_t mono_ns = w->at.mono_ns;
	int r = query_visit_windows(b->query, QUERY_ALL_SERIES, mono_ns, mono_ns + 1, on_window,
				    &c);

	w->at = building_moment(b, mono_ns);
	if (r == 0)
		r = add_events(&c);
	return r < 0 ? r : complete_near(&c, mono_ns, mono_ns + 1);
}

static int complete_latency(struct building *b, struct report_worst *w)
{
	struct completing c = {.b = b, .w = w};
	int r = query_visit_values(b->query, QUERY_ALL_SERIES, w->second.from_ns, w->second.to_ns,
				   on_sample, &c);

	w->at = building_span_moment(b, &w->second);
	if (r == 0)
		r = add_events(&c);
	return r < 0 ? r : complete_near(&c, w->second.from_ns, w->second.to_ns);
}

int building_worst(struct building *b)
{
	struct report *r = b->report;
	int ret = 0;

	for (size_t i = 0; i < r->n_worst_offsets && ret == 0; i++)
		ret = complete_offset(b, &r->worst_offsets[i]);
	for (size_t i = 0; i < r->n_worst_latencies && ret == 0; i++)
		ret = complete_latency(b, &r->worst_latencies[i]);
	return ret;
}
