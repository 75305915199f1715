/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/serve/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"

/* Is one of its supplementary groups ours? Not, if the kernel does not tell them (before 4.13). */
static bool has_our_group(int fd)
{
	CLEANUP(freep) gid_t *groups = NULL;
	socklen_t size = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &size) == 0 || errno != ERANGE)
		return false;
	groups = malloc(size);
	if (!groups || getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
		return false;
	for (size_t i = 0; i < size / sizeof(groups[0]); i++)
		if (groups[i] == getegid())
			return true;
	return false;
}

int peer_get(struct varlink_peer *out, int fd)
{
	struct ucred u;
	socklen_t size = sizeof(u);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &u, &size) < 0)
		return -errno;
	*out = (struct varlink_peer){
		.uid = u.uid,
		.pid = u.pid,
		.may_write =
			u.uid == 0 || u.uid == geteuid() || u.gid == getegid() || has_our_group(fd),
	};
	return 0;
}
