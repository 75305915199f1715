/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/canvas.h: what the charts have in common: margins, axes, notes; not for others.
 *
 * A chart draws downward from y = 0 into body; what it left in y is the height of the picture.
 */
#pragma once
#include "ptpmon/report/chart.h"
#include "ptpmon/report/plot.h"
#include "ptpmon/report/scale.h"
#include "ptpmon/report/svg.h"

struct canvas {
	const struct report *report;
	const struct plot *plot;
	size_t series; /* of offsets */
	bool wide;
	double left, right, width; /* of the plot; of the picture */
	double y;
	struct strbuf body;
	struct strbuf description; /* the text alternative: what is to be seen */
	char title[REPORT_TEXT_MAX];
};

/* How many columns of pixels the plot has. */
static inline size_t canvas_columns(const struct canvas *c)
{
	return (size_t)(c->right - c->left);
}

/* The place of a moment. */
double canvas_x(const struct canvas *c, int64_t mono_ns);

/* One column of pixels of a plotted series. */
struct plot_range canvas_range(const struct canvas *c, const struct plot_range *ranges,
			       size_t column);

/* The time that one column of pixels stands for. */
int64_t canvas_column_ns(const struct canvas *c);

/* Lines across with their values at the left. */
typedef const char *(*scale_text_fn)(double value, char *out);
void canvas_y_axis(struct canvas *c, const struct scale *s, size_t most, scale_text_fn text);
/* Lines down between two places, with values below the lower. */
void canvas_x_axis(struct canvas *c, const struct scale *s, size_t most, scale_text_fn text,
		   double top, double bottom, bool labelled);

/* Small print, in as many lines as it needs. */
void canvas_note(struct canvas *c, const char *text);

/* Of n bins of equal width on a scale of values, how many lie in each (at least one where any). */
typedef struct {
	double low, high;
	uint64_t count;
} canvas_bin;
void canvas_rebin(const struct scale *s, const canvas_bin *bin, double *bars, size_t n);

/* Bars of counts on a scale of them, as one outline. */
void canvas_bars(struct canvas *c, const struct scale *x, const struct scale *counts,
		 const double *bars, size_t n);

/* The charts, in the order of enum chart_kind. */
void chart_time_draw(struct canvas *c);
void chart_rates_draw(struct canvas *c);
void chart_distribution_draw(struct canvas *c);
void chart_wander_draw(struct canvas *c);
void chart_latency_draw(struct canvas *c);
bool chart_rates_exist(const struct report *r, size_t series);

/* The phases to draw side by side, as columns of the report: at most `most`; how many. */
size_t canvas_phases(const struct canvas *c, size_t *out, size_t most);
