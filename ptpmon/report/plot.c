/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/clean.h"

DEFINE_FREEP(struct plot, plot_free)

int plot_new(struct plot **out, int64_t from_ns, int64_t to_ns, size_t n_offsets,
	     size_t n_latencies, size_t n_columns, const char *board)
{
	CLEANUP(plot_freep) struct plot *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->from_ns = from_ns;
	p->to_ns = to_ns > from_ns ? to_ns : from_ns + 1;
	p->n_offsets = n_offsets;
	p->n_latencies = n_latencies;
	p->n_columns = n_columns < PLOT_PHASES_MAX + 1 ? n_columns : PLOT_PHASES_MAX + 1;
	p->offsets = calloc(n_offsets + 1, sizeof(*p->offsets));
	p->distributions = calloc(n_offsets * p->n_columns + 1, sizeof(*p->distributions));
	p->latencies = calloc(n_latencies * p->n_columns + 1, sizeof(*p->latencies));
	p->events = calloc(PLOT_EVENTS_MAX, sizeof(*p->events));
	p->board = strdup(board ? board : "");
	if (!p->offsets || !p->distributions || !p->latencies || !p->events || !p->board)
		return -ENOMEM;
	*out = steal(&p);
	return 0;
}

struct plot *plot_free(struct plot *p)
{
	if (!p)
		return NULL;
	free(p->offsets);
	free(p->distributions);
	free(p->latencies);
	free(p->events);
	free(p->board);
	free(p);
	return NULL;
}

/* A moment outside belongs to the edge: a row may be a little before its run's own start. */
static size_t column_of(const struct plot *p, int64_t mono_ns)
{
	double share;

	if (mono_ns <= p->from_ns)
		return 0;
	share = (double)(mono_ns - p->from_ns) / (double)(p->to_ns - p->from_ns);
	return share < 1 ? (size_t)(share * PLOT_COLUMNS) : PLOT_COLUMNS - 1;
}

static void widen(struct plot_range *r, double min, double max)
{
	r->min = r->count && r->min < min ? r->min : min;
	r->max = r->count && r->max > max ? r->max : max;
	r->sum += min + (max - min) / 2;
	r->count++;
}

void plot_sample(struct plot *p, size_t series, const struct sample *s)
{
	struct plot_offset *o;
	size_t column;

	if (!p)
		return;
	o = &p->offsets[series];
	column = column_of(p, s->mono_ns);
	widen(&o->offset[column], (double)s->value, (double)s->value);
	if (s->delay_ns != SAMPLE_UNKNOWN)
		widen(&o->delay[column], (double)s->delay_ns, (double)s->delay_ns);
	if (s->flags & SAMPLE_SERVO && isfinite(s->freq_ppb))
		widen(&o->freq_ppb[column], s->freq_ppb, s->freq_ppb);
}

void plot_offsets(struct plot *p, size_t series, size_t column, const int64_t *values, size_t n)
{
	for (size_t i = 0; p && column < p->n_columns && i < n; i++)
		signed_histogram_count(&p->distributions[series * p->n_columns + column],
				       values[i]);
}

void plot_hours(struct plot *p, size_t series, size_t column, const struct signed_histogram *hours)
{
	if (p && column < p->n_columns)
		signed_histogram_add(&p->distributions[series * p->n_columns + column], hours);
}

static void widen_span(const struct plot *p, struct plot_range *ranges, int64_t from_ns,
		       int64_t to_ns, double min, double max)
{
	size_t last = column_of(p, to_ns > from_ns ? to_ns - 1 : from_ns);

	for (size_t i = column_of(p, from_ns); i <= last; i++)
		widen(&ranges[i], min, max);
}

void plot_offset_span(struct plot *p, size_t series, int64_t from_ns, int64_t to_ns, int64_t min_ns,
		      int64_t max_ns)
{
	if (p)
		widen_span(p, p->offsets[series].offset, from_ns, to_ns, (double)min_ns,
			   (double)max_ns);
}

void plot_window(struct plot *p, int64_t from_ns, int64_t to_ns, int64_t max_ns)
{
	if (p)
		widen_span(p, p->latency, from_ns, to_ns, (double)max_ns, (double)max_ns);
}

void plot_latencies(struct plot *p, size_t cpu, size_t column, const struct histogram *h)
{
	if (p && column < p->n_columns)
		p->latencies[cpu * p->n_columns + column] = *h;
}

/* When the list is full, a warning takes the place of the last notice. */
static struct plot_event *room_for(struct plot *p, enum severity severity)
{
	if (p->n_listed < PLOT_EVENTS_MAX)
		return &p->events[p->n_listed++];
	if (severity < SEVERITY_WARNING)
		return NULL;
	for (size_t i = PLOT_EVENTS_MAX; i > 0; i--)
		if (p->events[i - 1].severity < SEVERITY_WARNING) {
			memmove(&p->events[i - 1], &p->events[i],
				(PLOT_EVENTS_MAX - i) * sizeof(*p->events));
			return &p->events[PLOT_EVENTS_MAX - 1];
		}
	return NULL;
}

void plot_event(struct plot *p, int64_t mono_ns, enum severity severity, const char *text)
{
	struct plot_event *e;

	if (!p || severity < SEVERITY_NOTICE)
		return;
	p->n_events++;
	e = room_for(p, severity);
	if (!e)
		return;
	e->mono_ns = mono_ns;
	e->severity = severity;
	CLEAN(e->text, text);
}

const struct signed_histogram *plot_distribution(const struct plot *p, size_t series, size_t column)
{
	return &p->distributions[series * p->n_columns + column];
}

const struct histogram *plot_latency_histogram(const struct plot *p, size_t cpu, size_t column)
{
	return &p->latencies[cpu * p->n_columns + column];
}
