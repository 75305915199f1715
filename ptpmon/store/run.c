/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/run.h"

#include <errno.h>
#include <stdio.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/store/database.h"

/* An id never comes twice, though all rows may have aged out: a run's rows end where those of the
 * next begin. */
static const char insert_run[] =
	"INSERT INTO run (token, boot_id, start_mono_ns, label, host, kernel, machine, version, "
	"ptp4l_version, configuration, board, first_sample, first_latency) "
	"SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
	"max(coalesce((SELECT max(id) + 1 FROM sample), 1), "
	"coalesce((SELECT max(first_sample) FROM run), 1)), "
	"max(coalesce((SELECT max(id) + 1 FROM latency), 1), "
	"coalesce((SELECT max(first_latency) FROM run), 1))";

static const char select_resumable[] =
	"SELECT id FROM (SELECT * FROM run ORDER BY id DESC LIMIT 1) "
	"WHERE token = ?1 AND boot_id = ?2 AND end_mono_ns IS NULL";

static const char select_rows[] =
	"SELECT first_sample, coalesce((SELECT n.first_sample FROM run AS n WHERE n.id > run.id "
	"ORDER BY n.id LIMIT 1), (SELECT max(id) + 1 FROM sample), 1), sample_late_ns, 0, "
	"first_latency, coalesce((SELECT n.first_latency FROM run AS n WHERE n.id > run.id "
	"ORDER BY n.id LIMIT 1), (SELECT max(id) + 1 FROM latency), 1), latency_late_ns, "
	"latency_longest_ns FROM run WHERE id = ?1";

static const char select_newest[] =
	"SELECT max(t) FROM (SELECT start_mono_ns AS t FROM run WHERE id = ?1 "
	"UNION ALL SELECT max(mono_ns) FROM event WHERE run = ?1 "
	"UNION ALL SELECT max(mono_ns) FROM clock_map WHERE run = ?1 "
	"UNION ALL SELECT max(mono_ns) FROM mark WHERE run = ?1 "
	"UNION ALL SELECT max(start_mono_ns) FROM phase WHERE run = ?1 "
	"UNION ALL SELECT max(end_mono_ns) FROM phase WHERE run = ?1)";

static const char select_newest_hour[] =
	"SELECT max(r.to_mono_ns) FROM rollup AS r JOIN series AS e ON e.id = r.series "
	"WHERE e.run = ?1";

static const char select_phase[] =
	"SELECT name, start_mono_ns FROM phase "
	"WHERE run = ?1 AND end_mono_ns IS NULL ORDER BY id DESC LIMIT 1";

/* 36 years: the sum of two never overflows. */
#define LATE_MAX_NS (INT64_C(1) << 60)

/* Prepares, with the id bound as ?1, and takes the first row: 1, 0 if there is none, or -errno. */
static int first_row(sqlite3 *db, const char *sql, int64_t id, sqlite3_stmt **out)
{
	int step;

	if (sqlite3_prepare_v2(db, sql, -1, out, NULL) != SQLITE_OK)
		return database_errno(db);
	(void)sqlite3_bind_int64(*out, 1, id);
	step = sqlite3_step(*out);
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		return database_errno(db);
	return step == SQLITE_ROW;
}

int run_locate(sqlite3 *db, int64_t id, struct rows rows[static ROWS_TABLE_MAX])
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int r = first_row(db, select_rows, id, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	for (int t = 0; t < ROWS_TABLE_MAX; t++) {
		rows[t] = (struct rows){
			.table = (enum rows_table)t,
			.first = sqlite3_column_int64(row, 4 * t),
			.end = sqlite3_column_int64(row, 4 * t + 1),
			.late_ns = sqlite3_column_int64(row, 4 * t + 2),
			.longest_ns = sqlite3_column_int64(row, 4 * t + 3),
		};
		if (rows[t].end < rows[t].first)
			rows[t].end = rows[t].first;
		if (rows[t].first < 0 || rows[t].late_ns < 0 || rows[t].late_ns > LATE_MAX_NS ||
		    rows[t].longest_ns < 0 || rows[t].longest_ns > LATE_MAX_NS)
			return -EUCLEAN;
	}
	return 0;
}

/* A record of version 1, which may only be read, has no hours. */
static int newest_hour(sqlite3 *db, int64_t id, int64_t *newest_ns)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int64_t version = 0;
	int r = database_int(db, "PRAGMA user_version", &version);

	if (r < 0 || version < 2)
		return r;
	r = first_row(db, select_newest_hour, id, &row);
	if (r > 0 && sqlite3_column_int64(row, 0) > *newest_ns)
		*newest_ns = sqlite3_column_int64(row, 0);
	return r < 0 ? r : 0;
}

int run_newest(sqlite3 *db, int64_t id, const struct rows rows[static ROWS_TABLE_MAX],
	       int64_t *mono_ns)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int64_t newest_ns;
	int r = first_row(db, select_newest, id, &row);

	if (r < 0)
		return r;
	newest_ns = sqlite3_column_int64(row, 0);
	for (int t = 0; t < ROWS_TABLE_MAX; t++) {
		int64_t ns;

		r = rows_newest(db, &rows[t], &ns);
		if (r < 0)
			return r;
		if (ns > newest_ns)
			newest_ns = ns;
	}
	r = newest_hour(db, id, &newest_ns);
	if (r == 0)
		*mono_ns = newest_ns;
	return r;
}

static int find_resumable(sqlite3 *db, const struct store_run *as, int64_t *id)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int step;

	if (sqlite3_prepare_v2(db, select_resumable, -1, &row, NULL) != SQLITE_OK)
		return database_errno(db);
	(void)sqlite3_bind_text(row, 1, as->token, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(row, 2, as->boot_id, -1, SQLITE_STATIC);
	step = sqlite3_step(row);
	if (step == SQLITE_ROW)
		*id = sqlite3_column_int64(row, 0);
	return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : database_errno(db);
}

static int insert(sqlite3 *db, const struct store_run *as, int64_t now_mono_ns, int64_t *id)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	const char *const texts[] = {as->label,   as->host,          as->kernel,        as->machine,
				     as->version, as->ptp4l_version, as->configuration, as->board};

	if (sqlite3_prepare_v2(db, insert_run, -1, &row, NULL) != SQLITE_OK)
		return database_errno(db);
	(void)sqlite3_bind_text(row, 1, as->token, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(row, 2, as->boot_id, -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(row, 3, now_mono_ns);
	for (int i = 0; i < (int)(sizeof(texts) / sizeof(texts[0])); i++)
		(void)sqlite3_bind_text(row, 4 + i, texts[i], -1, SQLITE_STATIC);
	if (sqlite3_step(row) != SQLITE_DONE)
		return database_errno(db);
	*id = sqlite3_last_insert_rowid(db);
	return 0;
}

static int load_phase(struct run *run, sqlite3 *db)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int r = first_row(db, select_phase, run->id, &row);

	if (r <= 0)
		return r;
	(void)snprintf(run->phase, sizeof(run->phase), "%s",
		       (const char *)sqlite3_column_text(row, 0));
	run->phase_since_mono_ns = sqlite3_column_int64(row, 1);
	return 0;
}

static int load_cost(struct run *run, sqlite3 *db)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int r = first_row(db, "SELECT data_bytes, written_bytes FROM run WHERE id = ?1", run->id,
			  &row);

	if (r <= 0)
		return r;
	run->data_bytes = sqlite3_column_int64(row, 0);
	run->written_bytes = sqlite3_column_int64(row, 1);
	return 0;
}

int run_enter(struct run *out, sqlite3 *db, const struct store_run *as, int64_t now_mono_ns)
{
	struct run run = {.resumed_from_mono_ns = TIME_UNKNOWN};
	int r = find_resumable(db, as, &run.id);
	bool resumed = run.id != 0;

	if (r == 0 && !resumed)
		r = insert(db, as, now_mono_ns, &run.id);
	if (r == 0)
		r = run_locate(db, run.id, run.rows);
	for (int t = 0; r == 0 && t < ROWS_TABLE_MAX; t++)
		r = rows_newest(db, &run.rows[t], &run.newest_ns[t]);
	if (r == 0 && resumed)
		r = run_newest(db, run.id, run.rows, &run.resumed_from_mono_ns);
	if (r == 0)
		r = load_phase(&run, db);
	if (r == 0)
		r = load_cost(&run, db);
	if (r == 0)
		*out = run;
	return r;
}
