// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/unit/vectors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum {
	VECTORS_MAX = 1024,
	COLUMNS = 7,
	ETHERNET_HEADER = 14,
};

static FILE *open_data(const char *name)
{
	const char *dir = getenv("TEST_DATA");
	char path[4096];
	FILE *file;

	assert_non_null(dir);
	(void)snprintf(path, sizeof(path), "%s/vectors/%s", dir, name);
	file = fopen(path, "re");
	if (!file)
		fail_msg("%s: cannot open", path);
	return file;
}

static void load_octets(struct vector *v)
{
	FILE *file = open_data(v->file);
	unsigned int octet;

	while (fscanf(file, "%2x", &octet) == 1) {
		assert_true(v->len < sizeof(v->octets));
		v->octets[v->len++] = (uint8_t)octet;
	}
	(void)fclose(file);
}

bool vector_is(const struct vector *v, const char *prefix)
{
	return strncmp(v->kind, prefix, strlen(prefix)) == 0;
}

/* Frames are Ethernet with PTP, IPv4 or IPv6 in it. */
static size_t frame_headers(const struct vector *v)
{
	unsigned int type = (unsigned int)v->octets[12] << 8 | v->octets[13];

	return type == 0x88F7 ? ETHERNET_HEADER : ETHERNET_HEADER + (type == 0x0800 ? 20 : 40) + 8;
}

static void find_message(struct vector *v)
{
	size_t headers = vector_is(v, "FRAME") ? frame_headers(v) : 0;

	v->message = v->octets + headers;
	v->message_len = v->len - headers;
	if (headers > 0) /* without what pads the frame */
		v->message_len = (size_t)v->message[2] << 8 | v->message[3];
	assert_true(headers + v->message_len <= v->len);
}

/* Splits a line of the manifest; false for the line that names its columns. */
static bool read_row(char *line, struct vector *v)
{
	char *column[COLUMNS];

	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < COLUMNS; i++) {
		column[i] = strsep(&line, "\t");
		assert_non_null(column[i]);
	}
	if (strcmp(column[0], "file") == 0)
		return false;
	*v = (struct vector){
		.file = strdup(column[0]),
		.kind = strdup(column[2]),
		.id = strdup(column[3]),
		.decoded = strdup(column[6]),
	};
	return true;
}

struct vector *vectors_load(size_t *n)
{
	struct vector *vectors = calloc(VECTORS_MAX, sizeof(*vectors));
	FILE *manifest = open_data("manifest.tsv");
	char *line = NULL;
	size_t size = 0;

	assert_non_null(vectors);
	*n = 0;
	while (getline(&line, &size, manifest) >= 0) {
		assert_true(*n < VECTORS_MAX);
		if (!read_row(line, &vectors[*n]))
			continue;
		load_octets(&vectors[*n]);
		find_message(&vectors[*n]);
		++*n;
	}
	assert_true(*n > 600);
	free(line);
	(void)fclose(manifest);
	return vectors;
}

void vectors_free(struct vector *vectors, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(vectors[i].file);
		free(vectors[i].kind);
		free(vectors[i].id);
		free(vectors[i].decoded);
	}
	free(vectors);
}
