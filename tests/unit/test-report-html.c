/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a report: its figures, its charts, and what it makes of text from outside. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/chart.h"
#include "ptpmon/report/figure.h"
#include "ptpmon/report/html.h"
#include "ptpmon/report/json.h"
#include "ptpmon/report/plot.h"
#include "report_plants.h"

enum { DEPTH_MAX = 32, TAG_MAX = 32, CELLS_MAX = 8, WIDE_LEFT = 78, NARROW_LEFT = 66 };
enum { NARROW_COLUMNS = 320 };

static struct report *plotted(const struct fixture *f)
{
	const struct report_request request = {
		.since_mono_ns = TIME_UNKNOWN,
		.until_mono_ns = TIME_UNKNOWN,
		.role = "slave",
		.plot = true,
	};

	return fixture_report(f, &request);
}

static char *page_of(const struct report *r)
{
	struct strbuf text = {0};

	report_to_html(r, &text);
	return strbuf_steal(&text);
}

/* The page of a plant; and of nothing else. */
static char *page_of_plant(const char *label, void (*plant)(struct fixture *f))
{
	struct fixture f;
	struct report *r;
	char *page;

	fixture_open(&f, label);
	plant(&f);
	r = plotted(&f);
	page = page_of(r);
	assert_non_null(page);
	(void)report_free(r);
	fixture_remove(&f);
	return page;
}

/* Each element ends where it must, as XML wants it. */
static void is_balanced(const char *name, const char *text)
{
	char open[DEPTH_MAX][TAG_MAX];
	size_t depth = 0;

	for (; (text = strchr(text, '<')); text++) {
		const char *end = strchr(text, '>');
		bool closes = text[1] == '/';
		char tag[TAG_MAX];

		assert_non_null(end);
		if (text[1] == '!' || text[1] == '?' || end[-1] == '/')
			continue;
		(void)snprintf(tag, sizeof(tag), "%.*s", (int)strcspn(text + 1 + closes, " >"),
			       text + 1 + closes);
		if (!closes) {
			assert_true(depth < DEPTH_MAX);
			memcpy(open[depth++], tag, sizeof(tag));
		} else if (depth == 0 || strcmp(open[--depth], tag) != 0) {
			fail_msg("%s: </%s> closes <%s>", name, tag, depth ? open[depth] : "");
		}
	}
	assert_int_equal(depth, 0);
}

static size_t occurrences(const char *text, const char *of)
{
	size_t n = 0;

	for (; (text = strstr(text, of)); text += strlen(of))
		n++;
	return n;
}

static void every_plant_has_a_page(void **state)
{
	static const struct {
		const char *name;
		void (*plant)(struct fixture *f);
		const char *says;
	} rows[] = {
		{"night", plant_night, "NOT JUDGED"},
		{"nothing", plant_nothing, "NO SAMPLES"},
		{"killed", plant_killed, "not ended: killed"},
		{"one sample", plant_one_sample, "class=\"dot\""},
		{"never locked", plant_never_locked, "not in SLAVE"},
		{"37 seconds", plant_37_seconds, "37 s"},
		{"many columns", plant_many_columns, "NOT REAL-TIME"},
		{"wall clock step", plant_wall_clock_step, "since the start of what is shown"},
		{"summaries", plant_summaries, "the single offsets were not logged"},
		{"phcs", plant_phcs, "as phc2sys claims"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(freep) char *page = page_of_plant(rows[i].name, rows[i].plant);

		is_balanced(rows[i].name, page);
		if (!strstr(page, rows[i].says))
			fail_msg("%s: no \"%s\"", rows[i].name, rows[i].says);
		assert_null(strstr(page, "<script"));
		assert_null(strstr(page, "href"));
		assert_null(strstr(page, "src="));
		assert_null(strstr(page, "nan"));
		assert_null(strstr(page, "\"inf"));
		assert_int_equal(occurrences(page, "<svg"), occurrences(page, "role=\"img\""));
		assert_int_equal(occurrences(page, "<svg"), occurrences(page, "<desc id="));
	}
}

/* A point of the n-th path of that class: the one furthest up. */
static double x_of_top(const char *svg, const char *class, size_t n)
{
	char begin[64];
	double best_y = INFINITY;
	double best_x = NAN;

	(void)snprintf(begin, sizeof(begin), "<path class=\"%s\" d=\"", class);
	do {
		svg = strstr(svg, begin);
		assert_non_null(svg);
		svg += strlen(begin);
	} while (n-- > 0);
	while (*svg == 'M' || *svg == 'L') {
		char *end;
		double x = strtod(svg + 1, &end);
		double y = strtod(end, &end);

		if (y < best_y) {
			best_y = y;
			best_x = x;
		}
		svg = end;
	}
	return best_x;
}

enum { QUIET_S = 36000, SPIKE_S = 22937, LATE_S = 4321 };

/* Ten hours of nothing much, one offset that lasted for a sample and one late wake-up. */
static void plant_spikes(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "eth0");
	unsigned cpu = fixture_latency_series(f, "cpu 0");

	fixture_state(f, 0, "eth0", "SLAVE");
	for (int64_t i = 0; i < QUIET_S; i++) {
		fixture_sample(f, offset, i * S, i == SPIKE_S ? 4000 : i % 11 - 5, 0);
		if (i % 4 == 0 || i == LATE_S)
			fixture_window(f, cpu, i * S, 999, 5000, i == LATE_S ? 250000 : 9000);
	}
	fixture_close(f, QUIET_S * S, "stopped", NULL);
}

static void no_spike_is_lost(void **state)
{
	static const struct {
		bool wide;
		int left, columns;
	} rows[] = {{true, WIDE_LEFT, PLOT_COLUMNS}, {false, NARROW_LEFT, NARROW_COLUMNS}};
	struct fixture f;
	struct report *r;

	fixture_open(&f, NULL);
	plant_spikes(&f);
	r = plotted(&f);
	for (size_t i = 0; i < 2; i++) {
		CLEANUP(strbuf_clear) struct strbuf svg = {0};
		struct chart chart = {.report = r, .kind = CHART_TIME};
		int spike = SPIKE_S * rows[i].columns / QUIET_S; /* columns of pixels */
		int late = LATE_S * rows[i].columns / QUIET_S;
		double middle = rows[i].left + 0.5; /* of the first */

		chart_draw(&chart, rows[i].wide, true, &svg);
		/* narrow columns are made of wide ones, whose edges are not theirs */
		assert_true(fabs(x_of_top(strbuf_text(&svg), "env", 0) - middle - spike) <=
			    !rows[i].wide);
		assert_true(fabs(x_of_top(strbuf_text(&svg), "env", 1) - middle - late) <=
			    !rows[i].wide);
		assert_non_null(strstr(strbuf_text(&svg), ">4000 ns<"));
		assert_non_null(strstr(strbuf_text(&svg), ">250.0 us<"));
	}
	r = report_free(r);
	fixture_remove(&f);
}

/* The cells of the n-th row of that name. */
static size_t cells_of(const char *page, const char *name, size_t n,
		       char cells[CELLS_MAX][FIGURE_MAX])
{
	char begin[128];
	size_t found = 0;

	(void)snprintf(begin, sizeof(begin), "<th scope=\"row\">%s</th>", name);
	do {
		page = strstr(page, begin);
		if (!page)
			fail_msg("no row \"%s\"", name);
		page += strlen(begin);
	} while (n-- > 0);
	while (strncmp(page, "<td>", 4) == 0 && found < CELLS_MAX) {
		size_t len = strcspn(page + 4, "<");

		(void)snprintf(cells[found++], FIGURE_MAX, "%.*s", (int)len, page + 4);
		page += 4 + len + strlen("</td>");
	}
	return found;
}

/* How a row of the page is told from JSON. */
struct told {
	const char *row, *object, *member; /* object NULL: of the column itself */
	enum { OFFSET, LATENCY, MEAN, COUNT } how;
};

static void write_told(const struct told *t, const json_t *column, char out[static FIGURE_MAX])
{
	const json_t *in = t->object ? json_object_get(column, t->object) : column;
	const json_t *value = json_object_get(in, t->member);

	assert_non_null(value);
	if (json_is_null(value))
		(void)strcpy(out, "-");
	else if (t->how == OFFSET)
		(void)figure_offset(json_integer_value(value), out);
	else if (t->how == LATENCY)
		(void)figure_latency(json_integer_value(value), out);
	else if (t->how == MEAN)
		(void)figure_mean(json_real_value(value), out);
	else
		(void)snprintf(out, FIGURE_MAX, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
}

/* A refused percentile stands as "- (N)". */
static void compare_rows(const char *page, const json_t *series, size_t nth,
			 const struct told *rows, size_t n)
{
	const json_t *columns = json_object_get(series, "columns");

	for (size_t i = 0; i < n; i++) {
		char cells[CELLS_MAX][FIGURE_MAX] = {0};

		assert_int_equal(cells_of(page, rows[i].row, nth, cells), json_array_size(columns));
		for (size_t c = 0; c < json_array_size(columns); c++) {
			char wanted[FIGURE_MAX];

			write_told(&rows[i], json_array_get(columns, c), wanted);
			if (strcmp(wanted, "-") == 0)
				assert_true(cells[c][0] == '-');
			else
				assert_string_equal(cells[c], wanted);
		}
	}
}

static void compare_taus(const char *page, const json_t *offset)
{
	const json_t *columns = json_object_get(offset, "columns");
	const json_t *taus =
		json_object_get(json_object_get(json_array_get(columns, 0), "wander"), "taus");

	assert_true(json_array_size(taus) > 3);
	for (size_t i = 0; i < json_array_size(taus); i++) {
		const json_t *t = json_array_get(taus, i);
		const json_t *mtie = json_object_get(t, "mtie_ns");
		const json_t *tdev = json_object_get(t, "tdev_ns");
		char cells[CELLS_MAX][FIGURE_MAX];
		char tau[FIGURE_MAX];
		char wanted[FIGURE_MAX];

		(void)figure_tau(json_integer_value(json_object_get(t, "tau_ns")), tau);
		assert_true(cells_of(page, tau, 0, cells) >= 2);
		assert_string_equal(
			cells[0],
			figure_wander(json_is_null(mtie) ? NAN : json_number_value(mtie), wanted));
		assert_string_equal(
			cells[1],
			figure_wander(json_is_null(tdev) ? NAN : json_number_value(tdev), wanted));
	}
}

static void figures_are_those_of_json(void **state)
{
	static const struct told offset_rows[] = {
		{"samples", NULL, "count", COUNT},
		{"|offset| 50 %", "abs", "p50_ns", OFFSET},
		{"|offset| 99 %", "abs", "p99_ns", OFFSET},
		{"|offset| 99.9 %", "abs", "p99_9_ns", OFFSET},
		{"|offset| 99.99 %", "abs", "p99_99_ns", OFFSET},
		{"|offset| max", NULL, "abs_max_ns", OFFSET},
		{"signed min", NULL, "min_ns", OFFSET},
		{"signed max", NULL, "max_ns", OFFSET},
		{"signed mean", NULL, "mean_ns", MEAN},
		{"signed std dev", NULL, "stddev_ns", MEAN},
		{"path delay 50 %", NULL, "delay_p50_ns", OFFSET},
		{"state changes", NULL, "state_changes", COUNT},
		{"gaps", NULL, "gaps", COUNT},
		{"updates missed", NULL, "missed", COUNT},
	};
	static const struct told latency_rows[] = {
		{"wake-ups", NULL, "count", COUNT},
		{"latency min", NULL, "min_ns", LATENCY},
		{"latency avg", NULL, "avg_ns", LATENCY},
		{"latency 50 %", "value", "p50_ns", LATENCY},
		{"latency 99 %", "value", "p99_ns", LATENCY},
		{"latency 99.9 %", "value", "p99_9_ns", LATENCY},
		{"latency 99.99 %", "value", "p99_99_ns", LATENCY},
		{"latency max", NULL, "max_ns", LATENCY},
		{"periods missed", NULL, "missed", COUNT},
	};
	CLEANUP(freep) char *page = NULL;
	json_auto_t *json = NULL;
	struct fixture f;
	struct report *r;
	json_t *latencies;

	fixture_open(&f, "night");
	plant_night(&f);
	r = plotted(&f);
	page = page_of(r);
	json = report_to_json(r);
	assert_non_null(strstr(page, r->headline));
	compare_rows(page, json_array_get(json_object_get(json, "offsets"), 0), 0, offset_rows,
		     sizeof(offset_rows) / sizeof(offset_rows[0]));
	compare_taus(page, json_array_get(json_object_get(json, "offsets"), 0));
	latencies = json_object_get(json, "latencies");
	assert_int_equal(json_array_size(latencies), 2);
	for (size_t i = 0; i < json_array_size(latencies); i++)
		compare_rows(page, json_array_get(latencies, i), i, latency_rows,
			     sizeof(latency_rows) / sizeof(latency_rows[0]));
	r = report_free(r);
	fixture_remove(&f);
}

static void plant_hostile(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "\"><script>alert(1)</script>");
	unsigned cpu = fixture_latency_series(f, "cpu 0<script>");

	fixture_state(f, 0, "\"><script>alert(1)</script>", "SLAVE");
	fixture_phase(f, "</text><script>", 0, 50 * S);
	for (int64_t i = 0; i < 100; i++) {
		fixture_sample(f, offset, i * S, i, 0);
		fixture_window(f, cpu, i * S, 999, 5000, 9000);
	}
	fixture_event(f, EVENT_LINK_DOWN, 3 * S, "eth0", "<script> & \xff\xfe \x01 ]]> --> '\"",
		      "");
	fixture_close(f, 100 * S, "<script>",
		      "insert into mark (run, mono_ns, text, who) values (1, 1005000000000, "
		      "'<script>\xef\xbf\xbf''\"&', '<b>');"
		      "update run set board = '{\"<script>\": \"</td><script>&\", \"n\": [1, "
		      "\"\\u0001<\"]}', label = '<script>alert(\"x\")</script>'");
}

static void text_from_outside_is_text(void **state)
{
	CLEANUP(freep) char *page = page_of_plant("<script>", plant_hostile);

	is_balanced("hostile", page);
	assert_null(strstr(page, "<script"));
	assert_null(strstr(page, "<b>&"));
	assert_null(strchr(page, '\x01'));
	assert_null(strchr(page, '\xff'));
	assert_null(strstr(page, "\xef\xbf\xbf"));
	assert_non_null(strstr(page, "(&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;)"));
	assert_non_null(strstr(page, "&lt;/td&gt;&lt;script&gt;&amp;"));
	assert_non_null(strstr(page, "id=\"offset-___script_alert_1___script_-w-t\""));
}

static void charts_of_two_ports_have_names_of_their_own(void **state)
{
	CLEANUP(freep) char *page = page_of_plant(NULL, plant_many_columns);

	assert_int_equal(occurrences(page, "id=\"offset-eth0-1-w-t\""), 1);
	assert_int_equal(occurrences(page, "id=\"offset-eth1-2-w-t\""), 1);
}

static void without_latency_there_is_no_chart_of_it(void **state)
{
	struct fixture f;
	struct report *r;

	fixture_open(&f, NULL);
	plant_37_seconds(&f);
	r = plotted(&f);
	assert_false(chart_exists(&(struct chart){.report = r, .kind = CHART_LATENCY}));
	assert_true(chart_exists(&(struct chart){.report = r, .kind = CHART_TIME}));
	r = report_free(r);
	fixture_remove(&f);
	fixture_open(&f, NULL);
	plant_nothing(&f);
	r = plotted(&f);
	for (enum chart_kind kind = 0; kind < CHART_KIND_MAX; kind++)
		assert_false(chart_exists(&(struct chart){.report = r, .kind = kind}));
	r = report_free(r);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_plant_has_a_page),
		cmocka_unit_test(no_spike_is_lost),
		cmocka_unit_test(figures_are_those_of_json),
		cmocka_unit_test(text_from_outside_is_text),
		cmocka_unit_test(charts_of_two_ports_have_names_of_their_own),
		cmocka_unit_test(without_latency_there_is_no_chart_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
