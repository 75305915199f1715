/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/conf/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "ptpmon/base/cleanup.h"

enum { FILE_MAX = 1 << 20 };

int file_read_text(const char *path, char **out, size_t *len)
{
	CLEANUP(close_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	CLEANUP(freep) char *text = malloc(FILE_MAX + 1);
	struct stat st;
	ssize_t n = -1;
	size_t at = 0;

	if (!text)
		return -ENOMEM;
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	while (at <= FILE_MAX && (n = read(fd, text + at, FILE_MAX + 1 - at)) > 0)
		at += (size_t)n;
	if (n < 0)
		return -errno;
	if (at > FILE_MAX)
		return -EFBIG;
	text[at] = '\0';
	*out = steal(&text);
	*len = at;
	return 0;
}

const char *file_read_why(int r)
{
	switch (r) {
	case -EINVAL:
		return "not a regular file";
	case -EFBIG:
		return "larger than 1 MiB, so no configuration";
	default:
		return strerror(-r);
	}
}
