/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/stats/window.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Three wake-ups of 5, 5 and 2^31 ns. */
static struct latency_window make_window(void)
{
	struct latency_window w = {
		.cpu = 131,
		.start_mono_ns = 5000000000,
		.end_mono_ns = 6000000000,
		.count = 3,
		.min_ns = 5,
		.max_ns = INT64_C(1) << 31,
		.sum_ns = (INT64_C(1) << 31) + 10,
		.overflow = 1,
		.missed = 2147,
		.bins_len = 2,
		.bins = {6, 2},
	};

	return w;
}

static struct latency_conditions make_conditions(void)
{
	return (struct latency_conditions){
		.cpu = 3,
		.policy = SCHED_FIFO,
		.priority = 98,
		.pinned = true,
		.memory_locked = true,
		.interval_ns = 1000000,
		.clocksource = "arch_sys_counter",
	};
}

static void a_window_comes_back(void **state)
{
	struct latency_window w = make_window();
	struct latency_window back;
	uint8_t message[WINDOW_MESSAGE_MAX];
	size_t len = window_encode(&w, message);

	assert_int_equal(window_kind(message, len), WINDOW_LATENCY);
	assert_int_equal(window_decode(message, len, &back), 0);
	assert_int_equal(back.cpu, w.cpu);
	assert_int_equal(back.start_mono_ns, w.start_mono_ns);
	assert_int_equal(back.end_mono_ns, w.end_mono_ns);
	assert_int_equal(back.count, w.count);
	assert_int_equal(back.min_ns, w.min_ns);
	assert_int_equal(back.max_ns, w.max_ns);
	assert_int_equal(back.sum_ns, w.sum_ns);
	assert_int_equal(back.overflow, w.overflow);
	assert_int_equal(back.missed, w.missed);
	assert_int_equal(back.bins_len, w.bins_len);
	assert_memory_equal(back.bins, w.bins, w.bins_len);
}

static void a_full_window_fits(void **state)
{
	struct latency_window w = {.end_mono_ns = 1, .count = 0};
	struct latency_window back;
	struct histogram h;
	uint8_t message[WINDOW_MESSAGE_MAX];

	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		h.bins[i] = UINT32_MAX;
	w.bins_len = histogram_encode(&h, w.bins, sizeof(w.bins));
	assert_true(w.bins_len > 0);
	w.count = (uint64_t)HISTOGRAM_BINS * UINT32_MAX;
	w.max_ns = (int64_t)histogram_bin_high(HISTOGRAM_BINS - 1);
	w.sum_ns = INT64_MAX;
	assert_int_equal(window_decode(message, window_encode(&w, message), &back), 0);
}

static void conditions_come_back(void **state)
{
	struct latency_conditions c = make_conditions();
	struct latency_conditions back;
	uint8_t message[WINDOW_MESSAGE_MAX];
	size_t len;

	c.schedule_error = EPERM;
	c.lock_error = ENOMEM;
	c.idle_error = EACCES;
	c.idle_states_held = true;
	len = window_encode_conditions(&c, message);
	assert_int_equal(window_kind(message, len), WINDOW_CONDITIONS);
	assert_int_equal(window_decode_conditions(message, len, &back), 0);
	assert_int_equal(back.cpu, c.cpu);
	assert_int_equal(back.policy, c.policy);
	assert_int_equal(back.priority, c.priority);
	assert_int_equal(back.schedule_error, c.schedule_error);
	assert_int_equal(back.pinned, c.pinned);
	assert_int_equal(back.memory_locked, c.memory_locked);
	assert_int_equal(back.lock_error, c.lock_error);
	assert_int_equal(back.idle_states_held, c.idle_states_held);
	assert_int_equal(back.idle_error, c.idle_error);
	assert_int_equal(back.interval_ns, c.interval_ns);
	assert_string_equal(back.clocksource, c.clocksource);
}

static void a_message_cut_anywhere_is_refused(void **state)
{
	struct latency_window w = make_window();
	struct latency_conditions c = make_conditions();
	uint8_t message[WINDOW_MESSAGE_MAX];
	size_t len = window_encode(&w, message);

	for (size_t cut = 0; cut < len; cut++)
		assert_int_equal(window_decode(message, cut, &w), -EBADMSG);
	assert_int_equal(window_decode_conditions(message, len, &c), -EBADMSG);
	len = window_encode_conditions(&c, message);
	for (size_t cut = 0; cut < len; cut++)
		assert_int_equal(window_decode_conditions(message, cut, &c), -EBADMSG);
	assert_int_equal(window_decode(message, len, &w), -EBADMSG);
}

static void implausible_windows_are_refused(void **state)
{
	static const struct row {
		const char *name;
		size_t number; /* which of the message's 64-bit numbers */
		uint64_t value;
	} rows[] = {
		{"another version", 0, WINDOW_VERSION + 1},
		{"an unknown kind", 1, 99},
		{"a CPU beyond 32 bits", 2, UINT64_C(1) << 32},
		{"a negative start", 3, UINT64_MAX},
		{"an end before the start", 4, 1},
		{"more wake-ups than binned", 5, 4},
		{"fewer wake-ups than overflows", 5, 0},
		{"a negative minimum", 6, UINT64_MAX},
		{"a minimum above the maximum", 6, UINT64_C(1) << 32},
		{"a sum below the maximum", 8, 7},
		{"more overflows than wake-ups", 9, 4},
		{"bins that are none", 11, 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct latency_window w = make_window();
		struct latency_window out = {.cpu = 7};
		uint8_t message[WINDOW_MESSAGE_MAX] = {0};
		size_t len = window_encode(&w, message);

		if (rows[i].number == 11)
			message[len - 1] = 0;
		else
			memcpy(message + rows[i].number * 8, &rows[i].value, 8);
		if (window_decode(message, len, &out) != -EBADMSG || out.cpu != 7)
			fail_msg("%s", rows[i].name);
	}
}

static void another_version_is_told_apart(void **state)
{
	const uint64_t message[] = {WINDOW_VERSION + 1, WINDOW_LATENCY};

	assert_int_equal(window_kind((const uint8_t *)message, sizeof(message)), -EPROTO);
}

static void conditions_without_an_end_are_refused(void **state)
{
	struct latency_conditions c = make_conditions();
	uint8_t message[WINDOW_MESSAGE_MAX];
	size_t len;

	memset(c.clocksource, 'x', sizeof(c.clocksource));
	len = window_encode_conditions(&c, message);
	assert_int_equal(window_decode_conditions(message, len, &c), -EBADMSG);
}

static void problems_are_named(void **state)
{
	struct latency_conditions good = make_conditions();
	struct latency_conditions refused = good;
	struct latency_conditions ordinary = good;
	struct latency_conditions loose = good;
	struct latency_conditions everything = good;
	const struct {
		const char *name;
		const struct latency_conditions *conditions;
		const char *want;
	} rows[] = {
		{"real time", &good, ""},
		{"refused", &refused, "SCHED_FIFO refused: Operation not permitted"},
		{"not asked for", &ordinary, "not scheduled SCHED_FIFO"},
		{"moved", &loose, "not bound to its CPU"},
		{"all at once", &everything,
		 "SCHED_FIFO refused: Operation not permitted; not bound to its CPU; "
		 "memory not locked: Cannot allocate memory"},
	};

	refused.schedule_error = EPERM;
	refused.policy = SCHED_OTHER;
	ordinary.policy = SCHED_OTHER;
	loose.pinned = false;
	everything = refused;
	everything.pinned = false;
	everything.memory_locked = false;
	everything.lock_error = ENOMEM;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[CONDITIONS_TEXT_MAX];

		if (strcmp(conditions_problem(rows[i].conditions, text), rows[i].want) != 0)
			fail_msg("%s: '%s'", rows[i].name, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_comes_back),
		cmocka_unit_test(a_full_window_fits),
		cmocka_unit_test(conditions_come_back),
		cmocka_unit_test(a_message_cut_anywhere_is_refused),
		cmocka_unit_test(implausible_windows_are_refused),
		cmocka_unit_test(another_version_is_told_apart),
		cmocka_unit_test(conditions_without_an_end_are_refused),
		cmocka_unit_test(problems_are_named),
	};

	return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
