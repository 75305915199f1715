/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/parent/recorder_link.h: the parent's end of its talk with the recorder, across restarts of
 * the recorder.
 *
 * Each recorder gets a pair of its own. An event is kept until a recorder says that it is durable,
 * and sent again to the next one, so that a recorder that was killed learns what it missed.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "ptpmon/supervise/message.h"

enum { RECORDER_LINK_OUTBOX_MAX = 64 };

struct recorder_link {
	int fd;        /* ours; -1 without a recorder */
	int remote_fd; /* the recorder's, until it has inherited it */
	size_t n_kept,
		n_sent; /* events in the outbox, and how many of them this recorder has got */
	unsigned lost;  /* events that the outbox had no room for, and nobody was told of yet */
	struct message outbox[RECORDER_LINK_OUTBOX_MAX];
};

/* A new pair for the next recorder; the old one is closed. 0, or -errno. */
int recorder_link_renew(struct recorder_link *l);

/* The recorder has inherited its end (or will never). */
void recorder_link_forget_remote(struct recorder_link *l);
void recorder_link_close(struct recorder_link *l);

/*
 * Sends it, now or later if it is an event; a mere state is dropped if it cannot be sent now.
 * False if an event was lost: the outbox is full.
 */
bool recorder_link_send(struct recorder_link *l, const struct message *m);

/* Sends what waits, oldest first. */
void recorder_link_flush(struct recorder_link *l);

/* That child has left: what is still kept of it is sent again as an event only. */
void recorder_link_child_left(struct recorder_link *l, const char *name);

/* Events up to this moment are durable. */
void recorder_link_acknowledge(struct recorder_link *l, int64_t mono_ns);
