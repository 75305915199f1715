/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/partition.h"
#include "ptpmon/report/parts.h"

/* "idle" twice, "load" between and right behind, and a hole. */
static void a_moment_lies_in_one_part(void **state)
{
	struct report_span all = {0, 100};
	struct report_span idle[] = {{10, 20}, {40, 50}};
	struct report_span load[] = {{20, 30}, {60, 70}};
	struct report_column columns[] = {
		{"all", 1, &all, 100}, {"idle", 2, idle, 20}, {"load", 2, load, 20}};
	const struct report r = {.n_columns = 3, .columns = columns};
	static const struct {
		int64_t at;
		struct part want;
	} rows[] = {
		{INT64_MIN, {INT64_MIN, 10, 0}},
		{9, {INT64_MIN, 10, 0}},
		{10, {10, 20, 1}},
		{19, {10, 20, 1}},
		{20, {20, 30, 2}},
		{30, {30, 40, 0}},
		{39, {30, 40, 0}},
		{45, {40, 50, 1}},
		{50, {50, 60, 0}},
		{69, {60, 70, 2}},
		{70, {70, INT64_MAX, 0}},
	};
	CLEANUP(partition_clear) struct partition p = {0};

	assert_int_equal(partition_make(&p, &r), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct part got = partition_at(&p, rows[i].at);

		if (got.from_ns != rows[i].want.from_ns || got.to_ns != rows[i].want.to_ns ||
		    got.column != rows[i].want.column)
			fail_msg("%lld: column %zu", (long long)rows[i].at, got.column);
		assert_true(part_holds(&got, rows[i].at));
	}
}

static void without_phases_all_is_one_part(void **state)
{
	struct report_column all = {.n_spans = 0};
	const struct report r = {.n_columns = 1, .columns = &all};
	CLEANUP(partition_clear) struct partition p = {0};
	struct part got;

	assert_int_equal(partition_make(&p, &r), 0);
	got = partition_at(&p, 7);
	assert_int_equal(got.column, 0);
	assert_true(part_holds(&got, INT64_MIN));
	assert_true(part_holds(&got, INT64_MAX - 1));
}

static struct histogram_counts one(size_t bin, uint64_t count)
{
	return (struct histogram_counts){.total = count, .n = 1, .v = {{bin, count}}};
}

/* Also when a part is gone back to, as a window that comes late does. */
static void parts_are_kept_apart_and_add_up(void **state)
{
	static const struct {
		size_t part, bin;
		uint64_t count;
	} rows[] = {{0, 5, 1}, {1, 5, 2}, {1, 900, 3}, {0, 7, 4}, {63, 5, 300}, {1, 900, 1}};
	CLEANUP(parts_clear) struct parts p = {0};
	struct histogram *want = calloc(INTERVAL_BLOCKS, sizeof(*want));
	struct histogram sum = {0};
	struct histogram got;

	assert_non_null(want);
	parts_sum(&p, &got);
	assert_memory_equal(&got, &sum, sizeof(sum));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct histogram_counts counts = one(rows[i].bin, rows[i].count);

		assert_int_equal(parts_add(&p, rows[i].part, &counts), 0);
		want[rows[i].part].bins[rows[i].bin] += rows[i].count;
		sum.bins[rows[i].bin] += rows[i].count;
	}
	for (size_t i = 0; i < INTERVAL_BLOCKS; i++) {
		parts_get(&p, i, &got);
		assert_memory_equal(&got, &want[i], sizeof(got));
	}
	parts_sum(&p, &got);
	assert_memory_equal(&got, &sum, sizeof(got));
	free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_moment_lies_in_one_part),
		cmocka_unit_test(without_phases_all_is_one_part),
		cmocka_unit_test(parts_are_kept_apart_and_add_up),
	};

	return cmocka_run_group_tests_name("report-partition", tests, NULL, NULL);
}
