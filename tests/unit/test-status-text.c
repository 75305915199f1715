// SPDX-License-Identifier: GPL-2.0-or-later
/* The screen of each fixture is the one in tests/data/status, and fits a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/report/status_text.h"
#include "status-fixture.h"

static const struct status_screen serial_console = {.columns = 80, .rows = 24};

static void read_expected(const char *name, char *out, size_t size)
{
	char path[512];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/status/%s.txt", getenv("TEST_DATA"), name);
	f = fopen(path, "re");
	if (!f)
		fail_msg("%s: cannot read it", path);
	n = fread(out, 1, size - 1, f);
	fclose(f);
	out[n] = '\0';
}

static void test_screens(void **state)
{
	for (size_t i = 0; i < n_status_fixtures; i++) {
		struct status *s = status_fixture_new(&status_fixtures[i]);
		char *text = status_to_text(s, &serial_console);
		char expected[8192];

		read_expected(status_fixtures[i].name, expected, sizeof(expected));
		if (strcmp(text, expected) != 0)
			fail_msg("%s:\n%s", status_fixtures[i].name, text);
		free(text);
		free(s);
	}
}

static void test_complaints_where_there_is_room(void **state)
{
	struct status_screen tall = serial_console;

	tall.rows = 50;
	for (size_t i = 0; i < n_status_fixtures; i++) {
		struct status *s = status_fixture_new(&status_fixtures[i]);
		char *text = status_to_text(s, &tall);

		if (strcmp(status_fixtures[i].name, "failed-child") == 0)
			assert_non_null(strstr(
				text,
				"\ntold      ptp4l: tx-timestamp-timeout, 7 times, last 16 s ago"
				"\n          ptp4l: port-fault, 1 time, last 16 s ago\n"));
		free(text);
		free(s);
	}
}

/* The number of lines; *widest is the longest one's columns. */
static size_t measure(const char *text, size_t *widest)
{
	size_t lines = 0;
	size_t at = 0;

	*widest = 0;
	for (; *text; text++) {
		if (*text == '\n') {
			lines++;
			at = 0;
		} else if (((unsigned char)*text & 0xc0) != 0x80 && ++at > *widest) {
			*widest = at;
		}
	}
	return lines;
}

static void test_fits(void **state)
{
	for (size_t i = 0; i < n_status_fixtures; i++) {
		struct status *s = status_fixture_new(&status_fixtures[i]);
		char *text = status_to_text(s, &serial_console);
		size_t widest;
		size_t lines = measure(text, &widest);

		/* the prompt has the last line */
		if (lines >= serial_console.rows || widest > serial_console.columns)
			fail_msg("%s: %zu x %zu", status_fixtures[i].name, widest, lines);
		free(text);
		free(s);
	}
}

/* A larger terminal shows more CPUs and children; on a tiny one every line still wraps. */
static void test_other_sizes(void **state)
{
	const struct status_screen large = {.columns = 132, .rows = 100};
	const struct status_screen tiny = {.columns = 40, .rows = 5};
	struct status *s = NULL;
	char *text;
	size_t widest;

	for (size_t i = 0; i < n_status_fixtures; i++)
		if (strcmp(status_fixtures[i].name, "crowded") == 0)
			s = status_fixture_new(&status_fixtures[i]);
	assert_non_null(s);
	text = status_to_text(s, &large);
	assert_non_null(strstr(text, "\n          37  "));
	assert_non_null(strstr(text, "ptp4l swp9"));
	assert_in_range(measure(text, &widest), 80, 99);
	free(text);
	text = status_to_text(s, &tiny);
	assert_non_null(strstr(text, "BAD       ptp4l swp7"));
	free(text);
	free(s);
}

/* A table stays one: what there is no room for goes, but not what it has found. */
static void test_narrow(void **state)
{
	const struct status_screen narrow = {.columns = 60, .rows = 24};
	const struct status_screen medium = {.columns = 75, .rows = 24};
	struct status *s = status_fixture_new(&status_fixtures[0]);
	char *text = status_to_text(s, &narrow);

	assert_non_null(strstr(text, "\nlatency us cpu      min     avg      max last minute\n"
				     "          0        1.9     4.5     55.3        31.2\n"
				     "          1        1.9     4.6     57.3        31.3\n"
				     "          idle states: allow\n"));
	free(text);
	s->cpus[1].missed = 3;
	text = status_to_text(s, &medium);
	assert_non_null(strstr(text, "last minute   wake-ups overflow\n"));
	assert_non_null(strstr(text, "\n          overflow 0, missed 3\n"));
	free(text);
	free(s);
}

static void test_colour(void **state)
{
	const struct status_screen screen = {.columns = 80, .rows = 24, .colour = true};
	struct status *s = status_fixture_new(&status_fixtures[0]);
	char *plain = status_to_text(s, &serial_console);
	char *text = status_to_text(s, &screen);

	assert_int_equal(strncmp(text, "\033[1;32mGOOD\033[0m  ", 17), 0);
	assert_string_equal(strchr(text, '\n'), strchr(plain, '\n'));
	free(text);
	free(plain);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screens),
		cmocka_unit_test(test_complaints_where_there_is_room),
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_other_sizes),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
