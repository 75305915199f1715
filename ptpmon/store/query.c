/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/query.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/store/database.h"
#include "ptpmon/store/directory.h"
#include "ptpmon/store/query_impl.h"
#include "ptpmon/store/run.h"

static_assert(QUERY_ERROR_MAX >= (int)DATABASE_ERROR_MAX, "a line must fit");

DEFINE_FREEP(struct query, query_free)

struct query *query_free(struct query *q)
{
	struct kept_text *next;

	if (!q)
		return NULL;
	for (struct kept_text *k = q->kept; k; k = next) {
		next = k->next;
		free(k);
	}
	free(q->series);
	free(q->phases);
	free(q->marks);
	free(q->anchors);
	database_closep(&q->db);
	free(q);
	return NULL;
}

/* A column as it is until the next row. */
static const char *passing(sqlite3_stmt *row, int column)
{
	const unsigned char *value = sqlite3_column_text(row, column);

	return value ? (const char *)value : "";
}

/* A column as a string that lives as long as the query; NULL without memory. */
static const char *text(struct query *q, sqlite3_stmt *row, int column)
{
	const char *from = passing(row, column);
	size_t size = strlen(from) + 1;
	struct kept_text *k = malloc(sizeof(*k) + size);

	if (!k)
		return NULL;
	k->next = q->kept;
	q->kept = k;
	memcpy(k->text, from, size);
	return k->text;
}

static int64_t known(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? TIME_UNKNOWN
							       : sqlite3_column_int64(row, column);
}

static enum series_kind parse_kind(const char *name)
{
	enum series_kind kind = 0;

	while (kind < SERIES_KIND_MAX && strcmp(series_kind_name(kind), name) != 0)
		kind++;
	return kind;
}

static enum anchor_reason parse_reason(const char *name)
{
	enum anchor_reason reason = 0;

	while (reason < ANCHOR_REASON_MAX && strcmp(anchor_reason_name(reason), name) != 0)
		reason++;
	return reason < ANCHOR_REASON_MAX ? reason : ANCHOR_PERIODIC;
}

static int fill_series(struct query *q, sqlite3_stmt *row, size_t i)
{
	struct query_series *s = &q->series[i];

	s->id = sqlite3_column_int64(row, 0);
	s->kind = parse_kind(passing(row, 1));
	s->source = text(q, row, 2);
	s->subject = text(q, row, 3);
	s->unit = text(q, row, 4);
	return s->source && s->subject && s->unit ? 0 : -ENOMEM;
}

static int fill_phase(struct query *q, sqlite3_stmt *row, size_t i)
{
	struct query_phase *p = &q->phases[i];

	p->name = text(q, row, 0);
	p->start_mono_ns = sqlite3_column_int64(row, 1);
	p->end_mono_ns = known(row, 2);
	p->id = sqlite3_column_int64(row, 3);
	if (!query_is_time(p->start_mono_ns) ||
	    (p->end_mono_ns != TIME_UNKNOWN && !query_is_time(p->end_mono_ns)))
		return -EUCLEAN;
	return p->name ? 0 : -ENOMEM;
}

static int fill_mark(struct query *q, sqlite3_stmt *row, size_t i)
{
	struct query_mark *m = &q->marks[i];

	m->mono_ns = sqlite3_column_int64(row, 0);
	m->text = text(q, row, 1);
	m->who = text(q, row, 2);
	if (!query_is_time(m->mono_ns))
		return -EUCLEAN;
	return m->text && m->who ? 0 : -ENOMEM;
}

static int fill_anchor(struct query *q, sqlite3_stmt *row, size_t i)
{
	struct clock_anchor *a = &q->anchors[i];

	*a = (struct clock_anchor){
		.mono_ns = sqlite3_column_int64(row, 0),
		.raw_ns = sqlite3_column_int64(row, 1),
		.utc_ns = sqlite3_column_int64(row, 2),
		.tai_offset_s = known(row, 3),
		.uncertainty_ns = sqlite3_column_int64(row, 4),
		.reason = parse_reason(passing(row, 5)),
	};
	if (!query_is_time(a->mono_ns) || !query_is_time(a->raw_ns) ||
	    !query_is_time(a->uncertainty_ns) || a->utc_ns <= -QUERY_TIME_MAX ||
	    a->utc_ns >= QUERY_TIME_MAX)
		return -EUCLEAN;
	return 0;
}

/* A small table of the run, loaded into an array of the query. */
struct array {
	const char *count, *select;
	size_t pointer, n, size; /* where in the query; of an element */
	int (*fill)(struct query *q, sqlite3_stmt *row, size_t i); /* 0, or -errno */
};

#define ARRAY(member)                                                                              \
	.pointer = offsetof(struct query, member), .n = offsetof(struct query, n_##member),        \
	.size = sizeof(*((struct query *)0)->member)

/* clang-format off */
static const struct array arrays[] = {
	{ "SELECT count(*) FROM series WHERE run = ?1",
	  "SELECT id, kind, source, subject, unit FROM series WHERE run = ?1 ORDER BY id",
	  ARRAY(series), .fill = fill_series },
	{ "SELECT count(*) FROM phase WHERE run = ?1",
	  "SELECT name, start_mono_ns, end_mono_ns, id FROM phase WHERE run = ?1 ORDER BY start_mono_ns, id",
	  ARRAY(phases), .fill = fill_phase },
	{ "SELECT count(*) FROM mark WHERE run = ?1",
	  "SELECT mono_ns, text, who FROM mark WHERE run = ?1 ORDER BY mono_ns, id",
	  ARRAY(marks), .fill = fill_mark },
	{ "SELECT count(*) FROM clock_map WHERE run = ?1",
	  "SELECT mono_ns, raw_ns, utc_ns, tai_offset_s, uncertainty_ns, reason FROM clock_map "
	  "WHERE run = ?1 ORDER BY mono_ns",
	  ARRAY(anchors), .fill = fill_anchor },
};
/* clang-format on */

static int prepare(struct query *q, const char *sql, sqlite3_stmt **out)
{
	if (sqlite3_prepare_v2(q->db, sql, -1, out, NULL) != SQLITE_OK)
		return database_errno(q->db);
	(void)sqlite3_bind_int64(*out, 1, q->run.id);
	return 0;
}

static int count(struct query *q, const char *sql, size_t *n)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int r = prepare(q, sql, &row);

	if (r < 0)
		return r;
	if (sqlite3_step(row) != SQLITE_ROW)
		return database_errno(q->db);
	*n = (size_t)sqlite3_column_int64(row, 0);
	return 0;
}

static int load_array(struct query *q, const struct array *a)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	size_t *n = (size_t *)(void *)((char *)q + a->n);
	void *elements;
	size_t i = 0;
	int step = SQLITE_DONE;
	int r = count(q, a->count, n);

	if (r == 0)
		r = prepare(q, a->select, &row);
	if (r < 0)
		return r;
	elements = calloc(*n + 1, a->size);
	if (!elements)
		return -ENOMEM;
	memcpy((char *)q + a->pointer, &elements, sizeof(elements));
	while (r == 0 && (step = sqlite3_step(row)) == SQLITE_ROW && i < *n)
		r = a->fill(q, row, i++);
	if (r < 0)
		return r;
	return step == SQLITE_DONE ? 0 : database_errno(q->db);
}

static int load_run(struct query *q)
{
	static const char select[] =
		"SELECT label, host, kernel, machine, version, ptp4l_version, boot_id, "
		"configuration, how, board, start_mono_ns, end_mono_ns FROM run WHERE id = ?1";
	const char **const texts[] = {&q->run.label,   &q->run.host,          &q->run.kernel,
				      &q->run.machine, &q->run.version,       &q->run.ptp4l_version,
				      &q->run.boot_id, &q->run.configuration, &q->run.how,
				      &q->run.board};
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int r = prepare(q, select, &row);

	if (r < 0)
		return r;
	if (sqlite3_step(row) != SQLITE_ROW)
		return database_errno(q->db);
	for (int i = 0; i < (int)(sizeof(texts) / sizeof(texts[0])); i++) {
		*texts[i] = text(q, row, i);
		if (!*texts[i])
			return -ENOMEM;
	}
	q->run.start_mono_ns = sqlite3_column_int64(row, 10);
	q->run.end_mono_ns = known(row, 11);
	if (q->run.end_mono_ns == TIME_UNKNOWN) {
		int64_t newest = 0;

		q->run.how = NULL;
		(void)database_int(q->db, "SELECT max(id) FROM run", &newest);
		q->run.being_written = q->run.id == newest && directory_is_locked(q->path);
	}
	r = run_locate(q->db, q->run.id, q->rows);
	if (r < 0)
		return r;
	r = run_newest(q->db, q->run.id, q->rows, &q->run.newest_mono_ns);
	if (r < 0)
		return r;
	if (!query_is_time(q->run.start_mono_ns) || !query_is_time(q->run.newest_mono_ns) ||
	    (q->run.end_mono_ns != TIME_UNKNOWN && !query_is_time(q->run.end_mono_ns)))
		return -EUCLEAN;
	return 0;
}

/* The id of the run that the text names: 0 if there is none, or -errno. */
static int select_run(struct query *q, const char *run, int64_t *id)
{
	bool last = !run || strcmp(run, "last") == 0;
	bool by_id = !last && run[0] != '\0' && run[strspn(run, "0123456789")] == '\0';
	const char *sql = last    ? "SELECT max(id) FROM run"
			  : by_id ? "SELECT id FROM run WHERE id = CAST(?1 AS INTEGER)"
				  : "SELECT max(id) FROM run WHERE label = ?1";
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int step;

	if (sqlite3_prepare_v2(q->db, sql, -1, &row, NULL) != SQLITE_OK)
		return database_errno(q->db);
	if (!last)
		(void)sqlite3_bind_text(row, 1, run, -1, SQLITE_STATIC);
	step = sqlite3_step(row);
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		return database_errno(q->db);
	*id = step == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
	return 0;
}

static int refuse_run(struct query *q, const char *run, char why[static QUERY_ERROR_MAX])
{
	int64_t newest = 0;

	(void)database_int(q->db, "SELECT max(id) FROM run", &newest);
	if (newest == 0)
		(void)snprintf(why, QUERY_ERROR_MAX, "%.300s: nothing recorded yet", q->path);
	else
		(void)snprintf(why, QUERY_ERROR_MAX,
			       "%.300s: no run with the id or label \"%.100s\": the newest has the "
			       "id %jd",
			       q->path, run, (intmax_t)newest);
	return -ENOENT;
}

static int load(struct query *q, const char *run, char why[static QUERY_ERROR_MAX])
{
	int r = sqlite3_exec(q->db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK
			? select_run(q, run, &q->run.id)
			: database_errno(q->db);

	if (r == 0 && q->run.id == 0)
		return refuse_run(q, run, why);
	if (r == 0)
		r = database_int(q->db, "PRAGMA user_version", &q->version);
	if (r == 0)
		r = load_run(q);
	for (size_t i = 0; r == 0 && i < sizeof(arrays) / sizeof(arrays[0]); i++)
		r = load_array(q, &arrays[i]);
	if (r == -EUCLEAN && (sqlite3_errcode(q->db) & 0xff) != SQLITE_CORRUPT)
		(void)snprintf(why, QUERY_ERROR_MAX,
			       "%.300s: damaged: run %jd holds what cannot be", q->path,
			       (intmax_t)q->run.id);
	else if (r < 0)
		database_explain(q->db, q->path, why);
	return r;
}

/* FILE.db and FILE.db:RUN name a file; all else is a run of the database at path. */
static const char *split(const char *path, const char *run, char file[static PATH_MAX])
{
	size_t len = run ? strlen(run) : 0;
	const char *colon = run ? strstr(run, ".db:") : NULL;

	if (colon) {
		(void)snprintf(file, PATH_MAX, "%.*s", (int)(colon + 3 - run), run);
		return colon + 4;
	}
	if (len > 3 && strcmp(run + len - 3, ".db") == 0) {
		(void)snprintf(file, PATH_MAX, "%s", run);
		return NULL;
	}
	(void)snprintf(file, PATH_MAX, "%s", path);
	return run;
}

int query_open(struct query **out, const char *path, const char *run,
	       char why[static QUERY_ERROR_MAX])
{
	CLEANUP(query_freep) struct query *q = calloc(1, sizeof(*q));
	const char *selector;
	int r;

	(void)snprintf(why, QUERY_ERROR_MAX, "%s", strerror(ENOMEM));
	if (!q)
		return -ENOMEM;
	selector = split(path, run, q->path);
	r = database_open_read(&q->db, q->path, why);
	if (r == 0)
		r = load(q, selector, why);
	if (r < 0)
		return r;
	*out = steal(&q);
	return 0;
}

const char *query_path(const struct query *q)
{
	return q->path;
}

const struct query_run *query_run(const struct query *q)
{
	return &q->run;
}

const struct query_series *query_series(const struct query *q, size_t *n)
{
	*n = q->n_series;
	return q->series;
}

const struct query_phase *query_phases(const struct query *q, size_t *n)
{
	*n = q->n_phases;
	return q->phases;
}

const struct query_mark *query_marks(const struct query *q, size_t *n)
{
	*n = q->n_marks;
	return q->marks;
}

const struct clock_anchor *query_anchors(const struct query *q, size_t *n)
{
	*n = q->n_anchors;
	return q->anchors;
}
