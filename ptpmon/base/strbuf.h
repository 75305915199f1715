/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/base/strbuf.h: text that grows.
 *
 * Failure sticks: after an allocation failed every append is a no-op and strbuf_text() is NULL,
 * so a caller checks once, at the end.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct strbuf {
	char *text; /* NUL-terminated; NULL while nothing was appended */
	size_t len;
	size_t size;
	bool failed;
};

__attribute__((format(printf, 2, 3))) void strbuf_addf(struct strbuf *s, const char *fmt, ...);
void strbuf_add(struct strbuf *s, const char *text);
void strbuf_add_bytes(struct strbuf *s, const void *bytes, size_t n);

/* n times c. */
void strbuf_pad(struct strbuf *s, char c, size_t n);

/* The text, "" if there is none, NULL after a failure. Owned by the buffer. */
const char *strbuf_text(const struct strbuf *s);

/* The text as a string to be freed by the caller; the buffer is empty afterwards. */
char *strbuf_steal(struct strbuf *s);

/* Frees what it holds; the buffer can be used again. For CLEANUP(). */
void strbuf_clear(struct strbuf *s);
