/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/aside.h: a damaged database makes room for a new one, and is kept.
 */
#pragma once
#include "ptpmon/store/database.h"

/*
 * Moves the file and its log to NAME-damaged-YYYYMMDDTHHMMSSZ.db beside it; that either is missing
 * is fine. told: "set aside as …: reason". reason may be why. 0, or -errno with one line in why.
 */
int aside_move(const char *path, const char *reason, char told[static DATABASE_ERROR_MAX],
	       char why[static DATABASE_ERROR_MAX]);

/*
 * Moves the log alone: the file beside it is another one than that which the log belongs to, and
 * must not get its pages. 0, or -errno with one line in why.
 */
int aside_move_log(const char *path, char why[static DATABASE_ERROR_MAX]);
