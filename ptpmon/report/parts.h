/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/parts.h: the histograms of INTERVAL_BLOCKS parts of a time that follow one another.
 *
 * Windows come nearly in the order of time, so that only the part which they are added to is there
 * as bins: the others stay encoded, in a thirtieth of the room. {0} is empty.
 */
#pragma once
#include "ptpmon/stats/histogram.h"
#include "ptpmon/stats/interval.h"

struct parts {
	struct histogram *open; /* NULL: nothing was added yet */
	size_t now;             /* the part that is open */
	struct {
		uint8_t *v;
		size_t len;
	} closed[INTERVAL_BLOCKS];
};

/* 0 or -ENOMEM. */
int parts_add(struct parts *p, size_t part, const struct histogram_counts *counts);

/* One part (bins of out are set), and the sum of all. */
void parts_get(const struct parts *p, size_t part, struct histogram *out);
void parts_sum(const struct parts *p, struct histogram *out);

/* Frees what it holds; for CLEANUP(). */
void parts_clear(struct parts *p);
