/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/latency/sampler.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/latency/conditions.h"
#include "ptpmon/latency/sender.h"
#include "ptpmon/latency/thread.h"

/* After a window's end the threads have handed it over by then, unless they are late themselves. */
static const int64_t grace_ns = 5 * NSEC_PER_MSEC;
/* From the last thread's set-up to the first deadline. */
static const int64_t lead_ns = 10 * NSEC_PER_MSEC;
/* How often conditions that did not change are sent again. */
static const int64_t repeat_ns = 10 * NSEC_PER_SEC;
/* How long a reader that does not read may hold up the end that a signal asked for. */
static const int64_t linger_ns = 2 * NSEC_PER_SEC;

struct sampler {
	const struct sampler_options *options;
	struct pace pace;
	struct surroundings around;
	size_t n, started;
	struct latency_thread *threads;
	struct latency_conditions *conditions; /* as sent last, one a thread */
	int64_t conditions_sent_mono_ns;
	struct sender *sender;
	int signal_fd;
};

/* What of set the kernel does not count among the CPUs in this file goes, with a line saying so. */
static void drop_cpus(struct cpulist *set, const char *path, const char *what)
{
	struct cpulist there;
	struct cpulist gone = {0};
	char text[CPULIST_TEXT_MAX];

	if (cpulist_read(path, &there) < 0)
		return; /* pinning will tell */
	for (size_t i = 0; i < CPULIST_WORDS; i++) {
		gone.bits[i] = set->bits[i] & ~there.bits[i];
		set->bits[i] &= there.bits[i];
	}
	if (cpulist_count(&gone) > 0)
		log_warning("cpu %s: %s: not measured", cpulist_format(&gone, text), what);
}

static int choose_cpus(struct sampler *s, struct cpulist *cpus)
{
	*cpus = s->options->cpus;
	drop_cpus(cpus, "/sys/devices/system/cpu/present", "not present");
	drop_cpus(cpus, "/sys/devices/system/cpu/online", "offline");
	s->n = cpulist_count(cpus);
	if (s->n > 0)
		return 0;
	log_error("none of the CPUs asked for can be measured");
	return -ENODEV;
}

static int allocate(struct sampler *s, const struct cpulist *cpus)
{
	size_t i = 0;

	s->threads = latency_threads_new(s->n);
	s->conditions = calloc(s->n, sizeof(*s->conditions));
	if (!s->threads || !s->conditions ||
	    sender_new(&s->sender, s->options->fd, s->threads, s->n) < 0) {
		log_error("no memory to measure %zu CPUs", s->n);
		return -ENOMEM;
	}
	for (size_t cpu = cpulist_next(cpus, 0); cpu < CPULIST_MAX;
	     cpu = cpulist_next(cpus, cpu + 1)) {
		s->threads[i].cpu = (unsigned)cpu;
		s->threads[i++].pace = &s->pace;
	}
	return 0;
}

/* Memory and idle states. What is refused is noted. */
static void prepare_machine(struct sampler *s)
{
	struct surroundings *around = &s->around;

	if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
		around->lock_error = errno;
	around->memory_locked = around->lock_error == 0;
	if (s->options->hold_idle_states)
		around->idle_error = -idle_states_hold(&around->idle_fd);
}

static void release_threads(struct sampler *s)
{
	for (size_t i = 0; i < s->started; i++)
		(void)sem_post(&s->pace.go);
}

static void join_threads(struct sampler *s)
{
	atomic_store(&s->pace.stop, true);
	for (size_t i = 0; i < s->started; i++)
		latency_thread_join(&s->threads[i]);
	s->started = 0;
}

/* What was refused is the end if the options say so: a line for the first, most telling refusal. */
static int judge_refusals(const struct sampler *s, int schedule_error)
{
	const struct surroundings *around = &s->around;

	if (!s->options->fail_on_refusal)
		return 0;
	if (schedule_error)
		log_error("SCHED_FIFO %d: %s (needs CAP_SYS_NICE or RLIMIT_RTPRIO, and real-time "
			  "runtime in its cgroup)",
			  s->pace.priority, strerror(schedule_error));
	else if (around->lock_error)
		log_error("locking memory: %s (needs CAP_IPC_LOCK or a higher RLIMIT_MEMLOCK)",
			  strerror(around->lock_error));
	else if (around->idle_error)
		log_error("/dev/cpu_dma_latency: %s (needs write permission)",
			  strerror(around->idle_error));
	else
		return 0;
	return -EPERM;
}

/* Are there threads that measure, and is what was refused allowed to be? */
static int judge_threads(const struct sampler *s)
{
	size_t pinned = 0;
	int refused = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct latency_thread *t = &s->threads[i];

		if (t->pin_error)
			log_warning("cpu %u: cannot run there (outside this cpuset?): %s: not "
				    "measured",
				    t->cpu, strerror(t->pin_error));
		else
			pinned++;
		if (t->schedule_error)
			refused = t->schedule_error;
	}
	if (pinned == 0) {
		log_error("none of the CPUs asked for can be measured");
		return -ENODEV;
	}
	return judge_refusals(s, refused);
}

static int start_threads(struct sampler *s)
{
	for (size_t i = 0; i < s->n; i++) {
		int r = latency_thread_start(&s->threads[i]);

		if (r < 0) {
			log_error("cpu %u: no thread: %s", s->threads[i].cpu, strerror(-r));
			return r;
		}
		s->started++;
	}
	for (size_t i = 0; i < s->n; i++)
		while (sem_wait(&s->pace.set_up) < 0)
			;
	return judge_threads(s);
}

static void refresh_conditions(struct sampler *s, int64_t now_mono_ns)
{
	bool repeat = now_mono_ns - s->conditions_sent_mono_ns >= repeat_ns;

	for (size_t i = 0; i < s->n; i++) {
		struct latency_conditions c;

		if (s->threads[i].pin_error || !conditions_read(&s->threads[i], &s->around, &c))
			continue;
		if (!repeat && conditions_equal(&c, &s->conditions[i]))
			continue;
		s->conditions[i] = c;
		sender_put_conditions(s->sender, i, &c);
	}
	if (repeat)
		s->conditions_sent_mono_ns = now_mono_ns;
}

static void set_pace(struct sampler *s)
{
	const struct sampler_options *o = s->options;
	int64_t first = nsec_now(CLOCK_MONOTONIC) + lead_ns;

	first += o->interval_ns - first % o->interval_ns;
	s->pace.first_mono_ns = first;
	s->pace.until_mono_ns = o->duration_ns > 0 ? first + o->duration_ns : INT64_MAX;
	refresh_conditions(s, first); /* all of them: none was sent yet */
}

enum wake { WAKE_AGAIN, WAKE_SIGNAL, WAKE_READER_GONE };

/* Sleeps until the moment given, a signal, the reader's going, or (if full) room in the socket. */
static enum wake wait_until(const struct sampler *s, int64_t mono_ns, bool full)
{
	struct pollfd fds[] = {
		{.fd = s->signal_fd, .events = POLLIN},
		{.fd = s->options->fd, .events = full ? POLLOUT : 0},
	};
	int64_t left = mono_ns - nsec_now(CLOCK_MONOTONIC);
	struct timespec timeout = nsec_to_timespec(left > 0 ? left : 0);
	struct signalfd_siginfo info;

	if (ppoll(fds, 2, &timeout, NULL) <= 0)
		return WAKE_AGAIN;
	if (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
		return WAKE_READER_GONE;
	return read(s->signal_fd, &info, sizeof(info)) > 0 ? WAKE_SIGNAL : WAKE_AGAIN;
}

/* Hands windows over while the threads measure. Returns what ended it; WAKE_AGAIN: its time. */
static enum wake serve(struct sampler *s)
{
	const int64_t window_ns = s->options->window_ns;
	const int64_t until = s->pace.until_mono_ns;
	enum wake wake = WAKE_AGAIN;
	int64_t now = nsec_now(CLOCK_MONOTONIC);
	int64_t next = now - now % window_ns + window_ns; /* the window's end to wait for */
	int r = sender_flush(s->sender);

	while (r >= 0 && wake == WAKE_AGAIN && now < until) {
		wake = wait_until(s, (next < until ? next : until) + grace_ns, r == SENDER_FULL);
		now = nsec_now(CLOCK_MONOTONIC);
		if (now >= next) {
			next = now - now % window_ns + window_ns;
			refresh_conditions(s, now);
		}
		r = sender_flush(s->sender);
	}
	return r < 0 ? WAKE_READER_GONE : wake;
}

/* After the threads have ended: hands over what is left, for a while if a signal was the end. */
static void finish(struct sampler *s, enum wake wake)
{
	int64_t give_up = wake == WAKE_SIGNAL ? nsec_now(CLOCK_MONOTONIC) + linger_ns : INT64_MAX;
	int r = sender_flush(s->sender);

	while (r == SENDER_FULL && wake != WAKE_READER_GONE &&
	       nsec_now(CLOCK_MONOTONIC) < give_up) {
		wake = wait_until(s, nsec_now(CLOCK_MONOTONIC) + linger_ns, true);
		if (wake == WAKE_SIGNAL)
			give_up = 0;
		r = sender_flush(s->sender);
	}
	if (r)
		log_warning("the last windows were not handed over: the reader %s",
			    r == SENDER_FULL ? "does not read" : "is gone");
}

static int open_signals(struct sampler *s)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGHUP);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signal_fd < 0) {
		int r = -errno;

		log_error("signals: %s", strerror(-r));
		return r;
	}
	return 0;
}

static int measure(struct sampler *s)
{
	struct cpulist cpus;
	int r = choose_cpus(s, &cpus);

	if (r == 0)
		r = open_signals(s);
	if (r == 0)
		r = allocate(s, &cpus);
	if (r == 0) {
		prepare_machine(s);
		r = start_threads(s);
	}
	if (r == 0)
		set_pace(s);
	else
		atomic_store(&s->pace.stop, true);
	release_threads(s);
	if (r == 0) {
		enum wake wake = serve(s);

		join_threads(s);
		finish(s, wake);
	} else {
		join_threads(s);
	}
	return r;
}

int sampler_run(const struct sampler_options *options)
{
	struct sampler s = {
		.options = options,
		.pace = {.priority = (int)options->priority,
			 .interval_ns = options->interval_ns,
			 .window_ns = options->window_ns},
		.around.idle_fd = -1,
		.signal_fd = -1,
	};
	int r;

	(void)sem_init(&s.pace.set_up, 0, 0);
	(void)sem_init(&s.pace.go, 0, 0);
	r = measure(&s);
	(void)sem_destroy(&s.pace.set_up);
	(void)sem_destroy(&s.pace.go);
	s.sender = sender_free(s.sender);
	s.threads = latency_threads_free(s.threads);
	free(s.conditions);
	close_fdp(&s.around.idle_fd);
	close_fdp(&s.signal_fd);
	return r;
}
