/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/store/database.h"
#include "ptpmon/store/query_impl.h"

/* In the order of ids, as any scan of a table by a range of its ids is. */
static const char visit_samples[] =
	"SELECT visit_sample(series, mono_ns, value_ns, delay_ns, flags, missed, servo, freq_ppb) "
	"FROM sample "
	"WHERE id >= ?1 AND id < ?2";

static const char select_windows[] =
	"SELECT series, start_mono_ns, length_ns, count, min_ns, sum_ns, max_ns, overflows, "
	"missed, histogram FROM latency WHERE id >= ?1 AND id < ?2 "
	"AND start_mono_ns + length_ns > ?3 AND start_mono_ns < ?4 "
	"AND (?5 IS NULL OR series = ?5) ORDER BY id";

static const char select_rollups[] =
	"SELECT series, hour, phase, from_mono_ns, to_mono_ns, count, min, max, sum, sum_squares, "
	"overflows, missed, steps, unlocked, histogram FROM rollup WHERE series = ?1 "
	"AND to_mono_ns >= ?2 AND from_mono_ns < ?3 ORDER BY hour, from_mono_ns";

static const char select_events[] =
	"SELECT mono_ns, severity, code, subject, text, detail, id FROM event "
	"WHERE run = ?1 AND mono_ns >= ?2 AND mono_ns < ?3 ORDER BY mono_ns, id";

/* A visit on its way: the rows, and whom to show them. */
struct visit {
	struct query *q;
	sqlite3_stmt *row;
	void *userdata;
	query_sample_fn sample;
	query_window_fn window;
	struct latency_window *w; /* large, so not on the stack */
	size_t series;            /* the index that belongs to series_id */
	int64_t series_id;
	/* of samples: what is asked for, and what the last visitor said */
	size_t wanted;
	int64_t from_mono_ns, to_mono_ns;
	int result;
};

static int64_t known(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? SAMPLE_UNKNOWN
							       : sqlite3_column_int64(row, column);
}

/* The rows of one table from a time range, as ?1 and ?2, and perhaps some before and after it. */
static int select_range(struct visit *v, const char *sql, enum rows_table table,
			int64_t from_mono_ns, int64_t to_mono_ns)
{
	const struct rows *rows = &v->q->rows[table];
	int64_t first = 0;
	int64_t end = 0;
	int r = rows_find_first(v->q->db, rows, from_mono_ns, &first);

	if (r == 0)
		r = rows_find_end(v->q->db, rows, to_mono_ns, &end);
	if (r < 0)
		return r;
	if (sqlite3_prepare_v2(v->q->db, sql, -1, &v->row, NULL) != SQLITE_OK)
		return database_errno(v->q->db);
	(void)sqlite3_bind_int64(v->row, 1, first);
	(void)sqlite3_bind_int64(v->row, 2, end);
	return 0;
}

static int compare_id(const void *key, const void *element)
{
	int64_t id = *(const int64_t *)key;
	const struct query_series *s = element;

	return (id > s->id) - (id < s->id);
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
	return 0;
}

static int show_sample(struct visit *v, sqlite3_value **values)
{
	struct sample sample = {
		.mono_ns = sqlite3_value_int64(values[1]),
		.value = sqlite3_value_int64(values[2]),
		.delay_ns = sqlite3_value_type(values[3]) == SQLITE_NULL
				    ? SAMPLE_UNKNOWN
				    : sqlite3_value_int64(values[3]),
		.flags = (uint32_t)sqlite3_value_int64(values[4]),
		.missed = (uint32_t)sqlite3_value_int64(values[5]),
	};
	int r = find_series(v, sqlite3_value_int64(values[0]));

	if (r < 0)
		return r;
	if (sample.mono_ns < v->from_mono_ns || sample.mono_ns >= v->to_mono_ns ||
	    (v->wanted != QUERY_ALL_SERIES && v->wanted != v->series))
		return 0;
	if (!query_is_time(sample.mono_ns))
		return -EUCLEAN;
	if (sqlite3_value_type(values[6]) != SQLITE_NULL) {
		sample.flags |= SAMPLE_SERVO;
		sample.servo = (uint8_t)sqlite3_value_int64(values[6]);
		sample.freq_ppb = sqlite3_value_double(values[7]);
	}
	sample.series = (unsigned)v->series;
	return v->sample(v->userdata, &sample);
}

/* An aggregate that is fed by SQLite itself is three times as fast as a statement that is stepped.
 */
static void step_sample(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct visit *v = sqlite3_user_data(context);

	if (v->result == 0)
		v->result = show_sample(v, values);
	if (v->result != 0)
		sqlite3_result_error(context, "the visitor has seen enough", -1);
}

static void no_result(sqlite3_context *context)
{
	sqlite3_result_null(context);
}

static uint32_t cpu_of(const struct query_series *series)
{
	static const char prefix[] = "cpu ";
	const char *subject = series->subject;

	if (strncmp(subject, prefix, sizeof(prefix) - 1) != 0)
		return UINT32_MAX;
	return (uint32_t)strtoul(subject + sizeof(prefix) - 1, NULL, 10);
}

static int show_window(struct visit *v)
{
	struct latency_window *w = v->w;
	int64_t start_ns = sqlite3_column_int64(v->row, 1);
	int64_t length_ns = sqlite3_column_int64(v->row, 2);
	const void *bins = sqlite3_column_blob(v->row, 9);
	size_t len = (size_t)sqlite3_column_bytes(v->row, 9);

	if (len > sizeof(w->bins) || !query_is_time(start_ns) || !query_is_time(length_ns))
		return -EUCLEAN;
	w->cpu = cpu_of(&v->q->series[v->series]);
	w->start_mono_ns = start_ns;
	w->end_mono_ns = start_ns + length_ns;
	w->count = (uint64_t)sqlite3_column_int64(v->row, 3);
	w->min_ns = known(v->row, 4);
	w->sum_ns = sqlite3_column_int64(v->row, 5);
	w->max_ns = known(v->row, 6);
	w->overflow = (uint64_t)sqlite3_column_int64(v->row, 7);
	w->missed = (uint64_t)sqlite3_column_int64(v->row, 8);
	w->bins_len = len;
	if (len > 0)
		memcpy(w->bins, bins, len);
	return v->window(v->userdata, v->series, w);
}

static int show_rows(struct visit *v, int (*show)(struct visit *v))
{
	int step;

	while ((step = sqlite3_step(v->row)) == SQLITE_ROW) {
		int r = find_series(v, sqlite3_column_int64(v->row, 0));

		if (r == 0)
			r = show(v);
		if (r != 0)
			return r;
	}
	return step == SQLITE_DONE ? 0 : database_errno(v->q->db);
}

int query_visit_samples(struct query *q, size_t series, int64_t from_mono_ns, int64_t to_mono_ns,
			query_sample_fn visit, void *userdata)
{
	struct visit v = {
		.q = q,
		.sample = visit,
		.userdata = userdata,
		.wanted = series,
		.from_mono_ns = from_mono_ns,
		.to_mono_ns = to_mono_ns,
	};
	int step;
	int r;

	if (sqlite3_create_function(q->db, "visit_sample", 8, SQLITE_UTF8 | SQLITE_DIRECTONLY, &v,
				    NULL, step_sample, no_result) != SQLITE_OK)
		return database_errno(q->db);
	r = select_range(&v, visit_samples, ROWS_SAMPLE, from_mono_ns, to_mono_ns);
	if (r < 0)
		return r;
	step = sqlite3_step(v.row);
	if (v.result == 0 && step != SQLITE_ROW)
		v.result = database_errno(q->db);
	(void)sqlite3_finalize(v.row);
	return v.result;
}

int query_visit_windows(struct query *q, size_t series, int64_t from_mono_ns, int64_t to_mono_ns,
			query_window_fn visit, void *userdata)
{
	struct visit v = {
		.q = q,
		.window = visit,
		.userdata = userdata,
		.w = calloc(1, sizeof(*v.w)),
	};
	int r;

	if (!v.w)
		return -ENOMEM;
	r = select_range(&v, select_windows, ROWS_LATENCY, from_mono_ns, to_mono_ns);
	if (r == 0) {
		(void)sqlite3_bind_int64(v.row, 3, from_mono_ns);
		(void)sqlite3_bind_int64(v.row, 4, to_mono_ns);
		if (series != QUERY_ALL_SERIES)
			(void)sqlite3_bind_int64(v.row, 5, q->series[series].id);
		r = show_rows(&v, show_window);
	}
	(void)sqlite3_finalize(v.row);
	free(v.w);
	return r;
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
		.min = known(row, 6),
		.max = known(row, 7),
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
