/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/base/nsec.h: times and durations as int64_t nanoseconds.
 *
 * Everything inside ptpmon counts nanoseconds; other units exist only where a person or a file
 * is read or written, and these are the functions for it.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NSEC_PER_USEC INT64_C(1000)
#define NSEC_PER_MSEC INT64_C(1000000)
#define NSEC_PER_SEC  INT64_C(1000000000)

static inline int64_t nsec_from_timespec(const struct timespec *t)
{
	return (int64_t)t->tv_sec * NSEC_PER_SEC + t->tv_nsec;
}

/* Floors toward minus infinity, so that tv_nsec is never negative. */
struct timespec nsec_to_timespec(int64_t ns);

/* The clock now. A clock that cannot be read is a bug: the clock ids used are always there. */
int64_t nsec_now(clockid_t clock);

/* When what was due at due_ns, and is so each every_ns, is due next: after now_ns. What was missed
 * is left out. */
static inline int64_t nsec_next_due(int64_t due_ns, int64_t every_ns, int64_t now_ns)
{
	return due_ns + every_ns * (1 + (now_ns > due_ns ? (now_ns - due_ns) / every_ns : 0));
}

/*
 * A duration with its unit: "125 ms", "5s", "1.5 h"; ns, us, ms, s, m or min, h, d; the blank is
 * optional, a bare 0 needs no unit. 0, -EINVAL if it is not one, -ERANGE if it does not fit.
 */
int nsec_parse_duration(const char *text, int64_t *out_ns);

/*
 * A time in UTC: "2026-03-01T22:00:00.5Z", RFC 3339 with up to nine digits behind the point; a
 * blank for the T, and seconds and Z left out, are fine as well. 0, or -EINVAL.
 */
int nsec_parse_utc(const char *text, int64_t *out_utc_ns);

enum { NSEC_TEXT_MAX = 48 };

/* The shortest exact form that nsec_parse_duration() takes back: "125 ms", "90 s", "5 h". */
const char *nsec_format_duration(int64_t ns, char out[static NSEC_TEXT_MAX]);

/* How long something has lasted, for people: "0.1 s", "12 s", "3 min 12 s", "2 d 4 h". */
const char *nsec_format_age(int64_t ns, char out[static NSEC_TEXT_MAX]);

/* An offset or a span for people, in the unit that suits it: "-112 ns", "250.0 us", "12.500 ms",
 * "-37.000000 s". */
const char *nsec_format_offset(int64_t ns, char out[static NSEC_TEXT_MAX]);

/* RFC 3339 in UTC with nine digits: "2026-03-01T22:00:00.000000001Z". */
const char *nsec_format_utc(int64_t utc_ns, char out[static NSEC_TEXT_MAX]);
