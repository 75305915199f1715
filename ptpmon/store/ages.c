/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/ages.h"

#include <errno.h>
#include <stdlib.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/store/database.h"
#include "ptpmon/store/run.h"

/* 36 years: a time, or a sum, that is larger makes no sense, and overflows nothing as it is. */
#define TIME_MAX_NS (INT64_C(1) << 60)

struct known_run {
	int64_t id;
	int64_t start_ns, end_ns;
	int64_t after_ns; /* what the runs after it recorded, without the one going on */
};

struct ages {
	size_t n;
	struct known_run runs[];
};

struct ages *ages_free(struct ages *a)
{
	free(a);
	return NULL;
}

/* When a run that never ended was last heard of; its start for one that makes no sense. */
static int64_t last_heard_ns(sqlite3 *db, const struct known_run *run)
{
	struct rows rows[ROWS_TABLE_MAX];
	int64_t newest_ns;

	if (run_locate(db, run->id, rows) < 0 || run_newest(db, run->id, rows, &newest_ns) < 0)
		return run->start_ns;
	return newest_ns;
}

static void load_run(struct known_run *run, sqlite3 *db, sqlite3_stmt *row, int64_t current)
{
	run->id = sqlite3_column_int64(row, 0);
	run->start_ns = sqlite3_column_int64(row, 1);
	run->end_ns = sqlite3_column_type(row, 2) == SQLITE_NULL ? last_heard_ns(db, run)
								 : sqlite3_column_int64(row, 2);
	if (run->start_ns < 0 || run->start_ns > TIME_MAX_NS)
		run->start_ns = 0;
	if (run->end_ns < run->start_ns || run->end_ns > TIME_MAX_NS || run->id == current)
		run->end_ns = run->start_ns;
}

int ages_new(struct ages **out, sqlite3 *db, int64_t current)
{
	CLEANUP(database_finalizep) sqlite3_stmt *row = NULL;
	struct ages *a;
	int64_t n = 0;
	int r = database_int(db, "SELECT count(*) FROM run", &n);

	if (r < 0)
		return r;
	if (sqlite3_prepare_v2(db, "SELECT id, start_mono_ns, end_mono_ns FROM run ORDER BY id", -1,
			       &row, NULL) != SQLITE_OK)
		return database_errno(db);
	a = calloc(1, sizeof(*a) + (size_t)n * sizeof(a->runs[0]));
	if (!a)
		return -ENOMEM;
	while (a->n < (size_t)n && sqlite3_step(row) == SQLITE_ROW)
		load_run(&a->runs[a->n++], db, row, current);
	for (size_t i = a->n; i-- > 1;) {
		int64_t *after_ns = &a->runs[i - 1].after_ns;

		*after_ns = a->runs[i].after_ns + a->runs[i].end_ns - a->runs[i].start_ns;
		if (*after_ns > TIME_MAX_NS)
			*after_ns = TIME_MAX_NS;
	}
	*out = a;
	return 0;
}

int64_t ages_older_before(const struct ages *a, int64_t run, int64_t now_mono_ns, int64_t age_ns)
{
	const struct known_run *k = NULL;
	const struct known_run *last;
	int64_t after_ns;

	for (size_t i = 0; i < a->n; i++)
		if (a->runs[i].id == run)
			k = &a->runs[i];
	if (age_ns == 0)
		return INT64_MIN;
	if (!k)
		return INT64_MAX;
	last = &a->runs[a->n - 1];
	if (k == last)
		return now_mono_ns - age_ns;
	after_ns = k->after_ns + now_mono_ns - last->start_ns;
	return after_ns > age_ns ? INT64_MAX : k->end_ns + after_ns - age_ns;
}
