/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/model/timemap.h"

/* Below `below` ns a number is shown in this unit. */
struct scale {
	int64_t below;
	int64_t unit_ns;
	int digits;
	const char *unit;
};

/* clang-format off */
static const struct scale offset_scales[] = {
	{ 100000,                1,             0, "ns" },
	{ NSEC_PER_MSEC,         NSEC_PER_USEC, 3, "us" },
	{ NSEC_PER_SEC,          NSEC_PER_MSEC, 3, "ms" },
	{ 1000 * NSEC_PER_SEC,   NSEC_PER_SEC,  3, "s"  },
	{ INT64_MAX,             NSEC_PER_SEC,  0, "s"  },
};
static const struct scale latency_scales[] = {
	{ NSEC_PER_USEC,         1,             0, "ns" },
	{ NSEC_PER_MSEC,         NSEC_PER_USEC, 1, "us" },
	{ NSEC_PER_SEC,          NSEC_PER_MSEC, 3, "ms" },
	{ INT64_MAX,             NSEC_PER_SEC,  3, "s"  },
};
/* clang-format on */

static const char *unknown(char out[static FIGURE_MAX])
{
	out[0] = '-';
	out[1] = '\0';
	return out;
}

static const char *scaled(const struct scale *scale, int64_t ns, char out[static FIGURE_MAX])
{
	if (ns == SAMPLE_UNKNOWN)
		return unknown(out);
	while (llabs(ns) >= scale->below && scale->below != INT64_MAX)
		scale++;
	if (scale->unit_ns == 1)
		(void)snprintf(out, FIGURE_MAX, "%" PRId64 " ns", ns);
	else
		(void)snprintf(out, FIGURE_MAX, "%.*f %s", scale->digits,
			       (double)ns / (double)scale->unit_ns, scale->unit);
	return out;
}

const char *figure_offset(int64_t ns, char out[static FIGURE_MAX])
{
	return scaled(offset_scales, ns, out);
}

const char *figure_mean(double ns, char out[static FIGURE_MAX])
{
	if (fabs(ns) >= 100000)
		return figure_offset((int64_t)ns, out);
	/* the addition turns a negative zero into zero */
	(void)snprintf(out, FIGURE_MAX, "%.1f ns", round(ns * 10) / 10 + 0.0);
	return out;
}

const char *figure_latency(int64_t ns, char out[static FIGURE_MAX])
{
	return scaled(latency_scales, ns, out);
}

/* At most four digits of a bound, so that both fit into the column of a table. */
static const char *between(const struct scale *scale, int64_t low_ns, int64_t high_ns,
			   char out[static FIGURE_MAX])
{
	int digits;

	if (high_ns == SAMPLE_UNKNOWN) {
		char low[FIGURE_MAX];

		if (low_ns == SAMPLE_UNKNOWN)
			return unknown(out);
		(void)snprintf(out, FIGURE_MAX, "> %.*s", FIGURE_MAX - 3,
			       scaled(scale, low_ns, low));
		return out;
	}
	if (low_ns == SAMPLE_UNKNOWN)
		low_ns = 0;
	while (scale->below != INT64_MAX &&
	       (high_ns >= scale->below || high_ns / scale->unit_ns >= 10000))
		scale++;
	/* 99.95 is the first that a tenth rounds to three digits before the point */
	digits = scale->digits > 0 && (double)high_ns < 99.95 * (double)scale->unit_ns;
	(void)snprintf(out, FIGURE_MAX, "%.*f..%.*f %s", digits,
		       (double)low_ns / (double)scale->unit_ns, digits,
		       (double)high_ns / (double)scale->unit_ns, scale->unit);
	return out;
}

const char *figure_between_offsets(int64_t low_ns, int64_t high_ns, char out[static FIGURE_MAX])
{
	return between(offset_scales, low_ns, high_ns, out);
}

const char *figure_between_latencies(int64_t low_ns, int64_t high_ns, char out[static FIGURE_MAX])
{
	return between(latency_scales, low_ns, high_ns, out);
}

const char *figure_wander(double ns, char out[static FIGURE_MAX])
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t i = 0;

	if (isnan(ns))
		return unknown(out);
	for (; ns >= 9999.5 && i + 1 < sizeof(units) / sizeof(units[0]); i++)
		ns /= 1000;
	(void)snprintf(out, FIGURE_MAX, "%.*f %s",
		       ns < 9.9995   ? 3
		       : ns < 99.995 ? 2
				     : ns < 999.95,
		       ns, units[i]);
	return out;
}

const char *figure_tau(int64_t ns, char out[static FIGURE_MAX])
{
	double s = (double)ns / NSEC_PER_SEC;

	(void)snprintf(out, FIGURE_MAX, s < 1 ? "%.7g ms" : "%.7g s", s < 1 ? s * 1000 : s);
	return out;
}

const char *figure_share(int64_t part, int64_t whole, char out[static FIGURE_MAX])
{
	if (whole <= 0)
		return unknown(out);
	if (part == whole)
		(void)snprintf(out, FIGURE_MAX, "100 %%");
	else
		(void)snprintf(out, FIGURE_MAX, "%.2f %%",
			       floor((double)part * 10000 / (double)whole) / 100);
	return out;
}

const char *figure_utc(int64_t utc_ns, char out[static FIGURE_MAX])
{
	enum { WITH_MILLISECONDS = sizeof("2026-03-01T22:00:00.000") - 1 };
	char text[NSEC_TEXT_MAX];

	if (utc_ns == TIME_UNKNOWN)
		return unknown(out);
	(void)snprintf(out, FIGURE_MAX, "%.*sZ", WITH_MILLISECONDS, nsec_format_utc(utc_ns, text));
	return out;
}

const char *figure_utc_marked(int64_t utc_ns, bool uncertain, char out[static FIGURE_MAX])
{
	size_t len = strlen(figure_utc(utc_ns, out));

	if (uncertain && len + 1 < FIGURE_MAX)
		(void)strcpy(out + len, "?");
	return out;
}
