/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/conf/file.h: a configuration file's text, whoever's it is. */
#pragma once
#include <stddef.h>

/*
 * A regular file of at most 1 MiB, with a NUL behind it. Caller frees. 0, or -errno: -EISDIR,
 * -EINVAL (neither file nor directory), -EFBIG, or of opening and reading it.
 */
int file_read_text(const char *path, char **out, size_t *len);

/* What is wrong with it, by that -errno. */
const char *file_read_why(int r);
