/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is old becomes hours that still tell the truth, and then nothing; the cap holds, and who
 * writes does not wait for it.
 */
#include "store-fixture.h"

#include "ptpmon/stats/histogram.h"
#include "ptpmon/stats/signed_histogram.h"
#include "ptpmon/store/database.h"
#include "ptpmon/store/retention.h"
#include "ptpmon/store/rollup.h"

#define HOUR_NS ROLLUP_HOUR_NS
#define MIB     INT64_C(1048576)
#define MANY    100000 /* slices: more than any test needs */

static struct latency_window window_of(int64_t start_ns, uint64_t value_ns, uint64_t count)
{
	static struct histogram h;
	struct latency_window w = {
		.cpu = 3,
		.start_mono_ns = start_ns,
		.end_mono_ns = start_ns + NSEC_PER_SEC,
		.count = count + 1,
		.min_ns = (int64_t)value_ns,
		.max_ns = 2000000000,
		.sum_ns = (int64_t)(value_ns * count) + 2000000000,
		.overflow = 1,
		.missed = 2,
	};

	h = (struct histogram){0};
	h.bins[histogram_bin(value_ns)] = count;
	w.bins_len = histogram_encode(&h, w.bins, sizeof(w.bins));
	return w;
}

/* One offset a second, -50 … 49, and a window a minute, from from_ns on. */
static void record(struct store *s, int64_t from_ns, int64_t to_ns)
{
	for (int64_t t = from_ns; t < to_ns; t += NSEC_PER_SEC) {
		struct sample sample = sample_at(t, t / NSEC_PER_SEC % 100 - 50);
		struct latency_window w = window_of(t, 5000, 999);

		while (!store_put_sample(s, &sample))
			nap();
		if (t / NSEC_PER_SEC % 60 == 0)
			(void)store_put_window(s, 1, &w);
	}
}

static struct store *open_with_series(struct fixture *f, const char *token)
{
	struct store_run run = fixture_run;
	int64_t resumed_from_mono_ns;
	struct store *s;

	run.token = token;
	s = open_as(f, &run, &resumed_from_mono_ns);
	(void)store_put_series(s, &fixture_offset);
	(void)store_put_series(s, &fixture_latency);
	return s;
}

static void record_hours(struct fixture *f, const char *token, int64_t from_ns, int64_t to_ns)
{
	struct store *s = open_with_series(f, token);

	record(s, from_ns, to_ns);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
}

/* Everything that is to be done at that moment. */
static struct retention_progress tidy(struct fixture *f, const struct store_retention *policy,
				      int64_t run, int64_t now_ns)
{
	struct retention_progress progress = {0};
	char set_aside[DATABASE_ERROR_MAX];
	struct retention *r = NULL;
	sqlite3 *db = NULL;
	int step = 1;
	int n = 0;

	assert_int_equal(database_open_write(&db, f->path, set_aside, f->why), 0);
	assert_string_equal(set_aside, "");
	assert_int_equal(retention_new(&r, &(struct usage){db, policy->cap_bytes}, policy, run), 0);
	while (step > 0 && n++ < MANY)
		step = retention_step(r, now_ns, &progress, f->why);
	if (step < 0)
		fail_msg("slice %d: %s", n, f->why);
	assert_true(n < MANY);
	(void)retention_free(r);
	database_closep(&db);
	return progress;
}

static void test_old_rows_become_hours(void **state)
{
	const struct store_retention policy = {.raw_ns = 2 * HOUR_NS};
	struct fixture *f = *state;
	struct retention_progress progress;

	record_hours(f, "a", 0, 5 * HOUR_NS);
	progress = tidy(f, &policy, 1, 5 * HOUR_NS + HOUR_NS / 2);
	assert_int_equal(progress.rows, 3 * 3600 + 3 * 60); /* 3 h 30 min: whole hours only */
	assert_int_equal(progress.hours, 0);
	assert_false(progress.before_time);
	assert_int_equal(ask_int(f->path, "SELECT min(mono_ns) FROM sample"), 3 * HOUR_NS);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample"), 2 * 3600);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM latency"), 2 * 60);
	assert_string_equal(ask(f->path, "SELECT group_concat(hour || ':' || count) FROM rollup "
					 "WHERE series = 1"),
			    "0:3600,1:3600,2:3600");
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM rollup WHERE series = 1 AND min = "
					  "-50 AND max = 49 AND sum = -1800.0 AND sum_squares = "
					  "3600.0 * 833.5 AND phase = 0"),
			 3);
	assert_int_equal(ask_int(f->path,
				 "SELECT count(*) FROM rollup WHERE series = 2 AND count = "
				 "60000 AND min = 5000 AND max = 2000000000 AND overflows "
				 "= 60 AND missed = 120 AND sum_squares IS NULL"),
			 3);
	/* nothing more to do, however often it is looked */
	progress = tidy(f, &policy, 1, 5 * HOUR_NS + HOUR_NS / 2);
	assert_int_equal(progress.rows, 0);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
}

static void decode(struct fixture *f, const char *sql, struct signed_histogram *out)
{
	sqlite3 *db = open_raw(f->path);
	sqlite3_stmt *row = NULL;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
	while (sqlite3_step(row) == SQLITE_ROW)
		assert_int_equal(signed_histogram_decode_add(out, sqlite3_column_blob(row, 0),
							     (size_t)sqlite3_column_bytes(row, 0)),
				 0);
	(void)sqlite3_finalize(row);
	(void)sqlite3_close(db);
}

static void test_hours_keep_the_distribution(void **state)
{
	const struct store_retention policy = {.raw_ns = HOUR_NS};
	struct fixture *f = *state;
	struct signed_histogram *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	record_hours(f, "a", 0, 4 * HOUR_NS);
	(void)tidy(f, &policy, 1, 5 * HOUR_NS);
	decode(f, "SELECT histogram FROM rollup WHERE series = 1", h);
	assert_int_equal(signed_histogram_total(h), 4 * 3600);
	assert_int_equal(signed_histogram_at_rank(h, 1), -50);
	assert_int_equal(signed_histogram_at_rank(h, 4 * 3600 / 2), -1);
	assert_int_equal(signed_histogram_magnitude_at_rank(h, 4 * 3600), 50);
	free(h);
}

static void test_steps_and_unlocked_are_kept_apart(void **state)
{
	static const struct sample samples[] = {
		{.mono_ns = 10, .value = 7, .delay_ns = SAMPLE_UNKNOWN, .missed = 3},
		{.mono_ns = 20, .value = 1700000000000000000, .flags = SAMPLE_STEP},
		{.mono_ns = 30, .value = -900000, .flags = SAMPLE_UNLOCKED},
		{.mono_ns = 40, .value = -7},
	};
	const struct store_retention policy = {.raw_ns = HOUR_NS};
	struct fixture *f = *state;
	struct store *s = open_with_series(f, "a");

	for (size_t i = 0; i < COUNT(samples); i++)
		(void)store_put_sample(s, &samples[i]);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	(void)tidy(f, &policy, 1, 5 * HOUR_NS);
	assert_string_equal(ask(f->path,
				"SELECT count || ' ' || min || ' ' || max || ' ' || steps "
				"|| ' ' || unlocked || ' ' || missed || ' ' || from_mono_ns "
				"|| ' ' || to_mono_ns FROM rollup"),
			    "2 -7 7 1 1 3 10 40");
}

static void test_phases_cut_an_hour(void **state)
{
	const struct store_retention policy = {.raw_ns = HOUR_NS};
	struct fixture *f = *state;
	struct store *s = open_with_series(f, "a");

	(void)store_begin_phase(s, 600 * NSEC_PER_SEC, "idle");
	(void)store_begin_phase(s, 1200 * NSEC_PER_SEC, "load");
	(void)store_end_phase(s, 3000 * NSEC_PER_SEC);
	record(s, 0, HOUR_NS);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	(void)tidy(f, &policy, 1, 5 * HOUR_NS);
	assert_string_equal(ask(f->path, "SELECT group_concat(x, ' ') FROM (SELECT phase || '=' || "
					 "count AS x FROM hours WHERE kind = 'offset' ORDER BY "
					 "phase)"),
			    "=1200 idle=600 load=1800");
}

/* A row that comes late is added to what the hour has already. */
static void test_hours_are_added_to(void **state)
{
	const struct store_retention policy = {.raw_ns = HOUR_NS};
	struct fixture *f = *state;
	sqlite3 *db;

	record_hours(f, "a", 0, HOUR_NS);
	(void)tidy(f, &policy, 1, 5 * HOUR_NS);
	db = open_raw(f->path);
	exec_raw(db, "INSERT INTO sample (series, mono_ns, value_ns, flags, missed) "
		     "VALUES (1, 90, 1000, 0, 0)");
	(void)sqlite3_close(db);
	(void)tidy(f, &policy, 1, 5 * HOUR_NS);
	assert_string_equal(ask(f->path, "SELECT count || ' ' || max FROM rollup WHERE series = 1"),
			    "3601 1000");
}

static void test_hours_go_and_the_run_stays(void **state)
{
	const struct store_retention policy = {.raw_ns = HOUR_NS, .rollup_ns = 10 * HOUR_NS};
	struct fixture *f = *state;
	struct event e = event_make(EVENT_LINK_UP, HOUR_NS, "eth0", "eth0: up");
	struct store *s = open_with_series(f, "a");

	record(s, 0, 5 * HOUR_NS);
	(void)store_put_event(s, &e);
	for (int64_t hour = 0; hour < 5; hour++) {
		struct clock_anchor a = {.mono_ns = hour * HOUR_NS,
					 .reason = hour ? ANCHOR_PERIODIC : ANCHOR_START};

		(void)store_put_anchor(s, &a);
	}
	(void)store_begin_phase(s, 0, "night");
	(void)store_put_mark(s, 7, "evening", "me");
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	(void)tidy(f, &policy, 1, 12 * HOUR_NS);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample"), 0);
	assert_int_equal(ask_int(f->path, "SELECT min(hour) FROM rollup"), 2);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM event"), 0);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM clock_map"), 4);
	(void)tidy(f, &policy, 1, 100 * HOUR_NS);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM rollup"), 0);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM clock_map"), 1);
	assert_int_equal(ask_int(f->path,
				 "SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM "
				 "series) + (SELECT count(*) FROM phase) + (SELECT "
				 "count(*) FROM mark)"),
			 1 + 2 + 1 + 1);
	(void)query_free(query_fixture(f, "1"));
}

static int add_up(void *userdata, const struct query_rollup *rollup)
{
	struct query_rollup *sum = userdata;
	uint64_t total = 0;

	if (rollup->series == 0)
		assert_int_equal(
			signed_histogram_check(rollup->histogram, rollup->histogram_len, &total),
			0);
	else
		assert_int_equal(histogram_check(rollup->histogram, rollup->histogram_len, &total),
				 0);
	assert_int_equal(total + rollup->overflows, rollup->count);
	assert_true(rollup->phase == QUERY_NO_PHASE || rollup->phase == 0);
	assert_true(sum->hour <= rollup->hour || sum->series != rollup->series);
	*sum = (struct query_rollup){.series = rollup->series,
				     .hour = rollup->hour,
				     .phase = sum->phase + (rollup->phase == 0),
				     .count = sum->count + rollup->count};
	return 0;
}

static void test_hours_are_read_back(void **state)
{
	const struct store_retention policy = {.raw_ns = HOUR_NS};
	struct fixture *f = *state;
	struct query_rollup sum = {0};
	struct store *s = open_with_series(f, "a");
	struct query *q;

	(void)store_begin_phase(s, 4 * HOUR_NS, "idle");
	(void)store_end_phase(s, 5 * HOUR_NS);
	(void)store_begin_phase(s, 2 * HOUR_NS, "load");
	(void)store_end_phase(s, 3 * HOUR_NS);
	record(s, 0, 3 * HOUR_NS);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	(void)tidy(f, &policy, 1, 9 * HOUR_NS);
	q = query_fixture(f, "1");
	assert_int_equal(
		query_visit_rollups(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX, add_up, &sum), 0);
	assert_int_equal(sum.count, 3 * 3600 + 3 * 60 * 1000);
	sum = (struct query_rollup){0};
	assert_int_equal(query_visit_rollups(q, 0, HOUR_NS, 2 * HOUR_NS, add_up, &sum), 0);
	assert_int_equal(sum.count, 3600);
	(void)query_free(q);
}

/* A month on the shelf, a clock of 1970, a master that says 2063: nothing ages by that. */
static void test_only_recorded_time_ages(void **state)
{
	const struct store_retention policy = {.raw_ns = 6 * HOUR_NS, .rollup_ns = 0};
	struct fixture *f = *state;
	sqlite3 *db;

	record_hours(f, "a", 0, 3 * HOUR_NS);
	record_hours(f, "b", 0, 2 * HOUR_NS);
	record_hours(f, "c", 0, 1);
	db = open_raw(f->path); /* the third goes on */
	exec_raw(db, "UPDATE run SET start_mono_ns = 0, end_mono_ns = CASE id WHEN 1 THEN "
		     "3 * 3600000000000 WHEN 2 THEN 2 * 3600000000000 END");
	(void)sqlite3_close(db);
	assert_int_equal(tidy(f, &policy, 3, HOUR_NS).rows, 0);
	/* 2 h of the second and 2 of the third: the first hour of the first is 6 to 7 old */
	assert_int_equal(tidy(f, &policy, 3, 2 * HOUR_NS).rows, 3600 + 60);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM rollup WHERE hour > 0"), 0);
	/* all of the first, nothing of the second */
	(void)tidy(f, &policy, 3, 4 * HOUR_NS + 1);
	assert_int_equal(ask_int(f->path,
				 "SELECT count(*) FROM sample AS s JOIN series AS e ON e.id "
				 "= s.series WHERE e.run = 1"),
			 0);
	assert_int_equal(ask_int(f->path,
				 "SELECT count(*) FROM sample AS s JOIN series AS e ON e.id "
				 "= s.series WHERE e.run = 2"),
			 7200);
}

/* What no ptpmon writes: it is got rid of, without harm, and without an end to all else. */
static void test_rows_that_cannot_be(void **state)
{
	const struct store_retention policy = {.raw_ns = HOUR_NS, .rollup_ns = 2 * HOUR_NS};
	struct fixture *f = *state;
	sqlite3 *db;

	record_hours(f, "a", 0, 3 * HOUR_NS);
	db = open_raw(f->path);
	exec_raw(db,
		 "UPDATE sample SET series = 99 WHERE id % 1000 = 1; "
		 "UPDATE sample SET mono_ns = -9223372036854775807 WHERE id % 1000 = 2; "
		 "UPDATE sample SET value_ns = -9223372036854775808 WHERE id % 1000 = 3; "
		 "UPDATE sample SET missed = -1, flags = -1 WHERE id % 1000 = 4; "
		 "UPDATE latency SET count = 9223372036854775807 WHERE id % 50 = 1; "
		 "UPDATE latency SET count = -5, missed = -1 WHERE id % 50 = 2; "
		 "UPDATE latency SET histogram = x'ffffffffffffffffffff' WHERE id % 50 = 3; "
		 "UPDATE latency SET length_ns = 9223372036854775807 WHERE id % 50 = 4; "
		 "UPDATE latency SET min_ns = NULL, max_ns = NULL WHERE id % 50 = 5; "
		 "INSERT INTO rollup VALUES (1, 9223372036854775807, 0, 0, 0, 1, 1, 1, 1, 1, 0, "
		 "0, 0, 0, x''); INSERT INTO event (run, mono_ns, severity, code, subject, text) "
		 "VALUES "
		 "(1, -1, 'x', 'x', 'x', 'x'), (77, 9000000000000000000, 'x', 'x', 'x', 'x')");
	(void)sqlite3_close(db);
	(void)tidy(f, &policy, 1, 100 * HOUR_NS);
	assert_int_equal(ask_int(f->path, "SELECT (SELECT count(*) FROM sample) + (SELECT count(*) "
					  "FROM latency) + (SELECT count(*) FROM event)"),
			 0);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
}

static int64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_size : 0;
}

static void put_until_full(struct store *s, int64_t *t, int64_t samples)
{
	for (int64_t i = 0; i < samples; i++, *t += 10 * NSEC_PER_MSEC) {
		struct sample sample = sample_at(*t, i % 1000 - 500);

		while (!store_put_sample(s, &sample))
			nap();
	}
	store_kick(s);
	WAIT_FOR(store_health(s).queued == 0);
}

/* More than the cap has room for; looked at all the time. */
static void test_the_cap_holds(void **state)
{
	struct fixture *f = *state;
	const struct store_retention policy = {.cap_bytes = 32 * MIB};
	struct store *s = open_with_series(f, "a");
	int64_t largest = 0;
	int64_t t = nsec_now(CLOCK_MONOTONIC);

	store_set_retention(s, &policy);
	assert_int_equal(store_start(s, 100 * NSEC_PER_MSEC, -1), 0);
	for (int i = 0; i < 70; i++) {
		put_until_full(s, &t, 20000);
		if (size_of(f->path) + size_of(f->log) > largest)
			largest = size_of(f->path) + size_of(f->log);
	}
	assert_true(store_health(s).ok);
	assert_int_equal(store_health(s).samples, 1400000);
	assert_int_equal(store_health(s).dropped, 0);
	(void)store_close(s, "stopped", 10 * NSEC_PER_SEC);
	assert_in_range(largest, 20 * MIB, 32 * MIB);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
	/* nothing is lost without a trace, and most is there as it was */
	assert_int_equal(ask_int(f->path, "SELECT (SELECT count(*) FROM sample) + (SELECT "
					  "sum(count) FROM rollup)"),
			 1400000);
	assert_true(ask_int(f->path, "SELECT count(*) FROM sample") > 400000);
	assert_int_equal(
		ask_int(f->path, "SELECT count(*) > 0 FROM event WHERE code = 'store-trimmed'"), 1);
}

/* A reader that does not go away keeps the log from being emptied: the cap holds all the same. */
static void test_the_cap_holds_against_a_reader(void **state)
{
	struct fixture *f = *state;
	const struct store_retention policy = {.cap_bytes = 32 * MIB};
	struct store *s = open_with_series(f, "a");
	int64_t t = nsec_now(CLOCK_MONOTONIC);
	struct query *q;

	store_set_retention(s, &policy);
	assert_int_equal(store_start(s, 100 * NSEC_PER_MSEC, -1), 0);
	put_until_full(s, &t, 1000);
	q = query_fixture(f, "last");
	for (int i = 0; i < 60 && store_health(s).ok; i++) {
		for (int k = 0; k < 10000; k++, t += NSEC_PER_MSEC) {
			struct sample sample = sample_at(t, k);

			(void)store_put_sample(s, &sample);
		}
		for (int k = 0; k < 200 && store_health(s).queued > 0 && store_health(s).ok; k++)
			nap();
	}
	WAIT_FOR(!store_health(s).ok);
	assert_non_null(strstr(store_health(s).problem, "size_cap reached: a program that reads"));
	assert_in_range(size_of(f->path) + size_of(f->log), 1 * MIB, 32 * MIB);
	(void)query_free(q);
	WAIT_FOR(store_health(s).ok && store_health(s).queued == 0);
	assert_true(size_of(f->path) + size_of(f->log) <= 32 * MIB);
	(void)store_close(s, "stopped", 10 * NSEC_PER_SEC);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
}

static void test_a_lower_cap_shrinks_the_file(void **state)
{
	struct fixture *f = *state;
	const struct store_retention policy = {.cap_bytes = 32 * MIB};
	struct store *s = open_with_series(f, "a");
	int64_t t = 0;

	assert_int_equal(store_start(s, NSEC_PER_MSEC, -1), 0);
	put_until_full(s, &t, 1500000);
	(void)store_close(s, "stopped", 10 * NSEC_PER_SEC);
	assert_true(size_of(f->path) > 32 * MIB);
	assert_true(tidy(f, &policy, 1, t).rows > 100000);
	assert_int_equal(ask_int(f->path, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
	assert_true(size_of(f->path) <= 24 * MIB);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
	assert_int_equal(ask_int(f->path, "SELECT (SELECT count(*) FROM sample) + (SELECT "
					  "sum(count) FROM rollup)"),
			 1500000);
}

static int compare_ns(const void *a, const void *b)
{
	const int64_t *x = a;
	const int64_t *y = b;

	return (*x > *y) - (*x < *y);
}

/* While rows are rolled up and the file shrinks, an event that matters is written at once. */
static void test_a_flush_does_not_wait_for_slices(void **state)
{
	enum { KICKS = 100 };
	struct fixture *f = *state;
	const struct store_retention policy = {.cap_bytes = 32 * MIB};
	int64_t waited_ns[KICKS];
	struct store *s = open_with_series(f, "a");
	int64_t t = 0;
	int64_t before;

	assert_int_equal(store_start(s, NSEC_PER_MSEC, -1), 0);
	put_until_full(s, &t, 1500000); /* more than the cap will have room for */
	(void)store_close(s, "stopped", 10 * NSEC_PER_SEC);
	before = ask_int(f->path, "SELECT count(*) FROM sample");
	s = open_with_series(f, "b");
	store_set_retention(s, &policy);
	assert_int_equal(store_start(s, 300 * NSEC_PER_MSEC, -1), 0);
	for (int i = 0; i < KICKS; i++) {
		struct sample sample = sample_at(nsec_now(CLOCK_MONOTONIC), i);
		int64_t start_ns = nsec_now(CLOCK_MONOTONIC);
		uint64_t samples = store_health(s).samples;

		(void)store_put_sample(s, &sample);
		store_kick(s);
		while (store_health(s).samples == samples)
			(void)usleep(200);
		waited_ns[i] = nsec_now(CLOCK_MONOTONIC) - start_ns;
		(void)usleep(11000);
	}
	(void)store_close(s, "stopped", 10 * NSEC_PER_SEC);
	assert_true(ask_int(f->path, "SELECT count(*) FROM sample") < before); /* it was busy */
	qsort(waited_ns, KICKS, sizeof(waited_ns[0]), compare_ns);
	/* the slowest few may have waited for this machine */
	assert_true(waited_ns[KICKS - 5] < 50 * NSEC_PER_MSEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_old_rows_become_hours),
		FIXTURE_TEST(test_hours_keep_the_distribution),
		FIXTURE_TEST(test_steps_and_unlocked_are_kept_apart),
		FIXTURE_TEST(test_phases_cut_an_hour),
		FIXTURE_TEST(test_hours_are_added_to),
		FIXTURE_TEST(test_hours_go_and_the_run_stays),
		FIXTURE_TEST(test_hours_are_read_back),
		FIXTURE_TEST(test_only_recorded_time_ages),
		FIXTURE_TEST(test_rows_that_cannot_be),
		FIXTURE_TEST(test_the_cap_holds),
		FIXTURE_TEST(test_the_cap_holds_against_a_reader),
		FIXTURE_TEST(test_a_lower_cap_shrinks_the_file),
		FIXTURE_TEST(test_a_flush_does_not_wait_for_slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
