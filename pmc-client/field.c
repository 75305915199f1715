// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/field.h"

/* clang-format off */
static const struct field_layout layouts[FIELD_KIND_MAX] = {
	[FIELD_U8]            = { 1, 1, false, false },
	[FIELD_U16]           = { 2, 2, false, false },
	[FIELD_U32]           = { 4, 4, false, false },
	[FIELD_U48]           = { 6, 8, false, false },
	[FIELD_I8]            = { 1, 1, true,  false },
	[FIELD_I16]           = { 2, 2, true,  false },
	[FIELD_I32]           = { 4, 4, true,  false },
	[FIELD_I64]           = { 8, 8, true,  false },
	[FIELD_COUNTER]       = { 8, 8, false, true },
	[FIELD_INTERVAL]      = { 8, 8, true,  false },
	[FIELD_INTERVAL_HOST] = { 8, 8, true,  false },
	[FIELD_BOOL8]         = { 1, 1, false, false },
	[FIELD_BOOL32]        = { 4, 1, false, false },
	[FIELD_BIT]           = { 1, 1, false, false },
};
/* clang-format on */

_Static_assert(sizeof(bool) == 1, "bool members are accessed as one octet");

const struct field_layout *field_layout(enum field_kind kind)
{
	return &layouts[kind];
}

/* Members are read and written through their own unsigned types, so the host's order doesn't show.
 */
static uint64_t load_unsigned(const void *member, size_t width)
{
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} v;

	memcpy(&v, member, width);
	return width == 1 ? v.u8 : width == 2 ? v.u16 : width == 4 ? v.u32 : v.u64;
}

uint64_t field_load(const struct field *f, const void *data)
{
	const struct field_layout *l = field_layout(f->kind);
	uint64_t value = load_unsigned(field_member_const(f, data), l->width);

	if (f->kind == FIELD_BIT)
		return (value & f->mask) != 0;
	if (l->is_signed && l->width < 8 && value >> (8 * l->width - 1) != 0)
		value |= UINT64_MAX << 8 * l->width;
	return value;
}

void field_store(const struct field *f, void *data, uint64_t value)
{
	void *member = field_member(f, data);
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;

	if (f->kind == FIELD_BIT) {
		memcpy(&u8, member, 1);
		u8 = value ? u8 | f->mask : u8 & (uint8_t)~f->mask;
	}
	switch (field_layout(f->kind)->width) {
	case 1:
		memcpy(member, &u8, 1);
		break;
	case 2:
		memcpy(member, &u16, 2);
		break;
	case 4:
		memcpy(member, &u32, 4);
		break;
	default:
		memcpy(member, &value, 8);
	}
}
