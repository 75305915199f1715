/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/stats/coincidence.h"

enum { N = 5000 };

static void mark(uint8_t *marks, size_t at, enum coincidence_mark what)
{
	marks[at % N] |= (uint8_t)what;
}

static void those_that_belong_together_are_found(void **state)
{
	uint8_t marks[N] = {0};
	struct coincidence c;

	for (size_t i = 0; i < 50; i++) {
		mark(marks, i * i * 7, COINCIDENCE_A);
		mark(marks, i * i * 7 + (i < 20 ? 0 : 1000 + 31 * i), COINCIDENCE_B);
	}
	assert_int_equal(coincidence_count(&c, marks, N), 0);
	assert_int_equal(c.windows, N);
	assert_in_range(c.a, 40, 50);
	assert_in_range(c.both, 20, 25);
	assert_true(c.expected < 0.6);
	assert_true(c.chance < 0.001);
}

static void those_that_do_not_are_chance(void **state)
{
	uint8_t marks[N] = {0};
	struct coincidence c;

	for (size_t i = 0; i < 200; i++) {
		mark(marks, i * 7919, COINCIDENCE_A);
		mark(marks, i * 104729 + 17, COINCIDENCE_B);
	}
	assert_int_equal(coincidence_count(&c, marks, N), 0);
	assert_true(c.expected > 5 && c.expected < 10);
	assert_true(c.chance > 0.05);
}

/*
 * Both come in groups of a hundred. Two groups that lie together are a hundred coincidences where
 * independent windows would have two, and yet no more than one in 50 turns would give.
 */
static void groups_are_no_proof(void **state)
{
	uint8_t marks[N] = {0};
	struct coincidence c;

	for (size_t i = 0; i < 100; i++) {
		mark(marks, 1000 + i, COINCIDENCE_A);
		mark(marks, 1020 + i, COINCIDENCE_B);
	}
	assert_int_equal(coincidence_count(&c, marks, N), 0);
	assert_int_equal(c.both, 80);
	assert_true(c.expected > 1.9 && c.expected < 2.1);
	assert_in_range(c.chance * N, 41, 41); /* turns by -20 to 20 windows are as many or more */
}

static void without_both_there_is_nothing(void **state)
{
	uint8_t marks[N] = {0};
	struct coincidence c = {.windows = 7};

	assert_int_equal(coincidence_count(&c, marks, 0), -ENODATA);
	assert_int_equal(coincidence_count(&c, marks, N), -ENODATA);
	mark(marks, 5, COINCIDENCE_A);
	assert_int_equal(coincidence_count(&c, marks, N), -ENODATA);
	memset(marks, COINCIDENCE_A | COINCIDENCE_B, N);
	assert_int_equal(coincidence_count(&c, marks, N), -ENODATA);
	assert_int_equal(c.windows, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_belong_together_are_found),
		cmocka_unit_test(those_that_do_not_are_chance),
		cmocka_unit_test(groups_are_no_proof),
		cmocka_unit_test(without_both_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
