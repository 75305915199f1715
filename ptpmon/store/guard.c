/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/guard.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Of the first page, as SQLite's file format has it. */
enum { HEADER_BYTES = 100, MAGIC_BYTES = 16, APPLICATION_ID_AT = 68 };

static void look_up(sqlite3 *db, const char *suffix, struct stat *out)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s%s", sqlite3_db_filename(db, "main"), suffix);
	if (stat(path, out) < 0)
		*out = (struct stat){0};
}

void guard_begin(struct guard *g, sqlite3 *db)
{
	struct stat file;

	look_up(db, "", &file);
	look_up(db, "-wal", &g->log);
	look_up(db, "-shm", &g->index);
	g->file_bytes = file.st_size;
}

static bool is_other(sqlite3 *db, const char *suffix, const struct stat *before)
{
	struct stat now;

	if (before->st_ino == 0)
		return false;
	look_up(db, suffix, &now);
	return now.st_ino != before->st_ino || now.st_dev != before->st_dev;
}

/*
 * By SQLite's own descriptor: to close another one of the same file would drop the locks. A file
 * that is too short for a header is not overwritten.
 */
static bool is_overwritten(sqlite3 *db)
{
	static const uint8_t id[] = {
		DATABASE_APPLICATION_ID >> 24, DATABASE_APPLICATION_ID >> 16 & 0xff,
		DATABASE_APPLICATION_ID >> 8 & 0xff, DATABASE_APPLICATION_ID & 0xff};
	uint8_t header[HEADER_BYTES];
	sqlite3_file *file = NULL;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
	    !file || !file->pMethods ||
	    file->pMethods->xRead(file, header, sizeof(header), 0) != SQLITE_OK)
		return false;
	return memcmp(header, "SQLite format 3", MAGIC_BYTES) != 0 ||
	       memcmp(header + APPLICATION_ID_AT, id, sizeof(id)) != 0;
}

/* It shrinks rightly only to what it holds. */
static bool is_truncated(struct guard *g, sqlite3 *db)
{
	struct stat file;
	int64_t page_bytes = 0;
	int64_t pages = 0;
	int64_t least;

	look_up(db, "", &file);
	if (file.st_size >= g->file_bytes || file.st_ino == 0) {
		g->file_bytes = file.st_size;
		return false;
	}
	if (database_int(db, "PRAGMA page_size", &page_bytes) < 0 ||
	    database_int(db, "PRAGMA page_count", &pages) < 0)
		return true;
	least = pages * page_bytes < g->file_bytes ? pages * page_bytes : g->file_bytes;
	g->file_bytes = file.st_size;
	return file.st_size < least;
}

enum guard_finding guard_look(struct guard *g, sqlite3 *db, const char **what)
{
	if (is_overwritten(db)) {
		*what = "the file was overwritten by somebody";
		return GUARD_OVERWRITTEN;
	}
	if (is_truncated(g, db))
		*what = "the file was truncated by somebody";
	else if (is_other(db, "-wal", &g->log))
		*what = "its log (-wal) was removed by somebody";
	else if (is_other(db, "-shm", &g->index))
		*what = "the index of its log (-shm) was removed by somebody";
	else
		return GUARD_GOOD;
	return GUARD_LOG_LOST;
}
