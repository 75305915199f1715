/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/parent/recorder_link.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "ptpmon/base/cleanup.h"

int recorder_link_renew(struct recorder_link *l)
{
	int fds[2];

	recorder_link_close(l);
	l->n_sent = 0;
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

void recorder_link_flush(struct recorder_link *l)
{
	while (l->fd >= 0 && l->n_sent < l->n_kept &&
	       message_send(l->fd, &l->outbox[l->n_sent]) == 0)
		l->n_sent++;
}

bool recorder_link_send(struct recorder_link *l, const struct message *m)
{
	recorder_link_flush(l);
	if (!m->happened) {
		if (l->fd >= 0 && l->n_sent == l->n_kept)
			(void)message_send(l->fd, m);
		return true;
	}
	if (l->n_kept == RECORDER_LINK_OUTBOX_MAX) {
		l->lost++;
		return false;
	}
	l->outbox[l->n_kept++] = *m;
	recorder_link_flush(l);
	return true;
}

void recorder_link_child_left(struct recorder_link *l, const char *name)
{
	for (size_t i = 0; i < l->n_kept; i++)
		if (l->outbox[i].kind == MESSAGE_CHILD &&
		    strcmp(l->outbox[i].child.name, name) == 0)
			l->outbox[i].leaving = true;
}

void recorder_link_acknowledge(struct recorder_link *l, int64_t mono_ns)
{
	size_t done = 0;

	while (done < l->n_sent && l->outbox[done].mono_ns <= mono_ns)
		done++;
	l->n_kept -= done;
	l->n_sent -= done;
	memmove(l->outbox, l->outbox + done, l->n_kept * sizeof(l->outbox[0]));
}
