/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/cyclictest.h: what cyclictest left of a measurement: histograms as text (all
 * layouts since 0.74, what it displayed before them is passed over) or JSON (2.0 and later).
 *
 * Each thread's distribution is rebuilt in ptpmon's bins by the lower edges of cyclictest's
 * buckets, which is the value that cyclictest itself would print. What lay beyond its last bucket
 * is overflow, and part of the cycles; a file that does not add up is refused.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/stats/histogram.h"

enum { CYCLICTEST_THREADS_MAX = 1024, CYCLICTEST_ERROR_MAX = 160 };

struct cyclictest_thread {
	unsigned cpu;    /* JSON; in text the number of the thread */
	uint64_t cycles; /* overflows included */
	uint64_t overflow;
	int64_t min_ns, max_ns, sum_ns; /* the sum is that of a rounded average */
	struct histogram histogram;
};

struct cyclictest {
	size_t n;
	int64_t start_utc_ns, end_utc_ns; /* JSON; TIME_UNKNOWN in text */
	char kernel[256], machine[64];    /* JSON; "" in text */
	struct cyclictest_thread threads[];
};

/* Whether text (its beginning is enough) looks like cyclictest's, so that it is worth parsing. */
bool cyclictest_recognise(const char *text, size_t len);

/*
 * The text is not changed and need not be terminated. nanoseconds: it was measured with -N, which
 * only JSON tells by itself. 0, -ENOMEM, or -EBADMSG with one line in why. The caller frees *out.
 */
int cyclictest_parse(struct cyclictest **out, const char *text, size_t len, bool nanoseconds,
		     char why[static CYCLICTEST_ERROR_MAX]);
