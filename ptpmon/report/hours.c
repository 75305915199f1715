/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/hours.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/report/plot.h"
#include "ptpmon/stats/quantile.h"

bool hours_lie_in(const struct building *b, size_t column, size_t phase, int64_t from_mono_ns,
		  int64_t to_mono_ns)
{
	const struct report_column *c = &b->report->columns[column];
	size_t n;
	const struct query_phase *phases = query_phases(b->query, &n);

	if (from_mono_ns < b->from_mono_ns || to_mono_ns >= b->to_mono_ns)
		return false;
	if (column == 0)
		return true;
	/* hours are kept apart by phases, not by marks */
	return !b->request->by_mark && phase < n &&
	       strncmp(phases[phase].name, c->name, sizeof(c->name) - 1) == 0;
}

struct reading {
	const struct building *b;
	size_t column;
	struct hours *hours;
};

/* Of an offset series, whose index in the report is looked for: PHCs have hours as well. */
static void plot_hour(const struct reading *r, const struct query_rollup *rollup)
{
	const struct report *report = r->b->report;

	for (size_t i = 0; i < report->n_offsets && r->column == 0; i++)
		if (r->b->offset_indices[i] == rollup->series)
			plot_offset_span(report->plot, i, rollup->from_mono_ns, rollup->to_mono_ns,
					 rollup->min, rollup->max);
}

static int on_rollup(void *userdata, const struct query_rollup *rollup)
{
	const struct reading *r = userdata;
	struct hours *h = r->hours;

	if (!hours_lie_in(r->b, r->column, rollup->phase, rollup->from_mono_ns, rollup->to_mono_ns))
		return 0;
	if (signed_histogram_decode_add(h->histogram, rollup->histogram, rollup->histogram_len) <
		    0 ||
	    (rollup->count > 0 && (rollup->min == SAMPLE_UNKNOWN || rollup->max == SAMPLE_UNKNOWN)))
		return -EBADMSG;
	if (rollup->count > 0) {
		h->min_ns = h->count && h->min_ns < rollup->min ? h->min_ns : rollup->min;
		h->max_ns = h->count && h->max_ns > rollup->max ? h->max_ns : rollup->max;
		plot_hour(r, rollup);
	}
	h->count += rollup->count;
	h->sum += rollup->sum;
	h->sum_squares += rollup->sum_squares;
	h->missed += rollup->missed;
	h->steps += rollup->steps;
	h->unlocked += rollup->unlocked;
	if (rollup->to_mono_ns > h->to_mono_ns)
		h->to_mono_ns = rollup->to_mono_ns;
	return 0;
}

int hours_read(struct hours *out, const struct building *b, size_t series, size_t column)
{
	struct reading r = {.b = b, .column = column, .hours = out};
	uint64_t total;
	int ret;

	out->to_mono_ns = TIME_UNKNOWN;
	out->histogram = calloc(1, sizeof(*out->histogram));
	if (!out->histogram)
		return -ENOMEM;
	ret = query_visit_rollups(b->query, series, b->from_mono_ns, b->to_mono_ns, on_rollup, &r);
	if (ret < 0)
		return ret;
	total = signed_histogram_total(out->histogram);
	return total == out->count ? 0 : -EBADMSG;
}

static void join_moments(const struct hours *h, struct report_offset *o, double n)
{
	double sum = h->sum + (o->count ? o->mean_ns * (double)o->count : 0);
	double squares = h->sum_squares;

	if (o->count)
		squares +=
			(o->stddev_ns * o->stddev_ns + o->mean_ns * o->mean_ns) * (double)o->count;
	o->mean_ns = sum / n;
	o->stddev_ns = sqrt(fmax(squares / n - o->mean_ns * o->mean_ns, 0));
}

/* From bins, and so at most 1/64 too large. Of the hours' order nothing is known: no interval. */
static void join_quantiles(const struct signed_histogram *histogram, struct report_offset *o)
{
	for (size_t p = 0; p < REPORT_PERCENTILES; p++) {
		uint32_t p_milli = report_percentiles[p].p_milli;
		uint64_t rank = quantile_rank(p_milli, o->count);
		int64_t value;

		o->abs.low_ns[p] = o->abs.high_ns[p] = SAMPLE_UNKNOWN;
		o->abs.effective[p] = 0;
		if (!quantile_supported(p_milli, o->count))
			continue;
		value = signed_histogram_magnitude_at_rank(histogram, rank);
		o->abs.value_ns[p] = value < o->abs_max_ns ? value : o->abs_max_ns;
		o->abs.beyond[p] = o->count - rank;
	}
}

void hours_join(struct hours *h, struct report_offset *o, const int64_t *values, size_t n)
{
	o->missed += h->missed;
	o->steps += h->steps;
	o->unlocked += h->unlocked;
	if (h->count == 0)
		return;
	join_moments(h, o, (double)h->count + (double)o->count);
	o->min_ns = o->count && o->min_ns < h->min_ns ? o->min_ns : h->min_ns;
	o->max_ns = o->count && o->max_ns > h->max_ns ? o->max_ns : h->max_ns;
	o->abs_max_ns = llabs(o->min_ns) > llabs(o->max_ns) ? llabs(o->min_ns) : llabs(o->max_ns);
	o->count += h->count;
	o->from_hours = h->count;
	for (size_t i = 0; i < n; i++)
		signed_histogram_count(h->histogram, values[i]);
	join_quantiles(h->histogram, o);
}

void hours_clear(struct hours *h)
{
	free(h->histogram);
}
