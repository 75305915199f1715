/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two threads meet at one mutex, which neither ever holds for longer than it takes to copy a
 * record or to hand over a chain of blocks. The batch, the writer and the connection belong to
 * the writer thread from store_start() on.
 */
#include "ptpmon/store/store.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/store/database.h"
#include "ptpmon/store/directory.h"
#include "ptpmon/store/queue.h"
#include "ptpmon/store/run.h"
#include "ptpmon/store/writer.h"

static_assert(STORE_ERROR_MAX >= (int)DATABASE_ERROR_MAX, "a line must fit");

struct store {
	char path[PATH_MAX];
	int lock_fd;
	struct run run; /* as it was entered */
	int64_t flush_interval_ns;
	int notify_fd;
	bool started;
	pthread_t thread;

	pthread_mutex_t mutex; /* guards what follows, up to the writer's */
	pthread_cond_t wake;   /* something to do for the writer */
	pthread_cond_t ended;  /* the writer thread has done its last */
	struct queue queue;
	size_t in_hand, in_hand_bytes; /* the writer's batch */
	struct series series[STORE_SERIES_MAX];
	size_t n_series;
	int64_t dropping_since_mono_ns; /* since the last drop that was recorded; 0: none */
	bool kicked, stopping, has_ended, abandoned;
	struct store_health health;

	/* the writer's */
	sqlite3 *db;
	struct writer *writer;
	struct queue batch;
	uint64_t recorded_drops;
	int64_t failing_since_mono_ns; /* 0: not failing */
	char first_problem[STORE_ERROR_MAX];
};

static void release(struct store *s)
{
	(void)writer_free(s->writer);
	database_closep(&s->db);
	close_fdp(&s->lock_fd);
	queue_clear(&s->queue);
	queue_clear(&s->batch);
	(void)pthread_cond_destroy(&s->ended);
	(void)pthread_cond_destroy(&s->wake);
	(void)pthread_mutex_destroy(&s->mutex);
	free(s);
}

static void releasep(struct store **s)
{
	if (*s)
		release(*s);
}

static struct store *make(void)
{
	struct store *s = calloc(1, sizeof(*s));
	pthread_condattr_t monotonic;

	if (!s)
		return NULL;
	s->lock_fd = -1;
	s->notify_fd = -1;
	s->health.ok = true;
	(void)pthread_mutex_init(&s->mutex, NULL);
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&s->wake, &monotonic);
	(void)pthread_cond_init(&s->ended, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	return s;
}

int store_open(struct store **out, const char *directory, const struct store_run *run,
	       int64_t *resumed_from_mono_ns, char why[static STORE_ERROR_MAX])
{
	CLEANUP(releasep) struct store *s = make();
	int r;

	(void)snprintf(why, STORE_ERROR_MAX, "%s: %s", directory, strerror(ENOMEM));
	if (!s)
		return -ENOMEM;
	r = directory_lock(&s->lock_fd, directory, why);
	if (r < 0)
		return r;
	if (snprintf(s->path, sizeof(s->path), "%s/ptpmon.db", directory) > DATABASE_PATH_MAX) {
		(void)snprintf(why, STORE_ERROR_MAX, "%.200s: %s", directory,
			       strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	r = database_open_write(&s->db, s->path, why);
	if (r < 0)
		return r;
	r = run_enter(&s->run, s->db, run, nsec_now(CLOCK_MONOTONIC));
	if (r < 0) {
		database_explain(s->db, s->path, why);
		return r;
	}
	r = writer_new(&s->writer, s->db, &s->run);
	if (r < 0) {
		database_explain(s->db, s->path, why);
		return r;
	}
	*resumed_from_mono_ns = s->run.resumed_from_mono_ns;
	*out = steal(&s);
	return 0;
}

const char *store_path(const struct store *s)
{
	return s->path;
}

int64_t store_run_id(const struct store *s)
{
	return s->run.id;
}

const char *store_resumed_phase(const struct store *s, int64_t *since_mono_ns)
{
	*since_mono_ns = s->run.phase_since_mono_ns;
	return s->run.phase;
}

int store_put_series(struct store *s, const struct series *series)
{
	int r = 0;

	(void)pthread_mutex_lock(&s->mutex);
	if (s->n_series < STORE_SERIES_MAX)
		s->series[s->n_series++] = *series;
	else
		r = -ENOSPC;
	(void)pthread_mutex_unlock(&s->mutex);
	return r;
}

/* Whether the queue takes a record of that kind and size; the lock is held. */
static bool has_room(const struct store *s, enum record_kind kind, size_t size)
{
	bool bulk = kind == RECORD_SAMPLE || kind == RECORD_WINDOW;
	size_t reserve = bulk ? 0 : STORE_RESERVE;
	size_t reserve_bytes = reserve * sizeof(struct event);

	return s->queue.records + s->in_hand < STORE_QUEUE_MAX + reserve &&
	       s->queue.bytes + s->in_hand_bytes + size <= STORE_QUEUE_BYTES_MAX + reserve_bytes;
}

/* Copies a record that consists of two parts. */
static bool put(struct store *s, enum record_kind kind, int64_t mono_ns, const void *head,
		size_t head_size, const void *tail, size_t tail_size)
{
	uint8_t *to = NULL;

	(void)pthread_mutex_lock(&s->mutex);
	if (has_room(s, kind, head_size + tail_size))
		to = queue_put(&s->queue, kind, mono_ns, head_size + tail_size);
	if (to) {
		memcpy(to, head, head_size);
		if (tail_size > 0)
			memcpy(to + head_size, tail, tail_size);
	} else {
		if (s->dropping_since_mono_ns == 0)
			s->dropping_since_mono_ns = mono_ns;
		s->health.dropped++;
	}
	if (s->queue.records == STORE_QUEUE_MAX / 2) { /* do not wait for the interval to end */
		s->kicked = true;
		(void)pthread_cond_signal(&s->wake);
	}
	(void)pthread_mutex_unlock(&s->mutex);
	return to;
}

bool store_put_sample(struct store *s, const struct sample *sample)
{
	assert(sample->series < s->n_series);
	return put(s, RECORD_SAMPLE, sample->mono_ns, sample, sizeof(*sample), NULL, 0);
}

bool store_put_window(struct store *s, unsigned series, const struct latency_window *w)
{
	uint64_t head = series;

	static_assert(offsetof(struct window_record, window) == sizeof(head), "no gap between");
	assert(series < s->n_series && w->bins_len <= WINDOW_BINS_MAX);
	return put(s, RECORD_WINDOW, w->start_mono_ns, &head, sizeof(head), w,
		   offsetof(struct latency_window, bins) + w->bins_len);
}

bool store_put_event(struct store *s, const struct event *e)
{
	return put(s, RECORD_EVENT, e->mono_ns, e, sizeof(*e), NULL, 0);
}

bool store_put_anchor(struct store *s, const struct clock_anchor *a)
{
	return put(s, RECORD_ANCHOR, a->mono_ns, a, sizeof(*a), NULL, 0);
}

bool store_put_mark(struct store *s, int64_t mono_ns, const char *text, const char *who)
{
	return put(s, RECORD_MARK, mono_ns, text, strlen(text) + 1, who, strlen(who) + 1);
}

bool store_begin_phase(struct store *s, int64_t mono_ns, const char *name)
{
	return put(s, RECORD_PHASE_BEGIN, mono_ns, name, strlen(name) + 1, NULL, 0);
}

bool store_end_phase(struct store *s, int64_t mono_ns)
{
	return put(s, RECORD_PHASE_END, mono_ns, "", 0, NULL, 0);
}

void store_kick(struct store *s)
{
	(void)pthread_mutex_lock(&s->mutex);
	s->kicked = true;
	(void)pthread_cond_signal(&s->wake);
	(void)pthread_mutex_unlock(&s->mutex);
}

struct store_health store_health(struct store *s)
{
	struct store_health health;

	(void)pthread_mutex_lock(&s->mutex);
	health = s->health;
	health.queued = s->queue.records + s->in_hand;
	(void)pthread_mutex_unlock(&s->mutex);
	return health;
}

/* What the writer itself has to tell, once it can: in the same commit that shows that it can. */
static int add_notes(struct store *s, struct queue *notes, int64_t now_mono_ns,
		     int64_t dropping_since_mono_ns, uint64_t drops)
{
	struct event events[3];
	char lasted[NSEC_TEXT_MAX];
	size_t n = 0;

	if (drops > 0) {
		events[n] =
			event_make(EVENT_SAMPLES_DROPPED, dropping_since_mono_ns, "record",
				   "record: queue to the disk full, dropped=%ju", (uintmax_t)drops);
		(void)snprintf(events[n].detail, sizeof(events[n].detail), "{\"dropped\": %ju}",
			       (uintmax_t)drops);
		n++;
	}
	if (s->failing_since_mono_ns != 0) {
		events[n++] = event_make(EVENT_STORE_FAILED, s->failing_since_mono_ns, "record",
					 "record: not written: %s", s->first_problem);
		events[n++] =
			event_make(EVENT_STORE_RECOVERED, now_mono_ns, "record",
				   "record: written again after %s",
				   nsec_format_age(now_mono_ns - s->failing_since_mono_ns, lasted));
	}
	for (size_t i = 0; i < n; i++) {
		struct event *e =
			queue_put(notes, RECORD_EVENT, events[i].mono_ns, sizeof(events[i]));

		if (!e)
			return -ENOMEM;
		*e = events[i];
	}
	return 0;
}

/* Takes over what is queued; how many drops there are to tell of, since when. */
static uint64_t take_batch(struct store *s, size_t *n_series, int64_t *dropping_since_mono_ns)
{
	uint64_t drops;

	(void)pthread_mutex_lock(&s->mutex);
	queue_append(&s->batch, &s->queue);
	s->in_hand = s->batch.records;
	s->in_hand_bytes = s->batch.bytes;
	*n_series = s->n_series;
	*dropping_since_mono_ns = s->dropping_since_mono_ns;
	drops = s->health.dropped - s->recorded_drops;
	(void)pthread_mutex_unlock(&s->mutex);
	return drops;
}

static void flush_succeeded(struct store *s, uint64_t samples, uint64_t drops)
{
	queue_clear(&s->batch);
	s->failing_since_mono_ns = 0;
	s->recorded_drops += drops;
	(void)pthread_mutex_lock(&s->mutex);
	s->in_hand = 0;
	s->in_hand_bytes = 0;
	if (s->health.dropped == s->recorded_drops)
		s->dropping_since_mono_ns = 0;
	s->health.ok = true;
	s->health.problem[0] = '\0';
	s->health.flushed_mono_ns = nsec_now(CLOCK_MONOTONIC);
	s->health.samples += samples;
	(void)pthread_mutex_unlock(&s->mutex);
}

static void flush_failed(struct store *s, int64_t now_mono_ns, const char *why)
{
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

/* One transaction with all there is; nothing is written if there is nothing. */
static void flush(struct store *s)
{
	CLEANUP(queue_clear) struct queue notes = {0};
	struct queue_entry *entries = NULL;
	char why[DATABASE_ERROR_MAX] = "out of memory";
	int64_t now_mono_ns = nsec_now(CLOCK_MONOTONIC);
	int64_t dropping_since_mono_ns;
	size_t n_series;
	uint64_t drops = take_batch(s, &n_series, &dropping_since_mono_ns);
	size_t n;
	int r;

	if (s->batch.records == 0 && drops == 0 && n_series == writer_series(s->writer))
		return;
	r = add_notes(s, &notes, now_mono_ns, dropping_since_mono_ns, drops);
	if (r == 0)
		r = queue_sorted(&s->batch, &notes, &entries);
	n = s->batch.records + notes.records;
	if (r == 0)
		r = writer_commit(s->writer, s->series, n_series, entries, n, why);
	if (r == 0)
		flush_succeeded(s, count_samples(entries, n), drops);
	else
		flush_failed(s, now_mono_ns, why);
	free(entries);
	if (s->notify_fd >= 0)
		(void)eventfd_write(s->notify_fd, 1);
}

/* True if there is nothing to wait for any more: this is the last flush. */
static bool wait_until_due(struct store *s, int64_t due_mono_ns)
{
	struct timespec due = nsec_to_timespec(due_mono_ns);
	bool stopping;

	(void)pthread_mutex_lock(&s->mutex);
	/* While it fails, trying again at each kick would only make it worse. */
	while (!s->stopping && !(s->kicked && s->health.ok))
		if (pthread_cond_timedwait(&s->wake, &s->mutex, &due) == ETIMEDOUT)
			break;
	s->kicked = false;
	stopping = s->stopping;
	(void)pthread_mutex_unlock(&s->mutex);
	return stopping;
}

static void *write_until_stopped(void *arg)
{
	struct store *s = arg;
	bool abandoned;
	bool last;

	do {
		last = wait_until_due(s, nsec_now(CLOCK_MONOTONIC) + s->flush_interval_ns);
		flush(s);
	} while (!last);
	(void)pthread_mutex_lock(&s->mutex);
	s->has_ended = true;
	abandoned = s->abandoned;
	(void)pthread_cond_signal(&s->ended);
	(void)pthread_mutex_unlock(&s->mutex);
	if (abandoned)
		release(s);
	return NULL;
}

int store_start(struct store *s, int64_t flush_interval_ns, int notify_fd)
{
	sigset_t all;
	sigset_t before;
	int error;

	s->flush_interval_ns = flush_interval_ns;
	s->notify_fd = notify_fd;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&s->thread, NULL, write_until_stopped, s);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	s->started = error == 0;
	return -error;
}

/* Waits for the writer thread, or leaves everything to it. */
static void stop_thread(struct store *s, int64_t timeout_ns)
{
	struct timespec until = nsec_to_timespec(nsec_now(CLOCK_MONOTONIC) + timeout_ns);
	pthread_t thread = s->thread;
	bool ended;

	(void)pthread_mutex_lock(&s->mutex);
	s->stopping = true;
	(void)pthread_cond_signal(&s->wake);
	while (!s->has_ended)
		if (pthread_cond_timedwait(&s->ended, &s->mutex, &until) == ETIMEDOUT)
			break;
	ended = s->has_ended;
	s->abandoned = !ended;
	(void)pthread_mutex_unlock(&s->mutex);
	if (!ended) {
		(void)pthread_detach(thread);
		return;
	}
	(void)pthread_join(thread, NULL);
	release(s);
}

struct store *store_close(struct store *s, const char *how, int64_t timeout_ns)
{
	if (!s)
		return NULL;
	(void)put(s, RECORD_RUN_END, nsec_now(CLOCK_MONOTONIC), how, strlen(how) + 1, NULL, 0);
	if (s->started) {
		stop_thread(s, timeout_ns);
	} else {
		flush(s);
		release(s);
	}
	return NULL;
}
