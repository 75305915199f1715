/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs whose figures are known because they were planted, and what the report says of them. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/json.h"
#include "ptpmon/store/query.h"
#include "report_plants.h"

static void night_has_what_was_planted(void **state)
{
	struct fixture f;
	struct report *r;
	const struct report_offset *o;

	fixture_open(&f, "night");
	plant_night(&f);
	r = fixture_report(&f, NULL);
	assert_int_equal(r->n_columns, 3);
	assert_int_equal(r->n_offsets, 1);
	assert_int_equal(r->n_latencies, 2);
	o = &r->offsets[0].columns[1];
	assert_string_equal(r->columns[1].name, "idle");
	assert_int_equal(o->count, 1920);
	assert_int_equal(o->abs.value_ns[0], 960);
	assert_int_equal(o->abs.value_ns[1], 1901); /* ceil(0.99 * 1920) */
	assert_int_equal(o->abs.value_ns[2], 1919); /* ceil(0.999 * 1920) */
	assert_int_equal(o->abs.value_ns[3], SAMPLE_UNKNOWN);
	assert_int_equal(o->abs_max_ns, 1920);
	assert_int_equal(o->gaps, 0);
	assert_int_equal(o->locked_ns, 60 * S);
	assert_true(o->locked_share == 1.0);
	assert_int_equal(o->delay_p50_ns, 540);
	o = &r->offsets[0].columns[2];
	assert_int_equal(o->count, 1920);
	assert_int_equal(o->abs.value_ns[2], 3838);
	o = &r->offsets[0].columns[0];
	assert_int_equal(o->count, 2 * 1920 + (5 + 5 + 2) * PLANT_RATE + 2);
	assert_int_equal(o->steps, 1);
	assert_int_equal(o->step_largest_ns, -37000000000);
	assert_int_equal(o->unlocked, 1);
	assert_int_equal(o->unlocked_largest_ns, 123456);
	assert_int_equal(o->time_assumed, 1);
	assert_int_equal(o->missed, 7);
	assert_int_equal(o->state_changes, 3);
	assert_int_equal(o->locked_ns, 135 * S);
	assert_int_equal(o->unknown_ns, 1 * S);
	assert_int_equal(o->gaps, 1);
	assert_int_equal(o->gaps_ns, 2 * S);
	assert_int_equal(r->n_gaps, 1);
	assert_int_equal(r->gaps[0].cause, REPORT_GAP_NO_UPDATES);
	assert_int_equal(r->gaps[0].from.mono_ns, START_MONO + 137 * S);
	assert_int_equal(r->gaps[0].duration_ns, 2 * S);
	r = report_free(r);
	fixture_remove(&f);
}

static void worst_moments_meet_on_one_axis(void **state)
{
	struct fixture f;
	struct report *r;
	const struct report_worst *w;

	fixture_open(&f, NULL);
	plant_night(&f);
	r = fixture_report(&f, NULL);
	assert_int_equal(r->n_worst_offsets, REPORT_WORST);
	w = &r->worst_offsets[0];
	assert_int_equal(llabs(w->offset_ns), 3840);
	assert_string_equal(w->at.phase, "load");
	assert_string_equal(w->port, "eth0");
	assert_int_equal(w->at.mono_ns, START_MONO + 75 * S + 823 * S / PLANT_RATE);
	assert_int_equal(w->at.utc_ns, START_UTC + 75 * S + 823 * S / PLANT_RATE);
	assert_int_equal(w->latency_ns, 118203);
	assert_string_equal(w->cpu, "cpu 1");
	assert_int_equal(w->events, 2);
	assert_string_equal(w->event, "eth0: no carrier");
	assert_int_equal(w->second.from_ns, START_MONO + 100 * S);
	w = &r->worst_latencies[0];
	assert_int_equal(w->latency_ns, 118203);
	assert_int_equal(w->at.mono_ns, START_MONO + 100 * S);
	assert_string_equal(w->at.phase, "load");
	assert_int_equal(llabs(w->offset_ns), 3840);
	for (size_t i = 1; i < REPORT_WORST; i++) {
		assert_int_equal(llabs(r->worst_offsets[i].offset_ns), 3840 - 2 * (int64_t)i);
		assert_true(r->worst_latencies[i].latency_ns < 118203);
	}
	/* the window across the border between a phase and none: 74 to 75 s is in none */
	assert_int_equal(r->latencies[0].columns[1].windows, PLANT_PHASE_S);
	assert_int_equal(r->latencies[0].columns[0].windows, 135);
	r = report_free(r);
	fixture_remove(&f);
}

static void one_sample_supports_nothing(void **state)
{
	struct fixture f;
	struct report *r;
	const struct report_offset *o;

	fixture_open(&f, NULL);
	plant_one_sample(&f);
	r = fixture_report(&f, NULL);
	o = &r->offsets[0].columns[0];
	assert_int_equal(o->count, 1);
	for (size_t i = 0; i < REPORT_PERCENTILES; i++)
		assert_int_equal(o->abs.value_ns[i], SAMPLE_UNKNOWN);
	assert_int_equal(o->abs_max_ns, 12);
	assert_int_equal(o->min_ns, -12);
	assert_true(o->stddev_ns == 0);
	assert_int_equal(r->offsets[0].interval_p50_ns, SAMPLE_UNKNOWN);
	assert_int_equal(o->unknown_ns, r->columns[0].duration_ns);
	assert_int_equal(o->gaps, 0);
	assert_int_equal(r->worst_offsets[0].latency_ns, SAMPLE_UNKNOWN);
	r = report_free(r);
	fixture_remove(&f);
}

static void large_offsets_keep_their_noise(void **state)
{
	struct fixture f;
	struct report *r;
	const struct report_offset *o;

	fixture_open(&f, NULL);
	plant_37_seconds(&f);
	r = fixture_report(&f, NULL);
	o = &r->offsets[0].columns[0];
	assert_true(o->stddev_ns > 2.999999 && o->stddev_ns < 3.000001);
	assert_true(o->mean_ns == -37000000000.0);
	assert_int_equal(o->abs.value_ns[0], 36999999997);
	assert_int_equal(o->abs.value_ns[2], 37000000003);
	r = report_free(r);
	fixture_remove(&f);
}

static void a_step_moves_the_wall_clock_only(void **state)
{
	struct fixture f;
	struct report *r;

	fixture_open(&f, NULL);
	plant_wall_clock_step(&f);
	r = fixture_report(&f, NULL);
	assert_int_equal(r->worst_offsets[0].at.mono_ns, START_MONO + 61 * S);
	assert_int_equal(r->worst_offsets[0].at.utc_ns, START_UTC + 3661 * S);
	assert_int_equal(r->worst_offsets[1].at.mono_ns, START_MONO + 59 * S);
	assert_int_equal(r->worst_offsets[1].at.utc_ns, START_UTC + 59 * S);
	assert_int_equal(r->offsets[0].columns[0].gaps, 0);
	assert_int_equal(r->columns[0].duration_ns, 120 * S);
	r = report_free(r);
	fixture_remove(&f);
}

/* The clock ran 20 ppm off for the minute before it, which makes the step as seen 1.2 ms less or
 * more. */
static void a_leap_second_leaves_the_times_before_it_right(void **state)
{
	static const int64_t slewed_ns[] = {-1200000, 0, 1200000};

	for (size_t i = 0; i < sizeof(slewed_ns) / sizeof(slewed_ns[0]); i++) {
		struct fixture f;
		struct report *r;
		unsigned offset;

		fixture_open(&f, NULL);
		offset = fixture_offset_series(&f, "eth0");
		fixture_state(&f, 0, "eth0", "SLAVE");
		for (int64_t at = 0; at < 120; at++)
			fixture_sample(&f, offset, at * S,
				       at == 59   ? 3000
				       : at == 60 ? 2000
						  : 1,
				       0);
		fixture_event(&f, EVENT_CLOCK_STEPPED, 60 * S, "", "stepped by -1 s", "");
		fixture_anchor(&f, 60 * S, START_UTC + 59 * S + slewed_ns[i]);
		fixture_close(&f, 120 * S, "stopped", NULL);
		r = fixture_report(&f, NULL);
		assert_int_equal(r->offsets[0].columns[0].count, 120);
		assert_int_equal(r->offsets[0].columns[0].gaps, 0);
		assert_int_equal(r->columns[0].duration_ns, 120 * S);
		assert_false(r->from.utc_uncertain);
		/* the same second twice: order is that of the axis */
		assert_int_equal(r->worst_offsets[0].at.mono_ns, START_MONO + 59 * S);
		assert_int_equal(r->worst_offsets[0].at.utc_ns, START_UTC + 59 * S);
		assert_int_equal(r->worst_offsets[1].at.mono_ns, START_MONO + 60 * S);
		assert_int_equal(r->worst_offsets[1].at.utc_ns, START_UTC + 59 * S + slewed_ns[i]);
		r = report_free(r);
		fixture_remove(&f);
	}
}

static void an_end_that_is_missing_is_told_apart(void **state)
{
	struct report_request request = {
		.since_mono_ns = TIME_UNKNOWN,
		.until_mono_ns = TIME_UNKNOWN,
	};
	struct fixture f;
	struct report *r;

	fixture_open(&f, NULL);
	plant_killed(&f);
	r = fixture_report(&f, &request);
	assert_int_equal(r->run.ending, REPORT_CUT);
	assert_int_equal(r->run.end.mono_ns, START_MONO + 30 * S);
	/* the phase goes on to the very last sample */
	assert_int_equal(r->offsets[0].columns[1].count, 21);
	r = report_free(r);
	fixture_remove(&f);
}

static void a_run_is_read_while_it_is_written(void **state)
{
	struct report_request request = {
		.since_mono_ns = TIME_UNKNOWN,
		.until_mono_ns = TIME_UNKNOWN,
	};
	struct fixture f;
	struct report *r;
	unsigned offset;

	fixture_open(&f, NULL);
	offset = fixture_offset_series(&f, "eth0");
	for (int64_t i = 0; i < 100; i++)
		fixture_sample(&f, offset, i * S, i, 0);
	store_kick(f.store);
	for (int tries = 0; tries < 1000 && store_health(f.store).samples < 100; tries++)
		(void)usleep(10000);
	for (int64_t i = 100; i < 150; i++) /* still in the queue */
		fixture_sample(&f, offset, i * S, i, 0);
	r = fixture_report(&f, &request);
	assert_int_equal(r->run.ending, REPORT_RECORDING);
	assert_int_equal(r->offsets[0].columns[0].count, 100);
	r = report_free(r);
	fixture_close(&f, 150 * S, "stopped", NULL);
	r = fixture_report(&f, &request);
	assert_int_equal(r->run.ending, REPORT_ENDED);
	assert_int_equal(r->offsets[0].columns[0].count, 150);
	r = report_free(r);
	fixture_remove(&f);
}

static void a_scope_is_looked_at_alone(void **state)
{
	struct report_request request = {
		.since_mono_ns = START_MONO + 40 * S,
		.until_mono_ns = START_MONO + 80 * S,
	};
	char why[QUERY_ERROR_MAX];
	struct fixture f;
	struct report *r;
	struct query *q;

	fixture_open(&f, NULL);
	plant_night(&f);
	r = fixture_report(&f, &request);
	assert_false(r->whole);
	assert_int_equal(r->offsets[0].columns[0].count, 40 * PLANT_RATE);
	assert_int_equal(r->offsets[0].columns[1].count, 30 * PLANT_RATE);
	assert_int_equal(r->offsets[0].columns[2].count, 5 * PLANT_RATE);
	assert_int_equal(r->offsets[0].columns[0].steps, 0);
	assert_int_equal(r->offsets[0].columns[0].state_changes, 0);
	assert_int_equal(r->offsets[0].columns[0].locked_ns, 40 * S); /* a state told before it */
	assert_int_equal(r->latencies[0].columns[0].windows, 40);
	assert_int_equal(r->n_marks, 0); /* at 80 s: not before it */
	assert_int_equal(r->latencies[0].idle_states, REPORT_IDLE_ALLOWED);
	r = report_free(r);
	assert_int_equal(query_open(&q, f.path, NULL, why), 0);
	request.since_mono_ns = START_MONO + 500 * S;
	request.until_mono_ns = TIME_UNKNOWN;
	assert_int_equal(report_build(&r, q, &request), -ERANGE);
	request.since_mono_ns = START_MONO + 80 * S;
	request.until_mono_ns = START_MONO + 80 * S;
	assert_int_equal(report_build(&r, q, &request), -ERANGE);
	(void)query_free(q);
	fixture_remove(&f);
}

static void declared_and_found_gaps_are_not_counted_twice(void **state)
{
	struct fixture f;
	struct report *r;
	unsigned offset;

	fixture_open(&f, NULL);
	offset = fixture_offset_series(&f, "eth0");
	fixture_state(&f, 0, "eth0", "SLAVE");
	for (int64_t i = 0; i < 80; i++) /* at 8/s: 0 .. 4.875 s, and 10 .. 14.875 s */
		fixture_sample(&f, offset, i * S / 8 + (i < 40 ? 0 : 5 * S), 1, 0);
	/* the order in which a recorder that was started again tells it */
	fixture_state(&f, 9 * S, "eth0", "SLAVE");
	fixture_event(&f, EVENT_GAP, 10 * S, "eth0", "eth0: no offsets for 5.0 s",
		      "{\"from_mono_ns\":\"1005000000000\",\"to_mono_ns\":\"1010000000000\"}");
	fixture_event(&f, EVENT_GAP, 12 * S, "eth0", "eth0: 4 updates were missed",
		      "{\"from_mono_ns\":\"1000000000000\",\"to_mono_ns\":\"1012000000000\","
		      "\"missed\":4}");
	fixture_close(&f, 15 * S, "stopped", NULL);
	r = fixture_report(&f, NULL);
	assert_int_equal(r->n_gaps, 1);
	assert_int_equal(r->gaps[0].cause, REPORT_GAP_NOT_RECORDED);
	assert_string_equal(r->gaps[0].port, "eth0");
	assert_int_equal(r->offsets[0].columns[0].missed, 4);
	assert_int_equal(r->offsets[0].columns[0].gaps, 1);
	assert_int_equal(r->offsets[0].columns[0].gaps_ns, 5 * S);
	assert_int_equal(r->offsets[0].columns[0].unknown_ns, 4 * S);
	assert_int_equal(r->offsets[0].gap_limit_ns, S);
	r = report_free(r);
	fixture_remove(&f);
}

static void emptiness_is_noticed(void **state)
{
	static const struct {
		const char *name;
		void (*plant)(struct fixture *f);
		bool empty;
	} rows[] = {
		{"nothing", plant_nothing, true},
		{"one sample", plant_one_sample, false},
		{"never locked", plant_never_locked, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f;
		struct report *r;

		fixture_open(&f, NULL);
		rows[i].plant(&f);
		r = fixture_report(&f, NULL);
		if (report_is_empty(r) != rows[i].empty)
			fail_msg("%s", rows[i].name);
		r = report_free(r);
		fixture_remove(&f);
	}
}

/* Wake-ups that came without a word of how they were measured. */
static void what_a_sampler_did_not_tell_is_null(void **state)
{
	static const struct {
		const char *name;
		enum event_code code;
		json_type type;
	} rows[] = {
		{"nothing told", EVENT_LINK_UP, JSON_NULL},
		{"in real time", EVENT_SAMPLER_CONDITIONS, JSON_FALSE},
		{"not in real time", EVENT_NOT_REALTIME, JSON_TRUE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f;
		struct report *r;
		json_t *json;
		const json_t *cpu;

		fixture_open(&f, NULL);
		fixture_window(&f, fixture_latency_series(&f, "cpu 0"), 0, 9, 5000, 6000);
		fixture_event(&f, rows[i].code, 0, "cpu 0", "as it is", "{}");
		fixture_close(&f, S, "stopped", NULL);
		r = fixture_report(&f, NULL);
		json = report_to_json(r);
		cpu = json_array_get(json_object_get(json, "latencies"), 0);
		if (json_typeof(json_object_get(cpu, "not_realtime")) != rows[i].type)
			fail_msg("%s", rows[i].name);
		assert_true(json_is_null(json_object_get(json, "caution")));
		json_decref(json);
		r = report_free(r);
		fixture_remove(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(night_has_what_was_planted),
		cmocka_unit_test(worst_moments_meet_on_one_axis),
		cmocka_unit_test(one_sample_supports_nothing),
		cmocka_unit_test(large_offsets_keep_their_noise),
		cmocka_unit_test(a_step_moves_the_wall_clock_only),
		cmocka_unit_test(a_leap_second_leaves_the_times_before_it_right),
		cmocka_unit_test(an_end_that_is_missing_is_told_apart),
		cmocka_unit_test(a_run_is_read_while_it_is_written),
		cmocka_unit_test(a_scope_is_looked_at_alone),
		cmocka_unit_test(declared_and_found_gaps_are_not_counted_twice),
		cmocka_unit_test(emptiness_is_noticed),
		cmocka_unit_test(what_a_sampler_did_not_tell_is_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
