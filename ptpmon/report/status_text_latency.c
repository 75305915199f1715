// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/model/sample.h"
#include "ptpmon/report/status_sheet.h"

enum { CPU_ROWS = 4 };

static const char *format_us(int64_t ns, char out[static NSEC_TEXT_MAX])
{
	if (ns == SAMPLE_UNKNOWN)
		return strcpy(out, "unknown");
	(void)snprintf(out, NSEC_TEXT_MAX, "%.1f", (double)ns / 1e3);
	return out;
}

/* From left to right, so that what a narrow screen has no room for goes last. */
static const struct {
	const char *title;
	int width;
} cpu_columns[] = {
	{"cpu", -4},         {"min", 8},       {"avg", 8},      {"max", 9},
	{"last minute", 12}, {"wake-ups", 11}, {"overflow", 9}, {"missed", 8},
};

enum { N_CPU_COLUMNS = sizeof(cpu_columns) / sizeof(cpu_columns[0]) };
enum { CPU_CELL_MAX = NSEC_TEXT_MAX };

static size_t columns_that_fit(const struct sheet *p)
{
	size_t at = PAGE_LABEL_COLUMNS;
	size_t n = 0;

	while (n < N_CPU_COLUMNS && (at += (size_t)abs(cpu_columns[n].width)) <= p->page.columns)
		n++;
	return n;
}

static void put_cells(struct sheet *p, const char *label, char cells[][CPU_CELL_MAX])
{
	size_t n = columns_that_fit(p);
	char line[PAGE_LINE_MAX] = "";
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%*s", cpu_columns[i].width,
					cells[i]);
	page_put(&p->page, label, "%s", line);
}

static void put_cpu(struct sheet *p, const char *name, const struct status_cpu *c)
{
	char cells[N_CPU_COLUMNS][CPU_CELL_MAX];
	size_t i = 0;

	(void)snprintf(cells[i++], CPU_CELL_MAX, "%s", name);
	(void)format_us(c->min_ns, cells[i++]);
	(void)format_us(c->avg_ns, cells[i++]);
	(void)format_us(c->max_ns, cells[i++]);
	(void)format_us(c->last_max_ns, cells[i++]);
	(void)snprintf(cells[i++], CPU_CELL_MAX, "%" PRIu64, c->count);
	(void)snprintf(cells[i++], CPU_CELL_MAX, "%" PRIu64, c->overflow);
	(void)snprintf(cells[i++], CPU_CELL_MAX, "%" PRIu64, c->missed);
	put_cells(p, "", cells);
}

static void put_titles(struct sheet *p)
{
	char cells[N_CPU_COLUMNS][CPU_CELL_MAX];

	for (size_t i = 0; i < N_CPU_COLUMNS; i++)
		(void)snprintf(cells[i], CPU_CELL_MAX, "%s", cpu_columns[i].title);
	put_cells(p, "latency us", cells);
}

static void put_one_cpu(struct sheet *p, const struct status_cpu *c)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "%u", c->cpu);
	put_cpu(p, name, c);
}

/* All CPUs as one; its last minute is unknown as soon as one of theirs is. */
static struct status_cpu sum_cpus(const struct status *s)
{
	struct status_cpu all = s->cpus[0];
	double total_ns = 0;

	all.count = all.overflow = all.missed = 0;
	for (size_t i = 0; i < s->n_cpus; i++) {
		const struct status_cpu *c = &s->cpus[i];

		all.count += c->count;
		all.overflow += c->overflow;
		all.missed += c->missed;
		if (c->last_max_ns == SAMPLE_UNKNOWN || all.last_max_ns == SAMPLE_UNKNOWN)
			all.last_max_ns = SAMPLE_UNKNOWN;
		else if (c->last_max_ns > all.last_max_ns)
			all.last_max_ns = c->last_max_ns;
		if (!c->count)
			continue;
		total_ns += (double)c->avg_ns * (double)c->count;
		if (all.min_ns == SAMPLE_UNKNOWN || c->min_ns < all.min_ns)
			all.min_ns = c->min_ns;
		if (c->max_ns > all.max_ns) /* SAMPLE_UNKNOWN is less than any */
			all.max_ns = c->max_ns;
	}
	all.avg_ns = all.count ? (int64_t)(total_ns / (double)all.count) : SAMPLE_UNKNOWN;
	return all;
}

/* The n CPUs with the longest maximum, worst first. */
static void put_worst_cpus(struct sheet *p, size_t n)
{
	const struct status *s = p->s;
	bool shown[STATUS_CPUS_MAX] = {false};

	while (n-- > 0) {
		size_t worst = STATUS_CPUS_MAX;

		for (size_t i = 0; i < s->n_cpus; i++)
			if (!shown[i] &&
			    (worst == STATUS_CPUS_MAX || s->cpus[i].max_ns > s->cpus[worst].max_ns))
				worst = i;
		shown[worst] = true;
		put_one_cpu(p, &s->cpus[worst]);
	}
}

/* What is not zero must not go with its column. */
static void put_dropped(struct sheet *p)
{
	struct status_cpu all = sum_cpus(p->s);

	if (columns_that_fit(p) < N_CPU_COLUMNS && (all.overflow || all.missed))
		page_put(&p->page, "", "overflow %" PRIu64 ", missed %" PRIu64, all.overflow,
			 all.missed);
}

void sheet_put_latency(struct sheet *p)
{
	const struct status *s = p->s;
	size_t rows = CPU_ROWS + (p->rows > SHEET_FULL_ROWS ? p->rows - SHEET_FULL_ROWS : 0);
	struct status_cpu all;

	if (!s->n_cpus) {
		page_put(&p->page, "latency", "not measured");
	} else {
		put_titles(p);
		if (s->n_cpus <= rows) {
			for (size_t i = 0; i < s->n_cpus; i++)
				put_one_cpu(p, &s->cpus[i]);
		} else {
			all = sum_cpus(s);
			put_cpu(p, "all", &all);
			put_worst_cpus(p, rows - 1);
		}
		put_dropped(p);
	}
	if (s->realtime_problem[0])
		page_put(&p->page, "", "NOT REAL-TIME: %s", s->realtime_problem);
	else if (s->n_cpus && s->n_cpus > rows)
		page_put(&p->page, "", "worst of %zu CPUs; idle states: %s", s->n_cpus,
			 s->idle_states[0] ? s->idle_states : "unknown");
	else if (s->n_cpus)
		page_put(&p->page, "", "idle states: %s",
			 s->idle_states[0] ? s->idle_states : "unknown");
}
