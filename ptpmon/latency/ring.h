/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/latency/ring.h: windows on their way from one real-time thread to the sender.
 *
 * One producer, one consumer, no locks: the producer fills the slot at head, and the slots from
 * tail up to head wait for the consumer, who clears each one before giving it back. A full ring
 * costs no window: the producer goes on filling the one it has, which then covers more time.
 */
#pragma once
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/stats/histogram.h"

enum { RING_WAITING_MAX = 60, RING_SLOTS = RING_WAITING_MAX + 1, CACHE_LINE = 64 };

/* As struct latency_window counts, while it is being counted; all zero is an empty one. */
struct slot {
	int64_t start_mono_ns, end_mono_ns;
	uint64_t count;
	int64_t min_ns, max_ns, sum_ns;
	uint64_t overflow, missed;
	uint64_t early; /* woken before the deadline, counted as a latency of 0 */
	uint32_t bins[HISTOGRAM_BINS];
};

struct ring {
	alignas(CACHE_LINE) atomic_uint head; /* written by the producer only */
	alignas(CACHE_LINE) atomic_uint tail; /* written by the consumer only */
	alignas(CACHE_LINE) struct slot slots[RING_SLOTS];
};

static inline unsigned ring_after(unsigned i)
{
	return i + 1 == RING_SLOTS ? 0 : i + 1;
}

/* Producer, or anyone once the producer has ended: the slot being filled. */
static inline struct slot *ring_filling(struct ring *r)
{
	return &r->slots[atomic_load_explicit(&r->head, memory_order_relaxed)];
}

/* Producer: hands over the slot being filled and goes on to the next. False if that is not free. */
static inline bool ring_publish(struct ring *r)
{
	unsigned next = ring_after(atomic_load_explicit(&r->head, memory_order_relaxed));

	if (next == atomic_load_explicit(&r->tail, memory_order_acquire))
		return false;
	atomic_store_explicit(&r->head, next, memory_order_release);
	return true;
}

/* Consumer: the slot that has waited longest, or NULL. */
static inline struct slot *ring_oldest(struct ring *r)
{
	unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	if (tail == atomic_load_explicit(&r->head, memory_order_acquire))
		return NULL;
	return &r->slots[tail];
}

/* Consumer: gives the oldest slot back, cleared. */
static inline void ring_release(struct ring *r)
{
	unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	r->slots[tail] = (struct slot){0};
	atomic_store_explicit(&r->tail, ring_after(tail), memory_order_release);
}
