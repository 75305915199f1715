/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/runs.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/store/database.h"
#include "ptpmon/store/directory.h"
#include "ptpmon/store/query_impl.h"
#include "ptpmon/store/run.h"

/*
 * The wall clock as the first row of clock_map has it, and as the last does. One that shows a time
 * before 2020 had not been set yet: a later row knows better when that was.
 */
static const char select_runs[] =
	"SELECT r.id, label, host, kernel, version, ptp4l_version, boot_id, how, start_mono_ns, "
	"end_mono_ns, (SELECT utc_ns - mono_ns FROM clock_map WHERE run = r.id "
	"ORDER BY utc_ns < 1577836800000000000, mono_ns LIMIT 1), (SELECT utc_ns - mono_ns FROM "
	"clock_map WHERE run = r.id ORDER BY mono_ns DESC "
	"LIMIT 1), %s FROM run AS r ORDER BY r.id";

/* A record of version 1 does not say what a run costs. */
static const char *const cost_columns[] = {"NULL, NULL", "data_bytes, written_bytes"};

static const char *text(sqlite3_stmt *row, int column)
{
	const unsigned char *value = sqlite3_column_text(row, column);

	return value ? (const char *)value : "";
}

static int64_t known(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? TIME_UNKNOWN
							       : sqlite3_column_int64(row, column);
}

/* Ids are given one after the other and only removed from the front. */
static uint64_t count_rows(const struct rows *rows, int64_t head)
{
	int64_t first = rows->first > head ? rows->first : head;

	return rows->end > first ? (uint64_t)(rows->end - first) : 0;
}

static int64_t wall_clock(int64_t mono_ns, int64_t ahead_ns)
{
	int64_t utc_ns;

	if (ahead_ns == TIME_UNKNOWN || __builtin_add_overflow(mono_ns, ahead_ns, &utc_ns))
		return TIME_UNKNOWN;
	return utc_ns > -QUERY_TIME_MAX && utc_ns < QUERY_TIME_MAX ? utc_ns : TIME_UNKNOWN;
}

static int locate(sqlite3 *db, struct run_facts *run, int64_t end_ns)
{
	struct rows rows[ROWS_TABLE_MAX];
	int64_t heads[ROWS_TABLE_MAX] = {0};
	int r = run_locate(db, run->id, rows);

	if (r == 0)
		r = run_newest(db, run->id, rows, &run->newest_mono_ns);
	if (r == 0)
		r = database_int(db, "SELECT min(id) FROM sample", &heads[ROWS_SAMPLE]);
	if (r == 0)
		r = database_int(db, "SELECT min(id) FROM latency", &heads[ROWS_LATENCY]);
	if (r < 0)
		return r;
	if (end_ns != TIME_UNKNOWN && end_ns > run->newest_mono_ns)
		run->newest_mono_ns = end_ns;
	if (!query_is_time(run->start_mono_ns) || !query_is_time(run->newest_mono_ns))
		return -EUCLEAN;
	run->samples = count_rows(&rows[ROWS_SAMPLE], heads[ROWS_SAMPLE]);
	run->windows = count_rows(&rows[ROWS_LATENCY], heads[ROWS_LATENCY]);
	return 0;
}

/* recorded: the run that a recorder writes to, or 0. */
static int show(sqlite3 *db, sqlite3_stmt *row, int64_t recorded, runs_fn visit, void *userdata)
{
	struct run_facts run = {
		.id = sqlite3_column_int64(row, 0),
		.label = text(row, 1),
		.host = text(row, 2),
		.kernel = text(row, 3),
		.version = text(row, 4),
		.ptp4l_version = text(row, 5),
		.boot_id = text(row, 6),
		.how = sqlite3_column_type(row, 7) == SQLITE_NULL ? NULL : text(row, 7),
		.start_mono_ns = sqlite3_column_int64(row, 8),
		.data_bytes = known(row, 12),
		.written_bytes = known(row, 13),
	};
	int r = locate(db, &run, known(row, 9));

	if (r < 0)
		return r;
	run.may_go_on = !run.how && run.id == recorded;
	run.start_utc_ns = wall_clock(run.start_mono_ns, known(row, 10));
	run.newest_utc_ns = wall_clock(run.newest_mono_ns, known(row, 11));
	return visit(userdata, &run);
}

static int visit_runs(sqlite3 *db, const char *path, runs_fn visit, void *userdata)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	char sql[sizeof(select_runs) + 32];
	int64_t version = 0;
	int64_t recorded = 0;
	int step = SQLITE_DONE;
	int r = database_int(db, "PRAGMA user_version", &version);

	if (r == 0 && directory_is_locked(path))
		r = database_int(db, "SELECT max(id) FROM run", &recorded);
	if (r < 0)
		return r;
	(void)snprintf(sql, sizeof(sql), select_runs, cost_columns[version >= QUERY_ROLLUPS_SINCE]);
	if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
		return database_errno(db);
	while (r == 0 && (step = sqlite3_step(row)) == SQLITE_ROW)
		r = show(db, row, recorded, visit, userdata);
	return r != 0 || step == SQLITE_DONE ? r : database_errno(db);
}

static int64_t size_of(const char *path, const char *suffix)
{
	char name[PATH_MAX];
	struct stat st;

	(void)snprintf(name, sizeof(name), "%s%s", path, suffix);
	return stat(name, &st) == 0 ? st.st_size : 0;
}

int runs_visit(const char *path, runs_fn visit, void *userdata, struct runs_size *size,
	       char why[static QUERY_ERROR_MAX])
{
	CLEANUP(database_closep) sqlite3 *db = NULL;
	int r = database_open_read(&db, path, why);

	if (r < 0)
		return r;
	/* one transaction: all of it as it was at one moment */
	r = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK
		    ? visit_runs(db, path, visit, userdata)
		    : database_errno(db);
	if (r == -EUCLEAN && (sqlite3_errcode(db) & 0xff) != SQLITE_CORRUPT)
		(void)snprintf(why, QUERY_ERROR_MAX, "%.300s: damaged: a run holds what cannot be",
			       path);
	else if (r < 0)
		database_explain(db, path, why);
	*size = (struct runs_size){size_of(path, ""), size_of(path, "-wal")};
	return r;
}
