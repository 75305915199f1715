/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offsets: one column of one series at a time, so that memory does not grow with their number. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/hours.h"
#include "ptpmon/report/values.h"
#include "ptpmon/stats/quantile.h"
#include "ptpmon/stats/segments.h"

/* The distance of two samples that may be a gap, before the usual distance is known. */
#define GAP_LEAST_NS  NSEC_PER_SEC
#define GAP_INTERVALS 3

enum { MEDIAN = QUANTILE_WHOLE / 2 };

#define HALF_A_SECOND_NS (NSEC_PER_SEC / 2)

/* What is gathered of one series in one column. */
struct tally {
	struct building *b;
	struct report_offset_series *series;
	struct report_offset *column;
	struct values times, offsets; /* of every sample; SAMPLE_UNKNOWN: not in statistics */
	struct values delays;
	size_t kept;          /* offsets that are */
	struct values breaks; /* what is kept before one that has another state, or a step */
	struct hours hours;   /* what is left of older ones */
	/* only of column 0: */
	bool whole;
	int64_t last_ns; /* the sample before, or the edge of the scope; TIME_UNKNOWN if none */
	struct values distances; /* the long ones, candidates for gaps: from, to, from, to … */
};

static void tally_clear(struct tally *t)
{
	values_clear(&t->times);
	values_clear(&t->offsets);
	values_clear(&t->delays);
	values_clear(&t->breaks);
	hours_clear(&t->hours);
	values_clear(&t->distances);
}

static void keep_larger(int64_t *largest, int64_t value)
{
	if (*largest == SAMPLE_UNKNOWN || llabs(value) > llabs(*largest))
		*largest = value;
}

/* From the sample before (or the edge of the scope) to this one (or the other edge). */
static int note_distance(struct tally *t, int64_t to_ns)
{
	int64_t from_ns = t->last_ns;
	int r = 0;

	t->last_ns = to_ns;
	if (from_ns == TIME_UNKNOWN || to_ns - from_ns <= GAP_LEAST_NS)
		return 0;
	r = values_add(&t->distances, from_ns);
	return r < 0 ? r : values_add(&t->distances, to_ns);
}

static void keep_worst(struct tally *t, const struct sample *s)
{
	struct report *r = t->b->report;
	struct report_worst w;

	building_note_maximum(t->b, t->b->offset_maxima, s->mono_ns, llabs(s->value));
	if (r->n_worst_offsets == REPORT_WORST &&
	    llabs(s->value) <= worst_by_offset(&r->worst_offsets[REPORT_WORST - 1]))
		return;
	w = (struct report_worst){
		.second = {.from_ns = s->mono_ns - HALF_A_SECOND_NS,
			   .to_ns = s->mono_ns + HALF_A_SECOND_NS},
		.at.mono_ns = s->mono_ns,
		.offset_ns = s->value,
		.latency_ns = SAMPLE_UNKNOWN,
	};
	memcpy(w.port, t->series->series.subject, sizeof(w.port));
	worst_keep(r->worst_offsets, &r->n_worst_offsets, &w, worst_by_offset);
}

/* Counts one that is in no statistic, and tells whether it is. */
static bool leave_out(struct report_offset *o, const struct sample *s)
{
	if (s->flags & SAMPLE_STEP) {
		o->steps++;
		keep_larger(&o->step_largest_ns, s->value);
		return true;
	}
	if (s->flags & SAMPLE_UNLOCKED) {
		o->unlocked++;
		keep_larger(&o->unlocked_largest_ns, s->value);
		return true;
	}
	return false;
}

static int on_sample(void *userdata, const struct sample *s)
{
	struct tally *t = userdata;
	int64_t offset_ns = s->value;
	int r = t->whole ? note_distance(t, s->mono_ns) : 0;

	t->column->missed += s->missed;
	t->column->time_assumed += !!(s->flags & SAMPLE_TIME_ASSUMED);
	if (r == 0 && offset_ns != SAMPLE_UNKNOWN && leave_out(t->column, s)) {
		offset_ns = SAMPLE_UNKNOWN;
		r = values_add(&t->breaks, (int64_t)t->kept);
	}
	if (r == 0)
		r = values_add(&t->times, s->mono_ns);
	if (r == 0)
		r = values_add(&t->offsets, offset_ns);
	if (r < 0 || offset_ns == SAMPLE_UNKNOWN)
		return r;
	t->kept++;
	if (t->whole)
		keep_worst(t, s);
	return s->delay_ns == SAMPLE_UNKNOWN ? 0 : values_add(&t->delays, s->delay_ns);
}

/* Only what is in statistics stays. */
static void drop_the_others(struct tally *t)
{
	size_t used = 0;

	for (size_t i = 0; i < t->offsets.n; i++)
		if (t->offsets.v[i] != SAMPLE_UNKNOWN) {
			t->times.v[used] = t->times.v[i];
			t->offsets.v[used++] = t->offsets.v[i];
		}
	t->times.n = t->offsets.n = used;
}

/* Of the samples whose rows are there. */
static int write_values(struct tally *t)
{
	struct report_offset *o = t->column;
	struct moments m;
	int r;

	o->count = t->offsets.n;
	if (!o->count)
		return 0;
	m = values_moments(&t->offsets);
	o->min_ns = m.min;
	o->max_ns = m.max;
	o->mean_ns = m.mean;
	o->stddev_ns = m.stddev;
	o->abs_max_ns = llabs(m.min) > llabs(m.max) ? llabs(m.min) : llabs(m.max);
	r = building_offset_quantiles(&o->abs, t->offsets.v, o->count);
	if (r < 0 || t->series->interval_p50_ns <= 0)
		return r;
	return building_wander(t->b, &o->wander,
			       &(struct series_values){
				       .times_ns = t->times.v,
				       .values = t->offsets.v,
				       .n = o->count,
				       .tau0_ns = t->series->interval_p50_ns,
				       .breaks = t->breaks.v,
				       .n_breaks = t->breaks.n,
			       });
}

static int write_statistics(struct tally *t)
{
	int r;

	drop_the_others(t);
	r = write_values(t);
	if (r == 0)
		hours_join(&t->hours, t->column, t->offsets.v, t->offsets.n);
	return r;
}

static void write_lock(const struct building *b, const struct report_column *column,
		       const char *port, struct report_offset *o)
{
	const struct port_history *p = history_port(&b->history, port);

	for (size_t i = 0; i < column->n_spans; i++) {
		const struct report_span *s = &column->spans[i];

		o->locked_ns += spans_overlap(p->slave.v, p->slave.n, s->from_ns, s->to_ns);
		o->unknown_ns += spans_overlap(p->unknown.v, p->unknown.n, s->from_ns, s->to_ns);
	}
	if (column->duration_ns > 0)
		o->locked_share = (double)o->locked_ns / (double)column->duration_ns;
}

/* In the room that the delays took: a night is long. */
static int write_interval(struct tally *t)
{
	struct values *intervals = &t->delays;
	int r = 0;

	intervals->n = 0;
	for (size_t i = 1; i < t->times.n && r == 0; i++)
		r = values_add(intervals, t->times.v[i] - t->times.v[i - 1]);
	if (r == 0 && intervals->n > 0)
		t->series->interval_p50_ns = quantile_select(intervals->v, intervals->n, MEDIAN);
	return r;
}

/* What the samples of column 0 tell of the series as a whole: its rate, and its holes. */
static int write_series(struct tally *t)
{
	struct report_offset_series *series = t->series;
	int r = write_interval(t);

	/* the last moment that counts is an edge, as the first was */
	if (r == 0)
		r = note_distance(t, t->b->to_mono_ns - 1);
	if (r < 0)
		return r;
	series->gap_limit_ns = GAP_LEAST_NS;
	if (series->interval_p50_ns != SAMPLE_UNKNOWN &&
	    GAP_INTERVALS * series->interval_p50_ns > GAP_LEAST_NS)
		series->gap_limit_ns = GAP_INTERVALS * series->interval_p50_ns;
	building_gaps(t->b, series, &t->distances);
	return 0;
}

static int fill_column(struct building *b, size_t index, size_t column)
{
	const struct report_column *c = &b->report->columns[column];
	struct report_offset_series *series = &b->report->offsets[index];
	CLEANUP(tally_clear)
	struct tally t = {
		.b = b,
		.series = series,
		.column = &series->columns[column],
		.whole = column == 0,
		/* a scope that begins within the run begins where there might have been a sample */
		.last_ns = b->from_start ? TIME_UNKNOWN : b->from_mono_ns,
	};
	int r = hours_read(&t.hours, b, b->offset_indices[index], column);

	if (t.hours.to_mono_ns != TIME_UNKNOWN) /* from there on rows tell of gaps */
		t.last_ns = t.hours.to_mono_ns;
	for (size_t i = 0; i < c->n_spans && r == 0; i++)
		r = query_visit_samples(b->query, b->offset_indices[index],
					t.whole ? b->from_mono_ns : c->spans[i].from_ns,
					t.whole ? b->to_mono_ns : c->spans[i].to_ns, on_sample, &t);
	if (r < 0)
		return r;
	write_lock(b, c, series->series.subject, t.column);
	if (t.delays.n > 0)
		t.column->delay_p50_ns = quantile_select(t.delays.v, t.delays.n, MEDIAN);
	if (t.whole)
		r = write_series(&t);
	values_clear(&t.delays);
	return r < 0 ? r : write_statistics(&t);
}

int building_offsets(struct building *b)
{
	struct report *r = b->report;
	int ret = 0;

	for (size_t i = 0; i < r->n_offsets && ret == 0; i++) {
		for (size_t c = 0; c < r->n_columns && ret == 0; c++)
			ret = fill_column(b, i, c);
		if (ret == 0)
			ret = building_coincidence(b, &r->offsets[i].coincidence);
	}
	return ret;
}
