/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/stats/quantile.h"

/* A JSON number is exact only to 2^53, which a monotonic time may pass. */
static json_t *json_mono(int64_t ns)
{
	char text[NSEC_TEXT_MAX];

	(void)snprintf(text, sizeof(text), "%" PRId64, ns);
	return json_string(text);
}

static json_t *json_utc(int64_t ns)
{
	char text[NSEC_TEXT_MAX];

	return ns == TIME_UNKNOWN ? json_null() : json_string(nsec_format_utc(ns, text));
}

static json_t *json_known(int64_t value)
{
	return value == SAMPLE_UNKNOWN ? json_null() : json_integer(value);
}

static json_t *json_count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* What the record does not tell is empty. */
static json_t *json_text(const char *text)
{
	return *text ? json_string(text) : json_null();
}

static void set_moment(json_t *j, const char *mono, const char *utc, const struct report_moment *m)
{
	(void)json_object_set_new(j, mono, json_mono(m->mono_ns));
	(void)json_object_set_new(j, utc, json_utc(m->utc_ns));
	if (m->utc_uncertain) {
		char name[NSEC_TEXT_MAX];

		(void)snprintf(name, sizeof(name), "%s_uncertain", utc);
		(void)json_object_set_new(j, name, json_true());
	}
}

static json_t *json_double(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* A whole number of ns, as the range of offsets is; one that no integer holds stays a real. */
static json_t *json_whole(double value)
{
	return fabs(value) < 0x1p63 ? json_integer((json_int_t)value) : json_double(value);
}

/* How many lie beyond a percentile, and where it is with 95 % confidence. */
static json_t *confidence_json(const struct report_quantiles *q)
{
	json_t *j = json_object();

	for (size_t i = 0; i < REPORT_PERCENTILES; i++) {
		if (q->value_ns[i] == SAMPLE_UNKNOWN)
			continue;
		(void)json_object_set_new(
			j, report_percentiles[i].name,
			json_pack("{so so so so}", "beyond", json_count(q->beyond[i]), "low_ns",
				  json_known(q->low_ns[i]), "high_ns", json_known(q->high_ns[i]),
				  "effective",
				  q->effective[i] > 0 ? json_real(q->effective[i]) : json_null()));
	}
	return j;
}

static json_t *quantiles_json(const struct report_quantiles *q, uint64_t count)
{
	json_t *j = json_object();
	json_t *refused = json_object();

	for (size_t i = 0; i < REPORT_PERCENTILES; i++) {
		const struct report_percentile *p = &report_percentiles[i];

		(void)json_object_set_new(j, p->name, json_known(q->value_ns[i]));
		if (!quantile_supported(p->p_milli, count))
			(void)json_object_set_new(refused, p->name,
						  json_count(quantile_needed(p->p_milli)));
	}
	(void)json_object_set_new(j, "refused", refused);
	(void)json_object_set_new(j, "confidence", confidence_json(q));
	return j;
}

static json_t *run_json(const struct report_run *run)
{
	json_t *j = json_pack(
		"{sI so so so so so so so so so ss so}", "id", (json_int_t)run->id, "label",
		json_text(run->label), "role", json_text(run->role), "host", json_text(run->host),
		"kernel", json_text(run->kernel), "machine", json_text(run->machine), "boot_id",
		json_text(run->boot_id), "version", json_text(run->version), "ptp4l_version",
		json_text(run->ptp4l_version), "database", json_text(run->database), "ending",
		report_ending_name(run->ending), "how", json_text(run->how));

	set_moment(j, "start_mono_ns", "start_utc", &run->start);
	set_moment(j, "end_mono_ns", "end_utc", &run->end);
	return j;
}

static json_t *scope_json(const struct report *r)
{
	json_t *j = json_pack("{sb}", "whole", r->whole);

	set_moment(j, "from_mono_ns", "from_utc", &r->from);
	set_moment(j, "to_mono_ns", "to_utc", &r->to);
	return j;
}

static json_t *columns_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_columns; i++) {
		const struct report_column *c = &r->columns[i];
		json_t *spans = json_array();

		for (size_t s = 0; s < c->n_spans; s++)
			(void)json_array_append_new(spans, json_pack("{so so}", "from_mono_ns",
								     json_mono(c->spans[s].from_ns),
								     "to_mono_ns",
								     json_mono(c->spans[s].to_ns)));
		(void)json_array_append_new(
			list, json_pack("{so sb sI so}", "name", json_text(c->name), "phase", i > 0,
					"duration_ns", (json_int_t)c->duration_ns, "spans", spans));
	}
	return list;
}

static json_t *taus_json(const struct report *r, const struct report_wander *w)
{
	json_t *list = json_array();

	for (size_t i = 0; i < w->n_taus; i++) {
		const struct report_tau *t = &w->taus[i];
		json_t *j = json_pack("{sI so so}", "tau_ns", (json_int_t)t->tau_ns, "mtie_ns",
				      json_whole(t->mtie_ns), "tdev_ns", json_double(t->tdev_ns));

		if (r->deviations)
			(void)json_object_update_new(
				j, json_pack("{so so so so}", "adev", json_double(t->adev), "oadev",
					     json_double(t->oadev), "mdev", json_double(t->mdev),
					     "tdev_without_outliers_ns",
					     json_double(t->tdev_filtered_ns)));
		(void)json_array_append_new(list, j);
	}
	return list;
}

static json_t *verdicts_json(const struct report_wander *w)
{
	json_t *list = json_array();

	for (size_t i = 0; i < w->n_verdicts; i++) {
		const struct report_verdict *v = &w->verdicts[i];

		(void)json_array_append_new(
			list,
			json_pack("{ss ss ss ss so so so ss so}", "mask", v->mask->label,
				  "quantity", mask_quantity_name(v->mask->quantity), "filter",
				  mask_filter_name(v->mask->filter), "source", v->mask->source,
				  "tau_ns", v->tau_ns ? json_integer(v->tau_ns) : json_null(),
				  "value_ns", json_double(v->value_ns), "limit_ns",
				  json_double(v->limit_ns), "verdict",
				  report_outcome_name(v->outcome), "beyond",
				  json_count(v->beyond)));
	}
	return list;
}

static json_t *wander_json(const struct report *r, const struct report_wander *w)
{
	json_t *j =
		json_pack("{so sI so sb so so so}", "pieces", json_count(w->pieces), "longest_ns",
			  (json_int_t)w->longest_ns, "filled", json_count(w->filled), "uneven",
			  w->uneven, "cte_worst_ns", json_double(w->cte_worst_ns), "cte_last_ns",
			  json_double(w->cte_last_ns), "taus", taus_json(r, w));

	if (r->deviations)
		(void)json_object_set_new(j, "outliers", json_count(w->outliers));
	if (r->limits)
		(void)json_object_set_new(j, "verdicts", verdicts_json(w));
	return j;
}

static json_t *coincidence_json(const struct report_coincidence *c)
{
	if (!c->known)
		return json_null();
	return json_pack("{sI sI sI sI sI sf sf ss}", "window_ns", (json_int_t)c->window_ns,
			 "windows", (json_int_t)c->count.windows, "offsets", (json_int_t)c->count.a,
			 "latencies", (json_int_t)c->count.b, "both", (json_int_t)c->count.both,
			 "expected", c->count.expected, "chance", c->count.chance, "caution",
			 report_coincidence_caution);
}

static json_t *limits_json(const struct limits *l)
{
	if (!l)
		return json_null();
	return json_pack("{so so so so ss}", "name", json_string(l->name), "about",
			 json_string(l->about), "edition", json_string(l->edition), "provenance",
			 json_string(l->provenance), "standing", "indicative");
}

static json_t *offset_json(const struct report *r, const struct report_offset *o,
			   const struct report_column *c)
{
	json_t *j = json_pack("{so so so so so so so so so}", "column", json_text(c->name), "count",
			      json_count(o->count), "abs", quantiles_json(&o->abs, o->count),
			      "abs_max_ns", json_known(o->abs_max_ns), "min_ns",
			      json_known(o->min_ns), "max_ns", json_known(o->max_ns), "mean_ns",
			      o->count ? json_real(o->mean_ns) : json_null(), "stddev_ns",
			      o->count ? json_real(o->stddev_ns) : json_null(), "delay_p50_ns",
			      json_known(o->delay_p50_ns));
	json_t *more =
		json_pack("{so so so so so so sI sI so so so sI}", "missed", json_count(o->missed),
			  "unlocked", json_count(o->unlocked), "unlocked_largest_ns",
			  json_known(o->unlocked_largest_ns), "steps", json_count(o->steps),
			  "step_largest_ns", json_known(o->step_largest_ns), "time_assumed",
			  json_count(o->time_assumed), "locked_ns", (json_int_t)o->locked_ns,
			  "unknown_ns", (json_int_t)o->unknown_ns, "locked_share",
			  c->duration_ns ? json_real(o->locked_share) : json_null(),
			  "state_changes", json_count(o->state_changes), "gaps",
			  json_count(o->gaps), "gaps_ns", (json_int_t)o->gaps_ns);

	(void)json_object_update_new(j, more);
	(void)json_object_set_new(j, "from_hours", json_count(o->from_hours));
	(void)json_object_set_new(j, "wander", wander_json(r, &o->wander));
	return j;
}

static json_t *offsets_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_offsets; i++) {
		const struct report_offset_series *s = &r->offsets[i];
		json_t *columns = json_array();

		for (size_t c = 0; c < r->n_columns; c++)
			(void)json_array_append_new(columns,
						    offset_json(r, &s->columns[c], &r->columns[c]));
		(void)json_array_append_new(
			list,
			json_pack("{so so so so so so so}", "subject", json_text(s->series.subject),
				  "source", json_text(s->series.source), "unit",
				  json_text(s->series.unit), "interval_p50_ns",
				  json_known(s->interval_p50_ns), "gap_limit_ns",
				  json_known(s->gap_limit_ns), "coincidence",
				  coincidence_json(&s->coincidence), "columns", columns));
	}
	return list;
}

static json_t *phc_json(const struct report_offset *o, const struct report_column *c)
{
	return json_pack("{so so so so so so so so so so so so}", "column", json_text(c->name),
			 "count", json_count(o->count), "from_hours", json_count(o->from_hours),
			 "abs", quantiles_json(&o->abs, o->count), "abs_max_ns",
			 json_known(o->abs_max_ns), "min_ns", json_known(o->min_ns), "max_ns",
			 json_known(o->max_ns), "mean_ns",
			 o->count ? json_real(o->mean_ns) : json_null(), "stddev_ns",
			 o->count ? json_real(o->stddev_ns) : json_null(), "delay_p50_ns",
			 json_known(o->delay_p50_ns), "unlocked", json_count(o->unlocked),
			 "unlocked_largest_ns", json_known(o->unlocked_largest_ns));
}

static json_t *phcs_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_phcs; i++) {
		const struct report_phc_series *s = &r->phcs[i];
		json_t *columns = json_array();

		for (size_t c = 0; c < r->n_columns; c++)
			(void)json_array_append_new(columns,
						    phc_json(&s->columns[c], &r->columns[c]));
		(void)json_array_append_new(list, json_pack("{ss so so so so}", "kind",
							    series_kind_name(s->series.kind),
							    "subject", json_text(s->series.subject),
							    "source", json_text(s->series.source),
							    "unit", json_text(s->series.unit),
							    "columns", columns));
	}
	return list;
}

static json_t *summaries_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_summaries; i++) {
		const struct report_summary_series *s = &r->summaries[i];
		json_t *columns = json_array();
		json_t *j = json_pack("{so so so so ss}", "subject", json_text(s->series.subject),
				      "source", json_text(s->series.source), "unit",
				      json_text(s->series.unit), "columns", columns, "caution",
				      report_summary_caution);

		for (size_t c = 0; c < r->n_columns; c++) {
			const struct report_summary *in = &s->columns[c];

			(void)json_array_append_new(
				columns, json_pack("{so so so so so so}", "column",
						   json_text(r->columns[c].name), "count",
						   json_count(in->count), "rms_p50_ns",
						   json_known(in->rms_p50_ns), "rms_largest_ns",
						   json_known(in->rms_largest_ns), "max_p50_ns",
						   json_known(in->max_p50_ns), "max_largest_ns",
						   json_known(in->max_largest_ns)));
		}
		set_moment(j, "largest_mono_ns", "largest_utc", &s->largest_at);
		(void)json_array_append_new(list, j);
	}
	return list;
}

static json_t *latency_json(const struct report_latency *l, const struct report_column *c)
{
	return json_pack("{so so so so so so so so so so}", "column", json_text(c->name), "windows",
			 json_count(l->windows), "from_hours", json_count(l->from_hours), "count",
			 json_count(l->count), "min_ns", json_known(l->min_ns), "avg_ns",
			 json_known(l->avg_ns), "max_ns", json_known(l->max_ns), "value",
			 quantiles_json(&l->value, l->count), "overflow", json_count(l->overflow),
			 "missed", json_count(l->missed));
}

static json_t *latencies_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_latencies; i++) {
		const struct report_latency_series *s = &r->latencies[i];
		json_t *columns = json_array();

		for (size_t c = 0; c < r->n_columns; c++)
			(void)json_array_append_new(columns,
						    latency_json(&s->columns[c], &r->columns[c]));
		(void)json_array_append_new(
			list,
			json_pack("{so so so so so}", "subject", json_text(s->series.subject),
				  "not_realtime",
				  s->realtime_known ? json_boolean(s->not_realtime) : json_null(),
				  "not_realtime_why", json_text(s->not_realtime_why), "idle_states",
				  s->idle_states == REPORT_IDLE_UNKNOWN
					  ? json_null()
					  : json_string(report_idle_name(s->idle_states)),
				  "columns", columns));
	}
	return list;
}

static json_t *around_json(const struct report_worst *w)
{
	json_t *list = json_array();

	for (size_t i = 0; i < w->n_near && i < REPORT_NEAR_MAX; i++)
		(void)json_array_append_new(list, json_pack("{sI so so}", "after_ns",
							    (json_int_t)w->near[i].after_ns, "code",
							    json_text(w->near[i].code), "text",
							    json_text(w->near[i].text)));
	return json_pack("{so so so so so}", "offset_ns", json_known(w->near_offset_ns),
			 "latency_ns", json_known(w->near_latency_ns), "missed",
			 json_count(w->near_missed), "n_happened", json_count(w->n_near),
			 "happened", list);
}

static json_t *worst_json(const struct report_worst *list, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct report_worst *w = &list[i];
		json_t *j =
			json_pack("{so so so so so so so}", "phase", json_text(w->at.phase),
				  "offset_ns", json_known(w->offset_ns), "port", json_text(w->port),
				  "latency_ns", json_known(w->latency_ns), "cpu", json_text(w->cpu),
				  "events", json_count(w->events), "event", json_text(w->event));

		set_moment(j, "mono_ns", "utc", &w->at);
		(void)json_object_set_new(j, "around", around_json(w));
		(void)json_array_append_new(array, j);
	}
	return array;
}

static size_t listed(uint64_t n)
{
	return n < REPORT_LISTED_MAX ? (size_t)n : REPORT_LISTED_MAX;
}

static json_t *changes_json(const struct report *r)
{
	json_t *array = json_array();

	for (size_t i = 0; i < listed(r->n_changes); i++) {
		const struct report_state_change *change = &r->changes[i];
		json_t *j = json_pack("{so so so}", "phase", json_text(change->at.phase), "port",
				      json_text(change->port), "text", json_text(change->text));

		set_moment(j, "mono_ns", "utc", &change->at);
		(void)json_array_append_new(array, j);
	}
	return array;
}

static json_t *gaps_json(const struct report *r)
{
	json_t *array = json_array();

	for (size_t i = 0; i < listed(r->n_gaps); i++) {
		const struct report_gap *g = &r->gaps[i];
		json_t *j = json_pack("{so so sI ss}", "phase", json_text(g->from.phase), "port",
				      json_text(g->port), "duration_ns", (json_int_t)g->duration_ns,
				      "cause", report_gap_cause_name(g->cause));

		set_moment(j, "mono_ns", "utc", &g->from);
		(void)json_array_append_new(array, j);
	}
	return array;
}

static json_t *marks_json(const struct report *r)
{
	json_t *array = json_array();

	for (size_t i = 0; i < r->n_marks; i++) {
		const struct report_mark *m = &r->marks[i];
		json_t *j = json_pack("{so so so}", "phase", json_text(m->at.phase), "text",
				      json_text(m->text), "who", json_text(m->who));

		set_moment(j, "mono_ns", "utc", &m->at);
		(void)json_array_append_new(array, j);
	}
	return array;
}

static json_t *events_json(const struct report *r)
{
	json_t *j = json_object();

	for (enum event_code code = 0; code < EVENT_CODE_MAX; code++)
		if (r->events[code])
			(void)json_object_set_new(j, event_code_name(code),
						  json_count(r->events[code]));
	return j;
}

json_t *report_to_json(const struct report *r)
{
	return json_pack("{ss so ss? so so so so so so so so so so sI so sI so so so}", "schema",
			 "ptpmon.report/1", "headline", json_text(r->headline), "caution",
			 report_caution(r), "run", run_json(&r->run), "scope", scope_json(r),
			 "limits", limits_json(r->limits), "columns", columns_json(r), "offsets",
			 offsets_json(r), "summaries", summaries_json(r), "phcs", phcs_json(r),
			 "latencies", latencies_json(r), "worst_offsets",
			 worst_json(r->worst_offsets, r->n_worst_offsets), "worst_latencies",
			 worst_json(r->worst_latencies, r->n_worst_latencies), "n_changes",
			 (json_int_t)r->n_changes, "changes", changes_json(r), "n_gaps",
			 (json_int_t)r->n_gaps, "gaps", gaps_json(r), "marks", marks_json(r),
			 "events", events_json(r));
}
