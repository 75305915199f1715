/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times and spans as numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"

static void an_offset_has_the_unit_that_suits_it(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} rows[] = {
		{0, "0 ns"},
		{-112, "-112 ns"},
		{99999, "99999 ns"},
		{100000, "100.0 us"},
		{-9999900, "-9999.9 us"},
		{10000000, "10.000 ms"},
		{INT64_C(-37000000112), "-37.000000 s"},
		{INT64_MAX, "9223372036.854776 s"},
		{INT64_MIN, "-9223372036.854776 s"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[NSEC_TEXT_MAX];

		assert_string_equal(nsec_format_offset(rows[i].ns, text), rows[i].text);
	}
}

/* Every ten from 100 on. */
static void what_is_due_keeps_its_beat(void **state)
{
	static const struct {
		const char *name;
		int64_t due, now, next;
	} rows[] = {
		{"on time", 100, 100, 110},
		{"a little late", 100, 104, 110},
		{"just before the next", 100, 109, 110},
		{"at the next, which is missed", 100, 110, 120},
		{"three missed", 100, 137, 140},
		{"early, as timers are that are put together", 100, 98, 110},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (nsec_next_due(rows[i].due, 10, rows[i].now) != rows[i].next)
			fail_msg("%s", rows[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_offset_has_the_unit_that_suits_it),
		cmocka_unit_test(what_is_due_keeps_its_beat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
