/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/store/aside.h"
#include "ptpmon/store/directory.h"
#include "ptpmon/store/schema-2.h" /* made from schema-2.sql */
#include "ptpmon/store/schema-3.h" /* made from schema-3.sql */
#include "ptpmon/store/schema-4.h" /* made from schema-4.sql */
#include "ptpmon/store/schema-5.h" /* made from schema-5.sql */
#include "ptpmon/store/schema.h"   /* made from schema.sql */

/* Checking a big database on slow flash must not keep the recorder from recording. */
#define CHECK_TIME_NS (10 * NSEC_PER_SEC)

enum { LOG_BYTES = 4096000 };

enum { CHECK_STEPS = 10000 }; /* virtual machine steps between two looks at the clock */

/* steps[i] takes a record of version i to i + 1; a new one takes them all. */
static const char *const steps[] = {schema_sql, schema_2_sql, schema_3_sql, schema_4_sql,
				    schema_5_sql};

enum { DATABASE_VERSION = sizeof(steps) / sizeof(steps[0]) };

struct failure_row {
	int code, error;
	const char *advice;
};

/* clang-format off */
static const struct failure_row failures[] = {
	{ SQLITE_NOMEM,    ENOMEM,  "" },
	{ SQLITE_BUSY,     EBUSY,   ": another program holds it" },
	{ SQLITE_LOCKED,   EBUSY,   ": another program holds it" },
	{ SQLITE_READONLY, EROFS,   ": make it and its directory writable" },
	{ SQLITE_PERM,     EACCES,  ": make it and its directory writable" },
	{ SQLITE_FULL,     ENOSPC,  ": make room there" },
	{ SQLITE_CORRUPT,  EUCLEAN, "" },
	{ SQLITE_NOTADB,   EUCLEAN, "" },
	{ SQLITE_ERROR,    EUCLEAN, "" }, /* our statements are right: a table or column is missing */
};
/* clang-format on */

/* The error, explained. */
__attribute__((format(printf, 3, 4))) static int
refuse(int error, char why[static DATABASE_ERROR_MAX], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, DATABASE_ERROR_MAX, fmt, ap);
	va_end(ap);
	return error;
}

static const struct failure_row *find_failure(int code)
{
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (failures[i].code == code)
			return &failures[i];
	return NULL;
}

/* What the system said, where it was the system. */
static int system_error(sqlite3 *db)
{
	static const int of_disks[] = {EROFS, EIO, ENOSPC, EDQUOT, EFBIG, ENODEV, ESTALE};
	int last = errno;
	int code = sqlite3_errcode(db) & 0xff;
	int error = code == SQLITE_IOERR || code == SQLITE_CANTOPEN ? sqlite3_system_errno(db) : 0;

	if (error > 0 || code != SQLITE_IOERR)
		return error;
	/* SQLite keeps none of a commit that failed: then the last is it, if a disk gives such */
	for (size_t i = 0; i < sizeof(of_disks) / sizeof(of_disks[0]); i++)
		if (of_disks[i] == last)
			return last;
	return 0;
}

int database_errno(sqlite3 *db)
{
	const struct failure_row *failure = find_failure(sqlite3_errcode(db) & 0xff);
	int error = system_error(db);

	if (failure)
		return -failure->error;
	return error > 0 ? -error : -EIO;
}

void database_explain(sqlite3 *db, const char *path, char why[static DATABASE_ERROR_MAX])
{
	const struct failure_row *failure = find_failure(sqlite3_errcode(db) & 0xff);
	int error = system_error(db);

	if (error > 0)
		(void)snprintf(why, DATABASE_ERROR_MAX, "%s: %s (%s)", path, sqlite3_errmsg(db),
			       strerror(error));
	else
		(void)snprintf(why, DATABASE_ERROR_MAX, "%s: %s%s", path, sqlite3_errmsg(db),
			       failure ? failure->advice : "");
}

void database_closep(sqlite3 **db)
{
	(void)sqlite3_close(*db);
	*db = NULL;
}

void database_finalizep(sqlite3_stmt **statement)
{
	(void)sqlite3_finalize(*statement);
	*statement = NULL;
}

int database_int(sqlite3 *db, const char *sql, int64_t *out)
{
	CLEANUP(database_finalizep) sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		return database_errno(db);
	switch (sqlite3_step(statement)) {
	case SQLITE_ROW:
		if (sqlite3_column_type(statement, 0) != SQLITE_NULL)
			*out = sqlite3_column_int64(statement, 0);
		return 0;
	case SQLITE_DONE:
		return 0;
	default:
		return database_errno(db);
	}
}

static int exec(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : database_errno(db);
}

static int open_file(sqlite3 **out, const char *path, int flags,
		     char why[static DATABASE_ERROR_MAX])
{
	CLEANUP(database_closep) sqlite3 *db = NULL;
	int persist = 1;

	if (sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL) !=
	    SQLITE_OK) {
		int r = db ? database_errno(db) : -ENOMEM;

		if (db)
			database_explain(db, path, why);
		return r;
	}
	(void)sqlite3_busy_timeout(db, DATABASE_BUSY_MS);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	/* Else the last to close removes the log, and who may only read cannot open it any more. */
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
	*out = steal(&db);
	return 0;
}

/* Ours, and not newer than us? -EMEDIUMTYPE if it is somebody else's. */
static int identify(sqlite3 *db, const char *path, char why[static DATABASE_ERROR_MAX])
{
	int64_t application = 0;
	int64_t version = 0;
	int64_t n = 0; /* what SQLite makes of a few octets of anything is an empty database */
	int r = database_int(db, "PRAGMA application_id", &application);

	if (r == 0)
		r = database_int(db, "PRAGMA user_version", &version);
	if (r == 0)
		r = database_int(db, "SELECT count(*) FROM sqlite_schema", &n);
	if (r < 0) {
		database_explain(db, path, why);
		return r;
	}
	if (n == 0)
		return refuse(-EUCLEAN, why, "%s: damaged (no tables)", path);
	if (application != DATABASE_APPLICATION_ID)
		return refuse(-EMEDIUMTYPE, why, "%s: a database, but not one of ptpmon's", path);
	if (version < 1)
		return refuse(-EUCLEAN, why, "%s: damaged (no version)", path);
	if (version > DATABASE_VERSION)
		return refuse(
			-ENOTUNIQ, why,
			"%s: record version %jd, this ptpmon knows up to %d: use the newer one",
			path, (intmax_t)version, DATABASE_VERSION);
	return 0;
}

/*
 * A copy on a medium, or in a directory, that cannot be written: without a log there is nothing
 * to share with a writer, and SQLite can do without the files that it cannot make.
 */
static int open_alone(sqlite3 **out, const char *path, char why[static DATABASE_ERROR_MAX])
{
	CLEANUP(strbuf_clear) struct strbuf uri = {0};
	char log[PATH_MAX];
	struct stat st;

	(void)snprintf(log, sizeof(log), "%s-wal", path);
	if (stat(log, &st) == 0 && st.st_size > 0)
		return -EROFS;
	strbuf_add(&uri, "file:");
	for (const char *c = path; *c; c++)
		if (strchr("%?#", *c))
			strbuf_addf(&uri, "%%%02x", (unsigned char)*c);
		else
			strbuf_add_bytes(&uri, c, 1);
	strbuf_add(&uri, "?immutable=1");
	if (!strbuf_text(&uri))
		return -ENOMEM;
	return open_file(out, strbuf_text(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, why);
}

/* database_open_read(), with -EMEDIUMTYPE for what is not ours but whole. */
static int open_read(sqlite3 **out, const char *path, char why[static DATABASE_ERROR_MAX])
{
	CLEANUP(database_closep) sqlite3 *db = NULL;
	struct stat st;
	int code;
	int r;

	/* Looked at by name only: closing a descriptor would drop this process's locks on it. */
	if (stat(path, &st) < 0 || faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0)
		return refuse(-errno, why, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return refuse(-EMEDIUMTYPE, why, "%s: not a regular file", path);
	if (st.st_size == 0)
		return refuse(-EUCLEAN, why, "%s: empty", path);
	r = open_file(&db, path, SQLITE_OPEN_READONLY, why);
	if (r < 0)
		return r;
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	r = identify(db, path, why);
	code = sqlite3_errcode(db) & 0xff;
	if (r < 0 && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY)) {
		database_closep(&db);
		r = open_alone(&db, path, why);
		if (r == 0)
			r = identify(db, path, why);
	}
	if (r < 0)
		return r;
	*out = steal(&db);
	return 0;
}

static int past_deadline(void *deadline_mono_ns)
{
	return nsec_now(CLOCK_MONOTONIC) > *(int64_t *)deadline_mono_ns;
}

static int refuse_damaged(const char *path, const char *found, char why[static DATABASE_ERROR_MAX])
{
	(void)refuse(0, why, "%s: damaged (%s)", path, found);
	for (char *c = why; *c; c++) /* SQLite's report may take several lines */
		if (*c == '\n')
			*c = ' ';
	return -EUCLEAN;
}

/* The tables of version 1, which later ones keep. */
static int check_tables(sqlite3 *db, const char *path, char why[static DATABASE_ERROR_MAX])
{
	static const char count[] =
		"SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('run', "
		"'clock_map', 'series', 'sample', 'latency', 'phase', 'rollup', 'event', 'mark', "
		"'verdict')";
	int64_t n = 0;
	int r = database_int(db, count, &n);

	if (r < 0)
		database_explain(db, path, why);
	else if (n != 10)
		r = refuse_damaged(path, "tables are missing", why);
	return r;
}

int database_open_read(sqlite3 **out, const char *path, char why[static DATABASE_ERROR_MAX])
{
	CLEANUP(database_closep) sqlite3 *db = NULL;
	int r = open_read(&db, path, why);

	if (r == 0)
		r = check_tables(db, path, why);
	if (r == 0)
		*out = steal(&db);
	return r == -EMEDIUMTYPE ? -EUCLEAN : r;
}

/* What stands in the file fits together, as far as can be looked at in CHECK_TIME_NS. */
static int check(const char *path, char why[static DATABASE_ERROR_MAX])
{
	CLEANUP(database_closep) sqlite3 *db = NULL;
	CLEANUP(database_finalizep) sqlite3_stmt *statement = NULL;
	int64_t deadline_mono_ns = nsec_now(CLOCK_MONOTONIC) + CHECK_TIME_NS;
	const char *found = NULL;
	int r = open_read(&db, path, why);
	int step;

	if (r == 0)
		r = check_tables(db, path, why);
	if (r < 0)
		return r;
	sqlite3_progress_handler(db, CHECK_STEPS, past_deadline, &deadline_mono_ns);
	if (sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &statement, NULL) != SQLITE_OK) {
		database_explain(db, path, why);
		return database_errno(db);
	}
	step = sqlite3_step(statement);
	if ((step & 0xff) == SQLITE_INTERRUPT)
		return 0;
	if (step != SQLITE_ROW) {
		database_explain(db, path, why);
		return database_errno(db);
	}
	found = (const char *)sqlite3_column_text(statement, 0);
	return found && strcmp(found, "ok") != 0 ? refuse_damaged(path, found, why) : 0;
}

static int migrate(sqlite3 *db, int64_t version, const char *path,
		   char why[static DATABASE_ERROR_MAX])
{
	for (; version < DATABASE_VERSION; version++) {
		char set_version[64];
		int r;

		(void)snprintf(set_version, sizeof(set_version), "PRAGMA user_version = %jd",
			       (intmax_t)version + 1);
		if ((r = exec(db, "BEGIN IMMEDIATE")) < 0 || (r = exec(db, steps[version])) < 0 ||
		    (r = exec(db, set_version)) < 0 || (r = exec(db, "COMMIT")) < 0) {
			database_explain(db, path, why);
			(void)exec(db, "ROLLBACK");
			return r;
		}
	}
	return 0;
}

/* The whole record, empty, in one file without a log beside it. */
static int fill(const char *path, char why[static DATABASE_ERROR_MAX])
{
	CLEANUP(database_closep) sqlite3 *db = NULL;
	char mark[64];
	int r = open_file(&db, path, SQLITE_OPEN_READWRITE, why);
	int persist = 0;

	if (r < 0)
		return r;
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
	(void)snprintf(mark, sizeof(mark), "PRAGMA application_id = %d", DATABASE_APPLICATION_ID);
	/*
	 * Each flush writes anew the last page of every table that it adds to, those above them and
	 * the first: with few rows a flush that is most of what the flash sees.
	 */
	if ((r = exec(db, "PRAGMA page_size = 1024; PRAGMA auto_vacuum = INCREMENTAL")) < 0 ||
	    (r = exec(db, mark)) < 0) {
		database_explain(db, path, why);
		return r;
	}
	r = migrate(db, 0, path, why);
	if (r < 0)
		return r;
	r = exec(db, "PRAGMA journal_mode = WAL");
	if (r < 0)
		database_explain(db, path, why);
	return r;
}

/* A log without its database would be played into the new one. */
static int refuse_orphan_log(const char *path, char why[static DATABASE_ERROR_MAX])
{
	char log[PATH_MAX];
	struct stat st;

	(void)snprintf(log, sizeof(log), "%s-wal", path);
	if (stat(log, &st) < 0 || st.st_size == 0)
		return 0;
	return refuse(-EUCLEAN, why, "%s: the log of a database that is not there", log);
}

static void unlink_unfinished(const char *path)
{
	static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
	char name[PATH_MAX];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		(void)snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		(void)unlink(name);
	}
}

static int create(const char *path, char why[static DATABASE_ERROR_MAX])
{
	CLEANUP(close_fdp) int fd = -1;
	char unfinished[PATH_MAX];
	int r = refuse_orphan_log(path, why);

	if (r < 0)
		return r;
	(void)snprintf(unfinished, sizeof(unfinished), "%s.new", path);
	unlink_unfinished(unfinished);
	fd = open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0 || fchmod(fd, 0640) < 0)
		return refuse(-errno, why, "%s: %s", unfinished, strerror(errno));
	close_fdp(&fd);
	r = fill(unfinished, why);
	if (r == 0) {
		r = rename(unfinished, path) < 0 ? -errno : directory_sync_of(path);
		if (r < 0)
			(void)refuse(r, why, "%s: %s", path, strerror(-r));
	}
	if (r < 0)
		unlink_unfinished(unfinished);
	return r;
}

static void leave_alone(char why[static DATABASE_ERROR_MAX])
{
	static const char advice[] = ": left alone; move it away, or name another place";
	size_t len = strlen(why);
	size_t most = DATABASE_ERROR_MAX - sizeof(advice);

	memcpy(why + (len < most ? len : most), advice, sizeof(advice));
}

/* The log is played into the file when it has LOG_BYTES, however large its pages are. */
static int set_checkpoints(sqlite3 *db)
{
	int64_t page_bytes = 0;
	int r = database_int(db, "PRAGMA page_size", &page_bytes);

	if (r < 0 || page_bytes <= 0)
		return r;
	return sqlite3_wal_autocheckpoint(db, (int)(LOG_BYTES / page_bytes)) == SQLITE_OK
		       ? 0
		       : database_errno(db);
}

/* Opens what is there, or a new one; a damaged one is left as it is: -EUCLEAN. */
static int open_sound(sqlite3 **out, const char *path, char why[static DATABASE_ERROR_MAX])
{
	CLEANUP(database_closep) sqlite3 *db = NULL;
	int64_t version = 0;
	struct stat st;
	int r;

	if (stat(path, &st) < 0 && errno == ENOENT)
		r = create(path, why);
	else
		r = check(path, why);
	if (r < 0)
		return r;
	r = open_file(&db, path, SQLITE_OPEN_READWRITE, why);
	if (r < 0)
		return r;
	if (sqlite3_db_readonly(db, "main") == 1) { /* SQLite's quiet way of opening it after all */
		r = faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 ? -errno : -EROFS;
		return refuse(r, why, "%s: %s: make it writable", path, strerror(-r));
	}
	if ((r = exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
			  "PRAGMA journal_size_limit = 4194304")) < 0 ||
	    (r = set_checkpoints(db)) < 0 ||
	    (r = database_int(db, "PRAGMA user_version", &version)) < 0) {
		database_explain(db, path, why);
		return r;
	}
	r = migrate(db, version, path, why);
	if (r < 0)
		return r;
	*out = steal(&db);
	return 0;
}

int database_open_write(sqlite3 **out, const char *path, char *set_aside,
			char why[static DATABASE_ERROR_MAX])
{
	int r = open_sound(out, path, why);

	if (set_aside)
		set_aside[0] = '\0';
	if (r == -EUCLEAN && set_aside) {
		r = aside_move(path, why, set_aside, why);
		if (r == 0)
			r = open_sound(out, path, why);
	}
	if (r != -EMEDIUMTYPE && (r != -EUCLEAN || set_aside))
		return r;
	leave_alone(why);
	return -EUCLEAN;
}
