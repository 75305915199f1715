/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/serve/frames.h: messages that end with a NUL, over a non-blocking stream socket.
 *
 * Both ends of the control socket use it; when to read and what messages mean is theirs. No call
 * blocks or raises SIGPIPE.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "ptpmon/base/strbuf.h"

struct frames {
	int fd;        /* borrowed */
	size_t in_max; /* the longest message, with its NUL */
	bool ended;    /* the peer sends no more */
	struct strbuf in, out;
	size_t taken; /* octets of in that were handed out */
	size_t sent;  /* octets of out that have left */
};

/*
 * One read of what has arrived. 0 (nothing new is fine), -EMSGSIZE if a message is longer than
 * in_max, -ENOMEM, or what reading failed with.
 */
int frames_receive(struct frames *f);

/* A complete message waits. */
bool frames_waiting(const struct frames *f);

/* The next message and its length without the NUL, or NULL; good until the next receive. */
const char *frames_next(struct frames *f, size_t *len);

/* Queues text with its NUL. 0, or -ENOMEM. */
int frames_put(struct frames *f, const char *text);

/* Sends what the socket takes now. 0, or what sending failed with. */
int frames_flush(struct frames *f);

size_t frames_unsent(const struct frames *f);

/* Frees the buffers. */
void frames_clear(struct frames *f);
