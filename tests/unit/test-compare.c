/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two planted runs side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/compare.h"
#include "report_fixture.h"

#define RT_KERNEL "6.1.0-18-rt-amd64 #1 SMP PREEMPT_RT Debian 6.1.76-1"
#define KERNEL    "6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1"

/* A night of 20 minutes, idle and load; offsets are `factor` times the same noise. */
struct night {
	const char *port, *kernel, *second_phase, *configuration, *board;
	int64_t factor, worst_latency;
	bool idle_held;
	const char *phc; /* NULL: none, and no phc2sys */
	int64_t phc_factor;
};

static const struct night good = {
	.port = "eth0",
	.kernel = RT_KERNEL,
	.second_phase = "load",
	.configuration = "[ptp4l]\ndomain = 0\nfifo_priority = 70\n",
	.board = "{\"governor\": \"performance\", \"isolated\": [2, 3]}",
	.factor = 10,
	.worst_latency = 40000,
};

/* What was measured of the system clock against its PHC, and what phc2sys claims of that. */
static void plant_phc(struct fixture *f, const struct night *night, uint64_t seed)
{
	unsigned own = fixture_series(f, SERIES_SYS_MINUS_PHC, "phc", night->phc);
	unsigned claim = fixture_series(f, SERIES_PHC2SYS, "phc2sys", "CLOCK_REALTIME");

	for (int64_t i = 0; i < 1200; i++) {
		int64_t noise;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		noise = (int64_t)(seed >> 57) - 64;
		fixture_sample(f, own, i * S, night->phc_factor * noise, 0);
		fixture_sample(f, claim, i * S, noise, 0);
	}
}

static struct report *record(const struct night *night, uint64_t seed)
{
	struct fixture f;
	struct report *r;
	unsigned offset;
	unsigned cpu;

	fixture_open(&f, "night");
	offset = fixture_offset_series(&f, night->port);
	cpu = fixture_latency_series(&f, "cpu 0");
	fixture_state(&f, 0, night->port, "SLAVE");
	fixture_event(&f, EVENT_SAMPLER_CONDITIONS, 0, "cpu 0", "cpu 0: SCHED_FIFO 98",
		      night->idle_held ? "{\"idle_states_held\": true}"
				       : "{\"idle_states_held\": false}");
	fixture_phase(&f, "idle", 0, 600 * S);
	fixture_phase(&f, night->second_phase, 600 * S, 1200 * S);
	for (int64_t i = 0; i < 2400; i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		fixture_sample(&f, offset, i * S / 2, night->factor * ((int64_t)(seed >> 57) - 64),
			       0);
	}
	for (int64_t i = 0; i < 1200; i++)
		fixture_window(&f, cpu, i * S, 99, 5000, night->worst_latency + i % 7 * 100);
	if (night->phc)
		plant_phc(&f, night, seed);
	fixture_close(&f, 1200 * S, "stopped", NULL);
	r = fixture_report(&f, NULL);
	(void)snprintf(r->run.kernel, sizeof(r->run.kernel), "%s", night->kernel);
	fixture_remove(&f);
	return r;
}

struct pair {
	struct report *a, *b;
	struct compare *c;
};

static struct pair compare(const struct night *a, const struct night *b)
{
	struct pair p = {.a = record(a, 88172645463325252), .b = record(b, 362436069362436069)};

	assert_int_equal(compare_build(&p.c,
				       &(struct compare_side){p.a, a->configuration, a->board},
				       &(struct compare_side){p.b, b->configuration, b->board}),
			 0);
	return p;
}

static void pair_clear(struct pair *p)
{
	p->c = compare_free(p->c);
	p->a = report_free(p->a);
	p->b = report_free(p->b);
}

static const struct compare_row *find(const struct compare *c, const char *column,
				      const char *figure, enum compare_kind kind, int64_t tau_ns)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (strcmp(c->rows[i].column, column) == 0 &&
		    strcmp(c->rows[i].figure, figure) == 0 && c->rows[i].kind == kind &&
		    c->rows[i].tau_ns == tau_ns)
			return &c->rows[i];
	fail_msg("no %s in %s", figure, column);
	return NULL;
}

static const struct compare_difference *differs(const struct compare *c, const char *what)
{
	for (size_t i = 0; i < c->n_differences; i++)
		if (strcmp(c->differences[i].what, what) == 0)
			return &c->differences[i];
	return NULL;
}

static void two_nights_alike_differ_by_chance(void **state)
{
	CLEANUP(pair_clear) struct pair p = compare(&good, &good);

	assert_int_equal(p.c->n_alerts, 0);
	assert_int_equal(p.c->n_differences, 0);
	assert_false(compare_is_bad(p.c));
	assert_int_equal(find(p.c, "all", "99 %", COMPARE_OFFSET, 0)->verdict, COMPARE_EQUAL);
	assert_int_equal(find(p.c, "load", "50 %", COMPARE_OFFSET, 0)->verdict, COMPARE_EQUAL);
	assert_int_equal(find(p.c, "idle", "TDEV", COMPARE_OFFSET, S)->verdict, COMPARE_EQUAL);
	assert_int_equal(find(p.c, "all", "max", COMPARE_OFFSET, 0)->verdict, COMPARE_UNKNOWN);
	assert_int_equal(find(p.c, "all", "MTIE", COMPARE_OFFSET, 16 * S)->verdict,
			 COMPARE_UNKNOWN);
}

static void what_is_worse_is_worse_the_other_way_round_better(void **state)
{
	struct night bad = good;

	bad.factor = 20;
	for (int i = 0; i < 2; i++) {
		CLEANUP(pair_clear)
		struct pair p = compare(i == 0 ? &good : &bad, i == 0 ? &bad : &good);
		enum compare_verdict expected = i == 0 ? COMPARE_WORSE : COMPARE_BETTER;

		assert_int_equal(find(p.c, "all", "50 %", COMPARE_OFFSET, 0)->verdict, expected);
		assert_int_equal(find(p.c, "load", "99 %", COMPARE_OFFSET, 0)->verdict, expected);
		assert_int_equal(find(p.c, "all", "TDEV", COMPARE_OFFSET, S)->verdict, expected);
		assert_int_equal(compare_is_bad(p.c), i == 0);
	}
}

static size_t count_kind(const struct compare *c, enum compare_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_rows; i++)
		n += c->rows[i].kind == kind;
	return n;
}

static void the_system_clock_stands_beside_where_both_have_it(void **state)
{
	static const struct {
		const char *name, *phc;
		int64_t factor;
		bool compared;
		enum compare_verdict measured;
	} rows[] = {
		{"the same", "ptp0", 1, true, COMPARE_EQUAL},
		{"worse", "ptp0", 9, true, COMPARE_WORSE},
		{"the only one, by another name", "ptp3", 9, true, COMPARE_WORSE},
		{"without a PHC", NULL, 0, false, COMPARE_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct night a = good;
		struct night b = good;
		CLEANUP(strbuf_clear) struct strbuf text = {0};

		a.phc = "ptp0";
		a.phc_factor = 1;
		b.phc = rows[i].phc;
		b.phc_factor = rows[i].factor;
		{
			CLEANUP(pair_clear) struct pair p = compare(&a, &b);

			compare_to_text(p.c, &text);
			if ((count_kind(p.c, COMPARE_PHC) > 0) != rows[i].compared ||
			    count_kind(p.c, COMPARE_PHC) != count_kind(p.c, COMPARE_PHC2SYS) ||
			    !strstr(strbuf_text(&text), "|system - PHC| 50 %") == rows[i].compared)
				fail_msg("%s: %s", rows[i].name, strbuf_text(&text));
			if (!rows[i].compared)
				continue;
			assert_int_equal(find(p.c, "all", "50 %", COMPARE_PHC, 0)->verdict,
					 rows[i].measured);
			assert_int_equal(find(p.c, "load", "50 %", COMPARE_PHC2SYS, 0)->verdict,
					 COMPARE_EQUAL);
			assert_string_equal(find(p.c, "all", "50 %", COMPARE_PHC, 0)->subject,
					    "ptp0");
		}
	}
}

static void a_lost_real_time_kernel_is_told_first(void **state)
{
	struct night bad = good;
	CLEANUP(strbuf_clear) struct strbuf text = {0};

	bad.kernel = KERNEL;
	bad.worst_latency = 900000;
	for (int i = 0; i < 2; i++) {
		CLEANUP(pair_clear)
		struct pair p = compare(i == 0 ? &good : &bad, i == 0 ? &bad : &good);
		const char *told;

		assert_int_equal(p.c->n_alerts, 1);
		assert_non_null(strstr(p.c->alerts[0], "DID NOT RUN A REAL-TIME KERNEL"));
		assert_int_equal(p.c->alerts[0][0], i == 0 ? 'B' : 'A');
		assert_non_null(differs(p.c, "kernel"));
		assert_true(compare_is_bad(p.c));
		strbuf_clear(&text);
		compare_to_text(p.c, &text);
		for (const char *line = strbuf_text(&text); *line; line += strcspn(line, "\n") + 1)
			assert_in_range(strcspn(line, "\n"), 0, 80);
		assert_non_null(strstr(strbuf_text(&text), "Debian 6.1.76-1\n\n  "));
		told = strstr(strbuf_text(&text), "REAL-TIME KERNEL");
		assert_true(told && told < strstr(strbuf_text(&text), "run 1"));
	}
}

/* A night with a kernel that surely is real-time, against each of these. */
static void a_real_time_kernel_is_known_by_its_version(void **state)
{
	static const struct {
		const char *name, *kernel, *board;
		size_t n_alerts;
	} rows[] = {
		{"patch unused", "6.6.36-rt35 #1 SMP PREEMPT Tue Jul 2 2024", "{}", 1},
		{"patch unused, dynamic", "6.6.36-rt35 #1 SMP PREEMPT_DYNAMIC Debian", "{}", 1},
		{"patch used", "6.6.36-rt35 #1 SMP PREEMPT_RT Tue Jul 2 2024", "{}", 0},
		{"old words", "4.19.0-rt1 #1 SMP PREEMPT RT Debian", "{}", 0},
		{"mainline", "6.12.5 #1 SMP PREEMPT_RT Debian", "{}", 0},
		{"release only", "6.6.36-rt35", "{}", 0},
		{"release says nothing", "6.6.36-rtl8188", "{}", 0},
		{"the kernel says no", "6.6.36-rt35 #1 SMP PREEMPT_RT",
		 "{\"realtime_kernel\": \"0\"}", 1},
		{"the kernel says yes", "6.6.36 #1 SMP PREEMPT", "{\"realtime_kernel\": \"1\"}", 0},
		{"the board says nothing of use", "6.6.36 #1 SMP PREEMPT",
		 "{\"realtime_kernel\": 1}", 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct night other = good;

		other.kernel = rows[i].kernel;
		other.board = rows[i].board;
		CLEANUP(pair_clear) struct pair p = compare(&good, &other);

		if (p.c->n_alerts != rows[i].n_alerts)
			fail_msg("%s: %zu alerts", rows[i].name, p.c->n_alerts);
		if (p.c->n_alerts && !strstr(p.c->alerts[0], "B DID NOT RUN A REAL-TIME KERNEL"))
			fail_msg("%s: %s", rows[i].name, p.c->alerts[0]);
	}
}

static void differences_of_the_boards_are_listed(void **state)
{
	struct night other = good;
	const struct compare_difference *d;

	other.configuration = "[ptp4l]\ndomain = 7\n[phc2sys]\non = yes\n";
	other.board = "{\"governor\": \"ondemand\", \"isolated\": [2, 3], \"cmdline\": \"quiet\"}";
	other.idle_held = true;
	CLEANUP(pair_clear) struct pair p = compare(&good, &other);

	assert_int_equal(p.c->n_differences, 6);
	d = differs(p.c, "[ptp4l] domain");
	assert_true(d && strcmp(d->a, "0") == 0 && strcmp(d->b, "7") == 0);
	d = differs(p.c, "[ptp4l] fifo_priority");
	assert_true(d && strcmp(d->a, "70") == 0 && strcmp(d->b, "-") == 0);
	d = differs(p.c, "[phc2sys] on");
	assert_true(d && strcmp(d->a, "-") == 0 && strcmp(d->b, "yes") == 0);
	d = differs(p.c, "board: governor");
	assert_true(d && strcmp(d->a, "performance") == 0 && strcmp(d->b, "ondemand") == 0);
	assert_non_null(differs(p.c, "board: cmdline"));
	assert_non_null(differs(p.c, "cpu 0: idle states"));
	assert_int_equal(p.c->n_alerts, 1); /* latency does not compare */
}

static void a_sampler_that_told_nothing_is_not_compared(void **state)
{
	CLEANUP(pair_clear) struct pair p = compare(&good, &good);

	p.a->latencies[0].not_realtime = true;
	for (int known = 1; known >= 0; known--) {
		p.b->latencies[0].realtime_known = known;
		p.c = compare_free(p.c);
		assert_int_equal(compare_build(&p.c, &(struct compare_side){p.a, "", "{}"},
					       &(struct compare_side){p.b, "", "{}"}),
				 0);
		assert_int_equal(!!differs(p.c, "cpu 0: real-time"), known);
		assert_int_equal(p.c->n_alerts, known);
	}
}

/* Whatever is there is compared: no common phase, other ports, texts that are nothing. */
static void odd_pairs_are_drawn(void **state)
{
	struct night other = good;
	CLEANUP(strbuf_clear) struct strbuf text = {0};
	json_t *json;

	other.port = "eth7";
	other.second_phase = "cold";
	other.kernel = "";
	other.configuration = "= \n[\n[x\n = = =\nno end";
	other.board = "[1, 2";
	CLEANUP(pair_clear) struct pair p = compare(&good, &other);

	assert_int_equal(find(p.c, "idle", "50 %", COMPARE_OFFSET, 0)->verdict, COMPARE_EQUAL);
	for (size_t i = 0; i < p.c->n_rows; i++)
		assert_string_not_equal(p.c->rows[i].column, "load");
	p.b->from.utc_uncertain = true; /* a clock that was set later */
	compare_to_text(p.c, &text);
	assert_non_null(strbuf_text(&text));
	assert_non_null(strstr(strbuf_text(&text), "Z?, "));
	for (const char *line = strbuf_text(&text); *line; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 0, 80);
	json = compare_to_json(p.c);
	assert_non_null(json);
	assert_string_equal(json_string_value(json_object_get(json, "schema")), "ptpmon.compare/1");
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_nights_alike_differ_by_chance),
		cmocka_unit_test(what_is_worse_is_worse_the_other_way_round_better),
		cmocka_unit_test(the_system_clock_stands_beside_where_both_have_it),
		cmocka_unit_test(a_lost_real_time_kernel_is_told_first),
		cmocka_unit_test(a_real_time_kernel_is_known_by_its_version),
		cmocka_unit_test(differences_of_the_boards_are_listed),
		cmocka_unit_test(a_sampler_that_told_nothing_is_not_compared),
		cmocka_unit_test(odd_pairs_are_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
