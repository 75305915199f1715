/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/conf/ini.h: reads INI text: [section], key = value, comments after # or ; at the start
 * of a line. Values are the rest of the line without the blanks around it, of any length.
 */
#pragma once
#include <stddef.h>

enum { INI_ERROR_MAX = 256 };

/* Where the reader stands. section is "" before the first header; strings live during the call. */
struct ini_place {
	unsigned line;
	const char *section;
	const char *key;
	const char *value;
};

/*
 * Called for each key, and with key NULL for each section header. A negative return ends the
 * reading with that value; why (INI_ERROR_MAX octets) is then what is wrong.
 */
typedef int ini_fn(void *userdata, const struct ini_place *place, char *why);

/*
 * Calls fn in the order of the text. 0, or -EINVAL (not INI; why says what, *at where), -ENOMEM,
 * or what fn returned. at->section and at->key are empty strings where they do not apply.
 */
int ini_read(const char *text, size_t len, ini_fn *fn, void *userdata, unsigned *line,
	     char why[static INI_ERROR_MAX]);
