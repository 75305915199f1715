/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store-fixture.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

static int take_sample(void *userdata, const struct sample *sample)
{
	struct sample **to = userdata;

	*(*to)++ = *sample;
	return 0;
}

static int take_window(void *userdata, size_t series, const struct latency_window *w)
{
	struct latency_window **to = userdata;

	assert_int_equal(series, 1);
	*(*to)++ = *w;
	return 0;
}

struct taken_event {
	int64_t mono_ns;
	enum event_code code;
	enum severity severity;
	char text[256];
	char detail[256];
};

static int take_event(void *userdata, const struct query_event *e)
{
	struct taken_event **to = userdata;
	struct taken_event *t = (*to)++;

	t->mono_ns = e->mono_ns;
	t->code = e->code;
	t->severity = e->severity;
	(void)snprintf(t->text, sizeof(t->text), "%s", e->text);
	(void)snprintf(t->detail, sizeof(t->detail), "%s", e->detail);
	return 0;
}

static const struct sample samples[] = {
	{.mono_ns = 1000, .value = -37000000000, .delay_ns = 0, .flags = SAMPLE_STEP},
	{.mono_ns = 2000, .value = 12, .delay_ns = 345, .missed = 7},
	{.mono_ns = 3000, .value = INT64_MAX, .delay_ns = SAMPLE_UNKNOWN, .flags = SAMPLE_UNLOCKED},
	{.mono_ns = 4000, .value = INT64_MIN + 1, .delay_ns = -1},
};

static const struct latency_window windows[] = {
	{.cpu = 3,
	 .start_mono_ns = 1000,
	 .end_mono_ns = 2000,
	 .count = 10,
	 .min_ns = 1,
	 .max_ns = 5000,
	 .sum_ns = 6000,
	 .overflow = 1,
	 .missed = 2,
	 .bins_len = 3,
	 .bins = {1, 2, 0}},
	{.cpu = 3,
	 .start_mono_ns = 2000,
	 .end_mono_ns = 3000,
	 .min_ns = SAMPLE_UNKNOWN,
	 .max_ns = SAMPLE_UNKNOWN},
};

static void put_all(struct store *s)
{
	const struct clock_anchor first = {500,          400, 1700000000000000000,
					   TIME_UNKNOWN, 30,  ANCHOR_START};
	const struct clock_anchor second = {2500, 2300, 1699999999000002000, 37, 40, ANCHOR_STEP};
	struct event e = event_make(EVENT_PORT_STATE, 1500, "eth0", "port eth0: %s", "SLAVE");

	(void)snprintf(e.detail, sizeof(e.detail), "{\"state\": 9}");
	assert_int_equal(store_put_series(s, &fixture_offset), 0);
	assert_int_equal(store_put_series(s, &fixture_latency), 0);
	for (size_t i = 0; i < COUNT(samples); i++)
		assert_true(store_put_sample(s, &samples[i]));
	for (size_t i = 0; i < COUNT(windows); i++)
		assert_true(store_put_window(s, 1, &windows[i]));
	assert_true(store_put_event(s, &e));
	assert_true(store_put_anchor(s, &second));
	assert_true(store_put_anchor(s, &first));
	assert_true(store_begin_phase(s, 1000, "idle"));
	assert_true(store_begin_phase(s, 2000, "load"));
	assert_true(store_end_phase(s, 3000));
	assert_true(store_put_mark(s, 1234, "fan unplugged", "root"));
}

static void assert_same_sample(const struct sample *a, const struct sample *b)
{
	assert_int_equal(a->series, b->series);
	assert_int_equal(a->mono_ns, b->mono_ns);
	assert_int_equal(a->value, b->value);
	assert_int_equal(a->delay_ns, b->delay_ns);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->missed, b->missed);
}

static void assert_same_window(const struct latency_window *a, const struct latency_window *b)
{
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->start_mono_ns, b->start_mono_ns);
	assert_int_equal(a->end_mono_ns, b->end_mono_ns);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min_ns, b->min_ns);
	assert_int_equal(a->max_ns, b->max_ns);
	assert_int_equal(a->sum_ns, b->sum_ns);
	assert_int_equal(a->overflow, b->overflow);
	assert_int_equal(a->missed, b->missed);
	assert_int_equal(a->bins_len, b->bins_len);
	assert_memory_equal(a->bins, b->bins, a->bins_len);
}

static void check_small_tables(struct query *q)
{
	size_t n;
	const struct query_run *run = query_run(q);
	const struct query_series *series = query_series(q, &n);
	const struct query_phase *phases;
	const struct query_mark *marks;
	const struct clock_anchor *anchors;

	assert_string_equal(run->host, "board");
	assert_string_equal(run->label, "first night");
	assert_string_equal(run->ptp4l_version, "");
	assert_string_equal(run->configuration, fixture_run.configuration);
	assert_string_equal(run->how, "stopped");
	assert_true(run->end_mono_ns >= run->start_mono_ns);
	assert_int_equal(n, 2);
	assert_int_equal(series[0].kind, SERIES_OFFSET);
	assert_string_equal(series[1].subject, "cpu 3");
	phases = query_phases(q, &n);
	assert_int_equal(n, 2);
	assert_string_equal(phases[0].name, "idle");
	assert_int_equal(phases[0].end_mono_ns, 2000);
	assert_int_equal(phases[1].start_mono_ns, 2000);
	assert_int_equal(phases[1].end_mono_ns, 3000);
	marks = query_marks(q, &n);
	assert_int_equal(n, 1);
	assert_int_equal(marks[0].mono_ns, 1234);
	assert_string_equal(marks[0].text, "fan unplugged");
	assert_string_equal(marks[0].who, "root");
	anchors = query_anchors(q, &n);
	assert_int_equal(n, 2);
	assert_int_equal(anchors[0].mono_ns, 500);
	assert_int_equal(anchors[0].tai_offset_s, TIME_UNKNOWN);
	assert_int_equal(anchors[1].raw_ns, 2300);
	assert_int_equal(anchors[1].utc_ns, 1699999999000002000);
	assert_int_equal(anchors[1].tai_offset_s, 37);
	assert_int_equal(anchors[1].reason, ANCHOR_STEP);
}

static void test_what_is_put_is_read_back(void **state)
{
	struct fixture *f = *state;
	static struct latency_window got_windows[COUNT(windows)];
	struct sample got[COUNT(samples)];
	struct taken_event event;
	struct sample *sample = got;
	struct latency_window *window = got_windows;
	struct taken_event *e = &event;
	struct store *s = open_fixture(f);
	struct query *q;

	put_all(s);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	q = query_fixture(f, NULL);
	check_small_tables(q);
	assert_int_equal(query_visit_samples(q, 0, INT64_MIN, INT64_MAX, take_sample, &sample), 0);
	assert_int_equal(sample - got, COUNT(samples));
	for (size_t i = 0; i < COUNT(samples); i++)
		assert_same_sample(&got[i], &samples[i]);
	assert_int_equal(query_visit_windows(q, 1, INT64_MIN, INT64_MAX, take_window, &window), 0);
	assert_int_equal(window - got_windows, COUNT(windows));
	for (size_t i = 0; i < COUNT(windows); i++)
		assert_same_window(&got_windows[i], &windows[i]);
	assert_int_equal(query_visit_events(q, INT64_MIN, INT64_MAX, take_event, &e), 0);
	assert_int_equal(e - &event, 1);
	assert_int_equal(event.code, EVENT_PORT_STATE);
	assert_int_equal(event.severity, SEVERITY_NOTICE);
	assert_int_equal(event.mono_ns, 1500);
	assert_string_equal(event.text, "port eth0: SLAVE");
	assert_string_equal(event.detail, "{\"state\": 9}");
	(void)query_free(q);
}

static void test_views_tell_the_wall_clock_across_a_step(void **state)
{
	struct fixture *f = *state;
	struct store *s = open_fixture(f);

	put_all(s);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	/* A second back at 2500: the order of the rows is that of the axis. */
	assert_string_equal(ask(f->path, "SELECT group_concat(utc) FROM offsets"),
			    "2023-11-14T22:13:20.000000500Z,2023-11-14T22:13:20.000001500Z,"
			    "2023-11-14T22:13:19.000002500Z,2023-11-14T22:13:19.000003500Z");
	assert_string_equal(ask(f->path, "SELECT group_concat(offset_ns) FROM offsets"),
			    "-37000000000,12,9223372036854775807,-9223372036854775807");
	assert_string_equal(ask(f->path, "SELECT group_concat(step || unlocked) FROM offsets"),
			    "10,00,01,00");
	assert_string_equal(ask(f->path, "SELECT group_concat(coalesce(avg_ns, '-')) "
					 "FROM latencies"),
			    "600,-");
	assert_string_equal(ask(f->path, "SELECT utc || ' ' || code FROM events"),
			    "2023-11-14T22:13:20.000001000Z port-state");
	assert_string_equal(ask(f->path, "SELECT how || ' ' || host FROM runs"), "stopped board");
}

static void test_the_view_of_phcs_says_whose_word_it_is(void **state)
{
	static const struct series all[] = {
		{SERIES_OFFSET, "pmc", "eth0", "ns"},
		{SERIES_SYS_MINUS_PHC, "phc", "ptp0", "ns"},
		{SERIES_PHC2SYS, "phc2sys", "ptp1", "ns"},
	};
	const struct clock_anchor anchor = {500,          400, 1700000000000000000,
					    TIME_UNKNOWN, 30,  ANCHOR_START};
	struct fixture *f = *state;
	struct store *s = open_fixture(f);

	for (unsigned i = 0; i < COUNT(all); i++) {
		const struct sample sample = {
			.series = i,
			.mono_ns = 1000 + i,
			.value = -7 * (int64_t)i,
			.flags = i == 2 ? SAMPLE_UNLOCKED : 0,
		};

		assert_int_equal(store_put_series(s, &all[i]), 0);
		assert_true(store_put_sample(s, &sample));
	}
	assert_true(store_put_anchor(s, &anchor));
	assert_int_equal(store_start(s, NSEC_PER_MSEC, -1), 0);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	assert_string_equal(
		ask(f->path, "SELECT group_concat(utc||' '||clock||' '||what||' '||offset_ns||' '||"
			     "unlocked, '; ') FROM phcs"),
		"2023-11-14T22:13:20.000000501Z ptp0 measured: CLOCK_REALTIME - clock in UTC -7 0; "
		"2023-11-14T22:13:20.000000502Z ptp1 claimed: clock - its source -14 1");
}

/* With the moment and who said so; what is not known is NULL. */
static void test_verdicts(void **state)
{
	const struct verdict passed = {"night", "offset p99", "load",        "within",
				       100,     35.5,         VERDICT_PASSED};
	const struct verdict open_ended = {
		"night", "gaps", NULL, NULL, NAN, NAN, VERDICT_INCONCLUSIVE};
	struct fixture *f = *state;
	struct store *s = open_fixture(f);

	assert_true(store_put_verdict(s, 5000, &passed, "root (pid 1)"));
	assert_true(store_put_verdict(s, 6000, &open_ended, "uid 7 (pid 2)"));
	assert_int_equal(store_start(s, NSEC_PER_MSEC, -1), 0);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	assert_string_equal(
		ask(f->path,
		    "SELECT group_concat(run||','||mono_ns||','||plan||','||ifnull(phase,'-')||','"
		    "||criterion||','||ifnull(limit_value,'-')||','||ifnull(measured,'-')||','"
		    "||ifnull(pass,'-')||','||ifnull(reason,'-')||','||who, ';') FROM verdict"),
		"1,5000,night,load,offset p99,100.0,35.5,1,within,root (pid 1);"
		"1,6000,night,-,gaps,-,-,-,-,uid 7 (pid 2)");
}

static void crash_in_phase(struct fixture *f)
{
	struct store *s = open_fixture(f);
	struct sample sample = sample_at(5000, 1);

	(void)store_put_series(s, &fixture_latency);
	(void)store_put_series(s, &fixture_offset);
	sample.series = 1;
	(void)store_put_sample(s, &sample);
	(void)store_begin_phase(s, 4000, "load");
	(void)store_put_mark(s, nsec_now(CLOCK_MONOTONIC) + NSEC_PER_SEC, "ahead", "test");
	(void)store_start(s, NSEC_PER_MSEC, -1);
	WAIT_FOR(store_health(s).samples == 1);
}

static void test_a_restarted_recorder_goes_on(void **state)
{
	struct fixture *f = *state;
	int64_t resumed_from_mono_ns;
	int64_t since_mono_ns;
	struct sample sample = sample_at(6000, 2);
	struct store *s;

	in_child(crash_in_phase, f);
	s = open_as(f, &fixture_run, &resumed_from_mono_ns);
	assert_int_equal(store_run_id(s), 1);
	assert_true(resumed_from_mono_ns > nsec_now(CLOCK_MONOTONIC) - 5 * NSEC_PER_SEC);
	assert_string_equal(store_resumed_phase(s, &since_mono_ns), "load");
	assert_int_equal(since_mono_ns, 4000);
	(void)store_put_series(s, &fixture_offset); /* now the first, and yet the same */
	(void)store_put_sample(s, &sample);
	(void)store_end_phase(s, 7000);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM run"), 1);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM series"), 2);
	assert_string_equal(ask(f->path, "SELECT group_concat(offset_ns) FROM offsets"), "1,2");
	assert_int_equal(ask_int(f->path, "SELECT end_mono_ns FROM phase"), 7000);

	s = open_as(f, &fixture_run, &resumed_from_mono_ns); /* that one has ended */
	assert_int_equal(store_run_id(s), 2);
	assert_int_equal(resumed_from_mono_ns, TIME_UNKNOWN);
	assert_string_equal(store_resumed_phase(s, &since_mono_ns), "");
	(void)store_close(s, "stopped", NSEC_PER_SEC);
}

/* clang-format off */
static const struct {
	const char *name, *token, *boot_id;
} strangers[] = {
	{ "another start of the service", "token-2", "boot-1" },
	{ "another boot", "token-1", "boot-2" },
};
/* clang-format on */

static void test_others_begin_a_run_of_their_own(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(strangers); i++) {
		struct store_run run = fixture_run;
		int64_t resumed_from_mono_ns = 0;
		struct store *s;

		in_child(crash_in_phase, f);
		run.token = strangers[i].token;
		run.boot_id = strangers[i].boot_id;
		s = open_as(f, &run, &resumed_from_mono_ns);
		if (resumed_from_mono_ns != TIME_UNKNOWN)
			fail_msg("%s went on", strangers[i].name);
		(void)store_close(s, "stopped", NSEC_PER_SEC);
	}
	assert_string_equal(ask(f->path, "SELECT group_concat(how) FROM runs"),
			    "not ended,stopped,not ended,stopped");
}

static void test_a_kick_flushes_at_once(void **state)
{
	struct fixture *f = *state;
	struct store *s = open_fixture(f);
	struct sample sample = sample_at(1000, 1);
	struct pollfd told = {.fd = eventfd(0, EFD_CLOEXEC), .events = POLLIN};

	assert_int_equal(store_put_series(s, &fixture_offset), 0);
	assert_int_equal(store_start(s, 3600 * NSEC_PER_SEC, told.fd), 0);
	assert_true(store_put_sample(s, &sample));
	assert_int_equal(poll(&told, 1, 50), 0);
	assert_int_equal(store_health(s).queued, 1);
	store_kick(s);
	assert_int_equal(poll(&told, 1, 20000), 1);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample"), 1);
	assert_int_equal(store_health(s).samples, 1);
	assert_int_equal(store_health(s).queued, 0);
	assert_true(store_health(s).flushed_mono_ns > 0);
	(void)store_close(s, "stopped", 5 * NSEC_PER_SEC);
	(void)close(told.fd);
}

/* The rows of a flush are in order; one that comes in a later flush is not lost to anybody. */
static void test_rows_of_a_flush_are_in_order(void **state)
{
	static const int64_t put_mono_ns[] = {5000, 1000, 4000, 1000, 3000};
	struct fixture *f = *state;
	struct store *s = open_fixture(f);

	assert_int_equal(store_put_series(s, &fixture_offset), 0);
	for (size_t i = 0; i < COUNT(put_mono_ns); i++) {
		struct sample sample = sample_at(put_mono_ns[i], (int64_t)i);

		assert_true(store_put_sample(s, &sample));
	}
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	assert_string_equal(ask(f->path, "SELECT group_concat(value_ns) FROM sample ORDER BY id"),
			    "1,3,4,2,0");
}

static void assert_told(struct query *q, enum event_code code, const char *word)
{
	struct taken_event events[16];
	struct taken_event *end = events;

	assert_int_equal(query_visit_events(q, INT64_MIN, INT64_MAX, take_event, &end), 0);
	for (struct taken_event *e = events; e < end; e++)
		if (e->code == code && strstr(e->text, word))
			return;
	fail_msg("no event %s with \"%s\"", event_code_name(code), word);
}

/* Another program holds the write lock for longer than SQLite waits for it. */
static void test_a_full_queue_drops_the_newest_and_says_so(void **state)
{
	enum { TOO_MANY = 5000 };
	struct fixture *f = *state;
	struct store *s = open_fixture(f);
	sqlite3 *other = open_raw(f->path);
	struct event e = event_make(EVENT_LINK_UP, 1, "eth0", "eth0: up");
	int64_t slowest_ns = 0;
	unsigned taken = 0;
	struct query *q;

	assert_int_equal(store_put_series(s, &fixture_offset), 0);
	assert_int_equal(store_start(s, 20 * NSEC_PER_MSEC, -1), 0);
	exec_raw(other, "BEGIN IMMEDIATE");
	for (int i = 0; i < STORE_QUEUE_MAX + TOO_MANY; i++) {
		struct sample sample = sample_at(i, i);
		int64_t start_ns = nsec_now(CLOCK_THREAD_CPUTIME_ID);

		taken += store_put_sample(s, &sample);
		start_ns = nsec_now(CLOCK_THREAD_CPUTIME_ID) - start_ns;
		slowest_ns = start_ns > slowest_ns ? start_ns : slowest_ns;
	}
	assert_true(slowest_ns < NSEC_PER_SEC);
	assert_int_equal(taken, STORE_QUEUE_MAX);
	assert_true(store_put_event(s, &e)); /* what is rare has a reserve */
	WAIT_FOR(!store_health(s).ok);
	assert_non_null(strstr(store_health(s).problem, "locked"));
	assert_int_equal(store_health(s).dropped, TOO_MANY);
	assert_int_equal(store_health(s).queued, STORE_QUEUE_MAX + 1);
	exec_raw(other, "ROLLBACK");
	(void)sqlite3_close(other);
	WAIT_FOR(store_health(s).ok && store_health(s).samples == STORE_QUEUE_MAX);
	assert_string_equal(store_health(s).problem, "");
	(void)store_close(s, "stopped", 10 * NSEC_PER_SEC);
	assert_int_equal(ask_int(f->path, "SELECT count(DISTINCT value_ns) FROM sample"),
			 STORE_QUEUE_MAX);
	assert_int_equal(ask_int(f->path, "SELECT max(value_ns) FROM sample"), STORE_QUEUE_MAX - 1);
	q = query_fixture(f, "last");
	assert_told(q, EVENT_SAMPLES_DROPPED, "dropped=5000");
	assert_told(q, EVENT_STORE_FAILED, "locked");
	assert_told(q, EVENT_STORE_RECOVERED, "again");
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM event"), 4);
	(void)query_free(q);
}

static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_a_full_disk_is_survived(void **state)
{
	struct fixture *f = *state;
	struct store *s = open_fixture(f);
	int put = 0;
	struct query *q;

	assert_int_equal(store_put_series(s, &fixture_offset), 0);
	assert_int_equal(store_start(s, 5 * NSEC_PER_MSEC, -1), 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	limit_file_size(300000);
	for (; store_health(s).ok && put < STORE_QUEUE_MAX; put++) {
		struct sample sample = sample_at(put, put);

		assert_true(store_put_sample(s, &sample));
		if (put % 100 == 0)
			nap();
	}
	assert_false(store_health(s).ok);
	assert_non_null(strstr(store_health(s).problem, f->path));
	limit_file_size(RLIM_INFINITY);
	WAIT_FOR(store_health(s).ok);
	(void)store_close(s, "stopped", 10 * NSEC_PER_SEC);
	assert_int_equal(ask_int(f->path, "SELECT count(DISTINCT value_ns) FROM sample"), put);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample"), put);
	q = query_fixture(f, "last");
	assert_told(q, EVENT_STORE_FAILED, "ptpmon.db");
	assert_told(q, EVENT_STORE_RECOVERED, "again");
	(void)query_free(q);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
}

/* Who stops the service does not wait for a disk that hangs; what was queued gets there still. */
static void test_close_waits_no_longer_than_told(void **state)
{
	struct fixture *f = *state;
	struct store *s = open_fixture(f);
	sqlite3 *other = open_raw(f->path);
	struct sample sample = sample_at(1, 1);
	int64_t start_ns = nsec_now(CLOCK_MONOTONIC);

	assert_int_equal(store_put_series(s, &fixture_offset), 0);
	assert_int_equal(store_start(s, 3600 * NSEC_PER_SEC, -1), 0);
	assert_true(store_put_sample(s, &sample));
	exec_raw(other, "BEGIN IMMEDIATE");
	(void)store_close(s, "stopped", 50 * NSEC_PER_MSEC);
	assert_true(nsec_now(CLOCK_MONOTONIC) - start_ns < 3 * NSEC_PER_SEC);
	exec_raw(other, "ROLLBACK");
	(void)sqlite3_close(other);
	WAIT_FOR(strcmp(ask(f->path, "SELECT how FROM runs"), "stopped") == 0);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample"), 1);
	WAIT_FOR(store_open(&s, f->directory, &fixture_run, &start_ns, f->why) == 0);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
}

static void test_series_have_an_end(void **state)
{
	struct store *s = open_fixture(*state);

	for (int i = 0; i < STORE_SERIES_MAX; i++)
		assert_int_equal(store_put_series(s, &fixture_offset), 0);
	assert_int_equal(store_put_series(s, &fixture_offset), -ENOSPC);
	assert_null(store_close(s, "stopped", NSEC_PER_SEC));
	assert_null(store_close(NULL, "stopped", NSEC_PER_SEC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_what_is_put_is_read_back),
		FIXTURE_TEST(test_views_tell_the_wall_clock_across_a_step),
		FIXTURE_TEST(test_the_view_of_phcs_says_whose_word_it_is),
		FIXTURE_TEST(test_verdicts),
		FIXTURE_TEST(test_a_restarted_recorder_goes_on),
		FIXTURE_TEST(test_others_begin_a_run_of_their_own),
		FIXTURE_TEST(test_a_kick_flushes_at_once),
		FIXTURE_TEST(test_rows_of_a_flush_are_in_order),
		FIXTURE_TEST(test_a_full_queue_drops_the_newest_and_says_so),
		FIXTURE_TEST(test_a_full_disk_is_survived),
		FIXTURE_TEST(test_close_waits_no_longer_than_told),
		FIXTURE_TEST(test_series_have_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
