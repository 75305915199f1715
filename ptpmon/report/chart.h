/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/chart.h: the charts of a report, each as SVG, for a wide page and for a narrow one.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/result.h"

enum chart_kind {
	CHART_TIME,         /* offset over time, with the largest wake-up below it */
	CHART_DISTRIBUTION, /* offsets by phase, with percentile marks */
	CHART_WANDER,       /* MTIE and TDEV, with the masks of the limits */
	CHART_RATES,        /* frequency and mean path delay over time */
	CHART_LATENCY,      /* histogram for each CPU, phases side by side */
	CHART_KIND_MAX
};

/* Of one offset series (0 too where the chart needs none). report.plot is there. */
struct chart {
	const struct report *report;
	enum chart_kind kind;
	size_t series;
};

/* There is something to draw. */
bool chart_exists(const struct chart *c);

/* "offset-eth0": fit for a file, and the same for no two charts of a report. */
enum { CHART_NAME_MAX = 96 };
const char *chart_name(const struct chart *c, char out[static CHART_NAME_MAX]);

/*
 * Appends the picture. alone: a document of its own, else for a page that has svg_style. The ids
 * in it begin with the chart's name.
 */
void chart_draw(const struct chart *c, bool wide, bool alone, struct strbuf *out);
