/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/guard.h: whether the files of a database are still those that its writer has open.
 *
 * SQLite goes on writing to a log that somebody removed, and to a file that somebody truncated or
 * wrote over, and finds nothing wrong with it until it reads that page again, if ever. So the
 * writer looks before each transaction: two or three system calls. A file that was moved away is
 * found by SQLite itself (SQLITE_FCNTL_HAS_MOVED).
 */
#pragma once
#include <sqlite3.h>
#include <stdint.h>
#include <sys/stat.h>

#include "ptpmon/store/database.h"

struct guard {
	struct stat log, index; /* st_ino 0: not known, and not looked after */
	int64_t file_bytes;
};

/* Of a database that was just opened. */
void guard_begin(struct guard *g, sqlite3 *db);

enum guard_finding {
	GUARD_GOOD,
	GUARD_LOG_LOST,    /* or its index, or the end of the file: what is in the log helps */
	GUARD_OVERWRITTEN, /* the file is something else now: the log must not get into it */
};

/* *what tells of it, unless it is good. */
enum guard_finding guard_look(struct guard *g, sqlite3 *db, const char **what);
