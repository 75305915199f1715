/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row is a label, a member of the column's figures, and how it is written, so that what a table
 * shows is read off its rows. A row that is only of interest when it says something is left out
 * when it does not.
 */
#include "ptpmon/report/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/clean.h"
#include "ptpmon/report/figure.h"
#include "ptpmon/report/wrap.h"
#include "ptpmon/stats/quantile.h"

enum { LABEL_WIDTH = 22, CELL_WIDTH = 14, CELLS_ABREAST = 4 };

/* One figure of a column, and what of the column it is written with. */
struct cell {
	const void *figure;
	size_t percentile;
	uint64_t count;      /* of the values in the column */
	int64_t duration_ns; /* of the column */
	char text[FIGURE_MAX];
};

struct row {
	const char *label;
	void (*write)(struct cell *c); /* leaves "-" where there is nothing to say */
	size_t offset;                 /* of the figure in struct report_offset or report_latency */
	size_t percentile;
	bool optional; /* left out where all cells are "-" */
};

static int64_t ns_of(const struct cell *c)
{
	return *(const int64_t *)c->figure;
}

static void write_count(struct cell *c)
{
	(void)snprintf(c->text, sizeof(c->text), "%" PRIu64, *(const uint64_t *)c->figure);
}

static void write_occurrences(struct cell *c)
{
	if (*(const uint64_t *)c->figure)
		write_count(c);
}

static void write_offset(struct cell *c)
{
	(void)figure_offset(ns_of(c), c->text);
}

static void write_latency(struct cell *c)
{
	(void)figure_latency(ns_of(c), c->text);
}

static void write_mean(struct cell *c)
{
	if (c->count)
		(void)figure_mean(*(const double *)c->figure, c->text);
}

static void write_age(struct cell *c)
{
	char age[NSEC_TEXT_MAX];

	if (ns_of(c))
		(void)snprintf(c->text, sizeof(c->text), "%s", nsec_format_age(ns_of(c), age));
}

/* The length of the column itself. */
static void write_duration(struct cell *c)
{
	char age[NSEC_TEXT_MAX];

	(void)snprintf(c->text, sizeof(c->text), "%s", nsec_format_age(c->duration_ns, age));
}

static void write_share(struct cell *c)
{
	(void)figure_share(ns_of(c), c->duration_ns, c->text);
}

/* Or, refused, the count that it would take in brackets. */
static void write_quantile(struct cell *c, const char *(*write)(int64_t, char *))
{
	const struct report_quantiles *q = c->figure;

	if (q->value_ns[c->percentile] != SAMPLE_UNKNOWN)
		(void)write(q->value_ns[c->percentile], c->text);
	else if (c->count)
		(void)snprintf(c->text, sizeof(c->text), "- (%" PRIu64 ")",
			       quantile_needed(report_percentiles[c->percentile].p_milli));
}

static void write_offset_quantile(struct cell *c)
{
	write_quantile(c, figure_offset);
}

static void write_latency_quantile(struct cell *c)
{
	write_quantile(c, figure_latency);
}

/* "-" where nothing can be said; where only one value can be, that. */
static void write_interval(struct cell *c, const char *(*write)(int64_t, char *),
			   const char *(*write_between)(int64_t, int64_t, char *))
{
	const struct report_quantiles *q = c->figure;
	int64_t low_ns = q->low_ns[c->percentile];
	int64_t high_ns = q->high_ns[c->percentile];

	if (!(q->effective[c->percentile] > 0))
		return;
	if (low_ns == high_ns)
		(void)write(low_ns, c->text);
	else
		(void)write_between(low_ns, high_ns, c->text);
}

static void write_offset_interval(struct cell *c)
{
	write_interval(c, figure_offset, figure_between_offsets);
}

static void write_latency_interval(struct cell *c)
{
	write_interval(c, figure_latency, figure_between_latencies);
}

/* clang-format off */
/* How a member is written, and where it is; one of another type than that takes does not compile. */
#define MEMBER(T, C, m) \
	offsetof(T, m) + 0 * sizeof(char[_Generic(((T *)0)->m, C: 1, default: -1)])
#define COUNT(T, m)       write_count,       MEMBER(T, uint64_t, m)
#define OCCURRENCES(T, m) write_occurrences, MEMBER(T, uint64_t, m)
#define NS(T, how, m)     write_##how,       MEMBER(T, int64_t, m)
#define MEAN(T, m)        write_mean,        MEMBER(T, double, m)
#define QUANTILE(T, h, m) write_##h##_quantile, MEMBER(T, struct report_quantiles, m)
#define INTERVAL(T, h, m) write_##h##_interval, MEMBER(T, struct report_quantiles, m)

static const struct row offset_rows[] = {
	{ "time",                write_duration, 0, 0, false },
	{ "samples",             COUNT(struct report_offset, count), 0, false },
	{ "  from hours",        OCCURRENCES(struct report_offset, from_hours), 0, true },
	{ "|offset|    50 %",    QUANTILE(struct report_offset, offset, abs), 0, false },
	{ "              between",  INTERVAL(struct report_offset, offset, abs), 0, true },
	{ "            99 %",    QUANTILE(struct report_offset, offset, abs), 1, false },
	{ "              between",  INTERVAL(struct report_offset, offset, abs), 1, true },
	{ "            99.9 %",  QUANTILE(struct report_offset, offset, abs), 2, false },
	{ "              between",  INTERVAL(struct report_offset, offset, abs), 2, true },
	{ "            99.99 %", QUANTILE(struct report_offset, offset, abs), 3, false },
	{ "              between",  INTERVAL(struct report_offset, offset, abs), 3, true },
	{ "            max",     NS(struct report_offset, offset, abs_max_ns), 0, false },
	{ "signed      min",     NS(struct report_offset, offset, min_ns), 0, false },
	{ "            max",     NS(struct report_offset, offset, max_ns), 0, false },
	{ "            mean",    MEAN(struct report_offset, mean_ns), 0, false },
	{ "            std dev", MEAN(struct report_offset, stddev_ns), 0, false },
	{ "path delay  50 %",    NS(struct report_offset, offset, delay_p50_ns), 0, false },
	{ "time locked",         NS(struct report_offset, share, locked_ns), 0, false },
	{ "state not known",     NS(struct report_offset, age, unknown_ns), 0, true },
	{ "state changes",       COUNT(struct report_offset, state_changes), 0, false },
	{ "gaps",                COUNT(struct report_offset, gaps), 0, false },
	{ "  together",          NS(struct report_offset, age, gaps_ns), 0, true },
	{ "updates missed",      COUNT(struct report_offset, missed), 0, false },
	{ "not in SLAVE",        OCCURRENCES(struct report_offset, unlocked), 0, true },
	{ "  largest",           NS(struct report_offset, offset, unlocked_largest_ns), 0, true },
	{ "steps",               OCCURRENCES(struct report_offset, steps), 0, true },
	{ "  largest",           NS(struct report_offset, offset, step_largest_ns), 0, true },
	{ "time assumed",        OCCURRENCES(struct report_offset, time_assumed), 0, true },
};

static const struct row phc_rows[] = {
	{ "samples",             COUNT(struct report_offset, count), 0, false },
	{ "  from hours",        OCCURRENCES(struct report_offset, from_hours), 0, true },
	{ "|difference| 50 %",   QUANTILE(struct report_offset, offset, abs), 0, false },
	{ "              between",  INTERVAL(struct report_offset, offset, abs), 0, true },
	{ "            99 %",    QUANTILE(struct report_offset, offset, abs), 1, false },
	{ "              between",  INTERVAL(struct report_offset, offset, abs), 1, true },
	{ "            99.9 %",  QUANTILE(struct report_offset, offset, abs), 2, false },
	{ "              between",  INTERVAL(struct report_offset, offset, abs), 2, true },
	{ "            99.99 %", QUANTILE(struct report_offset, offset, abs), 3, false },
	{ "              between",  INTERVAL(struct report_offset, offset, abs), 3, true },
	{ "            max",     NS(struct report_offset, offset, abs_max_ns), 0, false },
	{ "signed      mean",    MEAN(struct report_offset, mean_ns), 0, false },
	{ "            std dev", MEAN(struct report_offset, stddev_ns), 0, false },
	{ "read within 50 %",    NS(struct report_offset, offset, delay_p50_ns), 0, false },
	{ "not steered",         OCCURRENCES(struct report_offset, unlocked), 0, true },
	{ "  largest",           NS(struct report_offset, offset, unlocked_largest_ns), 0, true },
};

static const struct row latency_rows[] = {
	{ "wake-ups",            COUNT(struct report_latency, count), 0, false },
	{ "  from hours",        OCCURRENCES(struct report_latency, from_hours), 0, true },
	{ "latency     min",     NS(struct report_latency, latency, min_ns), 0, false },
	{ "            avg",     NS(struct report_latency, latency, avg_ns), 0, false },
	{ "            50 %",    QUANTILE(struct report_latency, latency, value), 0, false },
	{ "              between",  INTERVAL(struct report_latency, latency, value), 0, true },
	{ "            99 %",    QUANTILE(struct report_latency, latency, value), 1, false },
	{ "              between",  INTERVAL(struct report_latency, latency, value), 1, true },
	{ "            99.9 %",  QUANTILE(struct report_latency, latency, value), 2, false },
	{ "              between",  INTERVAL(struct report_latency, latency, value), 2, true },
	{ "            99.99 %", QUANTILE(struct report_latency, latency, value), 3, false },
	{ "              between",  INTERVAL(struct report_latency, latency, value), 3, true },
	{ "            max",     NS(struct report_latency, latency, max_ns), 0, false },
	{ "beyond 1.07 s",       OCCURRENCES(struct report_latency, overflow), 0, true },
	{ "periods missed",      COUNT(struct report_latency, missed), 0, false },
};

static const struct row summary_rows[] = {
	{ "lines",               COUNT(struct report_summary, count), 0, false },
	{ "rms         50 %",    NS(struct report_summary, offset, rms_p50_ns), 0, false },
	{ "            largest", NS(struct report_summary, offset, rms_largest_ns), 0, false },
	{ "max         50 %",    NS(struct report_summary, offset, max_p50_ns), 0, false },
	{ "            largest", NS(struct report_summary, offset, max_largest_ns), 0, false },
};
/* clang-format on */

/* The rows of a table, and the array of figures, one for each column, that they are about. */
struct table {
	const struct row *rows;
	size_t n_rows;
	const void *figures;
	size_t figure_size;
	size_t count; /* offset of the count in it */
};

#define ROWS(rows) (rows), sizeof(rows) / sizeof((rows)[0])
#define COUNTED(T) sizeof(T), offsetof(T, count)

static void add_cell(struct strbuf *out, const char *text)
{
	size_t length = strlen(text);

	/* a long one takes its blanks from none of its neighbours: one always stays */
	strbuf_pad(out, ' ', length < CELL_WIDTH ? CELL_WIDTH - length : 1);
	strbuf_add(out, text);
}

/* A phase's name, cut to its column; of pooled ones, of how many stretches they are. */
static void add_name(struct strbuf *out, const struct report_column *c)
{
	char name[REPORT_NAME_MAX];
	char text[REPORT_NAME_MAX + FIGURE_MAX];
	char times[FIGURE_MAX] = "";
	size_t room;
	bool fits;

	if (c->n_spans > 1)
		(void)snprintf(times, sizeof(times), " x%zu", c->n_spans);
	room = CELL_WIDTH - 1 - strlen(times);
	fits = strlen(c->name) <= room;
	clean_copy(name, (fits ? room : room - 2) + 1, c->name);
	(void)snprintf(text, sizeof(text), "%s%s%s", name, fits ? "" : "..", times);
	add_cell(out, text);
}

static void add_heading(struct strbuf *out, const struct report_column *columns, size_t n)
{
	strbuf_pad(out, ' ', LABEL_WIDTH);
	for (size_t i = 0; i < n; i++)
		add_name(out, &columns[i]);
	strbuf_add(out, "\n");
}

static struct cell write_cell(const struct table *t, const struct row *row,
			      const struct report_column *columns, size_t column)
{
	const char *figures = (const char *)t->figures + column * t->figure_size;
	struct cell c = {
		.figure = figures + row->offset,
		.percentile = row->percentile,
		.duration_ns = columns[column].duration_ns,
		.text = "-",
	};

	memcpy(&c.count, figures + t->count, sizeof(c.count));
	row->write(&c);
	return c;
}

static void add_row(struct strbuf *out, const struct table *t, const struct row *row,
		    const struct report_column *columns, size_t first, size_t n)
{
	struct cell cells[CELLS_ABREAST];
	bool says_something = !row->optional;

	for (size_t i = 0; i < n; i++) {
		cells[i] = write_cell(t, row, columns, first + i);
		says_something |= strcmp(cells[i].text, "-") != 0;
	}
	if (!says_something)
		return;
	strbuf_addf(out, "  %-*s", LABEL_WIDTH - 2, row->label);
	for (size_t i = 0; i < n; i++)
		add_cell(out, cells[i].text);
	strbuf_add(out, "\n");
}

static void add_table(struct strbuf *out, const struct report *r, const struct table *t)
{
	for (size_t first = 0; first < r->n_columns; first += CELLS_ABREAST) {
		size_t left = r->n_columns - first;
		size_t n = left < CELLS_ABREAST ? left : CELLS_ABREAST;

		add_heading(out, &r->columns[first], n);
		for (size_t i = 0; i < t->n_rows; i++)
			add_row(out, t, &t->rows[i], r->columns, first, n);
		strbuf_add(out, "\n");
	}
}

static struct table table_about(enum table_of of, const void *figures)
{
	/* clang-format off */
	static const struct table tables[TABLE_OF_MAX] = {
		[TABLE_OFFSET]  = { ROWS(offset_rows), NULL, COUNTED(struct report_offset) },
		[TABLE_PHC]     = { ROWS(phc_rows), NULL, COUNTED(struct report_offset) },
		[TABLE_LATENCY] = { ROWS(latency_rows), NULL, COUNTED(struct report_latency) },
		[TABLE_SUMMARY] = { ROWS(summary_rows), NULL, COUNTED(struct report_summary) },
	};
	/* clang-format on */
	struct table t = tables[of];

	t.figures = figures;
	return t;
}

static void add_table_of(struct strbuf *out, const struct report *r, enum table_of of,
			 const void *figures)
{
	struct table t = table_about(of, figures);

	add_table(out, r, &t);
}

static void visit_row(const struct report *r, const struct table *t, const struct row *row,
		      const struct table_visitor *v)
{
	bool says_something = !row->optional;

	for (size_t i = 0; i < r->n_columns && !says_something; i++)
		says_something = strcmp(write_cell(t, row, r->columns, i).text, "-") != 0;
	if (!says_something)
		return;
	v->begin_row(v->userdata, row->label);
	for (size_t i = 0; i < r->n_columns; i++)
		v->cell(v->userdata, write_cell(t, row, r->columns, i).text);
	v->end_row(v->userdata);
}

void table_visit(const struct report *r, enum table_of of, const void *figures,
		 const struct table_visitor *visitor)
{
	struct table t = table_about(of, figures);

	for (size_t i = 0; i < t.n_rows; i++)
		visit_row(r, &t, &t.rows[i], visitor);
}

void table_offsets(struct strbuf *out, const struct report *r,
		   const struct report_offset_series *series)
{
	const char *reference = report_is_of_other_clock(&series->series) ? "source" : "master";
	bool even = series->interval_p50_ns != SAMPLE_UNKNOWN;
	char interval[FIGURE_MAX];

	wrap_addf(out, "", "  ", "Offset from %s: %s (%s, local minus %s%s%s)", reference,
		  series->series.subject, series->series.source, reference, even ? ", every " : "",
		  even ? figure_latency(series->interval_p50_ns, interval) : "");
	add_table_of(out, r, TABLE_OFFSET, series->columns);
}

void table_phc(struct strbuf *out, const struct report *r, const struct report_phc_series *series)
{
	const char *subject = series->series.subject;
	bool claimed = series->series.kind == SERIES_PHC2SYS;
	bool joined = report_is_phc_to_phc(&series->series);

	wrap_addf(out, "", "  ", "PHC to %s: %s (%s, %s)", joined ? "PHC" : "system", subject,
		  report_phc_origin(&series->series),
		  joined    ? "it minus the PHC of the port that was SLAVE"
		  : claimed ? "system minus PHC"
			    : "CLOCK_REALTIME minus PHC in UTC");
	add_table_of(out, r, TABLE_PHC, series->columns);
}

void table_latency(struct strbuf *out, const struct report *r,
		   const struct report_latency_series *series)
{
	static const char *const idle[REPORT_IDLE_MAX] = {
		[REPORT_IDLE_UNKNOWN] = "idle states not known",
		[REPORT_IDLE_ALLOWED] = "idle states allowed",
		[REPORT_IDLE_HELD] = "idle states held off",
	};

	wrap_addf(out, "", "  ", "Wake-up latency: %s (%s)", series->series.subject,
		  idle[series->idle_states]);
	if (series->not_realtime)
		wrap_addf(out, "  ", "    ", "NOT REAL-TIME: %s", series->not_realtime_why);
	add_table_of(out, r, TABLE_LATENCY, series->columns);
}

void table_summaries(struct strbuf *out, const struct report *r,
		     const struct report_summary_series *series)
{
	const char *reference = report_is_of_other_clock(&series->series) ? "source" : "master";
	bool dated = series->largest_at.utc_ns != TIME_UNKNOWN;
	char utc[FIGURE_MAX];

	wrap_addf(out, "", "  ", "Summaries of offsets from %s: %s (%s%s%s)", reference,
		  series->series.subject, series->series.source, dated ? ", largest at " : "",
		  dated ? figure_utc_marked(series->largest_at.utc_ns,
					    series->largest_at.utc_uncertain, utc)
			: "");
	add_table_of(out, r, TABLE_SUMMARY, series->columns);
	wrap_add(out, "  ", "  ", report_summary_caution);
	strbuf_add(out, "\n");
}

/* What footnotes stand for: percentiles refused, and intervals. */
struct notes {
	bool refused, between, hours;
};

static void note(struct notes *notes, const struct report_quantiles *q, uint64_t count)
{
	for (size_t i = 0; i < REPORT_PERCENTILES; i++) {
		notes->refused |= count && q->value_ns[i] == SAMPLE_UNKNOWN;
		notes->between |= q->effective[i] > 0;
	}
}

void table_notes(struct strbuf *out, const struct report *r)
{
	struct notes notes = {0};

	for (size_t c = 0; c < r->n_columns; c++) {
		for (size_t i = 0; i < r->n_offsets; i++)
			notes.hours |= r->offsets[i].columns[c].from_hours > 0;
		for (size_t i = 0; i < r->n_offsets; i++)
			note(&notes, &r->offsets[i].columns[c].abs, r->offsets[i].columns[c].count);
		for (size_t i = 0; i < r->n_phcs; i++)
			note(&notes, &r->phcs[i].columns[c].abs, r->phcs[i].columns[c].count);
		for (size_t i = 0; i < r->n_latencies; i++)
			note(&notes, &r->latencies[i].columns[c].value,
			     r->latencies[i].columns[c].count);
	}
	if (notes.between)
		strbuf_add(out, "between: where the percentile is with 95 % confidence, neighbours "
				"taken as much\nalike as they are.\n");
	if (notes.refused)
		strbuf_add(out, "- (N): refused, for at least N values are needed for one to lie "
				"beyond it.\n");
	if (notes.hours)
		strbuf_add(out,
			   "from hours: their samples have aged out. Percentiles with them are "
			   "at most 1.6 %\ntoo large; wander is of the others.\n");
	if (notes.between || notes.refused || notes.hours)
		strbuf_add(out, "\n");
}
