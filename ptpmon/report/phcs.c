/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system clock against PHCs: as measured, and as phc2sys claims. What was not steered yet is
 * counted beside the statistics.
 */
#include <errno.h>
#include <stdlib.h>

#include "ptpmon/report/building.h"
#include "ptpmon/report/clean.h"
#include "ptpmon/report/hours.h"
#include "ptpmon/report/values.h"
#include "ptpmon/stats/quantile.h"

enum { MEDIAN = QUANTILE_WHOLE / 2 };

/* All of one series. */
struct readings {
	struct values times, values, delays;
	struct values unlocked_times, unlocked;
};

static void readings_clear(struct readings *r)
{
	values_clear(&r->times);
	values_clear(&r->values);
	values_clear(&r->delays);
	values_clear(&r->unlocked_times);
	values_clear(&r->unlocked);
}

static int on_sample(void *userdata, const struct sample *s)
{
	struct readings *all = userdata;
	bool unlocked = s->flags & SAMPLE_UNLOCKED;
	int r = values_add(unlocked ? &all->unlocked_times : &all->times, s->mono_ns);

	if (r == 0)
		r = values_add(unlocked ? &all->unlocked : &all->values, s->value);
	if (r == 0 && !unlocked)
		r = values_add(&all->delays, s->delay_ns);
	return r;
}

static void count_unlocked(const struct building *b, const struct readings *all, size_t column,
			   struct report_offset *o)
{
	for (size_t i = 0; i < all->unlocked.n; i++) {
		int64_t value = all->unlocked.v[i];

		if (!building_in_column(b, column, all->unlocked_times.v[i]))
			continue;
		o->unlocked++;
		if (o->unlocked_largest_ns == SAMPLE_UNKNOWN ||
		    llabs(value) > llabs(o->unlocked_largest_ns))
			o->unlocked_largest_ns = value;
	}
}

static int write_values(struct report_offset *o, const struct values *in)
{
	struct moments m;

	o->count = in->n;
	if (!o->count)
		return 0;
	m = values_moments(in->v, in->n);
	o->min_ns = m.min;
	o->max_ns = m.max;
	o->mean_ns = m.mean;
	o->stddev_ns = m.stddev;
	o->abs_max_ns = llabs(m.min) > llabs(m.max) ? llabs(m.min) : llabs(m.max);
	return building_offset_quantiles(&o->abs, in->v, in->n);
}

static int fill_column(const struct building *b, const struct readings *all, size_t series,
		       size_t column, struct report_offset *o)
{
	CLEANUP(hours_clear) struct hours hours = {0};
	CLEANUP(values_clear) struct values in = {0};
	CLEANUP(values_clear) struct values delays = {0};
	int r = hours_read(&hours, b, series, column);

	for (size_t i = 0; i < all->values.n && r == 0; i++) {
		if (!building_in_column(b, column, all->times.v[i]))
			continue;
		r = values_add(&in, all->values.v[i]);
		if (r == 0 && all->delays.v[i] != SAMPLE_UNKNOWN)
			r = values_add(&delays, all->delays.v[i]);
	}
	if (r == 0)
		r = write_values(o, &in);
	if (r < 0)
		return r;
	count_unlocked(b, all, column, o);
	if (delays.n > 0)
		o->delay_p50_ns = quantile_select(delays.v, delays.n, MEDIAN);
	hours_join(&hours, o, in.v, in.n);
	return 0;
}

int building_phcs(struct building *b)
{
	struct report *report = b->report;
	size_t n;
	const struct query_series *all = query_series(b->query, &n);
	int r = 0;

	report->phcs = calloc(n + 1, sizeof(*report->phcs));
	if (!report->phcs)
		return -ENOMEM;
	for (size_t i = 0; i < n && r == 0; i++) {
		CLEANUP(readings_clear) struct readings readings = {0};
		struct report_phc_series *s = &report->phcs[report->n_phcs];

		if (all[i].kind != SERIES_SYS_MINUS_PHC && all[i].kind != SERIES_PHC2SYS)
			continue;
		s->columns = building_offset_columns(report->n_columns);
		if (!s->columns)
			return -ENOMEM;
		report->n_phcs++;
		s->series.kind = all[i].kind;
		CLEAN(s->series.source, all[i].source);
		CLEAN(s->series.subject, all[i].subject);
		CLEAN(s->series.unit, all[i].unit);
		r = query_visit_values(b->query, i, b->from_mono_ns, b->to_mono_ns, on_sample,
				       &readings);
		for (size_t c = 0; c < report->n_columns && r == 0; c++)
			r = fill_column(b, &readings, i, c, &s->columns[c]);
	}
	return r;
}
