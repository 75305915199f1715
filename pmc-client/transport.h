/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every transport gives the client: a non-blocking, close-on-exec descriptor on which send()
 * reaches the server and recv() yields whole messages.
 */
#pragma once

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "pmc-client/ptp_types.h"

/* 0, or -errno. -EAGAIN: the receiver's queue is full and nothing was sent. */
static inline int transport_send(int fd, const uint8_t *message, size_t len)
{
	return send(fd, message, len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* How long the next datagram is (beyond size, if it was cut), or -errno; -EAGAIN: none is left. */
static inline ssize_t transport_receive(int fd, uint8_t *message, size_t size)
{
	ssize_t n = recv(fd, message, size, MSG_DONTWAIT | MSG_TRUNC);

	return n < 0 ? -errno : n;
}
