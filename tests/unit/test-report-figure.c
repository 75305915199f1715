/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/model/sample.h"
#include "ptpmon/model/timemap.h"
#include "ptpmon/report/figure.h"

static void expect(const char *got, const char *wanted)
{
	if (strcmp(got, wanted) != 0)
		fail_msg("\"%s\", not \"%s\"", got, wanted);
}

static void offsets_change_their_unit(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} rows[] = {
		{0, "0 ns"},
		{-8, "-8 ns"},
		{99999, "99999 ns"},
		{100000, "100.000 us"},
		{-123456, "-123.456 us"},
		{12345678, "12.346 ms"},
		{37000000012, "37.000 s"},
		{-37000000000, "-37.000 s"},
		{INT64_C(1600000000123456789), "1600000000 s"},
		{INT64_MAX, "9223372037 s"},
		{SAMPLE_UNKNOWN, "-"},
	};
	char out[FIGURE_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(figure_offset(rows[i].ns, out), rows[i].text);
}

static void latencies_are_in_microseconds(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} rows[] = {
		{0, "0 ns"},           {850, "850 ns"},         {1000, "1.0 us"},
		{118203, "118.2 us"},  {10120000, "10.120 ms"}, {1500000000, "1.500 s"},
		{SAMPLE_UNKNOWN, "-"},
	};
	char out[FIGURE_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(figure_latency(rows[i].ns, out), rows[i].text);
}

static void intervals_fit_into_a_column(void **state)
{
	static const struct {
		int64_t low_ns, high_ns;
		const char *offsets, *latencies;
	} rows[] = {
		{SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, "-", "-"},
		{960, SAMPLE_UNKNOWN, "> 960 ns", "> 960 ns"},
		{118203, SAMPLE_UNKNOWN, "> 118.203 us", "> 118.2 us"},
		{SAMPLE_UNKNOWN, 800, "0..800 ns", "0..800 ns"},
		{960, 1200, "960..1200 ns", "1.0..1.2 us"},
		{9990, 9999, "9990..9999 ns", "10.0..10.0 us"},
		{9000, 12345, "9.0..12.3 us", "9.0..12.3 us"},
		{90100, 99949, "90.1..99.9 us", "90.1..99.9 us"},
		{90100, 99950, "90..100 us", "90..100 us"},
		{118203, 999999, "118..1000 us", "118..1000 us"},
		{1200000, 37000000, "1.2..37.0 ms", "1.2..37.0 ms"},
		{36999999997, 37000000003, "37.0..37.0 s", "37.0..37.0 s"},
	};
	char out[FIGURE_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		expect(figure_between_offsets(rows[i].low_ns, rows[i].high_ns, out),
		       rows[i].offsets);
		expect(figure_between_latencies(rows[i].low_ns, rows[i].high_ns, out),
		       rows[i].latencies);
		assert_in_range(strlen(out), 1, 13);
	}
}

static void means_have_a_tenth(void **state)
{
	char out[FIGURE_MAX];

	expect(figure_mean(0.25, out), "0.3 ns");
	expect(figure_mean(-0.01, out), "0.0 ns");
	expect(figure_mean(-12.34, out), "-12.3 ns");
	expect(figure_mean(9250000000.0, out), "9.250 s");
}

static void only_all_is_100_percent(void **state)
{
	char out[FIGURE_MAX];

	expect(figure_share(1000000, 1000000, out), "100 %");
	expect(figure_share(999999, 1000000, out), "99.99 %");
	expect(figure_share(0, 10, out), "0.00 %");
	for (int i = 0; i < 100; i++) {
		char wanted[FIGURE_MAX];

		(void)snprintf(wanted, sizeof(wanted), "%d.00 %%", i);
		expect(figure_share(i, 100, out), wanted);
	}
	expect(figure_share(1, 3, out), "33.33 %");
	expect(figure_share(0, 0, out), "-");
}

static void times_are_cut_to_milliseconds(void **state)
{
	char out[FIGURE_MAX];

	expect(figure_utc(INT64_C(1772402400999999999), out), "2026-03-01T22:00:00.999Z");
	expect(figure_utc(TIME_UNKNOWN, out), "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_change_their_unit),
		cmocka_unit_test(latencies_are_in_microseconds),
		cmocka_unit_test(intervals_fit_into_a_column),
		cmocka_unit_test(means_have_a_tenth),
		cmocka_unit_test(only_all_is_100_percent),
		cmocka_unit_test(times_are_cut_to_milliseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
