/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether bad offsets and bad wake-ups come together more often than chance has it. */
#include <errno.h>
#include <stdlib.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/building.h"
#include "ptpmon/stats/ranks.h"

enum { WINDOWS_MAX = 65536, WORST_OF = 100, WINDOWS_LEAST = 1000 };

static void forget(const struct building *b, int64_t *maxima)
{
	for (size_t i = 0; i < b->n_windows; i++)
		maxima[i] = SAMPLE_UNKNOWN;
}

/* Of a second, or so long that they are not too many. */
int building_windows(struct building *b)
{
	const struct report_column *all = &b->report->columns[0];

	b->window_ns = all->duration_ns / WINDOWS_MAX + 1;
	if (b->window_ns < NSEC_PER_SEC)
		b->window_ns = NSEC_PER_SEC;
	b->n_windows = (size_t)(all->duration_ns / b->window_ns);
	b->window_from_ns = all->spans[0].from_ns;
	b->latency_maxima = calloc(b->n_windows + 1, sizeof(*b->latency_maxima));
	b->offset_maxima = calloc(b->n_windows + 1, sizeof(*b->offset_maxima));
	if (!b->latency_maxima || !b->offset_maxima)
		return -ENOMEM;
	forget(b, b->latency_maxima);
	forget(b, b->offset_maxima);
	return 0;
}

/* Mostly the window that the moment before was in: a division each would be dear. */
void building_note_maximum(struct building *b, int64_t *maxima, int64_t mono_ns, int64_t value)
{
	int64_t since_ns = mono_ns - b->window_from_ns;

	if (since_ns < 0 || since_ns >= b->window_ns) {
		int64_t from_ns = b->report->columns[0].spans[0].from_ns;

		if (mono_ns < from_ns)
			return;
		b->window = (size_t)((mono_ns - from_ns) / b->window_ns);
		b->window_from_ns = from_ns + (int64_t)b->window * b->window_ns;
	}
	if (b->window < b->n_windows && value > maxima[b->window])
		maxima[b->window] = value;
}

/* The least that is among the worst hundredth of n; equal ones may make them more, or none. */
static int threshold(const int64_t *values, size_t n, int64_t *out)
{
	const uint64_t rank = n - n / WORST_OF;

	return ranks_select(values, n, RANKS_OF_VALUES, &rank, 1, out);
}

static int compare(const struct building *b, struct report_coincidence *out)
{
	CLEANUP(freep) int64_t *both = calloc(2 * b->n_windows + 1, sizeof(*both));
	CLEANUP(freep) uint8_t *marks = calloc(b->n_windows + 1, sizeof(*marks));
	int64_t *latencies = both + b->n_windows;
	int64_t offset_limit = 0;
	int64_t latency_limit = 0;
	size_t n = 0;
	int r;

	if (!both || !marks)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_windows; i++)
		if (b->offset_maxima[i] != SAMPLE_UNKNOWN &&
		    b->latency_maxima[i] != SAMPLE_UNKNOWN) {
			both[n] = b->offset_maxima[i];
			latencies[n++] = b->latency_maxima[i];
		}
	if (n < WINDOWS_LEAST)
		return 0;
	r = threshold(both, n, &offset_limit);
	if (r == 0)
		r = threshold(latencies, n, &latency_limit);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		marks[i] = (uint8_t)((both[i] > offset_limit ? COINCIDENCE_A : 0) |
				     (latencies[i] > latency_limit ? COINCIDENCE_B : 0));
	out->window_ns = b->window_ns;
	r = coincidence_count(&out->count, marks, n);
	out->known = r == 0;
	return r == -ENODATA ? 0 : r;
}

int building_coincidence(struct building *b, struct report_coincidence *out)
{
	int r = compare(b, out);

	forget(b, b->offset_maxima);
	return r;
}
