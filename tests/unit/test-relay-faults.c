// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lab/relay-faults.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"

enum { L2 = 14, UDP = 14 + 20 + 8, MESSAGE = 54, FRAME_MAX = UDP + MESSAGE, TIMESTAMP = 34 };
enum { SYNC = 0, DELAY_REQ = 1, FOLLOW_UP = 8, DELAY_RESP = 9, ANNOUNCE = 11, TWO_STEP = 2 };

/* A message of a type in a frame; the timestamp is 1 s less 1 ns. Returns the frame's length. */
static size_t make_frame(uint8_t frame[static FRAME_MAX], size_t at, uint8_t type, uint8_t flags)
{
	static const uint8_t almost_a_second[] = {0, 0, 0, 0, 0, 0, 0x3b, 0x9a, 0xc9, 0xff};

	memset(frame, 0, FRAME_MAX);
	if (at == L2) {
		memcpy(frame + 12, "\x88\xf7", 2);
	} else {
		memcpy(frame + 12, "\x08\x00\x45", 3);
		frame[14 + 9] = 17;
		memcpy(frame + 34, "\x01\x3f\x01\x3f\0\0\xab\xcd", 8); /* 319 to 319, a checksum */
	}
	frame[at] = type;
	frame[at + 1] = 2;
	frame[at + 6] = flags;
	memcpy(frame + at + TIMESTAMP, almost_a_second, sizeof(almost_a_second));
	return at + MESSAGE;
}

static int64_t timestamp_of(const uint8_t *p)
{
	int64_t s = 0, ns = 0;

	for (int i = 0; i < 6; i++)
		s = s << 8 | p[i];
	for (int i = 6; i < 10; i++)
		ns = ns << 8 | p[i];
	return s * NSEC_PER_SEC + ns;
}

static void orders_are_taken_or_refused_whole(void **state)
{
	static const struct {
		const char *order;
		int r;
	} rows[] = {
		/* clang-format off */
		{ "delay-ab 4000000", 0 }, { "delay-ba 0", 0 }, { "shift -5", 0 }, { "drift 100", 0 },
		{ "drop 8 100", 0 }, { "drop 15 0", 0 }, { "blackout 1", 0 }, { "clear", 0 },
		{ "", -EINVAL }, { "shift", -EINVAL }, { "shift x", -EINVAL }, { "shift 1 2", -EINVAL },
		{ "clear 1", -EINVAL }, { "delay-ab -1", -EINVAL }, { "delay-ba -1", -EINVAL },
		{ "drop 8", -EINVAL }, { "drop 16 1", -EINVAL }, { "drop -1 1", -EINVAL },
		{ "drop 1 101", -EINVAL }, { "drop 1 1 x", -EINVAL }, { "blackout 2", -EINVAL },
		{ "shiftshiftshiftshiftshift 1", -EINVAL },
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct relay_faults f = {.shift_ns = 7};

		if (relay_faults_parse(&f, rows[i].order, 0) != rows[i].r)
			fail_msg("'%s'", rows[i].order);
		if (rows[i].r != 0 && f.shift_ns != 7)
			fail_msg("'%s' was refused and changed something", rows[i].order);
	}
}

static void only_the_masters_times_are_shifted(void **state)
{
	static const struct {
		const char *name;
		size_t at;
		uint8_t type, flags;
		bool shifted;
	} rows[] = {
		/* clang-format off */
		{ "Follow_Up", L2, FOLLOW_UP, 0, true },
		{ "Delay_Resp", L2, DELAY_RESP, 0, true },
		{ "one-step Sync", L2, SYNC, 0, true },
		{ "two-step Sync", L2, SYNC, TWO_STEP, false },
		{ "Delay_Req", L2, DELAY_REQ, 0, false },
		{ "Announce", L2, ANNOUNCE, 0, false },
		{ "Follow_Up over UDP", UDP, FOLLOW_UP, 0, true },
		/* clang-format on */
	};
	const struct relay_faults f = {.shift_ns = 3};
	uint8_t frame[FRAME_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = make_frame(frame, rows[i].at, rows[i].type, rows[i].flags);
		int64_t expected = NSEC_PER_SEC - 1 + (rows[i].shifted ? 3 : 0);

		if (!relay_faults_treat(&f, frame, len, 0, 99))
			fail_msg("%s: lost", rows[i].name);
		if (timestamp_of(frame + rows[i].at + TIMESTAMP) != expected)
			fail_msg("%s: %jd", rows[i].name,
				 (intmax_t)timestamp_of(frame + rows[i].at + TIMESTAMP));
	}
}

static void drift_grows_and_stays(void **state)
{
	struct relay_faults f = {0};
	uint8_t frame[FRAME_MAX];
	size_t len;

	assert_int_equal(relay_faults_parse(&f, "shift 1000", 0), 0);
	assert_int_equal(relay_faults_parse(&f, "drift 50", 0), 0);
	assert_int_equal(relay_faults_parse(&f, "drift 0", 10 * NSEC_PER_SEC), 0);
	len = make_frame(frame, L2, FOLLOW_UP, 0);
	assert_true(relay_faults_treat(&f, frame, len, 20 * NSEC_PER_SEC, 99));
	assert_int_equal(timestamp_of(frame + L2 + TIMESTAMP), NSEC_PER_SEC - 1 + 1000 + 500);
}

static void messages_are_lost_by_type_and_chance(void **state)
{
	struct relay_faults f = {0};
	uint8_t frame[FRAME_MAX];
	size_t len = make_frame(frame, L2, FOLLOW_UP, 0);

	assert_int_equal(relay_faults_parse(&f, "drop 8 30", 0), 0);
	assert_false(relay_faults_treat(&f, frame, len, 0, 29));
	assert_true(relay_faults_treat(&f, frame, len, 0, 30));
	len = make_frame(frame, L2, DELAY_RESP, 0);
	assert_true(relay_faults_treat(&f, frame, len, 0, 0));
	assert_int_equal(relay_faults_parse(&f, "blackout 1", 0), 0);
	assert_false(relay_faults_treat(&f, frame, len, 0, 99));
	memset(frame, 0, sizeof(frame));
	assert_false(relay_faults_treat(&f, frame, sizeof(frame), 0, 99));
}

static void a_checksum_over_udp_is_taken_out(void **state)
{
	const struct relay_faults f = {0};
	uint8_t frame[FRAME_MAX];
	size_t len = make_frame(frame, UDP, SYNC, TWO_STEP);

	assert_int_equal(relay_message_type(frame, len), SYNC);
	assert_true(relay_faults_treat(&f, frame, len, 0, 99));
	assert_memory_equal(frame + UDP - 2, "\0\0", 2);
	memcpy(frame + 36, "\0\x35\0\0\xab\xcd", 6); /* not a port of PTP: not our business */
	assert_int_equal(relay_message_type(frame, len), -1);
	assert_true(relay_faults_treat(&f, frame, len, 0, 99));
	assert_memory_equal(frame + UDP - 2, "\xab\xcd", 2);
}

/* In memory of exactly its length, for a sanitizer to watch; with each length of IP header. */
static void frames_cut_short_pass_as_they_are(void **state)
{
	const struct relay_faults f = {.shift_ns = 3, .drop_percent = {100, 100, 100, 100}};
	const size_t shortest = 44;
	uint8_t whole[FRAME_MAX];

	for (size_t at = L2; at <= UDP; at += UDP - L2) {
		(void)make_frame(whole, at, FOLLOW_UP, 0);
		for (size_t len = 0; len < at + shortest; len++) {
			uint8_t *frame = malloc(len + (len == 0));

			assert_non_null(frame);
			memcpy(frame, whole, len);
			assert_true(relay_faults_treat(&f, frame, len, 0, 0));
			assert_memory_equal(frame, whole, len);
			assert_int_equal(relay_message_type(frame, len), -1);
			free(frame);
		}
	}
	(void)make_frame(whole, UDP, FOLLOW_UP, 0);
	for (uint8_t words = 0; words < 16; words++) {
		whole[14] = 0x40 | words;
		(void)relay_message_type(whole, sizeof(whole));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_are_taken_or_refused_whole),
		cmocka_unit_test(only_the_masters_times_are_shifted),
		cmocka_unit_test(drift_grows_and_stays),
		cmocka_unit_test(messages_are_lost_by_type_and_chance),
		cmocka_unit_test(a_checksum_over_udp_is_taken_out),
		cmocka_unit_test(frames_cut_short_pass_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
