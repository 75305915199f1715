/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "windows.h"

#include "ptpmon/base/nsec.h"

enum { WAKE_UPS = 1000 };

/* What wake-ups are like: three evenly spread parts added up, one in so many with a tail. */
struct shape {
	uint64_t least_ns, spread_ns;
	unsigned one_in;
	uint64_t tail_ns;
};

static const struct shape quiet = {3000, 300, 200, 20000};
static const struct shape load = {2500, 3000, 12, 60000};

static uint64_t next(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static void make(struct latency_window *w, int64_t start_mono_ns, uint64_t *random,
		 const struct shape *s)
{
	struct histogram h = {0};

	*w = (struct latency_window){
		.start_mono_ns = start_mono_ns,
		.end_mono_ns = start_mono_ns + NSEC_PER_SEC,
		.count = WAKE_UPS,
		.min_ns = INT64_MAX,
	};
	for (unsigned i = 0; i < WAKE_UPS; i++) {
		uint64_t v = s->least_ns;

		for (unsigned part = 0; part < 3; part++)
			v += next(random) % s->spread_ns;
		if (next(random) % s->one_in == 0)
			v += next(random) % s->tail_ns;
		h.bins[histogram_bin(v)]++;
		w->sum_ns += (int64_t)v;
		w->min_ns = (int64_t)v < w->min_ns ? (int64_t)v : w->min_ns;
		w->max_ns = (int64_t)v > w->max_ns ? (int64_t)v : w->max_ns;
	}
	w->bins_len = histogram_encode(&h, w->bins, sizeof(w->bins));
}

void window_of_quiet(struct latency_window *w, int64_t start_mono_ns, uint64_t *random)
{
	make(w, start_mono_ns, random, &quiet);
}

void window_of_load(struct latency_window *w, int64_t start_mono_ns, uint64_t *random)
{
	make(w, start_mono_ns, random, &load);
}
