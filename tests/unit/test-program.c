/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/base/program.h"

/* This test runs from a build tree, so it is itself a program that is found there. */
static void a_build_tree_uses_its_own(void **state)
{
	char path[PATH_MAX];
	struct stat found;
	struct stat self;

	assert_int_equal(program_find("test-program", "tests/unit", path, sizeof(path)), 0);
	assert_int_equal(stat(path, &found), 0);
	assert_int_equal(stat("/proc/self/exe", &self), 0);
	assert_int_equal(found.st_ino, self.st_ino);
}

static void what_is_missing_is_named(void **state)
{
	char path[PATH_MAX];

	assert_int_equal(program_find("no-such-thing", "tests/unit", path, sizeof(path)), -ENOENT);
	assert_non_null(strstr(path, "/tests/unit/no-such-thing"));
	assert_int_equal(program_find("test-program", "tests/unit", path, 8), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_build_tree_uses_its_own),
		cmocka_unit_test(what_is_missing_is_named),
	};

	return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
