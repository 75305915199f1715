/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bounded cursors over octets: the only code that reads or writes what is on the wire. Failure
 * sticks: reading past the end yields zeros, writing past it nothing, and sets .bad; so check
 * once, at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct wire_in {
	const uint8_t *at, *end;
	bool bad; /* something ran past the end */
};

struct wire_out {
	uint8_t *at, *end;
	bool bad;
};

static inline struct wire_in wire_in(const uint8_t *octets, size_t len)
{
	return (struct wire_in){.at = octets, .end = octets + len};
}

static inline struct wire_out wire_out(uint8_t *octets, size_t size)
{
	return (struct wire_out){.at = octets, .end = octets + size};
}

static inline size_t wire_left(const struct wire_in *in)
{
	return (size_t)(in->end - in->at);
}

/* The next n octets, or NULL. */
static inline const uint8_t *wire_take(struct wire_in *in, size_t n)
{
	const uint8_t *octets = in->at;

	if (wire_left(in) < n) {
		in->bad = true;
		in->at = in->end;
		return NULL;
	}
	in->at += n;
	return octets;
}

/* An unsigned integer of n octets, n at most 8, big endian and little endian. */
uint64_t wire_get(struct wire_in *in, size_t n);
uint64_t wire_get_le(struct wire_in *in, size_t n);

/* Copy n octets to out, which keeps its value if they are not there. */
static inline void wire_get_octets(struct wire_in *in, void *out, size_t n)
{
	const uint8_t *octets = wire_take(in, n);

	if (octets)
		memcpy(out, octets, n);
}

void wire_put(struct wire_out *out, uint64_t value, size_t n);
void wire_put_le(struct wire_out *out, uint64_t value, size_t n);
void wire_put_octets(struct wire_out *out, const void *octets, size_t n);
