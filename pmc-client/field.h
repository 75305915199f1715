/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What dataset_codec.c and dataset_text.c share: which kinds of field are plain numbers, and such
 * a number in its struct.
 */
#pragma once

#include "pmc-client/dataset.h"

/* How a number is kept: octets on the wire (0: not a number), octets of the struct's member. */
struct field_layout {
	uint8_t octets;
	uint8_t width;
	bool is_signed;
	bool little_endian;
};

const struct field_layout *field_layout(enum field_kind kind);

/* The member that holds a field's value. */
static inline void *field_member(const struct field *f, void *data)
{
	return (uint8_t *)data + f->offset;
}

static inline const void *field_member_const(const struct field *f, const void *data)
{
	return (const uint8_t *)data + f->offset;
}

/* A number as its 64-bit pattern, sign-extended if it is signed; written cut to its width. */
uint64_t field_load(const struct field *f, const void *data);
void field_store(const struct field *f, void *data, uint64_t value);
