/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/base/realtime.h: CLOCK_REALTIME, and what the kernel thinks of it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct realtime {
	int64_t utc_ns;
	bool synchronised;    /* the kernel's STA_UNSYNC is clear */
	int64_t maxerror_ns;  /* as whoever disciplines it says, growing by 500 ppm since */
	int64_t tai_offset_s; /* the kernel's TAI - UTC; 0: nobody has set it */
};

/* Only reads. Where adjtimex() is refused, as in some sandboxes, nothing vouches for the clock. */
struct realtime realtime_read(void);
