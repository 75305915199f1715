/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/writer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/model/event.h"
#include "ptpmon/store/usage.h"

enum statement {
	BEGIN,
	COMMIT,
	ROLLBACK,
	INSERT_SERIES,
	SELECT_SERIES,
	INSERT_SAMPLE,
	INSERT_LATENCY,
	INSERT_EVENT,
	INSERT_ANCHOR,
	INSERT_MARK,
	INSERT_VERDICT,
	INSERT_PHASE,
	END_PHASE,
	END_RUN,
	UPDATE_ORDER,
	UPDATE_COST,
	STATEMENT_MAX
};

/* Where a row belongs to the run, the run is ?1. */
/* clang-format off */
static const char *const statement_sql[] = {
	[BEGIN]          = "BEGIN IMMEDIATE",
	[COMMIT]         = "COMMIT",
	[ROLLBACK]       = "ROLLBACK",
	[INSERT_SERIES]  = "INSERT INTO series (run, kind, source, subject, unit) VALUES (?1, ?2, ?3, ?4, ?5) "
	                   "ON CONFLICT DO NOTHING",
	[SELECT_SERIES]  = "SELECT id FROM series WHERE run = ?1 AND kind = ?2 AND source = ?3 AND subject = ?4",
	[INSERT_SAMPLE]  = "INSERT INTO sample (id, series, mono_ns, value_ns, delay_ns, freq_ppb, servo, flags, "
	                   "missed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
	[INSERT_LATENCY] = "INSERT INTO latency (id, series, start_mono_ns, length_ns, count, min_ns, sum_ns, max_ns, "
	                   "overflows, missed, histogram) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
	[INSERT_EVENT]   = "INSERT INTO event (run, mono_ns, severity, code, subject, text, detail) "
	                   "VALUES (?1, ?2, ?3, ?4, ?5, ?6, nullif(?7, ''))",
	[INSERT_ANCHOR]  = "INSERT OR REPLACE INTO clock_map (run, mono_ns, raw_ns, utc_ns, tai_offset_s, "
	                   "uncertainty_ns, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[INSERT_MARK]    = "INSERT INTO mark (run, mono_ns, text, who) VALUES (?1, ?2, ?3, ?4)",
	[INSERT_VERDICT] = "INSERT INTO verdict (run, mono_ns, plan, phase, criterion, limit_value, measured, pass, "
	                   "reason, who) VALUES (?1, ?2, ?3, nullif(?4, ''), ?5, ?6, ?7, ?8, nullif(?9, ''), ?10)",
	[INSERT_PHASE]   = "INSERT INTO phase (run, start_mono_ns, name) VALUES (?1, ?2, ?3)",
	[END_PHASE]      = "UPDATE phase SET end_mono_ns = ?2 WHERE run = ?1 AND end_mono_ns IS NULL",
	[END_RUN]        = "UPDATE run SET end_mono_ns = ?2, how = ?3 WHERE id = ?1",
	[UPDATE_ORDER]   = "UPDATE run SET sample_late_ns = ?2, latency_late_ns = ?3, latency_longest_ns = ?4 "
	                   "WHERE id = ?1",
	[UPDATE_COST]    = "UPDATE run SET data_bytes = ?2, written_bytes = ?3 WHERE id = ?1",
};
/* clang-format on */

struct writer {
	sqlite3 *db;
	bool cost_due;
	struct run run;
	int64_t series_id[STORE_SERIES_MAX];
	size_t n_series;
	sqlite3_stmt *statements[STATEMENT_MAX];
};

int writer_new(struct writer **out, sqlite3 *db, const struct run *run)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->db = db;
	w->run = *run;
	for (int i = 0; i < STATEMENT_MAX; i++)
		if (sqlite3_prepare_v3(db, statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &w->statements[i], NULL) != SQLITE_OK) {
			int r = database_errno(db);

			(void)writer_free(w);
			return r;
		}
	*out = w;
	return 0;
}

struct writer *writer_free(struct writer *w)
{
	if (w)
		for (int i = 0; i < STATEMENT_MAX; i++)
			(void)sqlite3_finalize(w->statements[i]);
	free(w);
	return NULL;
}

size_t writer_series(const struct writer *w)
{
	return w->n_series;
}

const char *writer_phase(const struct writer *w)
{
	return w->run.phase;
}

static void bind(sqlite3_stmt *s, int at, int64_t value)
{
	(void)sqlite3_bind_int64(s, at, value);
}

/* SAMPLE_UNKNOWN, which TIME_UNKNOWN is as well, becomes NULL. */
static void bind_known(sqlite3_stmt *s, int at, int64_t value)
{
	if (value == SAMPLE_UNKNOWN)
		(void)sqlite3_bind_null(s, at);
	else
		bind(s, at, value);
}

/* The text stays where it is until the statement is run. */
static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
	(void)sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

/* The statement, for a row of the run at a moment. */
static sqlite3_stmt *at_moment(struct writer *w, enum statement statement, int64_t mono_ns)
{
	bind(w->statements[statement], 1, w->run.id);
	bind(w->statements[statement], 2, mono_ns);
	return w->statements[statement];
}

static int run_statement(struct writer *w, enum statement statement)
{
	sqlite3_stmt *s = w->statements[statement];
	int step;
	int r;

	errno = 0; /* for database_explain() */
	step = sqlite3_step(s);
	r = step == SQLITE_DONE || step == SQLITE_ROW ? 0 : database_errno(w->db);
	(void)sqlite3_reset(s);
	return r;
}

/* The id of the next row; keeps what a row's place says about the order of the table. */
static int64_t take_id(struct run *run, enum rows_table table, int64_t mono_ns, int64_t length_ns)
{
	struct rows *rows = &run->rows[table];
	int64_t *newest_ns = &run->newest_ns[table];

	if (mono_ns >= *newest_ns)
		*newest_ns = mono_ns;
	else if (*newest_ns - mono_ns > rows->late_ns)
		rows->late_ns = *newest_ns - mono_ns;
	if (length_ns > rows->longest_ns)
		rows->longest_ns = length_ns;
	return rows->end++;
}

static int write_sample(struct writer *w, const struct record *record)
{
	const struct sample *sample = (const void *)record->payload;
	sqlite3_stmt *s = w->statements[INSERT_SAMPLE];

	bind(s, 1, take_id(&w->run, ROWS_SAMPLE, sample->mono_ns, 0));
	bind(s, 2, w->series_id[sample->series]);
	bind(s, 3, sample->mono_ns);
	bind(s, 4, sample->value);
	bind_known(s, 5, sample->delay_ns);
	if (sample->flags & SAMPLE_SERVO) {
		(void)sqlite3_bind_double(s, 6, sample->freq_ppb);
		bind(s, 7, sample->servo);
	} else {
		(void)sqlite3_bind_null(s, 6);
		(void)sqlite3_bind_null(s, 7);
	}
	bind(s, 8, sample->flags & ~(uint32_t)SAMPLE_SERVO);
	bind(s, 9, sample->missed);
	return run_statement(w, INSERT_SAMPLE);
}

static int write_window(struct writer *w, const struct record *record)
{
	const struct window_record *queued = (const void *)record->payload;
	const struct latency_window *window = &queued->window;
	int64_t length_ns = window->end_mono_ns - window->start_mono_ns;
	sqlite3_stmt *s = w->statements[INSERT_LATENCY];

	bind(s, 1, take_id(&w->run, ROWS_LATENCY, window->start_mono_ns, length_ns));
	bind(s, 2, w->series_id[queued->series]);
	bind(s, 3, window->start_mono_ns);
	bind(s, 4, length_ns);
	bind(s, 5, (int64_t)window->count);
	bind_known(s, 6, window->count > 0 ? window->min_ns : SAMPLE_UNKNOWN);
	bind(s, 7, window->sum_ns);
	bind_known(s, 8, window->count > 0 ? window->max_ns : SAMPLE_UNKNOWN);
	bind(s, 9, (int64_t)window->overflow);
	bind(s, 10, (int64_t)window->missed);
	(void)sqlite3_bind_blob64(s, 11, window->bins, window->bins_len, SQLITE_STATIC);
	return run_statement(w, INSERT_LATENCY);
}

static int write_event(struct writer *w, const struct record *record)
{
	const struct event *e = (const void *)record->payload;
	sqlite3_stmt *s = at_moment(w, INSERT_EVENT, e->mono_ns);

	bind_text(s, 3, severity_name(e->severity));
	bind_text(s, 4, event_code_name(e->code));
	bind_text(s, 5, e->subject);
	bind_text(s, 6, e->text);
	bind_text(s, 7, e->detail);
	return run_statement(w, INSERT_EVENT);
}

static int write_anchor(struct writer *w, const struct record *record)
{
	const struct clock_anchor *a = (const void *)record->payload;
	sqlite3_stmt *s = at_moment(w, INSERT_ANCHOR, a->mono_ns);

	bind(s, 3, a->raw_ns);
	bind(s, 4, a->utc_ns);
	bind_known(s, 5, a->tai_offset_s);
	bind(s, 6, a->uncertainty_ns);
	bind_text(s, 7, anchor_reason_name(a->reason));
	return run_statement(w, INSERT_ANCHOR);
}

static int write_mark(struct writer *w, const struct record *record)
{
	const char *text = (const char *)record->payload;
	sqlite3_stmt *s = at_moment(w, INSERT_MARK, record->mono_ns);

	bind_text(s, 3, text);
	bind_text(s, 4, text + strlen(text) + 1);
	return run_statement(w, INSERT_MARK);
}

/* NAN is stored as NULL. */
static int write_verdict(struct writer *w, const struct record *record)
{
	const struct verdict_record *v = (const void *)record->payload;
	sqlite3_stmt *s = at_moment(w, INSERT_VERDICT, record->mono_ns);

	bind_text(s, 3, v->plan);
	bind_text(s, 4, v->phase);
	bind_text(s, 5, v->criterion);
	(void)sqlite3_bind_double(s, 6, v->limit);
	(void)sqlite3_bind_double(s, 7, v->measured);
	bind_known(s, 8, v->pass == VERDICT_INCONCLUSIVE ? SAMPLE_UNKNOWN : v->pass);
	bind_text(s, 9, v->reason);
	bind_text(s, 10, v->who);
	return run_statement(w, INSERT_VERDICT);
}

static int end_phase(struct writer *w, const struct record *record)
{
	w->run.phase[0] = '\0';
	(void)at_moment(w, END_PHASE, record->mono_ns);
	return run_statement(w, END_PHASE);
}

static int begin_phase(struct writer *w, const struct record *record)
{
	int r = end_phase(w, record);

	if (r < 0)
		return r;
	(void)snprintf(w->run.phase, sizeof(w->run.phase), "%s", (const char *)record->payload);
	bind_text(at_moment(w, INSERT_PHASE, record->mono_ns), 3, (const char *)record->payload);
	return run_statement(w, INSERT_PHASE);
}

static int end_run(struct writer *w, const struct record *record)
{
	int r = end_phase(w, record);

	if (r < 0)
		return r;
	bind_text(at_moment(w, END_RUN, record->mono_ns), 3, (const char *)record->payload);
	return run_statement(w, END_RUN);
}

/* clang-format off */
static int (*const write_record[RECORD_KIND_MAX])(struct writer *w, const struct record *record) = {
	[RECORD_SAMPLE]      = write_sample,
	[RECORD_WINDOW]      = write_window,
	[RECORD_EVENT]       = write_event,
	[RECORD_ANCHOR]      = write_anchor,
	[RECORD_MARK]        = write_mark,
	[RECORD_VERDICT]     = write_verdict,
	[RECORD_PHASE_BEGIN] = begin_phase,
	[RECORD_PHASE_END]   = end_phase,
	[RECORD_RUN_END]     = end_run,
};
/* clang-format on */

/* A series of a resumed run is there already. */
static int write_series(struct writer *w, const struct series *series)
{
	sqlite3_stmt *select = w->statements[SELECT_SERIES];
	int r;

	for (enum statement s = INSERT_SERIES; s <= SELECT_SERIES; s++) {
		bind(w->statements[s], 1, w->run.id);
		bind_text(w->statements[s], 2, series_kind_name(series->kind));
		bind_text(w->statements[s], 3, series->source);
		bind_text(w->statements[s], 4, series->subject);
	}
	bind_text(w->statements[INSERT_SERIES], 5, series->unit);
	r = run_statement(w, INSERT_SERIES);
	if (r < 0)
		return r;
	if (sqlite3_step(select) == SQLITE_ROW)
		w->series_id[w->n_series++] = sqlite3_column_int64(select, 0);
	else
		r = database_errno(w->db);
	(void)sqlite3_reset(select);
	return r;
}

/* Written when it grew, which is seldom: a row more in every flush would cost flash. */
static int write_order(struct writer *w, const struct run *before)
{
	const struct rows *samples = &w->run.rows[ROWS_SAMPLE];
	const struct rows *windows = &w->run.rows[ROWS_LATENCY];

	if (samples->late_ns == before->rows[ROWS_SAMPLE].late_ns &&
	    windows->late_ns == before->rows[ROWS_LATENCY].late_ns &&
	    windows->longest_ns == before->rows[ROWS_LATENCY].longest_ns)
		return 0;
	bind(w->statements[UPDATE_ORDER], 3, windows->late_ns);
	bind(w->statements[UPDATE_ORDER], 4, windows->longest_ns);
	(void)at_moment(w, UPDATE_ORDER, samples->late_ns);
	return run_statement(w, UPDATE_ORDER);
}

void writer_set_cost(struct writer *w, int64_t data_bytes, int64_t written_bytes)
{
	w->run.data_bytes = data_bytes;
	w->run.written_bytes = written_bytes;
	w->cost_due = true;
}

/* With what this transaction adds to the file. */
static int write_cost(struct writer *w, int64_t used_before)
{
	const struct usage usage = {.db = w->db};
	int64_t file;
	int64_t used;
	int r;

	if (!w->cost_due)
		return 0;
	r = usage_file(&usage, &file, &used);
	if (r < 0)
		return r;
	bind_known(w->statements[UPDATE_COST], 3,
		   w->run.written_bytes < 0 ? SAMPLE_UNKNOWN : w->run.written_bytes);
	(void)at_moment(w, UPDATE_COST, w->run.data_bytes + used - used_before);
	return run_statement(w, UPDATE_COST);
}

static int write_all(struct writer *w, const struct series *series, size_t n_series,
		     const struct queue_entry *entries, size_t n)
{
	const struct usage usage = {.db = w->db};
	const struct run before = w->run;
	int64_t file;
	int64_t used = 0;
	int r = run_statement(w, BEGIN);

	if (r == 0)
		r = usage_file(&usage, &file, &used);
	while (r == 0 && w->n_series < n_series)
		r = write_series(w, &series[w->n_series]);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = write_record[entries[i].record->kind](w, entries[i].record);
	if (r == 0)
		r = write_order(w, &before);
	if (r == 0)
		r = write_cost(w, used);
	if (r == 0)
		r = run_statement(w, COMMIT);
	return r;
}

int writer_commit(struct writer *w, const struct series *series, size_t n_series,
		  const struct queue_entry *entries, size_t n, char why[static DATABASE_ERROR_MAX])
{
	const struct run run_before = w->run;
	size_t series_before = w->n_series;
	int r = write_all(w, series, n_series, entries, n);

	if (r == 0) {
		w->cost_due = false;
		return 0;
	}
	database_explain(w->db, sqlite3_db_filename(w->db, "main"), why);
	if (!sqlite3_get_autocommit(w->db))
		(void)run_statement(w, ROLLBACK);
	w->run = run_before;
	w->n_series = series_before;
	return r;
}
