/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/wrap.h"

#define TEN    "aaaaaaaaaa"
#define FORTY  TEN TEN TEN TEN
#define EIGHTY FORTY FORTY

static void words_go_on_in_the_next_line(void **state)
{
	static const struct {
		const char *name, *text, *wrapped;
	} rows[] = {
		{"nothing", "", "\n"},
		{"short", "one  two", "* one two\n"},
		{"two lines", FORTY " " FORTY, "* " FORTY "\n    " FORTY "\n"},
		{"a number and its unit", FORTY " " TEN TEN TEN " 100 ns",
		 "* " FORTY " " TEN TEN TEN "\n    100 ns\n"},
		{"a word too long", "x " EIGHTY "b",
		 "* x\n    " FORTY TEN TEN TEN "aaaaa\n    aaaaab\n"},
		{"whole characters",
		 FORTY TEN TEN TEN "aaaaaa\xc3\xbc"
				   "b",
		 "* " FORTY TEN TEN TEN "aaaaaa\n    \xc3\xbc"
		 "b\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(strbuf_clear) struct strbuf out = {0};

		wrap_add(&out, "* ", "    ", rows[i].text);
		if (strcmp(strbuf_text(&out), rows[i].wrapped) != 0)
			fail_msg("%s: \"%s\"", rows[i].name, strbuf_text(&out));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_go_on_in_the_next_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
