/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/kmsg.h: has the kernel throttled real-time threads?
 *
 * With the default limit of 950 ms a second the kernel stops real-time threads that use more, and
 * says so once since boot: "sched: RT throttling activated". /dev/kmsg is read for that line; who
 * opens it needs CAP_SYSLOG where kernel.dmesg_restrict is 1, who reads it needs nothing.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { KMSG_WHY_MAX = 128 };

struct kmsg {
	int fd;                 /* -1: not readable */
	char why[KMSG_WHY_MAX]; /* it is not readable, or "" */
	bool throttled;
	int64_t throttled_mono_ns; /* about when; the kernel's log has a clock of its own */
};

/* Opens /dev/kmsg without blocking. A descriptor, or -errno (-EPERM: kernel.dmesg_restrict). */
int kmsg_open(void);

/*
 * Starts from the oldest line there is. fd may be -errno as kmsg_open() gave it; it stays the
 * caller's.
 */
void kmsg_init(struct kmsg *k, int fd);

/* Reads what is new, at most so many lines. True if throttling is new with it. */
bool kmsg_read(struct kmsg *k, unsigned lines);

/* One record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg) tells of it? Then when. */
bool kmsg_tells_throttled(const char *record, int64_t *mono_ns);
