/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/result.h"

#include <stdlib.h>

/* clang-format off */
const struct report_percentile report_percentiles[REPORT_PERCENTILES] = {
	{ 50000, "50 %",    "p50_ns" },
	{ 99000, "99 %",    "p99_ns" },
	{ 99900, "99.9 %",  "p99_9_ns" },
	{ 99990, "99.99 %", "p99_99_ns" },
};
/* clang-format on */

const char report_caution[] = "Offsets are the input of ptp4l's own servo and so indicative: time "
			      "error takes an external "
			      "reference.";

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
	return true;
}

struct report *report_free(struct report *r)
{
	if (!r)
		return NULL;
	for (size_t i = 0; r->columns && i < r->n_columns; i++)
		free(r->columns[i].spans);
	for (size_t i = 0; r->offsets && i < r->n_offsets; i++)
		free(r->offsets[i].columns);
	for (size_t i = 0; r->latencies && i < r->n_latencies; i++)
		free(r->latencies[i].columns);
	free(r->columns);
	free(r->offsets);
	free(r->latencies);
	free(r->changes);
	free(r->gaps);
	free(r->marks);
	free(r);
	return NULL;
}
