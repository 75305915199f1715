/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cyclictest measured, text or JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/cyclictest.h"
#include "ptpmon/import/impl.h"

/*
 * What lay beyond cyclictest's last bucket need not lie beyond ptpmon's range, which is what
 * overflow means in a window. None of it was more than the largest: there it is counted, and an
 * event tells how many these are.
 */
static int bound_overflow(struct import *im, struct cyclictest_thread *t)
{
	struct event e;

	if (t->overflow == 0 || t->max_ns >= INT64_C(1) << HISTOGRAM_MAX_BITS)
		return 0;
	e = event_make(EVENT_LOG_LINE, 1, "cyclictest",
		       "cyclictest: cpu %u: %" PRIu64 " beyond its buckets, taken as %" PRId64
		       " ns",
		       t->cpu, t->overflow, t->max_ns);
	t->histogram.bins[histogram_bin((uint64_t)t->max_ns)] += t->overflow;
	t->overflow = 0;
	return import_put_event(im, &e);
}

/* One window a thread: it is not known when in it what was. */
static int put_threads(struct import *im, struct cyclictest *c)
{
	CLEANUP(freep) struct latency_window *w = calloc(1, sizeof(*w));
	int64_t length_ns = 1;

	if (!w)
		return -ENOMEM;
	for (size_t i = 0; i < c->n; i++) {
		int64_t lasted_ns = (int64_t)c->threads[i].cycles;

		if (im->options->interval_ns > 0 &&
		    !__builtin_mul_overflow(lasted_ns, im->options->interval_ns, &lasted_ns) &&
		    lasted_ns > length_ns && lasted_ns < INT64_MAX / 4)
			length_ns = lasted_ns;
	}
	if (c->start_utc_ns != TIME_UNKNOWN && c->end_utc_ns > c->start_utc_ns)
		length_ns = c->end_utc_ns - c->start_utc_ns;
	for (size_t i = 0; i < c->n; i++) {
		struct cyclictest_thread *t = &c->threads[i];
		struct series s = {.kind = SERIES_LATENCY, .source = "cyclictest", .unit = "ns"};
		int r = bound_overflow(im, t);

		if (r < 0)
			return r;
		(void)snprintf(s.subject, sizeof(s.subject), "cpu %u", t->cpu);
		*w = (struct latency_window){
			.cpu = t->cpu,
			.start_mono_ns = 1,
			.end_mono_ns = 1 + length_ns,
			.count = t->cycles,
			.min_ns = t->min_ns,
			.max_ns = t->max_ns,
			.sum_ns = t->sum_ns,
			.overflow = t->overflow,
			.bins_len = 0,
		};
		w->bins_len = histogram_encode(&t->histogram, w->bins, sizeof(w->bins));
		if (store_put_series(im->store, &s) < 0 ||
		    !store_put_window(im->store, (unsigned)i, w))
			return -ENOSPC;
		im->result->wakeups += t->cycles;
	}
	im->result->threads = c->n;
	im->newest_ns = 1 + length_ns;
	return 0;
}

int import_histogram(struct import *im, const char *text, size_t len)
{
	CLEANUP(freep) struct cyclictest *c = NULL;
	char why[CYCLICTEST_ERROR_MAX] = "out of memory";
	int r = cyclictest_parse(&c, text, len, im->options->nanoseconds, why);
	int ended;

	if (r < 0) {
		(void)snprintf(im->why, STORE_ERROR_MAX, "%.90s: not imported: %s", im->path, why);
		return r;
	}
	r = import_begin_run(im, 1, c->kernel, c->machine);
	if (r < 0)
		return r;
	if (c->start_utc_ns != TIME_UNKNOWN)
		(void)store_put_anchor(im->store, &(struct clock_anchor){
							  .mono_ns = 1,
							  .raw_ns = 1,
							  .utc_ns = c->start_utc_ns,
							  .tai_offset_s = TIME_UNKNOWN,
							  .uncertainty_ns = NSEC_PER_SEC,
							  .reason = ANCHOR_START,
						  });
	r = put_threads(im, c);
	if (r < 0)
		(void)snprintf(im->why, STORE_ERROR_MAX, "%.200s: %s", im->path, strerror(-r));
	ended = import_end_run(im);
	return r < 0 ? r : ended;
}
