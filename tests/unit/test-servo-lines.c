/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a servo and samples, in an order that is theirs: which line is whose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/servo_lines.h"

#define TENTH (NSEC_PER_SEC / 10)

/* A line read 2 ms after the k-th tenth of a second, with frequency 1000 + k. */
static void add(struct servo_lines *lines, int64_t k, int64_t offset_ns)
{
	servo_lines_add(lines, &(struct servo_line){.offset_ns = offset_ns,
						    .freq_ppb = 1000 + k,
						    .servo = 2,
						    .read_mono_ns = k * TENTH + 2 * NSEC_PER_MSEC});
}

/* The frequency of the sample of the k-th tenth, 0 without. */
static int join(struct servo_lines *lines, int64_t k, int64_t offset_ns)
{
	struct sample s = {.flags = SAMPLE_UNLOCKED, .mono_ns = k * TENTH, .value = offset_ns};
	bool found = servo_lines_join(lines, &s);

	assert_int_equal(s.flags, SAMPLE_UNLOCKED | (found ? SAMPLE_SERVO : 0));
	assert_int_equal(s.servo, found ? 2 : 0);
	return (int)s.freq_ppb;
}

static void each_sample_has_its_line(void **state)
{
	struct servo_lines lines = {0};

	for (int64_t k = 0; k < 100; k++) {
		add(&lines, k, k % 3);
		assert_int_equal(join(&lines, k, k % 3), 1000 + k);
	}
	assert_int_equal(lines.n, 0);
}

static void what_has_no_partner_is_left_out(void **state)
{
	struct servo_lines lines = {0};

	assert_int_equal(join(&lines, 0, 5), 0); /* its line was lost */
	add(&lines, 1, 5);
	add(&lines, 2, 5);
	add(&lines, 3, 7);
	assert_int_equal(join(&lines, 2, 5), 1002); /* 1 was missed: its line is too old */
	assert_int_equal(join(&lines, 2, 5), 0);    /* none is used twice */
	assert_int_equal(join(&lines, 3, 6), 0);
	assert_int_equal(join(&lines, 3, 7), 1003);
}

static void lines_that_nobody_asks_for_are_forgotten(void **state)
{
	struct servo_lines lines = {0};

	for (int64_t k = 0; k < 1000; k++)
		add(&lines, k, k);
	assert_int_equal(lines.n, SERVO_LINES_MAX);
	assert_int_equal(join(&lines, 1000 - SERVO_LINES_MAX - 1, 1000 - SERVO_LINES_MAX - 1), 0);
	assert_int_equal(join(&lines, 999, 999), 1999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sample_has_its_line),
		cmocka_unit_test(what_has_no_partner_is_left_out),
		cmocka_unit_test(lines_that_nobody_asks_for_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
