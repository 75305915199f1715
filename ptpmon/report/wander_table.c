/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/clean.h"
#include "ptpmon/report/figure.h"
#include "ptpmon/report/table.h"
#include "ptpmon/report/wrap.h"

enum { TAU_WIDTH = 12, CELL_WIDTH = 11, PAIR_WIDTH = 2 * CELL_WIDTH, PAIRS_ABREAST = 3 };
enum { LABEL_WIDTH = 40, DEVIATION_WIDTH = 12 };

static const struct report_wander *wander_of(const struct report_offset_series *s, size_t column)
{
	return &s->columns[column].wander;
}

static const struct report_tau *find_tau(const struct report_wander *w, int64_t tau_ns)
{
	for (size_t i = 0; i < w->n_taus; i++)
		if (w->taus[i].tau_ns == tau_ns)
			return &w->taus[i];
	return NULL;
}

static void add_cell(struct strbuf *out, double ns, size_t width)
{
	char text[FIGURE_MAX];

	(void)figure_wander(ns, text);
	strbuf_addf(out, "%*s", (int)width, text);
}

static void add_names(struct strbuf *out, const struct report *r, size_t first, size_t n)
{
	strbuf_pad(out, ' ', TAU_WIDTH);
	for (size_t i = first; i < first + n; i++) {
		char name[PAIR_WIDTH];

		CLEAN(name, r->columns[i].name);
		strbuf_addf(out, "%*s", PAIR_WIDTH, name);
	}
	strbuf_addf(out, "\n  %-*s", TAU_WIDTH - 2, "tau");
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%*s%*s", CELL_WIDTH, "MTIE", CELL_WIDTH, "TDEV");
	strbuf_add(out, "\n");
}

/* Column 0 is the longest, so it has every tau that the others have. */
static void add_block(struct strbuf *out, const struct report *r,
		      const struct report_offset_series *s, size_t first, size_t n)
{
	const struct report_wander *all = wander_of(s, 0);

	add_names(out, r, first, n);
	for (size_t i = 0; i < all->n_taus; i++) {
		char tau[FIGURE_MAX];

		strbuf_addf(out, "  %-*s", TAU_WIDTH - 2, figure_tau(all->taus[i].tau_ns, tau));
		for (size_t c = first; c < first + n; c++) {
			const struct report_tau *t = find_tau(wander_of(s, c), all->taus[i].tau_ns);

			add_cell(out, t ? t->mtie_ns : NAN, CELL_WIDTH);
			add_cell(out, t ? t->tdev_ns : NAN, CELL_WIDTH);
		}
		strbuf_add(out, "\n");
	}
	strbuf_add(out, "\n");
}

/* What the figures are of. */
static void add_pieces(struct strbuf *out, const struct report_wander *w)
{
	char age[NSEC_TEXT_MAX];

	if (w->pieces > 1)
		strbuf_addf(out,
			    "  in %" PRIu64
			    " pieces, cut at gaps, steps and out of SLAVE, the longest %s\n",
			    w->pieces, nsec_format_age(w->longest_ns, age));
	if (w->filled)
		strbuf_addf(out, "  %" PRIu64 " values interpolated in holes of at most 3\n",
			    w->filled);
	if (w->uneven)
		strbuf_add(out, "  the samples are uneven: MTIE is by time, TDEV takes them as "
				"even\n");
}

void table_wander(struct strbuf *out, const struct report *r, const struct report_offset_series *s)
{
	if (wander_of(s, 0)->n_taus == 0)
		return;
	wrap_addf(out, "", "  ", "Wander: %s (no value where no complete term is)",
		  s->series.subject);
	add_pieces(out, wander_of(s, 0));
	for (size_t first = 0; first < r->n_columns; first += PAIRS_ABREAST) {
		size_t left = r->n_columns - first;

		add_block(out, r, s, first, left < PAIRS_ABREAST ? left : PAIRS_ABREAST);
	}
}

static void add_scientific(struct strbuf *out, double value)
{
	if (isnan(value))
		strbuf_addf(out, "%*s", DEVIATION_WIDTH, "-");
	else
		strbuf_addf(out, "%*.3e", DEVIATION_WIDTH, value);
}

void table_deviations(struct strbuf *out, const struct report *r,
		      const struct report_offset_series *s)
{
	const struct report_wander *w = wander_of(s, 0);

	if (!r->deviations || w->n_taus == 0)
		return;
	wrap_addf(out, "", "  ",
		  "Deviations: %s, all (%" PRIu64 " outliers of frequency, 5 sigma by MAD)",
		  s->series.subject, w->outliers);
	strbuf_addf(out, "  %-*s%*s%*s%*s%*s\n", TAU_WIDTH - 2, "tau", DEVIATION_WIDTH, "ADEV",
		    DEVIATION_WIDTH, "OADEV", DEVIATION_WIDTH, "MDEV", PAIR_WIDTH,
		    "TDEV, no outliers");
	for (size_t i = 0; i < w->n_taus; i++) {
		char tau[FIGURE_MAX];

		strbuf_addf(out, "  %-*s", TAU_WIDTH - 2, figure_tau(w->taus[i].tau_ns, tau));
		add_scientific(out, w->taus[i].adev);
		add_scientific(out, w->taus[i].oadev);
		add_scientific(out, w->taus[i].mdev);
		add_cell(out, w->taus[i].tdev_filtered_ns, PAIR_WIDTH);
		strbuf_add(out, "\n");
	}
	strbuf_add(out, "\n");
}

static void add_verdict(struct strbuf *out, const struct report_verdict *v)
{
	static const char *const words[REPORT_OUTCOME_MAX] = {
		[REPORT_WITHIN] = "within",
		[REPORT_OUTSIDE] = "OUTSIDE",
		[REPORT_NO_LIMIT] = "no limit",
		[REPORT_NO_VALUE] = "no value",
	};
	char tau[FIGURE_MAX];

	strbuf_addf(out, "    %-*.*s", LABEL_WIDTH - 4, LABEL_WIDTH - 5, v->mask->label);
	add_cell(out, v->value_ns, CELL_WIDTH);
	add_cell(out, v->limit_ns, CELL_WIDTH);
	strbuf_addf(out, "  %s", words[v->outcome]);
	if (v->tau_ns)
		strbuf_addf(out, ", %s", figure_tau(v->tau_ns, tau));
	if (v->outcome == REPORT_OUTSIDE && v->beyond)
		strbuf_addf(out, " (%" PRIu64 ")", v->beyond);
	strbuf_add(out, "\n");
}

void table_verdicts(struct strbuf *out, const struct report *r,
		    const struct report_offset_series *s)
{
	if (!r->limits)
		return;
	wrap_addf(out, "", "  ", "Limits: %s by %s (%s)", s->series.subject, r->limits->name,
		  r->limits->about);
	wrap_addf(out, "  ", "  ", "%s, figures by %s", r->limits->edition, r->limits->provenance);
	strbuf_add(out, "  indicative: the offsets are a servo's own input, not time error\n");
	for (size_t c = 0; c < r->n_columns; c++) {
		const struct report_wander *w = wander_of(s, c);
		char name[LABEL_WIDTH - 2];

		CLEAN(name, r->columns[c].name);
		strbuf_addf(out, "  %-*s%*s%*s\n", LABEL_WIDTH - 2, name, CELL_WIDTH,
			    w->n_verdicts ? "measured" : "no samples",
			    w->n_verdicts ? CELL_WIDTH : 0, w->n_verdicts ? "limit" : "");
		for (size_t i = 0; i < w->n_verdicts; i++)
			add_verdict(out, &w->verdicts[i]);
	}
	strbuf_add(out, "\n");
}
