/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/figure.h"
#include "ptpmon/report/html_parts.h"
#include "ptpmon/report/plot.h"
#include "ptpmon/report/svg.h"

/* A heading that begins with < stands over text, at the left. */
static void begin_table(struct strbuf *out, const char *caption, const char *const headings[],
			size_t n)
{
	strbuf_add(out, "<div class=\"scroll\" tabindex=\"0\"><table>\n<caption>");
	xml_text(out, caption);
	strbuf_add(out, "</caption>\n<thead><tr>");
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "<th scope=\"col\"%s>%s</th>",
			    *headings[i] == '<' ? " class=\"text\"" : "",
			    headings[i] + (*headings[i] == '<'));
	strbuf_add(out, "</tr></thead>\n<tbody>\n");
}

#define HEADINGS(...)                                                                              \
	(const char *const[]){__VA_ARGS__},                                                        \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)

static void end_table(struct strbuf *out)
{
	strbuf_add(out, "</tbody>\n</table></div>\n");
}

static void begin_row(const struct report_moment *at, struct strbuf *out)
{
	strbuf_add(out, "<tr><th scope=\"row\">");
	html_utc(at, out);
	strbuf_add(out, "</th>");
}

static void add_cell(struct strbuf *out, const char *text)
{
	strbuf_add(out, "<td>");
	xml_text(out, *text ? text : "-");
	strbuf_add(out, "</td>");
}

/* What happened around a bad moment, in one cell. */
static void add_near(const struct report_worst *w, struct strbuf *out)
{
	strbuf_add(out, "<td class=\"text\">");
	for (size_t i = 0; i < w->n_near && i < REPORT_NEAR_MAX; i++) {
		const struct report_near *near = &w->near[i];

		strbuf_add(out, i > 0 ? "<br/>" : "");
		xml_textf(out, "%+.3f s %s", (double)near->after_ns / NSEC_PER_SEC,
			  *near->text ? near->text : near->code);
	}
	if (w->n_near > REPORT_NEAR_MAX)
		strbuf_addf(out, "<br/>and %" PRIu64 " more", w->n_near - REPORT_NEAR_MAX);
	strbuf_add(out, w->n_near ? "</td></tr>\n" : "-</td></tr>\n");
}

static void add_worst(const struct report_worst *w, bool offset_first, struct strbuf *out)
{
	char offset[FIGURE_MAX];
	char latency[FIGURE_MAX];

	(void)figure_offset(w->offset_ns, offset);
	(void)figure_latency(w->latency_ns, latency);
	begin_row(&w->at, out);
	add_cell(out, offset_first ? w->port : w->cpu);
	add_cell(out, offset_first ? offset : latency);
	add_cell(out, w->at.phase);
	add_cell(out, offset_first ? latency : offset);
	add_cell(out, offset_first ? w->cpu : w->port);
	add_near(w, out);
}

void html_worst(const struct report *r, struct strbuf *out)
{
	if (!r->n_worst_offsets && !r->n_worst_latencies)
		return;
	strbuf_add(out, "<section>\n<h2>The worst moments</h2>\n");
	if (r->n_worst_offsets) {
		begin_table(out, "Worst offsets, and the worst wake-up of the same second",
			    HEADINGS("UTC", "port", "offset", "phase", "latency", "cpu",
				     "<what happened within 2 s"));
		for (size_t i = 0; i < r->n_worst_offsets; i++)
			add_worst(&r->worst_offsets[i], true, out);
		end_table(out);
	}
	if (r->n_worst_latencies) {
		begin_table(out, "Worst wake-ups, and the worst offset of the same second",
			    HEADINGS("UTC, from", "cpu", "latency", "phase", "offset", "port",
				     "<what happened within 2 s"));
		for (size_t i = 0; i < r->n_worst_latencies; i++)
			add_worst(&r->worst_latencies[i], false, out);
		end_table(out);
	}
	strbuf_add(out, "</section>\n");
}

static void add_more(uint64_t n, struct strbuf *out)
{
	if (n > REPORT_LISTED_MAX)
		strbuf_addf(out, "<p>and %" PRIu64 " more</p>\n", n - REPORT_LISTED_MAX);
}

static void add_gaps(const struct report *r, struct strbuf *out)
{
	static const char *const causes[REPORT_GAP_CAUSE_MAX] = {
		[REPORT_GAP_NOT_RECORDED] = "ptpmon did not record",
		[REPORT_GAP_NOT_LOCKED] = "the port was not SLAVE",
		[REPORT_GAP_NO_UPDATES] = "no updates came",
	};

	if (!r->n_gaps)
		return;
	begin_table(out, "Gaps", HEADINGS("UTC", "for", "port", "because"));
	for (size_t i = 0; i < r->n_gaps && i < REPORT_LISTED_MAX; i++) {
		const struct report_gap *g = &r->gaps[i];
		char age[NSEC_TEXT_MAX];

		begin_row(&g->from, out);
		add_cell(out, nsec_format_age(g->duration_ns, age));
		add_cell(out, *g->port ? g->port : "all");
		add_cell(out, causes[g->cause]);
		strbuf_add(out, "</tr>\n");
	}
	end_table(out);
	add_more(r->n_gaps, out);
}

static void add_marks(const struct report *r, struct strbuf *out)
{
	if (!r->n_marks)
		return;
	begin_table(out, "Marks", HEADINGS("UTC", "number", "<text", "by"));
	for (size_t i = 0; i < r->n_marks; i++) {
		char number[FIGURE_MAX];

		(void)snprintf(number, sizeof(number), "%zu", i + 1);
		begin_row(&r->marks[i].at, out);
		add_cell(out, number);
		strbuf_add(out, "<td class=\"text\">");
		xml_text(out, r->marks[i].text);
		strbuf_add(out, "</td>");
		add_cell(out, r->marks[i].who);
		strbuf_add(out, "</tr>\n");
	}
	end_table(out);
}

static void add_changes(const struct report *r, struct strbuf *out)
{
	if (!r->n_changes)
		return;
	begin_table(out, "State changes", HEADINGS("UTC", "<what"));
	for (size_t i = 0; i < r->n_changes && i < REPORT_LISTED_MAX; i++) {
		begin_row(&r->changes[i].at, out);
		strbuf_add(out, "<td class=\"text\">");
		xml_text(out, r->changes[i].text);
		strbuf_add(out, "</td></tr>\n");
	}
	end_table(out);
	add_more(r->n_changes, out);
}

static void add_events(const struct report *r, struct strbuf *out)
{
	bool any = false;

	for (enum event_code code = 0; code < EVENT_CODE_MAX; code++)
		any |= r->events[code] > 0;
	if (!any)
		return;
	begin_table(out, "Events", HEADINGS("code", "how often"));
	for (enum event_code code = 0; code < EVENT_CODE_MAX; code++)
		if (r->events[code])
			strbuf_addf(out, "<tr><th scope=\"row\">%s</th><td>%" PRIu64 "</td></tr>\n",
				    event_code_name(code), r->events[code]);
	end_table(out);
}

void html_happenings(const struct report *r, struct strbuf *out)
{
	strbuf_add(out, "<section>\n<h2>What happened</h2>\n");
	add_marks(r, out);
	add_gaps(r, out);
	add_changes(r, out);
	add_events(r, out);
	strbuf_add(out, "</section>\n");
}

static void add_fact(const char *name, const json_t *value, struct strbuf *out)
{
	char *other = NULL;

	strbuf_add(out, "<tr><th scope=\"row\">");
	xml_text(out, name);
	strbuf_add(out, "</th><td class=\"text\">");
	if (json_is_string(value)) {
		xml_text(out, json_string_value(value));
	} else {
		other = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
		xml_text(out, other ? other : "");
		free(other);
	}
	strbuf_add(out, "</td></tr>\n");
}

void html_board(const struct report *r, struct strbuf *out)
{
	json_auto_t *board = json_loads(r->plot->board, 0, NULL);
	const char *name;
	json_t *value;

	if (!json_object_size(board)) {
		strbuf_add(out, "<p>The record does not describe the board.</p>\n");
		return;
	}
	strbuf_add(out, "<table class=\"facts\"><caption>The board</caption><tbody>\n");
	json_object_foreach(board, name, value) add_fact(name, value, out);
	strbuf_add(out, "</tbody></table>\n");
}
