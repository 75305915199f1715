/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/result.h"

#include <stdlib.h>
#include <string.h>

#include "ptpmon/report/plot.h"

/* clang-format off */
const struct report_percentile report_percentiles[REPORT_PERCENTILES] = {
	{ 50000, "50 %",    "p50_ns" },
	{ 99000, "99 %",    "p99_ns" },
	{ 99900, "99.9 %",  "p99_9_ns" },
	{ 99990, "99.99 %", "p99_99_ns" },
};
/* clang-format on */

const char report_summary_caution[] =
	"Summaries: the single offsets were not logged, so that there are no percentiles of them; "
	"half of the lines have at most what stands at 50 %.";

const char report_coincidence_caution[] =
	"With hardware time stamps a late wake-up does not by itself move the offset.";

static const char *const outcome_names[] = {
	[REPORT_WITHIN] = "within",
	[REPORT_OUTSIDE] = "outside",
	[REPORT_NO_LIMIT] = "no-limit",
	[REPORT_NO_VALUE] = "no-value",
};

static const char *const ending_names[] = {
	[REPORT_ENDED] = "ended",
	[REPORT_RECORDING] = "recording",
	[REPORT_CUT] = "cut",
};

static const char *const idle_names[] = {
	[REPORT_IDLE_UNKNOWN] = "unknown",
	[REPORT_IDLE_ALLOWED] = "allow",
	[REPORT_IDLE_HELD] = "hold",
};

static const char *const gap_cause_names[] = {
	[REPORT_GAP_NOT_RECORDED] = "not-recorded",
	[REPORT_GAP_NOT_LOCKED] = "not-locked",
	[REPORT_GAP_NO_UPDATES] = "no-updates",
};

const char *report_outcome_name(enum report_outcome outcome)
{
	return outcome_names[outcome];
}

const char *report_ending_name(enum report_ending ending)
{
	return ending_names[ending];
}

const char *report_idle_name(enum report_idle idle)
{
	return idle_names[idle];
}

const char *report_gap_cause_name(enum report_gap_cause cause)
{
	return gap_cause_names[cause];
}

bool report_is_of_other_clock(const struct series *series)
{
	return strcmp(series->source, "phc2sys") == 0 || strcmp(series->source, "ts2phc") == 0;
}

bool report_is_phc_to_phc(const struct series *series)
{
	return series->kind == SERIES_PHC2SYS && strncmp(series->subject, "ptp", 3) == 0;
}

const char *report_phc_origin(const struct series *series)
{
	return series->kind == SERIES_PHC2SYS ? "as phc2sys claims" : "measured";
}

const char *report_caution(const struct report *r)
{
	static const char *const cautions[2][2] = {
		/* [of ptp4l][of another clock] */
		{NULL, "Offsets are measured with the same reading that steers the clock and so "
		       "indicative: time error takes an external reference."},
		{"Offsets are the input of ptp4l's own servo and so indicative: time error takes "
		 "an external reference.",
		 "Offsets are the input of ptp4l's own servo, or measured with the same reading "
		 "that steers the clock, and so indicative: time error takes an external "
		 "reference."},
	};
	bool ptp4l = false;
	bool other = false;

	for (size_t i = 0; i < r->n_offsets; i++)
		if (report_is_of_other_clock(&r->offsets[i].series))
			other = true;
		else
			ptp4l = true;
	for (size_t i = 0; i < r->n_summaries; i++)
		if (report_is_of_other_clock(&r->summaries[i].series))
			other = true;
		else
			ptp4l = true;
	return cautions[ptp4l][other];
}

bool report_is_outside(const struct report *r)
{
	for (size_t i = 0; i < r->n_offsets; i++)
		for (size_t c = 0; c < r->n_columns; c++) {
			const struct report_wander *w = &r->offsets[i].columns[c].wander;

			for (size_t v = 0; v < w->n_verdicts; v++)
				if (w->verdicts[v].outcome == REPORT_OUTSIDE)
					return true;
		}
	return false;
}

bool report_is_empty(const struct report *r)
{
	for (size_t i = 0; i < r->n_offsets; i++) {
		const struct report_offset *o = &r->offsets[i].columns[0];

		if (o->count || o->unlocked || o->steps)
			return false;
	}
	for (size_t i = 0; i < r->n_latencies; i++)
		if (r->latencies[i].columns[0].count)
			return false;
	for (size_t i = 0; i < r->n_summaries; i++)
		if (r->summaries[i].columns[0].count)
			return false;
	for (size_t i = 0; i < r->n_phcs; i++)
		if (r->phcs[i].columns[0].count || r->phcs[i].columns[0].unlocked)
			return false;
	return true;
}

static void free_offsets(struct report_offset_series *s, size_t n_columns)
{
	for (size_t c = 0; s->columns && c < n_columns; c++) {
		free(s->columns[c].wander.taus);
		free(s->columns[c].wander.verdicts);
	}
	free(s->columns);
}

struct report *report_free(struct report *r)
{
	if (!r)
		return NULL;
	for (size_t i = 0; r->columns && i < r->n_columns; i++)
		free(r->columns[i].spans);
	for (size_t i = 0; r->offsets && i < r->n_offsets; i++)
		free_offsets(&r->offsets[i], r->n_columns);
	for (size_t i = 0; r->latencies && i < r->n_latencies; i++)
		free(r->latencies[i].columns);
	for (size_t i = 0; r->summaries && i < r->n_summaries; i++)
		free(r->summaries[i].columns);
	free(r->summaries);
	for (size_t i = 0; r->phcs && i < r->n_phcs; i++)
		free(r->phcs[i].columns);
	free(r->phcs);
	free(r->columns);
	free(r->offsets);
	free(r->latencies);
	free(r->changes);
	free(r->gaps);
	free(r->marks);
	r->plot = plot_free(r->plot);
	free(r);
	return NULL;
}
