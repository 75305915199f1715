/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

/* The path of this process's program, without symbolic links. */
static int find_self(char out[static PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);

	if (n < 0)
		return -errno;
	out[n] = '\0';
	return 0;
}

static bool is_below(const char *path, const char *directory)
{
	char real[PATH_MAX];
	size_t len;

	if (!realpath(directory, real))
		return false;
	len = strlen(real);
	return strncmp(path, real, len) == 0 && path[len] == '/';
}

__attribute__((format(printf, 3, 4))) static int try_path(char *out, size_t size, const char *fmt,
							  ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(out, size, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	return faccessat(AT_FDCWD, out, X_OK, AT_EACCESS) < 0 ? -errno : 0;
}

int program_find(const char *name, const char *build_subdir, char *out, size_t size)
{
	char self[PATH_MAX];

	if (find_self(self) == 0) {
		if (is_below(self, PTPMON_BUILD_ROOT))
			return try_path(out, size, "%s/%s/%s", PTPMON_BUILD_ROOT, build_subdir,
					name);
		*strrchr(self, '/') = '\0'; /* an absolute path: it has one */
		if (try_path(out, size, "%s/../libexec/ptpmon/%s", self, name) == 0)
			return 0;
	}
	return try_path(out, size, "%s/%s", PTPMON_LIBEXECDIR, name);
}
