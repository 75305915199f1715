/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/figure.h"
#include "ptpmon/report/html_parts.h"
#include "ptpmon/report/svg.h"

/* A label of the text's tables: what it goes on under, a step deeper, and its own words. */
enum { GROUP_COLUMNS = 12, DEEPER_COLUMNS = 14, GROUP_MAX = 32 };

struct figures_table {
	struct strbuf *out;
	char group[GROUP_MAX]; /* "|offset|": of the rows that go on under it */
};

static void begin_table(struct strbuf *out, const char *caption)
{
	strbuf_add(out, "<div class=\"scroll\" tabindex=\"0\"><table>\n<caption>");
	xml_text(out, caption);
	strbuf_add(out, "</caption>\n");
}

static void end_table(struct strbuf *out)
{
	strbuf_add(out, "</tbody>\n</table></div>\n");
}

static void add_heading(struct strbuf *out, const char *text)
{
	strbuf_add(out, "<th scope=\"col\">");
	xml_text(out, text);
	strbuf_add(out, "</th>");
}

static void add_cell(struct strbuf *out, const char *text)
{
	strbuf_add(out, "<td>");
	xml_text(out, text);
	strbuf_add(out, "</td>");
}

/* The names of the columns; of pooled phases, of how many stretches they are. */
static void add_columns(const struct report *r, const char *corner, unsigned span,
			struct strbuf *out)
{
	strbuf_add(out, "<thead><tr>");
	add_heading(out, corner);
	for (size_t i = 0; i < r->n_columns; i++) {
		strbuf_addf(out, "<th scope=\"col%s\" colspan=\"%u\">", span > 1 ? "group" : "",
			    span);
		xml_text(out, r->columns[i].name);
		if (r->columns[i].n_spans > 1)
			strbuf_addf(out, " x%zu", r->columns[i].n_spans);
		strbuf_add(out, "</th>");
	}
	strbuf_add(out, "</tr>");
}

static void begin_row(void *userdata, const char *label)
{
	struct figures_table *t = userdata;
	size_t blanks = strspn(label, " ");

	if (blanks < GROUP_COLUMNS)
		t->group[0] = '\0';
	strbuf_addf(t->out, "<tr%s><th scope=\"row\">",
		    blanks == DEEPER_COLUMNS || (blanks && blanks < GROUP_COLUMNS)
			    ? " class=\"deeper\""
			    : "");
	if (!blanks && strlen(label) > GROUP_COLUMNS &&
	    (label[GROUP_COLUMNS - 1] == ' ' ||
	     label[GROUP_COLUMNS] == ' ')) { /* "|offset|    50 %", "path delay  50 %" */
		size_t n = GROUP_COLUMNS;

		while (n > 0 && label[n - 1] == ' ')
			n--;
		(void)snprintf(t->group, sizeof(t->group), "%.*s", (int)n, label);
		xml_textf(t->out, "%s %s", t->group,
			  label + GROUP_COLUMNS + (label[GROUP_COLUMNS] == ' '));
	} else {
		if (blanks == GROUP_COLUMNS)
			xml_textf(t->out, "%s ", t->group);
		xml_text(t->out, label + blanks);
	}
	strbuf_add(t->out, "</th>");
}

static void put_cell(void *userdata, const char *text)
{
	struct figures_table *t = userdata;

	add_cell(t->out, text);
}

static void end_row(void *userdata)
{
	struct figures_table *t = userdata;

	strbuf_add(t->out, "</tr>\n");
}

void html_figures(const struct report *r, enum table_of of, const void *figures,
		  const char *caption, struct strbuf *out)
{
	struct figures_table t = {.out = out};

	begin_table(out, caption);
	add_columns(r, "", 1, out);
	strbuf_add(out, "</thead>\n<tbody>\n");
	table_visit(r, of, figures, &(struct table_visitor){&t, begin_row, put_cell, end_row});
	end_table(out);
}

static const struct report_tau *find_tau(const struct report_wander *w, int64_t tau_ns)
{
	for (size_t i = 0; i < w->n_taus; i++)
		if (w->taus[i].tau_ns == tau_ns)
			return &w->taus[i];
	return NULL;
}

static void add_wander(struct strbuf *out, double ns)
{
	char figure[FIGURE_MAX];

	add_cell(out, figure_wander(ns, figure));
}

static void add_deviations(const struct report_wander *w, struct strbuf *out)
{
	begin_table(out, "Deviations of fractional frequency, of all");
	strbuf_add(out, "<thead><tr>");
	add_heading(out, "tau");
	add_heading(out, "ADEV");
	add_heading(out, "OADEV");
	add_heading(out, "MDEV");
	add_heading(out, "TDEV, no outliers");
	strbuf_add(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < w->n_taus; i++) {
		const double values[] = {w->taus[i].adev, w->taus[i].oadev, w->taus[i].mdev};
		char tau[FIGURE_MAX];

		strbuf_addf(out, "<tr><th scope=\"row\">%s</th>",
			    figure_tau(w->taus[i].tau_ns, tau));
		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
			if (isnan(values[k]))
				add_cell(out, "-");
			else
				strbuf_addf(out, "<td>%.3e</td>", values[k]);
		add_wander(out, w->taus[i].tdev_filtered_ns);
		strbuf_add(out, "</tr>\n");
	}
	end_table(out);
}

void html_wander(const struct report *r, const struct report_offset_series *s, struct strbuf *out)
{
	const struct report_wander *all = &s->columns[0].wander;

	if (!all->n_taus)
		return;
	begin_table(out, "MTIE and TDEV by tau (no value where no complete term is)");
	add_columns(r, "", 2, out);
	strbuf_add(out, "\n<tr>");
	add_heading(out, "tau");
	for (size_t c = 0; c < r->n_columns; c++) {
		add_heading(out, "MTIE");
		add_heading(out, "TDEV");
	}
	strbuf_add(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < all->n_taus; i++) {
		char tau[FIGURE_MAX];

		strbuf_addf(out, "<tr><th scope=\"row\">%s</th>",
			    figure_tau(all->taus[i].tau_ns, tau));
		for (size_t c = 0; c < r->n_columns; c++) {
			const struct report_tau *t =
				find_tau(&s->columns[c].wander, all->taus[i].tau_ns);

			add_wander(out, t ? t->mtie_ns : NAN);
			add_wander(out, t ? t->tdev_ns : NAN);
		}
		strbuf_add(out, "</tr>\n");
	}
	end_table(out);
	if (r->deviations)
		add_deviations(all, out);
}

static void add_verdict_row(const struct report_column *c, const struct report_verdict *v,
			    struct strbuf *out)
{
	static const char *const words[REPORT_OUTCOME_MAX] = {
		[REPORT_WITHIN] = "\xe2\x9c\x94 within",
		[REPORT_OUTSIDE] = "\xe2\x9c\x96 OUTSIDE",
		[REPORT_NO_LIMIT] = "no limit",
		[REPORT_NO_VALUE] = "no value",
	};
	char tau[FIGURE_MAX];

	strbuf_add(out, "<tr><th scope=\"row\">");
	xml_text(out, v->mask->label);
	strbuf_add(out, "</th>");
	add_cell(out, c->name);
	add_wander(out, v->value_ns);
	add_wander(out, v->limit_ns);
	add_cell(out, v->tau_ns ? figure_tau(v->tau_ns, tau) : "-");
	strbuf_addf(out, "<td%s>%s", v->outcome == REPORT_OUTSIDE ? " class=\"bad\"" : "",
		    words[v->outcome]);
	if (v->outcome == REPORT_OUTSIDE && v->beyond)
		strbuf_addf(out, " (%" PRIu64 ")", v->beyond);
	strbuf_add(out, "</td></tr>\n");
}

void html_verdicts(const struct report *r, const struct report_offset_series *s, struct strbuf *out)
{
	static const char *const headings[] = {"limit",   "of",  "measured",
					       "allowed", "tau", "verdict"};
	char caption[5 * MASK_TEXT_MAX];

	if (!r->limits)
		return;
	(void)snprintf(caption, sizeof(caption), "Limits: %s (%s); %s, figures by %s. Indicative.",
		       r->limits->name, r->limits->about, r->limits->edition,
		       r->limits->provenance);
	begin_table(out, caption);
	strbuf_add(out, "<thead><tr>");
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		add_heading(out, headings[i]);
	strbuf_add(out, "</tr></thead>\n<tbody>\n");
	for (size_t c = 0; c < r->n_columns; c++)
		for (size_t i = 0; i < s->columns[c].wander.n_verdicts; i++)
			add_verdict_row(&r->columns[c], &s->columns[c].wander.verdicts[i], out);
	end_table(out);
}
