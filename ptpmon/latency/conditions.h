/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/latency/conditions.h: under which conditions is measured, as the kernel tells it. */
#pragma once
#include <stdbool.h>

#include "ptpmon/latency/thread.h"
#include "ptpmon/stats/window.h"

/* What holds for every thread. */
struct surroundings {
	int idle_fd; /* /dev/cpu_dma_latency while idle states are held off, else -1 */
	int idle_error;
	bool memory_locked;
	int lock_error;
};

/* Keeps every CPU out of its idle states until fd is closed. 0, or -errno. */
int idle_states_hold(int *fd);

/*
 * Policy, priority and affinity of the thread as they are now, and the clock source. A thread
 * that has ended has none: false, and *out is unchanged.
 */
bool conditions_read(const struct latency_thread *t, const struct surroundings *around,
		     struct latency_conditions *out);

bool conditions_equal(const struct latency_conditions *a, const struct latency_conditions *b);
