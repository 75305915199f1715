/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/base/leap_seconds.h: TAI - UTC as the table of leap seconds has it (leap-seconds.list, as
 * the IERS and tzdata publish it).
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { LEAP_SECONDS_MAX = 64 }; /* 28 by 2026 */

#define LEAP_SECONDS_FILE "/usr/share/zoneinfo/leap-seconds.list"

/* From each moment on TAI is offset_s ahead of UTC; in the order of time. */
struct leap_table {
	size_t n; /* 0: there is no table */
	struct {
		int64_t utc_s;
		int64_t offset_s;
	} row[LEAP_SECONDS_MAX];
	int64_t expires_utc_s; /* nothing is promised from then on */
};

/*
 * The text of such a file: "NTP-SECONDS OFFSET" in a line, '#' begins a comment, "#@ NTP-SECONDS"
 * says when it expires. 0, or -EBADMSG: no row, no expiry, not in order, an offset that no table
 * has. *out changes only on success.
 */
int leap_table_parse(const char *text, size_t len, struct leap_table *out);

/* The same from a file. Also -errno of reading it; -EFBIG beyond 64 KiB. */
int leap_table_load(const char *path, struct leap_table *out);

/* TAI - UTC in seconds at that moment; 0 before the first row, or without a table. */
int64_t leap_table_at(const struct leap_table *t, int64_t utc_s);
