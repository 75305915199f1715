/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/build.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ptpmon/report/building.h"
#include "ptpmon/report/clean.h"
#include "ptpmon/report/plot.h"

static void building_clear(struct building *b)
{
	partition_clear(&b->partition);
	history_clear(&b->history);
	free(b->offset_indices);
	free(b->latency_indices);
	free(b->offset_maxima);
	free(b->latency_maxima);
	(void)report_free(b->report);
}

static void name_series(struct series *out, const struct query_series *from)
{
	out->kind = from->kind;
	CLEAN(out->source, from->source);
	CLEAN(out->subject, from->subject);
	CLEAN(out->unit, from->unit);
}

static void refuse_all(struct report_quantiles *q)
{
	for (size_t p = 0; p < REPORT_PERCENTILES; p++)
		q->value_ns[p] = q->low_ns[p] = q->high_ns[p] = SAMPLE_UNKNOWN;
}

/* Nothing is known of a column until something is seen. */
struct report_offset *building_offset_columns(size_t n)
{
	struct report_offset *columns = calloc(n, sizeof(*columns));

	for (size_t i = 0; columns && i < n; i++) {
		struct report_offset *o = &columns[i];

		o->abs_max_ns = o->min_ns = o->max_ns = o->delay_p50_ns = SAMPLE_UNKNOWN;
		o->unlocked_largest_ns = o->step_largest_ns = SAMPLE_UNKNOWN;
		refuse_all(&o->abs);
		o->wander.cte_worst_ns = o->wander.cte_last_ns = NAN;
	}
	return columns;
}

static struct report_latency *new_latency_columns(size_t n)
{
	struct report_latency *columns = calloc(n, sizeof(*columns));

	for (size_t i = 0; columns && i < n; i++) {
		columns[i].min_ns = columns[i].avg_ns = columns[i].max_ns = SAMPLE_UNKNOWN;
		refuse_all(&columns[i].value);
	}
	return columns;
}

static int add_series(struct building *b, size_t index, const struct query_series *from)
{
	struct report *r = b->report;

	if (from->kind == SERIES_OFFSET) {
		struct report_offset_series *s = &r->offsets[r->n_offsets];

		b->offset_indices[r->n_offsets++] = index;
		name_series(&s->series, from);
		s->interval_p50_ns = SAMPLE_UNKNOWN;
		s->columns = building_offset_columns(r->n_columns);
		return s->columns ? 0 : -ENOMEM;
	}
	if (from->kind == SERIES_LATENCY) {
		struct report_latency_series *s = &r->latencies[r->n_latencies];

		b->latency_indices[r->n_latencies++] = index;
		name_series(&s->series, from);
		s->columns = new_latency_columns(r->n_columns);
		return s->columns ? 0 : -ENOMEM;
	}
	return 0;
}

static int building_series(struct building *b)
{
	size_t n;
	const struct query_series *series = query_series(b->query, &n);
	struct report *r = b->report;
	int ret = 0;

	r->offsets = calloc(n + 1, sizeof(*r->offsets));
	r->latencies = calloc(n + 1, sizeof(*r->latencies));
	b->offset_indices = calloc(n + 1, sizeof(*b->offset_indices));
	b->latency_indices = calloc(n + 1, sizeof(*b->latency_indices));
	if (!r->offsets || !r->latencies || !b->offset_indices || !b->latency_indices)
		return -ENOMEM;
	for (size_t i = 0; i < n && ret == 0; i++)
		ret = add_series(b, i, &series[i]);
	return ret;
}

static int building_plot(struct building *b)
{
	struct report *r = b->report;

	if (!b->request->plot)
		return 0;
	return plot_new(&r->plot, r->from.mono_ns, r->to.mono_ns, r->n_offsets, r->n_latencies,
			r->n_columns, query_run(b->query)->board);
}

int report_build(struct report **out, struct query *q, const struct report_request *request)
{
	static int (*const steps[])(struct building *) = {
		building_series,        building_plot,      building_happenings, building_windows,
		building_declared_gaps, building_latencies, building_offsets,    building_sort_gaps,
		building_summaries,     building_phcs,      building_worst,      building_headline,
	};
	CLEANUP(building_clear) struct building b = {.query = q, .request = request};
	int r;

	b.report = calloc(1, sizeof(*b.report));
	if (!b.report)
		return -ENOMEM;
	b.report->limits = request->limits;
	b.report->deviations = request->deviations;
	r = building_scope(&b, request);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && r == 0; i++)
		r = steps[i](&b);
	if (r < 0)
		return r;
	*out = steal(&b.report);
	return 0;
}
