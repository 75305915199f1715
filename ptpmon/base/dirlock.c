/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/base/dirlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"

enum { TRIES = 5 };

#define PAUSE_NS (10 * NSEC_PER_MSEC)

int dirlock_take(int fd)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};

	for (int i = 0; i < TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			return -errno;
		(void)nanosleep(&pause, NULL);
	}
	return -EWOULDBLOCK;
}

bool dirlock_is_held(const char *directory)
{
	CLEANUP(close_fdp) int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* shared, so that two who look do not see each other; it goes with the descriptor */
	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}
