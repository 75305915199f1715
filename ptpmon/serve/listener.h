/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/serve/listener.h: a listening UNIX socket with a name in the file system.
 *
 * One owner a name: a live one is left alone, what a killed one left behind is replaced. The name
 * goes when the listener closes, unless somebody else's socket stands there by then.
 */
#pragma once
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>

enum { LISTENER_WHY_MAX = 256 };

struct listener {
	int fd; /* non-blocking, close-on-exec */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	dev_t dev; /* the name's inode: what listener_close() may remove */
	ino_t ino;
};

/*
 * Binds path with exactly these permissions, whatever the umask; at no moment does it have more.
 * The caller must hold something that keeps a second service from starting at the same moment
 * (the record's lock): two that find the same stale socket could otherwise both replace it.
 *
 * 0, or -errno with one line in why that says what and what to do: -EADDRINUSE if another process
 * listens there, -EEXIST if something stands there that is no socket, -ENAMETOOLONG, or what
 * binding failed with. *out changes only on success.
 */
int listener_open(struct listener *out, const char *path, mode_t mode,
		  char why[static LISTENER_WHY_MAX]);

/* Is the name still there, and this one's? Without it nobody finds the socket. */
bool listener_has_name(const struct listener *l);

/* Closes and removes the name if it is still this one's. A second call does nothing. */
void listener_close(struct listener *l);
