/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/supervise/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "ptpmon/base/nsec.h"

int message_send(int fd, const struct message *m)
{
	struct message copy = *m;

	copy.version = MESSAGE_VERSION;
	return send(fd, &copy, sizeof(copy), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int message_tell(int fd, enum message_kind kind, const char *text)
{
	struct message m = {.kind = kind, .mono_ns = nsec_now(CLOCK_MONOTONIC)};

	(void)snprintf(m.text, sizeof(m.text), "%s", text);
	return message_send(fd, &m);
}

/* Nothing that comes in may run past its end or out of a table. */
static bool sane(const struct message *m)
{
	return m->version == MESSAGE_VERSION && m->kind < MESSAGE_KIND_MAX &&
	       m->code < EVENT_CODE_MAX && m->child.state < CHILD_STATE_MAX &&
	       memchr(m->text, '\0', sizeof(m->text)) &&
	       memchr(m->child.name, '\0', sizeof(m->child.name)) &&
	       memchr(m->child.policy, '\0', sizeof(m->child.policy)) &&
	       memchr(m->child.cpus, '\0', sizeof(m->child.cpus)) &&
	       memchr(m->child.problem, '\0', sizeof(m->child.problem));
}

int message_receive(int fd, struct message *out)
{
	struct message m;
	ssize_t n = recv(fd, &m, sizeof(m), MSG_DONTWAIT | MSG_TRUNC);

	/* it closed with something of ours unread, and what it said last is still to come */
	if (n < 0 && errno == ECONNRESET)
		n = recv(fd, &m, sizeof(m), MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0)
		return -errno;
	if (n == 0)
		return 0;
	if (n != sizeof(m) || !sane(&m))
		return -EPROTO;
	*out = m;
	return 1;
}
