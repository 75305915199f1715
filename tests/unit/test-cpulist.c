/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/base/cpulist.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void lists_parse_and_format(void **state)
{
	static const struct row {
		const char *name, *text;
		int want;
		const char *back;
		size_t count;
	} rows[] = {
		{"one", "0", 0, "0", 1},
		{"range and one", "0-3,5", 0, "0-3,5", 5},
		{"neighbours join", "1,2,3", 0, "1-3", 3},
		{"any order, twice", "9,1,9,2", 0, "1-2,9", 3},
		{"blanks around commas", " 1 , 3-4\n", 0, "1,3-4", 3},
		{"across words, with holes", "63-64,127-128,1023", 0, "63-64,127-128,1023", 5},
		{"everything", "0-1023", 0, "0-1023", 1024},
		{"leading zeros", "007", 0, "7", 1},
		{"empty", "", -EINVAL, NULL, 0},
		{"blank", "  ", -EINVAL, NULL, 0},
		{"word", "all", -EINVAL, NULL, 0},
		{"comma first", ",1", -EINVAL, NULL, 0},
		{"comma last", "1,", -EINVAL, NULL, 0},
		{"two commas", "1,,2", -EINVAL, NULL, 0},
		{"backwards", "3-1", -EINVAL, NULL, 0},
		{"no end", "1-", -EINVAL, NULL, 0},
		{"negative", "-1", -EINVAL, NULL, 0},
		{"stride", "0-8:2", -EINVAL, NULL, 0},
		{"hexadecimal", "0x3", -EINVAL, NULL, 0},
		{"two without a comma", "1 2", -EINVAL, NULL, 0},
		{"beyond the set", "1024", -ERANGE, NULL, 0},
		{"end beyond the set", "0-1024", -ERANGE, NULL, 0},
		{"beyond a word", "99999999999999999999999", -ERANGE, NULL, 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cpulist set = {.bits[0] = 1 << 7};
		char text[CPULIST_TEXT_MAX];
		int r = cpulist_parse(rows[i].text, &set);

		if (r != rows[i].want)
			fail_msg("%s: returned %d", rows[i].name, r);
		if (r < 0 && (!cpulist_has(&set, 7) || cpulist_count(&set) != 1))
			fail_msg("%s: changed the set", rows[i].name);
		if (r == 0 && (strcmp(cpulist_format(&set, text), rows[i].back) != 0 ||
			       cpulist_count(&set) != rows[i].count))
			fail_msg("%s: %s", rows[i].name, text);
	}
}

static void a_long_list_is_cut_visibly(void **state)
{
	struct cpulist set = {0};
	char text[CPULIST_TEXT_MAX];

	for (size_t cpu = 0; cpu < CPULIST_MAX; cpu += 2)
		cpulist_add(&set, cpu);
	cpulist_format(&set, text);
	assert_true(strlen(text) < CPULIST_TEXT_MAX);
	assert_string_equal(text + strlen(text) - 3, "...");
	assert_memory_equal(text, "0,2,4,6,", 8);
}

static void members_are_found_in_order(void **state)
{
	struct cpulist set = {0};

	assert_int_equal(cpulist_next(&set, 0), CPULIST_MAX);
	cpulist_add(&set, 5);
	cpulist_add(&set, 64);
	cpulist_add(&set, CPULIST_MAX); /* there is no such CPU */
	assert_int_equal(cpulist_count(&set), 2);
	assert_int_equal(cpulist_next(&set, 0), 5);
	assert_int_equal(cpulist_next(&set, 5), 5);
	assert_int_equal(cpulist_next(&set, 6), 64);
	assert_int_equal(cpulist_next(&set, 65), CPULIST_MAX);
	assert_false(cpulist_has(&set, CPULIST_MAX));
	assert_false(cpulist_has(&set, SIZE_MAX));
}

static void masks_convert_both_ways(void **state)
{
	struct cpulist set;
	struct cpulist back;
	unsigned long mask[CPULIST_MAX / (sizeof(unsigned long) * CHAR_BIT)];

	assert_int_equal(cpulist_parse("0,63-64,1023", &set), 0);
	cpulist_to_mask(&set, mask, sizeof(mask));
	cpulist_from_mask(&back, mask, sizeof(mask));
	assert_true(cpulist_equal(&set, &back));
	cpulist_to_mask(&set, mask, sizeof(mask[0])); /* a smaller mask takes what fits */
	cpulist_from_mask(&back, mask, sizeof(mask[0]));
	assert_int_equal(cpulist_next(&back, 1), sizeof(mask[0]) == 8 ? 63 : CPULIST_MAX);
}

static void files_are_read(void **state)
{
	static const struct row {
		const char *name, *content;
		int want;
		size_t count;
	} rows[] = {
		{"a list", "0-5\n", 0, 6},
		{"none, as the kernel writes it", "\n", 0, 0},
		{"nothing at all", "", -EINVAL, 0},
		{"something else", "yes\n", -EINVAL, 0},
	};
	char path[] = "/tmp/test-cpulist-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cpulist set = {.bits[0] = 0xff};
		size_t len = strlen(rows[i].content);
		int r;

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, rows[i].content, len, 0), (ssize_t)len);
		r = cpulist_read(path, &set);
		if (r != rows[i].want || (r == 0 && cpulist_count(&set) != rows[i].count))
			fail_msg("%s: returned %d", rows[i].name, r);
	}
	(void)close(fd);
	(void)unlink(path);
	assert_int_equal(cpulist_read(path, &(struct cpulist){0}), -ENOENT);
}

/* Whatever board this is: the words cut what is online into two parts. */
static void words_choose_this_boards_cpus(void **state)
{
	struct cpulist all;
	struct cpulist isolated;
	struct cpulist others;
	struct cpulist online;

	assert_int_equal(cpulist_read("/sys/devices/system/cpu/online", &online), 0);
	assert_int_equal(cpulist_select("all", &all), 0);
	assert_int_equal(cpulist_select("isolated", &isolated), 0);
	assert_int_equal(cpulist_select("not-isolated", &others), 0);
	assert_true(cpulist_equal(&all, &online));
	assert_true(cpulist_count(&others) > 0);
	assert_int_equal(cpulist_count(&isolated) + cpulist_count(&others), cpulist_count(&all));
	for (size_t i = 0; i < CPULIST_WORDS; i++)
		assert_int_equal(isolated.bits[i] & others.bits[i], 0);
	assert_int_equal(cpulist_select("900-901", &all), 0); /* taken as it is */
	assert_int_equal(cpulist_count(&all), 2);
	assert_int_equal(cpulist_select("ALL", &all), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_parse_and_format),
		cmocka_unit_test(a_long_list_is_cut_visibly),
		cmocka_unit_test(members_are_found_in_order),
		cmocka_unit_test(masks_convert_both_ways),
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(words_choose_this_boards_cpus),
	};

	return cmocka_run_group_tests_name("cpulist", tests, NULL, NULL);
}
