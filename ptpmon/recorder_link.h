/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/recorder_link.h: the parent's end of its talk with the recorder, across restarts of the
 * recorder.
 *
 * Each recorder gets a pair of its own. What happens while there is none, or while it does not
 * read, waits in a small outbox, so that a recorder that was killed learns what it missed.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "ptpmon/supervise/message.h"

enum { RECORDER_LINK_OUTBOX_MAX = 64 };

struct recorder_link {
	int fd;        /* ours; -1 without a recorder */
	int remote_fd; /* the recorder's, until it has inherited it */
	size_t n_waiting;
	unsigned lost; /* events that the outbox had no room for */
	struct message outbox[RECORDER_LINK_OUTBOX_MAX];
};

/* A new pair for the next recorder; the old one is closed. 0, or -errno. */
int recorder_link_renew(struct recorder_link *l);

/* The recorder has inherited its end (or will never). */
void recorder_link_forget_remote(struct recorder_link *l);
void recorder_link_close(struct recorder_link *l);

/* Sends, or keeps it for later if it is an event; a mere state is dropped if it cannot be sent now.
 */
void recorder_link_send(struct recorder_link *l, const struct message *m);

/* Sends what waits, oldest first. */
void recorder_link_flush(struct recorder_link *l);
