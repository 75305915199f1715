/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wake-up latency of each CPU. A window counts for a phase only if all of it lies within: one
 * across the border holds wake-ups of both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/report/building.h"
#include "ptpmon/stats/latency_summary.h"

struct tally {
	struct building *b;
	struct report_latency_series *series;
	const struct report_span *span;
	bool whole;
	struct latency_summary *sum;
};

static void keep_worst(struct tally *t, const struct latency_window *w)
{
	struct report *r = t->b->report;
	struct report_worst worst = {
		.second = {.from_ns = w->start_mono_ns, .to_ns = w->end_mono_ns},
		.offset_ns = SAMPLE_UNKNOWN,
		.latency_ns = w->max_ns,
	};

	memcpy(worst.cpu, t->series->series.subject, sizeof(worst.cpu));
	worst_keep(r->worst_latencies, &r->n_worst_latencies, &worst, worst_by_latency);
}

static int on_window(void *userdata, size_t series, const struct latency_window *w)
{
	struct tally *t = userdata;

	if (!t->whole && (w->start_mono_ns < t->span->from_ns || w->end_mono_ns > t->span->to_ns))
		return 0;
	if (t->whole && w->count)
		keep_worst(t, w);
	return latency_summary_add(t->sum, w);
}

static void write_summary(const struct latency_summary *sum, struct report_latency *out)
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
	for (size_t i = 0; i < REPORT_PERCENTILES; i++)
		(void)latency_summary_percentile(sum, report_percentiles[i].p_milli,
						 &out->value.value_ns[i]);
}

static int fill_column(struct building *b, size_t index, size_t column)
{
	const struct report_column *c = &b->report->columns[column];
	CLEANUP(freep) struct latency_summary *sum = calloc(1, sizeof(*sum));
	struct tally t = {
		.b = b,
		.series = &b->report->latencies[index],
		.whole = column == 0,
		.sum = sum,
	};
	int r = 0;

	if (!sum)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_spans && r == 0; i++) {
		t.span = &c->spans[i];
		r = query_visit_windows(b->query, b->latency_indices[index],
					t.whole ? b->from_mono_ns : t.span->from_ns,
					t.whole ? b->to_mono_ns : t.span->to_ns, on_window, &t);
	}
	if (r == 0)
		write_summary(sum, &t.series->columns[column]);
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
