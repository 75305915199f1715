/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals about percentiles, validated where the truth is known: |x| of a first-order
 * autoregressive process with normal noise, whose percentiles are those of the normal
 * distribution. Of 95 % intervals about 95 % must hold them, however much neighbours are alike.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ptpmon/stats/interval.h"
#include "ptpmon/stats/quantile.h"
#include "ptpmon/stats/ranks.h"

enum { RUNS = 300 };

/* xorshift64* */
static double uniform(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (double)((*state * UINT64_C(0x2545f4914f6cdd1d)) >> 11) / 9007199254740992.0;
}

/* Box and Muller's: exact in the tails, which p99 is about. */
static double normal(uint64_t *state)
{
	return sqrt(-2 * log(1 - uniform(state))) * cos(2 * M_PI * uniform(state));
}

struct process {
	const char *name;
	double rho; /* of neighbours */
	size_t n;
	uint32_t p_milli;
	double truth;              /* of |x|, sigma 1 */
	double least, most;        /* coverage in percent */
	double fewest, most_share; /* effective values of n, on average */
};

/* clang-format off */
static const struct process processes[] = {
	{ "independent, median", 0,    4000,  50000, 0.67449, 91, 99, 0.70, 1.001 },
	{ "independent, 99 %",   0,    4000,  99000, 2.57583, 91, 99, 0.70, 1.001 },
	{ "0.9, median",         0.9,  8000,  50000, 0.67449, 91, 99, 0.05, 0.30 },
	{ "0.9, 99 %",           0.9,  8000,  99000, 2.57583, 91, 99, 0.10, 0.60 },
	{ "0.98, median",        0.98, 20000, 50000, 0.67449, 90, 99, 0.01, 0.06 },
	{ "0.98, 99 %",          0.98, 20000, 99000, 2.57583, 89, 99, 0.02, 0.25 },
};
/* clang-format on */

static void generate(const struct process *p, uint64_t *state, int64_t *x)
{
	double value = normal(state);
	double innovation = sqrt(1 - p->rho * p->rho);

	for (size_t i = 0; i < p->n; i++) {
		x[i] = llrint(value * 1e6);
		value = p->rho * value + innovation * normal(state);
	}
}

/* The interval of the percentile in values; false if there is none. */
static bool interval_of(const struct process *p, const int64_t *x, int64_t *low, int64_t *high,
			double *effective)
{
	struct interval_block blocks[INTERVAL_BLOCKS] = {0};
	uint64_t rank = quantile_rank(p->p_milli, p->n);
	struct interval interval;
	int64_t value;

	assert_int_equal(ranks_select(x, p->n, RANKS_OF_MAGNITUDES, &rank, 1, &value), 0);
	for (size_t i = 0; i < p->n; i++) {
		struct interval_block *b = &blocks[i * INTERVAL_BLOCKS / p->n];

		b->count++;
		b->beyond += llabs(x[i]) > value;
	}
	if (!interval_of_percentile(&interval, p->p_milli, blocks))
		return false;
	assert_true(interval.low_rank <= rank);
	assert_true(interval.high_rank == 0 || interval.high_rank >= rank);
	*low = INT64_MIN;
	*high = INT64_MAX;
	if (interval.low_rank)
		(void)ranks_select(x, p->n, RANKS_OF_MAGNITUDES, &interval.low_rank, 1, low);
	if (interval.high_rank)
		(void)ranks_select(x, p->n, RANKS_OF_MAGNITUDES, &interval.high_rank, 1, high);
	*effective = interval.effective;
	return true;
}

static void correlated_data_are_covered(void **state)
{
	uint64_t random = 88172645463325252;

	for (size_t k = 0; k < sizeof(processes) / sizeof(processes[0]); k++) {
		const struct process *p = &processes[k];
		int64_t *x = calloc(p->n, sizeof(*x));
		double covered = 0;
		double effective = 0;

		assert_non_null(x);
		for (unsigned run = 0; run < RUNS; run++) {
			int64_t low;
			int64_t high;
			double e;

			generate(p, &random, x);
			assert_true(interval_of(p, x, &low, &high, &e));
			covered += (double)low <= p->truth * 1e6 && p->truth * 1e6 <= (double)high;
			effective += e / (double)p->n;
		}
		covered *= 100. / RUNS;
		effective /= RUNS;
		if (!(covered >= p->least && covered <= p->most) ||
		    !(effective >= p->fewest && effective <= p->most_share))
			fail_msg("%s: %.1f %% covered, %.3f of the values count", p->name, covered,
				 effective);
		print_message("# %s: %.1f %% covered, %.3f of the values count\n", p->name, covered,
			      effective);
		free(x);
	}
}

static void blocks_of(struct interval_block *blocks, size_t n, uint64_t count, uint64_t beyond)
{
	for (size_t i = 0; i < INTERVAL_BLOCKS; i++)
		blocks[i] = (struct interval_block){i < n ? count : 0, i < n ? beyond : 0};
}

static void little_data_say_nothing(void **state)
{
	struct interval_block blocks[INTERVAL_BLOCKS];
	struct interval out = {.effective = -7};

	blocks_of(blocks, 7, 100, 10);
	assert_false(interval_of_percentile(&out, 90000, blocks));
	blocks_of(blocks, 64, 100, 0);
	assert_false(interval_of_percentile(&out, 90000, blocks));
	blocks_of(blocks, 64, 100, 100);
	assert_false(interval_of_percentile(&out, 90000, blocks));
	assert_true(out.effective == -7);
	blocks_of(blocks, 8, 100, 10);
	assert_true(interval_of_percentile(&out, 90000, blocks));
	assert_true(out.effective == 800);
}

/* All that is beyond in one block counts as one event; it bounds nothing from above. */
static void a_burst_counts_as_one(void **state)
{
	struct interval_block blocks[INTERVAL_BLOCKS];
	struct interval spread;
	struct interval burst;

	blocks_of(blocks, 64, 1000, 1);
	assert_true(interval_of_percentile(&spread, 99900, blocks));
	blocks_of(blocks, 64, 1000, 0);
	blocks[20].beyond = 64;
	assert_true(interval_of_percentile(&burst, 99900, blocks));
	assert_true(spread.effective == 64000);
	assert_true(burst.effective < 1100);
	assert_true(spread.high_rank > 0);
	assert_int_equal(burst.high_rank, 0);
	assert_true(burst.low_rank < spread.low_rank);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(correlated_data_are_covered),
		cmocka_unit_test(little_data_say_nothing),
		cmocka_unit_test(a_burst_counts_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
