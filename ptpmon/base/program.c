/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

/* /proc/self/exe has no symbolic links in it, so neither must what it is compared with. */
static bool runs_from_build_tree(void)
{
	char exe[PATH_MAX];
	char root[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	size_t len;

	if (n < 0 || !realpath(PTPMON_BUILD_ROOT, root))
		return false;
	exe[n] = '\0';
	len = strlen(root);
	return strncmp(exe, root, len) == 0 && exe[len] == '/';
}

int program_find(const char *name, const char *build_subdir, char *out, size_t size)
{
	int n;

	if (runs_from_build_tree())
		n = snprintf(out, size, "%s/%s/%s", PTPMON_BUILD_ROOT, build_subdir, name);
	else
		n = snprintf(out, size, "%s/%s", PTPMON_LIBEXECDIR, name);
	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	return faccessat(AT_FDCWD, out, X_OK, AT_EACCESS) < 0 ? -errno : 0;
}
