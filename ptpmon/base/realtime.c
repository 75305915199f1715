/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/base/realtime.h"

#include <sys/timex.h>

#include "ptpmon/base/nsec.h"

struct realtime realtime_read(void)
{
	struct timex tx = {0};
	struct realtime r = {.maxerror_ns = INT64_MAX};

	if (clock_adjtime(CLOCK_REALTIME, &tx) >= 0) {
		r.synchronised = !(tx.status & STA_UNSYNC);
		r.maxerror_ns = tx.maxerror * NSEC_PER_USEC;
		r.tai_offset_s = tx.tai;
	}
	r.utc_ns = nsec_now(CLOCK_REALTIME);
	return r;
}
