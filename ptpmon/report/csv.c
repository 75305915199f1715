/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"

/* Where a figure belongs. */
struct place {
	struct strbuf *out;
	const char *section, *subject, *column;
};

static void add_field(struct strbuf *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		strbuf_add(out, text);
		return;
	}
	strbuf_add(out, "\"");
	for (; *text; text++) {
		if (*text == '"')
			strbuf_add(out, "\"");
		strbuf_add_bytes(out, text, 1);
	}
	strbuf_add(out, "\"");
}

static void add_line(const struct place *p, const char *figure, int64_t tau_ns, const char *value,
		     const char *unit)
{
	const char *const fields[] = {p->section, p->subject, p->column, figure};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		add_field(p->out, fields[i]);
		strbuf_add(p->out, ",");
	}
	if (tau_ns)
		strbuf_addf(p->out, "%.10g", (double)tau_ns / NSEC_PER_SEC);
	strbuf_addf(p->out, ",%s,%s\n", value, unit);
}

static void add_ns(const struct place *p, const char *figure, int64_t ns)
{
	char text[NSEC_TEXT_MAX];

	if (ns == SAMPLE_UNKNOWN)
		return;
	(void)snprintf(text, sizeof(text), "%" PRId64, ns);
	add_line(p, figure, 0, text, "ns");
}

static void add_count(const struct place *p, const char *figure, uint64_t n)
{
	char text[NSEC_TEXT_MAX];

	(void)snprintf(text, sizeof(text), "%" PRIu64, n);
	add_line(p, figure, 0, text, "");
}

static void add_number(const struct place *p, const char *figure, int64_t tau_ns, double value,
		       const char *unit)
{
	char text[NSEC_TEXT_MAX];

	if (!isfinite(value))
		return;
	(void)snprintf(text, sizeof(text), "%.9g", value);
	add_line(p, figure, tau_ns, text, unit);
}

static void add_quantiles(const struct place *p, const struct report_quantiles *q)
{
	for (size_t i = 0; i < REPORT_PERCENTILES; i++) {
		const char *name = report_percentiles[i].name;
		size_t stem = strlen(name) - strlen("_ns");
		char figure[NSEC_TEXT_MAX];

		if (q->value_ns[i] == SAMPLE_UNKNOWN)
			continue;
		(void)snprintf(figure, sizeof(figure), "%.*s", (int)stem, name);
		add_ns(p, figure, q->value_ns[i]);
		(void)snprintf(figure, sizeof(figure), "%.*s_low", (int)stem, name);
		add_ns(p, figure, q->low_ns[i]);
		(void)snprintf(figure, sizeof(figure), "%.*s_high", (int)stem, name);
		add_ns(p, figure, q->high_ns[i]);
		(void)snprintf(figure, sizeof(figure), "%.*s_beyond", (int)stem, name);
		add_count(p, figure, q->beyond[i]);
	}
}

static void add_wander(struct place *p, const struct report_wander *w)
{
	p->section = "wander";
	add_number(p, "cte_worst", 0, w->cte_worst_ns, "ns");
	add_number(p, "cte_last", 0, w->cte_last_ns, "ns");
	for (size_t i = 0; i < w->n_taus; i++) {
		const struct report_tau *t = &w->taus[i];

		add_number(p, "mtie", t->tau_ns, t->mtie_ns, "ns");
		add_number(p, "tdev", t->tau_ns, t->tdev_ns, "ns");
		add_number(p, "adev", t->tau_ns, t->adev, "");
		add_number(p, "oadev", t->tau_ns, t->oadev, "");
		add_number(p, "mdev", t->tau_ns, t->mdev, "");
		add_number(p, "tdev_without_outliers", t->tau_ns, t->tdev_filtered_ns, "ns");
	}
	p->section = "limits";
	for (size_t i = 0; i < w->n_verdicts; i++) {
		const struct report_verdict *v = &w->verdicts[i];
		char figure[2 * MASK_TEXT_MAX];

		add_line(p, v->mask->label, v->tau_ns, report_outcome_name(v->outcome), "");
		(void)snprintf(figure, sizeof(figure), "%s, measured", v->mask->label);
		add_number(p, figure, v->tau_ns, v->value_ns, "ns");
		(void)snprintf(figure, sizeof(figure), "%s, limit", v->mask->label);
		add_number(p, figure, v->tau_ns, v->limit_ns, "ns");
	}
}

/* What any series of samples has, of a servo or of a PHC. */
static void add_values(const struct place *p, const struct report_offset *o)
{
	add_count(p, "samples", o->count);
	add_quantiles(p, &o->abs);
	add_ns(p, "abs_max", o->abs_max_ns);
	add_ns(p, "min", o->min_ns);
	add_ns(p, "max", o->max_ns);
	if (o->count) {
		add_number(p, "mean", 0, o->mean_ns, "ns");
		add_number(p, "stddev", 0, o->stddev_ns, "ns");
	}
	add_ns(p, "delay_p50", o->delay_p50_ns);
}

static void add_offset(struct place *p, const struct report_offset *o, int64_t duration_ns)
{
	add_ns(p, "time", duration_ns);
	add_values(p, o);
	add_ns(p, "locked", o->locked_ns);
	add_count(p, "state_changes", o->state_changes);
	add_count(p, "gaps", o->gaps);
	add_count(p, "missed", o->missed);
	add_count(p, "unlocked", o->unlocked);
	add_count(p, "steps", o->steps);
	add_wander(p, &o->wander);
}

static void add_latency(const struct place *p, const struct report_latency *l)
{
	add_count(p, "wake_ups", l->count);
	add_quantiles(p, &l->value);
	add_ns(p, "min", l->min_ns);
	add_ns(p, "avg", l->avg_ns);
	add_ns(p, "max", l->max_ns);
	add_count(p, "overflow", l->overflow);
	add_count(p, "missed", l->missed);
}

static void add_summary(const struct place *p, const struct report_summary *s)
{
	add_count(p, "lines", s->count);
	add_ns(p, "rms_p50", s->rms_p50_ns);
	add_ns(p, "rms_largest", s->rms_largest_ns);
	add_ns(p, "max_p50", s->max_p50_ns);
	add_ns(p, "max_largest", s->max_largest_ns);
}

static void add_phc(const struct place *p, const struct report_offset *o)
{
	add_values(p, o);
	add_count(p, "unlocked", o->unlocked);
}

void report_to_csv(const struct report *r, struct strbuf *out)
{
	strbuf_add(out, "section,subject,column,figure,tau_s,value,unit\n");
	for (size_t i = 0; i < r->n_offsets; i++)
		for (size_t c = 0; c < r->n_columns; c++) {
			struct place p = {out, "offset", r->offsets[i].series.subject,
					  r->columns[c].name};

			add_offset(&p, &r->offsets[i].columns[c], r->columns[c].duration_ns);
		}
	for (size_t i = 0; i < r->n_summaries; i++)
		for (size_t c = 0; c < r->n_columns; c++) {
			struct place p = {out, "summary", r->summaries[i].series.subject,
					  r->columns[c].name};

			add_summary(&p, &r->summaries[i].columns[c]);
		}
	for (size_t i = 0; i < r->n_phcs; i++)
		for (size_t c = 0; c < r->n_columns; c++) {
			struct place p = {out, series_kind_name(r->phcs[i].series.kind),
					  r->phcs[i].series.subject, r->columns[c].name};

			add_phc(&p, &r->phcs[i].columns[c]);
		}
	for (size_t i = 0; i < r->n_latencies; i++)
		for (size_t c = 0; c < r->n_columns; c++) {
			struct place p = {out, "latency", r->latencies[i].series.subject,
					  r->columns[c].name};

			add_latency(&p, &r->latencies[i].columns[c]);
		}
}
