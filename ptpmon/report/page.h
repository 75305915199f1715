/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/page.h: lines of "label, words" for a terminal of any width.
 *
 * Words begin in column PAGE_LABEL_COLUMNS and go on there in the next line when they are too many.
 * Control characters that came from outside are shown as '?': text must not drive the terminal.
 */
#pragma once
#include <stddef.h>

#include "ptpmon/base/strbuf.h"

enum { PAGE_LABEL_COLUMNS = 10, PAGE_LINE_MAX = 512 };

struct page {
	struct strbuf out;
	unsigned columns;
	size_t lines; /* so far */
};

/* One entry, with a blank after a label that fills its columns. */
__attribute__((format(printf, 3, 4))) void page_put(struct page *p, const char *label,
						    const char *fmt, ...);

/* The words of an entry whose label was appended to out by the caller. */
void page_put_words(struct page *p, const char *words);

void page_end_line(struct page *p);
