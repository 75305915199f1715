/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/latency/conditions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/cpulist.h"

int idle_states_hold(int *fd)
{
	const int32_t latency_us = 0; /* the longest wake-up that is accepted */
	CLEANUP(close_fdp) int dev = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);

	if (dev < 0)
		return -errno;
	if (write(dev, &latency_us, sizeof(latency_us)) < 0)
		return -errno;
	*fd = steal_fd(&dev);
	return 0;
}

/* Read every second beside real-time threads: no stream, so nothing is allocated. */
static void read_clocksource(char *out, size_t size)
{
	CLEANUP(close_fdp)
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

	if (n <= 0)
		(void)snprintf(out, size, "unknown");
	else
		out[n] = '\0';
	out[strcspn(out, "\n")] = '\0';
}

static bool is_pinned(pid_t tid, unsigned cpu)
{
	unsigned long mask[CPULIST_MAX / (sizeof(unsigned long) * CHAR_BIT)] = {0};
	struct cpulist want = {0};
	struct cpulist have;

	if (sched_getaffinity(tid, sizeof(mask), (cpu_set_t *)mask) < 0)
		return false;
	cpulist_add(&want, cpu);
	cpulist_from_mask(&have, mask, sizeof(mask));
	return cpulist_equal(&want, &have);
}

bool conditions_read(const struct latency_thread *t, const struct surroundings *around,
		     struct latency_conditions *out)
{
	struct sched_param param = {0};
	int policy = sched_getscheduler(t->tid);

	if (policy < 0 || sched_getparam(t->tid, &param) < 0)
		return false;
	*out = (struct latency_conditions){
		.cpu = t->cpu,
		.policy = policy & ~SCHED_RESET_ON_FORK,
		.priority = param.sched_priority,
		.schedule_error = t->schedule_error,
		.pinned = is_pinned(t->tid, t->cpu),
		.memory_locked = around->memory_locked,
		.lock_error = around->lock_error,
		.idle_states_held = around->idle_fd >= 0,
		.idle_error = around->idle_error,
		.interval_ns = t->pace->interval_ns,
	};
	read_clocksource(out->clocksource, sizeof(out->clocksource));
	return true;
}

bool conditions_equal(const struct latency_conditions *a, const struct latency_conditions *b)
{
	return a->cpu == b->cpu && a->policy == b->policy && a->priority == b->priority &&
	       a->schedule_error == b->schedule_error && a->pinned == b->pinned &&
	       a->memory_locked == b->memory_locked && a->lock_error == b->lock_error &&
	       a->idle_states_held == b->idle_states_held && a->idle_error == b->idle_error &&
	       a->interval_ns == b->interval_ns && strcmp(a->clocksource, b->clocksource) == 0;
}
