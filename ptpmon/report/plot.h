/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/plot.h: the points that charts need beside the figures of a report.
 *
 * Time is cut into PLOT_COLUMNS, and of each series each column keeps the least and the greatest
 * value in it, so that no spike is lost however long the night was; they are gathered while the
 * figures are, from the same rows and of the same samples. What was not steered (a step, another
 * state than SLAVE) is in no statistic and in no plot.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/event.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/stats/histogram.h"
#include "ptpmon/stats/signed_histogram.h"

enum { PLOT_COLUMNS = 840, PLOT_EVENTS_MAX = 512, PLOT_TEXT_MAX = 160, PLOT_PHASES_MAX = 8 };

/* What lies in one column. */
struct plot_range {
	uint64_t count; /* 0: nothing, and the others mean nothing */
	double min, max, sum;
};

/* One offset series: ns, ns and ppb. */
struct plot_offset {
	struct plot_range offset[PLOT_COLUMNS], delay[PLOT_COLUMNS], freq_ppb[PLOT_COLUMNS];
};

struct plot_event {
	int64_t mono_ns;
	enum severity severity;
	char text[PLOT_TEXT_MAX];
};

struct plot {
	int64_t from_ns, to_ns; /* the time that the columns cut, from_ns < to_ns */
	size_t n_offsets, n_latencies;
	size_t n_columns; /* of the report, whose histograms are kept: the first and some phases */
	struct plot_offset *offsets;             /* as report.offsets */
	struct signed_histogram *distributions;  /* by offset series, then by column */
	struct plot_range latency[PLOT_COLUMNS]; /* the largest wake-up of any CPU */
	struct histogram *latencies;             /* by CPU, then by column */
	uint64_t n_events;                       /* of severity notice and more, … */
	struct plot_event *events; /* … the first PLOT_EVENTS_MAX, warnings apart … */
	size_t n_listed;           /* … are listed */
	char *board;               /* JSON, or "" */
};

/* 0 or -ENOMEM. The board may be NULL. */
int plot_new(struct plot **out, int64_t from_ns, int64_t to_ns, size_t n_offsets,
	     size_t n_latencies, size_t n_columns, const char *board);
struct plot *plot_free(struct plot *p);

/* One sample that is in statistics. NULL is fine, and then nothing happens: here as below. */
void plot_sample(struct plot *p, size_t series, const struct sample *s);

/* Offsets of one column (one that is not kept is fine); and, of hours whose rows are gone, their
 * histogram. */
void plot_offsets(struct plot *p, size_t series, size_t column, const int64_t *values, size_t n);
void plot_hours(struct plot *p, size_t series, size_t column, const struct signed_histogram *hours);

/* Of a time of which only the extremes are left: all columns that it touches. */
void plot_offset_span(struct plot *p, size_t series, int64_t from_ns, int64_t to_ns, int64_t min_ns,
		      int64_t max_ns);

/* A window of any CPU: likewise. */
void plot_window(struct plot *p, int64_t from_ns, int64_t to_ns, int64_t max_ns);

void plot_latencies(struct plot *p, size_t cpu, size_t column, const struct histogram *h);

/* One event within the time. */
void plot_event(struct plot *p, int64_t mono_ns, enum severity severity, const char *text);

const struct signed_histogram *plot_distribution(const struct plot *p, size_t series,
						 size_t column);
const struct histogram *plot_latency_histogram(const struct plot *p, size_t cpu, size_t column);
