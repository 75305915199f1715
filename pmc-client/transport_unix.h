/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The UNIX datagram transport. ptp4l answers to the address that a request came from, so the own
 * socket is bound: to a file, or to an abstract name. It is connected as well: then the kernel
 * drops what anyone but ptp4l sends, and ptp4l's send buffer, not the short queue of this socket,
 * limits how much may pile up before ptp4l blocks.
 */
#pragma once

#include <sys/stat.h>
#include <sys/un.h>

#include "pmc-client/transport.h"

struct transport_unix {
	int fd;      /* -1: closed */
	bool chosen; /* the own path was not given */
	bool bound;  /* the own file exists and is ours */
	struct sockaddr_un server, own;
	socklen_t own_len;
	struct stat server_file; /* when connected */
};

/*
 * Prepare the addresses. own_path may be NULL: see struct pmc_client_options. nonce makes a
 * chosen name unique. 0; -EINVAL: a relative own_path, which ptp4l would resolve from its own
 * directory; -ENAMETOOLONG.
 */
int transport_unix_init(struct transport_unix *t, const char *server_path, const char *own_path,
			uint32_t nonce);

/* Bind and connect. 0, or -errno with everything closed and removed again. */
int transport_unix_open(struct transport_unix *t);

/* Close, and remove the own socket file. */
void transport_unix_close(struct transport_unix *t);

/* Is the server that this is connected to still there? 0, or -ENOENT, -ECONNREFUSED ... */
int transport_unix_check(const struct transport_unix *t);
