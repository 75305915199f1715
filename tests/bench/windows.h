/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tests/bench/windows.h: made-up seconds of a CPU that wakes up each millisecond. */
#pragma once
#include <stdint.h>

#include "ptpmon/stats/window.h"

/* A narrow hump, a few that are late: about 60 octets of histogram. */
void window_of_quiet(struct latency_window *w, int64_t start_mono_ns, uint64_t *random);

/* Microseconds wide, with a long tail: about 300 octets. */
void window_of_load(struct latency_window *w, int64_t start_mono_ns, uint64_t *random);
