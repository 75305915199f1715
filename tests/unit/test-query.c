/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store-fixture.h"

#include <errno.h>

enum { N_SERIES = 3, ROWS = 4000, FLUSHES = 20 };

/* Numbers that look random and are the same each time. */
static uint64_t scatter(uint64_t n)
{
	n = (n ^ (n >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ (n >> 27)) * UINT64_C(0x94d049bb133111eb);
	return n ^ (n >> 31);
}

static void open_series(struct store *s, enum series_kind kind)
{
	for (unsigned i = 0; i < N_SERIES; i++) {
		struct series series = {.kind = kind, .source = "test", .unit = "ns"};

		(void)snprintf(series.subject, sizeof(series.subject), "cpu %u", i);
		assert_int_equal(store_put_series(s, &series), 0);
	}
}

/*
 * Each flush ends before the next begins, and the sources are late by up to 500, 50 and 5 ticks
 * while a tick passes with each row: rows of different series stand far out of order.
 */
static int64_t late_time(unsigned i)
{
	static const int64_t lateness[N_SERIES] = {500, 50, 5};

	return 1000 + (int64_t)i - lateness[i % N_SERIES];
}

static void record_late_rows(struct fixture *f, bool as_windows)
{
	struct store *s = open_fixture(f);

	open_series(s, as_windows ? SERIES_LATENCY : SERIES_OFFSET);
	assert_int_equal(store_start(s, 3600 * NSEC_PER_SEC, -1), 0);
	for (unsigned i = 0; i < ROWS; i++) {
		unsigned series = i % N_SERIES;
		int64_t at_ns = late_time(i);
		struct sample sample = sample_at(at_ns, i);
		struct latency_window w = {
			.start_mono_ns = at_ns,
			.end_mono_ns = at_ns + 1 + (int64_t)(scatter(i) % 97),
			.count = i,
			.min_ns = 1,
			.max_ns = 1,
		};

		sample.series = series;
		assert_true(as_windows ? store_put_window(s, series, &w)
				       : store_put_sample(s, &sample));
		if (i % (ROWS / FLUSHES) == 0) {
			store_kick(s);
			WAIT_FOR(store_health(s).queued == 0);
		}
	}
	(void)store_close(s, "stopped", 10 * NSEC_PER_SEC);
}

struct seen {
	size_t n;
	uint64_t sum; /* of the numbers of the rows */
	int64_t newest_ns[N_SERIES];
	int64_t from_ns, to_ns;
	bool as_windows;
};

static int see_sample(void *userdata, const struct sample *sample)
{
	struct seen *seen = userdata;

	assert_true(sample->mono_ns >= seen->from_ns && sample->mono_ns < seen->to_ns);
	assert_true(sample->mono_ns >= seen->newest_ns[sample->series]);
	seen->newest_ns[sample->series] = sample->mono_ns;
	seen->n++;
	seen->sum += (uint64_t)sample->value;
	return 0;
}

static int see_window(void *userdata, size_t series, const struct latency_window *w)
{
	struct seen *seen = userdata;

	assert_true(w->end_mono_ns > seen->from_ns && w->start_mono_ns < seen->to_ns);
	assert_true(w->start_mono_ns >= seen->newest_ns[series]);
	assert_int_equal(w->cpu, series);
	seen->newest_ns[series] = w->start_mono_ns;
	seen->n++;
	seen->sum += w->count;
	return 0;
}

/* What a visit should see, from the rows as they were put. */
static struct seen expected(size_t series, int64_t from_ns, int64_t to_ns, bool as_windows)
{
	struct seen seen = {0};

	for (unsigned i = 0; i < ROWS; i++) {
		int64_t start_ns = late_time(i);
		int64_t end_ns = start_ns + 1 + (int64_t)(scatter(i) % 97);
		bool within = as_windows ? end_ns > from_ns && start_ns < to_ns
					 : start_ns >= from_ns && start_ns < to_ns;

		if (within && (series == QUERY_ALL_SERIES || series == i % N_SERIES)) {
			seen.n++;
			seen.sum += i;
		}
	}
	return seen;
}

static void check_range(struct query *q, size_t series, int64_t from_ns, int64_t to_ns,
			bool as_windows)
{
	struct seen want = expected(series, from_ns, to_ns, as_windows);
	struct seen seen = {
		.newest_ns = {INT64_MIN, INT64_MIN, INT64_MIN}, .from_ns = from_ns, .to_ns = to_ns};
	int r = as_windows ? query_visit_windows(q, series, from_ns, to_ns, see_window, &seen)
			   : query_visit_samples(q, series, from_ns, to_ns, see_sample, &seen);

	if (r != 0 || seen.n != want.n || seen.sum != want.sum)
		fail_msg("series %zd, [%jd, %jd): %d: %zu rows, not %zu", (ssize_t)series,
			 (intmax_t)from_ns, (intmax_t)to_ns, r, seen.n, want.n);
}

static void check_ranges(struct fixture *f, bool as_windows)
{
	struct query *q;

	record_late_rows(f, as_windows);
	q = query_fixture(f, "last");
	check_range(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX, as_windows);
	check_range(q, 1, INT64_MIN, 1000, as_windows);
	check_range(q, 2, ROWS + 994, INT64_MAX, as_windows);
	check_range(q, 0, 1100, 1100, as_windows);
	check_range(q, 0, 1200, 1100, as_windows);
	check_range(q, 0, INT64_MAX, INT64_MIN, as_windows);
	for (uint64_t i = 0; i < 300; i++) {
		int64_t from_ns = (int64_t)(scatter(i) % (ROWS + 1200)) + 400;
		int64_t to_ns = from_ns + (int64_t)(scatter(i + 1000) % 700);

		check_range(q, i % 4 == 3 ? QUERY_ALL_SERIES : i % 4, from_ns, to_ns, as_windows);
	}
	(void)query_free(q);
}

static void test_ranges_of_samples_are_exact(void **state)
{
	struct fixture *f = *state;

	check_ranges(f, false);
	assert_true(ask_int(f->path, "SELECT sample_late_ns FROM run") >= 400);
}

static void test_ranges_of_windows_are_exact(void **state)
{
	struct fixture *f = *state;

	check_ranges(f, true);
	assert_true(ask_int(f->path, "SELECT latency_late_ns FROM run") >= 400);
	assert_int_equal(ask_int(f->path, "SELECT latency_longest_ns FROM run"), 97);
}

/* When the recorder was away for long, one window covers all of it. */
static void test_a_long_window_is_found_by_its_end(void **state)
{
	struct fixture *f = *state;
	struct store *s = open_fixture(f);
	struct seen seen = {.newest_ns = {INT64_MIN}, .from_ns = 58500, .to_ns = 58600};
	struct query *q;

	open_series(s, SERIES_LATENCY);
	for (unsigned i = 0; i < 100; i++) {
		struct latency_window w = {
			.start_mono_ns = (int64_t)i * 1000,
			.end_mono_ns = (int64_t)i * 1000 + (i == 40 ? 20000 : 1000),
			.count = i,
		};

		assert_true(store_put_window(s, 0, &w));
	}
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	q = query_fixture(f, NULL);
	assert_int_equal(query_visit_windows(q, 0, seen.from_ns, seen.to_ns, see_window, &seen), 0);
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.sum, 40 + 58);
	(void)query_free(q);
}

static void record_runs(struct fixture *f)
{
	static const char *const labels[] = {"night", NULL, "night", "2"};

	for (size_t i = 0; i < COUNT(labels); i++) {
		struct store_run run = fixture_run;
		struct sample sample = sample_at(1000, (int64_t)i + 1);
		int64_t resumed_from_mono_ns;
		struct store *s;

		run.label = labels[i];
		s = open_as(f, &run, &resumed_from_mono_ns);
		assert_int_equal(store_put_series(s, &fixture_offset), 0);
		assert_true(store_put_sample(s, &sample));
		(void)store_close(s, "stopped", NSEC_PER_SEC);
	}
}

static int take_value(void *userdata, const struct sample *sample)
{
	int64_t *value = userdata;

	*value = *value == 0 ? sample->value : -1;
	return 0;
}

/* clang-format off */
static const struct {
	const char *name, *run;
	bool with_file; /* the database's path stands before it */
	int64_t id;     /* 0: there is none */
} selections[] = {
	{ "nothing",                   NULL,     false, 4 },
	{ "last",                      "last",   false, 4 },
	{ "an id",                     "1",      false, 1 },
	{ "a label: its newest run",   "night",  false, 3 },
	{ "digits are an id",          "2",      false, 2 },
	{ "no such id",                "5",      false, 0 },
	{ "an id beyond 64 bits",      "99999999999999999999", false, 0 },
	{ "no such label",             "nihgt",  false, 0 },
	{ "an empty label",            "",       false, 0 },
	{ "a label with a quote",      "x' OR 1=1 --", false, 0 },
	{ "a file",                    "",       true,  4 },
	{ "a file and last",           ":last",  true,  4 },
	{ "a file and an id",          ":2",     true,  2 },
	{ "a file and a label",        ":night", true,  3 },
	{ "a file and no such id",     ":17",    true,  0 },
};
/* clang-format on */

static void test_a_run_is_selected(void **state)
{
	struct fixture *f = *state;

	record_runs(f);
	for (size_t i = 0; i < COUNT(selections); i++) {
		char with_file[160];
		const char *run = selections[i].run;
		struct query *q = NULL;
		int64_t value = 0;
		int r;

		if (selections[i].with_file) {
			(void)snprintf(with_file, sizeof(with_file), "%s%s", f->path, run);
			run = with_file;
		}
		r = query_open(&q, selections[i].with_file ? "/nowhere.db" : f->path, run, f->why);
		if (selections[i].id == 0) {
			if (r != -ENOENT || !strstr(f->why, "no run with the id or label"))
				fail_msg("%s: %d: %s", selections[i].name, r, f->why);
			continue;
		}
		if (r < 0)
			fail_msg("%s: %d: %s", selections[i].name, r, f->why);
		/* Its own rows, and no others. */
		r = query_visit_samples(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX, take_value,
					&value);
		if (r != 0 || query_run(q)->id != selections[i].id || value != selections[i].id)
			fail_msg("%s: run %jd, value %jd", selections[i].name,
				 (intmax_t)query_run(q)->id, (intmax_t)value);
		(void)query_free(q);
	}
}

static void test_files_that_cannot_be_read(void **state)
{
	struct fixture *f = *state;
	struct query *q = NULL;

	assert_int_equal(query_open(&q, f->path, NULL, f->why), -ENOENT);
	assert_non_null(strstr(f->why, "No such file"));
	assert_int_equal(query_open(&q, f->top, NULL, f->why), -EUCLEAN);
	assert_non_null(strstr(f->why, "not a regular file"));
	assert_int_equal(query_open(&q, "/proc/self/mem", NULL, f->why), -EUCLEAN);
	assert_null(q);
	assert_null(query_free(NULL));
}

static void test_reading_while_it_is_recorded(void **state)
{
	struct fixture *f = *state;
	struct store *s = open_fixture(f);
	struct sample sample = sample_at(1000, 1);
	int64_t value = 0;
	struct query *q;

	assert_int_equal(store_put_series(s, &fixture_offset), 0);
	assert_int_equal(store_start(s, NSEC_PER_MSEC, -1), 0);
	assert_true(store_put_sample(s, &sample));
	WAIT_FOR(store_health(s).samples == 1);
	q = query_fixture(f, NULL);
	sample.mono_ns = 2000;
	assert_true(store_put_sample(s, &sample));
	WAIT_FOR(store_health(s).samples == 2); /* the reader does not hold it up */
	assert_int_equal(query_visit_samples(q, 0, INT64_MIN, INT64_MAX, take_value, &value), 0);
	assert_int_equal(value, 1); /* as it was when the query was opened */
	assert_null(query_run(q)->how);
	assert_int_equal(query_run(q)->end_mono_ns, TIME_UNKNOWN);
	assert_true(query_run(q)->newest_mono_ns >= query_run(q)->start_mono_ns);
	(void)query_free(q);
	(void)store_close(s, "stopped", 5 * NSEC_PER_SEC);
}

static void record_and_die(struct fixture *f)
{
	struct store *s = open_fixture(f);
	struct sample sample = sample_at(INT64_MAX / 2, 1);

	(void)store_put_series(s, &fixture_offset);
	(void)store_put_sample(s, &sample);
	(void)store_start(s, NSEC_PER_MSEC, -1);
	WAIT_FOR(store_health(s).samples == 1);
}

static void test_reading_changes_nothing(void **state)
{
	struct fixture *f = *state;
	struct contents before;
	struct contents log;
	struct query *q;

	in_child(record_and_die, f);
	before = contents_of(f->path);
	log = contents_of(f->log);
	assert_true(log.len > 0);
	q = query_fixture(f, NULL);
	assert_int_equal(query_run(q)->newest_mono_ns, INT64_MAX / 2);
	(void)query_free(q);
	assert_contents(f->path, &before);
	assert_contents(f->log, &log);
}

static int stop_at_two(void *userdata, const struct sample *sample)
{
	return ++*(int *)userdata == 2 ? 42 : 0;
}

static void test_a_visitor_can_stop(void **state)
{
	struct fixture *f = *state;
	int visited = 0;
	struct query *q;

	record_late_rows(f, false);
	q = query_fixture(f, NULL);
	assert_int_equal(query_visit_samples(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX, stop_at_two,
					     &visited),
			 42);
	assert_int_equal(visited, 2);
	(void)query_free(q);
}

/* Written by a later version into tables of the same shape, or by hand. */
static void test_names_that_are_not_known(void **state)
{
	struct fixture *f = *state;
	struct query *q;
	sqlite3 *db;
	size_t n;

	(void)store_close(open_fixture(f), "stopped", NSEC_PER_SEC);
	db = open_raw(f->path);
	exec_raw(db, "INSERT INTO series VALUES (1, 1, 'humidity', 'board', 'box', '%')");
	exec_raw(db, "INSERT INTO clock_map VALUES (1, 5, 5, 5, NULL, NULL, NULL, 1, 'whim')");
	exec_raw(db, "INSERT INTO sample VALUES (1, 77, 5, 5, NULL, NULL, NULL, 0, 0)");
	exec_raw(db, "INSERT INTO latency VALUES (1, 1, 5, 1, 0, NULL, 0, NULL, 0, 0, "
		     "zeroblob(100000))");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	q = query_fixture(f, NULL);
	assert_int_equal(query_series(q, &n)[0].kind, SERIES_KIND_MAX);
	assert_int_equal(query_anchors(q, &n)[0].reason, ANCHOR_PERIODIC);
	assert_int_equal(query_visit_samples(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX, stop_at_two,
					     &(int){0}),
			 -EUCLEAN);
	assert_int_equal(query_visit_windows(q, 0, INT64_MIN, INT64_MAX, see_window, &(int){0}),
			 -EUCLEAN);
	(void)query_free(q);
}

static int see_event(void *userdata, const struct query_event *e)
{
	return 0;
}

static int visit_all(struct query *q)
{
	struct seen seen = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
	int r = query_visit_samples(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX, see_sample, &seen);

	if (r == 0)
		r = query_visit_windows(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX, see_window,
					&seen);
	return r == 0 ? query_visit_events(q, INT64_MIN, INT64_MAX, see_event, NULL) : r;
}

/* clang-format off */
static const struct {
	const char *name, *sql;
} damages[] = {
	{ "a run that starts before the boot", "UPDATE run SET start_mono_ns = -1" },
	{ "a run that never ends",      "UPDATE run SET end_mono_ns = 9223372036854775807" },
	{ "lateness below zero",        "UPDATE run SET sample_late_ns = -9223372036854775807" },
	{ "the longest lateness",       "UPDATE run SET latency_late_ns = 9223372036854775807" },
	{ "the longest window",         "UPDATE run SET latency_longest_ns = 9223372036854775807" },
	{ "rows from below",            "UPDATE run SET first_sample = -9223372036854775807" },
	{ "an anchor off the axis",     "INSERT INTO clock_map VALUES (1, -5, 1, 1, NULL, NULL, NULL, 1, 'start')" },
	{ "an anchor in another age",   "INSERT INTO clock_map VALUES (1, 5, 1, 9223372036854775807, NULL, NULL, NULL, 1, 'start')" },
	{ "a phase before the boot",    "INSERT INTO phase VALUES (1, 1, 'x', -1, 5)" },
	{ "a mark off the axis",        "INSERT INTO mark VALUES (1, 1, 9223372036854775807, 'x', 'y')" },
	{ "a sample off the axis",      "INSERT INTO sample VALUES (1, 1, -5, 5, NULL, NULL, NULL, 0, 0)" },
	{ "a window of no length",      "INSERT INTO latency VALUES (1, 1, 5, -1, 0, NULL, 0, NULL, 0, 0, x'')" },
	{ "a window of any length",     "INSERT INTO latency VALUES (1, 1, 5, 9223372036854775807, 0, NULL, 0, NULL, 0, 0, x'')" },
	{ "an event off the axis",      "INSERT INTO event VALUES (1, 1, -5, 'info', 'gap', 'x', 'y', NULL)" },
	{ "a table is missing",         "DROP TABLE event" },
	{ "a sample of no series",      "INSERT INTO sample VALUES (1, 77, 5, 5, NULL, NULL, NULL, 0, 0)" },
};
/* clang-format on */

static void test_what_cannot_be_is_called_damaged(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(damages); i++) {
		struct query *q = NULL;
		sqlite3 *db;
		int r;

		(void)snprintf(f->directory, sizeof(f->directory), "%s/%zu", f->top, i);
		(void)snprintf(f->path, sizeof(f->path), "%s/ptpmon.db", f->directory);
		(void)store_close(open_fixture(f), "stopped", NSEC_PER_SEC);
		db = open_raw(f->path);
		exec_raw(db, "INSERT INTO series VALUES (1, 1, 'offset', 'pmc', 'eth0', 'ns')");
		exec_raw(db, damages[i].sql);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
		r = query_open(&q, f->path, NULL, f->why);
		if (r == 0)
			r = visit_all(q);
		if (r != -EUCLEAN || (!q && !strstr(f->why, "damaged")))
			fail_msg("%s: %d: %s", damages[i].name, r, f->why);
		(void)query_free(q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_ranges_of_samples_are_exact),
		FIXTURE_TEST(test_ranges_of_windows_are_exact),
		FIXTURE_TEST(test_a_long_window_is_found_by_its_end),
		FIXTURE_TEST(test_a_run_is_selected),
		FIXTURE_TEST(test_files_that_cannot_be_read),
		FIXTURE_TEST(test_reading_while_it_is_recorded),
		FIXTURE_TEST(test_reading_changes_nothing),
		FIXTURE_TEST(test_a_visitor_can_stop),
		FIXTURE_TEST(test_names_that_are_not_known),
		FIXTURE_TEST(test_what_cannot_be_is_called_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
