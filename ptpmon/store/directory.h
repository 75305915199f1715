/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/directory.h: the directory of the record belongs to one writer at a time.
 */
#pragma once
#include <stdbool.h>

#include "ptpmon/store/database.h"

/*
 * Makes the directory (mode 0750) if only it is missing and takes its lock, which lasts as long
 * as the descriptor. 0, or -errno with one line in why: -EBUSY if another process holds the lock,
 * -EACCES or -EROFS if files cannot be made there, or what else failed.
 */
int directory_lock(int *out_fd, const char *directory, char why[static DATABASE_ERROR_MAX]);

/* Does a writer hold the lock of the directory that this file is in? */
bool directory_is_locked(const char *path);

/* Makes durable what was made, renamed or removed beside path. 0, or -errno. */
int directory_sync_of(const char *path);
