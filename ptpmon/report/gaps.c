/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gaps: what was declared, and holes in the samples that nobody declared, with their cause. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/report/building.h"

static void list_gap(struct building *b, const struct report_span *span, const char *port,
		     enum report_gap_cause cause)
{
	struct report *r = b->report;

	if (r->n_gaps < REPORT_LISTED_MAX) {
		struct report_gap *g = &r->gaps[r->n_gaps];

		g->from = building_moment(b, span->from_ns);
		g->duration_ns = span->to_ns - span->from_ns;
		g->cause = cause;
		(void)snprintf(g->port, sizeof(g->port), "%s", port);
	}
	r->n_gaps++;
}

static void count_gap(const struct building *b, struct report_offset_series *series,
		      const struct report_span *span)
{
	for (size_t i = 0; i < b->report->n_columns; i++) {
		const struct report_column *c = &b->report->columns[i];
		int64_t ns = spans_overlap(c->spans, c->n_spans, span->from_ns, span->to_ns);

		if (ns > 0) {
			series->columns[i].gaps++;
			series->columns[i].gaps_ns += ns;
		}
	}
}

static enum report_gap_cause cause_of(const struct port_history *p, const struct report_span *span)
{
	int64_t from_ns = span->from_ns;
	int64_t to_ns = span->to_ns;
	int64_t told_ns = spans_overlap(p->slave.v, p->slave.n, from_ns, to_ns) +
			  spans_overlap(p->unknown.v, p->unknown.n, from_ns, to_ns);

	return told_ns < to_ns - from_ns ? REPORT_GAP_NOT_LOCKED : REPORT_GAP_NO_UPDATES;
}

int building_declared_gaps(struct building *b)
{
	struct report *r = b->report;

	r->gaps = calloc(REPORT_LISTED_MAX, sizeof(*r->gaps));
	if (!r->gaps)
		return -ENOMEM;
	for (size_t i = 0; i < b->history.n_gaps; i++) {
		const struct declared_gap *gap = &b->history.gaps[i];

		if (gap->span.to_ns <= b->from_mono_ns || gap->span.from_ns >= b->to_mono_ns)
			continue;
		list_gap(b, &gap->span, gap->port, REPORT_GAP_NOT_RECORDED);
		for (size_t s = 0; s < r->n_offsets; s++)
			if (history_gap_concerns(gap, r->offsets[s].series.subject))
				count_gap(b, &r->offsets[s], &gap->span);
	}
	return 0;
}

static bool is_declared(const struct history *h, const char *port, const struct report_span *span)
{
	for (size_t i = 0; i < h->n_gaps; i++)
		if (history_gap_concerns(&h->gaps[i], port) &&
		    spans_overlap(&h->gaps[i].span, 1, span->from_ns, span->to_ns) > 0)
			return true;
	return false;
}

void building_gaps(struct building *b, struct report_offset_series *series,
		   const struct values *distances)
{
	const struct port_history *p = history_port(&b->history, series->series.subject);

	for (size_t i = 0; i + 1 < distances->n; i += 2) {
		struct report_span span = {
			.from_ns = distances->v[i],
			.to_ns = distances->v[i + 1],
		};

		if (span.to_ns - span.from_ns <= series->gap_limit_ns ||
		    is_declared(&b->history, p->port, &span))
			continue;
		list_gap(b, &span, p->port, cause_of(p, &span));
		count_gap(b, series, &span);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct report_gap *x = a;
	const struct report_gap *y = b;

	return (x->from.mono_ns > y->from.mono_ns) - (x->from.mono_ns < y->from.mono_ns);
}

int building_sort_gaps(struct building *b)
{
	struct report *r = b->report;
	size_t n = r->n_gaps < REPORT_LISTED_MAX ? r->n_gaps : REPORT_LISTED_MAX;

	qsort(r->gaps, n, sizeof(*r->gaps), by_time);
	return 0;
}
