/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/clean.h"

#include <stdint.h>
#include <string.h>

/* First octets of characters of two, three and four, and the least that each must stand for. */
struct lead {
	uint8_t mask, bits;
	uint32_t least;
};

/* clang-format off */
static const struct lead leads[] = {
	{ 0xe0, 0xc0, 0x80 },
	{ 0xf0, 0xe0, 0x800 },
	{ 0xf8, 0xf0, 0x10000 },
};
/* clang-format on */

enum { SURROGATE_FIRST = 0xd800, SURROGATE_LAST = 0xdfff, UNICODE_LAST = 0x10ffff, C1_LAST = 0x9f };

/* The length of the printable character of more than one octet that text begins with, or 0. */
static size_t multibyte(const uint8_t *text)
{
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		uint32_t code = text[0] & (uint8_t)~leads[i].mask;
		size_t n = 1;

		if ((text[0] & leads[i].mask) != leads[i].bits)
			continue;
		for (; n < i + 2 && (text[n] & 0xc0) == 0x80; n++)
			code = code << 6 | (text[n] & 0x3f);
		if (n < i + 2 || code < leads[i].least || code <= C1_LAST || code > UNICODE_LAST ||
		    (code >= SURROGATE_FIRST && code <= SURROGATE_LAST))
			return 0;
		return n;
	}
	return 0;
}

void clean_copy(char *to, size_t size, const char *from)
{
	const uint8_t *text = (const uint8_t *)(from ? from : "");
	size_t used = 0;

	while (*text) {
		size_t n = multibyte(text);
		size_t takes = n ? n : 1;

		if (used + takes >= size)
			break;
		if (n)
			memcpy(to + used, text, n);
		else
			to[used] = *text >= 0x20 && *text < 0x7f ? (char)*text : '?';
		used += takes;
		text += takes;
	}
	to[used] = '\0';
}
