/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/phc.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/phc_watch.h"

#define REST          10 /* times what a reading took */
#define SLOW_NS       (100 * NSEC_PER_MSEC)
#define END_NS        (200 * NSEC_PER_MSEC)
#define UNANSWERED_NS (3 * NSEC_PER_SEC)
#define EXPLAIN_NS    (500 * NSEC_PER_MSEC) /* who sets it says so when that is done */

enum { DEVICE_MAX = 256, STACK_BYTES = 256 << 10 };

/* What the thread says: a reading, or why there is none. */
struct result {
	int error; /* errno */
	struct phc_reading reading;
};

/* What both sides have; the last to leave frees it. */
struct worker {
	char device[DEVICE_MAX];
	int64_t interval_ns;
	unsigned readings;
	int fd; /* the thread's end of the socket pair */
	atomic_int users;
	_Atomic int64_t since_mono_ns; /* a reading is under way since then; 0: none */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;
};

struct phc_source {
	struct phc_source_options options;
	struct worker *worker;
	pthread_t thread;
	int fd;
	struct phc_watch watch;
	struct phc_facts facts;
	bool slow, told_method;
	int64_t utc_offset_s;
	struct jump {
		int64_t from_mono_ns, mono_ns; /* between these readings; 0: none to tell of */
		int64_t jump_ns;
	} jump;
	int64_t set_mono_ns; /* when we set it last, or heard that we had; 0: never */
};

/* The thread */

static void leave(struct worker *w)
{
	if (atomic_fetch_sub(&w->users, 1) > 1)
		return;
	close_fdp(&w->fd);
	(void)pthread_cond_destroy(&w->wake);
	(void)pthread_mutex_destroy(&w->lock);
	free(w);
}

/* True when it is time; false to end. */
static bool wait_until(struct worker *w, int64_t mono_ns)
{
	const struct timespec until = nsec_to_timespec(mono_ns);
	bool stop;

	(void)pthread_mutex_lock(&w->lock);
	while (!w->stop && pthread_cond_clockwait(&w->wake, &w->lock, CLOCK_MONOTONIC, &until) == 0)
		;
	stop = w->stop;
	(void)pthread_mutex_unlock(&w->lock);
	return !stop;
}

static void read_once(struct worker *w, int *fd, enum phc_method *method, struct result *out)
{
	int r = 0;

	if (*fd < 0) {
		*method = PHC_METHOD_PRECISE;
		r = *fd = phc_device_open(w->device);
	}
	if (r >= 0)
		r = phc_device_read(*fd, w->readings, method, &out->reading);
	out->error = r < 0 ? -r : 0;
	if (r == -ENODEV || r == -EOPNOTSUPP) /* taken away: the name may be another's by now */
		close_fdp(fd);
}

static void *work(void *userdata)
{
	struct worker *w = userdata;
	enum phc_method method = PHC_METHOD_PRECISE;
	int fd = -1;
	int64_t next_ns;

	do {
		int64_t from_ns = nsec_now(CLOCK_MONOTONIC);
		struct result result = {0};
		int64_t took_ns;

		atomic_store(&w->since_mono_ns, from_ns);
		read_once(w, &fd, &method, &result);
		took_ns = nsec_now(CLOCK_MONOTONIC) - from_ns;
		result.reading.took_ns = took_ns;
		atomic_store(&w->since_mono_ns, 0);
		/* without a reader it is lost, which its silence then tells */
		(void)send(w->fd, &result, sizeof(result), MSG_DONTWAIT | MSG_NOSIGNAL);
		next_ns = from_ns + took_ns + REST * took_ns;
		if (next_ns < from_ns + w->interval_ns)
			next_ns = from_ns + w->interval_ns;
	} while (wait_until(w, next_ns));
	close_fdp(&fd);
	leave(w);
	return NULL;
}

/* What it says is told */

static void tell(struct phc_source *s, const struct event *e)
{
	s->options.on_event(s->options.userdata, e);
}

static void tell_failure(struct phc_source *s, int error, int64_t mono_ns)
{
	struct event e;

	if (s->facts.error == error)
		return;
	e = event_make(EVENT_PHC_FAILED, mono_ns, s->facts.name, "%s: cannot be read: %s (%s)",
		       s->facts.name, strerrorname_np(error) ?: "?", strerror(error));
	(void)snprintf(e.detail, sizeof(e.detail), "{\"errno\":%d,\"error\":\"%s\"}", error,
		       strerrorname_np(error) ?: "?");
	tell(s, &e);
}

static void tell_back(struct phc_source *s, int64_t mono_ns, const char *from)
{
	struct event e =
		event_make(EVENT_PHC_BACK, mono_ns, s->facts.name, "%s: %s", s->facts.name, from);

	tell(s, &e);
}

static void tell_method(struct phc_source *s, const struct phc_reading *r)
{
	struct event e;

	if (s->told_method && s->facts.reading.method == r->method)
		return;
	s->told_method = true;
	e = event_make(EVENT_PHC_METHOD, r->mono_ns, s->facts.name,
		       "%s: read by %s, the quickest of %u in %" PRId64 " ns", s->facts.name,
		       phc_method_name(r->method), s->options.readings, r->delay_ns);
	(void)snprintf(e.detail, sizeof(e.detail), "{\"method\":\"%s\",\"delay_ns\":%" PRId64 "}",
		       phc_method_name(r->method), r->delay_ns);
	tell(s, &e);
}

static void tell_slow(struct phc_source *s, int64_t mono_ns, int64_t took_ns, bool ended)
{
	char took[NSEC_TEXT_MAX];
	struct event e;

	if (s->slow)
		return;
	s->slow = true;
	e = event_make(EVENT_PHC_SLOW, mono_ns, s->facts.name, "%s: %s %s", s->facts.name,
		       ended ? "a reading took" : "a reading has not ended for",
		       nsec_format_age(took_ns, took));
	(void)snprintf(e.detail, sizeof(e.detail), "{\"took_ns\":%" PRId64 ",\"ended\":%s}",
		       took_ns, ended ? "true" : "false");
	tell(s, &e);
}

static void judge_speed(struct phc_source *s, const struct phc_reading *r)
{
	if (r->took_ns >= SLOW_NS) {
		tell_slow(s, r->mono_ns, r->took_ns, true);
	} else if (s->slow) {
		s->slow = false;
		tell_back(s, r->mono_ns, "readings are quick again");
	}
}

/* That it was set is heard when it is done, which may be before or after the jump is seen. */
static bool is_own(const struct phc_source *s, const struct jump *j)
{
	return s->set_mono_ns && s->set_mono_ns >= j->from_mono_ns &&
	       s->set_mono_ns <= j->mono_ns + EXPLAIN_NS;
}

static void tell_jump(struct phc_source *s, int64_t now_mono_ns)
{
	const struct jump j = s->jump;
	struct event e;

	if (!j.mono_ns || now_mono_ns - j.mono_ns < EXPLAIN_NS)
		return;
	s->jump = (struct jump){0};
	if (is_own(s, &j))
		return;
	s->facts.jumps++;
	e = event_make(EVENT_PHC_JUMPED, j.mono_ns, s->facts.name, "%s: jumped by %+.6f s",
		       s->facts.name, (double)j.jump_ns / 1e9);
	(void)snprintf(e.detail, sizeof(e.detail), "{\"jump_ns\":%" PRId64 "}", j.jump_ns);
	tell(s, &e);
}

static void judge_course(struct phc_source *s, const struct phc_reading *r)
{
	const struct phc_point p = {
		.mono_ns = r->mono_ns,
		.phc_ns = r->phc_ns,
		.uncertainty_ns = r->took_ns,
		.frozen = r->frozen,
	};
	bool was_stuck = s->facts.stuck;
	int64_t from_mono_ns = s->watch.last.mono_ns;
	int64_t jump_ns = 0;
	enum phc_course course = phc_watch_feed(&s->watch, &p, &jump_ns);
	struct event e;

	s->facts.stuck = course == PHC_COURSE_STUCK;
	if (s->facts.stuck && !was_stuck) {
		e = event_make(EVENT_PHC_STUCK, r->mono_ns, s->facts.name,
			       "%s: stands still at %" PRId64 ".%09" PRId64, s->facts.name,
			       r->phc_ns / NSEC_PER_SEC, r->phc_ns % NSEC_PER_SEC);
		tell(s, &e);
	}
	if (was_stuck && !s->facts.stuck) /* where it went on from is no jump of its own */
		tell_back(s, r->mono_ns, "runs again");
	else if (course == PHC_COURSE_JUMPED) {
		tell_jump(s, INT64_MAX); /* one before this, if there is */
		s->jump = (struct jump){from_mono_ns, r->mono_ns, jump_ns};
	}
}

static void take_reading(struct phc_source *s, const struct phc_reading *r)
{
	struct sample sample = {
		.mono_ns = r->mono_ns,
		.value = r->system_ns - (r->phc_ns - s->utc_offset_s * NSEC_PER_SEC),
		.delay_ns = r->delay_ns,
	};

	if (s->facts.error)
		tell_back(s, r->mono_ns, "can be read again");
	tell_method(s, r);
	judge_speed(s, r);
	judge_course(s, r);
	s->facts.known = true;
	s->facts.reading = *r;
	s->facts.sys_minus_phc_ns = sample.value;
	s->facts.utc_offset_s = s->utc_offset_s;
	s->options.on_sample(s->options.userdata, &sample);
}

void phc_source_receive(struct phc_source *s)
{
	struct result result;

	tell_jump(s, nsec_now(CLOCK_MONOTONIC));
	while (recv(s->fd, &result, sizeof(result), MSG_DONTWAIT) == sizeof(result)) {
		if (result.error)
			tell_failure(s, result.error, nsec_now(CLOCK_MONOTONIC));
		else
			take_reading(s, &result.reading);
		s->facts.error = result.error;
	}
}

void phc_source_tick(struct phc_source *s, int64_t now_mono_ns)
{
	int64_t since_ns = atomic_load(&s->worker->since_mono_ns);

	tell_jump(s, now_mono_ns);
	if (since_ns && now_mono_ns - since_ns >= UNANSWERED_NS)
		tell_slow(s, now_mono_ns, now_mono_ns - since_ns, false);
}

void phc_source_was_set(struct phc_source *s, int64_t mono_ns)
{
	s->set_mono_ns = mono_ns;
}

void phc_source_set_utc_offset(struct phc_source *s, int64_t seconds)
{
	s->utc_offset_s = seconds;
}

struct phc_facts phc_source_facts(const struct phc_source *s)
{
	struct phc_facts facts = s->facts;

	facts.silent_since = atomic_load(&s->worker->since_mono_ns);
	return facts;
}

/* Beginning and ending */

static int make_worker(struct phc_source *s)
{
	struct worker *w = calloc(1, sizeof(*w));
	int fds[2];

	if (!w)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0) {
		free(w);
		return -errno;
	}
	(void)snprintf(w->device, sizeof(w->device), "%s", s->options.device);
	w->interval_ns = s->options.interval_ns;
	w->readings = s->options.readings;
	w->fd = fds[1];
	atomic_init(&w->users, 1);
	(void)pthread_mutex_init(&w->lock, NULL);
	(void)pthread_cond_init(&w->wake, NULL);
	s->worker = w;
	s->fd = fds[0];
	return 0;
}

/* Signals are the event loop's. */
static int start(struct phc_source *s)
{
	pthread_attr_t attr;
	sigset_t all;
	sigset_t before;
	int r = pthread_attr_init(&attr);

	if (r != 0)
		return -r;
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	atomic_store(&s->worker->users, 2);
	r = pthread_create(&s->thread, &attr, work, s->worker);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	if (r != 0)
		atomic_store(&s->worker->users, 1);
	else
		(void)pthread_setname_np(s->thread, s->facts.name);
	return -r;
}

int phc_source_new(struct phc_source **out, const struct phc_source_options *options)
{
	struct phc_source *s = calloc(1, sizeof(*s));
	const char *slash = strrchr(options->device, '/');
	int r;

	if (!s)
		return -ENOMEM;
	s->options = *options;
	s->fd = -1;
	s->facts.name = slash ? slash + 1 : options->device;
	r = make_worker(s);
	if (r == 0)
		r = start(s);
	if (r < 0) {
		if (s->worker)
			leave(s->worker);
		close_fdp(&s->fd);
		free(s);
		return r;
	}
	*out = s;
	return 0;
}

struct phc_source *phc_source_free(struct phc_source *s)
{
	struct timespec deadline;
	struct worker *w;

	if (!s)
		return NULL;
	w = s->worker;
	(void)pthread_mutex_lock(&w->lock);
	w->stop = true;
	(void)pthread_cond_signal(&w->wake);
	(void)pthread_mutex_unlock(&w->lock);
	deadline = nsec_to_timespec(nsec_now(CLOCK_MONOTONIC) + END_NS);
	if (pthread_clockjoin_np(s->thread, NULL, CLOCK_MONOTONIC, &deadline) != 0)
		(void)pthread_detach(s->thread);
	leave(w);
	close_fdp(&s->fd);
	free(s);
	return NULL;
}

int phc_source_fd(const struct phc_source *s)
{
	return s->fd;
}
