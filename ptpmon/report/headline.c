/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sentence about a night: offsets, the worst wake-up, time locked, gaps. It says no more than
 * the figures do: what the count does not support is refused in words.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/building.h"
#include "ptpmon/report/figure.h"
#include "ptpmon/stats/quantile.h"

enum { HEADLINE_PERCENTILES = 3 }; /* 50, 99 and 99.9 %: a sentence is no table */

/* The series with the most samples; NULL if there is none at all. */
static const struct report_offset_series *main_series(const struct report *r)
{
	const struct report_offset_series *best = NULL;

	for (size_t i = 0; i < r->n_offsets; i++)
		if (!best || r->offsets[i].columns[0].count > best->columns[0].count)
			best = &r->offsets[i];
	return best;
}

static void say_percentile(struct strbuf *s, const struct report_offset *o, size_t i)
{
	char figure[FIGURE_MAX];

	strbuf_addf(s, "%s%s", i > 0 ? ", " : "",
		    i > 0 ? report_percentiles[i].text : "median |offset|");
	if (o->abs.value_ns[i] == SAMPLE_UNKNOWN)
		strbuf_addf(s, " needs %" PRIu64 " samples (%" PRIu64 " here)",
			    quantile_needed(report_percentiles[i].p_milli), o->count);
	else
		strbuf_addf(s, "%s %s",
			    i == 0   ? ""
			    : i == 1 ? " of samples within"
				     : " within",
			    figure_offset(o->abs.value_ns[i], figure));
}

/* Of summary lines alone: what they say of themselves, and that it is no more. */
static void say_summaries(struct strbuf *s, const struct report_summary *summary)
{
	char rms[FIGURE_MAX];
	char max[FIGURE_MAX];

	strbuf_addf(s, "%" PRIu64 " summaries of offsets: rms %s in half of them, largest %s",
		    summary->count, figure_offset(summary->rms_p50_ns, rms),
		    figure_offset(summary->max_largest_ns, max));
}

static void say_offsets(struct strbuf *s, const struct report *r,
			const struct report_offset_series *series)
{
	const struct report_offset *o = series ? &series->columns[0] : NULL;

	if (!o || (!o->count && !o->unlocked && !o->steps)) {
		if (r->n_summaries > 0 && r->summaries[0].columns[0].count > 0)
			say_summaries(s, &r->summaries[0].columns[0]);
		else
			strbuf_add(s, "no offset was recorded");
		return;
	}
	if (r->n_offsets > 1)
		strbuf_addf(s, "%s: ", series->series.subject);
	if (!o->count) {
		strbuf_addf(s, "no offset in SLAVE (%" PRIu64 " otherwise)",
			    o->unlocked + o->steps);
		return;
	}
	for (size_t i = 0; i < HEADLINE_PERCENTILES; i++)
		say_percentile(s, o, i);
}

static void say_phase(struct strbuf *s, const struct report *r, const char *phase)
{
	if (r->n_columns == 1)
		return;
	if (!*phase)
		strbuf_add(s, " outside the phases");
	else if (strcmp(phase, "load") == 0)
		strbuf_add(s, " under load");
	else if (strcmp(phase, "idle") == 0)
		strbuf_add(s, " when idle");
	else
		strbuf_addf(s, " in phase %s", phase);
}

static void say_latency(struct strbuf *s, const struct report *r)
{
	const struct report_worst *w = &r->worst_latencies[0];
	char figure[FIGURE_MAX];
	bool not_realtime = false;

	if (!r->n_worst_latencies) {
		strbuf_add(s, "; no wake-up was measured");
		return;
	}
	for (size_t i = 0; i < r->n_latencies; i++)
		not_realtime |= r->latencies[i].not_realtime;
	strbuf_addf(s, "; worst wake-up %s", figure_latency(w->latency_ns, figure));
	say_phase(s, r, w->at.phase);
	if (not_realtime)
		strbuf_add(s, " (NOT REAL-TIME)");
}

static void say_lock_and_gaps(struct strbuf *s, const struct report *r,
			      const struct report_offset *o)
{
	char figure[FIGURE_MAX];
	char age[NSEC_TEXT_MAX];

	if (o->unknown_ns >= r->columns[0].duration_ns)
		strbuf_add(s, "; port state not known");
	else if (o->locked_ns < r->columns[0].duration_ns)
		strbuf_addf(s, "; locked %s of the time",
			    figure_share(o->locked_ns, r->columns[0].duration_ns, figure));
	if (o->missed)
		strbuf_addf(s, "; %" PRIu64 " update%s missed", o->missed,
			    o->missed == 1 ? "" : "s");
	if (o->gaps)
		strbuf_addf(s, "; %" PRIu64 " gap%s (%s)", o->gaps, o->gaps == 1 ? "" : "s",
			    nsec_format_age(o->gaps_ns, age));
	else if (o->count)
		strbuf_add(s, "; no gaps");
}

int building_headline(struct building *b)
{
	struct report *r = b->report;
	const struct report_offset_series *series = main_series(r);
	CLEANUP(strbuf_clear) struct strbuf s = {0};

	say_offsets(&s, r, series);
	say_latency(&s, r);
	if (series)
		say_lock_and_gaps(&s, r, &series->columns[0]);
	if (!strbuf_text(&s))
		return -ENOMEM;
	(void)snprintf(r->headline, sizeof(r->headline), "%s", strbuf_text(&s));
	return 0;
}
