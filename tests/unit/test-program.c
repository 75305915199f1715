/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

enum { FOUND = 7, NOT_FOUND = 8 };

/* What a copy of this program does: it says whether it finds TARGET. */
static int find_as_installed(const char *target)
{
	char path[PATH_MAX];
	char real[PATH_MAX];

	if (program_find("helper", "tests/unit", path, sizeof(path)) < 0)
		return NOT_FOUND;
	return realpath(path, real) && strcmp(real, target) == 0 ? FOUND : 1;
}

static void copy_self(const char *to)
{
	char command[2 * PATH_MAX];

	(void)snprintf(command, sizeof(command), "cp /proc/%d/exe '%s'", (int)getpid(), to);
	assert_int_equal(system(command), 0);
}

static int run_copy(const char *copy, const char *target)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		(void)execl(copy, copy, target, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

/* Installed anywhere: what stands beside it is found, and only that. */
static void a_moved_tree_finds_its_own(void **state)
{
	static const char *const directories[] = {"/bin", "/libexec", "/libexec/ptpmon"};
	char root[] = "/tmp/test-program-XXXXXX";
	char copy[64];
	char helper[64];
	char path[64];

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", root, directories[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	(void)snprintf(copy, sizeof(copy), "%s/bin/copy", root);
	(void)snprintf(helper, sizeof(helper), "%s/libexec/ptpmon/helper", root);
	copy_self(copy);
	assert_int_equal(run_copy(copy, helper), NOT_FOUND);
	copy_self(helper);
	assert_int_equal(run_copy(copy, helper), FOUND);
	assert_int_equal(unlink(helper), 0);
	assert_int_equal(unlink(copy), 0);
	for (size_t i = sizeof(directories) / sizeof(directories[0]); i-- > 0;) {
		(void)snprintf(path, sizeof(path), "%s%s", root, directories[i]);
		assert_int_equal(rmdir(path), 0);
	}
	assert_int_equal(rmdir(root), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_build_tree_uses_its_own),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(a_moved_tree_finds_its_own),
	};

	if (argc > 1)
		return find_as_installed(argv[1]);
	return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
