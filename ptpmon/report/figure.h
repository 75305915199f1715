/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/figure.h: numbers as people read them, in ASCII; "-" for what is not known. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { FIGURE_MAX = 48 };

/* An offset: whole ns to 99999, then us, ms, s with three digits, and whole seconds from 1000. */
const char *figure_offset(int64_t ns, char out[static FIGURE_MAX]);

/* A mean or a deviation of offsets: a tenth of a nanosecond where that is more than noise. */
const char *figure_mean(double ns, char out[static FIGURE_MAX]);

/* A latency: "850 ns", "118.2 us", "10.120 ms". */
const char *figure_latency(int64_t ns, char out[static FIGURE_MAX]);

/*
 * Between two, in 13 columns below 9999 s: "960..1200 ns", "1.2..37.0 us", "118..240 us"; "> 960
 * ns" without an upper bound. Of latencies us begin at 1 us as elsewhere, of offsets at 10 us.
 */
const char *figure_between_offsets(int64_t low_ns, int64_t high_ns, char out[static FIGURE_MAX]);
const char *figure_between_latencies(int64_t low_ns, int64_t high_ns, char out[static FIGURE_MAX]);

/* A figure of wander: at most four digits and its unit; "-" for NAN. */
const char *figure_wander(double ns, char out[static FIGURE_MAX]);

/* A tau: "31.25 ms", "0.9765625 ms", "1024 s". */
const char *figure_tau(int64_t ns, char out[static FIGURE_MAX]);

/* part of whole in percent, rounded down, so that only all of it is 100 %. */
const char *figure_share(int64_t part, int64_t whole, char out[static FIGURE_MAX]);

/* RFC 3339 in UTC with three digits, cut, not rounded: "2026-03-01T22:00:00.000Z". */
const char *figure_utc(int64_t utc_ns, char out[static FIGURE_MAX]);

/* The same with a mark, "…Z?", where the wall clock was wrong. */
const char *figure_utc_marked(int64_t utc_ns, bool uncertain, char out[static FIGURE_MAX]);
