/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/latency/thread.h: the thread that measures one CPU.
 *
 * It pins and schedules itself, reports what the kernel made of that, waits to be started, and
 * then sleeps from deadline to deadline. In that loop there is nothing but the sleep, the reading
 * of the clock and arithmetic on memory that was touched before.
 */
#pragma once
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ptpmon/latency/ring.h"

/* One for all threads; written before they are created, except where it says otherwise. */
struct pace {
	int priority; /* SCHED_FIFO; 0: ordinary scheduling */
	int64_t interval_ns, window_ns;
	int64_t first_mono_ns; /* the first deadline; written before go */
	int64_t until_mono_ns; /* no deadline at or after it; INT64_MAX: until stop; before go */
	sem_t set_up;          /* posted by each thread when it is pinned and scheduled … */
	sem_t go;              /* … and waited for by each before its first deadline */
	atomic_bool stop;
};

struct latency_thread {
	struct ring ring; /* first: its alignment is the struct's */
	struct pace *pace;
	unsigned cpu;
	pthread_t id;

	/* valid after pace->set_up */
	pid_t tid;
	int pin_error;      /* errno; it measures nothing then */
	int schedule_error; /* errno; it measures all the same */

	atomic_bool ended;
};

/*
 * Zeroed memory for n threads, faulted in; NULL without memory. The threads and whatever they
 * point to must outlive latency_thread_join().
 */
struct latency_thread *latency_threads_new(size_t n);
struct latency_thread *latency_threads_free(struct latency_thread *threads);

/* Creates the thread of t->cpu. 0, or -errno. */
int latency_thread_start(struct latency_thread *t);

/* Waits until it has ended: its last window is then in ring_filling(). */
void latency_thread_join(struct latency_thread *t);
