// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/transport_unix.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#define OWN_PREFIX "pmc-client."

static int set_path(struct sockaddr_un *address, const char *path)
{
	size_t n = strlen(path);

	if (n == 0)
		return -EINVAL;
	if (n >= sizeof(address->sun_path))
		return -ENAMETOOLONG;
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(address->sun_path, path, n + 1);
	return 0;
}

/* An address whose first octet is zero has no file; its name ends with the address's length. */
static bool is_abstract(const struct sockaddr_un *address)
{
	return address->sun_path[0] == '\0';
}

/*
 * A name beside the server's socket, else an abstract one. Never in /tmp, where the server may see
 * another directory than we do.
 */
static int choose_own(struct transport_unix *t, uint32_t nonce)
{
	const char *slash = strrchr(t->server.sun_path, '/');
	int dir_len = slash ? (int)(slash - t->server.sun_path) + 1 : 0;
	char dir[sizeof(t->server.sun_path)];
	char *path = t->own.sun_path;
	int n;

	t->own = (struct sockaddr_un){.sun_family = AF_UNIX};
	(void)snprintf(dir, sizeof(dir), "%.*s", dir_len, t->server.sun_path);
	if (dir[0] == '/' && access(dir, W_OK | X_OK) == 0) {
		n = snprintf(path, sizeof(t->own.sun_path), "%s" OWN_PREFIX "%ld.%08x", dir,
			     (long)getpid(), nonce);
		if (n >= (int)sizeof(t->own.sun_path))
			return -ENAMETOOLONG;
		t->own_len = sizeof(t->own);
		t->chosen = true;
		return 0;
	}
	n = snprintf(path + 1, sizeof(t->own.sun_path) - 1, OWN_PREFIX "%ld.%08x", (long)getpid(),
		     nonce);
	path[0] = '\0';
	t->own_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	return 0;
}

int transport_unix_init(struct transport_unix *t, const char *server_path, const char *own_path,
			uint32_t nonce)
{
	int r;

	*t = (struct transport_unix){.fd = -1};
	r = set_path(&t->server, server_path);
	if (r < 0)
		return r;
	if (!own_path)
		return choose_own(t, nonce);
	if (own_path[0] != '/')
		return -EINVAL;
	t->own_len = sizeof(t->own);
	return set_path(&t->own, own_path);
}

/* A ptp4l that has dropped root can only answer to a socket that is its own. */
static void give_to_server(const struct transport_unix *t, const struct stat *server)
{
	if (t->bound && server->st_uid != geteuid())
		(void)lchown(t->own.sun_path, server->st_uid, server->st_gid);
}

static int try_connect(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), r;

	if (fd < 0)
		return -errno;
	r = connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;
	(void)close(fd);
	return r;
}

/* A socket left by a client that died; anything else of that name is not ours to remove. */
static void remove_leftover(const struct sockaddr_un *address)
{
	struct stat file;

	if (lstat(address->sun_path, &file) == 0 && S_ISSOCK(file.st_mode) &&
	    try_connect(address) == -ECONNREFUSED)
		(void)unlink(address->sun_path);
}

/*
 * Chosen names are never met again, so clients that were killed would fill the directory: remove
 * what they left.
 */
static void remove_leftovers(const struct transport_unix *t)
{
	int dir_len = (int)(strrchr(t->own.sun_path, '/') - t->own.sun_path) + 1;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct dirent *entry;
	DIR *dir;

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%.*s", dir_len,
		       t->own.sun_path);
	dir = opendir(address.sun_path);
	while (dir && (entry = readdir(dir))) {
		int n = snprintf(address.sun_path, sizeof(address.sun_path), "%.*s%s", dir_len,
				 t->own.sun_path, entry->d_name);

		if (strncmp(entry->d_name, OWN_PREFIX, strlen(OWN_PREFIX)) == 0 &&
		    n < (int)sizeof(address.sun_path))
			remove_leftover(&address);
	}
	if (dir)
		(void)closedir(dir);
}

static int open_socket(struct transport_unix *t)
{
	struct stat server;

	t->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (t->fd < 0)
		return -errno;
	if (stat(t->server.sun_path, &server) < 0)
		return -errno;
	if (!S_ISSOCK(server.st_mode))
		return -ENOTSOCK;
	if (t->chosen)
		remove_leftovers(t);
	else if (!is_abstract(&t->own))
		remove_leftover(&t->own);
	if (bind(t->fd, (const struct sockaddr *)&t->own, t->own_len) < 0)
		return -errno;
	t->bound = !is_abstract(&t->own);
	give_to_server(t, &server);
	if (connect(t->fd, (const struct sockaddr *)&t->server, sizeof(t->server)) < 0)
		return -errno;
	t->server_file = server;
	return 0;
}

int transport_unix_open(struct transport_unix *t)
{
	int r = open_socket(t);

	if (r < 0)
		transport_unix_close(t);
	return r;
}

void transport_unix_close(struct transport_unix *t)
{
	if (t->fd < 0)
		return;
	(void)close(t->fd);
	t->fd = -1;
	if (t->bound)
		(void)unlink(t->own.sun_path);
	t->bound = false;
}

/* Inode numbers are used again soon, times of creation are not. */
static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int transport_unix_check(const struct transport_unix *t)
{
	struct stat server;

	if (stat(t->server.sun_path, &server) < 0)
		return -errno;
	if (!is_same_file(&server, &t->server_file))
		return -ECONNREFUSED; /* another ptp4l by now */
	return try_connect(&t->server);
}
