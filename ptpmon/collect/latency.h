/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/collect/latency.h: the windows that the sampler hands over, as they arrive. */
#pragma once
#include <stdint.h>

#include "ptpmon/stats/window.h"

/* What they get is valid only during the call. */
typedef void latency_window_fn(void *userdata, const struct latency_window *w);
typedef void latency_conditions_fn(void *userdata, const struct latency_conditions *c);

/* The reading end. fd is the caller's: SOCK_SEQPACKET, non-blocking. */
struct latency_source {
	int fd;
	latency_window_fn *on_window;
	latency_conditions_fn *on_conditions;
	void *userdata;
	uint64_t malformed; /* messages counted and ignored */
};

enum {
	LATENCY_BATCH_MAX = 64, /* messages in one call: the event loop has other sources */
	LATENCY_SAMPLER_GONE = 1,
};

/*
 * Takes what is waiting, at most LATENCY_BATCH_MAX messages. 0; LATENCY_SAMPLER_GONE when the other
 * end is closed and everything was read; or -errno.
 */
int latency_receive(struct latency_source *s);
