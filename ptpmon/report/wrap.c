/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/wrap.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The texts are a few recorded names long; a longer one is cut. */
enum { TEXT_MAX = 2048 };

/* The length of what is not torn apart: a word, with the one before it if that is a number. */
static size_t word_length(const char *text)
{
	size_t n = strcspn(text, " ");

	while (n > 0 && isdigit((unsigned char)text[n - 1]) && text[n] == ' ')
		n += 1 + strcspn(text + n + 1, " ");
	return n;
}

/* As much of a word that fits into no line as does, in whole characters. */
static size_t cut_length(const char *text, size_t room)
{
	size_t n = room;

	while (n > 1 && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

void wrap_add(struct strbuf *out, const char *indent, const char *next, const char *text)
{
	const char *before = indent;
	size_t column = 0;

	while (*text) {
		size_t room = WRAP_WIDTH - strlen(before);
		size_t n = word_length(text);

		if (column > 0 && column + 1 + n > WRAP_WIDTH) {
			strbuf_add(out, "\n");
			before = next;
			column = 0;
			continue;
		}
		if (column == 0 && n > room)
			n = cut_length(text, room);
		strbuf_add(out, column > 0 ? " " : before);
		column += column > 0 ? 1 : strlen(before);
		strbuf_add_bytes(out, text, n);
		column += n;
		text += n;
		/* what is left of a word that was cut goes into a line of its own */
		if (*text && *text != ' ')
			column = WRAP_WIDTH;
		text += strspn(text, " ");
	}
	strbuf_add(out, "\n");
}

void wrap_addf(struct strbuf *out, const char *indent, const char *next, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	wrap_add(out, indent, next, text);
}
