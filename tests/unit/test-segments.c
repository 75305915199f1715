/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/stats/segments.h"

enum { TAU0 = 100 };

/* Times as distances from one value to the next, of `even` values at TAU0 and then these. */
struct row {
	const char *name;
	size_t even;
	int64_t distances[6]; /* up to the first 0 */
	const char *pieces;   /* "first+n" of each */
	uint64_t filled;
	bool uneven;
	int64_t breaks[3]; /* up to the first 0 */
};

/* clang-format off */
static const struct row rows[] = {
	{ "even",              5,   { 100, 100 },           "0+7", 0, false, { 0 } },
	{ "within one and a half", 5, { 149, 51, 150 },     "0+8", 0, true, { 0 } },
	{ "a gap",             5,   { 500, 100 },           "0+5 5+2", 0, false, { 0 } },
	{ "beyond one and a half", 500, { 151, 100 },       "0+503", 1, false, { 0 } },
	{ "a hole of three",   500, { 400, 100 },           "0+505", 3, false, { 0 } },
	{ "a hole of four",    500, { 500, 100 },           "0+500 500+2", 0, false, { 0 } },
	{ "too many holes",    250, { 200, 400, 100 },      "0+250 250+1 251+2", 0, false, { 0 } },
	{ "not in order",      5,   { -100, 100, 0 },       "0+5 5+2", 0, false, { 0 } },
	{ "far apart",         2,   { INT64_MAX / 4, 100 }, "0+2 2+2", 0, false, { 0 } },
	{ "one",               1,   { 0 },                  "0+1", 0, false, { 0 } },
	{ "uneven",            1,   { 130, 70, 300, 70, 451 }, "0+5 5+1", 0, true, { 0 } },
};
/* clang-format on */

static void series_are_cut_where_they_should_be(void **state)
{
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		int64_t times[512];
		int64_t values[512];
		struct segments s;
		char pieces[128] = "";
		size_t n_breaks = 0;
		size_t n = 0;

		for (; n < rows[r].even; n++)
			times[n] = (int64_t)n * TAU0;
		for (size_t i = 0; i < 6 && rows[r].distances[i]; i++, n++)
			times[n] = times[n - 1] + rows[r].distances[i];
		for (size_t i = 0; i < n; i++)
			values[i] = 8 * (int64_t)i;
		while (n_breaks < 3 && rows[r].breaks[n_breaks])
			n_breaks++;
		assert_int_equal(
			segments_cut(&s, &(struct series_values){times, values, n, TAU0,
								 rows[r].breaks, n_breaks}),
			0);
		for (size_t i = 0; i < s.n; i++)
			(void)snprintf(pieces + strlen(pieces), sizeof(pieces) - strlen(pieces),
				       "%s%zu+%zu", i > 0 ? " " : "", s.v[i].first, s.v[i].n);
		if (strcmp(pieces, rows[r].pieces) != 0 || s.filled != rows[r].filled ||
		    s.uneven != rows[r].uneven)
			fail_msg("%s: %s, filled %llu, uneven %d", rows[r].name, pieces,
				 (unsigned long long)s.filled, s.uneven);
		assert_int_equal(s.n_values, n + s.filled);
		assert_int_equal(s.values == values, s.filled == 0);
		segments_clear(&s);
	}
}

static void holes_are_filled_on_a_line(void **state)
{
	int64_t times[401];
	int64_t values[401];
	struct segments s;

	for (int64_t i = 0; i < 401; i++) {
		times[i] = i * TAU0 + (i > 200 ? 300 : 0);
		values[i] = i;
	}
	values[201] = 600;
	assert_int_equal(
		segments_cut(&s, &(struct series_values){times, values, 401, TAU0, NULL, 0}), 0);
	assert_int_equal(s.filled, 3);
	assert_int_equal(s.values[200], 200);
	assert_int_equal(s.values[201], 300);
	assert_int_equal(s.values[202], 400);
	assert_int_equal(s.values[203], 500);
	assert_int_equal(s.values[204], 600);
	assert_int_equal(s.values[403], 400);
	assert_int_equal(segments_longest(&s), 404);
	segments_clear(&s);
}

static void nothing_has_no_piece(void **state)
{
	struct segments s;

	assert_int_equal(segments_cut(&s, &(struct series_values){.tau0_ns = TAU0}), 0);
	assert_int_equal(s.n, 0);
	assert_int_equal(segments_longest(&s), 0);
	segments_clear(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(series_are_cut_where_they_should_be),
		cmocka_unit_test(holes_are_filled_on_a_line),
		cmocka_unit_test(nothing_has_no_piece),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
