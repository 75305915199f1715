/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/stats/signed_histogram.h"

struct value {
	int64_t value, told; /* told: from its bin */
};

/* clang-format off */
static const struct value values[] = {
	{ 0, 0 }, { 1, 1 }, { -1, -1 }, { 127, 127 }, { -127, -127 },
	{ 128, 129 }, { 129, 129 }, { -128, -129 }, { -130, -131 },
	{ 1000000, 1007615 }, { -37000000000, -37044092927 },
	{ INT64_MAX, INT64_MAX }, { -INT64_MAX, -INT64_MAX }, { INT64_MIN, -INT64_MAX },
};
/* clang-format on */

static void values_are_told_within_their_bin(void **state)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct signed_histogram *h = calloc(1, sizeof(*h));
		int64_t told;

		assert_non_null(h);
		signed_histogram_count(h, values[i].value);
		told = signed_histogram_at_rank(h, 1);
		if (told != values[i].told)
			fail_msg("%lld is told as %lld", (long long)values[i].value,
				 (long long)told);
		assert_int_equal(signed_histogram_magnitude_at_rank(h, 1), llabs(told));
		assert_int_equal(signed_histogram_at_rank(h, 2), INT64_MAX);
		free(h);
	}
}

/* 1.6 %, on either side, up to the largest. */
static void the_error_is_as_stated(void **state)
{
	struct signed_histogram *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	for (int64_t v = 1; v < INT64_MAX / 3; v += v / 3 + 1) {
		int64_t told;

		memset(h, 0, sizeof(*h));
		signed_histogram_count(h, -v);
		told = signed_histogram_at_rank(h, 1);
		assert_true(told <= -v && told >= -v - v / 64);
	}
	free(h);
}

static void parts_add_up_to_the_whole(void **state)
{
	struct signed_histogram *all = calloc(1, sizeof(*all));
	struct signed_histogram *part = calloc(1, sizeof(*part));
	struct signed_histogram *sum = calloc(1, sizeof(*sum));

	assert_true(all && part && sum);
	for (int64_t i = -5000; i < 5000; i++) {
		signed_histogram_count(all, i * i * i);
		signed_histogram_count(i % 3 ? part : sum, i * i * i);
	}
	signed_histogram_add(sum, part);
	assert_memory_equal(sum, all, sizeof(*all));
	assert_int_equal(signed_histogram_total(sum), 10000);
	/* |i| of 5 and less have cubes within 125; bins there are exact */
	assert_int_equal(signed_histogram_beyond(sum, 125), 10000 - 11);
	assert_int_equal(signed_histogram_beyond(sum, INT64_MAX), 0);
	assert_int_equal(signed_histogram_magnitude_at_rank(sum, 11), 125);
	assert_int_equal(signed_histogram_magnitude_at_rank(sum, 1), 0);
	free(all);
	free(part);
	free(sum);
}

static void encoding_comes_back(void **state)
{
	struct signed_histogram *h = calloc(1, sizeof(*h));
	struct signed_histogram *back = calloc(1, sizeof(*back));
	uint8_t bytes[128];
	uint64_t total;
	size_t len;

	assert_true(h && back);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		signed_histogram_count(h, values[i].value);
	len = signed_histogram_encode(h, bytes, sizeof(bytes));
	assert_in_range(len, 1, sizeof(bytes));
	assert_int_equal(signed_histogram_check(bytes, len, &total), 0);
	assert_int_equal(total, sizeof(values) / sizeof(values[0]));
	assert_int_equal(signed_histogram_decode_add(back, bytes, len), 0);
	assert_memory_equal(h, back, sizeof(*h));
	assert_int_equal(signed_histogram_encode(h, bytes, len - 1), 0);
	assert_int_equal(signed_histogram_decode_add(back, bytes, len - 1), -EBADMSG);
	assert_memory_equal(h, back, sizeof(*h));
	free(h);
	free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_told_within_their_bin),
		cmocka_unit_test(the_error_is_as_stated),
		cmocka_unit_test(parts_add_up_to_the_whole),
		cmocka_unit_test(encoding_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
