// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any octets as a message of the raw stream: refused whole, or taken apart into records whose times
 * are ones.
 */
#include "pmc-client/raw_stream.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len);

static void require(bool condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len)
{
	struct pmc_raw_record records[PMC_RAW_RECORDS_MAX];
	uint8_t domain = 0;
	uint8_t transport_specific = 0;
	size_t n = SIZE_MAX;
	int r = pmc_raw_parse(octets, len, &domain, &transport_specific, records, &n);

	require((r == 0) == (n != SIZE_MAX));
	if (r < 0)
		return 0;
	require(n <= PMC_RAW_RECORDS_MAX && transport_specific <= 15);
	for (size_t i = 0; i < n; i++) {
		const struct pmc_raw_record *record = &records[i];

		require(record->kind < PMC_RAW_KIND_MAX);
		require(record->sent_ns >= 0 && record->received_ns >= 0);
		require(record->correction_ns <= INT64_MAX / 65536 &&
			record->correction_ns >= INT64_MIN / 65536);
	}
	return 0;
}
