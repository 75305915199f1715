/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/conf/ini.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"

static char *trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return s;
}

static int wrong(char *why, const char *what)
{
	(void)snprintf(why, INI_ERROR_MAX, "%s", what);
	return -EINVAL;
}

/* "[name]" or "[kind name]": the text between the brackets, blanks inside folded to one. */
static int read_header(char *line, const char **section, char *why)
{
	char *end = line + strlen(line) - 1;
	char *to = line + 1;

	if (*end != ']')
		return wrong(why, "a section header ends in ']'");
	*end = '\0';
	for (char *from = trim(line + 1); *from; from++)
		if (!isspace((unsigned char)*from) || !isspace((unsigned char)from[1]))
			*to++ = isspace((unsigned char)*from) ? ' ' : *from;
	*to = '\0';
	*section = line + 1;
	return **section ? 0 : wrong(why, "a section header without a name");
}

static int read_line(char *line, struct ini_place *place, ini_fn *fn, void *userdata, char *why)
{
	char *equals;

	line = trim(line);
	if (!*line || *line == '#' || *line == ';')
		return 0;
	place->key = NULL;
	place->value = NULL;
	if (*line == '[') {
		int r = read_header(line, &place->section, why);

		return r < 0 ? r : fn(userdata, place, why);
	}
	equals = strchr(line, '=');
	if (!equals)
		return wrong(why, "neither a [section] nor a key = value");
	*equals = '\0';
	place->key = trim(line);
	place->value = trim(equals + 1);
	if (!*place->key)
		return wrong(why, "a value without a key");
	return fn(userdata, place, why);
}

int ini_read(const char *text, size_t len, ini_fn *fn, void *userdata, unsigned *line,
	     char why[static INI_ERROR_MAX])
{
	CLEANUP(freep) char *copy = malloc(len + 1);
	struct ini_place place = {.section = ""};
	char *next;

	*line = 0;
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, len);
	copy[len] = '\0';
	for (char *at = copy; at; at = next) {
		int r;

		next = memchr(at, '\n', len - (size_t)(at - copy));
		*line = ++place.line;
		if (next)
			*next++ = '\0';
		if (strlen(at) != (size_t)((next ? next - 1 : copy + len) - at))
			return wrong(why, "a NUL octet: not a text file");
		r = read_line(at, &place, fn, userdata, why);
		if (r < 0)
			return r;
	}
	return 0;
}
