/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/store.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/store/directory.h"
#include "ptpmon/store/store_impl.h"

static_assert(STORE_ERROR_MAX >= (int)DATABASE_ERROR_MAX, "a line must fit");

void store_release(struct store *s)
{
	(void)retention_free(s->retention);
	(void)writer_free(s->writer);
	database_closep(&s->db);
	close_fdp(&s->lock_fd);
	queue_clear(&s->queue);
	queue_clear(&s->batch);
	(void)pthread_cond_destroy(&s->ended);
	(void)pthread_cond_destroy(&s->wake);
	(void)pthread_mutex_destroy(&s->mutex);
	for (size_t i = 0; i < STORE_TEXTS; i++)
		free(s->texts[i]);
	free(s);
}

static void releasep(struct store **s)
{
	if (*s)
		store_release(*s);
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
	s->health.free_bytes = -1;
	(void)pthread_mutex_init(&s->mutex, NULL);
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&s->wake, &monotonic);
	(void)pthread_cond_init(&s->ended, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	return s;
}

/* The run as it is to be entered, also later in another file. 0, or -ENOMEM. */
static int keep(struct store *s, const struct store_run *run)
{
	const char **const fields[STORE_TEXTS] = {
		&s->as.token,         &s->as.boot_id, &s->as.host,  &s->as.kernel,
		&s->as.machine,       &s->as.version, &s->as.label, &s->as.ptp4l_version,
		&s->as.configuration, &s->as.board,
	};

	s->as = *run;
	for (size_t i = 0; i < STORE_TEXTS; i++) {
		if (!*fields[i])
			continue;
		*fields[i] = s->texts[i] = strdup(*fields[i]);
		if (!s->texts[i])
			return -ENOMEM;
	}
	return 0;
}

/* Opens DIRECTORY/NAME and enters the run. */
static int open_store(struct store **out, const char *directory, const char *name,
		      const struct store_run *run, bool sets_aside,
		      char why[static STORE_ERROR_MAX])
{
	CLEANUP(releasep) struct store *s = make();
	int r;

	(void)snprintf(why, STORE_ERROR_MAX, "%.200s: %s", directory, strerror(ENOMEM));
	if (!s)
		return -ENOMEM;
	s->sets_aside = sets_aside;
	r = keep(s, run);
	if (r == 0)
		r = directory_lock(&s->lock_fd, directory, why);
	if (r < 0)
		return r;
	if (snprintf(s->path, sizeof(s->path), "%s/%s", directory, name) > DATABASE_PATH_MAX) {
		(void)snprintf(why, STORE_ERROR_MAX, "%.200s: %s", directory,
			       strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	r = store_open_database(s, why);
	if (r < 0)
		return r;
	s->resumed = s->run;
	(void)strcpy(s->phase, s->resumed.phase);
	*out = steal(&s);
	return 0;
}

int store_open(struct store **out, const char *directory, const struct store_run *run,
	       int64_t *resumed_from_mono_ns, char why[static STORE_ERROR_MAX])
{
	int r = open_store(out, directory, "ptpmon.db", run, true, why);

	if (r == 0)
		*resumed_from_mono_ns = (*out)->resumed.resumed_from_mono_ns;
	return r;
}

int store_open_file(struct store **out, const char *path, const struct store_run *run,
		    char why[static STORE_ERROR_MAX])
{
	char directory[PATH_MAX];
	char *slash;

	if (snprintf(directory, sizeof(directory), "./%s", path) >= (int)sizeof(directory))
		return -ENAMETOOLONG;
	if (*path == '/')
		(void)snprintf(directory, sizeof(directory), "%s", path);
	slash = strrchr(directory, '/');
	*slash = '\0';
	return open_store(out, *directory ? directory : "/", slash + 1, run, false, why);
}

void store_set_retention(struct store *s, const struct store_retention *policy)
{
	s->policy = *policy;
}

const char *store_path(const struct store *s)
{
	return s->path;
}

int64_t store_run_id(struct store *s)
{
	int64_t id;

	(void)pthread_mutex_lock(&s->mutex);
	id = s->run.id;
	(void)pthread_mutex_unlock(&s->mutex);
	return id;
}

const char *store_resumed_phase(const struct store *s, int64_t *since_mono_ns)
{
	*since_mono_ns = s->resumed.phase_since_mono_ns;
	return s->resumed.phase;
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

bool store_put_verdict(struct store *s, int64_t mono_ns, const struct verdict *v, const char *who)
{
	struct verdict_record r = {v->limit, v->measured, v->pass, "", "", "", "", ""};

	(void)snprintf(r.plan, sizeof(r.plan), "%s", v->plan);
	(void)snprintf(r.phase, sizeof(r.phase), "%s", v->phase ?: "");
	(void)snprintf(r.criterion, sizeof(r.criterion), "%s", v->criterion);
	(void)snprintf(r.reason, sizeof(r.reason), "%s", v->reason ?: "");
	(void)snprintf(r.who, sizeof(r.who), "%s", who);
	return put(s, RECORD_VERDICT, mono_ns, &r, sizeof(r), NULL, 0);
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

int store_start(struct store *s, int64_t flush_interval_ns, int notify_fd)
{
	sigset_t all;
	sigset_t before;
	int error;

	s->flush_interval_ns = flush_interval_ns;
	s->notify_fd = notify_fd;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&s->thread, NULL, store_write_until_stopped, s);
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
	store_release(s);
}

struct store *store_close(struct store *s, const char *how, int64_t timeout_ns)
{
	if (!s)
		return NULL;
	if (how)
		(void)put(s, RECORD_RUN_END, nsec_now(CLOCK_MONOTONIC), how, strlen(how) + 1, NULL,
			  0);
	if (s->started) {
		stop_thread(s, timeout_ns);
	} else {
		store_flush(s);
		store_release(s);
	}
	return NULL;
}

int store_write(struct store *s, char why[static STORE_ERROR_MAX])
{
	store_flush(s);
	(void)strcpy(why, s->health.problem);
	return s->health.ok ? 0 : -EIO;
}

int store_end(struct store *s, const char *how, int64_t end_mono_ns,
	      char why[static STORE_ERROR_MAX])
{
	int r;

	(void)put(s, RECORD_RUN_END, end_mono_ns, how, strlen(how) + 1, NULL, 0);
	s->stopping = true;
	r = store_write(s, why);
	store_release(s);
	return r;
}
