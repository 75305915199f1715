/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/retention.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/store/ages.h"
#include "ptpmon/store/rollup.h"
#include "ptpmon/store/run.h"

/* Reading rows for so long; removing them and writing the hours takes about as long again. */
#define SLICE_NS (6 * NSEC_PER_MSEC)

enum {
	SLICE_ROWS_MAX = 20000, /* whatever the clock says */
	REMOVE_ROWS = 2000,     /* of events and anchors, in one slice */
	VACUUM_PAGES = 256,     /* given back in one slice */
	SAMPLE_BYTES = 34,      /* about what a row takes in the file */
	WINDOW_BYTES = 110,
};

#define TRIM_MARGIN_MIN (1 << 20)
#define FREE_TOO_LARGE  (64 << 20) /* and more than a quarter of the file */
#define HOURS_EVERY_NS  (60 * NSEC_PER_SEC)

/* The oldest row of a table. */
struct head {
	bool exists;
	int64_t id, run, mono_ns;
};

enum part { PART_SAMPLE, PART_LATENCY, PART_ROLLUP, PART_EVENT, PART_ANCHOR, PART_MAX };

/* clang-format off */
static const char *const head_sql[PART_MAX] = {
	[PART_SAMPLE]  = "SELECT t.id, e.run, t.mono_ns FROM sample AS t LEFT JOIN series AS e ON e.id = t.series "
	                 "ORDER BY t.id LIMIT 1",
	[PART_LATENCY] = "SELECT t.id, e.run, t.start_mono_ns FROM latency AS t "
	                 "LEFT JOIN series AS e ON e.id = t.series ORDER BY t.id LIMIT 1",
	[PART_ROLLUP]  = "SELECT e.id, e.run, (SELECT min(hour) * 3600000000000 FROM rollup WHERE series = e.id) AS t "
	                 "FROM series AS e WHERE t IS NOT NULL ORDER BY e.run, t LIMIT 1",
	[PART_EVENT]   = "SELECT id, run, mono_ns FROM event ORDER BY id LIMIT 1",
	[PART_ANCHOR]  = "SELECT 0, run, mono_ns FROM clock_map WHERE reason <> 'start' ORDER BY run, mono_ns LIMIT 1",
};

/* Of one run, before a moment (?2), at most ?3 rows. */
static const char *const remove_sql[PART_MAX] = {
	[PART_ROLLUP]  = "DELETE FROM rollup WHERE series IN (SELECT id FROM series WHERE run = ?1) "
	                 "AND hour < ?2 / 3600000000000",
	[PART_EVENT]   = "DELETE FROM event WHERE id >= ?4 AND id < ?4 + ?3 AND run = ?1 AND mono_ns <= ?2",
	[PART_ANCHOR]  = "DELETE FROM clock_map WHERE run = ?1 AND mono_ns IN (SELECT mono_ns FROM clock_map "
	                 "WHERE run = ?1 AND mono_ns < ?2 AND reason <> 'start' ORDER BY mono_ns LIMIT ?3)",
};

/* From an id on, in the order of ids; and the removal up to an id. */
static const char *const rows_sql[][2] = {
	[PART_SAMPLE]  = { "SELECT id, series, mono_ns, value_ns, flags, missed FROM sample WHERE id >= ?1 ORDER BY id",
	                   "DELETE FROM sample WHERE id <= ?1" },
	[PART_LATENCY] = { "SELECT id, series, start_mono_ns, length_ns, count, min_ns, sum_ns, max_ns, overflows, "
	                   "missed, histogram FROM latency WHERE id >= ?1 ORDER BY id",
	                   "DELETE FROM latency WHERE id <= ?1" },
};
/* clang-format on */

struct retention {
	struct usage usage;
	struct store_retention policy;
	struct rollup *rollup;
	struct latency_window *window; /* large, so not on the stack */
	struct ages *ages;
	bool trimming;
	int64_t hours_due_mono_ns; /* when to look for old hours again */
};

DEFINE_FREEP(struct retention, retention_free)

struct retention *retention_free(struct retention *r)
{
	if (!r)
		return NULL;
	(void)rollup_free(r->rollup);
	free(r->window);
	(void)ages_free(r->ages);
	free(r);
	return NULL;
}

static int prepare(struct retention *r, const char *sql, sqlite3_stmt **out)
{
	return sqlite3_prepare_v2(r->usage.db, sql, -1, out, NULL) == SQLITE_OK
		       ? 0
		       : database_errno(r->usage.db);
}

int retention_new(struct retention **out, const struct usage *usage,
		  const struct store_retention *policy, int64_t run)
{
	CLEANUP(retention_freep) struct retention *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return -ENOMEM;
	r->usage = *usage;
	r->policy = *policy;
	r->window = calloc(1, sizeof(*r->window));
	if (!r->window)
		return -ENOMEM;
	ret = rollup_new(&r->rollup, usage->db);
	if (ret == 0)
		ret = ages_new(&r->ages, usage->db, run);
	if (ret == 0)
		ret = usage_apply_limit(usage);
	if (ret < 0)
		return ret;
	*out = steal(&r);
	return 0;
}

/* Whole hours only, else each flush would rewrite the hour that has just begun to age. */
static int64_t whole_hours_ns(int64_t mono_ns)
{
	return mono_ns == INT64_MAX || mono_ns < 0 ? mono_ns
						   : mono_ns / ROLLUP_HOUR_NS * ROLLUP_HOUR_NS;
}

static int find_head(struct retention *r, enum part part, struct head *out)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int ret = prepare(r, head_sql[part], &row);
	int step;

	*out = (struct head){0};
	if (ret < 0)
		return ret;
	step = sqlite3_step(row);
	if (step != SQLITE_ROW)
		return step == SQLITE_DONE ? 0 : database_errno(r->usage.db);
	out->exists = true;
	out->id = sqlite3_column_int64(row, 0);
	out->run = sqlite3_column_int64(row, 1);
	out->mono_ns = sqlite3_column_int64(row, 2);
	return 0;
}

static int64_t known(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? SAMPLE_UNKNOWN
							       : sqlite3_column_int64(row, column);
}

static int roll_sample(struct retention *r, int64_t run, sqlite3_stmt *row)
{
	struct sample s = {
		.mono_ns = sqlite3_column_int64(row, 2),
		.value = sqlite3_column_int64(row, 3),
		.flags = (uint32_t)sqlite3_column_int64(row, 4),
		.missed = (uint32_t)sqlite3_column_int64(row, 5),
	};

	return rollup_add_sample(r->rollup, run, sqlite3_column_int64(row, 1), &s);
}

static int roll_window(struct retention *r, int64_t run, sqlite3_stmt *row)
{
	struct latency_window *w = r->window;
	size_t len = (size_t)sqlite3_column_bytes(row, 10);
	const void *bins = sqlite3_column_blob(row, 10);
	int64_t length_ns = sqlite3_column_int64(row, 3);

	if (len > sizeof(w->bins))
		return -EUCLEAN;
	w->start_mono_ns = sqlite3_column_int64(row, 2);
	if (__builtin_add_overflow(w->start_mono_ns, length_ns, &w->end_mono_ns))
		return -EUCLEAN;
	w->count = (uint64_t)sqlite3_column_int64(row, 4);
	w->min_ns = known(row, 5);
	w->sum_ns = sqlite3_column_int64(row, 6);
	w->max_ns = known(row, 7);
	w->overflow = (uint64_t)sqlite3_column_int64(row, 8);
	w->missed = (uint64_t)sqlite3_column_int64(row, 9);
	w->bins_len = len;
	if (len > 0)
		memcpy(w->bins, bins, len);
	return rollup_add_window(r->rollup, run, sqlite3_column_int64(row, 1), w);
}

/*
 * Adds rows of the head's run to their hours, while they are before the moment. A row that makes
 * no sense goes without a trace in its hour: it would else stop all others for ever.
 */
static int roll_rows(struct retention *r, enum part part, const struct head *head,
		     int64_t before_mono_ns, int64_t *last_id, uint64_t *rows)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	int64_t until_ns = nsec_now(CLOCK_MONOTONIC) + SLICE_NS;
	int64_t next_run_id = head->id + 1; /* of a run that is not known, one at a time */
	struct rows at[ROWS_TABLE_MAX];
	int ret = prepare(r, rows_sql[part][0], &row);
	int step = SQLITE_DONE;

	if (ret == 0 && run_locate(r->usage.db, head->run, at) == 0)
		next_run_id = at[part == PART_SAMPLE ? ROWS_SAMPLE : ROWS_LATENCY].end;
	if (ret < 0)
		return ret;
	(void)sqlite3_bind_int64(row, 1, head->id);
	*rows = 0;
	while (*rows < SLICE_ROWS_MAX && (step = sqlite3_step(row)) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(row, 0);

		if (*rows > 0 &&
		    (id >= next_run_id || sqlite3_column_int64(row, 2) >= before_mono_ns))
			break;
		ret = part == PART_SAMPLE ? roll_sample(r, head->run, row)
					  : roll_window(r, head->run, row);
		if (ret < 0 && ret != -EUCLEAN)
			return ret;
		*last_id = id;
		++*rows;
		if (*rows % 64 == 0 && nsec_now(CLOCK_MONOTONIC) > until_ns)
			break;
	}
	return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : database_errno(r->usage.db);
}

static int remove_up_to(struct retention *r, enum part part, int64_t id)
{
	CLEANUP(database_finalizep) sqlite3_stmt *remove = NULL;
	int ret = prepare(r, rows_sql[part][1], &remove);

	if (ret < 0)
		return ret;
	(void)sqlite3_bind_int64(remove, 1, id);
	return sqlite3_step(remove) == SQLITE_DONE ? 0 : database_errno(r->usage.db);
}

static int roll_up(struct retention *r, enum part part, const struct head *head,
		   int64_t before_mono_ns, struct retention_progress *progress)
{
	int64_t last_id = head->id;
	uint64_t rows = 0;
	int ret = roll_rows(r, part, head, before_mono_ns, &last_id, &rows);

	/* removed first: a full file has the pages then that the hours need */
	if (ret == 0)
		ret = remove_up_to(r, part, last_id);
	if (ret == 0)
		ret = rollup_write(r->rollup);
	if (ret == 0)
		progress->rows += rows;
	return ret;
}

/* Removes the hour of the head, or the events or anchors in it. */
static int remove_hour(struct retention *r, enum part part, const struct head *head,
		       struct retention_progress *progress)
{
	CLEANUP(database_finalizep) sqlite3_stmt *remove = NULL;
	int64_t hour_end_ns = INT64_MAX;
	int ret = prepare(r, remove_sql[part], &remove);

	if (ret < 0)
		return ret;
	(void)sqlite3_bind_int64(remove, 1, head->run);
	if (head->mono_ns < INT64_MAX - ROLLUP_HOUR_NS)
		hour_end_ns = (head->mono_ns / ROLLUP_HOUR_NS + 1) * ROLLUP_HOUR_NS;
	(void)sqlite3_bind_int64(remove, 2, hour_end_ns);
	if (part != PART_ROLLUP)
		(void)sqlite3_bind_int64(remove, 3, REMOVE_ROWS);
	if (part == PART_EVENT)
		(void)sqlite3_bind_int64(remove, 4, head->id);
	if (sqlite3_step(remove) != SQLITE_DONE)
		return database_errno(r->usage.db);
	progress->hours += part == PART_ROLLUP;
	return 0;
}

/* What a slice does: one part of the record loses its oldest. */
struct slice {
	enum part part; /* PART_MAX: give pages back */
	struct head head;
	int64_t before_mono_ns;
	bool before_time; /* the file is near its limit */
};

static bool is_older(const struct head *a, const struct head *b)
{
	if (!a->exists || !b->exists)
		return a->exists;
	return a->run != b->run ? a->run < b->run : a->mono_ns < b->mono_ns;
}

/* The part of [from, to) with the oldest head; *out is left alone where all are empty. */
static int find_oldest(struct retention *r, enum part from, enum part to, struct slice *out)
{
	struct head oldest = {0};

	for (enum part part = from; part < to; part++) {
		struct head head;
		int ret = find_head(r, part, &head);

		if (ret < 0)
			return ret;
		if (!is_older(&head, &oldest))
			continue;
		oldest = head;
		*out = (struct slice){part, head, INT64_MAX, true};
	}
	return oldest.exists;
}

/* Rows, then hours, that are older than they may be. 1 if there are, 0, or -errno. */
static int find_aged(struct retention *r, enum part from, enum part to, int64_t age_ns,
		     int64_t now_mono_ns, struct slice *out)
{
	for (enum part part = from; part < to; part++) {
		struct head head;
		int64_t before_ns;
		int ret = find_head(r, part, &head);

		if (ret < 0)
			return ret;
		if (!head.exists)
			continue;
		before_ns =
			whole_hours_ns(ages_older_before(r->ages, head.run, now_mono_ns, age_ns));
		if (head.mono_ns >= before_ns)
			continue;
		*out = (struct slice){part, head, before_ns, false};
		return 1;
	}
	return 0;
}

/* An estimate of what the rows take, from their ids. 0, or -errno. */
static int measure_rows(struct retention *r, int64_t *bytes)
{
	int64_t samples = 0;
	int64_t windows = 0;
	int ret = database_int(r->usage.db,
			       "SELECT (SELECT max(id) FROM sample) - (SELECT min(id) FROM sample)",
			       &samples);

	if (ret == 0)
		ret = database_int(
			r->usage.db,
			"SELECT (SELECT max(id) FROM latency) - (SELECT min(id) FROM latency)",
			&windows);
	*bytes = samples * SAMPLE_BYTES + windows * WINDOW_BYTES;
	return ret;
}

/* What has to go because the file is near its limit. 1 if anything, 0, or -errno. */
static int find_in_the_way(struct retention *r, struct slice *out)
{
	int64_t limit = usage_file_limit(&r->usage);
	int64_t margin = limit / 64 > TRIM_MARGIN_MIN ? limit / 64 : TRIM_MARGIN_MIN;
	int64_t bytes;
	int64_t used;
	int64_t rows_bytes = 0;
	int ret = usage_file(&r->usage, &bytes, &used);

	if (ret < 0 || limit == INT64_MAX)
		return ret;
	r->trimming = used > limit - (r->trimming ? 2 * margin : margin);
	if (!r->trimming)
		return 0;
	ret = measure_rows(r, &rows_bytes);
	if (ret == 0 && rows_bytes < used / 2)
		ret = find_oldest(r, PART_ROLLUP, PART_MAX, out);
	if (ret == 0)
		ret = find_oldest(r, PART_SAMPLE, PART_ROLLUP, out);
	return ret;
}

/* Whether the file is to shrink: 1, 0, or -errno. */
static int is_too_large(struct retention *r)
{
	int64_t bytes;
	int64_t used;
	int ret = usage_file(&r->usage, &bytes, &used);

	if (ret < 0 || bytes == used)
		return ret;
	return bytes > usage_file_limit(&r->usage) ||
	       (bytes - used > FREE_TOO_LARGE && bytes - used > bytes / 4);
}

static int find_slice(struct retention *r, int64_t now_mono_ns, struct slice *out)
{
	int ret = find_aged(r, PART_SAMPLE, PART_ROLLUP, r->policy.raw_ns, now_mono_ns, out);

	if (ret == 0)
		ret = find_in_the_way(r, out);
	if (ret == 0 && now_mono_ns >= r->hours_due_mono_ns) {
		ret = find_aged(r, PART_ROLLUP, PART_MAX, r->policy.rollup_ns, now_mono_ns, out);
		if (ret == 0)
			r->hours_due_mono_ns = now_mono_ns + HOURS_EVERY_NS;
	}
	if (ret == 0) {
		out->part = PART_MAX;
		ret = is_too_large(r);
	}
	return ret;
}

/* SQLite takes the size of a file that was too large as its limit: it follows it down. */
static int give_back(struct retention *r)
{
	char sql[64];

	(void)snprintf(sql, sizeof(sql), "PRAGMA incremental_vacuum(%d)", VACUUM_PAGES);
	if (sqlite3_exec(r->usage.db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return database_errno(r->usage.db);
	return usage_apply_limit(&r->usage);
}

static int do_slice(struct retention *r, const struct slice *slice,
		    struct retention_progress *progress)
{
	switch (slice->part) {
	case PART_SAMPLE:
	case PART_LATENCY:
		return roll_up(r, slice->part, &slice->head, slice->before_mono_ns, progress);
	case PART_ROLLUP:
	case PART_EVENT:
	case PART_ANCHOR:
		return remove_hour(r, slice->part, &slice->head, progress);
	case PART_MAX:
		break;
	}
	return give_back(r);
}

static int exec(struct retention *r, const char *sql)
{
	return sqlite3_exec(r->usage.db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : database_errno(r->usage.db);
}

int retention_step(struct retention *r, int64_t now_mono_ns, struct retention_progress *progress,
		   char why[static DATABASE_ERROR_MAX])
{
	struct retention_progress after = *progress;
	struct slice slice = {.part = PART_MAX};
	int changes = sqlite3_total_changes(r->usage.db);
	int ret = find_slice(r, now_mono_ns, &slice);

	if (ret == 0)
		return 0;
	if (ret > 0)
		ret = usage_make_room(&r->usage, 0, why);
	if (ret == -ENOSPC)
		return 0; /* nobody is to read for so long; the next flush will say so */
	if (ret == 0)
		ret = exec(r, "BEGIN IMMEDIATE");
	if (ret == 0)
		ret = do_slice(r, &slice, &after);
	if (ret == 0)
		ret = exec(r, "COMMIT");
	if (ret < 0) {
		database_explain(r->usage.db, sqlite3_db_filename(r->usage.db, "main"), why);
		rollup_forget(r->rollup);
		if (!sqlite3_get_autocommit(r->usage.db))
			(void)exec(r, "ROLLBACK");
		return ret;
	}
	after.before_time = slice.before_time;
	*progress = after;
	/* what makes no sense may be found for ever and never removed: that is no work */
	return slice.part == PART_MAX || sqlite3_total_changes(r->usage.db) != changes;
}
