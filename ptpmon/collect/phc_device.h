/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/phc_device.h: one reading of a PHC beside CLOCK_REALTIME, by the best ioctl it
 * has.
 *
 * Blocks for as long as the driver likes: not for a thread that has something else to do.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* From the best to the last that is tried. */
enum phc_method {
	PHC_METHOD_PRECISE,  /* PTP_SYS_OFFSET_PRECISE: hardware takes both at once */
	PHC_METHOD_EXTENDED, /* PTP_SYS_OFFSET_EXTENDED: the driver reads the system's before and
				after */
	PHC_METHOD_PLAIN,    /* PTP_SYS_OFFSET: the core does */
	PHC_METHOD_MAX
};

/* "PTP_SYS_OFFSET_PRECISE" and so on. */
const char *phc_method_name(enum phc_method method);

struct phc_reading {
	enum phc_method method;
	int64_t mono_ns;   /* CLOCK_MONOTONIC of the moment … */
	int64_t system_ns; /* … at which CLOCK_REALTIME showed this … */
	int64_t phc_ns;    /* … and the PHC that, … */
	int64_t delay_ns;  /* … give or take half of this: the system's time that it took */
	int64_t took_ns;   /* all of the call */
	bool frozen;       /* the PHC showed the same all the while, and that was long enough */
};

/* A descriptor, or -errno. */
int phc_device_open(const char *path);

/*
 * The quickest of n (1 to 25) readings, by *method or, where the driver or the kernel does not have
 * that, the next; *method is then the one that worked. 0, or -errno: -EOPNOTSUPP if none is left,
 * else what the driver answers.
 */
int phc_device_read(int fd, unsigned n, enum phc_method *method, struct phc_reading *out);
