/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/parent/runtime.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/dirlock.h"

__attribute__((format(printf, 3, 4))) static int wrong(char *why, int r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, RUNTIME_WHY_MAX, fmt, ap);
	va_end(ap);
	return r;
}

/* 0: made; 1: was there; or -errno. Parents are made too. */
static int make_directory(const char *path)
{
	char parent[CONFIG_PATH_MAX];
	struct stat st;
	char *slash;
	int r;

	if (mkdir(path, 0755) == 0)
		return 0;
	if (errno == EEXIST)
		return stat(path, &st) < 0 ? -errno : S_ISDIR(st.st_mode) ? 1 : -ENOTDIR;
	if (errno != ENOENT)
		return -errno;
	(void)snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	if (!slash || slash == parent)
		return -ENOENT;
	*slash = '\0';
	r = make_directory(parent);
	if (r < 0)
		return r;
	return mkdir(path, 0755) < 0 ? -errno : 0;
}

/* A socket file: 1 if a living process has it, 0 if there is none or it is stale. */
static int socket_in_use(const char *path, int type)
{
	CLEANUP(close_fdp) int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un sa = {.sun_family = AF_UNIX};

	if (fd < 0 || strlen(path) >= sizeof(sa.sun_path))
		return 0;
	(void)strcpy(sa.sun_path, path);
	/* EAGAIN: its backlog is full; EPROTOTYPE: something else lives there */
	return connect(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0 || errno == EAGAIN ||
	       errno == EPROTOTYPE;
}

static bool is_socket(int dir_fd, const char *name)
{
	struct stat st;

	return fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(st.st_mode);
}

/* ptp4l's clients that were killed leave their sockets: the directory is only ours. */
static void remove_sockets(const char *directory)
{
	DIR *d = opendir(directory);

	if (!d)
		return;
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		if (is_socket(dirfd(d), e->d_name))
			(void)unlinkat(dirfd(d), e->d_name, 0);
	(void)closedir(d);
}

static int lock_directory(struct runtime *rt, char *why)
{
	rt->lock_fd = open(rt->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (rt->lock_fd < 0)
		return wrong(why, -errno, "%s: %s", rt->directory, strerror(errno));
	if (dirlock_take(rt->lock_fd) < 0)
		return wrong(why, -EBUSY,
			     "%s: another ptpmon is running with this runtime_directory: stop it, "
			     "or give this one another",
			     rt->directory);
	return 0;
}

int runtime_check_socket(const struct runtime_place *place, char why[static RUNTIME_WHY_MAX])
{
	struct stat st;

	if (lstat(place->socket, &st) < 0)
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return wrong(why, -EADDRINUSE,
			     "%s: is there and is no socket: remove it, or set [%s] socket",
			     place->socket, place->section);
	if (socket_in_use(place->socket, SOCK_DGRAM))
		return wrong(why, -EADDRINUSE,
			     "%s: a running ptp4l has this socket: stop it, or set [%s] socket",
			     place->socket, place->section);
	(void)unlink(place->socket);
	return 0;
}

int runtime_open_place(struct runtime_place *place, const struct config *config, size_t i,
		       char why[static RUNTIME_WHY_MAX])
{
	int r;

	*place = (struct runtime_place){.open = true, .foreign = !config->ptp4l[i].manage};
	(void)strcpy(place->section, config->ptp4l[i].child);
	config_ptp4l_directory(config, i, place->directory);
	config_ptp4l_socket(config, i, place->socket);
	r = make_directory(place->directory);
	if (r < 0) {
		place->open = false;
		return wrong(why, r, "%s: cannot make the directory of ptp4l's sockets: %s",
			     place->directory, strerror(-r));
	}
	place->made = r == 0;
	r = place->foreign ? 0 : runtime_check_socket(place, why);
	if (r == 0) {
		remove_sockets(place->directory);
		return 0;
	}
	if (place->made)
		(void)rmdir(place->directory);
	place->open = false;
	return r;
}

void runtime_rename_place(struct runtime_place *place, const struct config *config, size_t i)
{
	(void)strcpy(place->section, config->ptp4l[i].child);
	config_ptp4l_socket(config, i, place->socket);
	place->foreign = !config->ptp4l[i].manage;
}

void runtime_close_place(struct runtime_place *place)
{
	if (!place->open)
		return;
	place->open = false;
	remove_sockets(place->directory);
	if (!place->foreign && is_socket(AT_FDCWD, place->socket))
		(void)unlink(place->socket);
	if (place->made)
		(void)rmdir(place->directory);
}

static void remove_directory(struct runtime *rt)
{
	if (rt->made)
		(void)rmdir(rt->directory);
	close_fdp(&rt->lock_fd);
}

int runtime_prepare(struct runtime *rt, const struct config *config,
		    char why[static RUNTIME_WHY_MAX])
{
	int r;

	*rt = (struct runtime){.lock_fd = -1};
	(void)snprintf(rt->directory, sizeof(rt->directory), "%s",
		       config->ptpmon.runtime_directory);
	config_control_path(config, rt->control);
	r = make_directory(rt->directory);
	if (r < 0)
		return wrong(why, r,
			     "%s: cannot make the runtime directory: %s: run as root, or set "
			     "[ptpmon] runtime_directory",
			     rt->directory, strerror(-r));
	rt->made = r == 0;
	r = lock_directory(rt, why);
	if (r == 0 && socket_in_use(rt->control, SOCK_STREAM))
		r = wrong(why, -EADDRINUSE, "%s: another program listens on this socket",
			  rt->control);
	if (r < 0)
		remove_directory(rt);
	return r;
}

static bool is_locked_directory(const struct runtime *rt)
{
	struct stat named;
	struct stat locked;

	return stat(rt->directory, &named) == 0 && fstat(rt->lock_fd, &locked) == 0 &&
	       named.st_dev == locked.st_dev && named.st_ino == locked.st_ino;
}

/* The lock moves to the directory that has the name now. 0, or -errno and why. */
static int remake_directory(struct runtime *rt, char *why)
{
	struct runtime next = *rt;
	int r = make_directory(rt->directory);

	if (r < 0)
		return wrong(why, r,
			     "%s: was removed, and cannot be made again: %s: make it, or ptp4l and "
			     "the control socket have no place",
			     rt->directory, strerror(-r));
	r = lock_directory(&next, why);
	if (r < 0) {
		close_fdp(&next.lock_fd);
		return r;
	}
	close_fdp(&rt->lock_fd);
	*rt = next;
	return 1;
}

int runtime_keep(struct runtime *rt, struct runtime_place *places, size_t n,
		 char why[static RUNTIME_WHY_MAX])
{
	int r = is_locked_directory(rt) ? 0 : remake_directory(rt, why);
	bool again = r > 0;

	for (size_t i = 0; r >= 0 && i < n; i++) {
		if (!places[i].open || access(places[i].directory, F_OK) == 0)
			continue;
		r = make_directory(places[i].directory);
		if (r < 0)
			return wrong(why, r, "%s: was removed, and cannot be made again: %s",
				     places[i].directory, strerror(-r));
		again = true;
	}
	if (again)
		(void)snprintf(why, RUNTIME_WHY_MAX, "%s: was removed, and is made again",
			       rt->directory);
	return r < 0 ? r : again;
}

void runtime_remove(struct runtime *rt)
{
	if (rt->lock_fd < 0)
		return;
	if (is_socket(AT_FDCWD, rt->control))
		(void)unlink(rt->control);
	remove_directory(rt);
}
