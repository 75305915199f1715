/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/stats/latency_summary.h"

/* A window of the latencies given, from start_s for a second. */
static struct latency_window window_of(int64_t start_s, const int64_t *late_ns, size_t n)
{
	struct latency_window w = {
		.start_mono_ns = start_s * 1000000000,
		.end_mono_ns = (start_s + 1) * 1000000000,
		.count = n,
	};
	struct histogram h = {0};

	for (size_t i = 0; i < n; i++) {
		if (i == 0 || late_ns[i] < w.min_ns)
			w.min_ns = late_ns[i];
		if (late_ns[i] > w.max_ns)
			w.max_ns = late_ns[i];
		w.sum_ns += late_ns[i];
		if (late_ns[i] >> HISTOGRAM_MAX_BITS)
			w.overflow++;
		else
			h.bins[histogram_bin((uint64_t)late_ns[i])]++;
	}
	w.bins_len = histogram_encode(&h, w.bins, sizeof(w.bins));
	return w;
}

static void nothing_is_nothing(void **state)
{
	struct latency_summary s = {0};
	struct latency_window empty = window_of(1, NULL, 0);
	int64_t value = 42;

	assert_int_equal(latency_summary_add(&s, &empty), 0);
	assert_int_equal(s.windows, 1);
	assert_int_equal(s.count, 0);
	assert_int_equal(latency_summary_avg_ns(&s), 0);
	assert_false(latency_summary_percentile(&s, 50000, &value));
	assert_int_equal(value, 42);
}

static void windows_add_up_in_any_order(void **state)
{
	const int64_t late[] = {1000, 50};
	const int64_t early[] = {70, 71, 90, INT64_C(3) << 30};
	struct latency_window second = window_of(9, late, 2);
	struct latency_window first = window_of(7, early, 4);
	struct latency_window none = window_of(8, NULL, 0);
	struct latency_summary s = {0};

	first.missed = 3221;
	assert_int_equal(latency_summary_add(&s, &second), 0);
	assert_int_equal(latency_summary_add(&s, &none), 0);
	assert_int_equal(s.min_ns, 50);
	assert_int_equal(latency_summary_add(&s, &first), 0);
	assert_int_equal(s.windows, 3);
	assert_int_equal(s.start_mono_ns, 7000000000);
	assert_int_equal(s.end_mono_ns, 10000000000);
	assert_int_equal(s.count, 6);
	assert_int_equal(s.min_ns, 50);
	assert_int_equal(s.max_ns, INT64_C(3) << 30);
	assert_int_equal(s.max_start_mono_ns, 7000000000);
	assert_int_equal(s.max_end_mono_ns, 8000000000);
	assert_int_equal(s.overflow, 1);
	assert_int_equal(s.missed, 3221);
	/* (50 + 70 + 71 + 90 + 1000 + 3221225472) / 6 = 536871125.5 */
	assert_int_equal(latency_summary_avg_ns(&s), 536871126);
}

static void percentiles_are_refused_or_bounded(void **state)
{
	int64_t values[1000];
	struct latency_window w;
	struct latency_summary s = {0};
	int64_t value = 42;

	for (int64_t i = 0; i < 1000; i++)
		values[i] = 20000 + i;
	w = window_of(1, values, 999);
	assert_int_equal(latency_summary_add(&s, &w), 0);
	assert_false(latency_summary_percentile(&s, 99900, &value));
	assert_int_equal(value, 42);
	w = window_of(2, values + 999, 1);
	assert_int_equal(latency_summary_add(&s, &w), 0);
	assert_true(latency_summary_percentile(&s, 99900, &value));
	assert_int_equal(value, 20999); /* its bin goes on to 21247: never above the maximum */
	assert_true(latency_summary_percentile(&s, 50000, &value));
	assert_in_range(value, 20499, 20499 + 20499 / 64);
	assert_false(latency_summary_percentile(&s, 100000, &value));
}

/* A rank among the overflows must not be taken for one of the binned. */
static void overflows_count_in_percentiles(void **state)
{
	const int64_t values[] = {10, INT64_C(2) << 30, INT64_C(2) << 30, INT64_C(4) << 30};
	struct latency_window w = window_of(1, values, 4);
	struct latency_summary s = {0};
	int64_t value;

	assert_int_equal(latency_summary_add(&s, &w), 0);
	assert_true(latency_summary_percentile(&s, 25000, &value));
	assert_int_equal(value, 10);
	assert_true(latency_summary_percentile(&s, 50000, &value));
	assert_int_equal(value, INT64_C(4) << 30);
}

static void a_damaged_window_changes_nothing(void **state)
{
	const int64_t values[] = {10, 20};
	struct latency_window w = window_of(1, values, 2);
	struct latency_summary s = {0};
	struct latency_summary before;

	assert_int_equal(latency_summary_add(&s, &w), 0);
	before = s;
	w.count++;
	assert_int_equal(latency_summary_add(&s, &w), -EBADMSG);
	w.count--;
	w.bins_len--;
	assert_int_equal(latency_summary_add(&s, &w), -EBADMSG);
	w.bins_len++;
	w.overflow = 3;
	assert_int_equal(latency_summary_add(&s, &w), -EBADMSG);
	assert_memory_equal(&s, &before, sizeof(s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_nothing),
		cmocka_unit_test(windows_add_up_in_any_order),
		cmocka_unit_test(percentiles_are_refused_or_bounded),
		cmocka_unit_test(overflows_count_in_percentiles),
		cmocka_unit_test(a_damaged_window_changes_nothing),
	};

	return cmocka_run_group_tests_name("latency_summary", tests, NULL, NULL);
}
