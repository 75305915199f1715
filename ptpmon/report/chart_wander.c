/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MTIE and TDEV by tau, both axes logarithmic. Masks of the limits are drawn where they hold; of
 * one that is about filtered values the curve is not drawn (it is of unfiltered ones), only its
 * worst point as judged.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/canvas.h"
#include "ptpmon/report/figure.h"

enum { HEIGHT = 300, HEAD = 34, MASK_POINTS = 160, DECADE_TICKS = 7 };

static const struct report_wander *wander_of(const struct canvas *c)
{
	return &c->report->offsets[c->series].columns[0].wander;
}

static bool is_drawn(const struct mask *m)
{
	return m->quantity == MASK_MTIE || m->quantity == MASK_TDEV;
}

static void widen(struct scale *s, double value)
{
	if (!(value > 0) || !isfinite(value))
		return;
	s->low = s->low > 0 && s->low < value ? s->low : value;
	s->high = s->high > value ? s->high : value;
}

static struct scale tau_scale(const struct canvas *c)
{
	const struct report_wander *w = wander_of(c);
	struct scale x = {.kind = SCALE_LOG, .from = c->left, .to = c->right};

	widen(&x, (double)w->taus[0].tau_ns / NSEC_PER_SEC);
	widen(&x, (double)w->taus[w->n_taus - 1].tau_ns / NSEC_PER_SEC);
	x.high *= 2;
	x.low /= 1.3;
	return x;
}

static double tau_at(const struct scale *x, size_t i)
{
	return x->low * pow(x->high / x->low, (double)i / MASK_POINTS);
}

static struct scale value_scale(const struct canvas *c, const struct scale *x, double top)
{
	const struct report_wander *w = wander_of(c);
	const struct limits *l = c->report->limits;
	struct scale y = {.kind = SCALE_LOG, .from = top + HEIGHT, .to = top};
	double limit;

	for (size_t i = 0; i < w->n_taus; i++) {
		widen(&y, w->taus[i].mtie_ns);
		widen(&y, w->taus[i].tdev_ns);
	}
	for (size_t k = 0; l && k < l->n_masks; k++)
		for (size_t i = 0; i <= MASK_POINTS && is_drawn(&l->masks[k]); i++)
			if (mask_limit(&l->masks[k], tau_at(x, i), &limit))
				widen(&y, limit);
	for (size_t i = 0; i < w->n_verdicts; i++)
		if (is_drawn(w->verdicts[i].mask))
			widen(&y, w->verdicts[i].value_ns);
	if (!(y.low > 0))
		y.low = y.high = 1;
	scale_round(&y, DECADE_TICKS);
	return y;
}

/* MTIE: a full line with dots; TDEV: a dashed one with rings. The name stands at its end. */
static void draw_curve(struct canvas *c, const struct scale *x, const struct scale *y, bool tdev)
{
	const struct report_wander *w = wander_of(c);
	double last_x = 0;
	double last_y = 0;

	svg_path_begin(&c->body, tdev ? "dash" : "mean");
	for (size_t i = 0; i < w->n_taus; i++) {
		double value = tdev ? w->taus[i].tdev_ns : w->taus[i].mtie_ns;
		bool first = last_x <= 0;

		if (!isfinite(value) || !(value > 0))
			continue;
		last_x = scale_at(x, (double)w->taus[i].tau_ns / NSEC_PER_SEC);
		last_y = scale_at(y, value);
		(first ? svg_move : svg_to)(&c->body, last_x, last_y);
	}
	svg_path_end(&c->body);
	for (size_t i = 0; i < w->n_taus; i++) {
		double value = tdev ? w->taus[i].tdev_ns : w->taus[i].mtie_ns;

		if (isfinite(value) && value > 0)
			svg_circle(&c->body, scale_at(x, (double)w->taus[i].tau_ns / NSEC_PER_SEC),
				   scale_at(y, value), 2.8, tdev ? "hollow" : "dot");
	}
	if (last_x > 0)
		svg_text(&c->body, fmin(last_x + 7, c->right - 34), last_y - 5, "d over", "%s",
			 tdev ? "TDEV" : "MTIE");
}

static void draw_mask(struct canvas *c, const struct scale *x, const struct scale *y,
		      const struct mask *m)
{
	bool open = false;
	bool named = false;
	double limit;

	svg_path_begin(&c->body, "limit");
	for (size_t i = 0; i <= MASK_POINTS; i++) {
		bool any = mask_limit(m, tau_at(x, i), &limit);

		if (any)
			(open ? svg_to : svg_move)(&c->body, scale_at(x, tau_at(x, i)),
						   scale_at(y, limit));
		open = any;
	}
	svg_path_end(&c->body);
	for (size_t i = MASK_POINTS; i > 0 && !named; i--) {
		bool filtered = m->filter != MASK_UNFILTERED;

		named = mask_limit(m, tau_at(x, i), &limit);
		if (named)
			svg_text(&c->body, scale_at(x, tau_at(x, i)), scale_at(y, limit) - 6,
				 "w e over", "limit: %.*s%s%s%s", c->wide ? 60 : 26, m->label,
				 filtered ? " (" : "", filtered ? mask_filter_name(m->filter) : "",
				 filtered ? ")" : "");
	}
}

/* What was judged of a mask: the largest part of its limit. */
static void draw_verdict(struct canvas *c, const struct scale *x, const struct scale *y,
			 const struct report_verdict *v)
{
	char value[FIGURE_MAX];
	char tau[FIGURE_MAX];
	char title[REPORT_TEXT_MAX];

	if (!is_drawn(v->mask) || !v->tau_ns || !(v->value_ns > 0))
		return;
	(void)snprintf(title, sizeof(title), "%s: %s at %s, %s", v->mask->label,
		       figure_wander(v->value_ns, value), figure_tau(v->tau_ns, tau),
		       report_outcome_name(v->outcome));
	svg_begin(&c->body, "verdicts", title);
	svg_diamond(&c->body, scale_at(x, (double)v->tau_ns / NSEC_PER_SEC),
		    scale_at(y, v->value_ns), 5, v->outcome == REPORT_OUTSIDE ? "bad" : "ring");
	svg_text(&c->body, scale_at(x, (double)v->tau_ns / NSEC_PER_SEC) + 9,
		 scale_at(y, v->value_ns) + 4, "w over", "%s", value);
	svg_end(&c->body);
}

static void describe(struct canvas *c)
{
	const struct report_wander *w = wander_of(c);
	const struct report_tau *first = &w->taus[0];
	const struct report_tau *last = &w->taus[w->n_taus - 1];
	char figures[4][FIGURE_MAX];

	strbuf_addf(&c->description, "MTIE is %s at %s and %s at %s. The table below has all. ",
		    figure_wander(first->mtie_ns, figures[0]),
		    figure_tau(first->tau_ns, figures[1]), figure_wander(last->mtie_ns, figures[2]),
		    figure_tau(last->tau_ns, figures[3]));
	for (size_t i = 0; i < w->n_verdicts; i++)
		strbuf_addf(&c->description, "%s: %s. ", w->verdicts[i].mask->label,
			    report_outcome_name(w->verdicts[i].outcome));
}

void chart_wander_draw(struct canvas *c)
{
	const struct report_wander *w = wander_of(c);
	const struct limits *l = c->report->limits;
	struct scale x = tau_scale(c);
	struct scale y = value_scale(c, &x, HEAD);

	(void)snprintf(c->title, sizeof(c->title), "Wander: %s",
		       c->report->offsets[c->series].series.subject);
	svg_text(&c->body, c->wide ? c->left : 4, HEAD - 16, "h", "MTIE and TDEV by tau%s",
		 l ? ", with limits" : "");
	canvas_y_axis(c, &y, DECADE_TICKS, scale_text_ns);
	canvas_x_axis(c, &x, c->wide ? 8 : 5, scale_text_s, HEAD, HEAD + HEIGHT, true);
	svg_line(&c->body, c->left, HEAD + HEIGHT, c->right, HEAD + HEIGHT, "axis");
	for (size_t i = 0; l && i < l->n_masks; i++)
		if (is_drawn(&l->masks[i]))
			draw_mask(c, &x, &y, &l->masks[i]);
	draw_curve(c, &x, &y, false);
	draw_curve(c, &x, &y, true);
	for (size_t i = 0; i < w->n_verdicts; i++)
		draw_verdict(c, &x, &y, &w->verdicts[i]);
	c->y = HEAD + HEIGHT + 20;
	canvas_note(c,
		    l ? "Both axes logarithmic. The curves are of unfiltered values; diamonds are "
			"what each limit judged, of filtered ones where it says so."
		      : "Both axes logarithmic; values are unfiltered. Limits are drawn with "
			"--limits.");
	describe(c);
}
