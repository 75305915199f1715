/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorded messages of tests/data/vectors, with what its manifest says about each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vector {
	char *file;
	char *kind;           /* "RESPONSE", "GET request", "CORRUPT" ... */
	char *id;             /* its name */
	char *decoded;        /* what linuxptp's pmc printed, lines joined by " | "; may be "" */
	uint8_t octets[2048]; /* the file */
	size_t len;
	const uint8_t *message; /* the PTP message in it: a FRAME has headers before, maybe padding
				   after */
	size_t message_len;
};

/* All of them; fails the test if one can't be read. Free with vectors_free(). */
struct vector *vectors_load(size_t *n);
void vectors_free(struct vector *vectors, size_t n);

/* kind begins with prefix */
bool vector_is(const struct vector *v, const char *prefix);
