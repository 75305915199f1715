// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/leap_seconds.h"

#define UTC_2016_12_31_LAST INT64_C(1483228799)

static const char two_rows[] = "# a comment\n"
			       "#$\t3960835200\n"
			       "#@\t3991593600\n"
			       "3644697600\t36\t# 1 Jul 2015\n"
			       "3692217600      37      # 1 Jan 2017\r\n"
			       "#h 49db2447 571e5e1b";

static void a_table_is_read(void **state)
{
	struct leap_table t;

	assert_int_equal(leap_table_parse(two_rows, strlen(two_rows), &t), 0);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.expires_utc_s, 1782604800);
	assert_int_equal(leap_table_at(&t, 0), 0);
	assert_int_equal(leap_table_at(&t, t.row[0].utc_s), 36);
	assert_int_equal(leap_table_at(&t, UTC_2016_12_31_LAST), 36);
	assert_int_equal(leap_table_at(&t, UTC_2016_12_31_LAST + 1), 37);
	assert_int_equal(leap_table_at(&t, INT64_MAX), 37);
}

static void what_is_no_table_is_refused(void **state)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{"nothing", ""},
		{"no row", "#@ 3991593600\n"},
		{"no expiry", "3692217600 37\n"},
		{"a row without an offset", "#@ 3991593600\n3692217600\n"},
		{"a word", "#@ 3991593600\n3692217600 thirty-seven\n"},
		{"an expiry that is none", "#@ soon\n3692217600 37\n"},
		{"not in order", "#@ 3991593600\n3692217600 37\n3644697600 36\n"},
		{"an offset of nothing", "#@ 3991593600\n3692217600 0\n"},
		{"an offset from elsewhere", "#@ 3991593600\n3692217600 37000\n"},
		{"a moment beyond 2036", "#@ 3991593600\n4294967296 38\n"},
		{"a web page", "<html><body>404</body></html>\n"},
	};
	struct leap_table t = {.n = 7};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (leap_table_parse(rows[i].text, strlen(rows[i].text), &t) != -EBADMSG ||
		    t.n != 7)
			fail_msg("%s", rows[i].name);
}

static void more_rows_than_there_is_room_for_are_refused(void **state)
{
	char text[(LEAP_SECONDS_MAX + 2) * 32] = "#@ 3991593600\n";
	struct leap_table t;

	for (int i = 0; i <= LEAP_SECONDS_MAX; i++)
		(void)snprintf(text + strlen(text), 32, "%d %d\n", 1000 + i, 10 + i);
	assert_int_equal(leap_table_parse(text, strlen(text), &t), -EBADMSG);
}

static void a_file_that_is_not_there_says_so(void **state)
{
	struct leap_table t;

	assert_int_equal(leap_table_load("/nowhere/leap-seconds.list", &t), -ENOENT);
	assert_int_equal(leap_table_load("/", &t), -EISDIR);
}

static void a_table_of_nothing_says_nothing(void **state)
{
	assert_int_equal(leap_table_at(&(struct leap_table){0}, INT64_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_is_read),
		cmocka_unit_test(what_is_no_table_is_refused),
		cmocka_unit_test(more_rows_than_there_is_room_for_are_refused),
		cmocka_unit_test(a_file_that_is_not_there_says_so),
		cmocka_unit_test(a_table_of_nothing_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
