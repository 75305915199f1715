/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Percentiles, how many values lie beyond each, and between which values it surely lies. */
#include <stdlib.h>
#include <string.h>

#include "ptpmon/report/building.h"
#include "ptpmon/stats/interval.h"
#include "ptpmon/stats/quantile.h"
#include "ptpmon/stats/ranks.h"

/* The percentiles that n values support come first: they rise. */
static size_t supported(uint64_t n)
{
	size_t count = 0;

	while (count < REPORT_PERCENTILES &&
	       quantile_supported(report_percentiles[count].p_milli, n))
		count++;
	return count;
}

struct blocks {
	struct interval_block v[REPORT_PERCENTILES][INTERVAL_BLOCKS];
};

static void count_beyond(struct blocks *blocks, const struct report_quantiles *q,
			 size_t n_quantiles, const int64_t *values, size_t n)
{
	for (size_t b = 0; b < INTERVAL_BLOCKS; b++) {
		size_t first = n / INTERVAL_BLOCKS * b + n % INTERVAL_BLOCKS * b / INTERVAL_BLOCKS;
		size_t end = n / INTERVAL_BLOCKS * (b + 1) +
			     n % INTERVAL_BLOCKS * (b + 1) / INTERVAL_BLOCKS;

		for (size_t p = 0; p < n_quantiles; p++)
			blocks->v[p][b] = (struct interval_block){
				.count = end - first,
				.beyond = quantile_beyond(values + first, end - first,
							  q->value_ns[p]),
			};
	}
}

/* One of the ranks that are selected together, and where its value goes. */
struct wanted {
	uint64_t rank;
	int64_t *value;
};

static int by_rank(const void *a, const void *b)
{
	const struct wanted *x = a;
	const struct wanted *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int select_wanted(struct wanted *wanted, size_t n_wanted, const int64_t *values, size_t n)
{
	uint64_t ranks[2 * REPORT_PERCENTILES];
	int64_t found[2 * REPORT_PERCENTILES];
	int r;

	qsort(wanted, n_wanted, sizeof(*wanted), by_rank);
	for (size_t i = 0; i < n_wanted; i++)
		ranks[i] = wanted[i].rank;
	r = ranks_select(values, n, RANKS_OF_MAGNITUDES, ranks, n_wanted, found);
	for (size_t i = 0; i < n_wanted && r == 0; i++)
		*wanted[i].value = found[i];
	return r;
}

int building_offset_quantiles(struct report_quantiles *out, const int64_t *values, size_t n)
{
	size_t n_quantiles = supported(n);
	struct wanted wanted[2 * REPORT_PERCENTILES];
	struct blocks blocks;
	size_t n_wanted = 0;
	int r;

	for (size_t p = 0; p < n_quantiles; p++)
		wanted[n_wanted++] = (struct wanted){
			quantile_rank(report_percentiles[p].p_milli, n), &out->value_ns[p]};
	r = select_wanted(wanted, n_wanted, values, n);
	if (r < 0)
		return r;
	count_beyond(&blocks, out, n_quantiles, values, n);
	n_wanted = 0;
	for (size_t p = 0; p < n_quantiles; p++) {
		struct interval interval;

		out->beyond[p] = n - quantile_rank(report_percentiles[p].p_milli, n);
		if (!interval_of_percentile(&interval, report_percentiles[p].p_milli, blocks.v[p]))
			continue;
		out->effective[p] = interval.effective;
		if (interval.low_rank)
			wanted[n_wanted++] = (struct wanted){interval.low_rank, &out->low_ns[p]};
		if (interval.high_rank)
			wanted[n_wanted++] = (struct wanted){interval.high_rank, &out->high_ns[p]};
	}
	return select_wanted(wanted, n_wanted, values, n);
}

/* The parts hold no overflows: their number is only known together, and they are few. */
static void count_bins_beyond(struct blocks *blocks, const struct parts *parts,
			      const struct report_quantiles *q, size_t n_quantiles)
{
	for (size_t b = 0; b < INTERVAL_BLOCKS; b++) {
		uint64_t above[HISTOGRAM_BINS + 1] = {0}; /* how many lie from each bin on */
		struct histogram h;

		parts_get(parts, b, &h);
		for (size_t i = HISTOGRAM_BINS; i-- > 0;)
			above[i] = above[i + 1] + h.bins[i];
		for (size_t p = 0; p < n_quantiles; p++) {
			uint64_t value = (uint64_t)q->value_ns[p];
			size_t bin = value < 1U << HISTOGRAM_MAX_BITS ? histogram_bin(value) + 1
								      : HISTOGRAM_BINS;

			blocks->v[p][b] = (struct interval_block){above[0], above[bin]};
		}
	}
}

static int64_t bounded(const struct latency_summary *sum, uint64_t rank)
{
	int64_t value = histogram_at_rank(&sum->histogram, rank);

	if (rank == 0)
		return SAMPLE_UNKNOWN;
	return value < sum->max_ns ? value : sum->max_ns;
}

void building_latency_quantiles(struct report_quantiles *out, const struct latency_summary *sum,
				const struct parts *parts)
{
	size_t n_quantiles = supported(sum->count);
	struct blocks blocks;

	for (size_t p = 0; p < n_quantiles; p++) {
		uint32_t p_milli = report_percentiles[p].p_milli;

		(void)latency_summary_percentile(sum, p_milli, &out->value_ns[p]);
		out->beyond[p] = sum->count - quantile_rank(p_milli, sum->count);
	}
	count_bins_beyond(&blocks, parts, out, n_quantiles);
	for (size_t p = 0; p < n_quantiles; p++) {
		struct interval interval;

		if (!interval_of_percentile(&interval, report_percentiles[p].p_milli, blocks.v[p]))
			continue;
		out->effective[p] = interval.effective;
		out->low_ns[p] = bounded(sum, interval.low_rank);
		out->high_ns[p] = bounded(sum, interval.high_rank);
	}
}
