/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/report/clean.h"
#include "ptpmon/report/figure.h"
#include "ptpmon/report/table.h"
#include "ptpmon/report/wrap.h"

enum { NAME_WIDTH = 8, LISTED = 10, NEAR_LISTED = 4 };

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

/* One line that does not pass the right edge: an octet more than a column only makes it shorter. */
static void add_cut(struct strbuf *out, const char *indent, const char *text)
{
	char line[WRAP_WIDTH + 1];

	clean_copy(line, sizeof(line) - strlen(indent), text);
	strbuf_addf(out, "%s%s\n", indent, line);
}

static const char *utc_of(const struct report_moment *m, char out[static FIGURE_MAX])
{
	return figure_utc_marked(m->utc_ns, m->utc_uncertain, out);
}

static void add_title(struct strbuf *out, const struct report *r)
{
	CLEANUP(strbuf_clear) struct strbuf title = {0};
	const char *caution = report_caution(r);

	strbuf_addf(&title, "ptpmon report: run %" PRId64, r->run.id);
	if (*r->run.label)
		strbuf_addf(&title, " (%s)", r->run.label);
	if (*r->run.role)
		strbuf_addf(&title, ", %s", r->run.role);
	if (*r->run.host)
		strbuf_addf(&title, " on %s", r->run.host);
	if (strbuf_text(&title))
		wrap_add(out, "", "", strbuf_text(&title));
	strbuf_add(out, "\n");
	wrap_add(out, "  ", "  ", r->headline);
	strbuf_add(out, "\n");
	if (!caution)
		return;
	wrap_add(out, "  ", "  ", caution);
	strbuf_add(out, "\n");
}

static void add_run(struct strbuf *out, const struct report *r)
{
	static const char *const endings[REPORT_ENDING_MAX] = {
		[REPORT_RECORDING] = "still recording",
		[REPORT_CUT] = "not ended: killed, or the power failed",
	};
	const struct report_run *run = &r->run;
	char figure[FIGURE_MAX];
	char age[NSEC_TEXT_MAX];

	strbuf_addf(out, "  from      %s\n", utc_of(&r->from, figure));
	strbuf_addf(out, "  to        %s, %s%s\n", utc_of(&r->to, figure),
		    nsec_format_age(r->columns[0].duration_ns, age), r->whole ? "" : " of the run");
	if (r->events[EVENT_CLOCK_STEPPED])
		strbuf_addf(out,
			    "            the wall clock was stepped in between (%" PRIu64 "x)%s\n",
			    r->events[EVENT_CLOCK_STEPPED],
			    r->from.utc_uncertain ? "; ? is a time before" : "");
	strbuf_addf(out, "  ended     %s%s%s\n",
		    run->ending == REPORT_ENDED ? utc_of(&run->end, figure) : "",
		    run->ending == REPORT_ENDED ? ", " : "",
		    run->ending == REPORT_ENDED ? run->how : endings[run->ending]);
	strbuf_addf(out, "  programs  ptpmon %s, ptp4l %s\n", or_dash(run->version),
		    or_dash(run->ptp4l_version));
	strbuf_addf(out, "  kernel    %.50s %.16s\n", or_dash(run->kernel), run->machine);
	add_cut(out, "  record    ", run->database);
	strbuf_add(out, "\n");
}

/* Under a bad moment: what happened around it. */
static void add_near(struct strbuf *out, const struct report_worst *w)
{
	for (size_t i = 0; i < w->n_near && i < NEAR_LISTED; i++) {
		const struct report_near *near = &w->near[i];
		char after[FIGURE_MAX];

		(void)snprintf(after, sizeof(after), "    %+.3f s  ",
			       (double)near->after_ns / NSEC_PER_SEC);
		add_cut(out, after, *near->text ? near->text : near->code);
	}
	if (w->n_near > NEAR_LISTED)
		strbuf_addf(out, "    and %" PRIu64 " more events\n", w->n_near - NEAR_LISTED);
}

static void add_worst_offsets(struct strbuf *out, const struct report *r)
{
	if (!r->n_worst_offsets)
		return;
	strbuf_add(out, "Worst offsets, and the worst wake-up of the same second\n");
	strbuf_addf(out, "  %-25s %-8s %13s  %-8s %10s %s\n", "UTC", "port", "offset", "phase",
		    "latency", "cpu");
	for (size_t i = 0; i < r->n_worst_offsets; i++) {
		const struct report_worst *w = &r->worst_offsets[i];
		char utc[FIGURE_MAX];
		char offset[FIGURE_MAX];
		char latency[FIGURE_MAX];
		char phase[NAME_WIDTH + 1];
		char port[NAME_WIDTH + 1];
		char cpu[NAME_WIDTH + 1];

		CLEAN(phase, or_dash(w->at.phase));
		CLEAN(port, or_dash(w->port));
		CLEAN(cpu, or_dash(w->cpu));
		strbuf_addf(out, "  %-25s %-8s %13s  %-8s %10s %s\n", utc_of(&w->at, utc), port,
			    figure_offset(w->offset_ns, offset), phase,
			    figure_latency(w->latency_ns, latency), cpu);
		add_near(out, w);
	}
	strbuf_add(out, "\n");
}

static void add_worst_latencies(struct strbuf *out, const struct report *r)
{
	if (!r->n_worst_latencies)
		return;
	strbuf_add(out, "Worst wake-ups, and the worst offset of the same second\n");
	strbuf_addf(out, "  %-25s %-8s %10s  %-8s %13s %s\n", "UTC, from", "cpu", "latency",
		    "phase", "offset", "port");
	for (size_t i = 0; i < r->n_worst_latencies; i++) {
		const struct report_worst *w = &r->worst_latencies[i];
		char utc[FIGURE_MAX];
		char offset[FIGURE_MAX];
		char latency[FIGURE_MAX];
		char phase[NAME_WIDTH + 1];
		char port[NAME_WIDTH + 1];
		char cpu[NAME_WIDTH + 1];

		CLEAN(phase, or_dash(w->at.phase));
		CLEAN(port, or_dash(w->port));
		CLEAN(cpu, or_dash(w->cpu));
		strbuf_addf(out, "  %-25s %-8s %10s  %-8s %13s %s\n", utc_of(&w->at, utc), cpu,
			    figure_latency(w->latency_ns, latency), phase,
			    figure_offset(w->offset_ns, offset), port);
		add_near(out, w);
	}
	strbuf_add(out, "\n");
}

static void add_more(struct strbuf *out, uint64_t n)
{
	if (n > LISTED)
		strbuf_addf(out, "  and %" PRIu64 " more\n", n - LISTED);
	strbuf_add(out, "\n");
}

static void add_gaps(struct strbuf *out, const struct report *r)
{
	static const char *const causes[REPORT_GAP_CAUSE_MAX] = {
		[REPORT_GAP_NOT_RECORDED] = "ptpmon did not record",
		[REPORT_GAP_NOT_LOCKED] = "the port was not SLAVE",
		[REPORT_GAP_NO_UPDATES] = "no updates came",
	};

	if (!r->n_gaps)
		return;
	strbuf_add(out, "Gaps\n");
	for (size_t i = 0; i < r->n_gaps && i < LISTED; i++) {
		const struct report_gap *g = &r->gaps[i];
		char utc[FIGURE_MAX];
		char age[NSEC_TEXT_MAX];

		strbuf_addf(out, "  %-25s %-10s  %-8.8s  %s\n", utc_of(&g->from, utc),
			    nsec_format_age(g->duration_ns, age), *g->port ? g->port : "all",
			    causes[g->cause]);
	}
	add_more(out, r->n_gaps);
}

/* One line for what happened at a moment. */
static void add_moment(struct strbuf *out, const struct report_moment *at, const char *text)
{
	char indent[FIGURE_MAX + 8];
	char utc[FIGURE_MAX];

	(void)snprintf(indent, sizeof(indent), "  %-25s ", utc_of(at, utc));
	add_cut(out, indent, text);
}

static void add_changes(struct strbuf *out, const struct report *r)
{
	if (!r->n_changes)
		return;
	strbuf_add(out, "State changes\n");
	for (size_t i = 0; i < r->n_changes && i < LISTED; i++)
		add_moment(out, &r->changes[i].at, r->changes[i].text);
	add_more(out, r->n_changes);
}

static void add_marks(struct strbuf *out, const struct report *r)
{
	if (!r->n_marks)
		return;
	strbuf_add(out, "Marks\n");
	for (size_t i = 0; i < r->n_marks && i < LISTED; i++)
		add_moment(out, &r->marks[i].at, r->marks[i].text);
	add_more(out, r->n_marks);
}

static void add_events(struct strbuf *out, const struct report *r)
{
	CLEANUP(strbuf_clear) struct strbuf list = {0};

	for (enum event_code code = 0; code < EVENT_CODE_MAX; code++)
		if (r->events[code])
			strbuf_addf(&list, "%s%" PRIu64 " %s", list.len ? ", " : "",
				    r->events[code], event_code_name(code));
	if (!list.len)
		return;
	strbuf_add(out, "Events\n");
	wrap_add(out, "  ", "  ", strbuf_text(&list));
}

static void add_coincidence(struct strbuf *out, const struct report_coincidence *c)
{
	CLEANUP(strbuf_clear) struct strbuf text = {0};
	char window[FIGURE_MAX];

	if (!c->known)
		return;
	strbuf_addf(&text,
		    "Of %zu windows of %s, %zu with the worst offsets (1 in 100) and %zu with the "
		    "worst wake-ups: %zu with both, %.1f expected by chance, as many or more in "
		    "%.1f %% of chances. %s",
		    c->count.windows, figure_latency(c->window_ns, window), c->count.a, c->count.b,
		    c->count.both, c->count.expected, c->count.chance * 100,
		    report_coincidence_caution);
	if (strbuf_text(&text))
		wrap_add(out, "  ", "  ", strbuf_text(&text));
	strbuf_add(out, "\n");
}

static void add_offsets(struct strbuf *out, const struct report *r,
			const struct report_offset_series *series)
{
	table_offsets(out, r, series);
	table_wander(out, r, series);
	table_deviations(out, r, series);
	table_verdicts(out, r, series);
	add_coincidence(out, &series->coincidence);
}

void report_to_text(const struct report *r, struct strbuf *out)
{
	add_title(out, r);
	add_run(out, r);
	for (size_t i = 0; i < r->n_offsets; i++)
		add_offsets(out, r, &r->offsets[i]);
	for (size_t i = 0; i < r->n_summaries; i++)
		table_summaries(out, r, &r->summaries[i]);
	for (size_t i = 0; i < r->n_phcs; i++)
		table_phc(out, r, &r->phcs[i]);
	for (size_t i = 0; i < r->n_latencies; i++)
		table_latency(out, r, &r->latencies[i]);
	table_notes(out, r);
	add_worst_offsets(out, r);
	add_worst_latencies(out, r);
	add_gaps(out, r);
	add_changes(out, r);
	add_marks(out, r);
	add_events(out, r);
}
