// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Decodes and encodes any data set by its rows. A field that is missing at the end of a body is
 * absent; one that is cut, or whose own length overruns, makes the body malformed.
 */
#include "pmc-client/dataset.h"

#include <errno.h>

#include "pmc-client/field.h"
#include "pmc-client/wire.h"

static int64_t interval_to_ns(int64_t interval)
{
	if (interval == INT64_MAX || interval == INT64_MIN)
		return interval;
	return interval / 65536;
}

static int64_t interval_from_ns(int64_t ns)
{
	if (ns > INT64_MAX / 65536)
		return INT64_MAX;
	if (ns < INT64_MIN / 65536)
		return INT64_MIN;
	return ns * 65536;
}

static void get_number(struct wire_in *in, const struct field *f, void *data)
{
	const struct field_layout *l = field_layout(f->kind);
	uint64_t value = l->little_endian ? wire_get_le(in, l->octets) : wire_get(in, l->octets);

	field_store(f, data, value);
}

static void put_number(struct wire_out *out, const struct field *f, const void *data)
{
	const struct field_layout *l = field_layout(f->kind);

	if (l->little_endian)
		wire_put_le(out, field_load(f, data), l->octets);
	else
		wire_put(out, field_load(f, data), l->octets);
}

/* Any value but 0 is true: the member is a bool, which must not hold anything else. */
static void get_bool(struct wire_in *in, const struct field *f, void *data)
{
	field_store(f, data, wire_get(in, field_layout(f->kind)->octets) != 0);
}

static void get_interval(struct wire_in *in, const struct field *f, void *data)
{
	field_store(f, data, (uint64_t)interval_to_ns((int64_t)wire_get(in, 8)));
}

static void put_interval(struct wire_out *out, const struct field *f, const void *data)
{
	wire_put(out, (uint64_t)interval_from_ns((int64_t)field_load(f, data)), 8);
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/*
 * linuxptp after 4.4 sends PORT_CORRECTIONS_NP in its machine's order, mostly this machine's; a
 * release may well send it as the standard would. A nanosecond read the wrong way is 16.8 ms, so
 * what is longer than any latency is read the other way, if that makes it shorter.
 */
static void get_interval_host(struct wire_in *in, const struct field *f, void *data)
{
	const int64_t implausible = 10000000LL * 65536; /* 10 ms */
	int64_t host = 0, other;

	wire_get_octets(in, &host, sizeof(host));
	other = (int64_t)__builtin_bswap64((uint64_t)host);
	if (magnitude(host) >= (uint64_t)implausible && magnitude(other) < magnitude(host))
		host = other;
	field_store(f, data, (uint64_t)interval_to_ns(host));
}

/* To the ptp4l of this machine, since SETs work nowhere else. */
static void put_interval_host(struct wire_out *out, const struct field *f, const void *data)
{
	int64_t interval = interval_from_ns((int64_t)field_load(f, data));

	wire_put_octets(out, &interval, sizeof(interval));
}

static void get_scaled_ns(struct wire_in *in, const struct field *f, void *data)
{
	struct ptp_scaled_ns *ns = field_member(f, data);

	ns->ns_high = (int16_t)wire_get(in, 2);
	ns->ns_low = wire_get(in, 8);
	ns->fraction = (uint16_t)wire_get(in, 2);
}

static void put_scaled_ns(struct wire_out *out, const struct field *f, const void *data)
{
	const struct ptp_scaled_ns *ns = field_member_const(f, data);

	wire_put(out, (uint16_t)ns->ns_high, 2);
	wire_put(out, ns->ns_low, 8);
	wire_put(out, ns->fraction, 2);
}

static void get_clock_identity(struct wire_in *in, const struct field *f, void *data)
{
	struct ptp_clock_identity *id = field_member(f, data);

	wire_get_octets(in, id->octet, sizeof(id->octet));
}

static void put_clock_identity(struct wire_out *out, const struct field *f, const void *data)
{
	const struct ptp_clock_identity *id = field_member_const(f, data);

	wire_put_octets(out, id->octet, sizeof(id->octet));
}

static void get_port_identity(struct wire_in *in, const struct field *f, void *data)
{
	struct ptp_port_identity *id = field_member(f, data);

	wire_get_octets(in, id->clock.octet, sizeof(id->clock.octet));
	id->port = (uint16_t)wire_get(in, 2);
}

static void put_port_identity(struct wire_out *out, const struct field *f, const void *data)
{
	const struct ptp_port_identity *id = field_member_const(f, data);

	wire_put_octets(out, id->clock.octet, sizeof(id->clock.octet));
	wire_put(out, id->port, 2);
}

static void get_text(struct wire_in *in, const struct field *f, void *data)
{
	struct ptp_text *text = field_member(f, data);

	text->length = (uint8_t)wire_get(in, 1);
	wire_get_octets(in, text->text, text->length);
	text->text[text->length] = '\0';
}

static void put_text(struct wire_out *out, const struct field *f, const void *data)
{
	const struct ptp_text *text = field_member_const(f, data);

	wire_put(out, text->length, 1);
	wire_put_octets(out, text->text, text->length);
}

static void get_address(struct wire_in *in, const struct field *f, void *data)
{
	struct ptp_address *address = field_member(f, data);

	if (f->kind == FIELD_PROTOCOL)
		address->protocol = (uint16_t)wire_get(in, 2);
	address->length = (uint16_t)wire_get(in, 2);
	if (address->length > sizeof(address->octet))
		in->bad = true;
	else
		wire_get_octets(in, address->octet, address->length);
}

static void put_address(struct wire_out *out, const struct field *f, const void *data)
{
	const struct ptp_address *address = field_member_const(f, data);

	if (address->length > sizeof(address->octet)) {
		out->bad = true;
		return;
	}
	if (f->kind == FIELD_PROTOCOL)
		wire_put(out, address->protocol, 2);
	wire_put(out, address->length, 2);
	wire_put_octets(out, address->octet, address->length);
}

static void get_octets(struct wire_in *in, const struct field *f, void *data)
{
	wire_get_octets(in, field_member(f, data), f->size);
}

static void put_octets(struct wire_out *out, const struct field *f, const void *data)
{
	wire_put_octets(out, field_member_const(f, data), f->size);
}

static void get_pad(struct wire_in *in, const struct field *f, void *data)
{
	(void)wire_take(in, f->size);
}

static void put_pad(struct wire_out *out, const struct field *f, const void *data)
{
	for (size_t i = 0; i < f->size; i++)
		wire_put(out, 0, 1);
}

static void get_records(struct wire_in *in, const struct field *f, void *data);
static void put_records(struct wire_out *out, const struct field *f, const void *data);

/* clang-format off */
static const struct {
	void (*get)(struct wire_in *in, const struct field *f, void *data);
	void (*put)(struct wire_out *out, const struct field *f, const void *data);
} codecs[FIELD_KIND_MAX] = { /* none for FIELD_BIT: it has no octets of its own */
	[FIELD_U8]             = { get_number,         put_number },
	[FIELD_U16]            = { get_number,         put_number },
	[FIELD_U32]            = { get_number,         put_number },
	[FIELD_U48]            = { get_number,         put_number },
	[FIELD_I8]             = { get_number,         put_number },
	[FIELD_I16]            = { get_number,         put_number },
	[FIELD_I32]            = { get_number,         put_number },
	[FIELD_I64]            = { get_number,         put_number },
	[FIELD_COUNTER]        = { get_number,         put_number },
	[FIELD_INTERVAL]       = { get_interval,       put_interval },
	[FIELD_INTERVAL_HOST]  = { get_interval_host,  put_interval_host },
	[FIELD_SCALED_NS]      = { get_scaled_ns,      put_scaled_ns },
	[FIELD_BOOL8]          = { get_bool,           put_number },
	[FIELD_BOOL32]         = { get_bool,           put_number },
	[FIELD_CLOCK_IDENTITY] = { get_clock_identity, put_clock_identity },
	[FIELD_PORT_IDENTITY]  = { get_port_identity,  put_port_identity },
	[FIELD_TEXT]           = { get_text,           put_text },
	[FIELD_ADDRESS]        = { get_address,        put_address },
	[FIELD_PROTOCOL]       = { get_address,        put_address },
	[FIELD_OCTETS]         = { get_octets,         put_octets },
	[FIELD_RECORDS]        = { get_records,        put_records },
	[FIELD_PAD]            = { get_pad,            put_pad },
};
/* clang-format on */

/* Returns how many leading rows were there. */
static size_t get_rows(struct wire_in *in, const struct field *rows, size_t n, void *data)
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].kind == FIELD_BIT)
			continue;
		if (wire_left(in) == 0)
			return i;
		codecs[rows[i].kind].get(in, &rows[i], data);
		if (in->bad)
			return i;
	}
	return n;
}

static void put_rows(struct wire_out *out, const struct field *rows, size_t n, const void *data)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].kind != FIELD_BIT)
			codecs[rows[i].kind].put(out, &rows[i], data);
}

static void get_records(struct wire_in *in, const struct field *f, void *data)
{
	uint16_t count = (uint16_t)wire_get(in, 2);

	if (count > f->size) {
		in->bad = true;
		return;
	}
	memcpy(field_member(f, data), &count, sizeof(count));
	for (size_t i = 0; i < count; i++) {
		uint8_t *record = (uint8_t *)data + f->records + i * f->stride;

		if (get_rows(in, f->rows, f->n_rows, record) < f->n_rows) {
			in->bad = true; /* half a record */
			return;
		}
	}
}

static void put_records(struct wire_out *out, const struct field *f, const void *data)
{
	uint16_t count;

	memcpy(&count, field_member_const(f, data), sizeof(count));
	if (count > f->size) {
		out->bad = true;
		return;
	}
	wire_put(out, count, 2);
	for (size_t i = 0; i < count; i++)
		put_rows(out, f->rows, f->n_rows,
			 (const uint8_t *)data + f->records + i * f->stride);
}

int pmc_dataset_decode(const struct dataset *ds, const uint8_t *body, size_t len,
		       union ptp_data *out, size_t *n_fields)
{
	struct wire_in in = wire_in(body, len);
	union ptp_data data;
	size_t n;

	memset(&data, 0, ds->size);
	n = get_rows(&in, ds->fields, ds->n_fields, &data);
	if (in.bad)
		return -EBADMSG;
	memcpy(out, &data, ds->size);
	*n_fields = n;
	return 0;
}

int pmc_dataset_encode(const struct dataset *ds, const union ptp_data *data, size_t n_fields,
		       uint8_t *body, size_t size, size_t *len)
{
	struct wire_out out = wire_out(body, size);

	put_rows(&out, ds->fields, n_fields, data);
	if ((out.at - body) % 2 != 0)
		wire_put(&out, 0, 1);
	if (out.bad)
		return -EMSGSIZE;
	*len = (size_t)(out.at - body);
	return 0;
}
