/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child's output through a pipe that may lose some of it. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/collect/log.h"

struct heard {
	char text[4096]; /* "N text\n" or "S text\n" for each line */
	size_t len;
};

static void on_line(void *userdata, enum log_kind kind, const char *text)
{
	struct heard *h = userdata;

	h->len += (size_t)snprintf(h->text + h->len, sizeof(h->text) - h->len, "%s %s\n",
				   kind == LOG_SAMPLE ? "S" : "N", text);
}

static void hear(struct heard *h, struct log_source *s, const char *const *pieces)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	*h = (struct heard){0};
	*s = (struct log_source){.fd = fds[0], .on_line = on_line, .userdata = h};
	for (; *pieces; pieces++) {
		assert_int_equal(write(fds[1], *pieces, strlen(*pieces)), strlen(*pieces));
		assert_int_equal(log_source_receive(s), 0);
	}
	(void)close(fds[0]);
	(void)close(fds[1]);
}

/* clang-format off */
static const struct {
	const char *name;
	const char *pieces[8];
	const char *lines;
	uint64_t holes;
} rows[] = {
	{ "samples and news",
	  { "ptp4l[5374.170]: port 1: LISTENING to UNCALIBRATED on RS_SLAVE\n",
	    "ptp4l[5374.295]: master offset       -665 s0 freq      +0 path delay      1678\n",
	    "ptp4l[5375.295]: rms  702 max  903 freq    -53 +/-  36 delay  1860 +/-   7\n", NULL },
	  "N port 1: LISTENING to UNCALIBRATED on RS_SLAVE\n"
	  "S master offset       -665 s0 freq      +0 path delay      1678\n"
	  "S rms  702 max  903 freq    -53 +/-  36 delay  1860 +/-   7\n", 0 },
	{ "phc2sys's",
	  { "phc2sys[5.000]: CLOCK_REALTIME phc offset       -86 s2 freq   +5316 delay   1840\n",
	    "phc2sys[6.000]: CLOCK_REALTIME rms   12 max   20 freq    -53 +/-  36 delay  1860 +/-   7\n",
	    "phc2sys[7.000]: Waiting for ptp4l...\n", NULL },
	  "S CLOCK_REALTIME phc offset       -86 s2 freq   +5316 delay   1840\n"
	  "S CLOCK_REALTIME rms   12 max   20 freq    -53 +/-  36 delay  1860 +/-   7\n"
	  "N Waiting for ptp4l...\n", 0 },
	{ "a line in pieces",
	  { "ptp4l[1.0", "00]: link", " up\nptp4l[1.001]: li", "nk down\n", NULL },
	  "N link up\nN link down\n", 0 },
	{ "lost in the middle of a line",
	  { "ptp4l[1.000]: master offset      -ptp4l[9.000]: port 1: link up\n", NULL },
	  "N port 1: link up\n", 1 },
	{ "no frame at all", { "a stray line\n\n", NULL }, "N a stray line\n", 0 },
	{ "what only looks like a frame",
	  { "ptp4l[x]: y\nptp4l[: z\nptp4l[1.2] w\n", NULL },
	  "N ptp4l[x]: y\nN ptp4l[: z\nN ptp4l[1.2] w\n", 0 },
};
/* clang-format on */

static void lines_are_told_and_holes_are_counted(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct log_source s;
		struct heard h;

		hear(&h, &s, rows[i].pieces);
		if (strcmp(h.text, rows[i].lines) != 0 || s.holes != rows[i].holes)
			fail_msg("%s: %llu holes\n%s", rows[i].name, (unsigned long long)s.holes,
				 h.text);
	}
}

static void the_servo_is_read_from_samples_alone(void **state)
{
	struct log_servo said;

	assert_true(
		log_servo("master offset       -665 s1 freq  -1012 path delay      1678", &said));
	assert_int_equal(said.offset_ns, -665);
	assert_int_equal(said.servo, 1);
	assert_int_equal(said.freq_ppb, -1012);
	assert_true(log_servo("CLOCK_REALTIME phc offset -86 s2 freq +5316 delay 1840", &said));
	assert_int_equal(said.freq_ppb, 5316);
	assert_false(log_servo("rms  702 max  903 freq    -53 +/-  36", &said));
	assert_false(log_servo("updating UTC offset to 37", &said));
	assert_false(log_servo("failed to set the clock offset", &said));
	assert_false(log_servo("offset", &said));
}

static void a_line_without_end_is_cut(void **state)
{
	char endless[3 * LOG_LINE_MAX + 1];
	const char *pieces[] = {endless, "\nshort\n", NULL};
	struct log_source s;
	struct heard h;

	memset(endless, 'x', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	hear(&h, &s, pieces);
	assert_int_equal(s.lines, 2);
	assert_int_equal(h.len, 2 + LOG_LINE_MAX - 1 + 1 + strlen("N short\n"));
	assert_string_equal(h.text + h.len - strlen("N short\n"), "N short\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_told_and_holes_are_counted),
		cmocka_unit_test(the_servo_is_read_from_samples_alone),
		cmocka_unit_test(a_line_without_end_is_cut),
	};

	return cmocka_run_group_tests_name("log-source", tests, NULL, NULL);
}
