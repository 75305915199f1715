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
		cmocka_unit_test(means_have_a_tenth),
		cmocka_unit_test(only_all_is_100_percent),
		cmocka_unit_test(times_are_cut_to_milliseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
