/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/latency/sender.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/log.h"

struct outlet {
	struct latency_conditions conditions;
	bool conditions_wait;
	bool early_said;
};

struct sender {
	int fd;
	size_t n;
	struct latency_thread *threads;
	struct outlet *outlets; /* one a thread */

	/* for the message being made */
	struct histogram histogram;
	struct latency_window window;
	uint8_t message[WINDOW_MESSAGE_MAX];
};

DEFINE_FREEP(struct sender, sender_free)

int sender_new(struct sender **out, int fd, struct latency_thread *threads, size_t n)
{
	CLEANUP(sender_freep) struct sender *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->outlets = calloc(n, sizeof(*s->outlets));
	if (!s->outlets)
		return -ENOMEM;
	s->fd = fd;
	s->n = n;
	s->threads = threads;
	*out = steal(&s);
	return 0;
}

struct sender *sender_free(struct sender *s)
{
	if (s)
		free(s->outlets);
	free(s);
	return NULL;
}

void sender_put_conditions(struct sender *s, size_t i, const struct latency_conditions *c)
{
	s->outlets[i].conditions = *c;
	s->outlets[i].conditions_wait = true;
}

static int send_message(struct sender *s, size_t len)
{
	if (send(s->fd, s->message, len, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return 0;
	if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM || errno == EINTR)
		return SENDER_FULL;
	return -errno;
}

static int send_conditions(struct sender *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct outlet *outlet = &s->outlets[i];
		int r;

		if (!outlet->conditions_wait)
			continue;
		r = send_message(s, window_encode_conditions(&outlet->conditions, s->message));
		if (r)
			return r;
		outlet->conditions_wait = false;
	}
	return 0;
}

/* Its oldest window; *last: it is the unfinished one of a thread that has ended. */
static struct slot *oldest_of(struct latency_thread *t, bool *last)
{
	bool ended = atomic_load_explicit(&t->ended, memory_order_acquire);
	struct slot *w = ring_oldest(&t->ring);

	*last = false;
	if (w || !ended)
		return w;
	w = ring_filling(&t->ring);
	*last = true;
	return w->count > 0 || w->missed > 0 ? w : NULL;
}

/* The thread with the oldest window of all; NULL if there is none. */
static struct latency_thread *pick_oldest(struct sender *s)
{
	struct latency_thread *picked = NULL;
	int64_t start = INT64_MAX;

	for (size_t i = 0; i < s->n; i++) {
		bool last;
		const struct slot *w = oldest_of(&s->threads[i], &last);

		if (!w || w->start_mono_ns >= start)
			continue;
		start = w->start_mono_ns;
		picked = &s->threads[i];
	}
	return picked;
}

static void take_slot(struct sender *s, unsigned cpu, const struct slot *w)
{
	s->window.cpu = cpu;
	s->window.start_mono_ns = w->start_mono_ns;
	s->window.end_mono_ns = w->end_mono_ns;
	s->window.count = w->count;
	s->window.min_ns = w->min_ns;
	s->window.max_ns = w->max_ns;
	s->window.sum_ns = w->sum_ns;
	s->window.overflow = w->overflow;
	s->window.missed = w->missed;
	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		s->histogram.bins[i] = w->bins[i];
	s->window.bins_len = histogram_encode(&s->histogram, s->window.bins, WINDOW_BINS_MAX);
}

static void say_early(struct sender *s, const struct latency_thread *t, const struct slot *w)
{
	struct outlet *outlet = &s->outlets[t - s->threads];

	if (w->early == 0 || outlet->early_said)
		return;
	log_warning("cpu %u: woken before the deadline, counted as a latency of 0: times=%" PRIu64,
		    t->cpu, w->early);
	outlet->early_said = true;
}

int sender_flush(struct sender *s)
{
	struct latency_thread *t;
	int r = send_conditions(s);

	while (r == 0 && (t = pick_oldest(s))) {
		bool last;
		struct slot *w = oldest_of(t, &last);

		take_slot(s, t->cpu, w);
		r = send_message(s, window_encode(&s->window, s->message));
		if (r)
			break;
		say_early(s, t, w);
		if (last)
			*w = (struct slot){0};
		else
			ring_release(&t->ring);
	}
	return r;
}
