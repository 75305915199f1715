/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/partition.h: which column of a report, beside the first, a moment lies in.
 *
 * The columns but the first never overlap, so that rows are read once for all of them: whoever
 * goes through time asks again only when a moment lies outside of what was answered last.
 */
#pragma once
#include "ptpmon/report/result.h"

/* Of time, [from, to), what belongs to one column, or with 0 to none but the first. */
struct part {
	int64_t from_ns, to_ns;
	size_t column;
};

struct partition {
	size_t n;
	struct part *v; /* rising; what lies between two is in no column but the first */
};

/* Of the columns of the report. 0 or -ENOMEM. */
int partition_make(struct partition *out, const struct report *r);

/* The part that a moment lies in. */
struct part partition_at(const struct partition *p, int64_t mono_ns);

static inline bool part_holds(const struct part *part, int64_t mono_ns)
{
	return mono_ns >= part->from_ns && mono_ns < part->to_ns;
}

/* Frees what it holds; for CLEANUP(). */
void partition_clear(struct partition *p);
