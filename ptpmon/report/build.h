/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/build.h: from the record to the struct of results. */
#pragma once
#include <stdint.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/result.h"
#include "ptpmon/store/query.h"

struct report_request {
	int64_t since_mono_ns, until_mono_ns; /* TIME_UNKNOWN: from the start, to the end */
	const char *role;                     /* of the configuration; may be NULL */
	const struct limits *limits;          /* to judge by; NULL: none. Outlives the report */
	const int64_t *taus_ns;               /* these, instead of the octaves … */
	size_t n_taus;                        /* … if there are any */
	bool deviations; /* ADEV, OADEV, MDEV and TDEV without outliers as well */
	bool plot;       /* the points for charts as well: report.plot */
	bool by_mark;    /* columns are what lies between marks, not the phases */
};

/*
 * Reads each offset series once, the windows of all CPUs together once. Memory: at most four
 * int64_t for each sample of the largest series, whatever the number of series and phases; with
 * limits of filtered values or with deviations two more. A plot adds 1 MB, and 120 kB for a CPU.
 * 0, -ERANGE if nothing of the run lies in the scope asked for, or what the query failed with.
 */
int report_build(struct report **out, struct query *q, const struct report_request *request);

DEFINE_FREEP(struct report, report_free)
