/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recorded logs, and what is known of them, through the whole import. */
#include "store-fixture.h"

#include <errno.h>
#include <sys/resource.h>

#include "data-file.h"
#include "ptpmon/import/import.h"

static struct import_result import(struct fixture *f, const char *name)
{
	struct import_options options = {.database = f->path};
	struct import_result result;
	char path[DATA_PATH_MAX];

	if (import_file(&options, data_path(name, path), &result, f->why) < 0)
		fail_msg("%s: %s", name, f->why);
	return result;
}

static int into_own_directory(void **state)
{
	struct fixture *f;

	if (fixture_setup(state) < 0)
		return -1;
	f = *state;
	(void)snprintf(f->path, sizeof(f->path), "%s/imported.db", f->top);
	return 0;
}

/* clang-format off */
static const struct {
	const char *name;
	unsigned samples, summaries, states, strange;
	const char *sql, *answer; /* about the run that it became */
} logs[] = {
	{ "field-logs/intel_ptp4l_5min_run1.log", 273, 0, 4, 0,
	  "count(*) || ' ' || min(value_ns) || ' ' || max(value_ns) || ' ' || round(avg(value_ns), 4) FROM s "
	  "WHERE servo = 2", "271 -21752 24609 94.9815" },
	{ "field-logs/intel_ptp4l_5min_run2.log", 220, 0, 4, 0,
	  "count(*) || ' ' || min(value_ns) || ' ' || max(value_ns) || ' ' || round(avg(value_ns), 4) FROM s "
	  "WHERE servo = 2", "218 -13233 6418 -98.7064" },
	{ "field-logs/e810_ts2phc_phc2sys_mixed.log", 217, 0, 0, 0,
	  "count(*) || ' ' || min(value_ns) || ' ' || max(value_ns) || ' ' || round(avg(value_ns), 4) FROM s "
	  "WHERE source = 'phc2sys'", "204 -19 36 0.0588" },
	{ "field-logs/ls1021a_phc2sys_sys_offset.log", 14, 0, 0, 0,
	  "count(*) || ' ' || round(avg(value_ns), 2) || ' ' || max(abs(value_ns)) FROM s WHERE servo = 2",
	  "13 -35.08 96" },
	{ "field-logs/ls_dpaa2_phc2sys_pps_offset.log", 15, 0, 0, 0,
	  "min(value_ns) || ' ' || max(value_ns) || ' ' || count(delay_ns) FROM s", "-2026 1656 0" },
	{ "field-logs/rpi_cm4_phc2sys_sys_offset_clockcheck.log", 9, 0, 0, 0,
	  "min(value_ns) || ' ' || printf('%d', min(freq_ppb)) || ' ' || sum(flags & 1) || ' ' || sum(flags & 4 <> 0) "
	  "FROM s", "-1660821689051957847 -32767999 1 3" },
	{ "field-logs/ti_am571x_summary_phc2sys_ptp4l_1g.log", 0, 25, 1, 0,
	  "count(*) || ' ' || max(value_ns) FROM s WHERE kind = 'offset_max'", "25 1580914543017209856" },
	{ "logs/phc2sys_4.4_jump_step.log", 18, 0, 0, 0, "group_concat(DISTINCT subject) FROM s", "CLOCK_REALTIME" },
	{ "logs/ptp4l_4.4_follower_1hz.log", 44, 0, 12, 0, "group_concat(DISTINCT subject) FROM s", "vsl" },
	{ "logs/ptp4l_4.4_follower_summary4s.log", 0, 10, 5, 0,
	  "group_concat(DISTINCT subject || ' ' || kind) FROM s", "tagA vsl offset_rms,tagA vsl offset_max" },
};
/* clang-format on */

static void test_recorded_logs(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(logs); i++) {
		struct import_result r = import(f, logs[i].name);
		char sql[1024];
		const char *answer;

		if (r.samples != logs[i].samples || r.summaries != logs[i].summaries ||
		    r.states != logs[i].states || r.strange != logs[i].strange ||
		    r.first_run != r.last_run)
			fail_msg("%s: %ju offsets, %ju summaries, %ju states, %ju strange",
				 logs[i].name, (uintmax_t)r.samples, (uintmax_t)r.summaries,
				 (uintmax_t)r.states, (uintmax_t)r.strange);
		(void)snprintf(
			sql, sizeof(sql),
			"WITH s AS (SELECT m.*, e.kind, e.source, e.subject FROM sample AS m "
			"JOIN series AS e ON e.id = m.series WHERE e.run = %jd) SELECT %s",
			(intmax_t)r.first_run, logs[i].sql);
		answer = ask(f->path, sql);
		if (strcmp(answer, logs[i].answer) != 0)
			fail_msg("%s: %s", logs[i].name, answer);
	}
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
}

static void test_the_journal_cut_and_booted_twice(void **state)
{
	struct fixture *f = *state;
	struct import_result r = import(f, "logs/journal_mixed_cut.log");
	struct query *q;

	assert_int_equal(r.lines, 9);
	assert_int_equal(r.samples, 5);
	assert_int_equal(r.states, 1);
	assert_int_equal(r.strange, 3); /* systemd's, the one cut in the middle, the last */
	assert_int_equal(r.shown[0].line, 5);
	assert_non_null(strstr(r.shown[0].text, "Started something else"));
	assert_int_equal(r.shown[2].line, 9);
	assert_int_equal(r.first_run, 1);
	assert_int_equal(r.last_run, 2);
	assert_string_equal(ask(f->path, "SELECT group_concat(reason, ' ') FROM clock_map"),
			    "start step");
	assert_string_equal(ask(f->path, "SELECT utc FROM offsets WHERE offset_ns = 33"),
			    "2026-03-01T21:00:01.011000000Z");
	assert_string_equal(ask(f->path, "SELECT label || ' ' || how FROM run WHERE id = 2"),
			    "journal_mixed_cut.log imported");
	q = query_fixture(f, "1");
	assert_int_equal(query_run(q)->start_mono_ns, 5130492 * NSEC_PER_MSEC);
	assert_int_equal(query_run(q)->end_mono_ns, 5134492 * NSEC_PER_MSEC);
	(void)query_free(q);
}

static void test_histograms_become_windows(void **state)
{
	struct fixture *f = *state;
	struct import_result r = import(f, "logs/cyclictest_2.8_3thr.json");

	assert_int_equal(r.kind, IMPORT_CYCLICTEST);
	assert_int_equal(r.threads, 3);
	assert_int_equal(r.wakeups, 1985);
	assert_string_equal(ask(f->path,
				"SELECT count || ' ' || max_ns || ' ' || overflows || ' ' || "
				"length_ns || ' ' || utc FROM latencies WHERE cpu = 'cpu 6'"),
			    "985 450000 0 10000000000 2026-09-01T05:23:41.000000000Z");
	assert_string_equal(ask(f->path, "SELECT group_concat(text) FROM event"),
			    "cyclictest: cpu 6: 2 beyond its buckets, taken as 450000 ns");
	r = import(f, "field-logs/cyclictest_S_h400_4thr_200us_total-line.txt");
	assert_int_equal(r.first_run, 2);
	assert_int_equal(r.wakeups, 44220549);
	r = import(f, "logs/cyclictest_2.4_displayed_2thr.txt");
	assert_int_equal(r.threads, 2);
	assert_int_equal(r.wakeups, 500);
}

/* The display of a night: a hole in the file stands for most of it. */
static void test_a_histogram_behind_a_long_display(void **state)
{
	struct fixture *f = *state;
	struct import_options options = {.database = f->path};
	struct import_result r;
	char path[128];
	FILE *text;

	(void)snprintf(path, sizeof(path), "%s/night.txt", f->top);
	text = fopen(path, "we");
	assert_non_null(text);
	(void)fputs("policy: fifo: loadavg: 0.97 2.55 4.49 2/86 22971\n\n", text);
	assert_int_equal(fseek(text, 70 << 20, SEEK_SET), 0);
	(void)fputs("\n# Histogram\n000002 000010\n# Min Latencies: 00002\n"
		    "# Avg Latencies: 00002\n# Max Latencies: 00002\n"
		    "# Histogram Overflows: 00000\n",
		    text);
	assert_int_equal(fclose(text), 0);
	if (import_file(&options, path, &r, f->why) < 0)
		fail_msg("%s", f->why);
	assert_int_equal(r.wakeups, 10);
}

static void test_what_cannot_be_imported(void **state)
{
	struct fixture *f = *state;
	struct import_options options = {.database = f->path};
	struct import_result r;
	char path[DATA_PATH_MAX];
	char foreign[128];
	FILE *text;

	assert_int_equal(import_file(&options, "/nowhere/at.all", &r, f->why), -ENOENT);
	assert_int_equal(import_file(&options, f->top, &r, f->why), -EINVAL);
	r = import(f, "logs/README.txt"); /* nothing of it is understood, and nothing made of it */
	assert_true(r.strange > 10);
	assert_int_equal(r.first_run, 0);
	assert_int_not_equal(access(f->path, F_OK), 0);
	/* a text named as the database by mistake stays what and where it is */
	(void)snprintf(foreign, sizeof(foreign), "%s/notes.txt", f->top);
	text = fopen(foreign, "we");
	assert_non_null(text);
	for (int i = 0; i < 100; i++)
		(void)fputs("something else altogether\n", text);
	(void)fclose(text);
	options.database = foreign;
	assert_int_equal(import_file(&options, data_path("logs/phc2sys_4.4_persample.log", path),
				     &r, f->why),
			 -EUCLEAN);
	assert_non_null(strstr(f->why, "left alone"));
	assert_int_equal(access(foreign, F_OK), 0);
}

static int import_text(struct fixture *f, const char *name, const char *text, size_t len,
		       off_t then_zeros, struct import_result *out)
{
	struct import_options options = {.database = f->path};
	char path[128];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", f->top, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(truncate(path, (off_t)len + then_zeros), 0);
	return import_file(&options, path, out, f->why);
}

/* What a crash leaves behind a log: zeros, as many as the disk had promised. */
static void test_a_line_without_end_takes_no_memory(void **state)
{
	static const char good[] = "ptp4l[1.000]: master offset 1 s2 freq +1 path delay 1\n"
				   "ptp4l[2.000]: master offset 2 s2 freq +1 path delay 1\n";
	struct fixture *f = *state;
	struct import_result r;
	struct rusage before;
	struct rusage after;

	assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
	assert_int_equal(import_text(f, "zeros.log", good, strlen(good), 256 << 20, &r), 0);
	assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
	assert_int_equal(r.samples, 2);
	assert_int_equal(r.strange, 1);
	assert_true(after.ru_maxrss - before.ru_maxrss < 65536); /* kB */
}

static void test_a_pipe_is_refused_and_not_waited_for(void **state)
{
	struct fixture *f = *state;
	struct import_options options = {.database = f->path};
	struct import_result r;
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/pipe", f->top);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(import_file(&options, path, &r, f->why), -EINVAL);
	assert_non_null(strstr(f->why, "not a regular file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_line_without_end_takes_no_memory,
						into_own_directory, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_a_pipe_is_refused_and_not_waited_for,
						into_own_directory, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_recorded_logs, into_own_directory,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(test_the_journal_cut_and_booted_twice,
						into_own_directory, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_histograms_become_windows, into_own_directory,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(test_a_histogram_behind_a_long_display,
						into_own_directory, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_imported, into_own_directory,
						fixture_teardown),
	};

	return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
