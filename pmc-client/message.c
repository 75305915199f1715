// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/message.h"

#include <errno.h>

#include "pmc-client/wire.h"

enum {
	TYPE_MANAGEMENT = 0xD,
	VERSION_NUMBER = 2,
	LOG_MESSAGE_INTERVAL = 0x7F, /* what management messages have */
	TLV_MANAGEMENT = 0x0001,
	TLV_MANAGEMENT_ERROR_STATUS = 0x0002,
	TLV_AUTHENTICATION = 0x8009,
	STRAY_MAX = 3,
};

static struct ptp_port_identity get_port_identity(struct wire_in *in)
{
	struct ptp_port_identity id = {0};

	wire_get_octets(in, id.clock.octet, sizeof(id.clock.octet));
	id.port = (uint16_t)wire_get(in, 2);
	return id;
}

static void put_port_identity(struct wire_out *out, const struct ptp_port_identity *id)
{
	wire_put_octets(out, id->clock.octet, sizeof(id->clock.octet));
	wire_put(out, id->port, 2);
}

/* The common header; *in is cut to the message's own length. */
static int parse_header(struct wire_in *in, struct ptp_message *m)
{
	const uint8_t *start = in->at;
	size_t len = wire_left(in);
	uint8_t type = (uint8_t)wire_get(in, 1);
	size_t message_length;

	m->transport_specific = type >> 4;
	m->version = (uint8_t)wire_get(in, 1);
	message_length = wire_get(in, 2);
	m->domain = (uint8_t)wire_get(in, 1);
	(void)wire_take(in, 1 + 2 + 8 + 4); /* reserved, flags, correction, type specific */
	m->source = get_port_identity(in);
	m->sequence_id = (uint16_t)wire_get(in, 2);
	m->control = (uint8_t)wire_get(in, 1);
	(void)wire_take(in, 1); /* log message interval */
	if (in->bad)
		return -EBADMSG;
	if ((m->version & 0xF) != VERSION_NUMBER || (type & 0xF) != TYPE_MANAGEMENT)
		return -EPROTO;
	if (message_length > len || len - message_length > STRAY_MAX ||
	    message_length < (size_t)(in->at - start))
		return -EBADMSG;
	in->end = start + message_length;
	return 0;
}

/* The next TLV's type and value. */
static int get_tlv(struct wire_in *in, unsigned int *type, struct wire_in *value)
{
	const uint8_t *octets;
	size_t len;

	*type = (unsigned int)wire_get(in, 2);
	len = wire_get(in, 2);
	octets = wire_take(in, len);
	if (in->bad || len % 2 != 0)
		return -EBADMSG;
	*value = wire_in(octets, len);
	return 0;
}

/* Whatever follows the management TLV must be AUTHENTICATION TLVs, which the keyless reader skips.
 */
static int skip_authentication(struct wire_in *in)
{
	while (wire_left(in) > 0) {
		struct wire_in value;
		unsigned int type;
		int r = get_tlv(in, &type, &value);

		if (r < 0)
			return r;
		if (type != TLV_AUTHENTICATION)
			return -EPROTO;
	}
	return 0;
}

static int parse_tlv(struct wire_in *in, struct ptp_message *m)
{
	struct wire_in value;
	unsigned int type;
	int r = get_tlv(in, &type, &value);

	if (r < 0)
		return r;
	switch (type) {
	case TLV_MANAGEMENT:
		m->id = (uint16_t)wire_get(&value, 2);
		m->body = value.at;
		m->body_len = wire_left(&value);
		break;
	case TLV_MANAGEMENT_ERROR_STATUS:
		m->error_id = (uint16_t)wire_get(&value, 2);
		m->id = (uint16_t)wire_get(&value, 2);
		(void)wire_take(&value, 4); /* reserved; a display text may follow */
		if (m->error_id == 0)
			return -EBADMSG;
		break;
	default:
		return -EPROTO;
	}
	if (value.bad)
		return -EBADMSG;
	return skip_authentication(in);
}

int ptp_message_parse(const uint8_t *datagram, size_t len, struct ptp_message *out)
{
	struct wire_in in = wire_in(datagram, len);
	struct ptp_message m = {0};
	int r = parse_header(&in, &m);

	if (r < 0)
		return r;
	m.target = get_port_identity(&in);
	m.starting_boundary_hops = (uint8_t)wire_get(&in, 1);
	m.boundary_hops = (uint8_t)wire_get(&in, 1);
	m.action = wire_get(&in, 1) & 0xF;
	(void)wire_take(&in, 1); /* reserved */
	if (in.bad)
		return -EBADMSG;
	if (wire_left(&in) == 0)
		return -EPROTO;
	r = parse_tlv(&in, &m);
	if (r < 0)
		return r;
	*out = m;
	return 0;
}

static void put_header(struct wire_out *out, const struct ptp_message *m, size_t message_length)
{
	wire_put(out, (uint64_t)(m->transport_specific << 4) | TYPE_MANAGEMENT, 1);
	wire_put(out, m->version, 1);
	wire_put(out, message_length, 2);
	wire_put(out, m->domain, 1);
	wire_put(out, 0, 1 + 2); /* reserved, flags */
	wire_put(out, 0, 8);     /* correction */
	wire_put(out, 0, 4);     /* type specific */
	put_port_identity(out, &m->source);
	wire_put(out, m->sequence_id, 2);
	wire_put(out, m->control, 1);
	wire_put(out, LOG_MESSAGE_INTERVAL, 1);
	put_port_identity(out, &m->target);
	wire_put(out, m->starting_boundary_hops, 1);
	wire_put(out, m->boundary_hops, 1);
	wire_put(out, m->action, 1);
	wire_put(out, 0, 1); /* reserved */
}

int ptp_message_build(const struct ptp_message *m, uint8_t *datagram, size_t size, size_t *len)
{
	struct wire_out out = wire_out(datagram, size);
	size_t value_len = m->error_id ? 2 + 2 + 4 : 2 + m->body_len;
	size_t message_length = PTP_MESSAGE_HEADER - 2 + value_len;

	if (m->body_len % 2 != 0)
		return -EINVAL;
	if (message_length > PTP_MESSAGE_MAX)
		return -EMSGSIZE;
	put_header(&out, m, message_length);
	wire_put(&out, m->error_id ? TLV_MANAGEMENT_ERROR_STATUS : TLV_MANAGEMENT, 2);
	wire_put(&out, value_len, 2);
	if (m->error_id) {
		wire_put(&out, m->error_id, 2);
		wire_put(&out, m->id, 2);
		wire_put(&out, 0, 4); /* reserved */
	} else {
		wire_put(&out, m->id, 2);
		if (m->body_len > 0)
			wire_put_octets(&out, m->body, m->body_len);
	}
	if (out.bad)
		return -EMSGSIZE;
	*len = message_length;
	return 0;
}
