/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/serve/peer.h: who is at the other end of a UNIX socket, by the kernel's word. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct varlink_peer {
	uid_t uid;
	pid_t pid;
	bool may_write; /* root, this process' own user, or in its group */
};

/* As it was at the peer's connect(). 0, or -errno. */
int peer_get(struct varlink_peer *out, int fd);
