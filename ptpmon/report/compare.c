/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/boards.h"

/* There are many taus: at 1.96 one in twenty would differ by chance. */
static const double sigmas = 3;

const char *compare_verdict_name(enum compare_verdict verdict)
{
	static const char *const names[COMPARE_VERDICT_MAX] = {
		[COMPARE_EQUAL] = "within-chance",
		[COMPARE_BETTER] = "better",
		[COMPARE_WORSE] = "worse",
		[COMPARE_UNKNOWN] = "unknown",
	};

	return names[verdict];
}

struct compare *compare_free(struct compare *c)
{
	if (!c)
		return NULL;
	free(c->differences);
	free(c->rows);
	free(c);
	return NULL;
}

DEFINE_FREEP(struct compare, compare_free)

static int add_row(struct compare *c, const struct compare_row *row)
{
	struct compare_row *bigger;

	if (isnan(row->a_ns) && isnan(row->b_ns))
		return 0;
	bigger = reallocarray(c->rows, c->n_rows + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	c->rows = bigger;
	bigger[c->n_rows++] = *row;
	return 0;
}

static double known(int64_t ns)
{
	return ns == SAMPLE_UNKNOWN ? NAN : (double)ns;
}

static struct compare_row new_row(enum compare_kind kind, const char *subject, const char *column)
{
	struct compare_row row = {.kind = kind, .verdict = COMPARE_UNKNOWN};

	(void)snprintf(row.subject, sizeof(row.subject), "%s", subject);
	(void)snprintf(row.column, sizeof(row.column), "%s", column);
	return row;
}

/* A bound that is not known reaches as far as it may. */
static enum compare_verdict verdict_of(const struct report_quantiles *a,
				       const struct report_quantiles *b, size_t p)
{
	double a_high = a->high_ns[p] == SAMPLE_UNKNOWN ? INFINITY : (double)a->high_ns[p];
	double b_high = b->high_ns[p] == SAMPLE_UNKNOWN ? INFINITY : (double)b->high_ns[p];
	double a_low = a->low_ns[p] == SAMPLE_UNKNOWN ? 0 : (double)a->low_ns[p];
	double b_low = b->low_ns[p] == SAMPLE_UNKNOWN ? 0 : (double)b->low_ns[p];

	if (!(a->effective[p] > 0 && b->effective[p] > 0))
		return COMPARE_UNKNOWN;
	return b_low > a_high ? COMPARE_WORSE : b_high < a_low ? COMPARE_BETTER : COMPARE_EQUAL;
}

static int add_quantiles(struct compare *c, struct compare_row row,
			 const struct report_quantiles *a, const struct report_quantiles *b)
{
	int r = 0;

	for (size_t p = 0; p < REPORT_PERCENTILES && r == 0; p++) {
		(void)snprintf(row.figure, sizeof(row.figure), "%s", report_percentiles[p].text);
		row.a_ns = known(a->value_ns[p]);
		row.b_ns = known(b->value_ns[p]);
		row.verdict = verdict_of(a, b, p);
		r = add_row(c, &row);
	}
	return r;
}

static int add_figure(struct compare *c, struct compare_row row, const char *figure, double a_ns,
		      double b_ns)
{
	(void)snprintf(row.figure, sizeof(row.figure), "%s", figure);
	row.a_ns = a_ns;
	row.b_ns = b_ns;
	return add_row(c, &row);
}

/* The logarithm of TDEV is known to 1 / sqrt(2 T / tau), as far as anything is. */
static enum compare_verdict verdict_of_tdev(const struct compare_row *row, int64_t a_ns,
					    int64_t b_ns)
{
	double tau_ns = (double)row->tau_ns;
	double variance = tau_ns / (2 * (double)a_ns) + tau_ns / (2 * (double)b_ns);
	double change;

	if (!(row->a_ns > 0 && row->b_ns > 0) || a_ns <= 0 || b_ns <= 0)
		return COMPARE_UNKNOWN;
	change = log(row->b_ns / row->a_ns);
	if (fabs(change) <= sigmas * sqrt(variance))
		return COMPARE_EQUAL;
	return change > 0 ? COMPARE_WORSE : COMPARE_BETTER;
}

/* At every tau that both have. */
static int add_wander(struct compare *c, struct compare_row row, const struct report_wander *a,
		      const struct report_wander *b)
{
	int r = 0;

	for (size_t i = 0, k = 0; i < a->n_taus && k < b->n_taus && r == 0;) {
		const struct report_tau *x = &a->taus[i];
		const struct report_tau *y = &b->taus[k];

		if (x->tau_ns != y->tau_ns) {
			if (x->tau_ns < y->tau_ns)
				i++;
			else
				k++;
			continue;
		}
		row.tau_ns = x->tau_ns;
		row.verdict = COMPARE_UNKNOWN;
		r = add_figure(c, row, "MTIE", x->mtie_ns, y->mtie_ns);
		row.a_ns = x->tdev_ns;
		row.b_ns = y->tdev_ns;
		row.verdict = verdict_of_tdev(&row, a->longest_ns, b->longest_ns);
		if (r == 0)
			r = add_figure(c, row, "TDEV", x->tdev_ns, y->tdev_ns);
		i++;
		k++;
	}
	return r;
}

static int compare_offsets(struct compare *c, const struct compare_row *row,
			   const struct report_offset *a, const struct report_offset *b)
{
	int r = add_quantiles(c, *row, &a->abs, &b->abs);

	if (r == 0)
		r = add_figure(c, *row, "max", known(a->abs_max_ns), known(b->abs_max_ns));
	return r < 0 ? r : add_wander(c, *row, &a->wander, &b->wander);
}

static int compare_latencies(struct compare *c, const struct compare_row *row,
			     const struct report_latency *a, const struct report_latency *b)
{
	int r = add_quantiles(c, *row, &a->value, &b->value);

	return r < 0 ? r : add_figure(c, *row, "max", known(a->max_ns), known(b->max_ns));
}

/* The column of that name in the other report; SIZE_MAX if it has none. */
static size_t same_column(const struct report *r, const char *name, size_t column)
{
	if (column == 0)
		return 0;
	for (size_t i = 1; i < r->n_columns; i++)
		if (strcmp(r->columns[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

/* Ports are the same by name, and where each has only one. */
static bool same_port(const struct compare *c, const struct report_offset_series *a,
		      const struct report_offset_series *b)
{
	return strcmp(a->series.subject, b->series.subject) == 0 ||
	       (c->a.report->n_offsets == 1 && c->b.report->n_offsets == 1);
}

static size_t count_phcs(const struct report *r, enum series_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_phcs; i++)
		n += r->phcs[i].series.kind == kind;
	return n;
}

/* As ports: by name, and where each has only one of that kind. */
static bool same_clock(const struct compare *c, const struct series *a, const struct series *b)
{
	return a->kind == b->kind &&
	       (strcmp(a->subject, b->subject) == 0 ||
		(count_phcs(c->a.report, a->kind) == 1 && count_phcs(c->b.report, a->kind) == 1));
}

/* Every series of the one against every series of the other, in one column of both. */
static int compare_column(struct compare *c, size_t column, size_t other)
{
	const struct report *a = c->a.report;
	const struct report *b = c->b.report;
	const char *name = a->columns[column].name;
	int r = 0;

	for (size_t i = 0; i < a->n_offsets; i++)
		for (size_t k = 0; k < b->n_offsets && r == 0; k++) {
			struct compare_row row =
				new_row(COMPARE_OFFSET, a->offsets[i].series.subject, name);

			if (same_port(c, &a->offsets[i], &b->offsets[k]))
				r = compare_offsets(c, &row, &a->offsets[i].columns[column],
						    &b->offsets[k].columns[other]);
		}
	for (size_t i = 0; i < a->n_phcs; i++)
		for (size_t k = 0; k < b->n_phcs && r == 0; k++) {
			const struct series *s = &a->phcs[i].series;
			struct compare_row row =
				new_row(s->kind == SERIES_PHC2SYS ? COMPARE_PHC2SYS : COMPARE_PHC,
					s->subject, name);

			if (same_clock(c, s, &b->phcs[k].series))
				r = compare_offsets(c, &row, &a->phcs[i].columns[column],
						    &b->phcs[k].columns[other]);
		}
	for (size_t i = 0; i < a->n_latencies; i++)
		for (size_t k = 0; k < b->n_latencies && r == 0; k++) {
			const char *cpu = a->latencies[i].series.subject;
			struct compare_row row = new_row(COMPARE_LATENCY, cpu, name);

			if (strcmp(cpu, b->latencies[k].series.subject) == 0)
				r = compare_latencies(c, &row, &a->latencies[i].columns[column],
						      &b->latencies[k].columns[other]);
		}
	return r;
}

int compare_build(struct compare **out, const struct compare_side *a, const struct compare_side *b)
{
	CLEANUP(compare_freep) struct compare *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	c->a = *a;
	c->b = *b;
	r = compare_boards(c);
	for (size_t i = 0; i < a->report->n_columns && r == 0; i++) {
		size_t other = same_column(b->report, a->report->columns[i].name, i);

		if (other != SIZE_MAX)
			r = compare_column(c, i, other);
	}
	if (r < 0)
		return r;
	*out = steal(&c);
	return 0;
}

bool compare_is_bad(const struct compare *c)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (c->rows[i].verdict == COMPARE_WORSE)
			return true;
	return c->n_alerts > 0;
}
