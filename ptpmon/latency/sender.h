/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/latency/sender.h: hands the windows of all threads to the reader's socket.
 *
 * Runs in the main thread at ordinary priority and never blocks. What the socket does not take
 * stays where it is, in the rings; it goes out in the order of time, all CPUs side by side.
 */
#pragma once
#include <stddef.h>

#include "ptpmon/latency/thread.h"
#include "ptpmon/stats/window.h"

struct sender;

enum { SENDER_FULL = 1 }; /* the socket took no more; the rest waits */

/* fd (SOCK_SEQPACKET) and threads stay the caller's. 0, or -ENOMEM. */
int sender_new(struct sender **out, int fd, struct latency_thread *threads, size_t n);
struct sender *sender_free(struct sender *s);

/* The conditions of threads[i], to be sent by the next sender_flush(). */
void sender_put_conditions(struct sender *s, size_t i, const struct latency_conditions *c);

/*
 * Sends conditions, then windows; of a thread that has ended its last, partial one too.
 * 0, SENDER_FULL, or -errno: the reader is gone (-EPIPE, -ECONNRESET …).
 */
int sender_flush(struct sender *s);
