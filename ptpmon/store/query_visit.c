/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/store/database.h"
#include "ptpmon/store/query_impl.h"

static const char select_rollups[] =
	"SELECT series, hour, phase, from_mono_ns, to_mono_ns, count, min, max, sum, sum_squares, "
	"overflows, missed, steps, unlocked, histogram FROM rollup WHERE series = ?1 "
	"AND to_mono_ns >= ?2 AND from_mono_ns < ?3 ORDER BY hour, from_mono_ns";

static const char select_events[] =
	"SELECT mono_ns, severity, code, subject, text, detail, id FROM event "
	"WHERE run = ?1 AND mono_ns >= ?2 AND mono_ns < ?3 ORDER BY mono_ns, id";

/* A visit on its way: the rows, and whom to show them. */
struct visit {
	const struct showing *showing;
	struct query *q;
	sqlite3_stmt *row;
	void *userdata;
	query_sample_fn sample;
	query_window_fn window;
	struct latency_window *w; /* large, so not on the stack */
	size_t series;            /* the index that belongs to series_id */
	int64_t series_id;
	uint32_t cpu; /* the number in its subject */
	/* what is asked for, and what the last visitor said */
	size_t wanted;
	int64_t from_mono_ns, to_mono_ns;
	int result;
};

static int compare_id(const void *key, const void *element)
{
	int64_t id = *(const int64_t *)key;
	const struct query_series *s = element;

	return (id > s->id) - (id < s->id);
}

static uint32_t cpu_of(const struct query_series *series)
{
	static const char prefix[] = "cpu ";
	const char *subject = series->subject;

	if (strncmp(subject, prefix, sizeof(prefix) - 1) != 0)
		return UINT32_MAX;
	return (uint32_t)strtoul(subject + sizeof(prefix) - 1, NULL, 10);
}

/* The index of the series with that id, which is mostly that of the row before or few. */
static int find_series(struct visit *v, int64_t id)
{
	const struct query_series *s;

	if (id == v->series_id)
		return 0;
	s = bsearch(&id, v->q->series, v->q->n_series, sizeof(*s), compare_id);
	if (!s)
		return -EUCLEAN;
	v->series = (size_t)(s - v->q->series);
	v->series_id = id;
	v->cpu = cpu_of(s);
	return 0;
}

/* The first column of the first row, if there is one. */
static int find_id(sqlite3 *db, const char *sql, int64_t argument, int64_t *out)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int step;

	if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
		return database_errno(db);
	(void)sqlite3_bind_int64(row, 1, argument);
	step = sqlite3_step(row);
	if (step == SQLITE_ROW)
		*out = sqlite3_column_int64(row, 0);
	return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : database_errno(db);
}

static int64_t known(sqlite3_value *value)
{
	return sqlite3_value_type(value) == SQLITE_NULL ? SAMPLE_UNKNOWN
							: sqlite3_value_int64(value);
}

static bool is_wanted(const struct visit *v)
{
	return v->wanted == QUERY_ALL_SERIES || v->wanted == v->series;
}

static int show_sample(struct visit *v, int n, sqlite3_value **row)
{
	struct sample sample = {
		.mono_ns = sqlite3_value_int64(row[1]),
		.value = sqlite3_value_int64(row[2]),
		.delay_ns = known(row[3]),
		.flags = (uint32_t)sqlite3_value_int64(row[4]),
		.missed = (uint32_t)sqlite3_value_int64(row[5]),
	};
	int r = find_series(v, sqlite3_value_int64(row[0]));

	if (r < 0)
		return r;
	if (sample.mono_ns < v->from_mono_ns || sample.mono_ns >= v->to_mono_ns || !is_wanted(v))
		return 0;
	if (!query_is_time(sample.mono_ns))
		return -EUCLEAN;
	if (n > 6 && sqlite3_value_type(row[6]) != SQLITE_NULL) {
		sample.flags |= SAMPLE_SERVO;
		sample.servo = (uint8_t)sqlite3_value_int64(row[6]);
		sample.freq_ppb = sqlite3_value_double(row[7]);
	}
	sample.series = (unsigned)v->series;
	return v->sample(v->userdata, &sample);
}

static int show_window(struct visit *v, int n, sqlite3_value **row)
{
	struct latency_window *w = v->w;
	int64_t start_ns = sqlite3_value_int64(row[1]);
	int64_t length_ns = sqlite3_value_int64(row[2]);
	size_t len = (size_t)sqlite3_value_bytes(row[9]);
	int r = find_series(v, sqlite3_value_int64(row[0]));

	if (r < 0)
		return r;
	if (len > sizeof(w->bins) || !query_is_time(start_ns) || !query_is_time(length_ns))
		return -EUCLEAN;
	if (start_ns + length_ns <= v->from_mono_ns || start_ns >= v->to_mono_ns || !is_wanted(v))
		return 0;
	w->cpu = v->cpu;
	w->start_mono_ns = start_ns;
	w->end_mono_ns = start_ns + length_ns;
	w->count = (uint64_t)sqlite3_value_int64(row[3]);
	w->min_ns = known(row[4]);
	w->sum_ns = sqlite3_value_int64(row[5]);
	w->max_ns = known(row[6]);
	w->overflow = (uint64_t)sqlite3_value_int64(row[7]);
	w->missed = (uint64_t)sqlite3_value_int64(row[8]);
	w->bins_len = len;
	if (len > 0)
		memcpy(w->bins, sqlite3_value_blob(row[9]), len);
	return v->window(v->userdata, v->series, w);
}

/*
 * How the rows of a table are shown: in the order of ids, as any scan of a table by its ids is. An
 * aggregate that is fed by SQLite itself is three times as fast as a statement that is stepped,
 * and without a last id to look for faster again by a tenth.
 */
struct showing {
	enum rows_table table;
	const char *function;
	int n_arguments;
	const char *beyond;      /* is there a row from ?1 on? */
	const char *all, *until; /* the rows from ?1 on, and those of them before ?2 */
	int (*show)(struct visit *v, int n, sqlite3_value **values);
};

#define SHOWING(table_index, table, function, n, columns, show)                                    \
	{                                                                                          \
		table_index, function, n, "SELECT id FROM " table " WHERE id >= ?1 LIMIT 1",       \
			"SELECT " function "(" columns ") FROM " table " WHERE id >= ?1",          \
			"SELECT " function "(" columns ") FROM " table                             \
			" WHERE id >= ?1 AND id < ?2",                                             \
			show                                                                       \
	}

static const struct showing values =
	SHOWING(ROWS_SAMPLE, "sample", "visit_value", 6,
		"series, mono_ns, value_ns, delay_ns, flags, missed", show_sample);
static const struct showing samples =
	SHOWING(ROWS_SAMPLE, "sample", "visit_sample", 8,
		"series, mono_ns, value_ns, delay_ns, flags, missed, servo, freq_ppb", show_sample);
static const struct showing windows =
	SHOWING(ROWS_LATENCY, "latency", "visit_window", 10,
		"series, start_mono_ns, length_ns, count, min_ns, sum_ns, max_ns, overflows, "
		"missed, histogram",
		show_window);

/* The rows of a time range, and perhaps some before and after it. */
static int select_range(struct visit *v)
{
	const struct rows *rows = &v->q->rows[v->showing->table];
	sqlite3 *db = v->q->db;
	int64_t first = 0;
	int64_t end = 0;
	int64_t beyond = 0;
	int r = rows_find_first(db, rows, v->from_mono_ns, &first);

	if (r == 0)
		r = rows_find_end(db, rows, v->to_mono_ns, &end);
	if (r == 0)
		r = find_id(db, v->showing->beyond, end, &beyond);
	if (r < 0)
		return r;
	if (sqlite3_prepare_v2(db, beyond ? v->showing->until : v->showing->all, -1, &v->row,
			       NULL) != SQLITE_OK)
		return database_errno(db);
	(void)sqlite3_bind_int64(v->row, 1, first);
	if (beyond)
		(void)sqlite3_bind_int64(v->row, 2, end);
	return 0;
}

static void step(sqlite3_context *context, int n, sqlite3_value **arguments)
{
	struct visit *v = sqlite3_user_data(context);

	if (v->result == 0)
		v->result = v->showing->show(v, n, arguments);
	if (v->result != 0)
		sqlite3_result_error(context, "the visitor has seen enough", -1);
}

static void no_result(sqlite3_context *context)
{
	sqlite3_result_null(context);
}

static int show_rows(struct visit *v, const struct showing *showing)
{
	sqlite3 *db = v->q->db;
	int stepped;
	int r;

	v->showing = showing;
	if (sqlite3_create_function(db, showing->function, showing->n_arguments,
				    SQLITE_UTF8 | SQLITE_DIRECTONLY, v, NULL, step,
				    no_result) != SQLITE_OK)
		return database_errno(db);
	r = select_range(v);
	if (r < 0)
		return r;
	stepped = sqlite3_step(v->row);
	if (v->result == 0 && stepped != SQLITE_ROW)
		v->result = database_errno(db);
	(void)sqlite3_finalize(v->row);
	return v->result;
}

static int visit_samples(struct query *q, const struct showing *showing, size_t series,
			 int64_t from_mono_ns, int64_t to_mono_ns, query_sample_fn visit,
			 void *userdata)
{
	struct visit v = {
		.q = q,
		.sample = visit,
		.userdata = userdata,
		.wanted = series,
		.from_mono_ns = from_mono_ns,
		.to_mono_ns = to_mono_ns,
	};

	return show_rows(&v, showing);
}

int query_visit_samples(struct query *q, size_t series, int64_t from_mono_ns, int64_t to_mono_ns,
			query_sample_fn visit, void *userdata)
{
	return visit_samples(q, &samples, series, from_mono_ns, to_mono_ns, visit, userdata);
}

int query_visit_values(struct query *q, size_t series, int64_t from_mono_ns, int64_t to_mono_ns,
		       query_sample_fn visit, void *userdata)
{
	return visit_samples(q, &values, series, from_mono_ns, to_mono_ns, visit, userdata);
}

int query_visit_windows(struct query *q, size_t series, int64_t from_mono_ns, int64_t to_mono_ns,
			query_window_fn visit, void *userdata)
{
	CLEANUP(freep) struct latency_window *w = calloc(1, sizeof(*w));
	struct visit v = {
		.q = q,
		.window = visit,
		.userdata = userdata,
		.w = w,
		.wanted = series,
		.from_mono_ns = from_mono_ns,
		.to_mono_ns = to_mono_ns,
	};

	return w ? show_rows(&v, &windows) : -ENOMEM;
}

static int64_t known_column(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? SAMPLE_UNKNOWN
							       : sqlite3_column_int64(row, column);
}

static size_t phase_index(const struct query *q, int64_t id)
{
	for (size_t i = 0; i < q->n_phases; i++)
		if (q->phases[i].id == id)
			return i;
	return QUERY_NO_PHASE;
}

static int show_rollup(struct query *q, size_t series, sqlite3_stmt *row, query_rollup_fn visit,
		       void *userdata)
{
	struct query_rollup rollup = {
		.series = series,
		.phase = phase_index(q, sqlite3_column_int64(row, 2)),
		.hour = sqlite3_column_int64(row, 1),
		.from_mono_ns = sqlite3_column_int64(row, 3),
		.to_mono_ns = sqlite3_column_int64(row, 4),
		.count = (uint64_t)sqlite3_column_int64(row, 5),
		.min = known_column(row, 6),
		.max = known_column(row, 7),
		.sum = sqlite3_column_double(row, 8),
		.sum_squares = sqlite3_column_double(row, 9),
		.overflows = (uint64_t)sqlite3_column_int64(row, 10),
		.missed = (uint64_t)sqlite3_column_int64(row, 11),
		.steps = (uint64_t)sqlite3_column_int64(row, 12),
		.unlocked = (uint64_t)sqlite3_column_int64(row, 13),
		.histogram = sqlite3_column_blob(row, 14),
		.histogram_len = (size_t)sqlite3_column_bytes(row, 14),
	};

	if (!query_is_time(rollup.from_mono_ns) || !query_is_time(rollup.to_mono_ns))
		return -EUCLEAN;
	return visit(userdata, &rollup);
}

int query_visit_rollups(struct query *q, size_t series, int64_t from_mono_ns, int64_t to_mono_ns,
			query_rollup_fn visit, void *userdata)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	size_t first = series == QUERY_ALL_SERIES ? 0 : series;
	size_t end = series == QUERY_ALL_SERIES ? q->n_series : series + 1;
	int step = SQLITE_DONE;
	int r = 0;

	if (q->version < QUERY_ROLLUPS_SINCE)
		return 0;
	if (sqlite3_prepare_v2(q->db, select_rollups, -1, &row, NULL) != SQLITE_OK)
		return database_errno(q->db);
	(void)sqlite3_bind_int64(row, 2, from_mono_ns);
	(void)sqlite3_bind_int64(row, 3, to_mono_ns);
	for (size_t i = first; i < end && r == 0 && step == SQLITE_DONE; i++) {
		(void)sqlite3_bind_int64(row, 1, q->series[i].id);
		while (r == 0 && (step = sqlite3_step(row)) == SQLITE_ROW)
			r = show_rollup(q, i, row, visit, userdata);
		if (r == 0)
			(void)sqlite3_reset(row);
	}
	return r != 0 || step == SQLITE_DONE ? r : database_errno(q->db);
}

static enum severity parse_severity(const char *name)
{
	enum severity severity = 0;

	while (severity < SEVERITY_MAX && strcmp(severity_name(severity), name) != 0)
		severity++;
	return severity < SEVERITY_MAX ? severity : SEVERITY_INFO;
}

static const char *column_text(sqlite3_stmt *row, int column)
{
	const unsigned char *text = sqlite3_column_text(row, column);

	return text ? (const char *)text : "";
}

int query_visit_events(struct query *q, int64_t from_mono_ns, int64_t to_mono_ns,
		       query_event_fn visit, void *userdata)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int r = 0;
	int step;

	if (sqlite3_prepare_v2(q->db, select_events, -1, &row, NULL) != SQLITE_OK)
		return database_errno(q->db);
	(void)sqlite3_bind_int64(row, 1, q->run.id);
	(void)sqlite3_bind_int64(row, 2, from_mono_ns);
	(void)sqlite3_bind_int64(row, 3, to_mono_ns);
	while ((step = sqlite3_step(row)) == SQLITE_ROW && r == 0) {
		struct query_event e = {
			.id = sqlite3_column_int64(row, 6),
			.mono_ns = sqlite3_column_int64(row, 0),
			.severity = parse_severity(column_text(row, 1)),
			.code = event_code_parse(column_text(row, 2)),
			.code_name = column_text(row, 2),
			.subject = column_text(row, 3),
			.text = column_text(row, 4),
			.detail = column_text(row, 5),
		};

		r = query_is_time(e.mono_ns) ? visit(userdata, &e) : -EUCLEAN;
	}
	if (r != 0 || step == SQLITE_DONE)
		return r;
	return database_errno(q->db);
}
