/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines as they arrive in a pipe that is standard error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/base/log.h"

enum stream { STREAM_NONE, STREAM_OWN, STREAM_OTHER };

static const struct {
	const char *name;
	enum stream stream; /* what JOURNAL_STREAM says */
	const char *prefix, *text, *line;
} rows[] = {
	{"terminal", STREAM_NONE, "ptpmon", "a: b", "ptpmon: a: b\n"},
	{"no name", STREAM_NONE, NULL, "a: b", "a: b\n"},
	{"journal", STREAM_OWN, "ptpmon", "a: b", "<4>a: b\n"},
	{"the journal is somebody else's", STREAM_OTHER, "ptpmon", "a: b", "ptpmon: a: b\n"},
	{"a line that would forge another", STREAM_OWN, NULL, "a\n<0>b\033", "<4>a <0>b \n"},
};

static void set_stream(enum stream stream)
{
	char text[64];
	struct stat st;

	(void)unsetenv("JOURNAL_STREAM");
	if (stream == STREAM_NONE)
		return;
	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	(void)snprintf(text, sizeof(text), "%ju:%ju", (uintmax_t)st.st_dev,
		       (uintmax_t)st.st_ino + (stream == STREAM_OTHER));
	assert_int_equal(setenv("JOURNAL_STREAM", text, 1), 0);
}

static void lines_begin_as_their_reader_needs(void **state)
{
	int saved = dup(STDERR_FILENO);
	int ends[2];
	char got[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ssize_t n;

		assert_int_equal(pipe(ends), 0);
		(void)dup2(ends[1], STDERR_FILENO);
		set_stream(rows[i].stream);
		log_setup(rows[i].prefix, LOG_LEVEL_NOTICE);
		log_info("%s", "not at this level");
		log_warning("%s", rows[i].text);
		n = read(ends[0], got, sizeof(got) - 1);
		(void)dup2(saved, STDERR_FILENO);
		(void)close(ends[0]);
		(void)close(ends[1]);
		got[n > 0 ? n : 0] = '\0';
		if (strcmp(got, rows[i].line) != 0)
			fail_msg("%s: %s", rows[i].name, got);
	}
	(void)close(saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_begin_as_their_reader_needs),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
