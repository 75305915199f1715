/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often each offset was, one panel for each phase above one another on one axis, counts
 * logarithmic so that the single worst one is seen beside the millions.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/report/canvas.h"
#include "ptpmon/report/figure.h"

enum { PHASES_MAX = 4, PANEL_HEIGHT = 110, PERCENTILE_99 = 1, MARK_ROW = 14, BAR_WIDTH = 4 };
enum { BARS_MAX = PLOT_COLUMNS / BAR_WIDTH };

static const struct report_offset *figures_of(const struct canvas *c, size_t column)
{
	return &c->report->offsets[c->series].columns[column];
}

/* The bins of one column, each of the values that it stands for. */
static void fill_bars(const struct canvas *c, const struct scale *x, size_t column, double *bars,
		      size_t n)
{
	const struct signed_histogram *h = plot_distribution(c->plot, c->series, column);

	for (size_t i = 0; i < SIGNED_HISTOGRAM_BINS; i++) {
		bool below = i < SIGNED_HISTOGRAM_SIDE - 1;
		size_t bin =
			below ? SIGNED_HISTOGRAM_SIDE - 1 - i : i - (SIGNED_HISTOGRAM_SIDE - 1);
		double low = (double)histogram_bin_low(bin) - 0.5;
		double high = (double)histogram_bin_high(bin) + 0.5;

		if (h->bins[i])
			canvas_rebin(x,
				     &(canvas_bin){.low = below ? -high : low,
						   .high = below ? -low : high,
						   .count = h->bins[i]},
				     bars, n);
	}
}

/* Each percentile at both sides of zero, for they are of the magnitude. */
static void draw_percentiles(struct canvas *c, const struct scale *x, const struct report_offset *o,
			     double top, double bottom)
{
	for (size_t p = 0; p < REPORT_PERCENTILES; p++) {
		double y = top + 2 + MARK_ROW * (double)(p + 1);
		double at = scale_at(x, (double)o->abs.value_ns[p]);
		bool left = at > c->width - 98;
		char figure[FIGURE_MAX];

		if (o->abs.value_ns[p] == SAMPLE_UNKNOWN)
			continue;
		svg_line(&c->body, at, y - 8, at, bottom, "pct");
		if (-(double)o->abs.value_ns[p] >= x->low) {
			double other = scale_at(x, -(double)o->abs.value_ns[p]);

			svg_line(&c->body, other, y - 8, other, bottom, "pct");
		}
		svg_text(&c->body, left ? at - 4 : at + 4, y, left ? "k e over" : "k over",
			 "%s  %s", report_percentiles[p].text,
			 figure_offset(o->abs.value_ns[p], figure));
	}
}

static void draw_phase(struct canvas *c, struct scale *x, size_t column, double most)
{
	const struct report_offset *o = figures_of(c, column);
	struct scale counts = {.kind = SCALE_LOG, .low = 0.6, .high = fmax(most * 1.5, 10)};
	double top = c->y + 24;
	double bottom = top + PANEL_HEIGHT;
	double bars[BARS_MAX] = {0};
	size_t n = canvas_columns(c) / BAR_WIDTH;

	counts.from = bottom;
	counts.to = top + MARK_ROW + 4; /* the first label stands above the bars */
	svg_text(&c->body, c->wide ? c->left : 4, top - 8, "h", "%s: %" PRIu64 " samples",
		 column ? c->report->columns[column].name : "All", o->count);
	canvas_y_axis(c, &counts, 4, scale_text_count);
	fill_bars(c, x, column, bars, n);
	canvas_bars(c, x, &counts, bars, n);
	svg_line(&c->body, c->left, bottom, c->right, bottom, "axis");
	draw_percentiles(c, x, o, top, bottom);
	c->y = bottom + 8;
}

/* The highest bar in any of the phases. */
static double highest(const struct canvas *c, const struct scale *x, const size_t *phases, size_t n)
{
	double most = 1;

	for (size_t i = 0; i < n; i++) {
		double bars[BARS_MAX] = {0};

		fill_bars(c, x, phases[i], bars, canvas_columns(c) / BAR_WIDTH);
		for (size_t k = 0; k < canvas_columns(c) / BAR_WIDTH; k++)
			most = fmax(most, bars[k]);
	}
	return most;
}

static void describe(struct canvas *c, size_t column)
{
	const struct report_offset *o = figures_of(c, column);

	strbuf_addf(&c->description, "%s: ", column ? c->report->columns[column].name : "all");
	for (size_t p = 0; p < REPORT_PERCENTILES; p++) {
		char figure[FIGURE_MAX];

		if (o->abs.value_ns[p] != SAMPLE_UNKNOWN)
			strbuf_addf(&c->description, "%s of magnitudes within %s, ",
				    report_percentiles[p].text,
				    figure_offset(o->abs.value_ns[p], figure));
	}
	strbuf_addf(&c->description, "%" PRIu64 " samples. ", o->count);
}

/* Phases with samples; all of it where there is none. */
static size_t choose(const struct canvas *c, size_t *out)
{
	size_t n = canvas_phases(c, out, PHASES_MAX);
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (figures_of(c, out[i])->count)
			out[used++] = out[i];
	if (used == 0)
		out[used++] = 0;
	return used;
}

void chart_distribution_draw(struct canvas *c)
{
	const struct report_offset *all = figures_of(c, 0);
	int64_t usual_ns = all->abs.value_ns[PERCENTILE_99];
	size_t phases[PHASES_MAX];
	size_t n = choose(c, phases);
	struct scale x = scale_of_offsets((double)all->min_ns, (double)all->max_ns,
					  usual_ns == SAMPLE_UNKNOWN ? 0 : (double)usual_ns);
	double most;

	scale_round(&x, c->wide ? 10 : 5);
	x.from = c->left;
	x.to = c->right;
	most = highest(c, &x, phases, n);
	(void)snprintf(c->title, sizeof(c->title), "Distribution of the offset: %s",
		       c->report->offsets[c->series].series.subject);
	for (size_t i = 0; i < n; i++) {
		double top = c->y + 24;

		canvas_x_axis(c, &x, c->wide ? 10 : 4, scale_text_ns, top, top + PANEL_HEIGHT,
			      i + 1 == n);
		draw_phase(c, &x, phases[i], most);
		describe(c, phases[i]);
	}
	c->y += 12;
	canvas_note(c, "Samples in each bar, logarithmic. Dashed: percentiles of the magnitude, at "
		       "both sides of zero.");
	if (x.kind == SCALE_SYMLOG) {
		char linear[SCALE_TEXT_MAX];
		char text[REPORT_TEXT_MAX];

		(void)snprintf(
			text, sizeof(text),
			"The axis is linear to \xc2\xb1%s and logarithmic beyond, where bars are "
			"wider in ns.",
			scale_text_ns(x.linear, linear));
		canvas_note(c, text);
	}
}
