/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/cmd/check_folder.h: the results of ptpmon check, kept in a folder of their own. */
#pragma once
#include "ptpmon/check/check.h"

/*
 * Writes check.txt and check.json to DIRECTORY/HOST-20260301T220000Z, which must not be there yet;
 * DIRECTORY is made if it is not. EXIT_GOOD, or EXIT_USAGE after a line that says what is wrong.
 */
int check_folder_write(const struct check_results *r, const char *directory);

/* As printed: text, or JSON in lines. To be freed; NULL without memory. */
char *check_draw(const struct check_results *r, bool json);
