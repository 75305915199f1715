/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says of wander, limits, marks and coincidences, from runs that were planted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/csv.h"
#include "ptpmon/report/json.h"
#include "ptpmon/report/text.h"
#include "ptpmon/stats/signed_histogram.h"
#include "report_fixture.h"

static const struct report_request usual = {
	.since_mono_ns = TIME_UNKNOWN,
	.until_mono_ns = TIME_UNKNOWN,
};

/* A run of one port in SLAVE, n samples one every interval; offset(i) in ns. */
static void plant(struct fixture *f, int64_t (*offset)(int64_t i), int64_t n, int64_t interval)
{
	unsigned series;

	fixture_open(f, NULL);
	series = fixture_offset_series(f, "eth0");
	fixture_state(f, 0, "eth0", "SLAVE");
	for (int64_t i = 0; i < n; i++)
		fixture_sample(f, series, i * interval, offset(i), 0);
	fixture_close(f, n * interval, "stopped", NULL);
}

static const struct report_wander *wander_of(const struct report *r)
{
	assert_int_equal(r->n_offsets, 1);
	return &r->offsets[0].columns[0].wander;
}

static const struct report_tau *at(const struct report_wander *w, int64_t tau_ns)
{
	for (size_t i = 0; i < w->n_taus; i++)
		if (w->taus[i].tau_ns == tau_ns)
			return &w->taus[i];
	fail_msg("no tau of %lld ns", (long long)tau_ns);
	return NULL;
}

static int64_t ramp(int64_t i)
{
	return 10 * i - 500;
}

static int64_t sixty(int64_t i)
{
	return 60;
}

static int64_t noise(int64_t i)
{
	return (int64_t)((uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 58) - 32;
}

static void a_ramp_is_known_everywhere(void **state)
{
	struct report_request request = usual;
	const struct report_wander *w;
	struct fixture f;
	struct report *r;

	request.deviations = true;
	plant(&f, ramp, 1200, S);
	r = fixture_report(&f, &request);
	w = wander_of(r);
	assert_int_equal(w->pieces, 1);
	assert_int_equal(w->longest_ns, 1199 * S);
	assert_int_equal(w->n_taus, 9); /* octaves to T/3 */
	for (size_t i = 0; i < w->n_taus; i++) {
		const struct report_tau *t = &w->taus[i];
		bool has_tdev = t->tau_ns <= 100 * S; /* T/12 */

		assert_int_equal(t->tau_ns, S << i);
		assert_true(t->mtie_ns == 10.0 * (1 << i));
		assert_true(has_tdev ? t->tdev_ns == 0 && t->adev == 0 && t->oadev == 0 &&
					       t->mdev == 0 && t->tdev_filtered_ns == 0
				     : isnan(t->tdev_ns) && isnan(t->mdev));
	}
	assert_true(fabs(w->cte_last_ns - (10 * 699.5 - 500)) < 1e-9);
	assert_true(w->cte_worst_ns == w->cte_last_ns);
	r = report_free(r);
	fixture_remove(&f);
}

static void what_is_asked_for_by_tau_is_given(void **state)
{
	const int64_t taus[] = {30 * S, 2 * S, 2 * S + 1, 1100 * S, 5000 * S};
	struct report_request request = usual;
	struct fixture f;
	struct report *r;

	request.taus_ns = taus;
	request.n_taus = 5;
	plant(&f, noise, 1200, S);
	r = fixture_report(&f, &request);
	assert_int_equal(wander_of(r)->n_taus, 4);
	assert_true(!isnan(at(wander_of(r), 2 * S)->tdev_ns));
	assert_true(!isnan(at(wander_of(r), 1100 * S)->mtie_ns));
	assert_true(isnan(at(wander_of(r), 1100 * S)->tdev_ns)); /* no term */
	assert_true(isnan(at(wander_of(r), 5000 * S)->mtie_ns));
	assert_true(isnan(at(wander_of(r), 30 * S)->adev)); /* not asked for */
	r = report_free(r);
	fixture_remove(&f);
}

/* Before and after a step the phase has nothing to do with each other; one lost sample is a hole
 * that is filled. */
static void pieces_are_cut_at_a_step_and_holes_filled(void **state)
{
	const struct report_wander *w;
	struct fixture f;
	struct report *r;
	unsigned series;

	fixture_open(&f, NULL);
	series = fixture_offset_series(&f, "eth0");
	fixture_state(&f, 0, "eth0", "SLAVE");
	for (int64_t i = 0; i < 1000; i++)
		if (i != 200)
			fixture_sample(&f, series, i * S,
				       i < 600    ? 5
				       : i == 600 ? 1000000
						  : -5,
				       i == 600 ? SAMPLE_STEP : 0);
	fixture_close(&f, 1000 * S, "stopped", NULL);
	r = fixture_report(&f, NULL);
	w = wander_of(r);
	assert_int_equal(w->pieces, 2);
	assert_int_equal(w->filled, 1);
	assert_int_equal(w->longest_ns, 599 * S);
	assert_true(at(w, 128 * S)->mtie_ns == 0);
	assert_true(isnan(w->cte_worst_ns));
	r = report_free(r);
	fixture_remove(&f);
}

/* clang-format off */
static const struct limits limits = {
	.name = "test", .about = "a test", .edition = "none", .provenance = "our own",
	.n_masks = 8,
	.masks = {
		{ MASK_MAX_TE, MASK_UNFILTERED, "max|TE|", "s", 1, { { 0, INFINITY, true, true, 0, 70 } } },
		{ MASK_CTE, MASK_UNFILTERED, "|cTE|", "s", 1, { { 0, INFINITY, true, true, 0, 20 } } },
		{ MASK_MAX_TE, MASK_LOW_PASS, "max|TE_L|", "s", 1, { { 0, INFINITY, true, true, 0, 60 } } },
		{ MASK_PEAK_TO_PEAK, MASK_HIGH_PASS, "dTE_H pk-pk", "s", 1, { { 0, INFINITY, true, true, 0, 1 } } },
		{ MASK_MTIE, MASK_UNFILTERED, "MTIE", "s", 2,
		  { { 0, 5, false, true, 1, 0 }, { 5, 20, false, true, 0, 30 } } },
		{ MASK_TDEV, MASK_LOW_PASS, "dTE_L TDEV", "s", 1, { { 0, 100, false, true, 0, 1 } } },
		{ MASK_MTIE, MASK_UNFILTERED, "MTIE far out", "s", 1, { { 1e6, 1e7, true, true, 0, 1 } } },
		{ MASK_TDEV, MASK_UNFILTERED, "TDEV", "s", 1, { { 200, 300, true, true, 0, 1 } } },
	},
};
/* clang-format on */

struct judged {
	const char *name;
	int64_t (*offset)(int64_t i);
	int64_t n, interval;
	enum report_outcome outcomes[8];
};

/* clang-format off */
static const struct judged judged[] = {
	{ "constant", sixty, 1300, S,
	  { REPORT_WITHIN, REPORT_OUTSIDE, REPORT_WITHIN, REPORT_WITHIN, REPORT_WITHIN, REPORT_WITHIN,
	    REPORT_NO_LIMIT, REPORT_NO_VALUE } },
	{ "noise", noise, 1300, S,
	  { REPORT_WITHIN, REPORT_WITHIN, REPORT_WITHIN, REPORT_OUTSIDE, REPORT_OUTSIDE, REPORT_OUTSIDE,
	    REPORT_NO_LIMIT, REPORT_NO_VALUE } },
	{ "ramp", ramp, 1300, S,
	  { REPORT_OUTSIDE, REPORT_OUTSIDE, REPORT_OUTSIDE, REPORT_WITHIN, REPORT_OUTSIDE, REPORT_WITHIN,
	    REPORT_NO_LIMIT, REPORT_NO_VALUE } },
	{ "short", sixty, 60, S,
	  { REPORT_WITHIN, REPORT_NO_VALUE, REPORT_WITHIN, REPORT_WITHIN, REPORT_WITHIN, REPORT_WITHIN,
	    REPORT_NO_LIMIT, REPORT_NO_LIMIT } },
	{ "too slow for the filter", sixty, 1300, 2 * S,
	  { REPORT_WITHIN, REPORT_OUTSIDE, REPORT_NO_VALUE, REPORT_NO_VALUE, REPORT_WITHIN, REPORT_NO_VALUE,
	    REPORT_NO_LIMIT, REPORT_WITHIN } },
};
/* clang-format on */

static void limits_are_judged_by(void **state)
{
	struct report_request request = usual;

	request.limits = &limits;
	for (size_t i = 0; i < sizeof(judged) / sizeof(judged[0]); i++) {
		const struct report_wander *w;
		struct fixture f;
		struct report *r;
		bool outside = false;

		plant(&f, judged[i].offset, judged[i].n, judged[i].interval);
		r = fixture_report(&f, &request);
		w = wander_of(r);
		assert_int_equal(w->n_verdicts, 8);
		for (size_t k = 0; k < 8; k++) {
			if (w->verdicts[k].outcome != judged[i].outcomes[k])
				fail_msg("%s, %s: %s, %g of %g", judged[i].name,
					 limits.masks[k].label,
					 report_outcome_name(w->verdicts[k].outcome),
					 w->verdicts[k].value_ns, w->verdicts[k].limit_ns);
			outside |= judged[i].outcomes[k] == REPORT_OUTSIDE;
		}
		assert_int_equal(report_is_outside(r), outside);
		r = report_free(r);
		fixture_remove(&f);
	}
}

static void verdicts_tell_where_and_how_many(void **state)
{
	struct report_request request = usual;
	const struct report_wander *w;
	struct fixture f;
	struct report *r;

	request.limits = &limits;
	plant(&f, ramp, 1300, S);
	r = fixture_report(&f, &request);
	w = wander_of(r);
	assert_true(w->verdicts[0].value_ns == 10.0 * 1299 - 500);
	assert_true(w->verdicts[0].limit_ns == 70);
	assert_int_equal(w->verdicts[0].beyond, 43 + 1300 - 58); /* below -70, and above 70 */
	/* limits of tau up to 5 s, 30 from there: the worst part is at 5 s of octaves and breaks */
	assert_true(w->verdicts[4].value_ns / w->verdicts[4].limit_ns == 10);
	assert_non_null(at(w, 5 * S)); /* a break of the mask is looked at */
	r = report_free(r);
	fixture_remove(&f);
}

static void columns_may_lie_between_marks(void **state)
{
	struct report_request request = usual;
	struct fixture f;
	struct report *r;
	unsigned series;

	fixture_open(&f, NULL);
	series = fixture_offset_series(&f, "eth0");
	fixture_phase(&f, "idle", 1 * S, 2 * S);
	assert_true(store_put_mark(f.store, START_MONO + 10 * S, "fan off", "root"));
	assert_true(store_put_mark(f.store, START_MONO + 30 * S, "fan on", "root"));
	for (int64_t i = 0; i < 60; i++)
		fixture_sample(&f, series, i * S, i, 0);
	fixture_close(&f, 60 * S, "stopped", NULL);
	request.by_mark = true;
	r = fixture_report(&f, &request);
	assert_int_equal(r->n_columns, 4);
	assert_string_equal(r->columns[1].name, "before");
	assert_string_equal(r->columns[2].name, "fan off");
	assert_string_equal(r->columns[3].name, "fan on");
	assert_int_equal(r->offsets[0].columns[1].count, 10);
	assert_int_equal(r->offsets[0].columns[2].count, 20);
	assert_int_equal(r->offsets[0].columns[2].min_ns, 10);
	assert_int_equal(r->offsets[0].columns[3].count, 30);
	r = report_free(r);
	fixture_remove(&f);
}

/* One second in a hundred is bad in both; or in one, and the other three seconds later. */
static void excursions_that_belong_together_are_told(void **state)
{
	for (int64_t later = 0; later < 2; later++) {
		const struct report_coincidence *c;
		struct fixture f;
		struct report *r;
		unsigned offset;
		unsigned cpu;

		fixture_open(&f, NULL);
		offset = fixture_offset_series(&f, "eth0");
		cpu = fixture_latency_series(&f, "cpu 0");
		for (int64_t i = 0; i < 1200; i++) {
			bool bad = i * i % 211 == 9;
			bool bad_then = later ? (i - 3) * (i - 3) % 211 == 9 : bad;

			fixture_sample(&f, offset, i * S, bad_then ? 1000 + i : noise(i), 0);
			fixture_window(&f, cpu, i * S, 99, 5000, bad ? 90000 + i : 6000);
		}
		fixture_close(&f, 1200 * S, "stopped", NULL);
		r = fixture_report(&f, NULL);
		c = &r->offsets[0].coincidence;
		assert_true(c->known);
		assert_int_equal(c->window_ns, S);
		assert_int_equal(c->count.windows, 1200);
		assert_in_range(c->count.a, 10, 12);
		assert_in_range(c->count.b, 10, 12);
		assert_int_equal(c->count.both, later ? 0 : c->count.b);
		assert_true(later ? c->count.chance > 0.9 : c->count.chance < 0.01);
		r = report_free(r);
		fixture_remove(&f);
	}
}

static void csv_has_a_line_for_each_figure(void **state)
{
	static const char *const lines[] = {
		"section,subject,column,figure,tau_s,value,unit\n",
		"offset,eth0,all,samples,,1300,\n",
		"offset,eth0,all,p50,,5990,ns\n",
		"offset,eth0,all,p50_beyond,,650,\n",
		"wander,eth0,all,mtie,2,20,ns\n",
		"wander,eth0,all,tdev,2,0,ns\n",
		"limits,eth0,all,max|TE|,,outside,\n",
		"limits,eth0,all,\"max|TE|, measured\",,12490,ns\n",
		"limits,eth0,all,MTIE far out,,no-limit,\n",
	};
	CLEANUP(strbuf_clear) struct strbuf csv = {0};
	struct report_request request = usual;
	struct fixture f;
	struct report *r;

	request.limits = &limits;
	plant(&f, ramp, 1300, S);
	r = fixture_report(&f, &request);
	report_to_csv(r, &csv);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(strbuf_text(&csv), lines[i]))
			fail_msg("no %s in\n%s", lines[i], strbuf_text(&csv));
	assert_null(strstr(strbuf_text(&csv), "nan"));
	r = report_free(r);
	fixture_remove(&f);
}

/* An hour of a series (its id) whose rows have aged out. */
static void plant_hour(sqlite3 *db, int64_t series, int64_t from, int64_t count, int64_t min,
		       int64_t max, double sum, double sum_squares, const uint8_t *bins, size_t len)
{
	sqlite3_stmt *row;

	assert_int_equal(
		sqlite3_prepare_v2(db,
				   "INSERT INTO rollup VALUES (?1, ?2 / 3600000000000, 0, ?2, "
				   "?2 + 1000000000, ?3, ?4, ?5, ?6, ?7, 0, 4, 1, 2, ?8)",
				   -1, &row, NULL),
		SQLITE_OK);
	(void)sqlite3_bind_int64(row, 1, series);
	(void)sqlite3_bind_int64(row, 2, START_MONO + from);
	(void)sqlite3_bind_int64(row, 3, count);
	(void)sqlite3_bind_int64(row, 4, min);
	(void)sqlite3_bind_int64(row, 5, max);
	(void)sqlite3_bind_double(row, 6, sum);
	(void)sqlite3_bind_double(row, 7, sum_squares);
	(void)sqlite3_bind_blob(row, 8, bins, (int)len, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(row), SQLITE_DONE);
	(void)sqlite3_finalize(row);
}

/* 3000 samples of -100 and 1000 wake-ups of 7 us in two hours that have aged out, 1000 samples of
 * 60 and 10 windows after them. */
static void hours_are_joined_with_what_came_later(void **state)
{
	struct signed_histogram *h = calloc(1, sizeof(*h));
	struct histogram *l = calloc(1, sizeof(*l));
	uint8_t offsets[64];
	uint8_t latencies[64];
	const struct report_offset *o;
	const struct report_latency *w;
	struct fixture f;
	struct report *r;
	unsigned offset;
	unsigned cpu;
	sqlite3 *db;
	size_t len;

	assert_true(h && l);
	fixture_open(&f, NULL);
	offset = fixture_offset_series(&f, "eth0");
	cpu = fixture_latency_series(&f, "cpu 0");
	for (int64_t i = 0; i < 1000; i++)
		fixture_sample(&f, offset, (7200 + i) * S, 60, 0);
	for (int64_t i = 0; i < 10; i++)
		fixture_window(&f, cpu, (7200 + i) * S, 99, 5000, 6000);
	fixture_close(&f, 8200 * S, "stopped", NULL);
	for (unsigned i = 0; i < 1500; i++)
		signed_histogram_count(h, -100);
	l->bins[histogram_bin(7000)] = 500;
	assert_int_equal(sqlite3_open(f.path, &db), SQLITE_OK);
	for (int64_t hour = 0; hour < 2; hour++) {
		len = signed_histogram_encode(h, offsets, sizeof(offsets));
		plant_hour(db, 1, hour * 3600 * S + S, 1500, -100, -100, -150000, 15000000, offsets,
			   len);
		len = histogram_encode(l, latencies, sizeof(latencies));
		plant_hour(db, 2, hour * 3600 * S + S, 500, 7000, 7000, 3500000, 0, latencies, len);
	}
	(void)sqlite3_close(db);
	r = fixture_report(&f, NULL);
	o = &r->offsets[0].columns[0];
	assert_int_equal(o->count, 4000);
	assert_int_equal(o->from_hours, 3000);
	assert_int_equal(o->min_ns, -100);
	assert_int_equal(o->max_ns, 60);
	assert_true(fabs(o->mean_ns - -60) < 1e-9);
	assert_true(fabs(o->stddev_ns - 69.2820323) < 1e-6);
	assert_int_equal(o->abs.value_ns[0], 100);
	assert_int_equal(o->abs.beyond[0], 2000);
	assert_int_equal(o->abs.high_ns[0], SAMPLE_UNKNOWN);
	assert_int_equal(o->abs_max_ns, 100);
	assert_int_equal(o->missed, 8);
	assert_int_equal(o->steps, 2);
	assert_int_equal(o->unlocked, 4);
	assert_int_equal(o->wander.pieces, 1);
	w = &r->latencies[0].columns[0];
	assert_int_equal(w->count, 2000);
	assert_int_equal(w->from_hours, 1000);
	assert_int_equal(w->max_ns, 7000);
	assert_int_equal(r->worst_latencies[0].latency_ns, 7000);
	r = report_free(r);
	free(h);
	free(l);
	fixture_remove(&f);
}

/* The whole page with everything asked for: within 80 columns, and no number is none. */
static void everything_can_be_drawn(void **state)
{
	CLEANUP(strbuf_clear) struct strbuf text = {0};
	struct report_request request = usual;
	struct fixture f;
	struct report *r;
	json_t *json;

	request.limits = &limits;
	request.deviations = true;
	plant(&f, noise, 3000, S / 8);
	r = fixture_report(&f, &request);
	report_to_text(r, &text);
	assert_non_null(strbuf_text(&text));
	for (const char *line = strbuf_text(&text); *line; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 0, 80);
	assert_null(strstr(strbuf_text(&text), "nan"));
	assert_non_null(strstr(strbuf_text(&text), "indicative"));
	assert_non_null(strstr(strbuf_text(&text), "OUTSIDE"));
	json = report_to_json(r);
	assert_non_null(json);
	assert_int_equal(
		json_array_size(json_object_get(
			json_object_get(
				json_array_get(
					json_object_get(
						json_array_get(json_object_get(json, "offsets"), 0),
						"columns"),
					0),
				"wander"),
			"verdicts")),
		8);
	json_decref(json);
	r = report_free(r);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ramp_is_known_everywhere),
		cmocka_unit_test(what_is_asked_for_by_tau_is_given),
		cmocka_unit_test(pieces_are_cut_at_a_step_and_holes_filled),
		cmocka_unit_test(limits_are_judged_by),
		cmocka_unit_test(verdicts_tell_where_and_how_many),
		cmocka_unit_test(columns_may_lie_between_marks),
		cmocka_unit_test(excursions_that_belong_together_are_told),
		cmocka_unit_test(csv_has_a_line_for_each_figure),
		cmocka_unit_test(hours_are_joined_with_what_came_later),
		cmocka_unit_test(everything_can_be_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
