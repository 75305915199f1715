/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wake-ups by how late they were, counts logarithmic: a row for each CPU, phases side by side, all
 * on the same axes so that cells compare.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/report/canvas.h"
#include "ptpmon/report/figure.h"

enum { CPUS_MAX = 16, PHASES_WIDE = 3, PHASES_NARROW = 2, ROW = 84, CELL_GAP = 18, BAR_WIDTH = 2 };
enum { BARS_MAX = PLOT_COLUMNS / BAR_WIDTH, HEAD = 38, MAX_ROOM = 104 };

struct grid {
	struct canvas *c;
	size_t cpus[CPUS_MAX], n_cpus, left_out;
	size_t phases[PHASES_WIDE], n_phases;
	struct scale x, counts;
	double cell; /* the width of one */
};

static const struct report_latency *cell_of(const struct grid *g, size_t row, size_t column)
{
	return &g->c->report->latencies[g->cpus[row]].columns[g->phases[column]];
}

/* The CPUs with the longest wake-ups, if there are too many; in their own order. */
static void choose_cpus(struct grid *g)
{
	const struct report *r = g->c->report;

	for (size_t i = 0; i < r->n_latencies; i++) {
		int64_t max_ns = r->latencies[i].columns[0].max_ns;
		size_t worse = 0;

		if (!r->latencies[i].columns[0].count)
			continue;
		for (size_t k = 0; k < r->n_latencies; k++)
			worse += r->latencies[k].columns[0].max_ns > max_ns ||
				 (k < i && r->latencies[k].columns[0].max_ns == max_ns);
		if (worse < CPUS_MAX)
			g->cpus[g->n_cpus++] = i;
		else
			g->left_out++;
	}
}

/* Those of the phases that are called idle and load, if there are both; else the first. */
static void choose_phases(struct grid *g)
{
	const struct report *r = g->c->report;
	size_t most = g->c->wide ? PHASES_WIDE : PHASES_NARROW;
	size_t idle = 0;
	size_t load = 0;

	for (size_t i = 1; i < g->c->plot->n_columns; i++) {
		idle = strcmp(r->columns[i].name, "idle") == 0 ? i : idle;
		load = strcmp(r->columns[i].name, "load") == 0 ? i : load;
	}
	g->n_phases = canvas_phases(g->c, g->phases, most);
	if (!idle || !load || r->n_columns - 1 <= most)
		return;
	g->phases[0] = idle;
	g->phases[1] = load;
	g->n_phases = 2;
}

/* From bins to bars of the cell that x is the axis of. */
static void fill_bars(const struct grid *g, const struct scale *x, size_t row, size_t column,
		      double *bars, size_t n)
{
	const struct histogram *h =
		plot_latency_histogram(g->c->plot, g->cpus[row], g->phases[column]);

	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		if (h->bins[i])
			canvas_rebin(x,
				     &(canvas_bin){.low = (double)histogram_bin_low(i) - 0.5,
						   .high = (double)histogram_bin_high(i) + 0.5,
						   .count = h->bins[i]},
				     bars, n);
}

static size_t n_bars(const struct grid *g)
{
	return (size_t)(g->cell / BAR_WIDTH);
}

static void choose_scales(struct grid *g)
{
	int64_t max_ns = 1;
	int64_t min_ns = INT64_MAX;
	double most = 1;

	g->counts = (struct scale){.kind = SCALE_LOG, .low = 0.6};
	for (size_t i = 0; i < g->n_cpus; i++) {
		const struct report_latency *all = &g->c->report->latencies[g->cpus[i]].columns[0];

		max_ns = all->max_ns > max_ns ? all->max_ns : max_ns;
		min_ns = all->min_ns < min_ns ? all->min_ns : min_ns;
	}
	g->x = (struct scale){.kind = SCALE_LINEAR, .high = (double)max_ns, .to = g->cell};
	if (max_ns > 1000000 && max_ns / 200 > min_ns) {
		g->x.kind = SCALE_LOG;
		g->x.low = fmax((double)min_ns, 100);
	}
	scale_round(&g->x, g->c->wide ? 6 : 3);
	for (size_t i = 0; i < g->n_cpus; i++)
		for (size_t k = 0; k < g->n_phases; k++) {
			double bars[BARS_MAX] = {0};

			fill_bars(g, &g->x, i, k, bars, n_bars(g));
			for (size_t b = 0; b < n_bars(g); b++)
				most = fmax(most, bars[b]);
		}
	g->counts.high = fmax(most * 1.5, 10);
}

/* The greatest as a line with its figure: on what side there is room. */
static void draw_max(const struct grid *g, const struct scale *x, const struct report_latency *l,
		     double top, double bottom)
{
	struct canvas *c = g->c;
	double at = scale_at(x, (double)l->max_ns);
	bool left = at > x->from + MAX_ROOM;
	char figure[FIGURE_MAX];

	if (!l->count)
		return;
	svg_line(&c->body, at, top + 4, at, bottom, "limit");
	svg_text(&c->body, left ? at - 5 : at + 5, top + 14, left ? "w e over" : "w over", "max %s",
		 figure_latency(l->max_ns, figure));
}

static void draw_cell(const struct grid *g, size_t row, size_t column, double top)
{
	struct canvas *c = g->c;
	const struct report_latency *l = cell_of(g, row, column);
	double bottom = top + ROW - CELL_GAP;
	double from = c->left + (double)column * (g->cell + CELL_GAP);
	struct scale x = g->x;
	struct scale counts = g->counts;
	double bars[BARS_MAX] = {0};
	double edge = c->right;

	x.from = from;
	x.to = c->right = from + g->cell;
	counts.from = bottom;
	counts.to = top;
	canvas_x_axis(c, &x, c->wide ? 6 / g->n_phases + 2 : 2, scale_text_ns, top, bottom,
		      row + 1 == g->n_cpus);
	fill_bars(g, &x, row, column, bars, n_bars(g));
	canvas_bars(c, &x, &counts, bars, n_bars(g));
	svg_line(&c->body, from, bottom, from + g->cell, bottom, "axis");
	draw_max(g, &x, l, top, bottom);
	if (!l->count)
		svg_text(&c->body, from + g->cell / 2, (top + bottom) / 2, "m", "no wake-ups");
	c->right = edge;
}

static void draw_row(const struct grid *g, size_t row)
{
	struct canvas *c = g->c;
	const struct report_latency_series *s = &c->report->latencies[g->cpus[row]];
	double top = HEAD + ROW * (double)row;
	struct scale counts = g->counts;
	char figure[FIGURE_MAX];

	counts.from = top + ROW - CELL_GAP;
	counts.to = top;
	canvas_y_axis(c, &counts, 3, scale_text_count);
	svg_text(&c->body, 4, top + 12, "k", "%.12s", s->series.subject);
	for (size_t k = 0; k < g->n_phases; k++) {
		const struct report_latency *l = cell_of(g, row, k);

		draw_cell(g, row, k, top);
		strbuf_addf(&c->description, "%s, %s: %" PRIu64 " wake-ups, the longest %s. ",
			    s->series.subject, c->report->columns[g->phases[k]].name, l->count,
			    figure_latency(l->max_ns, figure));
	}
}

void chart_latency_draw(struct canvas *c)
{
	struct grid g = {.c = c};
	char text[REPORT_TEXT_MAX];

	choose_cpus(&g);
	choose_phases(&g);
	g.cell = (c->right - c->left - CELL_GAP * (double)(g.n_phases - 1)) / (double)g.n_phases;
	choose_scales(&g);
	(void)snprintf(c->title, sizeof(c->title), "Wake-up latency of each CPU");
	for (size_t k = 0; k < g.n_phases; k++)
		svg_text(&c->body, c->left + (double)k * (g.cell + CELL_GAP), HEAD - 14, "h",
			 "%.*s", c->wide ? 40 : 20,
			 g.phases[k] ? c->report->columns[g.phases[k]].name : "Wake-ups");
	for (size_t i = 0; i < g.n_cpus; i++)
		draw_row(&g, i);
	c->y = HEAD + ROW * (double)g.n_cpus + 4;
	canvas_note(c, g.x.kind == SCALE_LOG
			       ? "Wake-ups in each bar, both axes logarithmic. Line: the longest."
			       : "Wake-ups in each bar, logarithmic. Line: the longest.");
	if (!g.left_out)
		return;
	(void)snprintf(text, sizeof(text),
		       "%zu more CPUs, none with a longer wake-up, are in the tables alone.",
		       g.left_out);
	canvas_note(c, text);
}
