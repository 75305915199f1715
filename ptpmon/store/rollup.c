/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/rollup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/stats/bins.h"
#include "ptpmon/stats/histogram.h"
#include "ptpmon/stats/signed_histogram.h"
#include "ptpmon/store/database.h"

struct hour {
	struct hour *next;
	int64_t series, hour, phase;
	int64_t from_ns, to_ns;
	int64_t count, overflows, missed, steps, unlocked;
	int64_t min, max; /* where count > 0 */
	double sum, sum_squares;
	size_t n_bins; /* of a histogram, or of a signed one */
	uint64_t bins[];
};

enum statement { SELECT_PHASE, SELECT_HOUR, REPLACE_HOUR, STATEMENT_MAX };

/* clang-format off */
static const char *const statement_sql[] = {
	[SELECT_PHASE] = "SELECT id, start_mono_ns, coalesce(end_mono_ns, 9223372036854775807) AS until FROM phase "
	                 "WHERE run = ?1 AND start_mono_ns <= ?2 AND (end_mono_ns IS NULL OR end_mono_ns > ?2) "
	                 "UNION ALL SELECT 0, ?2, coalesce(min(start_mono_ns), 9223372036854775807) FROM phase "
	                 "WHERE run = ?1 AND start_mono_ns > ?2 ORDER BY id DESC LIMIT 1",
	[SELECT_HOUR]  = "SELECT from_mono_ns, to_mono_ns, count, min, max, sum, sum_squares, overflows, missed, "
	                 "steps, unlocked, histogram FROM rollup WHERE series = ?1 AND hour = ?2 AND phase = ?3",
	[REPLACE_HOUR] = "INSERT OR REPLACE INTO rollup (series, hour, phase, from_mono_ns, to_mono_ns, count, min, "
	                 "max, sum, sum_squares, overflows, missed, steps, unlocked, histogram) "
	                 "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
};
/* clang-format on */

struct rollup {
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENT_MAX];
	struct hour *hours;
	uint8_t *encoded; /* room for any histogram */
	/* the phase looked up last */
	int64_t phase_run, phase, phase_from_ns, phase_to_ns;
};

enum { ENCODED_MAX = SIGNED_HISTOGRAM_BINS * BINS_PAIR_MAX };

DEFINE_FREEP(struct rollup, rollup_free)

int rollup_new(struct rollup **out, sqlite3 *db)
{
	CLEANUP(rollup_freep) struct rollup *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->db = db;
	r->encoded = malloc(ENCODED_MAX);
	if (!r->encoded)
		return -ENOMEM;
	for (int i = 0; i < STATEMENT_MAX; i++)
		if (sqlite3_prepare_v3(db, statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &r->statements[i], NULL) != SQLITE_OK)
			return database_errno(db);
	*out = steal(&r);
	return 0;
}

void rollup_forget(struct rollup *r)
{
	r->phase_to_ns = INT64_MIN; /* a phase may have begun since */
	r->phase_from_ns = INT64_MAX;
	for (struct hour *h = r->hours, *next; h; h = next) {
		next = h->next;
		free(h);
	}
	r->hours = NULL;
}

struct rollup *rollup_free(struct rollup *r)
{
	if (!r)
		return NULL;
	rollup_forget(r);
	for (int i = 0; i < STATEMENT_MAX; i++)
		(void)sqlite3_finalize(r->statements[i]);
	free(r->encoded);
	free(r);
	return NULL;
}

/* Notes the phase at a moment, 0 for none, and around it how long that is certain. */
static int look_up_phase(struct rollup *r, int64_t run, int64_t mono_ns)
{
	sqlite3_stmt *s = r->statements[SELECT_PHASE];
	int step;

	(void)sqlite3_bind_int64(s, 1, run);
	(void)sqlite3_bind_int64(s, 2, mono_ns);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW) {
		r->phase_run = run;
		r->phase = sqlite3_column_int64(s, 0);
		r->phase_from_ns = sqlite3_column_int64(s, 1);
		r->phase_to_ns = sqlite3_column_int64(s, 2);
	}
	(void)sqlite3_reset(s);
	return step == SQLITE_ROW ? 0 : database_errno(r->db);
}

static int load_hour(struct rollup *r, struct hour *h)
{
	sqlite3_stmt *s = r->statements[SELECT_HOUR];
	int step;
	int ret = 0;

	(void)sqlite3_bind_int64(s, 1, h->series);
	(void)sqlite3_bind_int64(s, 2, h->hour);
	(void)sqlite3_bind_int64(s, 3, h->phase);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW) {
		h->from_ns = sqlite3_column_int64(s, 0);
		h->to_ns = sqlite3_column_int64(s, 1);
		h->count = sqlite3_column_int64(s, 2);
		h->min = sqlite3_column_int64(s, 3);
		h->max = sqlite3_column_int64(s, 4);
		h->sum = sqlite3_column_double(s, 5);
		h->sum_squares = sqlite3_column_double(s, 6);
		h->overflows = sqlite3_column_int64(s, 7);
		h->missed = sqlite3_column_int64(s, 8);
		h->steps = sqlite3_column_int64(s, 9);
		h->unlocked = sqlite3_column_int64(s, 10);
		if (bins_decode_add(h->bins, h->n_bins, sqlite3_column_blob(s, 11),
				    (size_t)sqlite3_column_bytes(s, 11)) < 0)
			ret = -EUCLEAN;
	} else if (step != SQLITE_DONE) {
		ret = database_errno(r->db);
	}
	(void)sqlite3_reset(s);
	return ret;
}

/* The hour that a row belongs to. 0, or -errno. */
static int find_hour(struct rollup *r, int64_t run, int64_t series, int64_t mono_ns, size_t n_bins,
		     struct hour **out)
{
	int64_t hour = mono_ns / ROLLUP_HOUR_NS;
	struct hour *h;
	int ret = 0;

	if (run != r->phase_run || mono_ns < r->phase_from_ns || mono_ns >= r->phase_to_ns)
		ret = look_up_phase(r, run, mono_ns);
	if (ret < 0)
		return ret;
	for (h = r->hours; h; h = h->next)
		if (h->series == series && h->hour == hour && h->phase == r->phase) {
			*out = h;
			return 0;
		}
	h = calloc(1, sizeof(*h) + n_bins * sizeof(h->bins[0]));
	if (!h)
		return -ENOMEM;
	h->series = series;
	h->hour = hour;
	h->phase = r->phase;
	h->from_ns = h->to_ns = mono_ns;
	h->n_bins = n_bins;
	ret = load_hour(r, h);
	if (ret < 0) {
		free(h);
		return ret;
	}
	h->next = r->hours;
	r->hours = h;
	*out = h;
	return 0;
}

static void take_range(struct hour *h, int64_t from_ns, int64_t to_ns)
{
	if (from_ns < h->from_ns)
		h->from_ns = from_ns;
	if (to_ns > h->to_ns)
		h->to_ns = to_ns;
}

/* A count that a damaged row makes absurd stays at the largest. */
static void add_count(int64_t *sum, uint64_t n)
{
	if (n > INT64_MAX || __builtin_add_overflow(*sum, (int64_t)n, sum))
		*sum = INT64_MAX;
}

/* n more values between min and max. */
static void take_extremes(struct hour *h, uint64_t n, int64_t min, int64_t max)
{
	if (h->count == 0 || min < h->min)
		h->min = min;
	if (h->count == 0 || max > h->max)
		h->max = max;
	add_count(&h->count, n);
}

/* As the report counts: a step and an offset of an unlocked port are no part of the distribution.
 */
int rollup_add_sample(struct rollup *r, int64_t run, int64_t series, const struct sample *s)
{
	struct hour *h;
	int ret = find_hour(r, run, series, s->mono_ns, SIGNED_HISTOGRAM_BINS, &h);

	if (ret < 0)
		return ret;
	take_range(h, s->mono_ns, s->mono_ns);
	add_count(&h->missed, s->missed);
	if (s->flags & SAMPLE_STEP) {
		h->steps++;
	} else if (s->flags & SAMPLE_UNLOCKED) {
		h->unlocked++;
	} else if (s->value != SAMPLE_UNKNOWN) {
		take_extremes(h, 1, s->value, s->value);
		h->sum += (double)s->value;
		h->sum_squares += (double)s->value * (double)s->value;
		signed_histogram_count((struct signed_histogram *)(void *)h->bins, s->value);
	}
	return 0;
}

int rollup_add_window(struct rollup *r, int64_t run, int64_t series, const struct latency_window *w)
{
	struct hour *h;
	int ret = find_hour(r, run, series, w->start_mono_ns, HISTOGRAM_BINS, &h);

	if (ret < 0)
		return ret;
	if (bins_decode_add(h->bins, h->n_bins, w->bins, w->bins_len) < 0)
		return -EUCLEAN;
	take_range(h, w->start_mono_ns, w->end_mono_ns);
	add_count(&h->missed, w->missed);
	add_count(&h->overflows, w->overflow);
	h->sum += (double)w->sum_ns;
	if (w->count > 0)
		take_extremes(h, w->count, w->min_ns, w->max_ns);
	return 0;
}

static int write_hour(struct rollup *r, const struct hour *h)
{
	size_t len = bins_encode(h->bins, h->n_bins, r->encoded, ENCODED_MAX);
	const int64_t integers[] = {h->series, h->hour, h->phase, h->from_ns, h->to_ns, h->count};
	const int64_t counts[] = {h->overflows, h->missed, h->steps, h->unlocked};
	sqlite3_stmt *s = r->statements[REPLACE_HOUR];
	int step;

	(void)sqlite3_clear_bindings(s);
	for (int i = 0; i < 6; i++)
		(void)sqlite3_bind_int64(s, 1 + i, integers[i]);
	if (h->count > 0) {
		(void)sqlite3_bind_int64(s, 7, h->min);
		(void)sqlite3_bind_int64(s, 8, h->max);
	}
	(void)sqlite3_bind_double(s, 9, h->sum);
	if (h->n_bins == SIGNED_HISTOGRAM_BINS)
		(void)sqlite3_bind_double(s, 10, h->sum_squares);
	for (int i = 0; i < 4; i++)
		(void)sqlite3_bind_int64(s, 11 + i, counts[i]);
	(void)sqlite3_bind_blob64(s, 15, r->encoded, len, SQLITE_STATIC);
	step = sqlite3_step(s);
	(void)sqlite3_reset(s);
	return step == SQLITE_DONE ? 0 : database_errno(r->db);
}

int rollup_write(struct rollup *r)
{
	int ret = 0;

	for (const struct hour *h = r->hours; h && ret == 0; h = h->next)
		ret = write_hour(r, h);
	rollup_forget(r);
	return ret;
}
