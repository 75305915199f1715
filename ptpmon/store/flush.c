/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/store/aside.h"
#include "ptpmon/store/store_impl.h"

/* A transaction takes no more, so that the log stays small; one flush usually has far less. */
enum { BATCH_BYTES = 2 << 20 };

#define COST_EVERY_NS (600 * NSEC_PER_SEC) /* it costs a page itself */
#define TRIM_EVERY_NS (3600 * NSEC_PER_SEC)

/* A slice is not begun so shortly before a flush; after one, the disk is left alone for a while. */
#define SLICE_ROOM_NS (50 * NSEC_PER_MSEC)
enum { PAUSE_TIMES = 4 };

/* Leaves the store without a database, until one is opened again. */
static void close_database(struct store *s)
{
	s->retention = retention_free(s->retention);
	s->writer = writer_free(s->writer);
	database_closep(&s->db);
}

int store_open_database(struct store *s, char why[static STORE_ERROR_MAX])
{
	char set_aside[DATABASE_ERROR_MAX] = "";
	struct run run;
	int r = database_open_write(&s->db, s->path, s->sets_aside ? set_aside : NULL, why);

	if (!*s->set_aside)
		(void)strcpy(s->set_aside, set_aside);
	if (r < 0)
		return r;
	r = run_enter(&run, s->db, &s->as, s->as.start_mono_ns ?: nsec_now(CLOCK_MONOTONIC));
	if (r == 0)
		r = writer_new(&s->writer, s->db, &run);
	if (r < 0) {
		database_explain(s->db, s->path, why);
		close_database(s);
		return r;
	}
	guard_begin(&s->guard, s->db);
	s->data_bytes = run.data_bytes;
	s->written_bytes = run.written_bytes;
	s->written_at_start = usage_thread_written();
	(void)pthread_mutex_lock(&s->mutex);
	s->run = run;
	(void)pthread_mutex_unlock(&s->mutex);
	return 0;
}

static struct usage usage_of(const struct store *s)
{
	return (struct usage){s->db, s->policy.cap_bytes};
}

/* Somebody removed, moved or replaced the file under its writer: it gets what is in its log. */
static int leave_moved(struct store *s, char why[static STORE_ERROR_MAX])
{
	(void)sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	close_database(s);
	(void)strcpy(s->set_aside, "the file was moved or removed: a new one begun");
	return access(s->path, F_OK) == 0 ? aside_move_log(s->path, why) : 0;
}

/*
 * Somebody harmed what is open. What the log holds goes into the file, unless that is no longer
 * ours; whether it is sound then is for the next who opens it to say.
 */
static int leave_harmed(struct store *s, enum guard_finding found, char why[static STORE_ERROR_MAX])
{
	bool ours = found != GUARD_OVERWRITTEN;

	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	if (ours) /* and the log is left as it is, for those who read it */
		(void)sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_FULL, NULL, NULL);
	close_database(s);
	return ours ? 0 : aside_move_log(s->path, why);
}

/* Damage that the check of a big file had no time to find would be found for ever. */
static int leave_damaged(struct store *s, bool again, char why[static STORE_ERROR_MAX])
{
	char reason[STORE_ERROR_MAX];

	close_database(s);
	if (!again)
		return 0;
	(void)snprintf(reason, sizeof(reason), "%s", s->health.problem);
	return aside_move(s->path, reason, s->set_aside, why);
}

/* Makes sure that there is a database to write to. 0, or -errno and why. */
static int prepare(struct store *s, char why[static STORE_ERROR_MAX])
{
	bool damaged = s->db && s->damages > 0; /* found by the flush before */
	enum guard_finding found = GUARD_GOOD;
	const char *harm = NULL;
	int moved = 0;
	int r = 0;

	if (s->db && !damaged)
		(void)sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	if (s->db && !damaged && !moved)
		found = guard_look(&s->guard, s->db, &harm);
	if (moved)
		r = leave_moved(s, why);
	else if (found != GUARD_GOOD)
		r = leave_harmed(s, found, why);
	else if (damaged)
		r = leave_damaged(s, s->damages > 1, why);
	if (r < 0 || s->db)
		return r;
	r = store_open_database(s, why);
	if (r == 0 && found != GUARD_GOOD && !*s->set_aside)
		(void)snprintf(s->set_aside, sizeof(s->set_aside), "%s: opened again, and sound",
			       harm);
	s->anew = r == 0 && s->run.resumed_from_mono_ns == TIME_UNKNOWN;
	return r;
}

static void note(struct queue *notes, const struct event *e, int *r)
{
	struct event *copy =
		*r == 0 ? queue_put(notes, RECORD_EVENT, e->mono_ns, sizeof(*e)) : NULL;

	if (copy)
		*copy = *e;
	else
		*r = -ENOMEM;
}

/* What a run that begins again in a new file had in the old one: the wall clock, its phase. */
static void carry_over(struct store *s, struct queue *notes, int64_t from_mono_ns, int *r)
{
	size_t phase_size = strlen(s->phase) + 1;
	struct clock_anchor *anchor;
	char *phase;

	if (*r < 0)
		return;
	anchor = queue_put(notes, RECORD_ANCHOR, from_mono_ns, sizeof(*anchor));
	if (anchor)
		*anchor = clock_anchor_take(ANCHOR_START);
	phase = phase_size > 1 ? queue_put(notes, RECORD_PHASE_BEGIN, from_mono_ns, phase_size)
			       : NULL;
	if (phase)
		memcpy(phase, s->phase, phase_size);
	if (!anchor || (phase_size > 1 && !phase))
		*r = -ENOMEM;
}

/* What the writer itself has to tell, once it can: in the same commit that shows that it can. */
static int add_notes(struct store *s, struct queue *notes, int64_t now_mono_ns,
		     int64_t dropping_since_mono_ns, uint64_t drops)
{
	int64_t failing_since_ns = s->failing_since_mono_ns;
	char lasted[NSEC_TEXT_MAX];
	struct event e;
	int r = 0;

	if (s->anew)
		carry_over(s, notes, failing_since_ns ? failing_since_ns : now_mono_ns, &r);
	if (*s->set_aside) {
		e = event_make(EVENT_STORE_SET_ASIDE, now_mono_ns, "record", "record: %s",
			       s->set_aside);
		note(notes, &e, &r);
	}
	if (drops > 0) {
		e = event_make(EVENT_SAMPLES_DROPPED, dropping_since_mono_ns, "record",
			       "record: queue to the disk full, dropped=%ju", (uintmax_t)drops);
		(void)snprintf(e.detail, sizeof(e.detail), "{\"dropped\": %ju}", (uintmax_t)drops);
		note(notes, &e, &r);
	}
	if (s->tell_trim) {
		e = event_make(EVENT_STORE_TRIMMED, now_mono_ns, "record",
			       "record: near [store] size_cap: the oldest data make room before "
			       "their time");
		note(notes, &e, &r);
	}
	if (failing_since_ns != 0) {
		e = event_make(EVENT_STORE_FAILED, failing_since_ns, "record",
			       "record: not written: %s", s->first_problem);
		note(notes, &e, &r);
		e = event_make(EVENT_STORE_RECOVERED, now_mono_ns, "record",
			       "record: written again after %s",
			       nsec_format_age(now_mono_ns - failing_since_ns, lasted));
		note(notes, &e, &r);
	}
	return r;
}

/* Takes over what is queued, if not too much; how many drops there are to tell of, since when. */
static uint64_t take_batch(struct store *s, size_t *n_series, int64_t *dropping_since_mono_ns)
{
	uint64_t drops;

	(void)pthread_mutex_lock(&s->mutex);
	queue_take(&s->batch, &s->queue, BATCH_BYTES);
	s->in_hand = s->batch.records;
	s->in_hand_bytes = s->batch.bytes;
	*n_series = s->n_series;
	*dropping_since_mono_ns = s->dropping_since_mono_ns;
	drops = s->health.dropped - s->recorded_drops;
	(void)pthread_mutex_unlock(&s->mutex);
	return drops;
}

/* What this process made the system write for the run, after what those before it did. */
static int64_t written_bytes(const struct store *s)
{
	int64_t now = usage_thread_written();

	return now < 0 || s->written_at_start < 0 ? -1
						  : s->written_bytes + now - s->written_at_start;
}

static void note_health(struct store *s, uint64_t samples)
{
	struct usage usage = usage_of(s);
	int64_t written = written_bytes(s);
	int64_t log = usage_log(&usage);
	int64_t file = 0;
	int64_t used;

	(void)usage_file(&usage, &file, &used);
	(void)pthread_mutex_lock(&s->mutex);
	s->in_hand = 0;
	s->in_hand_bytes = 0;
	if (s->health.dropped == s->recorded_drops)
		s->dropping_since_mono_ns = 0;
	s->health.ok = true;
	s->health.problem[0] = '\0';
	s->health.flushed_mono_ns = nsec_now(CLOCK_MONOTONIC);
	s->health.samples += samples;
	s->health.data_bytes = s->data_bytes;
	s->health.written_bytes = written;
	s->health.file_bytes = file;
	s->health.log_bytes = log;
	if (*s->set_aside) {
		s->health.set_asides++;
		(void)strcpy(s->health.set_aside, s->set_aside);
	}
	(void)pthread_mutex_unlock(&s->mutex);
}

/* Here, since a file system that hangs may make this wait as well. */
static void note_free_space(struct store *s)
{
	int64_t free_bytes = -1;
	struct statvfs fs;

	if (statvfs(s->path, &fs) == 0)
		free_bytes = (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
	(void)pthread_mutex_lock(&s->mutex);
	s->health.free_bytes = free_bytes;
	(void)pthread_mutex_unlock(&s->mutex);
}

static void flush_succeeded(struct store *s, uint64_t samples, uint64_t drops)
{
	queue_clear(&s->batch);
	s->failing_since_mono_ns = 0;
	s->damages = 0;
	s->anew = false;
	s->tell_trim = false;
	s->recorded_drops += drops;
	(void)snprintf(s->phase, sizeof(s->phase), "%s", writer_phase(s->writer));
	note_health(s, samples);
	s->set_aside[0] = '\0';
}

static void flush_failed(struct store *s, int error, int64_t now_mono_ns, const char *why)
{
	s->damages += error == -EUCLEAN;
	if (s->failing_since_mono_ns == 0) {
		s->failing_since_mono_ns = now_mono_ns;
		(void)snprintf(s->first_problem, sizeof(s->first_problem), "%s", why);
	}
	(void)pthread_mutex_lock(&s->mutex);
	s->health.ok = false;
	(void)snprintf(s->health.problem, sizeof(s->health.problem), "%s", why);
	(void)pthread_mutex_unlock(&s->mutex);
}

static uint64_t count_samples(const struct queue_entry *entries, size_t n)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < n; i++)
		samples += entries[i].record->kind == RECORD_SAMPLE ||
			   entries[i].record->kind == RECORD_WINDOW;
	return samples;
}

/* The cost goes with a flush now and then, and with the last. */
static void note_cost(struct store *s, int64_t now_mono_ns)
{
	bool last;

	(void)pthread_mutex_lock(&s->mutex);
	last = s->stopping;
	(void)pthread_mutex_unlock(&s->mutex);
	if (now_mono_ns < s->cost_due_mono_ns && !last)
		return;
	s->cost_due_mono_ns = now_mono_ns + COST_EVERY_NS;
	writer_set_cost(s->writer, s->data_bytes, written_bytes(s));
}

/* SQLite's word for it leaves open whose limit it was. */
static void explain_cap(const struct store *s, const struct usage *usage,
			char why[static DATABASE_ERROR_MAX])
{
	int64_t file;
	int64_t used;

	if (usage->cap_bytes > 0 && usage_file(usage, &file, &used) == 0 &&
	    file + BATCH_BYTES > usage_file_limit(usage))
		(void)snprintf(why, DATABASE_ERROR_MAX,
			       "%.160s: [store] size_cap reached, and nothing left to remove",
			       s->path);
}

/* One transaction: the batch, what there is to tell, and series declared since. */
static int commit(struct store *s, size_t n_series, struct queue *notes, uint64_t *samples,
		  char why[static DATABASE_ERROR_MAX])
{
	struct usage usage = usage_of(s);
	size_t n = s->batch.records + notes->records;
	struct queue_entry *entries = NULL;
	int64_t used_before = 0;
	int64_t used = 0;
	int64_t file;
	int r = queue_sorted(&s->batch, notes, &entries);

	if (r == 0)
		r = usage_make_room(&usage, (int64_t)s->batch.bytes, why);
	if (r == 0)
		r = usage_file(&usage, &file, &used_before);
	if (r == 0) {
		r = writer_commit(s->writer, s->series, n_series, entries, n, why);
		if (r == -ENOSPC)
			explain_cap(s, &usage, why);
	}
	if (r == 0) {
		*samples = count_samples(entries, n);
		if (usage_file(&usage, &file, &used) == 0)
			s->data_bytes += used - used_before;
	}
	free(entries);
	return r;
}

/* One transaction. True if there is more to write. */
static bool flush_once(struct store *s)
{
	CLEANUP(queue_clear) struct queue notes = {0};
	char why[DATABASE_ERROR_MAX] = "out of memory";
	int64_t now_mono_ns = nsec_now(CLOCK_MONOTONIC);
	int64_t dropping_since_mono_ns;
	uint64_t samples = 0;
	size_t n_series;
	uint64_t drops = take_batch(s, &n_series, &dropping_since_mono_ns);
	bool full = s->batch.bytes >= BATCH_BYTES;
	int r = prepare(s, why);

	if (r == 0 && s->batch.records == 0 && drops == 0 && !*s->set_aside &&
	    n_series == writer_series(s->writer))
		return false;
	if (r == 0) {
		note_cost(s, now_mono_ns);
		r = add_notes(s, &notes, now_mono_ns, dropping_since_mono_ns, drops);
	}
	if (r == 0)
		r = commit(s, n_series, &notes, &samples, why);
	if (r == 0)
		flush_succeeded(s, samples, drops);
	else
		flush_failed(s, r, now_mono_ns, why);
	note_free_space(s);
	if (s->notify_fd >= 0)
		(void)eventfd_write(s->notify_fd, 1);
	return r == 0 && full;
}

void store_flush(struct store *s)
{
	while (flush_once(s))
		;
}

enum woken { BY_TIME, BY_KICK, TO_STOP };

static enum woken wait_until(struct store *s, int64_t mono_ns)
{
	struct timespec until = nsec_to_timespec(mono_ns);
	enum woken woken = BY_TIME;

	(void)pthread_mutex_lock(&s->mutex);
	/* While it fails, trying again at each kick would only make it worse. */
	while (!s->stopping && !(s->kicked && s->health.ok))
		if (pthread_cond_timedwait(&s->wake, &s->mutex, &until) == ETIMEDOUT)
			break;
	if (s->stopping)
		woken = TO_STOP;
	else if (s->kicked && s->health.ok)
		woken = BY_KICK;
	(void)pthread_mutex_unlock(&s->mutex);
	return woken;
}

/* One slice of what retention has to do. True if there may be more. */
static bool tidy(struct store *s)
{
	struct retention_progress progress = {0};
	struct usage usage = usage_of(s);
	int64_t now_mono_ns = nsec_now(CLOCK_MONOTONIC);
	char why[DATABASE_ERROR_MAX];
	int r = 0;

	if (!s->db || s->damages > 0)
		return false;
	if (!s->retention)
		r = retention_new(&s->retention, &usage, &s->policy, s->run.id);
	if (r == 0)
		r = retention_step(s->retention, now_mono_ns, &progress, why);
	if (r == -EUCLEAN)
		s->damages++; /* the next flush looks into it */
	if (progress.before_time &&
	    (s->trim_told_mono_ns == 0 || now_mono_ns - s->trim_told_mono_ns > TRIM_EVERY_NS)) {
		s->trim_told_mono_ns = now_mono_ns;
		s->tell_trim = true;
	}
	return r > 0;
}

/* Until the next flush is due, with slices of retention that leave the disk alone in between. */
static enum woken wait_and_tidy(struct store *s, int64_t due_mono_ns)
{
	int64_t before_ns = nsec_now(CLOCK_MONOTONIC);
	enum woken woken = BY_TIME;

	while (woken == BY_TIME && before_ns + SLICE_ROOM_NS < due_mono_ns && tidy(s)) {
		int64_t now_ns = nsec_now(CLOCK_MONOTONIC);

		woken = wait_until(s, now_ns + PAUSE_TIMES * (now_ns - before_ns));
		before_ns = nsec_now(CLOCK_MONOTONIC);
	}
	return woken == BY_TIME ? wait_until(s, due_mono_ns) : woken;
}

void *store_write_until_stopped(void *arg)
{
	struct store *s = arg;
	enum woken woken;
	bool abandoned;

	s->written_at_start = usage_thread_written(); /* this thread's, from here on */
	do {
		woken = wait_and_tidy(s, nsec_now(CLOCK_MONOTONIC) + s->flush_interval_ns);
		(void)pthread_mutex_lock(&s->mutex);
		s->kicked = false;
		(void)pthread_mutex_unlock(&s->mutex);
		store_flush(s);
	} while (woken != TO_STOP);
	(void)pthread_mutex_lock(&s->mutex);
	s->has_ended = true;
	abandoned = s->abandoned;
	(void)pthread_cond_signal(&s->ended);
	(void)pthread_mutex_unlock(&s->mutex);
	if (abandoned)
		store_release(s);
	return NULL;
}
