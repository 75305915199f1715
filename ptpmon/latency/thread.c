/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/latency/thread.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "ptpmon/base/cpulist.h"
#include "ptpmon/base/nsec.h"

enum { STACK_BYTES = 128 * 1024, STACK_TOUCHED = 32 * 1024 };

static_assert(offsetof(struct latency_thread, ring) == 0, "the ring's alignment counts");

struct latency_thread *latency_threads_new(size_t n)
{
	struct latency_thread *threads = aligned_alloc(CACHE_LINE, n * sizeof(*threads));

	if (threads)
		memset(threads, 0, n * sizeof(*threads)); /* this is what faults it in */
	return threads;
}

struct latency_thread *latency_threads_free(struct latency_thread *threads)
{
	free(threads);
	return NULL;
}

/* Locked memory has its stack already; where locking was refused this at least faults it in. */
static void touch_stack(void)
{
	volatile char stack[STACK_TOUCHED];

	for (size_t i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
}

static int pin(unsigned cpu)
{
	struct cpulist set = {0};
	unsigned long mask[CPULIST_MAX / (sizeof(unsigned long) * CHAR_BIT)];

	cpulist_add(&set, cpu);
	cpulist_to_mask(&set, mask, sizeof(mask));
	return sched_setaffinity(0, sizeof(mask), (const cpu_set_t *)mask) < 0 ? errno : 0;
}

static int schedule(int priority)
{
	const struct sched_param param = {.sched_priority = priority};

	if (priority > 0 && sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) < 0) {
		int error = errno;

		(void)prctl(PR_SET_TIMERSLACK, 1UL);
		return error;
	}
	if (priority == 0)
		(void)prctl(PR_SET_TIMERSLACK, 1UL); /* real-time sleeps have no slack anyway */
	return 0;
}

/* An absolute sleep goes on after a stop and continue; all signals are blocked here. */
static inline int64_t sleep_until(int64_t deadline_ns)
{
	const struct timespec deadline = nsec_to_timespec(deadline_ns);
	struct timespec now;

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR)
		;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return nsec_from_timespec(&now);
}

static inline void count(struct slot *w, int64_t late_ns)
{
	if (late_ns < 0) {
		w->early++;
		late_ns = 0;
	}
	if (w->count == 0 || late_ns < w->min_ns)
		w->min_ns = late_ns;
	if (late_ns > w->max_ns)
		w->max_ns = late_ns;
	w->sum_ns += late_ns;
	w->count++;
	if (late_ns >> HISTOGRAM_MAX_BITS)
		w->overflow++;
	else
		w->bins[histogram_bin((uint64_t)late_ns)]++;
}

/*
 * How many deadlines went by in a wake-up that came at now_ns. None at or after until counts: there
 * is no period then that could be missed.
 */
static inline int64_t count_missed(const struct pace *pace, int64_t deadline_ns, int64_t now_ns)
{
	int64_t last_ns = now_ns < pace->until_mono_ns ? now_ns : pace->until_mono_ns - 1;

	return deadline_ns <= last_ns ? (last_ns - deadline_ns) / pace->interval_ns + 1 : 0;
}

/* A period belongs to the window that its deadline lies in, whether it was slept or missed. */
static void measure(struct latency_thread *t)
{
	struct pace *pace = t->pace;
	const int64_t interval_ns = pace->interval_ns;
	const int64_t window_ns = pace->window_ns;
	int64_t deadline = pace->first_mono_ns;
	int64_t window_start = deadline - deadline % window_ns; /* on the grid */
	struct slot *w = ring_filling(&t->ring);

	w->start_mono_ns = deadline;
	while (deadline < pace->until_mono_ns &&
	       !atomic_load_explicit(&pace->stop, memory_order_relaxed)) {
		int64_t now = sleep_until(deadline);
		int64_t missed = count_missed(pace, deadline + interval_ns, now);
		int64_t after;

		count(w, now - deadline);
		deadline += interval_ns + missed * interval_ns;
		if (deadline < window_start + window_ns) {
			w->missed += (uint64_t)missed;
			continue;
		}
		window_start = deadline - deadline % window_ns;
		after = (deadline - window_start) / interval_ns; /* of the missed */
		if (after > missed)
			after = missed;
		w->missed += (uint64_t)(missed - after);
		w->end_mono_ns = window_start;
		if (ring_publish(&t->ring)) { /* w is the sender's from here on */
			w = ring_filling(&t->ring);
			w->start_mono_ns = window_start;
		}
		w->missed += (uint64_t)after;
	}
	w->end_mono_ns = deadline;
}

static void *run(void *userdata)
{
	struct latency_thread *t = userdata;
	char name[16];

	(void)snprintf(name, sizeof(name), "sampler/%u", t->cpu);
	(void)prctl(PR_SET_NAME, name);
	touch_stack();
	t->tid = gettid();
	t->pin_error = pin(t->cpu);
	t->schedule_error = t->pin_error ? 0 : schedule(t->pace->priority);
	(void)sem_post(&t->pace->set_up);
	while (sem_wait(&t->pace->go) < 0)
		;
	if (!t->pin_error)
		measure(t);
	atomic_store_explicit(&t->ended, true, memory_order_release);
	return NULL;
}

int latency_thread_start(struct latency_thread *t)
{
	pthread_attr_t attr;
	int r = pthread_attr_init(&attr);

	if (r)
		return -r;
	r = pthread_attr_setstacksize(&attr, STACK_BYTES);
	if (!r)
		r = pthread_create(&t->id, &attr, run, t);
	(void)pthread_attr_destroy(&attr);
	return -r;
}

void latency_thread_join(struct latency_thread *t)
{
	(void)pthread_join(t->id, NULL);
}
