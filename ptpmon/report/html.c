/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/chart.h"
#include "ptpmon/report/figure.h"
#include "ptpmon/report/html_parts.h"
#include "ptpmon/report/svg.h"

enum { HEADLINE_PERCENTILES = 3 };

void html_utc(const struct report_moment *m, struct strbuf *out)
{
	char utc[FIGURE_MAX];

	strbuf_add(out, figure_utc_marked(m->utc_ns, m->utc_uncertain, utc));
}

static void add_title(const struct report *r, struct strbuf *out)
{
	xml_textf(out, "run %" PRId64, r->run.id);
	if (*r->run.label)
		xml_textf(out, " (%s)", r->run.label);
	if (*r->run.role)
		xml_textf(out, ", %s", r->run.role);
	if (*r->run.host)
		xml_textf(out, " on %s", r->run.host);
}

static void add_head(const struct report *r, struct strbuf *out)
{
	strbuf_add(out,
		   "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
		   "<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
		   "content=\"width=device-width, initial-scale=1\"/>\n<meta "
		   "name=\"color-scheme\" content=\"light dark\"/>\n<title>ptpmon report: ");
	add_title(r, out);
	strbuf_addf(out, "</title>\n<style>%s%s</style>\n</head>\n<body>\n<main>\n", html_style,
		    svg_style);
}

struct judged {
	size_t all, outside, undecided;
};

static struct judged judged(const struct report *r)
{
	struct judged j = {0};

	for (size_t i = 0; i < r->n_offsets; i++)
		for (size_t c = 0; c < r->n_columns; c++) {
			const struct report_wander *w = &r->offsets[i].columns[c].wander;

			for (size_t v = 0; v < w->n_verdicts; v++) {
				j.all++;
				j.outside += w->verdicts[v].outcome == REPORT_OUTSIDE;
				j.undecided += w->verdicts[v].outcome == REPORT_NO_VALUE;
			}
		}
	return j;
}

/* One word, with a sign before it, for colour alone tells nobody. */
static void add_verdict(const struct report *r, struct strbuf *out)
{
	struct judged j = judged(r);

	if (report_is_empty(r)) {
		strbuf_add(out,
			   "<p class=\"verdict bad\"><b>\xe2\x9c\x96 NO SAMPLES</b> nothing was "
			   "measured in that time</p>\n");
	} else if (!r->limits) {
		strbuf_add(out,
			   "<p class=\"verdict\"><b>\xe2\x97\x8b NOT JUDGED</b> no limits were "
			   "given (--limits)</p>\n");
	} else if (report_is_outside(r)) {
		strbuf_addf(
			out,
			"<p class=\"verdict bad\"><b>\xe2\x9c\x96 OUTSIDE THE LIMITS</b> %zu of "
			"%zu verdicts by ",
			j.outside, j.all);
		xml_text(out, r->limits->name);
		strbuf_add(out, ", indicative</p>\n");
	} else if (j.undecided || !j.all) {
		strbuf_addf(
			out,
			"<p class=\"verdict\"><b>\xe2\x97\x8b NOT DECIDED</b> %zu of %zu verdicts "
			"have no value by ",
			j.undecided, j.all);
		xml_text(out, r->limits->name);
		strbuf_add(out, ", indicative</p>\n");
	} else {
		strbuf_addf(out,
			    "<p class=\"verdict good\"><b>\xe2\x9c\x94 WITHIN THE LIMITS</b> %zu "
			    "verdicts by ",
			    j.all);
		xml_text(out, r->limits->name);
		strbuf_add(out, ", indicative</p>\n");
	}
}

static void add_key(struct strbuf *out, const char *name, const char *figure)
{
	strbuf_add(out, "<div><dt>");
	xml_text(out, name);
	strbuf_add(out, "</dt><dd>");
	xml_text(out, figure);
	strbuf_add(out, "</dd></div>\n");
}

/* The series with the most samples, as the sentence has it. */
static const struct report_offset *main_offset(const struct report *r)
{
	const struct report_offset *best = NULL;

	for (size_t i = 0; i < r->n_offsets; i++)
		if (!best || r->offsets[i].columns[0].count > best->count)
			best = &r->offsets[i].columns[0];
	return best;
}

static void add_keys(const struct report *r, struct strbuf *out)
{
	const struct report_offset *o = main_offset(r);
	char figure[FIGURE_MAX];

	if (report_is_empty(r))
		return;
	strbuf_add(out, "<dl class=\"keys\">\n");
	for (size_t p = 0; o && o->count && p < HEADLINE_PERCENTILES; p++) {
		char name[REPORT_NAME_MAX];

		(void)snprintf(name, sizeof(name), "|offset| %s", report_percentiles[p].text);
		add_key(out, name, figure_offset(o->abs.value_ns[p], figure));
	}
	if (o && o->count)
		add_key(out, "|offset| max", figure_offset(o->abs_max_ns, figure));
	if (r->n_worst_latencies)
		add_key(out, "worst wake-up",
			figure_latency(r->worst_latencies[0].latency_ns, figure));
	if (o && r->columns[0].duration_ns > 0 && o->unknown_ns < r->columns[0].duration_ns)
		add_key(out, "time locked",
			figure_share(o->locked_ns, r->columns[0].duration_ns, figure));
	strbuf_add(out, "</dl>\n");
}

static void add_fact(struct strbuf *out, const char *name, const char *text)
{
	if (!*text)
		return;
	strbuf_add(out, "<tr><th scope=\"row\">");
	xml_text(out, name);
	strbuf_add(out, "</th><td>");
	xml_text(out, text);
	strbuf_add(out, "</td></tr>\n");
}

static void add_run(const struct report *r, struct strbuf *out)
{
	static const char *const endings[REPORT_ENDING_MAX] = {
		[REPORT_ENDED] = "ended: ",
		[REPORT_RECORDING] = "still recording",
		[REPORT_CUT] = "not ended: killed, or the power failed",
	};
	const struct report_run *run = &r->run;
	char age[NSEC_TEXT_MAX];
	char text[REPORT_TEXT_MAX];
	char utc[FIGURE_MAX];

	strbuf_add(out, "<table class=\"facts\"><caption>The run</caption><tbody>\n<tr><th "
			"scope=\"row\">from</th><td>");
	html_utc(&r->from, out);
	strbuf_add(out, "</td></tr>\n<tr><th scope=\"row\">to</th><td>");
	html_utc(&r->to, out);
	strbuf_addf(out, ", %s%s</td></tr>\n", nsec_format_age(r->columns[0].duration_ns, age),
		    r->whole ? "" : " of the run");
	if (r->events[EVENT_CLOCK_STEPPED])
		add_fact(out, "wall clock",
			 "stepped in between; a time with a question mark is one before");
	(void)snprintf(text, sizeof(text), "%s%s%s%s", endings[run->ending], run->how,
		       run->ending == REPORT_ENDED ? ", " : "",
		       run->ending == REPORT_ENDED ? figure_utc(run->end.utc_ns, utc) : "");
	add_fact(out, "end", text);
	(void)snprintf(text, sizeof(text), "ptpmon %s, ptp4l %s",
		       *run->version ? run->version : "-",
		       *run->ptp4l_version ? run->ptp4l_version : "-");
	add_fact(out, "programs", text);
	(void)snprintf(text, sizeof(text), "%.180s %.60s", run->kernel, run->machine);
	add_fact(out, "kernel", *run->kernel ? text : "");
	add_fact(out, "boot", run->boot_id);
	add_fact(out, "record", run->database);
	strbuf_add(out, "</tbody></table>\n");
}

/* The chart for a wide page and the one for a narrow, with what it shows. */
static void add_chart(const struct report *r, enum chart_kind kind, size_t series,
		      const char *caption, struct strbuf *out)
{
	struct chart chart = {.report = r, .kind = kind, .series = series};

	if (!chart_exists(&chart))
		return;
	strbuf_add(out, "<figure>\n<figcaption>");
	xml_text(out, caption);
	strbuf_add(out, "</figcaption>\n<div class=\"wide\">\n");
	chart_draw(&chart, true, false, out);
	strbuf_add(out, "</div>\n<div class=\"narrow\">\n");
	chart_draw(&chart, false, false, out);
	strbuf_add(out, "</div>\n</figure>\n");
}

static void begin_section(struct strbuf *out, const char *title, const char *subject)
{
	strbuf_add(out, "<section>\n<h2>");
	xml_textf(out, "%s%s%s", title, subject ? ": " : "", subject ? subject : "");
	strbuf_add(out, "</h2>\n");
}

static void end_section(struct strbuf *out)
{
	strbuf_add(out, "</section>\n");
}

static void add_coincidence(const struct report_coincidence *c, struct strbuf *out)
{
	char window[FIGURE_MAX];

	if (!c->known)
		return;
	strbuf_add(out, "<p>");
	xml_textf(out,
		  "Of %zu windows of %s, %zu with the worst offsets (1 in 100) and %zu with the "
		  "worst wake-ups: %zu with both, %.1f expected by chance, as many or more in %.1f "
		  "%% "
		  "of chances. %s",
		  c->count.windows, figure_latency(c->window_ns, window), c->count.a, c->count.b,
		  c->count.both, c->count.expected, c->count.chance * 100,
		  report_coincidence_caution);
	strbuf_add(out, "</p>\n");
}

static void add_offsets(const struct report *r, size_t i, struct strbuf *out)
{
	const struct report_offset_series *s = &r->offsets[i];
	const char *reference = report_is_of_other_clock(&s->series) ? "source" : "master";
	char caption[REPORT_TEXT_MAX];
	char interval[FIGURE_MAX];
	bool even = s->interval_p50_ns != SAMPLE_UNKNOWN;

	(void)snprintf(caption, sizeof(caption), "Offset from %s", reference);
	begin_section(out, caption, s->series.subject);
	add_chart(r, CHART_TIME, i, "Over time, with the wake-up latency of the same moments", out);
	add_chart(r, CHART_DISTRIBUTION, i, "How often each offset was", out);
	(void)snprintf(caption, sizeof(caption), "Offset from %s: %s (%s, local minus %s%s%s)",
		       reference, s->series.subject, s->series.source, reference,
		       even ? ", every " : "",
		       even ? figure_latency(s->interval_p50_ns, interval) : "");
	html_figures(r, TABLE_OFFSET, s->columns, caption, out);
	add_coincidence(&s->coincidence, out);
	add_chart(r, CHART_WANDER, i, "How far it wanders within a time", out);
	html_verdicts(r, s, out);
	html_wander(r, s, out);
	add_chart(r, CHART_RATES, i, "What the servo did, and the path", out);
	end_section(out);
}

static void add_summaries(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->n_summaries; i++) {
		const struct report_summary_series *s = &r->summaries[i];
		char caption[REPORT_TEXT_MAX];

		begin_section(out, "Summaries of offsets", s->series.subject);
		(void)snprintf(caption, sizeof(caption), "rms and max of the lines of %s",
			       s->series.source);
		html_figures(r, TABLE_SUMMARY, s->columns, caption, out);
		strbuf_add(out, "<p>");
		xml_text(out, report_summary_caution);
		strbuf_add(out, "</p>\n");
		end_section(out);
	}
}

static void add_phcs(const struct report *r, struct strbuf *out)
{
	if (!r->n_phcs)
		return;
	begin_section(out, "PHC to system", NULL);
	for (size_t i = 0; i < r->n_phcs; i++) {
		const struct report_phc_series *s = &r->phcs[i];
		char caption[REPORT_TEXT_MAX];

		(void)snprintf(caption, sizeof(caption), "%s (%s)", s->series.subject,
			       report_phc_origin(&s->series));
		html_figures(r, TABLE_PHC, s->columns, caption, out);
	}
	end_section(out);
}

static void add_latencies(const struct report *r, struct strbuf *out)
{
	if (!r->n_latencies)
		return;
	begin_section(out, "Wake-up latency", NULL);
	if (!r->n_offsets)
		add_chart(r, CHART_TIME, 0, "Over time", out);
	add_chart(r, CHART_LATENCY, 0, "How late each CPU woke up, phases side by side", out);
	strbuf_add(out, "<div class=\"abreast\">\n");
	for (size_t i = 0; i < r->n_latencies; i++) {
		const struct report_latency_series *s = &r->latencies[i];
		char caption[2 * REPORT_TEXT_MAX];

		(void)snprintf(caption, sizeof(caption), "%s (idle states %s)%s%s",
			       s->series.subject, report_idle_name(s->idle_states),
			       s->not_realtime ? ", NOT REAL-TIME: " : "",
			       s->not_realtime ? s->not_realtime_why : "");
		html_figures(r, TABLE_LATENCY, s->columns, caption, out);
	}
	strbuf_add(out, "</div>\n");
	end_section(out);
}

void report_to_html(const struct report *r, struct strbuf *out)
{
	const char *caution = report_caution(r);

	add_head(r, out);
	strbuf_add(out, "<header>\n<h1>ptpmon report: ");
	add_title(r, out);
	strbuf_add(out, "</h1>\n");
	add_verdict(r, out);
	strbuf_add(out, "<p class=\"headline\">");
	xml_text(out, r->headline);
	strbuf_add(out, "</p>\n");
	add_keys(r, out);
	if (caution) {
		strbuf_add(out, "<p class=\"caution\">");
		xml_text(out, caution);
		strbuf_add(out, "</p>\n");
	}
	strbuf_add(out, "</header>\n");
	for (size_t i = 0; i < r->n_offsets; i++)
		add_offsets(r, i, out);
	add_summaries(r, out);
	add_phcs(r, out);
	add_latencies(r, out);
	html_worst(r, out);
	html_happenings(r, out);
	begin_section(out, "The run and the board", NULL);
	add_run(r, out);
	html_board(r, out);
	end_section(out);
	html_method(r, out);
	strbuf_add(out, "</main>\n</body>\n</html>\n");
}
