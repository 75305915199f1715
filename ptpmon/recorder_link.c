/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/recorder_link.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "ptpmon/base/cleanup.h"

int recorder_link_renew(struct recorder_link *l)
{
	int fds[2];

	recorder_link_close(l);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) < 0)
		return -errno;
	l->fd = fds[0];
	l->remote_fd = fds[1];
	return 0;
}

void recorder_link_forget_remote(struct recorder_link *l)
{
	close_fdp(&l->remote_fd);
}

void recorder_link_close(struct recorder_link *l)
{
	close_fdp(&l->fd);
	close_fdp(&l->remote_fd);
}

static void keep(struct recorder_link *l, const struct message *m)
{
	if (!m->happened)
		return;
	if (l->n_waiting == RECORDER_LINK_OUTBOX_MAX) {
		l->lost++;
		return;
	}
	l->outbox[l->n_waiting++] = *m;
}

void recorder_link_flush(struct recorder_link *l)
{
	size_t sent = 0;

	while (l->fd >= 0 && sent < l->n_waiting && message_send(l->fd, &l->outbox[sent]) == 0)
		sent++;
	l->n_waiting -= sent;
	memmove(l->outbox, l->outbox + sent, l->n_waiting * sizeof(l->outbox[0]));
}

void recorder_link_send(struct recorder_link *l, const struct message *m)
{
	recorder_link_flush(l);
	if (l->n_waiting > 0 || l->fd < 0 || message_send(l->fd, m) < 0)
		keep(l, m);
}
