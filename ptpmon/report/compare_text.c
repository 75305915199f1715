/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as text of 80 columns and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/compare.h"
#include "ptpmon/report/figure.h"
#include "ptpmon/report/wrap.h"

enum { LABEL_WIDTH = 26, CELL_WIDTH = 13, CHANGE_WIDTH = 10, FACT_WIDTH = 75 };

static void add_run(struct strbuf *out, char which, const struct report *r)
{
	char from[FIGURE_MAX];
	char age[NSEC_TEXT_MAX];

	strbuf_addf(out, "  %c  run %" PRId64 "%s%.20s%s, %s, %s\n", which, r->run.id,
		    *r->run.label ? " (" : "", r->run.label, *r->run.label ? ")" : "",
		    figure_utc_marked(r->from.utc_ns, r->from.utc_uncertain, from),
		    nsec_format_age(r->columns[0].duration_ns, age));
	strbuf_addf(out, "     %.70s\n", *r->run.kernel ? r->run.kernel : "kernel not known");
}

static void add_differences(struct strbuf *out, const struct compare *c)
{
	if (c->n_differences == 0) {
		strbuf_add(out, "The boards and their configurations do not differ.\n\n");
		return;
	}
	strbuf_add(out, "What differs\n");
	for (size_t i = 0; i < c->n_differences; i++)
		strbuf_addf(out, "  %.70s\n    A  %.*s\n    B  %.*s\n", c->differences[i].what,
			    FACT_WIDTH - 2, c->differences[i].a, FACT_WIDTH - 2,
			    c->differences[i].b);
	strbuf_add(out, "\n");
}

static const char *change_of(const struct compare_row *row, char out[static FIGURE_MAX])
{
	double percent = (row->b_ns / row->a_ns - 1) * 100;

	if (isnan(percent) || row->a_ns == 0)
		(void)snprintf(out, FIGURE_MAX, "-");
	else
		(void)snprintf(out, FIGURE_MAX, fabs(percent) < 1000 ? "%+.1f %%" : "%+.0f %%",
			       percent);
	return out;
}

/* What a kind is called in JSON, and what is in front of its figures. */
static const struct {
	const char *name, *label;
} kinds[COMPARE_KIND_MAX] = {
	[COMPARE_OFFSET] = {"offset", "|offset|"},
	[COMPARE_LATENCY] = {"latency", "latency"},
	[COMPARE_PHC] = {"sys_minus_phc", "|system - PHC|"},
	[COMPARE_PHC2SYS] = {"phc2sys", "|claimed|"},
};

static void add_label(struct strbuf *out, const struct compare_row *row)
{
	char label[FIGURE_MAX + REPORT_NAME_MAX];
	char tau[FIGURE_MAX];

	if (row->tau_ns)
		(void)snprintf(label, sizeof(label), "%s %s", row->figure,
			       figure_tau(row->tau_ns, tau));
	else
		(void)snprintf(label, sizeof(label), "%s %s", kinds[row->kind].label, row->figure);
	strbuf_addf(out, "  %-*s", LABEL_WIDTH - 2, label);
}

static const char *figure_of(const struct compare_row *row, double ns, char out[static FIGURE_MAX])
{
	if (row->tau_ns || isnan(ns))
		return figure_wander(ns, out);
	return row->kind == COMPARE_LATENCY ? figure_latency((int64_t)ns, out)
					    : figure_offset((int64_t)ns, out);
}

static bool same_group(const struct compare_row *a, const struct compare_row *b)
{
	return strcmp(a->subject, b->subject) == 0 && strcmp(a->column, b->column) == 0 &&
	       a->kind == b->kind;
}

static void add_rows(struct strbuf *out, const struct compare *c)
{
	static const char *const words[COMPARE_VERDICT_MAX] = {
		[COMPARE_EQUAL] = "  within chance",
		[COMPARE_BETTER] = "  better",
		[COMPARE_WORSE] = "  WORSE",
		[COMPARE_UNKNOWN] = "",
	};

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];
		char a[FIGURE_MAX];
		char b[FIGURE_MAX];
		char change[FIGURE_MAX];
		char title[LABEL_WIDTH];

		if (i == 0 || !same_group(row, row - 1)) {
			(void)snprintf(title, sizeof(title), "%.12s, %.10s", row->subject,
				       row->column);
			strbuf_addf(out, "%s%-*s%*s%*s%*s\n", i ? "\n" : "", LABEL_WIDTH, title,
				    CELL_WIDTH, "A", CELL_WIDTH, "B", CHANGE_WIDTH, "change");
		}
		add_label(out, row);
		strbuf_addf(out, "%*s%*s%*s%s\n", CELL_WIDTH, figure_of(row, row->a_ns, a),
			    CELL_WIDTH, figure_of(row, row->b_ns, b), CHANGE_WIDTH,
			    change_of(row, change), words[row->verdict]);
	}
	strbuf_add(out, c->n_rows ? "\n" : "The runs have no figure in common.\n");
}

static void count_verdicts(const struct compare *c, size_t counts[static COMPARE_VERDICT_MAX])
{
	for (size_t i = 0; i < c->n_rows; i++)
		counts[c->rows[i].verdict]++;
}

void compare_to_text(const struct compare *c, struct strbuf *out)
{
	size_t counts[COMPARE_VERDICT_MAX] = {0};

	count_verdicts(c, counts);
	strbuf_add(out, "ptpmon compare: B against A\n\n");
	for (size_t i = 0; i < c->n_alerts; i++)
		wrap_add(out, "  !! ", "     ", c->alerts[i]);
	if (c->n_alerts)
		strbuf_add(out, "\n");
	strbuf_addf(out,
		    "  %zu figures worse and %zu better than chance allows, %zu within it, %zu "
		    "not known\n\n",
		    counts[COMPARE_WORSE], counts[COMPARE_BETTER], counts[COMPARE_EQUAL],
		    counts[COMPARE_UNKNOWN]);
	add_run(out, 'A', c->a.report);
	add_run(out, 'B', c->b.report);
	strbuf_add(out, "\n");
	add_differences(out, c);
	add_rows(out, c);
	strbuf_addf(out, "%s\n%s\n",
		    "Percentiles are compared by their 95 % intervals; of max and MTIE chance is "
		    "not",
		    "known, and of TDEV roughly.");
}

static json_t *json_ns(double ns)
{
	return isfinite(ns) ? json_real(ns) : json_null();
}

static json_t *rows_json(const struct compare *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];

		(void)json_array_append_new(
			list, json_pack("{ss ss ss ss so so so ss}", "kind", kinds[row->kind].name,
					"subject", row->subject, "column", row->column, "figure",
					row->figure, "tau_ns",
					row->tau_ns ? json_integer(row->tau_ns) : json_null(),
					"a_ns", json_ns(row->a_ns), "b_ns", json_ns(row->b_ns),
					"verdict", compare_verdict_name(row->verdict)));
	}
	return list;
}

static json_t *side_json(const struct report *r)
{
	return json_pack("{sI ss ss ss ss sI}", "id", (json_int_t)r->run.id, "label", r->run.label,
			 "host", r->run.host, "kernel", r->run.kernel, "headline", r->headline,
			 "duration_ns", (json_int_t)r->columns[0].duration_ns);
}

json_t *compare_to_json(const struct compare *c)
{
	json_t *alerts = json_array();
	json_t *differences = json_array();

	for (size_t i = 0; i < c->n_alerts; i++)
		(void)json_array_append_new(alerts, json_string(c->alerts[i]));
	for (size_t i = 0; i < c->n_differences; i++)
		(void)json_array_append_new(
			differences, json_pack("{ss ss ss}", "what", c->differences[i].what, "a",
					       c->differences[i].a, "b", c->differences[i].b));
	return json_pack("{ss so so so so so}", "schema", "ptpmon.compare/1", "a",
			 side_json(c->a.report), "b", side_json(c->b.report), "alerts", alerts,
			 "differences", differences, "figures", rows_json(c));
}
