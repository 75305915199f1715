/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/window.h: one CPU's wake-up latencies over about a second, and the messages in
 * which the sampler hands them over (SOCK_SEQPACKET, one message each, host byte order: both ends
 * are one machine and one build; the version says so when they are not).
 *
 * Windows of all CPUs lie on one grid of CLOCK_MONOTONIC and follow one another without a hole:
 * the end of one is the start of the next. A wake-up counts in the window of its deadline. One
 * that is late past the end of its window, and a reader that leaves no room, make a window longer.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/stats/histogram.h"

enum { WINDOW_VERSION = 2, WINDOW_MESSAGE_MAX = 16384, WINDOW_BINS_MAX = WINDOW_MESSAGE_MAX - 128 };

struct latency_window {
	uint32_t cpu;
	int64_t start_mono_ns, end_mono_ns;
	uint64_t count;         /* wake-ups, overflows included */
	int64_t min_ns, max_ns; /* 0 if count is 0 */
	int64_t sum_ns;
	uint64_t overflow; /* of them beyond the histogram */
	uint64_t missed;   /* periods that passed while it slept: not wake-ups, not in count */
	size_t bins_len;
	uint8_t bins[WINDOW_BINS_MAX]; /* encoded histogram */
};

/*
 * How the sampler measures: sent at the start, whenever it changes, and every ten seconds for a
 * reader that was not there before.
 */
struct latency_conditions {
	uint32_t cpu;             /* the thread's CPU */
	int32_t policy, priority; /* as read back, SCHED_RESET_ON_FORK taken out */
	int32_t schedule_error;   /* errno of the refusal, or 0 */
	bool pinned;              /* affinity read back is that CPU alone */
	bool memory_locked;
	int32_t lock_error;    /* errno of the refusal, or 0 */
	bool idle_states_held; /* /dev/cpu_dma_latency is open with 0 */
	int32_t idle_error;    /* errno if holding was asked for and refused */
	int64_t interval_ns;
	char clocksource[32];
};

enum { CONDITIONS_TEXT_MAX = 256 };

/*
 * Why windows taken under these conditions say nothing about real-time behaviour: "SCHED_FIFO
 * refused: Operation not permitted; memory not locked: …"; "" if they do.
 */
const char *conditions_problem(const struct latency_conditions *c,
			       char out[static CONDITIONS_TEXT_MAX]);

enum window_kind { WINDOW_LATENCY = 1, WINDOW_CONDITIONS = 2 };

/* The message in out (WINDOW_MESSAGE_MAX octets). Returns its length. */
size_t window_encode(const struct latency_window *w, uint8_t *out);
size_t window_encode_conditions(const struct latency_conditions *c, uint8_t *out);

/* What kind of message this is, or -EBADMSG, or -EPROTO for another version. */
int window_kind(const uint8_t *bytes, size_t len);

/* 0, or -EBADMSG. *out changes only on success. */
int window_decode(const uint8_t *bytes, size_t len, struct latency_window *out);
int window_decode_conditions(const uint8_t *bytes, size_t len, struct latency_conditions *out);
