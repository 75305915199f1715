/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 256 };

/* Room for n more bytes and the NUL. */
static bool reserve(struct strbuf *s, size_t n)
{
	size_t need = s->len + n + 1;
	size_t size = s->size ? s->size : FIRST_SIZE;
	char *bigger;

	if (s->failed)
		return false;
	if (need <= s->size)
		return true;
	while (size < need)
		size *= 2;
	bigger = realloc(s->text, size);
	if (!bigger) {
		s->failed = true;
		return false;
	}
	s->text = bigger;
	s->size = size;
	return true;
}

void strbuf_addf(struct strbuf *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !reserve(s, (size_t)n)) {
		s->failed = true;
		return;
	}
	va_start(ap, fmt);
	(void)vsnprintf(s->text + s->len, s->size - s->len, fmt, ap);
	va_end(ap);
	s->len += (size_t)n;
}

void strbuf_add_bytes(struct strbuf *s, const void *bytes, size_t n)
{
	if (!reserve(s, n))
		return;
	if (n)
		memcpy(s->text + s->len, bytes, n);
	s->len += n;
	s->text[s->len] = '\0';
}

void strbuf_add(struct strbuf *s, const char *text)
{
	strbuf_add_bytes(s, text, strlen(text));
}

void strbuf_pad(struct strbuf *s, char c, size_t n)
{
	if (!reserve(s, n))
		return;
	memset(s->text + s->len, c, n);
	s->len += n;
	s->text[s->len] = '\0';
}

const char *strbuf_text(const struct strbuf *s)
{
	if (s->failed)
		return NULL;
	return s->text ? s->text : "";
}

char *strbuf_steal(struct strbuf *s)
{
	char *text = s->failed ? NULL : s->text ? s->text : calloc(1, 1);

	if (s->failed)
		free(s->text);
	*s = (struct strbuf){0};
	return text;
}

void strbuf_clear(struct strbuf *s)
{
	free(s->text);
	*s = (struct strbuf){0};
}
