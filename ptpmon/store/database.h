/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/database.h: the file of the record: made, checked, migrated, opened.
 *
 * A file is ours if it is an SQLite database with our application id. One that was written by a
 * newer version or is somebody else's is never touched, not even its write-ahead log: it is looked
 * at through a connection that cannot write. So is a damaged one, which a writer then sets aside,
 * with its log, under another name. A new one appears under its name only when it is complete.
 */
#pragma once
#include <sqlite3.h>
#include <stdint.h>

enum {
	DATABASE_APPLICATION_ID = 0x7074706d, /* "ptpm" */
	DATABASE_ERROR_MAX = 256,
	DATABASE_BUSY_MS = 5000,
	DATABASE_PATH_MAX = 500, /* SQLite takes 512, with what it appends for its log */
};

/*
 * For reading; never writes to the database. 0, or -errno with one line in why: -ENOENT, -EACCES,
 * -ENOTUNIQ (newer version), -EUCLEAN (not ours, or damaged), -EBUSY, -EIO, -ENOMEM.
 */
int database_open_read(sqlite3 **out, const char *path, char why[static DATABASE_ERROR_MAX]);

/*
 * For the one writer, which holds the lock of the directory: made with mode 0640 where missing,
 * else checked (for a bounded time) and migrated. A damaged one, an empty one and a log without its
 * database are set aside first: set_aside (DATABASE_ERROR_MAX octets) is then the line to tell,
 * else "". Where set_aside is NULL they are refused. Errors as above (-EUCLEAN: somebody else's, or
 * refused), and -ENOSPC, -EROFS.
 */
int database_open_write(sqlite3 **out, const char *path, char *set_aside,
			char why[static DATABASE_ERROR_MAX]);

/* Closes; NULL is fine. For CLEANUP(). */
void database_closep(sqlite3 **db);
void database_finalizep(sqlite3_stmt **statement);

/* The last failure on this connection as -errno, -EIO if nothing fits better. */
int database_errno(sqlite3 *db);

/* The last failure in words: SQLite's, and the system's where there was one. */
void database_explain(sqlite3 *db, const char *path, char why[static DATABASE_ERROR_MAX]);

/* The first column of the first row; *out is left alone if there is no row or it is NULL. */
int database_int(sqlite3 *db, const char *sql, int64_t *out);
