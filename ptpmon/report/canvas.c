/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TICK_LABEL = 6, LINE_HEIGHT = 15, NOTE_WIDE = 136, NOTE_NARROW = 62 };

double canvas_x(const struct canvas *c, int64_t mono_ns)
{
	double share =
		(double)(mono_ns - c->plot->from_ns) / (double)(c->plot->to_ns - c->plot->from_ns);

	return c->left + fmin(fmax(share, 0), 1) * (c->right - c->left);
}

int64_t canvas_column_ns(const struct canvas *c)
{
	return (c->plot->to_ns - c->plot->from_ns) / (int64_t)canvas_columns(c);
}

struct plot_range canvas_range(const struct canvas *c, const struct plot_range *ranges,
			       size_t column)
{
	size_t n = canvas_columns(c);
	size_t end = (column + 1) * PLOT_COLUMNS / n;
	struct plot_range sum = {0};

	for (size_t i = column * PLOT_COLUMNS / n; i < end; i++) {
		const struct plot_range *r = &ranges[i];

		if (!r->count)
			continue;
		sum.min = sum.count && sum.min < r->min ? sum.min : r->min;
		sum.max = sum.count && sum.max > r->max ? sum.max : r->max;
		sum.sum += r->sum;
		sum.count += r->count;
	}
	return sum;
}

void canvas_y_axis(struct canvas *c, const struct scale *s, size_t most, scale_text_fn text)
{
	double ticks[SCALE_TICKS_MAX];
	size_t n = scale_ticks(s, most, ticks);

	for (size_t i = 0; i < n; i++) {
		char label[SCALE_TEXT_MAX];
		double y = scale_at(s, ticks[i]);

		svg_line(&c->body, c->left, y, c->right, y,
			 fabs(ticks[i]) < 1e-12 ? "axis" : "grid");
		svg_text(&c->body, c->left - TICK_LABEL, y + 4, "e", "%s", text(ticks[i], label));
	}
}

void canvas_x_axis(struct canvas *c, const struct scale *s, size_t most, scale_text_fn text,
		   double top, double bottom, bool labelled)
{
	double ticks[SCALE_TICKS_MAX];
	size_t n = scale_ticks(s, most, ticks);

	for (size_t i = 0; i < n; i++) {
		char label[SCALE_TEXT_MAX];
		double x = scale_at(s, ticks[i]);
		const char *where = fabs(x - s->to) < 1 ? "e" : fabs(x - s->from) < 1 ? "s" : "m";

		svg_line(&c->body, x, top, x, bottom, "grid");
		if (labelled)
			svg_text(&c->body, x, bottom + LINE_HEIGHT, where, "%s",
				 text(ticks[i], label));
	}
}

void canvas_note(struct canvas *c, const char *text)
{
	size_t room = c->wide ? NOTE_WIDE : NOTE_NARROW;

	while (*text) {
		size_t n = strlen(text);

		if (n > room)
			for (n = room; n > 1 && text[n] != ' '; n--)
				;
		c->y += LINE_HEIGHT;
		svg_text(&c->body, c->wide ? c->left : 4, c->y, "n", "%.*s", (int)n, text);
		text += n;
		text += strspn(text, " ");
	}
	c->y += LINE_HEIGHT / 2.0;
}

void canvas_rebin(const struct scale *s, const canvas_bin *bin, double *bars, size_t n)
{
	double width = (s->to - s->from) / (double)n;
	double from = (scale_at(s, bin->low) - s->from) / width;
	double to = (scale_at(s, bin->high) - s->from) / width;
	size_t first = (size_t)fmin(fmax(from, 0), (double)n - 1);
	size_t last = (size_t)fmin(fmax(ceil(to) - 1, (double)first), (double)n - 1);

	for (size_t i = first; i <= last; i++) {
		double share = fmin(to, (double)i + 1) - fmax(from, (double)i);
		double part = to > from ? share / (to - from) : 1;

		bars[i] +=
			fmax((double)bin->count * (first == last ? 1 : part), bars[i] < 1 ? 1 : 0);
	}
}

void canvas_bars(struct canvas *c, const struct scale *x, const struct scale *counts,
		 const double *bars, size_t n)
{
	double width = (x->to - x->from) / (double)n;
	bool open = false;

	svg_path_begin(&c->body, "bars");
	for (size_t i = 0; i <= n; i++) {
		double at = x->from + width * (double)i;

		if (i == n || bars[i] <= 0) {
			if (open) {
				svg_to(&c->body, at, counts->from);
				svg_path_close(&c->body);
			}
			open = false;
			continue;
		}
		if (!open)
			svg_move(&c->body, at, counts->from);
		svg_to(&c->body, at, scale_at(counts, bars[i]));
		svg_to(&c->body, at + width, scale_at(counts, bars[i]));
		open = true;
	}
	svg_path_end(&c->body);
}

size_t canvas_phases(const struct canvas *c, size_t *out, size_t most)
{
	size_t n = 0;

	for (size_t i = 1; i < c->plot->n_columns && n < most; i++)
		out[n++] = i;
	if (n == 0)
		out[n++] = 0;
	return n;
}
