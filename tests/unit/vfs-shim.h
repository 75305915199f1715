/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/vfs-shim.h: a disk between SQLite and the real one: it can fail, and the power can be
 * cut.
 *
 * It knows of each file what has been synced and what was written since. A cut leaves what was
 * synced and, of what was not, each sector of 512 octets or not, as chance has it, in no order.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Becomes SQLite's default, over the one that was. */
void shim_install(void);
void shim_remove(void); /* and forgets what it knows */

/* What every write, truncation and sync fails with from now on (SQLITE_FULL …); 0: nothing. */
void shim_fail(int code);

/* From now on a sync is told to have worked and has not. */
void shim_lie(bool lying);

/* Called before every operation that changes a file, in the thread that does it; NULL: nothing. */
void shim_watch(void (*before)(void *userdata), void *userdata);

/* Writes what a cut at this moment would leave of ptpmon.db and its log into the directory. */
void shim_cut(const char *directory, unsigned seed);
