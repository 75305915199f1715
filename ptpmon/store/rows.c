/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/rows.h"

#include <stdbool.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/model/timemap.h"
#include "ptpmon/store/database.h"

struct table_sql {
	const char *next;   /* the first row from an id on: id and time */
	const char *last;   /* time of the last row */
	const char *newest; /* the latest moment from an id on */
};

/* clang-format off */
static const struct table_sql tables[] = {
	[ROWS_SAMPLE] = {
		"SELECT id, mono_ns FROM sample WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT 1",
		"SELECT mono_ns FROM sample WHERE id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT 1",
		"SELECT max(mono_ns) FROM sample WHERE id >= ?1 AND id < ?2",
	},
	[ROWS_LATENCY] = {
		"SELECT id, start_mono_ns FROM latency WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT 1",
		"SELECT start_mono_ns FROM latency WHERE id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT 1",
		"SELECT max(start_mono_ns + length_ns) FROM latency WHERE id >= ?1 AND id < ?2",
	},
};
/* clang-format on */

static int64_t saturated_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static int prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out)
{
	return sqlite3_prepare_v2(db, sql, -1, out, NULL) == SQLITE_OK ? 0 : database_errno(db);
}

/*
 * Were the rows in order, the id of the first at or after bound_ns. They are not, so what is
 * certain is less: the row before *id, if any, is before the bound, and the row at it is not.
 */
static int bisect(sqlite3 *db, const struct rows *rows, int64_t bound_ns, int64_t *id)
{
	CLEANUP(database_finalizep) sqlite3_stmt *next = NULL;
	int64_t lo = rows->first;
	int64_t hi = rows->end;
	int r = prepare(db, tables[rows->table].next, &next);

	if (r < 0)
		return r;
	while (lo < hi) {
		int64_t middle = lo + (hi - lo) / 2;
		int step;

		(void)sqlite3_bind_int64(next, 1, middle);
		(void)sqlite3_bind_int64(next, 2, hi);
		step = sqlite3_step(next);
		if (step != SQLITE_ROW && step != SQLITE_DONE)
			return database_errno(db);
		if (step == SQLITE_ROW && sqlite3_column_int64(next, 1) < bound_ns)
			lo = sqlite3_column_int64(next, 0) + 1;
		else
			hi = middle;
		(void)sqlite3_reset(next);
	}
	*id = lo;
	return 0;
}

/* What stands before a row that is so far before the moment is before the moment as well. */
int rows_find_first(sqlite3 *db, const struct rows *rows, int64_t mono_ns, int64_t *id)
{
	return bisect(db, rows, saturated_add(mono_ns, -rows->late_ns - rows->longest_ns), id);
}

/* What stands behind a row that is so far after the moment is not before the moment either. */
int rows_find_end(sqlite3 *db, const struct rows *rows, int64_t mono_ns, int64_t *id)
{
	return bisect(db, rows, saturated_add(mono_ns, rows->late_ns), id);
}

static int scalar(sqlite3 *db, const char *sql, int64_t first, int64_t end, int64_t *out)
{
	CLEANUP(database_finalizep) sqlite3_stmt *statement = NULL;
	int r = prepare(db, sql, &statement);
	int step;

	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(statement, 1, first);
	(void)sqlite3_bind_int64(statement, 2, end);
	step = sqlite3_step(statement);
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		return database_errno(db);
	if (step == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
		*out = sqlite3_column_int64(statement, 0);
	return 0;
}

int rows_newest(sqlite3 *db, const struct rows *rows, int64_t *mono_ns)
{
	const struct table_sql *sql = &tables[rows->table];
	int64_t last_ns = TIME_UNKNOWN;
	int64_t newest_ns = TIME_UNKNOWN;
	int64_t from = rows->first;
	int r = scalar(db, sql->last, rows->first, rows->end, &last_ns);

	if (r == 0 && last_ns != TIME_UNKNOWN)
		r = rows_find_first(db, rows, last_ns, &from);
	if (r == 0 && last_ns != TIME_UNKNOWN)
		r = scalar(db, sql->newest, from, rows->end, &newest_ns);
	if (r == 0)
		*mono_ns = newest_ns;
	return r;
}
