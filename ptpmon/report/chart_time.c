/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Over time: offset with the largest wake-up below it; frequency and path delay. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/figure.h"
#include "ptpmon/report/timeline.h"

enum { PERCENTILE_99 = 1 };

static int64_t break_of(const struct report *r, size_t series)
{
	return series < r->n_offsets && r->offsets[series].gap_limit_ns > 0
		       ? r->offsets[series].gap_limit_ns
		       : NSEC_PER_SEC;
}

static void add_offset_panel(struct timeline *t)
{
	struct canvas *c = t->c;
	const struct report_offset_series *s;
	struct plot_range all;
	struct panel *p;
	int64_t usual_ns;

	if (c->series >= c->report->n_offsets)
		return;
	s = &c->report->offsets[c->series];
	all = timeline_extent(c->plot->offsets[c->series].offset);
	if (!all.count)
		return;
	p = &t->panels[t->n++];
	usual_ns = s->columns[0].abs.value_ns[PERCENTILE_99];
	p->ranges = c->plot->offsets[c->series].offset;
	p->height = c->wide ? 250 : 220;
	p->break_ns = break_of(c->report, c->series);
	p->text = scale_text_ns;
	p->y = scale_of_offsets(all.min, all.max,
				usual_ns == SAMPLE_UNKNOWN ? 0 : (double)usual_ns);
	scale_round(&p->y, TIMELINE_TICKS);
	(void)snprintf(p->title, sizeof(p->title), "Offset from %s, %s%s",
		       report_is_of_other_clock(&s->series) ? "source" : "master",
		       s->series.subject, c->wide ? " (local minus reference)" : "");
}

static void add_latency_panel(struct timeline *t)
{
	struct canvas *c = t->c;
	struct plot_range all = timeline_extent(c->plot->latency);
	struct panel *p = &t->panels[t->n];

	if (!all.count)
		return;
	t->n++;
	p->ranges = c->plot->latency;
	p->height = t->n > 1 ? 130 : 200;
	p->break_ns = 2 * NSEC_PER_SEC;
	p->from_zero = true;
	p->text = scale_text_ns;
	p->y = (struct scale){.kind = SCALE_LINEAR, .low = 0, .high = fmax(all.max, 1)};
	if (all.min > 0 && all.max > 100 * all.min)
		p->y = (struct scale){.kind = SCALE_LOG, .low = all.min, .high = all.max};
	scale_round(&p->y, 4);
	(void)snprintf(p->title, sizeof(p->title), "Largest wake-up latency of any CPU%s",
		       p->y.kind == SCALE_LOG ? ", logarithmic" : "");
}

/* A ring round the worst, and its figure beside it, on the side that has room. */
static void ring(struct canvas *c, const struct panel *p, int64_t mono_ns, int64_t value_ns,
		 const char *figure)
{
	double x = floor(canvas_x(c, mono_ns) - 1e-6) + 0.5;
	double y = scale_at(&p->y, (double)value_ns);
	bool left = x > c->right - 110;
	double label = fmin(fmax(y + 4, p->top + 11), p->top + p->height - 4);

	svg_circle(&c->body, fmin(x, c->right - 0.5), y, 5, "ring");
	svg_text(&c->body, left ? x - 9 : x + 9, label, left ? "w e over" : "w over", "%s", figure);
}

static const struct report_worst *worst_offset_of(const struct report *r, size_t series)
{
	for (size_t i = 0; i < r->n_worst_offsets && series < r->n_offsets; i++)
		if (strcmp(r->worst_offsets[i].port, r->offsets[series].series.subject) == 0)
			return &r->worst_offsets[i];
	return NULL;
}

static void ring_the_worst(const struct timeline *t)
{
	struct canvas *c = t->c;
	const struct report *r = c->report;
	const struct report_worst *w = worst_offset_of(r, c->series);
	char figure[FIGURE_MAX];

	for (size_t i = 0; i < t->n; i++) {
		const struct panel *p = &t->panels[i];

		if (!p->from_zero && w)
			ring(c, p, w->at.mono_ns, w->offset_ns,
			     figure_offset(w->offset_ns, figure));
		if (p->from_zero && r->n_worst_latencies)
			ring(c, p, r->worst_latencies[0].at.mono_ns,
			     r->worst_latencies[0].latency_ns,
			     figure_latency(r->worst_latencies[0].latency_ns, figure));
	}
}

static void note_reading(struct canvas *c, const struct timeline *t)
{
	char text[2 * REPORT_TEXT_MAX];
	char symlog[REPORT_TEXT_MAX] = "";
	char column[FIGURE_MAX];
	char linear[SCALE_TEXT_MAX];

	for (size_t i = 0; i < t->n; i++)
		if (t->panels[i].y.kind == SCALE_SYMLOG)
			(void)snprintf(
				symlog, sizeof(symlog),
				" The offset axis is linear to \xc2\xb1%s, logarithmic beyond.",
				scale_text_ns(t->panels[i].y.linear, linear));
	(void)snprintf(text, sizeof(text),
		       "Band: least to greatest in each column of %s; line: their mean. Ring: the "
		       "worst. Full lines: marks. Dots with a diamond: warnings and errors; ticks "
		       "below: notices. Grey: gaps.%s",
		       figure_latency(canvas_column_ns(c), column), symlog);
	canvas_note(c, text);
}

static void describe(struct canvas *c)
{
	const struct report *r = c->report;
	char figures[2][FIGURE_MAX];

	if (c->series < r->n_offsets) {
		const struct report_offset *o = &r->offsets[c->series].columns[0];

		strbuf_addf(&c->description, "%" PRIu64 " offsets of %s between %s and %s. ",
			    o->count, r->offsets[c->series].series.subject,
			    figure_offset(o->min_ns, figures[0]),
			    figure_offset(o->max_ns, figures[1]));
	}
	if (r->n_worst_latencies)
		strbuf_addf(&c->description, "The worst wake-up took %s. ",
			    figure_latency(r->worst_latencies[0].latency_ns, figures[0]));
	strbuf_addf(&c->description,
		    "%zu marks, %" PRIu64 " events of severity notice and more, %" PRIu64
		    " gaps. The figures are in the tables.",
		    r->n_marks, c->plot->n_events, r->n_gaps);
}

void chart_time_draw(struct canvas *c)
{
	struct timeline t = {.c = c};

	(void)snprintf(c->title, sizeof(c->title), "Offset and wake-up latency over time%s%s",
		       c->series < c->report->n_offsets ? ": " : "",
		       c->series < c->report->n_offsets
			       ? c->report->offsets[c->series].series.subject
			       : "");
	add_offset_panel(&t);
	add_latency_panel(&t);
	timeline_draw(&t);
	ring_the_worst(&t);
	note_reading(c, &t);
	describe(c);
}

bool chart_rates_exist(const struct report *r, size_t series)
{
	return series < r->n_offsets && (timeline_extent(r->plot->offsets[series].delay).count ||
					 timeline_extent(r->plot->offsets[series].freq_ppb).count);
}

static void add_rate_panel(struct timeline *t, const char *title, const struct plot_range *ranges,
			   scale_text_fn text)
{
	struct canvas *c = t->c;
	struct plot_range all = timeline_extent(ranges);
	struct panel *p = &t->panels[t->n];
	char low[SCALE_TEXT_MAX];
	char high[SCALE_TEXT_MAX];

	if (!all.count)
		return;
	t->n++;
	p->ranges = ranges;
	p->height = 130;
	p->break_ns = break_of(c->report, c->series);
	p->text = text;
	p->y = (struct scale){.kind = SCALE_LINEAR, .low = all.min, .high = all.max};
	scale_round(&p->y, 4);
	(void)snprintf(p->title, sizeof(p->title), "%s", title);
	strbuf_addf(&c->description, "%s between %s and %s. ", title, text(all.min, low),
		    text(all.max, high));
}

void chart_rates_draw(struct canvas *c)
{
	const struct plot_offset *o = &c->plot->offsets[c->series];
	struct timeline t = {.c = c};

	(void)snprintf(c->title, sizeof(c->title), "Frequency and path delay over time: %s",
		       c->report->offsets[c->series].series.subject);
	add_rate_panel(&t, "Frequency correction of the servo, ppb", o->freq_ppb,
		       scale_text_number);
	add_rate_panel(&t, "Mean path delay", o->delay, scale_text_ns);
	timeline_draw(&t);
	canvas_note(c, "Band: least to greatest in each column; line: their mean. The axes do not "
		       "begin at zero.");
}
