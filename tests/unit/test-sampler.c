/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sampler as a whole, in a thread of this program, read through its socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/latency/ring.h"
#include "ptpmon/latency/sampler.h"
#include "ptpmon/stats/latency_summary.h"

enum { INTERVAL_NS = 500 * NSEC_PER_USEC, WINDOW_NS = 10 * NSEC_PER_MSEC };

/* A sampler that runs, and this end of its socket. */
struct run {
	struct sampler_options options;
	int reader;
	int result;
	pthread_t thread;
};

static void *run_sampler(void *userdata)
{
	struct run *run = userdata;

	run->result = sampler_run(&run->options);
	(void)close(run->options.fd);
	return NULL;
}

static void start(struct run *run, int64_t duration_ns)
{
	const int little = 1; /* the kernel makes it the least it allows: a few messages */
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)), 0);
	*run = (struct run){
		.options = {.interval_ns = INTERVAL_NS,
			    .window_ns = WINDOW_NS,
			    .duration_ns = duration_ns,
			    .fd = pair[1]},
		.reader = pair[0],
	};
	cpulist_add(&run->options.cpus, (size_t)sched_getcpu());
	assert_int_equal(pthread_create(&run->thread, NULL, run_sampler, run), 0);
}

static int finish(struct run *run)
{
	(void)pthread_join(run->thread, NULL);
	close_fdp(&run->reader);
	(void)munlockall();
	return run->result;
}

static void pause_for(int64_t ns)
{
	const struct timespec t = nsec_to_timespec(ns);

	(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

/* What arrived until the sampler closed its end. */
struct heard {
	unsigned conditions, windows, longer;
	int64_t end_mono_ns; /* of the last window */
	struct latency_conditions first;
	struct latency_summary sum;
};

/* Checks what must hold for each window and between them. */
static void check_window(struct heard *h, const struct latency_window *w)
{
	assert_true(h->conditions > 0);
	if (h->windows++ > 0) {
		assert_int_equal(w->start_mono_ns, h->end_mono_ns); /* without a hole ... */
		assert_int_equal(w->start_mono_ns % WINDOW_NS, 0);  /* ... on the common grid */
	}
	h->end_mono_ns = w->end_mono_ns;
	h->longer += w->end_mono_ns - w->start_mono_ns > WINDOW_NS;
	/* every period was either a wake-up or missed */
	assert_int_equal(w->count + w->missed, (w->end_mono_ns - w->start_mono_ns) / INTERVAL_NS);
	assert_int_equal(latency_summary_add(&h->sum, w), 0);
}

/* One message; false at the end. */
static bool read_one(const struct run *run, struct heard *h)
{
	static struct latency_window w;
	static uint8_t message[WINDOW_MESSAGE_MAX];
	struct latency_conditions c;
	ssize_t n = recv(run->reader, message, sizeof(message), 0);

	assert_true(n >= 0);
	if (n == 0)
		return false;
	if (window_kind(message, (size_t)n) == WINDOW_LATENCY) {
		assert_int_equal(window_decode(message, (size_t)n, &w), 0);
		check_window(h, &w);
		return true;
	}
	assert_int_equal(window_decode_conditions(message, (size_t)n, &c), 0);
	if (h->conditions++ == 0)
		h->first = c;
	return true;
}

static void read_all(const struct run *run, struct heard *h)
{
	while (read_one(run, h))
		;
}

static void assert_nothing_lost(const struct heard *h, int64_t duration_ns)
{
	assert_int_equal(h->sum.count + h->sum.missed, duration_ns / INTERVAL_NS);
}

/* Windows that wake-ups late by a whole one, as on a loaded machine, may have added to others. */
static unsigned stalled_windows(const struct heard *h)
{
	return (unsigned)(h->sum.missed * INTERVAL_NS / WINDOW_NS);
}

static void a_reader_gets_every_window(void **state)
{
	const int64_t duration = 200 * NSEC_PER_MSEC;
	struct run run;
	struct heard *h = calloc(1, sizeof(*h));

	start(&run, duration);
	read_all(&run, h);
	assert_int_equal(finish(&run), 0);
	assert_nothing_lost(h, duration);
	assert_true(h->windows + stalled_windows(h) >= duration / WINDOW_NS);
	assert_true(h->longer <= stalled_windows(h));
	assert_int_equal(h->first.policy, SCHED_OTHER);
	assert_int_equal(h->first.interval_ns, INTERVAL_NS);
	assert_int_equal(h->first.cpu, cpulist_next(&run.options.cpus, 0));
	assert_true(h->first.pinned);
	assert_false(h->first.idle_states_held);
	assert_true(h->first.clocksource[0]);
	assert_true(h->sum.min_ns > 0);
	free(h);
}

/* More windows than socket and ring hold: the rest is one longer window, and no period is lost. */
static void windows_merge_while_nobody_reads(void **state)
{
	const int64_t duration = 1500 * NSEC_PER_MSEC;
	struct run run;
	struct heard *h = calloc(1, sizeof(*h));

	start(&run, duration);
	pause_for(duration - 200 * NSEC_PER_MSEC);
	read_all(&run, h);
	assert_int_equal(finish(&run), 0);
	assert_nothing_lost(h, duration);
	assert_true(h->longer >= 1);
	assert_true(h->windows - h->longer + stalled_windows(h) > RING_WAITING_MAX);
	free(h);
}

/* As many windows as may wait do wait, one each. */
static void windows_wait_one_by_one(void **state)
{
	const int64_t duration = (RING_WAITING_MAX - 5) * WINDOW_NS;
	struct run run;
	struct heard *h = calloc(1, sizeof(*h));

	start(&run, duration);
	pause_for(duration + 100 * NSEC_PER_MSEC);
	read_all(&run, h);
	assert_int_equal(finish(&run), 0);
	assert_nothing_lost(h, duration);
	assert_true(h->longer <= stalled_windows(h));
	free(h);
}

static void a_signal_ends_it_with_the_last_window(void **state)
{
	struct run run;
	struct heard *h = calloc(1, sizeof(*h));

	start(&run, 0);
	while (h->windows < 3 && read_one(&run, h))
		;
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	read_all(&run, h);
	assert_int_equal(finish(&run), 0);
	assert_true(h->windows >= 3);
	free(h);
}

static void it_ends_when_the_reader_is_gone(void **state)
{
	struct run run;

	start(&run, 0);
	pause_for(50 * NSEC_PER_MSEC);
	close_fdp(&run.reader);
	assert_int_equal(finish(&run), 0);
}

static void absent_cpus_are_left_out(void **state)
{
	struct run run = {.reader = -1};
	int pair[2];
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	run.options = (struct sampler_options){.interval_ns = INTERVAL_NS,
					       .window_ns = WINDOW_NS,
					       .duration_ns = 2 * WINDOW_NS,
					       .fd = pair[1]};
	cpulist_add(&run.options.cpus, CPULIST_MAX - 1);
	assert_int_equal(sampler_run(&run.options), -ENODEV);
	assert_true(recv(pair[0], &byte, 1, MSG_DONTWAIT) < 0);
	cpulist_add(&run.options.cpus, (size_t)sched_getcpu());
	assert_int_equal(sampler_run(&run.options), 0);
	assert_true(recv(pair[0], &byte, 1, MSG_DONTWAIT) > 0);
	(void)munlockall();
	(void)close(pair[0]);
	(void)close(pair[1]);
}

static void a_ring_refuses_and_goes_on(void **state)
{
	struct ring *ring = aligned_alloc(CACHE_LINE, sizeof(*ring));

	memset(ring, 0, sizeof(*ring));
	assert_null(ring_oldest(ring));
	for (uint64_t i = 0; i < RING_WAITING_MAX; i++) {
		ring_filling(ring)->count = i;
		assert_true(ring_publish(ring));
	}
	for (uint64_t i = 0; i < 3 * RING_SLOTS; i++) { /* around the end a few times */
		ring_filling(ring)->count = RING_WAITING_MAX + i;
		assert_false(ring_publish(ring));
		assert_int_equal(ring_oldest(ring)->count, i);
		ring_oldest(ring)->bins[7] = 1;
		ring_release(ring);
		assert_true(ring_publish(ring));
		assert_int_equal(ring_filling(ring)->count, 0); /* given back cleared */
		assert_int_equal(ring_filling(ring)->bins[7], 0);
	}
	free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_refuses_and_goes_on),
		cmocka_unit_test(a_reader_gets_every_window),
		cmocka_unit_test(windows_wait_one_by_one),
		cmocka_unit_test(windows_merge_while_nobody_reads),
		cmocka_unit_test(a_signal_ends_it_with_the_last_window),
		cmocka_unit_test(it_ends_when_the_reader_is_gone),
		cmocka_unit_test(absent_cpus_are_left_out),
	};
	sigset_t set;

	(void)sigfillset(&set);
	(void)sigprocmask(SIG_SETMASK, &set, NULL); /* as the sampler's main() does */
	return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
