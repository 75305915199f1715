/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/base/dirlock.h: a lock on a directory, which needs no file and ends with its holder. */
#pragma once
#include <stdbool.h>

/*
 * Takes the lock of an open directory, for as long as the descriptor lives. Who only looks
 * (dirlock_is_held()) holds it for a moment, so it is tried a few times. 0, or -EWOULDBLOCK.
 */
int dirlock_take(int fd);

/* Does another process hold the lock of this directory? */
bool dirlock_is_held(const char *directory);
