// SPDX-License-Identifier: GPL-2.0-or-later
/* Any octets as a table of leap seconds: what is accepted is in order, and says something. */
#include "ptpmon/base/leap_seconds.h"

#include <stdbool.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len);

static void require(bool condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len)
{
	struct leap_table t;

	if (leap_table_parse((const char *)octets, len, &t) < 0)
		return 0;
	require(t.n > 0 && t.n <= LEAP_SECONDS_MAX);
	for (size_t i = 0; i < t.n; i++) {
		require(i == 0 || t.row[i].utc_s > t.row[i - 1].utc_s);
		require(leap_table_at(&t, t.row[i].utc_s) == t.row[i].offset_s);
	}
	require(leap_table_at(&t, t.row[0].utc_s - 1) == 0);
	return 0;
}
