/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/collect/linuxptp_log.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/model/timemap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MS       INT64_C(1000000)

/* clang-format off */
static const struct {
	const char *line;
	enum linuxptp_kind kind;
	const char *program, *tag, *clock, *source;
	int64_t mono_ms, offset_ns, freq_ppb, delay_ns;
	unsigned servo;
} samples[] = {
	{ "ptp4l[2336.217]: master offset       -665 s0 freq      +0 path delay      1678", LINUXPTP_SAMPLE,
	  "ptp4l", "", "", "master", 2336217, -665, 0, 1678, 0 },
	{ "ptp4l[2336.217]: tagA master offset -665 s1 freq -0 path delay -16", LINUXPTP_SAMPLE,
	  "ptp4l", "tagA", "", "master", 2336217, -665, 0, -16, 1 },
	{ "ptp4l[1.000]: [ptp4l.0.config] master offset 1 s3 freq +100000000 path delay 0", LINUXPTP_SAMPLE,
	  "ptp4l", "ptp4l.0.config", "", "master", 1000, 1, 100000000, 0, 3 },
	{ "phc2sys[2765.234]: CLOCK_REALTIME phc offset    246529 s0 freq      -0 delay    922", LINUXPTP_SAMPLE,
	  "phc2sys", "", "CLOCK_REALTIME", "phc", 2765234, 246529, 0, 922, 0 },
	{ "phc2sys[680988.761]: [ptp4l.0.config] CLOCK_REALTIME phc offset 7 s2 freq +6338 delay 500", LINUXPTP_SAMPLE,
	  "phc2sys", "ptp4l.0.config", "CLOCK_REALTIME", "phc", 680988761, 7, 6338, 500, 2 },
	{ "phc2sys[65.416]: eth0 sys offset -1660821689051957847 s0 freq +0 delay 104278", LINUXPTP_SAMPLE,
	  "phc2sys", "", "eth0", "sys", 65416, -1660821689051957847, 0, 104278, 0 },
	{ "phc2sys[62092.093]: CLOCK_REALTIME pps offset     -1158 s2 freq   -3041", LINUXPTP_SAMPLE,
	  "phc2sys", "", "CLOCK_REALTIME", "pps", 62092093, -1158, -3041, SAMPLE_UNKNOWN, 2 },
	{ "phc2sys[5.000]: phc offset 5 s2 freq -1 delay 9", LINUXPTP_SAMPLE,
	  "phc2sys", "", "", "phc", 5000, 5, -1, 9, 2 },
	{ "ts2phc[680988.839]: [ts2phc.0.config] ens7f1 master offset          0 s2 freq      -0", LINUXPTP_SAMPLE,
	  "ts2phc", "ts2phc.0.config", "ens7f1", "master", 680988839, 0, 0, SAMPLE_UNKNOWN, 2 },
	{ "ts2phc[680988.839]: ens7f1 offset 3 s2 freq -0", LINUXPTP_SAMPLE,
	  "ts2phc", "", "ens7f1", "", 680988839, 3, 0, SAMPLE_UNKNOWN, 2 },
	{ "Mar  1 22:00:00 board ptp4l: [5130.492] master offset 4 s2 freq +1 path delay 7", LINUXPTP_SAMPLE,
	  "ptp4l", "", "", "master", 5130492, 4, 1, 7, 2 },
	{ "Mar 01 22:00:00 board ptpmon[7]: ptp4l[5130.492]: master offset 4 s2 freq +1 path delay 7\r", LINUXPTP_SAMPLE,
	  "ptp4l", "", "", "master", 5130492, 4, 1, 7, 2 },
	{ "[5130.492] master offset 4 s2 freq +1 path delay 7", LINUXPTP_SAMPLE,
	  "ptp4l", "", "", "master", 5130492, 4, 1, 7, 2 },
	{ "[5130.492] CLOCK_REALTIME phc offset 4 s2 freq +1 delay 7", LINUXPTP_SAMPLE,
	  "phc2sys", "", "CLOCK_REALTIME", "phc", 5130492, 4, 1, 7, 2 },
};

static const struct {
	const char *line;
	enum linuxptp_kind kind;
} kinds[] = {
	{ "ptp4l[1.000]: rms  702 max  903 freq    -53 +/-  36 delay  1860 +/-   7", LINUXPTP_SUMMARY },
	{ "ptp4l[1.000]: rms  702 max  903 freq    -53 +/-  36", LINUXPTP_SUMMARY },
	{ "phc2sys[1.000]: [eth0:6] CLOCK_REALTIME rms 122 max 192 freq -3482 +/- 104 delay 882 +/- 43", LINUXPTP_SUMMARY },
	{ "ptp4l[1.000]: port 1: LISTENING to UNCALIBRATED on RS_SLAVE", LINUXPTP_PORT_STATE },
	{ "ptp4l[1.000]: tagA port 1 (vsl): SLAVE to FAULTY on FAULT_DETECTED (FT_UNSPECIFIED)", LINUXPTP_PORT_STATE },
	{ "phc2sys[1.000]: clockcheck: clock jumped forward or running faster than expected!", LINUXPTP_NOTICE },
	{ "ptp4l[1.000]: port 1 (vsl): link down", LINUXPTP_NOTICE },
	{ "ts2phc[1.000]: nmea sentence: GNRMC,133534.00,A", LINUXPTP_CHATTER },
	/* cut off, wrong, or somebody else's */
	{ "", LINUXPTP_STRANGE },
	{ "ptp4l", LINUXPTP_STRANGE },
	{ "ptp4l[", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]:", LINUXPTP_STRANGE },
	{ "ptp4l[1.0]: master offset 4 s2 freq +1 path delay 7", LINUXPTP_STRANGE },
	{ "ptp4l[1.000] master offset 4 s2 freq +1 path delay 7", LINUXPTP_STRANGE },
	{ "xptp4l[1.000]: master offset 4 s2 freq +1 path delay 7", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: master offset", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: master offset 4 s2 freq +1", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: master offset 4 s2 freq +1 path", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: master offset 4 s2 freq +1 path delay", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: master offset 4 s4 freq +1 path delay 7", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: master offset 4 s2 freq +1 path delay 7x", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: master offset 4 s2 freq +1 path delay 7 8", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: master offset 4 s2 freq +1 path delay 7ptp4l[1.100]: master offset 4", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: master offset 99999999999999999999 s2 freq +1 path delay 7", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: a b master offset 4 s2 freq +1 path delay 7", LINUXPTP_STRANGE },
	{ "phc2sys[1.000]: CLOCK_REALTIME phc offset 4 s2 freq +1", LINUXPTP_STRANGE },
	{ "phc2sys[1.000]: CLOCK_REALTIME offset 4 s2 freq +1 delay 5", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: selIME pps offset 4 s2 freq +1", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: phc offset 4 s2 freq +1 delay 5", LINUXPTP_STRANGE },
	{ "phc2sys[1.000]: CLOCK_REALTIME rms 122 max 192 freq -3482 +/- 104 delay 882 +/-", LINUXPTP_STRANGE },
	{ "[1.000] rms  702 max  903 freq    -53 +/-  36 delay  1860 +/-   7", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: port 1: LISTENING to ELSEWHERE on RS_SLAVE", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: port 1: LISTENING to SLAVE", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: port 99999: LISTENING to SLAVE on RS_SLAVE", LINUXPTP_STRANGE },
	{ "ptp4l[1.000]: something that no version prints", LINUXPTP_STRANGE },
	{ "Mar  1 22:00:02 board systemd[1]: Started ptp4l.", LINUXPTP_STRANGE },
};

static const struct {
	const char *line;
	int64_t utc_ms, resolution_ms;
} walls[] = {
	{ "2026-03-01T22:00:00+0100 b ptp4l[3]: [5130.492] port 1: link up", 1772398800000, 1000 },
	{ "2026-03-01T22:00:00-01:30 b ptp4l[3]: [5130.492] port 1: link up", 1772407800000, 1000 },
	{ "2026-03-01T21:00:00.250Z ptp4l[5130.492]: port 1: link up", 1772398800250, 1 },
	{ "2026-03-01T21:00:00 b ptp4l[3]: [5130.492] port 1: link up", -1, 0 },
	{ "Mar  1 22:00:00 b ptp4l: [5130.492] port 1: link up", -1, 0 },
	{ "2026-13-01T21:00:00Z b ptp4l: [5130.492] port 1: link up", -1, 0 },
	{ "2026-03-01T21:00:00+9999 b ptp4l: [5130.492] port 1: link up", -1, 0 },
	{ "ptp4l[5130.492]: port 1: link up", -1, 0 },
};
/* clang-format on */

static void samples_are_read_whole(void **state)
{
	for (size_t i = 0; i < COUNT(samples); i++) {
		struct linuxptp_line l;

		if (linuxptp_parse(samples[i].line, strlen(samples[i].line), &l) !=
			    samples[i].kind ||
		    strcmp(l.program, samples[i].program) != 0 ||
		    strcmp(l.tag, samples[i].tag) != 0 || strcmp(l.clock, samples[i].clock) != 0 ||
		    strcmp(l.source, samples[i].source) != 0 ||
		    l.mono_ns != samples[i].mono_ms * MS || l.offset_ns != samples[i].offset_ns ||
		    l.freq_ppb != samples[i].freq_ppb || l.delay_ns != samples[i].delay_ns ||
		    l.servo != samples[i].servo)
			fail_msg("%s: %d %s|%s|%s|%s %jd %jd %jd", samples[i].line, l.kind,
				 l.program, l.tag, l.clock, l.source, (intmax_t)l.offset_ns,
				 (intmax_t)l.freq_ppb, (intmax_t)l.delay_ns);
	}
}

static void other_lines_are_told_apart(void **state)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct linuxptp_line l;

		if (linuxptp_parse(kinds[i].line, strlen(kinds[i].line), &l) != kinds[i].kind)
			fail_msg("%s: %d", kinds[i].line, l.kind);
	}
}

static void pieces_of_other_lines(void **state)
{
	struct linuxptp_line l;
	const char *summary = "phc2sys[9.5]: x";
	const char *port =
		"ptp4l[1.000]: port 2 (eth1): UNCALIBRATED to SLAVE on MASTER_CLOCK_SELECTED";

	(void)linuxptp_parse(summary, strlen(summary), &l);
	assert_int_equal(l.mono_ns, TIME_UNKNOWN);
	summary =
		"phc2sys[9.500]: eth0 rms 408190379792180864 max 1580914543017209856 freq +864 +/- "
		"4635 delay 645 +/- 29";
	assert_int_equal(linuxptp_parse(summary, strlen(summary), &l), LINUXPTP_SUMMARY);
	assert_int_equal(l.rms_ns, 408190379792180864);
	assert_int_equal(l.max_ns, 1580914543017209856);
	assert_int_equal(l.delay_ns, 645);
	assert_string_equal(l.clock, "eth0");
	assert_int_equal(linuxptp_parse(port, strlen(port), &l), LINUXPTP_PORT_STATE);
	assert_int_equal(l.port, 2);
	assert_string_equal(l.port_name, "eth1");
	assert_string_equal(l.was, "UNCALIBRATED");
	assert_string_equal(l.is, "SLAVE");
}

static void the_wall_clock_needs_year_and_zone(void **state)
{
	for (size_t i = 0; i < COUNT(walls); i++) {
		struct linuxptp_line l;
		int64_t utc_ns = walls[i].utc_ms < 0 ? TIME_UNKNOWN : walls[i].utc_ms * MS;

		(void)linuxptp_parse(walls[i].line, strlen(walls[i].line), &l);
		if (l.kind != LINUXPTP_NOTICE || l.utc_ns != utc_ns ||
		    l.utc_resolution_ns != walls[i].resolution_ms * MS)
			fail_msg("%s: %jd %jd", walls[i].line, (intmax_t)l.utc_ns,
				 (intmax_t)l.utc_resolution_ns);
	}
}

/* Every beginning of every line: never a sample that the whole line is not. */
static void a_cut_line_is_no_sample(void **state)
{
	for (size_t i = 0; i < COUNT(samples); i++) {
		size_t len = strcspn(samples[i].line, "\r");

		/* its last number may be cut without a trace: who reads must know that a line ended
		 */
		while (len > 0 && samples[i].line[len - 1] != ' ')
			len--;
		for (; len > 0; len--) {
			char *copy = malloc(len);
			struct linuxptp_line l;

			assert_non_null(copy);
			memcpy(copy, samples[i].line, len);
			if (linuxptp_parse(copy, len, &l) == LINUXPTP_SAMPLE)
				fail_msg("%.*s", (int)len, samples[i].line);
			free(copy);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_read_whole),
		cmocka_unit_test(other_lines_are_told_apart),
		cmocka_unit_test(pieces_of_other_lines),
		cmocka_unit_test(the_wall_clock_needs_year_and_zone),
		cmocka_unit_test(a_cut_line_is_no_sample),
	};

	return cmocka_run_group_tests_name("linuxptp-log", tests, NULL, NULL);
}
