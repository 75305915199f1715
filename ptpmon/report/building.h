/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/building.h: the steps of report_build(), in order; not for others.
 *
 * Each fills its part of building.report from the query and what the steps before have left.
 * 0, or -errno.
 */
#pragma once
#include "ptpmon/report/build.h"
#include "ptpmon/report/history.h"
#include "ptpmon/report/partition.h"
#include "ptpmon/report/parts.h"
#include "ptpmon/report/spans.h"
#include "ptpmon/report/values.h"
#include "ptpmon/stats/latency_summary.h"

struct building {
	struct query *query;
	const struct report_request *request;
	struct report *report;
	bool from_start;                  /* the scope begins where the run does … */
	int64_t from_mono_ns, to_mono_ns; /* … and then what is visited begins at 0: the moment of a
					     row may be a little before the run noted its start */
	struct partition partition;       /* of the columns but the first */
	struct history history;
	size_t *offset_indices, *latency_indices; /* series of the query, by index in report */
	size_t n_windows;                         /* for coincidences, of … */
	int64_t window_ns;
	size_t window;           /* the one noted last, and … */
	int64_t window_from_ns;  /* … its beginning */
	int64_t *latency_maxima; /* … all CPUs, and … */
	int64_t *offset_maxima;  /* … one offset series; SAMPLE_UNKNOWN where there is none */
};

/* scope.c: the run, the scope, the columns. -ERANGE if the scope is empty. */
int building_scope(struct building *b, const struct report_request *request);
struct report_moment building_moment(const struct building *b, int64_t mono_ns);
/* With the phase only if all of the span lies in it. */
struct report_moment building_span_moment(const struct building *b, const struct report_span *span);
bool building_in_column(const struct building *b, size_t column, int64_t mono_ns);

/* happenings.c: events, state changes, marks; and the history of port states. */
int building_happenings(struct building *b);

/* offsets.c: statistics of each offset series, and the worst samples. */
int building_offsets(struct building *b);

/*
 * quantiles.c: percentiles of |offset| and how sure they are, of n values in order of time; and of
 * latencies, from the histograms of parts of the time, and their sum.
 */
int building_offset_quantiles(struct report_quantiles *out, const int64_t *values, size_t n);
void building_latency_quantiles(struct report_quantiles *out, const struct latency_summary *sum,
				const struct parts *parts);

/* wander.c: MTIE and deviations of offsets; judge.c: what the limits say of them. */
struct series_values;
struct track;
int building_wander(const struct building *b, struct report_wander *out,
		    const struct series_values *offsets);
int building_judge(const struct building *b, struct report_wander *out, struct track *t,
		   const struct series_values *offsets);

/*
 * coincidence.c: makes the windows; notes a value in the one it lies in; and, of the series whose
 * values were noted, compares and forgets them.
 */
int building_windows(struct building *b);
void building_note_maximum(struct building *b, int64_t *maxima, int64_t mono_ns, int64_t value);
int building_coincidence(struct building *b, struct report_coincidence *out);

/*
 * gaps.c: the declared ones; those of one series, from distances of its samples that may be too
 * long (pairs: from, to); and in the end all in order of time.
 */
int building_declared_gaps(struct building *b);
void building_gaps(struct building *b, struct report_offset_series *series,
		   const struct values *distances);
int building_sort_gaps(struct building *b);

/* latencies.c: statistics of each CPU, and the worst windows. */
int building_latencies(struct building *b);

/* build.c: n columns of which nothing is known yet; NULL without memory. */
struct report_offset *building_offset_columns(size_t n);

/* phcs.c: the system clock against PHCs. */
int building_phcs(struct building *b);

/* summaries.c: what summary lines of imported logs tell. */
int building_summaries(struct building *b);

/* worst.c: keeps the worst, and finds what else was there in the same second. */
void worst_keep(struct report_worst *list, size_t *n, const struct report_worst *w,
		int64_t (*badness)(const struct report_worst *w));
int64_t worst_by_offset(const struct report_worst *w);
int64_t worst_by_latency(const struct report_worst *w);
int building_worst(struct building *b);

/* headline.c: the sentence; last. */
int building_headline(struct building *b);
