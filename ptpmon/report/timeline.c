/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/figure.h"

enum { TITLE_ROOM = 26, LANE = 14, PHASE_ROW = 13, MARK_ROW = 31, HEAD = 36 };
enum { TICK_ROOM = 74, TICK_ROOM_NARROW = 64 };

struct plot_range timeline_extent(const struct plot_range *ranges)
{
	struct plot_range sum = {0};

	for (size_t i = 0; i < PLOT_COLUMNS; i++) {
		if (!ranges[i].count)
			continue;
		sum.min = sum.count && sum.min < ranges[i].min ? sum.min : ranges[i].min;
		sum.max = sum.count && sum.max > ranges[i].max ? sum.max : ranges[i].max;
		sum.count += ranges[i].count;
	}
	return sum;
}

static void draw_band(struct canvas *c, const struct panel *p, size_t first, size_t end)
{
	double base = p->y.from;

	svg_path_begin(&c->body, "env");
	for (size_t i = first; i < end; i++) {
		struct plot_range r = canvas_range(c, p->ranges, i);

		if (!r.count)
			continue;
		(i == first ? svg_move : svg_to)(&c->body, c->left + (double)i + 0.5,
						 scale_at(&p->y, r.max));
	}
	for (size_t i = end; i > first; i--) {
		struct plot_range r = canvas_range(c, p->ranges, i - 1);

		if (r.count)
			svg_to(&c->body, c->left + (double)i - 0.5,
			       p->from_zero ? base : scale_at(&p->y, r.min));
	}
	svg_path_close(&c->body);
	svg_path_end(&c->body);
}

static void draw_mean(struct canvas *c, const struct panel *p, size_t first, size_t end)
{
	svg_path_begin(&c->body, "mean");
	for (size_t i = first; i < end; i++) {
		struct plot_range r = canvas_range(c, p->ranges, i);

		if (r.count)
			(i == first ? svg_move : svg_to)(&c->body, c->left + (double)i + 0.5,
							 scale_at(&p->y, r.sum / (double)r.count));
	}
	svg_path_end(&c->body);
}

/* Of columns [first, end). A value alone has no extent, and is a dot. */
static void draw_stroke(struct canvas *c, const struct panel *p, size_t first, size_t end)
{
	struct plot_range r = canvas_range(c, p->ranges, first);

	if (end - first == 1 && r.min >= r.max && !p->from_zero) {
		svg_circle(&c->body, c->left + (double)first + 0.5, scale_at(&p->y, r.min), 2,
			   "dot");
		return;
	}
	draw_band(c, p, first, end);
	if (!p->from_zero)
		draw_mean(c, p, first, end);
}

/* Columns that follow one another closely enough are one stroke. */
static void draw_values(struct canvas *c, const struct panel *p)
{
	size_t n = canvas_columns(c);
	size_t reach = (size_t)(p->break_ns / (canvas_column_ns(c) + 1)) + 1;
	size_t first = n;
	size_t last = 0;

	for (size_t i = 0; i <= n; i++) {
		bool any = i < n && canvas_range(c, p->ranges, i).count > 0;

		if (first < n && (i == n || (any && i - last > reach))) {
			draw_stroke(c, p, first, last + 1);
			first = n;
		}
		if (any) {
			first = first == n ? i : first;
			last = i;
		}
	}
}

static void draw_phases(const struct timeline *t)
{
	struct canvas *c = t->c;
	const struct report *r = c->report;

	for (size_t i = 1; i < r->n_columns; i++)
		for (size_t k = 0; k < r->columns[i].n_spans; k++) {
			double from = canvas_x(c, r->columns[i].spans[k].from_ns);
			double to = canvas_x(c, r->columns[i].spans[k].to_ns);
			size_t room = (size_t)fmax((to - from) / 7.5, 0);

			svg_rect(&c->body, from, t->top, to - from, t->bottom - t->top, "band");
			svg_line(&c->body, from, PHASE_ROW + 5, to, PHASE_ROW + 5, "mark");
			svg_line(&c->body, from, PHASE_ROW + 5, from, t->bottom, "grid");
			svg_line(&c->body, to, PHASE_ROW + 5, to, t->bottom, "grid");
			if (room >= 2)
				svg_text(&c->body, from, PHASE_ROW, "k", "%.*s", (int)room,
					 r->columns[i].name);
		}
}

static void draw_gaps(const struct timeline *t)
{
	struct canvas *c = t->c;

	for (size_t i = 0; i < c->report->n_gaps && i < REPORT_LISTED_MAX; i++) {
		const struct report_gap *g = &c->report->gaps[i];
		double from = canvas_x(c, g->from.mono_ns);
		double to = canvas_x(c, g->from.mono_ns + g->duration_ns);
		char text[REPORT_TEXT_MAX];
		char age[NSEC_TEXT_MAX];

		(void)snprintf(text, sizeof(text), "gap of %s: %s",
			       nsec_format_age(g->duration_ns, age),
			       report_gap_cause_name(g->cause));
		svg_begin(&c->body, "gaps", text);
		svg_rect(&c->body, from, t->top, fmax(to - from, 1), t->bottom - t->top, "gap");
		if (to - from > 30)
			svg_text(&c->body, (from + to) / 2, t->bottom - 5, "m", "gap");
		svg_end(&c->body);
	}
}

/* Those of one column of pixels are one line: warnings through everything, notices in the lane. */
static void draw_events(const struct timeline *t)
{
	struct canvas *c = t->c;
	const struct plot *p = c->plot;

	for (size_t i = 0, next; i < p->n_listed; i = next) {
		double x = floor(canvas_x(c, p->events[i].mono_ns)) + 0.5;
		enum severity gravest = SEVERITY_INFO;
		char title[REPORT_TEXT_MAX] = "";
		size_t used = 0;

		for (next = i;
		     next < p->n_listed && floor(canvas_x(c, p->events[next].mono_ns)) + 0.5 == x;
		     next++) {
			if (p->events[next].severity > gravest)
				gravest = p->events[next].severity;
			if (used < sizeof(title))
				used += (size_t)snprintf(title + used, sizeof(title) - used, "%s%s",
							 next > i ? "; " : "",
							 p->events[next].text);
		}
		svg_begin(&c->body, "events", title);
		if (gravest >= SEVERITY_WARNING) {
			svg_line(&c->body, x, t->top, x, t->bottom, "event");
			svg_diamond(&c->body, x, t->bottom + LANE / 2.0, 4, "bad");
		} else {
			svg_line(&c->body, x, t->bottom + 3, x, t->bottom + LANE - 2, "notice");
		}
		svg_end(&c->body);
	}
}

/* The text beside its line where there is room, for its number is in the list of marks too. */
static void draw_marks(const struct timeline *t)
{
	struct canvas *c = t->c;
	const struct report *r = c->report;
	double free_from = 0;

	for (size_t i = 0; i < r->n_marks; i++) {
		double x = canvas_x(c, r->marks[i].at.mono_ns);
		double next =
			i + 1 < r->n_marks ? canvas_x(c, r->marks[i + 1].at.mono_ns) : c->width;
		int room = (int)fmax((fmin(next, c->width) - x - 18) / 6.6, 0);
		char title[REPORT_TEXT_MAX + 32];

		(void)snprintf(title, sizeof(title), "mark %zu: %s", i + 1, r->marks[i].text);
		svg_begin(&c->body, "marks", title);
		svg_line(&c->body, x, MARK_ROW - 11, x, t->bottom, "mark");
		if (x >= free_from) {
			svg_text(&c->body, x + 3, MARK_ROW, "k over", "%zu %.*s", i + 1,
				 room > 3 ? room : 0, r->marks[i].text);
			free_from = x + 16;
		}
		svg_end(&c->body);
	}
}

/* Where the wall clock was set meanwhile, or is not known, the axis tells the time since the start.
 */
static bool tells_utc(const struct report *r)
{
	int64_t axis_ns = r->to.mono_ns - r->from.mono_ns;

	return r->from.utc_ns != TIME_UNKNOWN && r->to.utc_ns != TIME_UNKNOWN &&
	       llabs(r->to.utc_ns - r->from.utc_ns - axis_ns) < NSEC_PER_SEC;
}

static void write_time(int64_t at_ns, bool utc, int64_t step_ns, char out[static SCALE_TEXT_MAX])
{
	int64_t s = at_ns / NSEC_PER_SEC;
	int64_t hours = utc ? s / 3600 % 24 : s / 3600;

	if (step_ns < 60 * NSEC_PER_SEC)
		(void)snprintf(out, SCALE_TEXT_MAX, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, hours,
			       s / 60 % 60, s % 60);
	else
		(void)snprintf(out, SCALE_TEXT_MAX, "%02" PRId64 ":%02" PRId64, hours, s / 60 % 60);
}

static void draw_time_axis(const struct timeline *t)
{
	struct canvas *c = t->c;
	const struct report *r = c->report;
	bool utc = tells_utc(r);
	int64_t length_ns = r->to.mono_ns - r->from.mono_ns;
	int64_t zero_ns = utc ? r->to.utc_ns - length_ns : 0;
	size_t most = canvas_columns(c) / (c->wide ? TICK_ROOM : TICK_ROOM_NARROW);
	int64_t step_ns = scale_time_step(length_ns, most);
	char day[FIGURE_MAX];

	for (int64_t at = (zero_ns + step_ns - 1) / step_ns * step_ns; at <= zero_ns + length_ns;
	     at += step_ns) {
		char label[SCALE_TEXT_MAX];
		double x = canvas_x(c, r->from.mono_ns + (at - zero_ns));

		write_time(at, utc, step_ns, label);
		svg_line(&c->body, x, t->top, x, t->bottom, "grid");
		svg_text(&c->body, x, t->bottom + LANE + 15,
			 x > c->width - 24  ? "e"
			 : x < c->left + 12 ? "s"
					    : "m",
			 "%s", label);
	}
	if (utc)
		svg_text(&c->body, c->left, t->bottom + LANE + 31, "n", "UTC, from %.10s",
			 figure_utc(zero_ns, day));
	else
		svg_text(&c->body, c->left, t->bottom + LANE + 31, "n",
			 "since the start of what is shown");
}

static void draw_panel(struct canvas *c, const struct panel *p)
{
	svg_text(&c->body, c->wide ? c->left : 4, p->top - 9, "h over", "%s", p->title);
	canvas_y_axis(c, &p->y, TIMELINE_TICKS, p->text);
	draw_values(c, p);
}

void timeline_draw(struct timeline *t)
{
	struct canvas *c = t->c;
	double y = HEAD;

	t->top = HEAD + TITLE_ROOM;
	for (size_t i = 0; i < t->n; i++) {
		struct panel *p = &t->panels[i];

		p->top = y + TITLE_ROOM;
		p->y.from = p->top + p->height;
		p->y.to = p->top;
		y = p->top + p->height + (i + 1 < t->n ? 10 : 0);
	}
	t->bottom = y;
	draw_phases(t);
	draw_time_axis(t);
	draw_gaps(t);
	for (size_t i = 0; i < t->n; i++)
		draw_panel(c, &t->panels[i]);
	draw_events(t);
	draw_marks(t);
	c->y = t->bottom + LANE + 36;
}
