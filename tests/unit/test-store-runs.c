/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store-fixture.h"

#include "ptpmon/store/runs.h"

#define Y2026 INT64_C(1767225600000000000)

struct seen {
	size_t n;
	struct run_facts runs[8];
};

static int keep(void *userdata, const struct run_facts *run)
{
	struct seen *seen = userdata;

	assert_true(seen->n < COUNT(seen->runs));
	seen->runs[seen->n++] = *run;
	return 0;
}

static struct seen list(struct fixture *f)
{
	struct runs_size size = {0};
	struct seen seen = {0};

	if (runs_visit(f->path, keep, &seen, &size, f->why) < 0)
		fail_msg("%s", f->why);
	assert_true(size.file_bytes > 0);
	return seen;
}

static void record(struct fixture *f, const char *token, int samples, const char *how)
{
	struct store_run run = fixture_run;
	int64_t resumed_from_mono_ns;
	struct store *s;

	run.token = token;
	s = open_as(f, &run, &resumed_from_mono_ns);
	(void)store_put_series(s, &fixture_offset);
	for (int i = 0; i < samples; i++) {
		struct sample sample = sample_at(nsec_now(CLOCK_MONOTONIC), i);

		(void)store_put_sample(s, &sample);
	}
	(void)store_close(s, how, NSEC_PER_SEC);
}

static void test_rows_are_counted_by_run(void **state)
{
	struct fixture *f = *state;
	struct seen seen;
	sqlite3 *db;

	record(f, "a", 700, "stopped");
	record(f, "b", 0, "stopped");
	record(f, "c", 300, "stopped");
	seen = list(f);
	assert_int_equal(seen.n, 3);
	assert_int_equal(seen.runs[0].samples, 700);
	assert_int_equal(seen.runs[1].samples, 0);
	assert_int_equal(seen.runs[2].samples, 300);
	assert_int_equal(seen.runs[2].windows, 0);
	assert_true(seen.runs[0].data_bytes >= 700 * 10);
	db = open_raw(f->path); /* as retention does, from the front */
	exec_raw(db, "DELETE FROM sample WHERE id <= 800");
	(void)sqlite3_close(db);
	seen = list(f);
	assert_int_equal(seen.runs[0].samples, 0);
	assert_int_equal(seen.runs[2].samples, 200);
}

/* The board wakes up in 1970 and is told the time 20 s later. */
static void test_a_clock_that_was_not_set_yet(void **state)
{
	struct fixture *f = *state;
	struct store_run run = fixture_run;
	int64_t resumed_from_mono_ns;
	struct seen seen;
	struct store *s;

	run.start_mono_ns = 30 * NSEC_PER_SEC;
	s = open_as(f, &run, &resumed_from_mono_ns);
	(void)store_put_anchor(s, &(struct clock_anchor){.mono_ns = 31 * NSEC_PER_SEC,
							 .utc_ns = 60 * NSEC_PER_SEC,
							 .reason = ANCHOR_START});
	(void)store_put_anchor(s, &(struct clock_anchor){.mono_ns = 50 * NSEC_PER_SEC,
							 .utc_ns = Y2026,
							 .reason = ANCHOR_STEP});
	assert_int_equal(store_end(s, "stopped", 60 * NSEC_PER_SEC, f->why), 0);
	seen = list(f);
	assert_int_equal(seen.runs[0].start_utc_ns, Y2026 - 20 * NSEC_PER_SEC);
	assert_int_equal(seen.runs[0].newest_utc_ns, Y2026 + 10 * NSEC_PER_SEC);
}

static void record_and_die(struct fixture *f)
{
	struct store *s = open_fixture(f);
	struct sample sample = sample_at(nsec_now(CLOCK_MONOTONIC) + NSEC_PER_SEC, 1);

	(void)store_put_series(s, &fixture_offset);
	(void)store_put_sample(s, &sample);
	(void)store_start(s, NSEC_PER_MSEC, -1);
	WAIT_FOR(store_health(s).samples == 1);
}

static void test_a_run_that_was_killed(void **state)
{
	struct fixture *f = *state;
	struct seen seen;

	in_child(record_and_die, f);
	seen = list(f);
	assert_null(seen.runs[0].how);
	assert_false(seen.runs[0].may_go_on);
	assert_true(seen.runs[0].newest_mono_ns - seen.runs[0].start_mono_ns >= NSEC_PER_SEC);
	assert_int_equal(seen.runs[0].start_utc_ns, TIME_UNKNOWN);
}

static void test_the_newest_goes_on_while_a_recorder_is_there(void **state)
{
	struct fixture *f = *state;
	struct store_run next = fixture_run;
	int64_t resumed_from_mono_ns;
	struct store *s;
	struct seen seen;

	in_child(record_and_die, f);
	next.token = "token-2";
	s = open_as(f, &next, &resumed_from_mono_ns);
	seen = list(f);
	assert_int_equal(seen.n, 2);
	assert_false(seen.runs[0].may_go_on);
	assert_true(seen.runs[1].may_go_on);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	assert_false(list(f).runs[1].may_go_on);
}

static void test_a_run_that_cannot_be(void **state)
{
	struct fixture *f = *state;
	struct runs_size size;
	struct seen seen = {0};
	sqlite3 *db;

	record(f, "a", 1, "stopped");
	db = open_raw(f->path);
	exec_raw(db, "UPDATE run SET start_mono_ns = 9223372036854775807");
	(void)sqlite3_close(db);
	assert_int_equal(runs_visit(f->path, keep, &seen, &size, f->why), -EUCLEAN);
	assert_non_null(strstr(f->why, "holds what cannot be"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_rows_are_counted_by_run),
		FIXTURE_TEST(test_a_clock_that_was_not_set_yet),
		FIXTURE_TEST(test_a_run_that_was_killed),
		FIXTURE_TEST(test_the_newest_goes_on_while_a_recorder_is_there),
		FIXTURE_TEST(test_a_run_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
