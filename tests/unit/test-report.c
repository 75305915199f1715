/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs whose figures are known because they were planted, and what the report says of them: the
 * figures one by one, and the whole of text and JSON as in tests/data/report. With
 * TEST_DATA_UPDATE set these files are written instead.
 */
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
#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/json.h"
#include "ptpmon/report/text.h"
#include "ptpmon/store/query.h"
#include "report_fixture.h"

enum { RATE = 32, PHASE_S = 60, PHASE_SAMPLES = RATE * PHASE_S };

/*
 * 1 .. 1920 in a shuffled order (7 and 1920 have no common divisor), the signs alternating; the
 * largest is the 823rd, after 25.7 s.
 */
static int64_t shuffled(int64_t i)
{
	int64_t v = (i * 7 + 1918) % PHASE_SAMPLES + 1;

	return i % 2 ? -v : v;
}

/* Offsets of the night: `factor` times 1 .. 1920 in a phase of a minute from `phase` on. */
static void plant_offsets(struct fixture *f, unsigned offset, int64_t from, int64_t to,
			  int64_t factor)
{
	for (int64_t i = 0; from + i * S / RATE < to; i++)
		fixture_sample(f, offset, from + i * S / RATE, factor ? factor * shuffled(i) : 3,
			       0);
}

/*
 * A night in small: locked after 5 s, idle from 10 s and load from 75 s for a minute each, a hole
 * from 137 to 139 s. Under load one wake-up of 118.203 us while the link was down.
 */
static void plant_night(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "eth0");
	unsigned cpus[] = {fixture_latency_series(f, "cpu 0"), fixture_latency_series(f, "cpu 1")};

	fixture_event(f, EVENT_CHILD_STARTED, S / 10, "ptp4l", "ptp4l: started, pid=4711", "");
	for (size_t cpu = 0; cpu < 2; cpu++)
		fixture_event(f, EVENT_SAMPLER_CONDITIONS, S / 5, cpu ? "cpu 1" : "cpu 0",
			      "SCHED_FIFO 98", "{\"idle_states_held\": false}");
	fixture_state(f, 1 * S, "eth0", "LISTENING");
	fixture_state(f, 3 * S, "eth0", "UNCALIBRATED");
	fixture_sample(f, offset, 4 * S, -37000000000, SAMPLE_STEP | SAMPLE_UNLOCKED);
	fixture_sample(f, offset, 4500 * NSEC_PER_MSEC, 123456, SAMPLE_UNLOCKED);
	fixture_state(f, 5 * S, "eth0", "SLAVE");
	fixture_phase(f, "idle", 10 * S, 70 * S);
	fixture_phase(f, "load", 75 * S, 135 * S);
	plant_offsets(f, offset, 5 * S, 10 * S, 0);
	plant_offsets(f, offset, 10 * S, 70 * S, 1);
	plant_offsets(f, offset, 70 * S, 75 * S, 0);
	plant_offsets(f, offset, 75 * S, 135 * S, 2);
	plant_offsets(f, offset, 135 * S, 137 * S + 1, 0);
	fixture_put(f, offset,
		    &(struct sample){.flags = SAMPLE_TIME_ASSUMED,
				     .missed = 7,
				     .mono_ns = 139 * S,
				     .value = 3,
				     .delay_ns = SAMPLE_UNKNOWN});
	for (int64_t second = 5; second < 140; second++)
		for (size_t cpu = 0; cpu < 2; cpu++)
			fixture_window(f, cpus[cpu], second * S, 999, 5000,
				       second == 100 && cpu == 1 ? 118203 : 9000 + second);
	fixture_event(f, EVENT_LINK_DOWN, 100 * S + 400 * NSEC_PER_MSEC, "eth0", "eth0: no carrier",
		      "");
	fixture_event(f, EVENT_LINK_UP, 100 * S + 500 * NSEC_PER_MSEC, "eth0", "eth0: carrier", "");
	assert_true(store_put_mark(f->store, START_MONO + 80 * S, "fan off", "root"));
	fixture_event(f, EVENT_RUN_ENDED, 140 * S, "", "run: ended", "");
	fixture_close(f, 140 * S, "stopped", NULL);
}

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
	assert_int_equal(o->count, 2 * 1920 + (5 + 5 + 2) * RATE + 2);
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
	assert_int_equal(w->at.mono_ns, START_MONO + 75 * S + 823 * S / RATE);
	assert_int_equal(w->at.utc_ns, START_UTC + 75 * S + 823 * S / RATE);
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
	assert_int_equal(r->latencies[0].columns[1].windows, PHASE_S);
	assert_int_equal(r->latencies[0].columns[0].windows, 135);
	r = report_free(r);
	fixture_remove(&f);
}

static void plant_nothing(struct fixture *f)
{
	fixture_event(f, EVENT_RUN_STARTED, 0, "", "run: started", "");
	fixture_close(f, 10 * S, "stopped", NULL);
}

static void plant_killed(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "eth0");

	fixture_state(f, 0, "eth0", "SLAVE");
	fixture_phase(f, "load", 10 * S, 20 * S);
	for (int64_t i = 0; i <= 30; i++)
		fixture_sample(f, offset, i * S, i, 0);
	fixture_close(f, 0, NULL, "UPDATE phase SET end_mono_ns = NULL");
}

static void plant_one_sample(struct fixture *f)
{
	fixture_sample(f, fixture_offset_series(f, "eth0"), 5 * S, -12, 0);
	fixture_close(f, 5500 * NSEC_PER_MSEC, "stopped", NULL);
}

/* ptp4l was there and never locked: samples, and none that counts. */
static void plant_never_locked(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "eth0");

	fixture_state(f, S, "eth0", "UNCALIBRATED");
	for (int64_t i = 0; i < 20; i++)
		fixture_put(f, offset,
			    &(struct sample){.flags = SAMPLE_UNLOCKED,
					     .missed = 3,
					     .mono_ns = 2 * S + i * S / 8,
					     .value = SAMPLE_UNKNOWN + (i > 0 ? 1 + i : 0),
					     .delay_ns = SAMPLE_UNKNOWN});
	fixture_close(f, 5 * S, "stopped", NULL);
}

/* A grandmaster that feeds TAI as UTC: 37 s, and small noise upon it that must not drown. */
static void plant_37_seconds(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "eth0");

	fixture_state(f, 0, "eth0", "SLAVE");
	for (int64_t i = 0; i < 1000; i++)
		fixture_sample(f, offset, i * S / 8, -37000000000 + (i % 2 ? 3 : -3), 0);
	fixture_close(f, 125 * S, "stopped", NULL);
}

/* Two ports; a phase that came twice, five more than a line holds; a sampler that is not one. */
static void plant_many_columns(struct fixture *f)
{
	static const char *const names[] = {"idle", "load", "a phase with a long name",
					    "load", "cold", "hot"};
	unsigned eth0 = fixture_offset_series(f, "eth0");
	unsigned eth1 = fixture_offset_series(f, "eth1");
	unsigned cpu = fixture_latency_series(f, "cpu 3");

	fixture_state(f, 0, "eth0", "SLAVE");
	fixture_state(f, 0, "eth1", "SLAVE");
	fixture_event(f, EVENT_NOT_REALTIME, 0, "",
		      "latency: SCHED_FIFO refused (Operation not permitted)", "{\"errno\": 1}");
	fixture_event(f, EVENT_SAMPLER_CONDITIONS, 0, "cpu 3", "cpu 3: SCHED_OTHER",
		      "{\"idle_states_held\": true}");
	for (int64_t i = 0; i < 6; i++)
		fixture_phase(f, names[i], i * 10 * S + S, (i + 1) * 10 * S);
	for (int64_t i = 0; i < 60; i++) {
		fixture_sample(f, eth0, i * S, i - 30, 0);
		fixture_sample(f, eth1, i * S + S / 2, 10 * (i - 30), 0);
		fixture_window(f, cpu, i * S, 99, 5000, i == 42 ? 1500 * NSEC_PER_MSEC : 6000);
	}
	fixture_event(f, EVENT_GAP, 33 * S, "", "nothing was recorded",
		      "{\"from_mono_ns\": \"1030000000000\", \"to_mono_ns\": \"1030500000000\"}");
	fixture_close(f, 60 * S, "stopped", NULL);
}

/* At 60 s the wall clock, an hour late until then, is set right. */
static void plant_wall_clock_step(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "eth0");

	fixture_state(f, 0, "eth0", "SLAVE");
	for (int64_t i = 0; i < 120; i++)
		fixture_sample(f, offset, i * S, i == 59 ? 1000 : i == 61 ? 2000 : 1, 0);
	fixture_event(f, EVENT_CLOCK_STEPPED, 60 * S, "", "CLOCK_REALTIME: stepped by 3600 s", "");
	fixture_anchor(f, 60 * S, START_UTC + 3660 * S);
	fixture_close(f, 120 * S, "stopped", NULL);
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
	assert_int_equal(r->offsets[0].columns[0].count, 40 * RATE);
	assert_int_equal(r->offsets[0].columns[1].count, 30 * RATE);
	assert_int_equal(r->offsets[0].columns[2].count, 5 * RATE);
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

static char *read_file(const char *path)
{
	CLEANUP(fclosep) FILE *file = fopen(path, "re");
	struct strbuf text = {0};
	char block[4096];
	size_t n;

	if (!file)
		return strdup("");
	while ((n = fread(block, 1, sizeof(block), file)) > 0)
		strbuf_add_bytes(&text, block, n);
	return strbuf_steal(&text);
}

/* Fails with the first line that differs. */
static void compare(const char *name, const char *suffix, const char *got)
{
	CLEANUP(freep) char *wanted = NULL;
	char path[512];
	size_t line = 1;

	(void)snprintf(path, sizeof(path), "%s/report/%s.%s", getenv("TEST_DATA"), name, suffix);
	if (getenv("TEST_DATA_UPDATE")) {
		CLEANUP(fclosep) FILE *file = fopen(path, "we");

		assert_non_null(file);
		assert_true(fputs(got, file) >= 0);
		return;
	}
	wanted = read_file(path);
	for (const char *g = got, *w = wanted; *g || *w; line++) {
		size_t n = strcspn(g, "\n");

		if (n != strcspn(w, "\n") || strncmp(g, w, n) != 0)
			fail_msg("%s.%s:%zu: got \"%.*s\"", name, suffix, line, (int)n, g);
		g += n + (g[n] != '\0');
		w += n + (w[n] != '\0');
	}
}

static void lines_fit(const char *name, const char *text)
{
	size_t line = 1;

	for (size_t n; *text; text += n, line++) {
		n = strcspn(text, "\n");
		if (n > 80)
			fail_msg("%s: line %zu has %zu columns", name, line, n);
		n += text[n] == '\n';
	}
}

static void text_and_json_are_as_they_were(void **state)
{
	static const struct {
		const char *name, *label;
		void (*plant)(struct fixture *f);
	} rows[] = {
		{"night", "night-3", plant_night},
		{"nothing", NULL, plant_nothing},
		{"killed", NULL, plant_killed},
		{"one-sample", NULL, plant_one_sample},
		{"never-locked", NULL, plant_never_locked},
		{"37-seconds", NULL, plant_37_seconds},
		{"many-columns",
		 "\xfc"
		 "ber",
		 plant_many_columns}, /* a label in Latin-1 */
		{"wall-clock-step", NULL, plant_wall_clock_step},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(strbuf_clear) struct strbuf text = {0};
		CLEANUP(freep) char *json = NULL;
		struct fixture f;
		struct report *r;
		json_t *object;

		fixture_open(&f, rows[i].label);
		rows[i].plant(&f);
		r = fixture_report(&f, NULL);
		report_to_text(r, &text);
		object = report_to_json(r);
		assert_non_null(object);
		json = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
		json_decref(object);
		compare(rows[i].name, "txt", strbuf_text(&text));
		compare(rows[i].name, "json", json);
		lines_fit(rows[i].name, strbuf_text(&text));
		r = report_free(r);
		fixture_remove(&f);
	}
}

static void offsets_are_cautioned_of_by_source(void **state)
{
	static const struct {
		const char *first, *second, *caution, *heading;
	} rows[] = {
		{"pmc", "ptp4l", "Offsets are the input of ptp4l's own servo and so",
		 "Offset from master: eth0 (pmc, local minus master"},
		{"phc2sys", "ts2phc", "Offsets are measured with the same reading that",
		 "Offset from source: eth0 (phc2sys, local minus source"},
		{"ts2phc", "pmc", "Offsets are the input of ptp4l's own servo, or measured with",
		 "Offset from source: eth0 (ts2phc, local minus source"},
	};
	struct fixture f;
	struct report *r;

	fixture_open(&f, NULL);
	plant_many_columns(&f);
	r = fixture_report(&f, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(strbuf_clear) struct strbuf text = {0};

		(void)strcpy(r->offsets[0].series.source, rows[i].first);
		(void)strcpy(r->offsets[1].series.source, rows[i].second);
		report_to_text(r, &text);
		if (!strstr(strbuf_text(&text), rows[i].caution) ||
		    !strstr(strbuf_text(&text), rows[i].heading))
			fail_msg("%s and %s", rows[i].first, rows[i].second);
	}
	r = report_free(r);
	fixture_remove(&f);
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

/* clang-format off */
static const struct limits long_limits = {
	.name = "a-preset-with-a-name-of-many-words", .edition = "the edition of a standard, 2026",
	.about = "a clock of the last class that there is, constant temperature, within a chain",
	.provenance = "what was read of them in a paper that is open to all", .n_masks = 1,
	.masks = { { MASK_MAX_TE, MASK_UNFILTERED, "max|TE|", "s", 1, { { 0, INFINITY, true, true, 0, 70 } } } },
};
/* clang-format on */

/* Names as long as a record takes, and latencies and offsets with many digits, in five columns. */
static struct report *record_wide(struct fixture *f, const char *port)
{
	struct report_request request = {
		.since_mono_ns = TIME_UNKNOWN,
		.until_mono_ns = TIME_UNKNOWN,
		.limits = &long_limits,
	};
	unsigned offset;
	unsigned cpu;

	fixture_open(f, NULL);
	offset = fixture_offset_series(f, port);
	cpu = fixture_latency_series(f, "cpu 1023");
	fixture_state(f, 0, port, "SLAVE");
	fixture_event(f, EVENT_NOT_REALTIME, 0, "cpu 1023",
		      "latency: cpu 1023: NOT REAL-TIME: SCHED_FIFO refused (Operation not "
		      "permitted), memory not locked (Cannot allocate memory)",
		      "{}");
	fixture_phase(f, "idle", 0, 300 * S);
	fixture_phase(f, "load-of-disks-in-a-phase-whose-name-takes-all-of-the-63-octets", 300 * S,
		      600 * S);
	fixture_phase(f, "cold", 600 * S, 900 * S);
	fixture_phase(f, "hot", 900 * S, 1200 * S);
	for (int64_t i = 0; i < 9600; i++)
		fixture_sample(f, offset, i * S / 8, shuffled(i) * 50 - 1, 0);
	for (int64_t i = 0; i < 1200; i++)
		fixture_window(f, cpu, i * S, 99, 118203 + i * i * 997 % 700000, 999999 - i);
	fixture_close(f, 1200 * S, "stopped", NULL);
	return fixture_report(f, &request);
}

static void wide_figures_stay_within_the_page(void **state)
{
	static const char port[] = "a-port-whose-name-takes-all-of-the-47-octets-00";
	CLEANUP(strbuf_clear) struct strbuf text = {0};
	struct fixture f;
	struct report *r = record_wide(&f, port);

	report_to_text(r, &text);
	lines_fit("wide", strbuf_text(&text));
	assert_non_null(strstr(strbuf_text(&text), port));
	assert_non_null(strstr(strbuf_text(&text), "constant temperature, within a chain)\n"));
	assert_non_null(strstr(strbuf_text(&text), "(Cannot allocate memory)\n"));
	assert_non_null(strstr(strbuf_text(&text), " cpu 1023\n"));    /* beside an offset */
	assert_non_null(strstr(strbuf_text(&text), " ns a-port-w\n")); /* beside a wake-up */
	r = report_free(r);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(night_has_what_was_planted),
		cmocka_unit_test(worst_moments_meet_on_one_axis),
		cmocka_unit_test(one_sample_supports_nothing),
		cmocka_unit_test(large_offsets_keep_their_noise),
		cmocka_unit_test(a_step_moves_the_wall_clock_only),
		cmocka_unit_test(an_end_that_is_missing_is_told_apart),
		cmocka_unit_test(a_run_is_read_while_it_is_written),
		cmocka_unit_test(a_scope_is_looked_at_alone),
		cmocka_unit_test(declared_and_found_gaps_are_not_counted_twice),
		cmocka_unit_test(emptiness_is_noticed),
		cmocka_unit_test(text_and_json_are_as_they_were),
		cmocka_unit_test(offsets_are_cautioned_of_by_source),
		cmocka_unit_test(what_a_sampler_did_not_tell_is_null),
		cmocka_unit_test(wide_figures_stay_within_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
