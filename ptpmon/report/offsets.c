/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offsets: one series at a time, so that memory does not grow with their number. Its samples are
 * read once into arrays; what lies in a phase is a stretch of these, or several.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/hours.h"
#include "ptpmon/report/plot.h"
#include "ptpmon/report/values.h"
#include "ptpmon/stats/quantile.h"
#include "ptpmon/stats/ranks.h"
#include "ptpmon/stats/segments.h"

/* The distance of two samples that may be a gap, before the usual distance is known. */
#define GAP_LEAST_NS  NSEC_PER_SEC
#define GAP_INTERVALS 3

enum { MEDIAN = QUANTILE_WHOLE / 2 };

#define HALF_A_SECOND_NS (NSEC_PER_SEC / 2)

/* Samples that follow one another in one column, up to where the next stretch begins. */
struct stretch {
	size_t column;
	size_t first, first_delay; /* of what is in statistics */
};

/* What is gathered of one series. */
struct tally {
	struct building *b;
	struct report_offset_series *series;
	size_t index;                 /* of it */
	struct values times, offsets; /* of every sample; SAMPLE_UNKNOWN: not in statistics */
	struct values delays;
	struct values breaks;    /* what is kept before one that has another state, or a step */
	struct values distances; /* the long ones, candidates for gaps: from, to, from, to … */
	size_t kept;             /* offsets that are in statistics */
	int64_t last_ns;  /* the sample before, or the edge of the scope; TIME_UNKNOWN if none */
	struct part part; /* that the sample before lies in */
	size_t n_stretches, room;
	struct stretch *stretches; /* in order; one more stands behind the last when all is read */
	struct hours hours;        /* what is left of older ones, of the whole scope */
};

static void tally_clear(struct tally *t)
{
	values_clear(&t->times);
	values_clear(&t->offsets);
	values_clear(&t->delays);
	values_clear(&t->breaks);
	values_clear(&t->distances);
	free(t->stretches);
	hours_clear(&t->hours);
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

/* What is counted of a sample beside its offset. */
static void count(struct report_offset *o, const struct sample *s)
{
	o->missed += s->missed;
	o->time_assumed += !!(s->flags & SAMPLE_TIME_ASSUMED);
	if (s->value == SAMPLE_UNKNOWN)
		return;
	if (s->flags & SAMPLE_STEP) {
		o->steps++;
		keep_larger(&o->step_largest_ns, s->value);
	} else if (s->flags & SAMPLE_UNLOCKED) {
		o->unlocked++;
		keep_larger(&o->unlocked_largest_ns, s->value);
	}
}

static int begin_stretch(struct tally *t, size_t column)
{
	if (t->n_stretches == t->room) {
		size_t room = t->room ? 2 * t->room : 16;
		struct stretch *bigger = reallocarray(t->stretches, room, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		t->stretches = bigger;
		t->room = room;
	}
	t->stretches[t->n_stretches++] = (struct stretch){column, t->kept, t->delays.n};
	return 0;
}

/* The part of time that the sample lies in is another than that of the one before. */
static int enter_part(struct tally *t, int64_t mono_ns)
{
	t->part = partition_at(&t->b->partition, mono_ns);
	return begin_stretch(t, t->part.column);
}

static int keep(struct tally *t, const struct sample *s)
{
	t->kept++;
	keep_worst(t, s);
	plot_sample(t->b->report->plot, t->index, s);
	return s->delay_ns == SAMPLE_UNKNOWN ? 0 : values_add(&t->delays, s->delay_ns);
}

static int on_sample(void *userdata, const struct sample *s)
{
	struct tally *t = userdata;
	bool left_out = s->flags & (SAMPLE_STEP | SAMPLE_UNLOCKED);
	int64_t offset_ns = left_out ? SAMPLE_UNKNOWN : s->value;
	int r = note_distance(t, s->mono_ns);

	if (r == 0 && !part_holds(&t->part, s->mono_ns))
		r = enter_part(t, s->mono_ns);
	if (r == 0 && (s->missed || s->flags & ~(uint32_t)SAMPLE_SERVO)) {
		count(&t->series->columns[0], s);
		if (t->part.column > 0)
			count(&t->series->columns[t->part.column], s);
		if (left_out && s->value != SAMPLE_UNKNOWN)
			r = values_add(&t->breaks, (int64_t)t->kept);
	}
	if (r == 0)
		r = values_add(&t->times, s->mono_ns);
	if (r == 0)
		r = values_add(&t->offsets, offset_ns);
	return r < 0 || offset_ns == SAMPLE_UNKNOWN ? r : keep(t, s);
}

/* Only what is in statistics stays. */
static void drop_the_others(struct tally *t)
{
	size_t used = 0;

	if (t->kept == t->offsets.n)
		return;
	for (size_t i = 0; i < t->offsets.n; i++)
		if (t->offsets.v[i] != SAMPLE_UNKNOWN) {
			t->times.v[used] = t->times.v[i];
			t->offsets.v[used++] = t->offsets.v[i];
		}
	t->times.n = t->offsets.n = used;
}

/* The samples of one column. Where they are in one piece, nothing is copied. */
struct slice {
	const int64_t *times, *offsets;
	size_t n;
	struct values own_times, own_offsets, breaks;
};

static void slice_clear(struct slice *s)
{
	values_clear(&s->own_times);
	values_clear(&s->own_offsets);
	values_clear(&s->breaks);
}

/* Those of [first, end) of the tally become those of the slice behind what it has. */
static int add_breaks(struct slice *s, const struct tally *t, size_t first, size_t end)
{
	int r = 0;

	for (size_t i = 0; i < t->breaks.n && r == 0; i++) {
		size_t at = (size_t)t->breaks.v[i];

		if (at >= first && at < end)
			r = values_add(&s->breaks, (int64_t)(at - first + s->n));
	}
	return r;
}

static int add_stretch(struct slice *s, const struct tally *t, size_t first, size_t end)
{
	int r = add_breaks(s, t, first, end);

	if (r == 0)
		r = values_add_all(&s->own_times, t->times.v + first, end - first);
	if (r == 0)
		r = values_add_all(&s->own_offsets, t->offsets.v + first, end - first);
	s->n += end - first;
	return r;
}

/* Over what is in it, whose room it takes again. */
static int slice_of(const struct tally *t, size_t column, struct slice *out)
{
	const struct stretch *only = NULL;
	size_t n = 0;
	int r = 0;

	out->n = out->own_times.n = out->own_offsets.n = out->breaks.n = 0;
	for (size_t i = 0; i < t->n_stretches; i++)
		if (column > 0 && t->stretches[i].column == column) {
			only = &t->stretches[i];
			n++;
		}
	if (n <= 1) {
		size_t first = only ? only[0].first : 0;
		size_t end = only ? only[1].first : column > 0 ? 0 : t->kept;

		r = add_breaks(out, t, first, end);
		out->times = t->times.v + first;
		out->offsets = t->offsets.v + first;
		out->n = end - first;
		return r;
	}
	for (size_t i = 0; i < t->n_stretches && r == 0; i++)
		if (t->stretches[i].column == column)
			r = add_stretch(out, t, t->stretches[i].first, t->stretches[i + 1].first);
	out->times = out->own_times.v;
	out->offsets = out->own_offsets.v;
	return r;
}

static int median(const int64_t *values, size_t n, int64_t *out)
{
	const uint64_t rank = quantile_rank(MEDIAN, n);

	return n > 0 ? ranks_select(values, n, RANKS_OF_VALUES, &rank, 1, out) : 0;
}

/* The median of the mean path delay of a column but the first. */
static int write_delay(const struct tally *t, size_t column, struct values *room)
{
	const struct stretch *of = t->stretches;
	int64_t *out = &t->series->columns[column].delay_p50_ns;
	size_t n = 0;
	size_t last = 0;
	int r = 0;

	for (size_t i = 0; i < t->n_stretches; i++)
		if (of[i].column == column) {
			last = i;
			n++;
		}
	if (n == 1)
		return median(t->delays.v + of[last].first_delay,
			      of[last + 1].first_delay - of[last].first_delay, out);
	room->n = 0;
	for (size_t i = 0; i < t->n_stretches && r == 0; i++)
		if (of[i].column == column)
			r = values_add_all(room, t->delays.v + of[i].first_delay,
					   of[i + 1].first_delay - of[i].first_delay);
	return r < 0 ? r : median(room->v, room->n, out);
}

static int write_delays(struct tally *t)
{
	CLEANUP(values_clear) struct values room = {0};
	int r = median(t->delays.v, t->delays.n, &t->series->columns[0].delay_p50_ns);

	for (size_t c = 1; c < t->b->report->n_columns && r == 0; c++)
		r = write_delay(t, c, &room);
	values_clear(&t->delays);
	return r;
}

/* Of the samples whose rows are there. */
static int write_values(const struct tally *t, struct report_offset *o, const struct slice *s)
{
	struct moments m;
	int r;

	o->count = s->n;
	if (!o->count)
		return 0;
	m = values_moments(s->offsets, s->n);
	o->min_ns = m.min;
	o->max_ns = m.max;
	o->mean_ns = m.mean;
	o->stddev_ns = m.stddev;
	o->abs_max_ns = llabs(m.min) > llabs(m.max) ? llabs(m.min) : llabs(m.max);
	r = building_offset_quantiles(&o->abs, s->offsets, s->n);
	if (r < 0 || t->series->interval_p50_ns <= 0)
		return r;
	return building_wander(t->b, &o->wander,
			       &(struct series_values){
				       .times_ns = s->times,
				       .values = s->offsets,
				       .n = s->n,
				       .tau0_ns = t->series->interval_p50_ns,
				       .breaks = s->breaks.v,
				       .n_breaks = s->breaks.n,
			       });
}

static int write_column(const struct tally *t, size_t column, struct hours *hours, struct slice *s)
{
	struct report_offset *o = &t->series->columns[column];
	int r = slice_of(t, column, s);

	if (r == 0)
		r = write_values(t, o, s);
	if (r < 0)
		return r;
	plot_offsets(t->b->report->plot, t->index, column, s->offsets, s->n);
	plot_hours(t->b->report->plot, t->index, column, hours->histogram);
	hours_join(hours, o, s->offsets, s->n);
	return 0;
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

static int write_interval(struct tally *t)
{
	size_t n = t->times.n;
	const uint64_t rank = quantile_rank(MEDIAN, n > 0 ? n - 1 : 0);

	if (rank == 0)
		return 0;
	return ranks_select(t->times.v, n - 1, RANKS_OF_DISTANCES, &rank, 1,
			    &t->series->interval_p50_ns);
}

/* What the samples tell of the series as a whole: its rate, and its holes. */
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

static int read_samples(struct tally *t, size_t index)
{
	struct building *b = t->b;
	int r = hours_read(&t->hours, b, b->offset_indices[index], 0);

	if (t->hours.to_mono_ns != TIME_UNKNOWN) /* from there on rows tell of gaps */
		t->last_ns = t->hours.to_mono_ns;
	if (r == 0)
		r = (b->report->plot ? query_visit_samples : query_visit_values)(
			b->query, b->offset_indices[index], b->from_mono_ns, b->to_mono_ns,
			on_sample, t);
	if (r < 0)
		return r;
	r = begin_stretch(t, 0); /* the end of the last, which is none itself */
	t->n_stretches -= r == 0;
	return r;
}

static int write_phase(const struct tally *t, size_t index, size_t column, struct slice *s)
{
	CLEANUP(hours_clear) struct hours hours = {0};
	int r = hours_read(&hours, t->b, t->b->offset_indices[index], column);

	return r < 0 ? r : write_column(t, column, &hours, s);
}

static int fill_series(struct building *b, size_t index)
{
	CLEANUP(tally_clear)
	struct tally t = {
		.b = b,
		.series = &b->report->offsets[index],
		.index = index,
		/* a scope that begins within the run begins where there might have been a sample */
		.last_ns = b->from_start ? TIME_UNKNOWN : b->from_mono_ns,
	};
	CLEANUP(slice_clear) struct slice s = {0};
	int r = read_samples(&t, index);

	if (r == 0)
		r = write_delays(&t);
	if (r == 0)
		r = write_series(&t);
	if (r < 0)
		return r;
	drop_the_others(&t);
	for (size_t c = 0; c < b->report->n_columns; c++)
		write_lock(b, &b->report->columns[c], t.series->series.subject,
			   &t.series->columns[c]);
	r = write_column(&t, 0, &t.hours, &s);
	for (size_t c = 1; c < b->report->n_columns && r == 0; c++)
		r = write_phase(&t, index, c, &s);
	return r;
}

int building_offsets(struct building *b)
{
	struct report *r = b->report;
	int ret = 0;

	for (size_t i = 0; i < r->n_offsets && ret == 0; i++) {
		ret = fill_series(b, i);
		if (ret == 0)
			ret = building_coincidence(b, &r->offsets[i].coincidence);
	}
	return ret;
}
