/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wake-up latency of each CPU. A window counts for a phase only if all of it lies within: one
 * across the border holds wake-ups of both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/report/hours.h"
#include "ptpmon/report/parts.h"
#include "ptpmon/report/plot.h"
#include "ptpmon/stats/latency_summary.h"

/* So many tallies, of about 26 KiB, are kept at once: all CPUs of a usual board in one reading. */
enum { TALLIES_MAX = 1024 };

/* One CPU in one column. */
struct tally {
	struct latency_summary sum; /* the histogram is that of all parts, in the end */
	struct parts parts;
	uint64_t from_hours;
};

/* Some CPUs in all columns, while the windows are read. */
struct reading {
	struct building *b;
	size_t first, n;       /* of the report's series */
	size_t *numbers;       /* of series of the query: n and more for others */
	struct tally *tallies; /* by series, then by column */
	struct part part;      /* that the window before began in */
	struct histogram_counts counts;
};

static void reading_clear(struct reading *r)
{
	for (size_t i = 0; r->tallies && i < r->n * r->b->report->n_columns; i++)
		parts_clear(&r->tallies[i].parts);
	free(r->tallies);
	free(r->numbers);
}

static void keep_worst(struct report *r, const struct series *series,
		       const struct latency_window *w)
{
	struct report_worst worst;

	if (r->n_worst_latencies == REPORT_WORST &&
	    w->max_ns <= r->worst_latencies[REPORT_WORST - 1].latency_ns)
		return;
	worst = (struct report_worst){
		.second = {.from_ns = w->start_mono_ns, .to_ns = w->end_mono_ns},
		.offset_ns = SAMPLE_UNKNOWN,
		.latency_ns = w->max_ns,
	};
	memcpy(worst.cpu, series->subject, sizeof(worst.cpu));
	worst_keep(r->worst_latencies, &r->n_worst_latencies, &worst, worst_by_latency);
}

/* Which part of the column's time a moment lies in; pooled spans may share one. */
static size_t part_of(const struct report_column *c, int64_t mono_ns)
{
	int64_t from_ns = c->spans[0].from_ns;
	int64_t length_ns = (c->spans[c->n_spans - 1].to_ns - from_ns) / INTERVAL_BLOCKS + 1;
	int64_t part = mono_ns > from_ns ? (mono_ns - from_ns) / length_ns : 0;

	return part < INTERVAL_BLOCKS ? (size_t)part : INTERVAL_BLOCKS - 1;
}

static struct tally *tally_of(struct reading *r, size_t number, size_t column)
{
	return &r->tallies[number * r->b->report->n_columns + column];
}

/* A window whose bins are in r->counts. */
static int add_window(struct reading *r, size_t number, size_t column,
		      const struct latency_window *w)
{
	struct tally *t = tally_of(r, number, column);
	int ret = latency_summary_count(&t->sum, w, r->counts.total);

	if (ret < 0)
		return ret;
	return parts_add(&t->parts, part_of(&r->b->report->columns[column], w->start_mono_ns),
			 &r->counts);
}

static int on_window(void *userdata, size_t series, const struct latency_window *w)
{
	struct reading *r = userdata;
	size_t number = r->numbers[series];
	int ret;

	if (number >= r->n)
		return 0;
	ret = histogram_decode(&r->counts, w->bins, w->bins_len);
	if (ret < 0)
		return ret;
	if (w->count) {
		building_note_maximum(r->b, r->b->latency_maxima, w->start_mono_ns, w->max_ns);
		plot_window(r->b->report->plot, w->start_mono_ns, w->end_mono_ns, w->max_ns);
		keep_worst(r->b->report, &r->b->report->latencies[r->first + number].series, w);
	}
	if (!part_holds(&r->part, w->start_mono_ns))
		r->part = partition_at(&r->b->partition, w->start_mono_ns);
	ret = add_window(r, number, 0, w);
	if (ret == 0 && r->part.column > 0 && w->end_mono_ns <= r->part.to_ns)
		ret = add_window(r, number, r->part.column, w);
	return ret;
}

/* An hour whose windows are gone is taken as one; its bins are not copied into it. */
static int window_of_rollup(struct latency_window *out, const struct query_rollup *rollup)
{
	if (rollup->histogram_len > WINDOW_BINS_MAX || !(rollup->sum >= 0) ||
	    rollup->sum >= (double)INT64_MAX)
		return -EBADMSG;
	out->start_mono_ns = rollup->from_mono_ns;
	out->end_mono_ns = rollup->to_mono_ns;
	out->count = rollup->count;
	out->min_ns = rollup->min;
	out->max_ns = rollup->max;
	out->sum_ns = (int64_t)rollup->sum;
	out->overflow = rollup->overflows;
	out->missed = rollup->missed;
	out->bins_len = 0;
	return 0;
}

/* In the columns that all of it lies within. */
static int on_rollup(void *userdata, const struct query_rollup *rollup)
{
	struct reading *r = userdata;
	size_t number = r->numbers[rollup->series];
	CLEANUP(freep) struct latency_window *w = calloc(1, sizeof(*w));
	int ret = w ? window_of_rollup(w, rollup) : -ENOMEM;

	if (ret == 0)
		ret = histogram_decode(&r->counts, rollup->histogram, rollup->histogram_len);
	for (size_t c = 0; c < r->b->report->n_columns && ret == 0; c++) {
		if (!hours_lie_in(r->b, c, rollup->phase, rollup->from_mono_ns, rollup->to_mono_ns))
			continue;
		if (c == 0 && w->count) {
			keep_worst(r->b->report, &r->b->report->latencies[r->first + number].series,
				   w);
			plot_window(r->b->report->plot, w->start_mono_ns, w->end_mono_ns,
				    w->max_ns);
		}
		tally_of(r, number, c)->from_hours += w->count;
		ret = add_window(r, number, c, w);
	}
	return ret;
}

static void write_tally(struct tally *t, struct report_latency *out)
{
	const struct latency_summary *sum = &t->sum;

	out->windows = sum->windows;
	out->missed = sum->missed;
	out->count = sum->count;
	out->from_hours = t->from_hours;
	if (!sum->count)
		return;
	out->min_ns = sum->min_ns;
	out->avg_ns = latency_summary_avg_ns(sum);
	out->max_ns = sum->max_ns;
	out->overflow = sum->overflow;
	parts_sum(&t->parts, &t->sum.histogram);
	building_latency_quantiles(&out->value, sum, &t->parts);
}

static int read_all(struct reading *r)
{
	struct building *b = r->b;
	int ret = 0;

	for (size_t i = 0; i < r->n && ret == 0; i++)
		ret = query_visit_rollups(b->query, b->latency_indices[r->first + i],
					  b->from_mono_ns, b->to_mono_ns, on_rollup, r);
	if (ret == 0)
		ret = query_visit_windows(b->query, QUERY_ALL_SERIES, b->from_mono_ns,
					  b->to_mono_ns, on_window, r);
	return ret;
}

/* Of n series from the first on. */
static int fill_series(struct building *b, size_t first, size_t n)
{
	size_t n_columns = b->report->n_columns;
	CLEANUP(reading_clear) struct reading r = {.b = b, .first = first, .n = n};
	size_t n_series;
	int ret;

	(void)query_series(b->query, &n_series);
	r.tallies = calloc(n * n_columns, sizeof(*r.tallies));
	r.numbers = calloc(n_series + 1, sizeof(*r.numbers));
	if (!r.tallies || !r.numbers)
		return -ENOMEM;
	for (size_t i = 0; i < n_series; i++)
		r.numbers[i] = SIZE_MAX;
	for (size_t i = 0; i < n; i++)
		r.numbers[b->latency_indices[first + i]] = i;
	ret = read_all(&r);
	for (size_t i = 0; i < n && ret == 0; i++)
		for (size_t c = 0; c < n_columns; c++) {
			struct tally *t = tally_of(&r, i, c);

			write_tally(t, &b->report->latencies[first + i].columns[c]);
			plot_latencies(b->report->plot, first + i, c, &t->sum.histogram);
		}
	return ret;
}

int building_latencies(struct building *b)
{
	struct report *r = b->report;
	size_t most = r->n_columns < TALLIES_MAX ? TALLIES_MAX / r->n_columns : 1;
	int ret = 0;

	for (size_t i = 0; i < r->n_latencies && ret == 0; i += most)
		ret = fill_series(b, i, r->n_latencies - i < most ? r->n_latencies - i : most);
	return ret;
}
