/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/report/clean.h"

struct row {
	const char *name, *from;
	size_t size;
	const char *wanted;
};

/* clang-format off */
static const struct row rows[] = {
	{ "nothing", NULL, 16, "" },
	{ "empty", "", 16, "" },
	{ "ASCII", "eth0 (port 1)", 16, "eth0 (port 1)" },
	{ "German and Japanese", "\xc3\xbc" "ber \xe6\x99\x82", 16, "\xc3\xbc" "ber \xe6\x99\x82" },
	{ "beyond the basic plane", "\xf0\x9f\x95\x90", 16, "\xf0\x9f\x95\x90" },
	{ "Latin-1", "\xfc" "ber", 16, "?ber" },
	{ "a terminal's escapes", "a\x1b[2Jb\nc\td\x7f", 16, "a?[2Jb?c?d?" },
	{ "escapes of eight bits", "\xc2\x9b" "2J", 16, "??2J" },
	{ "a character cut off", "a\xe6\x99", 16, "a??" },
	{ "only what follows", "\x99\x82", 16, "??" },
	{ "longer than need be", "\xc0\xaf\xe0\x80\xaf", 16, "?????" },
	{ "half of a pair", "\xed\xa0\x80", 16, "???" },
	{ "no such character", "\xf4\x90\x80\x80\xff", 16, "?????" },
	{ "fits exactly", "abc", 4, "abc" },
	{ "cut", "abcdef", 4, "abc" },
	{ "not cut within a character", "ab\xc3\xbc", 4, "ab" },
	{ "room for nothing", "abc", 1, "" },
};
/* clang-format on */

static void text_is_fit_to_be_shown(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char to[16] = "##############";

		clean_copy(to, rows[i].size, rows[i].from);
		if (strcmp(to, rows[i].wanted) != 0)
			fail_msg("%s: \"%s\"", rows[i].name, to);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_fit_to_be_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
