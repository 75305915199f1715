// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/wire.h"

uint64_t wire_get(struct wire_in *in, size_t n)
{
	const uint8_t *octets = wire_take(in, n);
	uint64_t value = 0;

	for (size_t i = 0; octets && i < n; i++)
		value = value << 8 | octets[i];
	return value;
}

uint64_t wire_get_le(struct wire_in *in, size_t n)
{
	const uint8_t *octets = wire_take(in, n);
	uint64_t value = 0;

	for (size_t i = n; octets && i > 0; i--)
		value = value << 8 | octets[i - 1];
	return value;
}

void wire_put_octets(struct wire_out *out, const void *octets, size_t n)
{
	if ((size_t)(out->end - out->at) < n) {
		out->bad = true;
		out->end = out->at; /* nothing after the hole either */
		return;
	}
	memcpy(out->at, octets, n);
	out->at += n;
}

void wire_put_le(struct wire_out *out, uint64_t value, size_t n)
{
	uint8_t octets[8];

	for (size_t i = 0; i < n; i++)
		octets[i] = (uint8_t)(value >> 8 * i);
	wire_put_octets(out, octets, n);
}

void wire_put(struct wire_out *out, uint64_t value, size_t n)
{
	uint8_t octets[8];

	for (size_t i = 0; i < n; i++)
		octets[i] = (uint8_t)(value >> 8 * (n - 1 - i));
	wire_put_octets(out, octets, n);
}
