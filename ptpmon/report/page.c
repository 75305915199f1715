// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/report/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/report/clean.h"

/* Octets that continue a character of UTF-8 take no column. */
static size_t columns_of(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

void page_end_line(struct page *p)
{
	strbuf_add(&p->out, "\n");
	p->lines++;
}

void page_put_words(struct page *p, const char *words)
{
	size_t at = PAGE_LABEL_COLUMNS;
	char copy[PAGE_LINE_MAX];
	const char *text = copy;

	CLEAN(copy, words);
	while (*text) {
		size_t blanks = strspn(text, " ");
		size_t len = blanks + strcspn(text + blanks, " ");
		size_t wide = columns_of(text, len);

		if (at + wide > p->columns && at > PAGE_LABEL_COLUMNS) {
			page_end_line(p);
			strbuf_pad(&p->out, ' ', PAGE_LABEL_COLUMNS);
			at = PAGE_LABEL_COLUMNS;
			text += blanks;
			continue;
		}
		strbuf_add_bytes(&p->out, text, len);
		at += wide;
		text += len;
	}
	page_end_line(p);
}

void page_put(struct page *p, const char *label, const char *fmt, ...)
{
	char text[PAGE_LINE_MAX];
	char clean[64];
	char name[64];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	CLEAN(clean, label);
	(void)snprintf(name, sizeof(name), "%-*s", PAGE_LABEL_COLUMNS - 1, clean);
	strbuf_add(&p->out, name);
	strbuf_add(&p->out, " ");
	page_put_words(p, text);
}
