/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wake-up latency of each CPU. A window counts for a phase only if all of it lies within: one
 * across the border holds wake-ups of both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/report/hours.h"
#include "ptpmon/stats/interval.h"
#include "ptpmon/stats/latency_summary.h"

struct tally {
	struct building *b;
	struct report_latency_series *series;
	const struct report_span *span;
	size_t column;
	bool whole;
	struct latency_summary *sum;
	struct histogram *parts; /* INTERVAL_BLOCKS of them, by time */
	uint64_t from_hours;
};

static void keep_worst(struct tally *t, const struct latency_window *w)
{
	struct report *r = t->b->report;
	struct report_worst worst;

	if (r->n_worst_latencies == REPORT_WORST &&
	    w->max_ns <= r->worst_latencies[REPORT_WORST - 1].latency_ns)
		return;
	worst = (struct report_worst){
		.second = {.from_ns = w->start_mono_ns, .to_ns = w->end_mono_ns},
		.offset_ns = SAMPLE_UNKNOWN,
		.latency_ns = w->max_ns,
	};
	memcpy(worst.cpu, t->series->series.subject, sizeof(worst.cpu));
	worst_keep(r->worst_latencies, &r->n_worst_latencies, &worst, worst_by_latency);
}

/* Which part of the column's time a moment lies in; pooled spans may share one. */
static struct histogram *part_of(const struct tally *t, int64_t mono_ns)
{
	const struct report_column *c = &t->b->report->columns[t->column];
	int64_t from_ns = c->spans[0].from_ns;
	int64_t length_ns = (c->spans[c->n_spans - 1].to_ns - from_ns) / INTERVAL_BLOCKS + 1;
	int64_t part = mono_ns > from_ns ? (mono_ns - from_ns) / length_ns : 0;

	return &t->parts[part < INTERVAL_BLOCKS ? part : INTERVAL_BLOCKS - 1];
}

static int on_window(void *userdata, size_t series, const struct latency_window *w)
{
	struct tally *t = userdata;

	if (!t->whole && (w->start_mono_ns < t->span->from_ns || w->end_mono_ns > t->span->to_ns))
		return 0;
	if (t->whole && w->count) {
		building_note_maximum(t->b, t->b->latency_maxima, w->start_mono_ns, w->max_ns);
		keep_worst(t, w);
	}
	(void)histogram_decode_add(part_of(t, w->start_mono_ns), w->bins, w->bins_len);
	return latency_summary_add(t->sum, w);
}

/* An hour whose windows are gone is taken as one, if all of it lies within. */
static int on_rollup(void *userdata, const struct query_rollup *rollup)
{
	struct tally *t = userdata;
	CLEANUP(freep) struct latency_window *w = NULL;

	if (!hours_lie_in(t->b, t->column, rollup->phase, rollup->from_mono_ns, rollup->to_mono_ns))
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	if (rollup->histogram_len > sizeof(w->bins) || !(rollup->sum >= 0) ||
	    rollup->sum >= (double)INT64_MAX)
		return -EBADMSG;
	w->start_mono_ns = rollup->from_mono_ns;
	w->end_mono_ns = rollup->to_mono_ns;
	w->count = rollup->count;
	w->min_ns = rollup->min;
	w->max_ns = rollup->max;
	w->sum_ns = (int64_t)rollup->sum;
	w->overflow = rollup->overflows;
	w->missed = rollup->missed;
	w->bins_len = rollup->histogram_len;
	if (w->bins_len > 0)
		memcpy(w->bins, rollup->histogram, w->bins_len);
	if (t->whole && w->count)
		keep_worst(t, w);
	t->from_hours += w->count;
	(void)histogram_decode_add(part_of(t, w->start_mono_ns), w->bins, w->bins_len);
	return latency_summary_add(t->sum, w);
}

static void write_summary(const struct latency_summary *sum, const struct histogram *parts,
			  struct report_latency *out)
{
	out->windows = sum->windows;
	out->missed = sum->missed;
	out->count = sum->count;
	if (!sum->count)
		return;
	out->min_ns = sum->min_ns;
	out->avg_ns = latency_summary_avg_ns(sum);
	out->max_ns = sum->max_ns;
	out->overflow = sum->overflow;
	building_latency_quantiles(&out->value, sum, parts);
}

static int fill_column(struct building *b, size_t index, size_t column)
{
	const struct report_column *c = &b->report->columns[column];
	CLEANUP(freep) struct latency_summary *sum = calloc(1, sizeof(*sum));
	CLEANUP(freep) struct histogram *parts = calloc(INTERVAL_BLOCKS, sizeof(*parts));
	struct tally t = {
		.b = b,
		.series = &b->report->latencies[index],
		.whole = column == 0,
		.sum = sum,
		.parts = parts,
		.column = column,
	};
	int r = 0;

	if (!sum || !parts)
		return -ENOMEM;
	r = query_visit_rollups(b->query, b->latency_indices[index], b->from_mono_ns, b->to_mono_ns,
				on_rollup, &t);
	for (size_t i = 0; i < c->n_spans && r == 0; i++) {
		t.span = &c->spans[i];
		r = query_visit_windows(b->query, b->latency_indices[index],
					t.whole ? b->from_mono_ns : t.span->from_ns,
					t.whole ? b->to_mono_ns : t.span->to_ns, on_window, &t);
	}
	if (r == 0)
		write_summary(sum, parts, &t.series->columns[column]);
	t.series->columns[column].from_hours = t.from_hours;
	return r;
}

int building_latencies(struct building *b)
{
	struct report *r = b->report;
	int ret = 0;

	for (size_t i = 0; i < r->n_latencies && ret == 0; i++)
		for (size_t c = 0; c < r->n_columns && ret == 0; c++)
			ret = fill_column(b, i, c);
	return ret;
}
