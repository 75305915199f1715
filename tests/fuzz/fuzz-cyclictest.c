// SPDX-License-Identifier: GPL-2.0-or-later
/* Any octets as a file of cyclictest's: what is accepted adds up. */
#include "ptpmon/collect/cyclictest.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len);

static void require(bool condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len)
{
	struct cyclictest *c = NULL;
	char why[CYCLICTEST_ERROR_MAX] = "";

	(void)cyclictest_recognise((const char *)octets, len);
	if (cyclictest_parse(&c, (const char *)octets, len, false, why) < 0) {
		require(!c && *why && !strchr(why, '\n'));
		return 0;
	}
	require(c->n > 0 && c->n <= CYCLICTEST_THREADS_MAX);
	for (size_t i = 0; i < c->n; i++) {
		const struct cyclictest_thread *t = &c->threads[i];
		uint64_t n = t->overflow;

		for (size_t bin = 0; bin < HISTOGRAM_BINS; bin++)
			n += t->histogram.bins[bin];
		require(n == t->cycles);
		require(t->min_ns <= t->max_ns && t->min_ns >= 0 && t->sum_ns >= 0);
	}
	free(c);
	return 0;
}
