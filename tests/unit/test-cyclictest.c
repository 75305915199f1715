/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data-file.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/collect/cyclictest.h"
#include "ptpmon/model/timemap.h"
#include "ptpmon/stats/quantile.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct cyclictest *load(const char *name)
{
	CLEANUP(fclosep) FILE *f = data_open(name);
	char why[CYCLICTEST_ERROR_MAX];
	static char text[1 << 20];
	struct cyclictest *c = NULL;
	size_t len = fread(text, 1, sizeof(text), f);

	assert_true(cyclictest_recognise(text, len < 4096 ? len : 4096));
	if (cyclictest_parse(&c, text, len, false, why) < 0)
		fail_msg("%s: %s", name, why);
	return c;
}

/* A percentile of all threads together, in whole us. */
static int64_t pooled_us(const struct cyclictest *c, uint32_t p_milli)
{
	static struct histogram all;
	uint64_t n = 0;

	all = (struct histogram){0};
	for (size_t i = 0; i < c->n; i++) {
		histogram_add(&all, &c->threads[i].histogram);
		n += c->threads[i].cycles;
	}
	return histogram_at_rank(&all, quantile_rank(p_milli, n)) / 1000;
}

static void every_row_layout(void **state)
{
	static const uint64_t cycles[] = {11055136, 11055141, 11055141, 11055131};
	CLEANUP(freep)
	struct cyclictest *c = load("field-logs/cyclictest_S_h400_4thr_200us_total-line.txt");

	assert_int_equal(c->n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(c->threads[i].cycles, cycles[i]);
	assert_int_equal(c->threads[1].max_ns, 28000);
	assert_int_equal(c->threads[2].min_ns, 4000);
	assert_int_equal(c->start_utc_ns, TIME_UNKNOWN);
	assert_int_equal(pooled_us(c, 50000), 5);
	assert_int_equal(pooled_us(c, 95000), 6);
	assert_int_equal(pooled_us(c, 99000), 7);
	assert_int_equal(pooled_us(c, 99990), 11);
	assert_int_equal(pooled_us(c, 99999), 15);
}

static void sparse_layout_with_overflows(void **state)
{
	CLEANUP(freep) struct cyclictest *c = load("logs/cyclictest_2.7_H_2thr.hist");

	assert_int_equal(c->n, 2);
	assert_int_equal(c->threads[0].cycles, 1000);
	assert_int_equal(c->threads[0].overflow, 2);
	assert_int_equal(c->threads[0].max_ns, 450000);
	assert_int_equal(c->threads[0].sum_ns, 2000000);
	assert_int_equal(c->threads[1].cycles, 999);
	assert_int_equal(histogram_at_rank(&c->threads[0].histogram, 998) / 1000, 40);
	assert_int_equal(histogram_at_rank(&c->threads[0].histogram, 999), INT64_MAX);
}

static void json_that_is_not_quite_json(void **state)
{
	CLEANUP(freep) struct cyclictest *c = load("logs/cyclictest_2.8_3thr.json");

	assert_int_equal(c->n, 3);
	assert_int_equal(c->threads[0].cpu, 6);
	assert_int_equal(c->threads[0].cycles, 985);
	assert_int_equal(c->threads[0].overflow, 2);
	assert_int_equal(c->threads[0].sum_ns, 2521600);
	assert_int_equal(c->threads[2].cycles, 0);
	assert_int_equal(c->end_utc_ns - c->start_utc_ns, 10000000000);
	assert_int_equal(c->start_utc_ns, 1788240221000000000);
	assert_string_equal(c->kernel, "6.12.0-rt #1 SMP PREEMPT_RT");
	assert_string_equal(c->machine, "aarch64");
}

/* As it is on a terminal, or in a file of a measurement without -q. */
static void display_before_the_histogram(void **state)
{
	CLEANUP(freep) struct cyclictest *c = load("logs/cyclictest_2.4_displayed_2thr.txt");

	assert_int_equal(c->n, 2);
	assert_int_equal(c->threads[0].cycles, 250);
	assert_int_equal(c->threads[0].overflow, 30);
	assert_int_equal(c->threads[0].max_ns, 2670000);
	assert_int_equal(c->threads[1].cycles, 250);
	assert_int_equal(c->threads[1].overflow, 66);
}

#define FOOT "# Min Latencies: 00002\n# Avg Latencies: 00002\n# Max Latencies: 00009\n"
#define OVER "# Histogram Overflows: 00000\n"

/* clang-format off */
static const struct {
	const char *text, *why;
} refused[] = {
	{ "# Histogram\n000002 000010\n", "cut off" },
	{ "# Histogram\n000002 000010\n" FOOT, "cut off" },
	{ "# Histogram\n000002 000010\n# Total: 000011\n" FOOT OVER, "not its total" },
	{ "# Histogram\n000002 000010\n000002 000010\n" FOOT OVER, "not behind the one before" },
	{ "# Histogram\n000002 000010\n000003\n" FOOT OVER, "not 1 counts" },
	{ "# Histogram\n000002 000010 000011\n" FOOT OVER, "does not add up" },
	{ "# Histogram\n000002 00001x\n" FOOT OVER, "not 1 counts" },
	{ "# Histogram\n2000000 000010\n" FOOT OVER, "no bucket" },
	{ "# Histogram\n000002 99999999999999999999\n" FOOT OVER, "not 1 counts" },
	{ "# Histogram\n000002 18446744073709551615\n000003 1\n" FOOT OVER, "more cycles than can be counted" },
	{ "# Histogram\n000002 000010\n# Min Latencies: 00009\n# Avg Latencies: 00002\n"
	  "# Max Latencies: 00002\n" OVER, "a smallest latency of 9 and a largest of 2" },
	{ "# Histogram\n000002 000010\n# Min Latencies:\n# Avg Latencies: 00002\n"
	  "# Max Latencies: 00002\n" OVER, "0 threads" },
	{ "# Histogram\n000002 000010\n" FOOT OVER "# Histogram\n000002 000010\n" FOOT OVER, "more than one measurement" },
	{ "# /dev/cpu_dma_latency set to 0us\nT: 0 ( 1) P:80 I:1000 C: 9 Min: 2 Act: 3 Avg: 3 Max: 5\n",
	  "no histogram in it: measure with -h" },
	{ "{\"thread\": {\"0\": {\"cycles\": 5", "line 1" },
	{ "{}", "without the threads" },
	{ "{\"thread\": {\"0\": {\"cycles\": 5, \"min\": 1, \"max\": 2}}}", "measure with -h" },
	{ "{\"thread\": {\"0\": {\"cycles\": -5, \"min\": 1, \"max\": 2}}}", "without cycles" },
	{ "{\"thread\": {\"0\": {\"histogram\": {\"1\": 6}, \"cycles\": 5, \"min\": 1, \"max\": 2}}}", "more in the buckets" },
	{ "{\"thread\": {\"0\": {\"histogram\": {\"x\": 6}, \"cycles\": 5, \"min\": 1, \"max\": 2}}}", "no number and count" },
};
/* clang-format on */

static void what_does_not_add_up_is_refused(void **state)
{
	for (size_t i = 0; i < COUNT(refused); i++) {
		size_t len = strlen(refused[i].text);
		char *copy = malloc(len); /* without a NUL behind it */
		char why[CYCLICTEST_ERROR_MAX] = "";
		struct cyclictest *c = NULL;

		assert_non_null(copy);
		memcpy(copy, refused[i].text, len);
		if (cyclictest_parse(&c, copy, len, false, why) != -EBADMSG ||
		    !strstr(why, refused[i].why))
			fail_msg("%s: %s", refused[i].text, why);
		free(copy);
	}
}

#define THREAD                                                                                     \
	"\"thread\":{\"0\":{\"histogram\":{\"2\":10},\"cycles\":10,\"min\":2,\"max\":9,\"avg\":"
#define SHOWN                                                                                      \
	"policy: fifo: loadavg: 0.97 2.55 4.49 2/86 22971          \n\n"                           \
	"T: 0 (22970) P:90 I:1000 C:     10 Min:      2 Act:    2 Avg:    2 Max:       9\n"

/* clang-format off */
static const struct {
	const char *name, *text;
} accepted[] = {
	{ "text", "# Histogram\n000002 000010\n" FOOT OVER },
	{ "CR LF", "# Histogram\r\n000002 000010\r\n# Min Latencies: 00002\r\n# Avg Latencies: 00002\r\n"
	  "# Max Latencies: 00009\r\n# Histogram Overflows: 00000\r\n" },
	{ "cpu_dma_latency", "# /dev/cpu_dma_latency set to 0us\n# Histogram\n000002 000010\n" FOOT OVER },
	{ "displayed", "WARN: a warning\n" SHOWN "\x1b[3A" SHOWN "# Histogram\n000002 000010\n" FOOT OVER },
	{ "cursor before it", SHOWN "\x1b[3A# Histogram\n000002 000010\n" FOOT OVER },
	{ "JSON", "{\n\"cmdline:\":\"cyclictest -h 9\",\n" THREAD "2.0}}}" },
	{ "JSON in a line", "{\"cmdline:\":\"cyclictest -h 9\"," THREAD "2.0}}}" },
	{ "JSON in a line that quotes",
	  "{\"cmdline:\":\"cyclictest \"a, b\" -h 9\",\"rt_test_version:\":\"2.8\"," THREAD "2.0}}}" },
	{ "JSON that quotes", "{\n\"cmdline:\":\"cyclictest \"x\"\",\n" THREAD "2.0}}}" },
};

static const struct {
	const char *text;
	bool is;
} beginnings[] = {
	{ "# /dev/cpu_dma_latency set to 0us\n", true },
	{ "\nWARN: a warning\npolicy: fifo: loadavg: 0.1\n", true },
	{ "T: 0 ( 1) P: 0 I:2000 C: 1\n", true },
	{ "\x1b[4Apolicy: other/other: loadavg: 0.1\n", true },
	{ "something else\n# Histogram\n", true },
	{ " \n{", true },
	{ "ptp4l[1.000]: selected /dev/ptp0\npolicy: fifo: loadavg: 0.1\nT: 0 ( 1)\n", false },
	{ "\x1b[4", false },
	{ "", false },
};
/* clang-format on */

static void what_it_may_look_like(void **state)
{
	for (size_t i = 0; i < COUNT(accepted); i++) {
		CLEANUP(freep) struct cyclictest *c = NULL;
		const char *text = accepted[i].text;
		char why[CYCLICTEST_ERROR_MAX] = "";

		if (!cyclictest_recognise(text, strlen(text)))
			fail_msg("%s: not recognised", accepted[i].name);
		if (cyclictest_parse(&c, text, strlen(text), false, why) < 0)
			fail_msg("%s: %s", accepted[i].name, why);
		if (c->n != 1 || c->threads[0].cycles != 10 || c->threads[0].max_ns != 9000)
			fail_msg("%s: other values", accepted[i].name);
	}
	for (size_t i = 0; i < COUNT(beginnings); i++)
		if (cyclictest_recognise(beginnings[i].text, strlen(beginnings[i].text)) !=
		    beginnings[i].is)
			fail_msg("beginning %zu: %s", i, beginnings[i].text);
}

static void nanoseconds_if_it_is_said(void **state)
{
	static const char text[] = "# Histogram\n000002 000010\n" FOOT OVER;
	char why[CYCLICTEST_ERROR_MAX];
	CLEANUP(freep) struct cyclictest *c = NULL;

	assert_int_equal(cyclictest_parse(&c, text, sizeof(text) - 1, true, why), 0);
	assert_int_equal(c->threads[0].max_ns, 9);
	assert_int_equal(histogram_at_rank(&c->threads[0].histogram, 1), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_layout),
		cmocka_unit_test(sparse_layout_with_overflows),
		cmocka_unit_test(json_that_is_not_quite_json),
		cmocka_unit_test(display_before_the_histogram),
		cmocka_unit_test(what_it_may_look_like),
		cmocka_unit_test(what_does_not_add_up_is_refused),
		cmocka_unit_test(nanoseconds_if_it_is_said),
	};

	return cmocka_run_group_tests_name("cyclictest", tests, NULL, NULL);
}
