/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/nsec.h"

enum { RECORD_MAX = 8192 }; /* the kernel's own bound of one record */

int kmsg_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void kmsg_init(struct kmsg *k, int fd)
{
	*k = (struct kmsg){.fd = fd < 0 ? -1 : fd};
	if (fd == -EPERM)
		(void)snprintf(k->why, sizeof(k->why),
			       "the kernel's log is closed to this service: "
			       "kernel.dmesg_restrict=1 and no CAP_SYSLOG");
	else if (fd < 0)
		(void)snprintf(k->why, sizeof(k->why), "/dev/kmsg: %s", strerror(-fd));
	else
		(void)lseek(fd, 0, SEEK_SET); /* a recorder before this one has read some of it */
}

/* "6,339,5140900,-;sched: RT throttling activated\n KEY=value\n" */
bool kmsg_tells_throttled(const char *record, int64_t *mono_ns)
{
	static const char line[] = "sched: RT throttling activated";
	const char *text = strchr(record, ';');
	unsigned level;
	int64_t us;

	if (!text || strncmp(text + 1, line, sizeof(line) - 1) != 0 ||
	    sscanf(record, "%u,%*u,%" SCNd64, &level, &us) != 2 || level >> 3 != 0)
		return false; /* facility 0 is the kernel: programs can write here too */
	*mono_ns = us * NSEC_PER_USEC;
	return true;
}

bool kmsg_read(struct kmsg *k, unsigned lines)
{
	char record[RECORD_MAX];
	bool news = false;

	while (k->fd >= 0 && lines-- > 0) {
		ssize_t n = read(k->fd, record, sizeof(record) - 1);
		int64_t when;

		if (n < 0 && errno == EPIPE)
			continue; /* lines were overwritten before we came */
		if (n <= 0)
			break;
		record[n] = '\0';
		if (!kmsg_tells_throttled(record, &when))
			continue;
		news |= !k->throttled;
		k->throttled = true;
		k->throttled_mono_ns = when;
	}
	return news;
}
