/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/stats/histogram.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const uint64_t beyond = UINT64_C(1) << HISTOGRAM_MAX_BITS;

static void bins_follow_without_hole(void **state)
{
	uint64_t next = 0;

	for (size_t bin = 0; bin < HISTOGRAM_BINS; bin++) {
		uint64_t low = histogram_bin_low(bin);
		uint64_t high = histogram_bin_high(bin);

		assert_int_equal(low, next);
		assert_int_equal(histogram_bin(low), bin);
		assert_int_equal(histogram_bin(high), bin);
		assert_true((high - low) * 64 <= low);
		next = high + 1;
	}
	assert_int_equal(next, beyond);
}

static void a_quiet_second_is_short(void **state)
{
	struct histogram h = {0};
	uint8_t bytes[HISTOGRAM_ENCODED_MAX];

	for (uint64_t i = 0; i < 1000; i++)
		h.bins[histogram_bin(8000 + i * 2)]++;
	assert_in_range(histogram_encode(&h, bytes, sizeof(bytes)), 20, 60);
}

static void encoding_comes_back(void **state)
{
	static const struct row {
		const char *name;
		size_t first, step;
		uint64_t count;
	} rows[] = {
		{"one octet each", 7, 8, 16},
		{"two octets each", 0, 9, 16},
		{"two octets each, the largest", 31, 32, 512},
		{"varints, for the step", 32, 33, 1},
		{"varints, for the count", 0, 1, 513},
		{"every bin, the largest counts", 0, 1, UINT64_MAX / HISTOGRAM_BINS},
		{"every bin once", 0, 1, 1},
		{"the first only", 0, HISTOGRAM_BINS, 127},
		{"the last only", HISTOGRAM_BINS - 1, 1, 128},
		{"steps of two octets", 127, 128, 16384},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct histogram h = {0};
		struct histogram back = {0};
		uint8_t bytes[HISTOGRAM_ENCODED_MAX];
		uint64_t sum = 0;
		uint64_t total;
		size_t len;

		for (size_t bin = rows[i].first; bin < HISTOGRAM_BINS; bin += rows[i].step) {
			h.bins[bin] = rows[i].count;
			sum += rows[i].count;
		}
		len = histogram_encode(&h, bytes, sizeof(bytes));
		if (len == 0 || histogram_check(bytes, len, &total) != 0 || total != sum ||
		    histogram_decode_add(&back, bytes, len) != 0 ||
		    memcmp(&h, &back, sizeof(h)) != 0)
			fail_msg("%s", rows[i].name);
		if (histogram_encode(&h, bytes, len - 1) != 0)
			fail_msg("%s: fits into one octet less", rows[i].name);
	}
}

static void an_empty_one_has_no_length(void **state)
{
	struct histogram h = {0};
	uint8_t bytes[1];
	uint64_t total = 1;

	assert_int_equal(histogram_encode(&h, bytes, sizeof(bytes)), 0);
	assert_int_equal(histogram_check(bytes, 0, &total), 0);
	assert_int_equal(total, 0);
}

#define OCTETS(...) .bytes = {__VA_ARGS__}, .len = sizeof((uint8_t[]){__VA_ARGS__})

static void foreign_octets_are_refused(void **state)
{
	static const struct row {
		const char *name;
		uint8_t bytes[32];
		size_t len;
	} rows[] = {
		{"two octets cut short", OCTETS(0, 0x80)},
		{"varints cut short", OCTETS(0, 0xc0, 1)},
		{"a count of 0 in varints", OCTETS(0, 0xc0, 1, 0)},
		{"a step beyond the last, in varints", OCTETS(0, 0xc0, 0xc1, 12, 1)},
		{"what is neither", OCTETS(0, 0xc1, 1, 1)},
		{"nothing behind the first octet", OCTETS(0)},
		{"old: no count", OCTETS(1)},
		{"old: step cut short", OCTETS(0x80)},
		{"old: count cut short", OCTETS(1, 0x80)},
		{"old: step of 0", OCTETS(1, 1, 0, 1)},
		{"old: count of 0", OCTETS(1, 0)},
		{"old: first bin beyond the last", OCTETS(0xc1, 12, 1)},
		{"old: second bin beyond the last", OCTETS(0xc0, 12, 1, 1, 1)},
		{"number beyond 64 bits",
		 OCTETS(1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2)},
		{"number of eleven octets",
		 OCTETS(1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0)},
		{"sum beyond 64 bits",
		 OCTETS(1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 1)},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct histogram h = {.bins[0] = 5};
		struct histogram before = h;
		uint64_t total = 42;

		if (histogram_check(rows[i].bytes, rows[i].len, &total) != -EBADMSG || total != 42)
			fail_msg("%s: taken", rows[i].name);
		if (histogram_decode_add(&h, rows[i].bytes, rows[i].len) != -EBADMSG ||
		    memcmp(&h, &before, sizeof(h)) != 0)
			fail_msg("%s: changed the histogram", rows[i].name);
	}
}

/* Whatever the octets: in bounds, and what is taken encodes to something that is taken. */
static void random_octets_do_no_harm(void **state)
{
	unsigned taken = 0;

	srandom(1);
	for (int round = 0; round < 20000; round++) {
		struct histogram h = {0};
		uint8_t bytes[24];
		uint8_t again[HISTOGRAM_ENCODED_MAX];
		size_t len = (size_t)random() % sizeof(bytes);

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)(random() % (round % 2 ? 256 : 8));
		if (histogram_decode_add(&h, bytes, len) < 0 || len == 0)
			continue;
		taken++;
		assert_true(histogram_encode(&h, again, sizeof(again)) > 0);
	}
	assert_true(taken > 1000);
}

/* What records up to version 2 hold: bin 3 once, bin 4 200 times, the last once. */
static void what_older_ones_wrote_is_read(void **state)
{
	static const uint8_t bytes[] = {4, 1, 1, 0xc8, 1, 0xbb, 12, 1};
	struct histogram h = {0};
	uint64_t total;

	assert_int_equal(histogram_check(bytes, sizeof(bytes), &total), 0);
	assert_int_equal(total, 202);
	assert_int_equal(histogram_decode_add(&h, bytes, sizeof(bytes)), 0);
	assert_int_equal(h.bins[3], 1);
	assert_int_equal(h.bins[4], 200);
	assert_int_equal(h.bins[HISTOGRAM_BINS - 1], 1);
}

/* What is read once and added is what is added as it is read. */
static void counts_are_what_is_decoded(void **state)
{
	struct histogram h = {.bins = {[0] = 1, [1] = 127, [129] = 128, [HISTOGRAM_BINS - 1] = 9}};
	struct histogram back = {0};
	struct histogram_counts counts;
	uint8_t bytes[HISTOGRAM_ENCODED_MAX];
	size_t len = histogram_encode(&h, bytes, sizeof(bytes));

	assert_int_equal(histogram_decode(&counts, bytes, len), 0);
	assert_int_equal(counts.n, 4);
	assert_int_equal(counts.total, 1 + 127 + 128 + 9);
	histogram_add_counts(&back, &counts);
	assert_memory_equal(&back, &h, sizeof(h));
	for (size_t cut = 1; cut < len; cut++) {
		uint64_t total;

		assert_int_equal(histogram_decode(&counts, bytes, cut),
				 histogram_check(bytes, cut, &total));
	}
}

static void adding_is_bin_by_bin(void **state)
{
	struct histogram a = {.bins = {[3] = 1, [HISTOGRAM_BINS - 1] = UINT32_MAX}};
	struct histogram b = {.bins = {[3] = 2, [HISTOGRAM_BINS - 1] = 1}};

	histogram_add(&a, &b);
	assert_int_equal(a.bins[3], 3);
	assert_int_equal(a.bins[HISTOGRAM_BINS - 1], UINT64_C(1) << 32);
}

static void rank_gives_the_top_of_its_bin(void **state)
{
	struct histogram h = {.bins = {[10] = 2, [200] = 1}};
	struct histogram empty = {0};
	static const struct row {
		const char *name;
		uint64_t rank;
		int64_t want;
	} rows[] = {
		{"first", 1, 10},
		{"second of the same bin", 2, 10},
		{"third", 3, 291}, /* 288 to 291: the third octave of bins is four wide */
		{"among the overflows", 4, INT64_MAX},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (histogram_at_rank(&h, rows[i].rank) != rows[i].want)
			fail_msg("%s: %lld", rows[i].name,
				 (long long)histogram_at_rank(&h, rows[i].rank));
	assert_int_equal(histogram_at_rank(&empty, 1), INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_follow_without_hole),
		cmocka_unit_test(a_quiet_second_is_short),
		cmocka_unit_test(encoding_comes_back),
		cmocka_unit_test(an_empty_one_has_no_length),
		cmocka_unit_test(foreign_octets_are_refused),
		cmocka_unit_test(random_octets_do_no_harm),
		cmocka_unit_test(what_older_ones_wrote_is_read),
		cmocka_unit_test(counts_are_what_is_decoded),
		cmocka_unit_test(adding_is_bin_by_bin),
		cmocka_unit_test(rank_gives_the_top_of_its_bin),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
