/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/wrap.h: text in lines that a terminal of 80 columns holds. */
#pragma once
#include "ptpmon/base/strbuf.h"

enum { WRAP_WIDTH = 79 };

/*
 * Appends the words of `text` and a line end: the first line after `indent`, the others after
 * `next`. A number stays with the word after it; a word longer than a line is cut between
 * characters of UTF-8, each octet of which is taken as a column.
 */
void wrap_add(struct strbuf *out, const char *indent, const char *next, const char *text);

/* The same, of a text made as printf() does. */
__attribute__((format(printf, 4, 5))) void wrap_addf(struct strbuf *out, const char *indent,
						     const char *next, const char *fmt, ...);
