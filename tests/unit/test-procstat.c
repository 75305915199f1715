/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc/PID/stat says, with the names that break a parser. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/base/procstat.h"

#define TAIL                                                                                       \
	" S 2 0 0 0 -1 69238848 0 0 0 0 5 43 0 0 -100 0 1 0 24 0 0 18446744073709551615 0 0 0 0 "  \
	"0 "                                                                                       \
	"0 0 2147483647 0 1 0 0 17 3 99 1 0 0 0 0 0 0 0 0 0 0 0"

static void a_kernel_thread_is_read(void **state)
{
	struct procstat s;

	assert_int_equal(procstat_parse("18 (migration/3)" TAIL, &s), 0);
	assert_int_equal(s.tid, 18);
	assert_string_equal(s.name, "migration/3");
	assert_int_equal(s.state, 'S');
	assert_true(s.kernel);
	assert_int_equal(s.threads, 1);
	assert_int_equal(s.run_ticks, 48);
	assert_int_equal(s.started_ticks, 24);
	assert_int_equal(s.last_cpu, 3);
	assert_int_equal(s.rt_priority, 99);
	assert_int_equal(s.policy, SCHED_FIFO);
}

static void names_may_hold_anything(void **state)
{
	static const char *const names[] = {"a b", "x) R 1 (y", "(",
					    ")",   "",          "kworker/u8:2+flush-254:0"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char line[512];
		struct procstat s = {0};

		(void)snprintf(line, sizeof(line), "7 (%s)%s", names[i], TAIL);
		if (procstat_parse(line, &s) != 0 || strcmp(s.name, names[i]) != 0 ||
		    s.policy != SCHED_FIFO)
			fail_msg("%s: %s", names[i], s.name);
	}
}

static void what_is_cut_is_refused(void **state)
{
	static const char whole[] = "18 (migration/3)" TAIL;
	size_t last = (size_t)(strstr(whole, " 99 1 ") - whole) + 4; /* up to the policy */
	struct procstat s = {.tid = -1};
	char line[sizeof(whole)];

	for (size_t len = 0; len <= last; len++) {
		(void)snprintf(line, sizeof(line), "%.*s", (int)len, whole);
		assert_int_equal(procstat_parse(line, &s), -EBADMSG);
		assert_int_equal(s.tid, -1);
	}
}

static void this_process_is_a_program(void **state)
{
	struct procstat s;

	assert_int_equal(procstat_read("", getpid(), getpid(), &s), 0);
	assert_int_equal(s.tid, getpid());
	assert_false(s.kernel);
	assert_string_equal(s.name, "test-procstat");
	assert_int_equal(procstat_read("", getpid(), 0, &s), 0);
	assert_int_equal(procstat_read("", 0x3fffffff, 0, &s), -ENOENT);
}

static void a_text_is_cut_and_ended(void **state)
{
	char text[8];

	assert_int_equal(procstat_text("", text, sizeof(text), "/proc/%s/comm", "self"), 7);
	assert_string_equal(text, "test-pr");
	assert_int_equal(procstat_text("/no/such/root", text, sizeof(text), "/x"), -ENOENT);
	assert_string_equal(text, "");
}

static void a_value_is_found_by_its_whole_key(void **state)
{
	static const char text[] = "Name:\tx\nXCapEff:\t1\nCapEff:\t2\nVmLck:\t3 kB";

	assert_null(procstat_value(text, "Cap"));
	assert_null(procstat_value("", "Name"));
	assert_string_equal(procstat_value(text, "VmLck"), "\t3 kB");
	assert_int_equal(strncmp(procstat_value(text, "CapEff"), "\t2\n", 3), 0);
	assert_int_equal(strncmp(procstat_value(text, "Name"), "\tx\n", 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_thread_is_read),
		cmocka_unit_test(names_may_hold_anything),
		cmocka_unit_test(what_is_cut_is_refused),
		cmocka_unit_test(this_process_is_a_program),
		cmocka_unit_test(a_value_is_found_by_its_whole_key),
		cmocka_unit_test(a_text_is_cut_and_ended),
	};

	return cmocka_run_group_tests_name("procstat", tests, NULL, NULL);
}
