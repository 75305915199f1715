/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/latency/sampler.h: the whole of a measurement, from locking memory to the last window.
 *
 * The order matters: everything is allocated, faulted in and locked before the first thread is
 * made, and every thread is pinned and scheduled before the first deadline. After that the main
 * thread only sleeps until a window ends and hands it over.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/base/cpulist.h"

struct sampler_options {
	struct cpulist cpus;
	int64_t priority; /* SCHED_FIFO; 0: ordinary scheduling */
	int64_t interval_ns, window_ns;
	int64_t duration_ns; /* 0: until SIGTERM, SIGINT or SIGHUP */
	bool hold_idle_states;
	bool fail_on_refusal; /* else it measures all the same, and the conditions say so */
	int fd;               /* SOCK_SEQPACKET, where the windows go */
	const char *name;     /* in front of lines on the log; NULL: none */
};

/*
 * Measures until the duration is over, a signal comes (both of them blocked by the caller, with
 * SIGHUP), or the reader goes away. 0, or -errno after one line on the log that says why not.
 */
int sampler_run(const struct sampler_options *options);
