/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/runs.h: what is recorded in a database: its runs and their size.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/model/timemap.h"
#include "ptpmon/store/query.h"

/* Strings live until the visitor returns; those that are not in the record are "". */
struct run_facts {
	int64_t id;
	const char *label, *host, *kernel, *version, *ptp4l_version;
	const char *boot_id;
	const char *how; /* how it ended; NULL: it has not, or was killed */
	bool may_go_on;  /* it is the newest, and a recorder is there */
	int64_t start_mono_ns;
	int64_t newest_mono_ns;              /* the latest moment in any row, or the end */
	int64_t start_utc_ns, newest_utc_ns; /* TIME_UNKNOWN: the wall clock was not noted */
	uint64_t samples, windows;           /* rows, without those that have become hours */
	int64_t data_bytes;    /* what it added to the file; TIME_UNKNOWN: not noted */
	int64_t written_bytes; /* what it wrote to the disk, log and all; the same */
};

struct runs_size {
	int64_t file_bytes, log_bytes;
};

/*
 * Visits the runs of a database in the order in which they were begun. Non-zero from the visitor
 * ends it and is returned; else 0, or -errno with one line in why, as query_open() has it.
 */
typedef int (*runs_fn)(void *userdata, const struct run_facts *run);
int runs_visit(const char *path, runs_fn visit, void *userdata, struct runs_size *size,
	       char why[static QUERY_ERROR_MAX]);
