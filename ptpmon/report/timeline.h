/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/timeline.h: panels over one axis of time; for charts.
 *
 * What was measured is a band from least to greatest in each column of pixels, with its mean;
 * phases are behind it, marks, events and gaps go through all panels.
 */
#pragma once
#include "ptpmon/report/canvas.h"

enum { TIMELINE_PANELS_MAX = 2, TIMELINE_TICKS = 6 };

struct panel {
	char title[REPORT_TEXT_MAX];
	const struct plot_range *ranges;
	double height, top;
	int64_t break_ns; /* no line across what is longer without a value */
	bool from_zero;   /* bars that stand on the lower edge */
	struct scale y;
	scale_text_fn text;
};

struct timeline {
	struct canvas *c;
	struct panel panels[TIMELINE_PANELS_MAX];
	size_t n;
	double top, bottom; /* of all panels */
};

/* Over all columns; count 0: there is nothing. */
struct plot_range timeline_extent(const struct plot_range *ranges);

/* From the head of the canvas down to below the axis. */
void timeline_draw(struct timeline *t);
