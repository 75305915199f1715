/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row is a label and a function that writes one cell, so that what a table shows is read off
 * its rows. A row that says nothing in any column is left out if it is of the kind that is only
 * of interest when it does.
 */
#include "ptpmon/report/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/clean.h"
#include "ptpmon/report/figure.h"
#include "ptpmon/stats/quantile.h"

enum { LABEL_WIDTH = 22, CELL_WIDTH = 14, CELLS_ABREAST = 4 };

/* A cell of a column: of offsets or of latency, whichever the table is of. */
struct cell {
	const struct report_column *column;
	const struct report_offset *offset;
	const struct report_latency *latency;
	char text[FIGURE_MAX];
};

struct row {
	const char *label;
	void (*write)(struct cell *c, size_t percentile);
	size_t percentile;
	bool optional; /* left out where all cells are "-" */
};

static void write_count(struct cell *c, uint64_t n)
{
	(void)snprintf(c->text, sizeof(c->text), "%" PRIu64, n);
}

static void write_count_or_nothing(struct cell *c, uint64_t n)
{
	if (n)
		write_count(c, n);
	else
		(void)strcpy(c->text, "-");
}

static void cell_time(struct cell *c, size_t p)
{
	char age[NSEC_TEXT_MAX];

	(void)snprintf(c->text, sizeof(c->text), "%s",
		       nsec_format_age(c->column->duration_ns, age));
}

/* "-" and, in brackets, the count that it would take. */
static void write_refusal(struct cell *c, uint64_t count, size_t p)
{
	if (!count)
		(void)strcpy(c->text, "-");
	else
		(void)snprintf(c->text, sizeof(c->text), "- (%" PRIu64 ")",
			       quantile_needed(report_percentiles[p].p_milli));
}

static void cell_samples(struct cell *c, size_t p)
{
	write_count(c, c->offset->count);
}

static void cell_abs(struct cell *c, size_t p)
{
	if (c->offset->abs.value_ns[p] == SAMPLE_UNKNOWN)
		write_refusal(c, c->offset->count, p);
	else
		(void)figure_offset(c->offset->abs.value_ns[p], c->text);
}

static void cell_abs_max(struct cell *c, size_t p)
{
	(void)figure_offset(c->offset->abs_max_ns, c->text);
}

static void cell_min(struct cell *c, size_t p)
{
	(void)figure_offset(c->offset->min_ns, c->text);
}

static void cell_max(struct cell *c, size_t p)
{
	(void)figure_offset(c->offset->max_ns, c->text);
}

static void cell_mean(struct cell *c, size_t p)
{
	if (c->offset->count)
		(void)figure_mean(c->offset->mean_ns, c->text);
}

static void cell_stddev(struct cell *c, size_t p)
{
	if (c->offset->count)
		(void)figure_mean(c->offset->stddev_ns, c->text);
}

static void cell_delay(struct cell *c, size_t p)
{
	(void)figure_offset(c->offset->delay_p50_ns, c->text);
}

static void cell_missed(struct cell *c, size_t p)
{
	write_count(c, c->offset->missed);
}

static void cell_unlocked(struct cell *c, size_t p)
{
	write_count_or_nothing(c, c->offset->unlocked);
}

static void cell_unlocked_largest(struct cell *c, size_t p)
{
	(void)figure_offset(c->offset->unlocked_largest_ns, c->text);
}

static void cell_steps(struct cell *c, size_t p)
{
	write_count_or_nothing(c, c->offset->steps);
}

static void cell_step_largest(struct cell *c, size_t p)
{
	(void)figure_offset(c->offset->step_largest_ns, c->text);
}

static void cell_assumed(struct cell *c, size_t p)
{
	write_count_or_nothing(c, c->offset->time_assumed);
}

static void cell_locked(struct cell *c, size_t p)
{
	(void)figure_share(c->offset->locked_ns, c->column->duration_ns, c->text);
}

static void cell_unknown(struct cell *c, size_t p)
{
	char age[NSEC_TEXT_MAX];

	if (c->offset->unknown_ns)
		(void)snprintf(c->text, sizeof(c->text), "%s",
			       nsec_format_age(c->offset->unknown_ns, age));
}

static void cell_changes(struct cell *c, size_t p)
{
	write_count(c, c->offset->state_changes);
}

static void cell_gaps(struct cell *c, size_t p)
{
	write_count(c, c->offset->gaps);
}

static void cell_gap_time(struct cell *c, size_t p)
{
	char age[NSEC_TEXT_MAX];

	if (c->offset->gaps)
		(void)snprintf(c->text, sizeof(c->text), "%s",
			       nsec_format_age(c->offset->gaps_ns, age));
}

static void cell_wakeups(struct cell *c, size_t p)
{
	write_count(c, c->latency->count);
}

static void cell_latency_min(struct cell *c, size_t p)
{
	(void)figure_latency(c->latency->min_ns, c->text);
}

static void cell_latency_avg(struct cell *c, size_t p)
{
	(void)figure_latency(c->latency->avg_ns, c->text);
}

static void cell_latency_max(struct cell *c, size_t p)
{
	(void)figure_latency(c->latency->max_ns, c->text);
}

static void cell_latency(struct cell *c, size_t p)
{
	if (c->latency->value.value_ns[p] == SAMPLE_UNKNOWN)
		write_refusal(c, c->latency->count, p);
	else
		(void)figure_latency(c->latency->value.value_ns[p], c->text);
}

static void cell_overflow(struct cell *c, size_t p)
{
	write_count_or_nothing(c, c->latency->overflow);
}

static void cell_latency_missed(struct cell *c, size_t p)
{
	write_count(c, c->latency->missed);
}

/* clang-format off */
static const struct row offset_rows[] = {
	{ "time",                cell_time, 0, false },
	{ "samples",             cell_samples, 0, false },
	{ "|offset|    50 %",    cell_abs, 0, false },
	{ "            99 %",    cell_abs, 1, false },
	{ "            99.9 %",  cell_abs, 2, false },
	{ "            99.99 %", cell_abs, 3, false },
	{ "            max",     cell_abs_max, 0, false },
	{ "signed      min",     cell_min, 0, false },
	{ "            max",     cell_max, 0, false },
	{ "            mean",    cell_mean, 0, false },
	{ "            std dev", cell_stddev, 0, false },
	{ "path delay  50 %",    cell_delay, 0, false },
	{ "time locked",         cell_locked, 0, false },
	{ "state not known",     cell_unknown, 0, true },
	{ "state changes",       cell_changes, 0, false },
	{ "gaps",                cell_gaps, 0, false },
	{ "  together",          cell_gap_time, 0, true },
	{ "updates missed",      cell_missed, 0, false },
	{ "not in SLAVE",        cell_unlocked, 0, true },
	{ "  largest",           cell_unlocked_largest, 0, true },
	{ "steps",               cell_steps, 0, true },
	{ "  largest",           cell_step_largest, 0, true },
	{ "time assumed",        cell_assumed, 0, true },
};

static const struct row latency_rows[] = {
	{ "wake-ups",            cell_wakeups, 0, false },
	{ "latency     min",     cell_latency_min, 0, false },
	{ "            avg",     cell_latency_avg, 0, false },
	{ "            50 %",    cell_latency, 0, false },
	{ "            99 %",    cell_latency, 1, false },
	{ "            99.9 %",  cell_latency, 2, false },
	{ "            99.99 %", cell_latency, 3, false },
	{ "            max",     cell_latency_max, 0, false },
	{ "beyond 1.07 s",       cell_overflow, 0, true },
	{ "periods missed",      cell_latency_missed, 0, false },
};
/* clang-format on */

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

static void add_row(struct strbuf *out, const struct row *row, struct cell *cells, size_t n)
{
	bool says_something = !row->optional;

	for (size_t i = 0; i < n; i++) {
		(void)strcpy(cells[i].text, "-");
		row->write(&cells[i], row->percentile);
		says_something |= strcmp(cells[i].text, "-") != 0;
	}
	if (!says_something)
		return;
	strbuf_addf(out, "  %-*s", LABEL_WIDTH - 2, row->label);
	for (size_t i = 0; i < n; i++)
		add_cell(out, cells[i].text);
	strbuf_add(out, "\n");
}

static void add_blocks(struct strbuf *out, const struct report *r, const struct row *rows,
		       size_t n_rows, const struct report_offset *offsets,
		       const struct report_latency *latencies)
{
	for (size_t first = 0; first < r->n_columns; first += CELLS_ABREAST) {
		size_t left = r->n_columns - first;
		size_t n = left < CELLS_ABREAST ? left : CELLS_ABREAST;
		struct cell cells[CELLS_ABREAST];

		for (size_t i = 0; i < n; i++)
			cells[i] = (struct cell){
				.column = &r->columns[first + i],
				.offset = offsets ? &offsets[first + i] : NULL,
				.latency = latencies ? &latencies[first + i] : NULL,
			};
		add_heading(out, &r->columns[first], n);
		for (size_t i = 0; i < n_rows; i++)
			add_row(out, &rows[i], cells, n);
		strbuf_add(out, "\n");
	}
}

void table_offsets(struct strbuf *out, const struct report *r,
		   const struct report_offset_series *series)
{
	char interval[FIGURE_MAX];

	strbuf_addf(out, "Offset from master: %s (%s, local minus master", series->series.subject,
		    series->series.source);
	if (series->interval_p50_ns != SAMPLE_UNKNOWN)
		strbuf_addf(out, ", every %s", figure_latency(series->interval_p50_ns, interval));
	strbuf_add(out, ")\n");
	add_blocks(out, r, offset_rows, sizeof(offset_rows) / sizeof(offset_rows[0]),
		   series->columns, NULL);
}

void table_latency(struct strbuf *out, const struct report *r,
		   const struct report_latency_series *series)
{
	static const char *const idle[REPORT_IDLE_MAX] = {
		[REPORT_IDLE_UNKNOWN] = "idle states not known",
		[REPORT_IDLE_ALLOWED] = "idle states allowed",
		[REPORT_IDLE_HELD] = "idle states held off",
	};

	strbuf_addf(out, "Wake-up latency: %s (%s)\n", series->series.subject,
		    idle[series->idle_states]);
	if (series->not_realtime)
		strbuf_addf(out, "  NOT REAL-TIME: %.60s\n", series->not_realtime_why);
	add_blocks(out, r, latency_rows, sizeof(latency_rows) / sizeof(latency_rows[0]), NULL,
		   series->columns);
}

static bool refused(const struct report_quantiles *q, uint64_t count)
{
	for (size_t i = 0; i < REPORT_PERCENTILES; i++)
		if (count && q->value_ns[i] == SAMPLE_UNKNOWN)
			return true;
	return false;
}

void table_refusals(struct strbuf *out, const struct report *r)
{
	bool any = false;

	for (size_t c = 0; c < r->n_columns; c++) {
		for (size_t i = 0; i < r->n_offsets; i++)
			any |= refused(&r->offsets[i].columns[c].abs,
				       r->offsets[i].columns[c].count);
		for (size_t i = 0; i < r->n_latencies; i++)
			any |= refused(&r->latencies[i].columns[c].value,
				       r->latencies[i].columns[c].count);
	}
	if (any)
		strbuf_add(out, "- (N): refused, for at least N values are needed for one to lie "
				"beyond it.\n\n");
}
