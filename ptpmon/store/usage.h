/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/usage.h: how large the record is, how large it may be, and what writing it costs.
 *
 * A size cap is for the file and its log together. The log gets a share of it, the file the rest:
 * SQLite is told not to make the file larger, and a transaction that the log has no room for is
 * not begun. A reader that keeps the log from being emptied so stops the writer, not the disk.
 */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/store/database.h"

struct usage {
	sqlite3 *db;
	int64_t cap_bytes; /* of file and log; 0: none */
};

enum { USAGE_CAP_MIN = 33554432 };

/* The largest that the file may get; INT64_MAX without a cap. */
int64_t usage_file_limit(const struct usage *u);

/* Of the file: all of it, and what of it holds data. 0, or -errno. */
int usage_file(const struct usage *u, int64_t *bytes, int64_t *used_bytes);

/* The log beside the file. */
int64_t usage_log(const struct usage *u);

/* Tells SQLite how large the file may get. 0, or -errno. */
int usage_apply_limit(const struct usage *u);

/*
 * Whether a transaction with so many octets of rows has room; empties the log if it has none
 * otherwise. 0, or -ENOSPC with one line in why.
 */
int usage_make_room(const struct usage *u, int64_t bytes, char why[static DATABASE_ERROR_MAX]);

/*
 * What the calling thread has made the system write since it began: pages dirtied, which is what
 * reaches flash. -1 if the kernel does not tell (CONFIG_TASK_IO_ACCOUNTING).
 */
int64_t usage_thread_written(void);
