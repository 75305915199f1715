/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/supervise/message.h: what parent and recorder say to each other.
 *
 * Fixed messages over a SOCK_SEQPACKET pair, one a packet; both ends are the same executable, and
 * the version catches an upgrade under a running service. Sending never blocks.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/model/event.h"
#include "ptpmon/model/status.h"

enum { MESSAGE_VERSION = 3 };

enum message_kind {
	/* parent to recorder */
	MESSAGE_CHILD, /* a child as it is now, and what happened to it */
	MESSAGE_LEAVE, /* when it ends next, its run goes on with another recorder */
	MESSAGE_EVENT, /* something else happened; child.name is its subject */
	/* recorder to parent */
	MESSAGE_READY,      /* the database is open: children may start */
	MESSAGE_CANNOT_RUN, /* text says why; the recorder ends */
	MESSAGE_FIRST_DATA,
	/* once a second; text is a line for STATUS=; mono_ns is that of the newest event of a
	 * child that is durable */
	MESSAGE_BEAT,
	MESSAGE_RESTART, /* stop and start child.name; text is the reason */
	MESSAGE_STEER,   /* start phc2sys, or start it anew, with `steer`; text is the reason */
	MESSAGE_STOP,    /* stop child.name, which only MESSAGE_STEER starts; text is the reason */
	MESSAGE_KIND_MAX
};

/* What phc2sys is to steer CLOCK_REALTIME, or one PHC, by. */
struct message_steer {
	bool given;
	int32_t phc_index;
	int32_t sink_index;   /* only of one that steers a PHC by a PHC: that PHC */
	int32_t utc_offset_s; /* how far the PHC is ahead of UTC */
};

struct message {
	uint32_t version;
	enum message_kind kind;
	int64_t mono_ns; /* when it happened */
	bool happened;   /* code is an event to record, not only a state */
	enum event_code code;
	struct status_child child;
	bool leaving; /* the child is no longer one of ours */
	struct message_steer
		steer; /* MESSAGE_STEER; MESSAGE_CHILD of phc2sys: what it was started with */
	char text[STATUS_TEXT_MAX * 2];
};

/* 0, or -errno: -EAGAIN (the other end does not read), -EPIPE (it is gone). Fills in version. */
int message_send(int fd, const struct message *m);

/* The same for a message that is only a text, of now. */
int message_tell(int fd, enum message_kind kind, const char *text);

/* 1: a message; 0: the other end is gone; or -errno: -EAGAIN, -EPROTO (another version). */
int message_receive(int fd, struct message *out);
