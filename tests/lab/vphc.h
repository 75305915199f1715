// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests/lab/vphc.h: a PTP hardware clock that is none, with the faults that it is told to have.
 *
 * A directory stands for a board's hardware: PTPN is a clock (its orders; opened in the place of
 * /dev/ptpN), PTPN.clock how it runs (tests/lab/vclock.h: a line relative to the machine's
 * CLOCK_REALTIME), and a symbolic link eth0 -> ptp0 says whose packets it stamps. Any number of
 * programs use it at once; orders take effect with the next access.
 */
#pragma once
#include <stdint.h>

#include "tests/lab/vclock.h"

struct vphc; /* one clock, mapped */

/* What a clock can be told. 0 is how a good one behaves, for each but the window. */
enum vphc_order {
	VPHC_PRECISE,   /* errno of PTP_SYS_OFFSET_PRECISE; a new clock has EOPNOTSUPP, as most */
	VPHC_EXTENDED,  /* … of PTP_SYS_OFFSET_EXTENDED */
	VPHC_PLAIN,     /* … of PTP_SYS_OFFSET */
	VPHC_READ,      /* errno of everything that needs the hardware */
	VPHC_SET,       /* errno of clock_settime() */
	VPHC_OPEN,      /* errno of open() */
	VPHC_SLOW_NS,   /* one reading takes this much longer, asleep, before its window */
	VPHC_WINDOW_NS, /* from the system's time before to that behind a reading */
	VPHC_STUCK,     /* it shows VPHC_STUCK_NS for ever */
	VPHC_STUCK_NS,
	VPHC_ORDER_MAX
};

/*
 * Make clock NAME ("ptp0") in a directory: it shows real_ns + offset_ns at real_ns, and runs
 * drift_ppb too fast. 0 or -errno; -EEXIST if there is one.
 */
int vphc_create(const char *directory, const char *name, int64_t offset_ns, int64_t drift_ppb,
		int64_t real_ns);

/* 0, -EBADMSG if that is no such clock, or -errno. *out changes only on success. */
int vphc_open(struct vphc **out, const char *directory, const char *name);
struct vphc *vphc_close(struct vphc *p);

struct vclock *vphc_clock(const struct vphc *p);

int64_t vphc_order(const struct vphc *p, enum vphc_order order);
int vphc_tell(struct vphc *p, enum vphc_order order, int64_t value); /* 0, or -EACCES */

/* What it shows when the machine's CLOCK_REALTIME shows real_ns. */
int64_t vphc_time_ns(const struct vphc *p, int64_t real_ns);
