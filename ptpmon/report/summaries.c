/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Summary lines of imported logs: the rms and the largest of offsets that were not logged one by
 * one. Half of the lines have at most the median: no percentile of offsets is told of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/report/building.h"
#include "ptpmon/report/clean.h"
#include "ptpmon/report/values.h"
#include "ptpmon/stats/quantile.h"

enum { MEDIAN = QUANTILE_WHOLE / 2 };

/* One kind of value of the lines. */
struct lines {
	struct values times, values;
};

static void lines_clear(struct lines *l)
{
	values_clear(&l->times);
	values_clear(&l->values);
}

static int on_sample(void *userdata, const struct sample *s)
{
	struct lines *l = userdata;
	int r = values_add(&l->times, s->mono_ns);

	return r < 0 ? r : values_add(&l->values, s->value);
}

/* The median and the largest of what lies in a column. */
static int write_values(const struct building *b, const struct lines *l, size_t column,
			uint64_t *count, int64_t *p50, int64_t *largest)
{
	CLEANUP(values_clear) struct values in = {0};
	int r = 0;

	for (size_t i = 0; i < l->values.n && r == 0; i++)
		if (building_in_column(b, column, l->times.v[i]))
			r = values_add(&in, l->values.v[i]);
	*count = in.n;
	*p50 = *largest = SAMPLE_UNKNOWN;
	if (r < 0 || in.n == 0)
		return r;
	for (size_t i = 0; i < in.n; i++)
		*largest = in.v[i] > *largest ? in.v[i] : *largest;
	*p50 = quantile_select(in.v, in.n, MEDIAN);
	return 0;
}

static void write_largest_at(const struct building *b, struct report_summary_series *s,
			     const struct lines *maxima)
{
	for (size_t i = 0; i < maxima->values.n; i++)
		if (maxima->values.v[i] == s->columns[0].max_largest_ns) {
			s->largest_at = building_moment(b, maxima->times.v[i]);
			return;
		}
}

static int read_lines(struct building *b, size_t series, struct lines *out)
{
	return query_visit_values(b->query, series, b->from_mono_ns, b->to_mono_ns, on_sample, out);
}

/* Of the rms and the max with the same source and subject. */
static int fill(struct building *b, struct report_summary_series *s, size_t rms, size_t max)
{
	CLEANUP(lines_clear) struct lines squares = {0};
	CLEANUP(lines_clear) struct lines maxima = {0};
	int r = read_lines(b, rms, &squares);

	if (r == 0)
		r = read_lines(b, max, &maxima);
	for (size_t c = 0; c < b->report->n_columns && r == 0; c++) {
		struct report_summary *column = &s->columns[c];
		uint64_t ignored;

		r = write_values(b, &squares, c, &column->count, &column->rms_p50_ns,
				 &column->rms_largest_ns);
		if (r == 0)
			r = write_values(b, &maxima, c, &ignored, &column->max_p50_ns,
					 &column->max_largest_ns);
	}
	if (r == 0)
		write_largest_at(b, s, &maxima);
	return r;
}

static size_t find_max(const struct query_series *all, size_t n, const struct query_series *rms)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].kind == SERIES_OFFSET_MAX && strcmp(all[i].source, rms->source) == 0 &&
		    strcmp(all[i].subject, rms->subject) == 0)
			return i;
	return n;
}

int building_summaries(struct building *b)
{
	struct report *report = b->report;
	size_t n;
	const struct query_series *all = query_series(b->query, &n);
	int r = 0;

	report->summaries = calloc(n + 1, sizeof(*report->summaries));
	if (!report->summaries)
		return -ENOMEM;
	for (size_t i = 0; i < n && r == 0; i++) {
		struct report_summary_series *s = &report->summaries[report->n_summaries];
		size_t max = all[i].kind == SERIES_OFFSET_RMS ? find_max(all, n, &all[i]) : n;

		if (max == n)
			continue;
		s->columns = calloc(report->n_columns, sizeof(*s->columns));
		if (!s->columns)
			return -ENOMEM;
		report->n_summaries++;
		s->largest_at = (struct report_moment){.utc_ns = TIME_UNKNOWN};
		s->series.kind = all[i].kind;
		CLEAN(s->series.source, all[i].source);
		CLEAN(s->series.subject, all[i].subject);
		CLEAN(s->series.unit, all[i].unit);
		r = fill(b, s, i, max);
	}
	return r;
}
