// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/serve/listener.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "ptpmon/base/cleanup.h"

enum { BACKLOG = 64 };

__attribute__((format(printf, 3, 4))) static int fail(int error, char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, LISTENER_WHY_MAX, fmt, ap);
	va_end(ap);
	return error;
}

static int connect_error(const struct sockaddr_un *address)
{
	CLEANUP(close_fdp) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
		return -errno;
	return 0;
}

/* Makes room where bind() found something. 0 if it was a dead socket. */
static int remove_stale(const struct sockaddr_un *address, char why[static LISTENER_WHY_MAX])
{
	struct stat st;
	int r = connect_error(address);

	/* a full backlog (EAGAIN) has an owner too */
	if (r == 0 || r == -EAGAIN)
		return fail(-EADDRINUSE, why,
			    "%s: another process listens there: stop it, or choose another "
			    "runtime_directory",
			    address->sun_path);
	if (r == -ENOENT)
		return 0;
	if (lstat(address->sun_path, &st) == 0 && !S_ISSOCK(st.st_mode))
		return fail(-EEXIST, why, "%s: stands in the way and is no socket: remove it",
			    address->sun_path);
	if (r != -ECONNREFUSED)
		return fail(r, why, "%s: %s", address->sun_path, strerror(-r));
	if (unlink(address->sun_path) < 0 && errno != ENOENT)
		return fail(-errno, why, "%s: cannot remove the stale socket: %s",
			    address->sun_path, strerror(errno));
	return 0;
}

static int bind_name(int fd, const struct sockaddr_un *address, char why[static LISTENER_WHY_MAX])
{
	for (bool again = true;; again = false) {
		int r;

		if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
			return 0;
		r = -errno;
		if (r != -EADDRINUSE || !again)
			return fail(r, why, "%s: cannot bind: %s", address->sun_path, strerror(-r));
		r = remove_stale(address, why);
		if (r < 0)
			return r;
	}
}

int listener_open(struct listener *out, const char *path, mode_t mode,
		  char why[static LISTENER_WHY_MAX])
{
	CLEANUP(close_fdp) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct listener l = {.fd = -1};
	struct stat st;
	int r;

	if (fd < 0)
		return fail(-errno, why, "%s: no socket: %s", path, strerror(errno));
	if (strlen(path) >= sizeof(address.sun_path))
		return fail(-ENAMETOOLONG, why,
			    "%s: longer than %zu characters: choose a shorter runtime_directory",
			    path, sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	strcpy(l.path, path);
	/* bind() gives the name the descriptor's mode less the umask; chmod() gives back the rest
	 */
	if (fchmod(fd, mode) < 0)
		return fail(-errno, why, "%s: %s", l.path, strerror(errno));
	r = bind_name(fd, &address, why);
	if (r < 0)
		return r;
	if (chmod(l.path, mode) < 0 || lstat(l.path, &st) < 0 || listen(fd, BACKLOG) < 0) {
		r = fail(-errno, why, "%s: cannot listen: %s", l.path, strerror(errno));
		(void)unlink(l.path);
		return r;
	}
	l.dev = st.st_dev;
	l.ino = st.st_ino;
	l.fd = steal_fd(&fd);
	*out = l;
	return 0;
}

bool listener_has_name(const struct listener *l)
{
	struct stat st;

	return lstat(l->path, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino;
}

void listener_close(struct listener *l)
{
	if (l->fd < 0)
		return;
	/* the name goes first: a client must never find it without a listener */
	if (listener_has_name(l))
		(void)unlink(l->path);
	close_fdp(&l->fd);
}
