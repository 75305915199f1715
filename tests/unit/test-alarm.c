// SPDX-License-Identifier: GPL-2.0-or-later
/* Alarms as sequences of numbers: when they are raised and cleared, and what is kept until read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/alarm.h"

#define S       NSEC_PER_SEC
#define UNKNOWN INT64_MIN

/* One number a second from second 1 on; what happens at each: '+' raised, '-' cleared, '.' neither.
 */
static const struct sequence {
	const char *name;
	enum alarm_code code;
	int64_t limit, clear;
	int64_t hold_s;
	int64_t values[16];
	const char *happens;
} sequences[] = {
	{"one bad offset is none", ALARM_OFFSET, 1000, 800, 3, {0, 5000, 0, 0, 0, 0}, "......"},
	{"three of five", ALARM_OFFSET, 1000, 800, 3, {1000, 0, 1000, 0, 1000}, "....+"},
	{"three of six are not three of five",
	 ALARM_OFFSET,
	 1000,
	 800,
	 3,
	 {1000, 0, 0, 1000, 0, 1000, 0},
	 "......."},
	{"below its limit by one", ALARM_OFFSET, 1000, 800, 3, {999, 999, 999, 999}, "...."},
	{"cleared after its hold",
	 ALARM_OFFSET,
	 1000,
	 800,
	 3,
	 {1000, 1000, 1000, 800, 800, 800, 800, 800},
	 "..+...-."},
	{"between the two it stays",
	 ALARM_OFFSET,
	 1000,
	 800,
	 2,
	 {1000, 1000, 1000, 900, 900, 900, 900, 900},
	 "..+....."},
	{"the hold begins anew",
	 ALARM_OFFSET,
	 1000,
	 800,
	 2,
	 {1000, 1000, 1000, 0, 0, 801, 0, 0, 0},
	 "..+.....-"},
	{"the clear value by default", ALARM_LATENCY, 1000, 0, 0, {1000, 751, 750}, "+.-"},
	{"a maximum counts at once", ALARM_LATENCY, 100, 50, 1, {99, 100, 0, 0, 0}, ".+.-."},
	{"unknown raises nothing",
	 ALARM_OFFSET,
	 1000,
	 800,
	 2,
	 {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN},
	 "...."},
	{"unknown clears nothing",
	 ALARM_OFFSET,
	 1000,
	 800,
	 2,
	 {1000, 1000, 1000, 0, UNKNOWN, UNKNOWN, UNKNOWN, 0, 0, 0},
	 "..+......-"},
	{"a low limit", ALARM_DISK, 1000, 2000, 1, {5000, 1001, 1000, 1999, 2000, 2000}, "..+..-"},
	{"no limit, no alarm", ALARM_PHC, 0, 0, 1, {INT64_MAX, INT64_MAX, INT64_MAX}, "..."},
	{"raised again", ALARM_LATENCY, 100, 50, 1, {100, 0, 0, 100, 0, 0, 100}, "+.-+.-+"},
};

static void test_sequences(void **state)
{
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
		const struct sequence *q = &sequences[i];
		static struct alarms a;
		char happened[17] = "";

		alarms_init(&a);
		alarms_set_limit(&a, q->code, q->limit, q->clear, q->hold_s * S);
		for (size_t at = 0; q->happens[at]; at++) {
			const struct alarm *alarm = NULL;

			if (q->values[at] == UNKNOWN)
				alarms_feed_unknown(&a, q->code, "eth0");
			else
				alarm = alarms_feed(&a, q->code, "eth0", q->values[at],
						    ((int64_t)at + 1) * S);
			happened[at] = !alarm ? '.' : alarm->raised ? '+' : '-';
		}
		if (strcmp(happened, q->happens) != 0)
			fail_msg("%s: %s, not %s", q->name, happened, q->happens);
	}
}

/* A condition has to hold for a while where its row says so, without a break. */
static void test_hold_before(void **state)
{
	static struct alarms a;

	alarms_init(&a);
	assert_null(alarms_feed(&a, ALARM_CHILD, "ptp4l", 1, 1 * S));
	assert_null(alarms_feed(&a, ALARM_CHILD, "ptp4l", 1, 3 * S - 1));
	assert_null(alarms_feed(&a, ALARM_CHILD, "ptp4l", 0, 3 * S));
	assert_null(alarms_feed(&a, ALARM_CHILD, "ptp4l", 1, 4 * S));
	assert_null(alarms_feed(&a, ALARM_CHILD, "ptp4l", 1, 5 * S));
	assert_non_null(alarms_feed(&a, ALARM_CHILD, "ptp4l", 1, 6 * S));
}

/* Subjects are apart, and so are quantities. */
static void test_subjects(void **state)
{
	static struct alarms a;
	struct alarm list[ALARMS_MAX];

	alarms_init(&a);
	alarms_set_limit(&a, ALARM_LATENCY, 100, 50, S);
	assert_non_null(alarms_feed(&a, ALARM_LATENCY, "cpu 0", 150, S));
	assert_null(alarms_feed(&a, ALARM_LATENCY, "cpu 1", 99, S));
	assert_non_null(alarms_feed(&a, ALARM_STORE, "cpu 0", 1, S));
	assert_int_equal(alarms_list(&a, list, ALARMS_MAX), 2);
	assert_string_equal(list[0].subject, "cpu 0");
	assert_int_equal(list[0].value, 150);
	assert_int_equal(list[0].limit, 100);
	assert_int_equal(list[1].code, ALARM_STORE);
}

static void test_latches(void **state)
{
	static struct alarms a;
	struct alarm list[ALARMS_MAX];

	alarms_init(&a);
	alarms_set_limit(&a, ALARM_LATENCY, 100, 50, S);
	(void)alarms_feed(&a, ALARM_LATENCY, "cpu 0", 150, 1 * S);
	(void)alarms_feed(&a, ALARM_LATENCY, "cpu 0", 250, 2 * S);
	(void)alarms_feed(&a, ALARM_LATENCY, "cpu 0", 10, 3 * S);
	(void)alarms_feed(&a, ALARM_LATENCY, "cpu 0", 10, 4 * S);
	(void)alarms_feed(&a, ALARM_LATENCY, "cpu 0", 170, 5 * S);
	(void)alarms_feed(&a, ALARM_LATENCY, "cpu 0", 10, 6 * S);
	(void)alarms_feed(&a, ALARM_LATENCY, "cpu 0", 20, 7 * S);
	assert_int_equal(alarms_list(&a, list, ALARMS_MAX), 1);
	assert_false(list[0].raised);
	assert_int_equal(list[0].count, 2);
	assert_int_equal(list[0].last_mono_ns, 5 * S);
	assert_int_equal(list[0].since_mono_ns, 7 * S);
	assert_int_equal(list[0].value, 20);
	assert_int_equal(list[0].worst, 170);

	/* what came after the screen was drawn has not been seen */
	assert_int_equal(alarms_acknowledge(&a, 5 * S - 1), 0);
	assert_int_equal(alarms_list(&a, list, ALARMS_MAX), 1);
	assert_int_equal(alarms_acknowledge(&a, 5 * S), 1);
	assert_int_equal(alarms_list(&a, list, ALARMS_MAX), 0);

	/* what is raised stays, and goes when it is cleared */
	(void)alarms_feed(&a, ALARM_LATENCY, "cpu 0", 170, 8 * S);
	assert_int_equal(alarms_acknowledge(&a, 8 * S), 1);
	assert_int_equal(alarms_list(&a, list, ALARMS_MAX), 1);
	assert_true(list[0].raised);
	(void)alarms_feed(&a, ALARM_LATENCY, "cpu 0", 0, 9 * S);
	assert_non_null(alarms_feed(&a, ALARM_LATENCY, "cpu 0", 0, 10 * S));
	assert_int_equal(alarms_list(&a, list, ALARMS_MAX), 0);
}

/* More subjects than there is room for are counted; what is over makes room. */
/* A child that is no longer configured. */
static void test_forget(void **state)
{
	struct alarms a;
	struct alarm list[ALARMS_MAX];

	alarms_init(&a);
	assert_non_null(alarms_feed(&a, ALARM_STORE, "first", 1, S));
	assert_non_null(alarms_feed(&a, ALARM_STORE, "second", 1, S));
	alarms_forget(&a, ALARM_CHILD, "first");
	assert_int_equal(alarms_list(&a, list, ALARMS_MAX), 2);
	alarms_forget(&a, ALARM_STORE, "first");
	assert_int_equal(alarms_list(&a, list, ALARMS_MAX), 1);
	assert_string_equal(list[0].subject, "second");
}

static void test_full(void **state)
{
	static struct alarms a;
	char subject[ALARM_SUBJECT_MAX];

	alarms_init(&a);
	for (int i = 0; i < ALARMS_MAX; i++) {
		(void)snprintf(subject, sizeof(subject), "cpu %d", i);
		assert_non_null(alarms_feed(&a, ALARM_STORE, subject, 1, S));
	}
	assert_null(alarms_feed(&a, ALARM_STORE, "one more", 1, S));
	assert_int_equal(a.lost, 1);
	assert_non_null(alarms_feed(&a, ALARM_STORE, "cpu 5", 0, 2 * S));
	(void)alarms_acknowledge(&a, 2 * S);
	assert_null(alarms_feed(&a, ALARM_STORE, "cpu 5", 0, 3 * S));
	assert_non_null(alarms_feed(&a, ALARM_STORE, "one more", 1, 3 * S));
	assert_int_equal(a.lost, 1);
}

/* A limit that is taken back clears what it raised. */
static void test_turned_off(void **state)
{
	static struct alarms a;
	const struct alarm *alarm;

	alarms_init(&a);
	alarms_set_limit(&a, ALARM_LATENCY, 100, 50, S);
	(void)alarms_feed(&a, ALARM_LATENCY, "cpu 0", 150, 1 * S);
	alarms_set_limit(&a, ALARM_LATENCY, 0, 0, S);
	alarm = alarms_feed(&a, ALARM_LATENCY, "cpu 0", 150, 2 * S);
	assert_non_null(alarm);
	assert_false(alarm->raised);
	assert_null(alarms_feed(&a, ALARM_LATENCY, "cpu 0", 150, 3 * S));
}

static void test_events(void **state)
{
	static const struct {
		const char *name;
		struct alarm alarm;
		enum severity severity;
		const char *text, *detail;
	} rows[] = {
		{"raised",
		 {ALARM_OFFSET, "eth0", true, 1, S, S, 1200000, 1200000, 1000000},
		 SEVERITY_ERROR,
		 "eth0: alarm offset: 1200.0 us, limit 1000.0 us",
		 "{\"alarm\":\"offset\",\"value\":1200000,\"worst\":1200000,\"limit\":1000000}"},
		{"cleared",
		 {ALARM_OFFSET, "eth0", false, 1, S, S, 100, 1200000, 1000000},
		 SEVERITY_NOTICE,
		 "eth0: alarm offset cleared: 100 ns, worst 1200.0 us, limit 1000.0 us",
		 "{\"alarm\":\"offset\",\"value\":100,\"worst\":1200000,\"limit\":1000000}"},
		{"a condition",
		 {ALARM_STORE, "database", true, 1, S, S, 1, 1, 1},
		 SEVERITY_ERROR,
		 "database: alarm store: the database cannot be written",
		 "{\"alarm\":\"store\",\"value\":1,\"worst\":1,\"limit\":1}"},
		{"octets, and a warning",
		 {ALARM_DISK, "database", true, 1, S, S, 1048576, 1048576, 2097152},
		 SEVERITY_WARNING,
		 "database: alarm disk: 1.0 MiB, limit 2.0 MiB",
		 "{\"alarm\":\"disk\",\"value\":1048576,\"worst\":1048576,\"limit\":2097152}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event e = alarm_event(&rows[i].alarm, 5 * S);

		if (strcmp(e.text, rows[i].text) != 0 || strcmp(e.detail, rows[i].detail) != 0 ||
		    e.severity != rows[i].severity || e.mono_ns != 5 * S ||
		    strcmp(e.subject, rows[i].alarm.subject) != 0)
			fail_msg("%s: %s %s", rows[i].name, e.text, e.detail);
	}
}

static void test_names(void **state)
{
	for (enum alarm_code code = 0; code < ALARM_CODE_MAX; code++) {
		assert_int_equal(alarm_code_parse(alarm_code_name(code)), code);
		assert_true(*alarm_code_meaning(code));
	}
	assert_int_equal(alarm_code_parse("nothing"), ALARM_CODE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequences),  cmocka_unit_test(test_hold_before),
		cmocka_unit_test(test_subjects),   cmocka_unit_test(test_latches),
		cmocka_unit_test(test_forget),     cmocka_unit_test(test_full),
		cmocka_unit_test(test_turned_off), cmocka_unit_test(test_events),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
