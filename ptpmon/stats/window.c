/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A message is a row of 64-bit numbers, version and kind first, then text or bins. */
#include "ptpmon/stats/window.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define NUMBER            sizeof(uint64_t)
#define WINDOW_HEADER     (11 * NUMBER)
#define CONDITIONS_HEADER (12 * NUMBER)
#define CLOCKSOURCE_MAX   sizeof(((struct latency_conditions *)0)->clocksource)
#define CONDITIONS_LEN    (CONDITIONS_HEADER + CLOCKSOURCE_MAX)

static_assert(WINDOW_HEADER + WINDOW_BINS_MAX <= WINDOW_MESSAGE_MAX, "a window fits");

const char *conditions_problem(const struct latency_conditions *c,
			       char out[static CONDITIONS_TEXT_MAX])
{
	char schedule[CONDITIONS_TEXT_MAX / 3] = "";
	char pinning[CONDITIONS_TEXT_MAX / 3] = "";
	char lock[CONDITIONS_TEXT_MAX / 3] = "";

	if (c->schedule_error)
		(void)snprintf(schedule, sizeof(schedule), "; SCHED_FIFO refused: %s",
			       strerror(c->schedule_error));
	else if (c->policy != SCHED_FIFO)
		(void)snprintf(schedule, sizeof(schedule), "; not scheduled SCHED_FIFO");
	if (!c->pinned)
		(void)snprintf(pinning, sizeof(pinning), "; not bound to its CPU");
	if (c->lock_error)
		(void)snprintf(lock, sizeof(lock), "; memory not locked: %s",
			       strerror(c->lock_error));
	else if (!c->memory_locked)
		(void)snprintf(lock, sizeof(lock), "; memory not locked");
	(void)snprintf(out, CONDITIONS_TEXT_MAX, "%s%s%s", schedule, pinning, lock);
	if (out[0])
		memmove(out, out + 2, strlen(out + 2) + 1); /* the first separator */
	return out;
}

static uint8_t *put(uint8_t *at, uint64_t v)
{
	memcpy(at, &v, NUMBER);
	return at + NUMBER;
}

static uint64_t get(const uint8_t **at)
{
	uint64_t v;

	memcpy(&v, *at, NUMBER);
	*at += NUMBER;
	return v;
}

size_t window_encode(const struct latency_window *w, uint8_t *out)
{
	uint8_t *at = out;

	assert(w->bins_len <= WINDOW_BINS_MAX);
	at = put(at, WINDOW_VERSION);
	at = put(at, WINDOW_LATENCY);
	at = put(at, w->cpu);
	at = put(at, (uint64_t)w->start_mono_ns);
	at = put(at, (uint64_t)w->end_mono_ns);
	at = put(at, w->count);
	at = put(at, (uint64_t)w->min_ns);
	at = put(at, (uint64_t)w->max_ns);
	at = put(at, (uint64_t)w->sum_ns);
	at = put(at, w->overflow);
	at = put(at, w->missed);
	assert(at == out + WINDOW_HEADER);
	memcpy(at, w->bins, w->bins_len);
	return WINDOW_HEADER + w->bins_len;
}

size_t window_encode_conditions(const struct latency_conditions *c, uint8_t *out)
{
	uint8_t *at = out;

	at = put(at, WINDOW_VERSION);
	at = put(at, WINDOW_CONDITIONS);
	at = put(at, c->cpu);
	at = put(at, (uint64_t)c->policy);
	at = put(at, (uint64_t)c->priority);
	at = put(at, (uint64_t)c->schedule_error);
	at = put(at, c->pinned);
	at = put(at, c->memory_locked);
	at = put(at, (uint64_t)c->lock_error);
	at = put(at, c->idle_states_held);
	at = put(at, (uint64_t)c->idle_error);
	at = put(at, (uint64_t)c->interval_ns);
	assert(at == out + CONDITIONS_HEADER);
	memcpy(at, c->clocksource, CLOCKSOURCE_MAX);
	return CONDITIONS_LEN;
}

int window_kind(const uint8_t *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t kind;

	if (len < 2 * NUMBER)
		return -EBADMSG;
	if (get(&at) != WINDOW_VERSION)
		return -EPROTO;
	kind = get(&at);
	if (kind != WINDOW_LATENCY && kind != WINDOW_CONDITIONS)
		return -EBADMSG;
	return (int)kind;
}

/* Could these numbers have been counted? A reader adds them up, so they must at least agree. */
static bool plausible(const struct latency_window *w)
{
	uint64_t binned;

	if (w->start_mono_ns < 0 || w->end_mono_ns < w->start_mono_ns)
		return false;
	if (histogram_check(w->bins, w->bins_len, &binned) < 0)
		return false;
	if (w->overflow > w->count || binned != w->count - w->overflow)
		return false;
	if (w->count == 0)
		return w->min_ns == 0 && w->max_ns == 0 && w->sum_ns == 0;
	return w->min_ns >= 0 && w->max_ns >= w->min_ns && w->sum_ns >= w->max_ns;
}

int window_decode(const uint8_t *bytes, size_t len, struct latency_window *out)
{
	const uint8_t *at = bytes + 2 * NUMBER;
	struct latency_window w;
	uint64_t cpu;

	if (window_kind(bytes, len) != WINDOW_LATENCY || len < WINDOW_HEADER ||
	    len > WINDOW_HEADER + WINDOW_BINS_MAX)
		return -EBADMSG;
	cpu = get(&at);
	w.cpu = (uint32_t)cpu;
	w.start_mono_ns = (int64_t)get(&at);
	w.end_mono_ns = (int64_t)get(&at);
	w.count = get(&at);
	w.min_ns = (int64_t)get(&at);
	w.max_ns = (int64_t)get(&at);
	w.sum_ns = (int64_t)get(&at);
	w.overflow = get(&at);
	w.missed = get(&at);
	w.bins_len = len - WINDOW_HEADER;
	memcpy(w.bins, at, w.bins_len);
	if (cpu > UINT32_MAX || !plausible(&w))
		return -EBADMSG;
	*out = w;
	return 0;
}

int window_decode_conditions(const uint8_t *bytes, size_t len, struct latency_conditions *out)
{
	const uint8_t *at = bytes + 2 * NUMBER;
	struct latency_conditions c = {0};

	if (window_kind(bytes, len) != WINDOW_CONDITIONS || len != CONDITIONS_LEN)
		return -EBADMSG;
	c.cpu = (uint32_t)get(&at);
	c.policy = (int32_t)get(&at);
	c.priority = (int32_t)get(&at);
	c.schedule_error = (int32_t)get(&at);
	c.pinned = get(&at) != 0;
	c.memory_locked = get(&at) != 0;
	c.lock_error = (int32_t)get(&at);
	c.idle_states_held = get(&at) != 0;
	c.idle_error = (int32_t)get(&at);
	c.interval_ns = (int64_t)get(&at);
	memcpy(c.clocksource, at, CLOCKSOURCE_MAX);
	if (!memchr(c.clocksource, '\0', CLOCKSOURCE_MAX) || c.interval_ns <= 0)
		return -EBADMSG;
	*out = c;
	return 0;
}
