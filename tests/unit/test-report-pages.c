/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is printed of runs that were planted: the whole of text and JSON as in tests/data/report,
 * within 80 columns. With TEST_DATA_UPDATE set these files are written instead.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/json.h"
#include "ptpmon/report/text.h"
#include "report_plants.h"

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
		{"summaries", NULL, plant_summaries},
		{"phcs", NULL, plant_phcs},
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
		fixture_sample(f, offset, i * S / 8, plant_shuffled(i) * 50 - 1, 0);
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
		cmocka_unit_test(text_and_json_are_as_they_were),
		cmocka_unit_test(offsets_are_cautioned_of_by_source),
		cmocka_unit_test(wide_figures_stay_within_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
