/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/dirlock.h"

static const char *advice(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return "let the service's user write there, or set [store] directory";
	case EROFS:
		return "set [store] directory to one that can be written";
	case ENOENT:
		return "make the directory above it, or set [store] directory";
	case ENOSPC:
	case EDQUOT:
		return "make room, or set [store] directory";
	default:
		return "set [store] directory to one that can be written";
	}
}

static int refuse(int error, const char *directory, char why[static DATABASE_ERROR_MAX])
{
	if (error == EWOULDBLOCK) {
		(void)snprintf(why, DATABASE_ERROR_MAX,
			       "%s: another ptpmon records there: stop it, or set another [store] "
			       "directory",
			       directory);
		return -EBUSY;
	}
	(void)snprintf(why, DATABASE_ERROR_MAX, "%s: %s: %s", directory, strerror(error),
		       advice(error));
	return -error;
}

int directory_lock(int *out_fd, const char *directory, char why[static DATABASE_ERROR_MAX])
{
	CLEANUP(close_fdp) int fd = -1;
	bool made = mkdir(directory, 0750) == 0;
	int r;

	if (!made && errno != EEXIST)
		return refuse(errno, directory, why);
	if (made && chmod(directory, 0750) < 0) /* whatever the umask left of it */
		return refuse(errno, directory, why);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return refuse(errno, directory, why);
	r = dirlock_take(fd);
	if (r < 0)
		return refuse(-r, directory, why);
	if (faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) < 0)
		return refuse(errno, directory, why);
	*out_fd = steal_fd(&fd);
	return 0;
}

static void directory_of(const char *path, char out[static PATH_MAX])
{
	char *slash;

	(void)snprintf(out, PATH_MAX, "%s", path);
	slash = strrchr(out, '/');
	if (slash)
		slash[1] = '\0';
	else
		(void)strcpy(out, ".");
}

bool directory_is_locked(const char *path)
{
	char directory[PATH_MAX];

	directory_of(path, directory);
	return dirlock_is_held(directory);
}

int directory_sync_of(const char *path)
{
	CLEANUP(close_fdp) int fd = -1;
	char directory[PATH_MAX];

	directory_of(path, directory);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}
