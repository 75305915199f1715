/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded: a disk that does not answer. While the file that STUCK_DISK names exists, whoever
 * syncs waits.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOOK_US = 20000 };

#define INTERPOSED __attribute__((visibility("default")))

static void wait_for_the_disk(void)
{
	const char *stuck = getenv("STUCK_DISK");

	while (stuck && access(stuck, F_OK) == 0)
		(void)usleep(LOOK_US);
}

static int next(const char *name, int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);

	wait_for_the_disk();
	return real(fd);
}

INTERPOSED int fsync(int fd);
INTERPOSED int fsync(int fd)
{
	return next("fsync", fd);
}

INTERPOSED int fdatasync(int fd);
INTERPOSED int fdatasync(int fd)
{
	return next("fdatasync", fd);
}
