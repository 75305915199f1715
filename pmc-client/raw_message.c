// SPDX-License-Identifier: LGPL-2.1-or-later
/* The wire form of the raw stream: signaling messages with timing data. */
#include <errno.h>

#include "pmc-client/raw_stream.h"
#include "pmc-client/wire.h"

enum {
	TYPE_SIGNALING = 0xC,
	VERSION_NUMBER = 2,
	TLV_SLAVE_RX_SYNC_TIMING_DATA = 0x8004,
	TLV_SLAVE_DELAY_TIMING_DATA_NP = 0x7F00,
	STRAY_MAX = 3,
	PORT_IDENTITY_LEN = 10,
	SYNC_RECORD_LEN = 34,
	DELAY_RECORD_LEN = 30,
	MESSAGE_MAX = 1500,
};

static struct ptp_port_identity get_port_identity(struct wire_in *in)
{
	struct ptp_port_identity id = {0};

	wire_get_octets(in, id.clock.octet, sizeof(id.clock.octet));
	id.port = (uint16_t)wire_get(in, 2);
	return id;
}

/* *in is cut to the message's own length, and stands at the first TLV. */
static int get_header(struct wire_in *in, uint8_t *domain, uint8_t *transport_specific,
		      struct pmc_raw_record *record)
{
	size_t len = wire_left(in);
	const uint8_t *start = in->at;
	uint8_t type = (uint8_t)wire_get(in, 1);
	uint8_t version = (uint8_t)wire_get(in, 1);
	size_t message_length = wire_get(in, 2);

	*transport_specific = type >> 4;
	*domain = (uint8_t)wire_get(in, 1);
	(void)wire_take(in, 1 + 2 + 8 + 4); /* reserved, flags, correction, type specific */
	record->source = get_port_identity(in);
	record->stream_id = (uint16_t)wire_get(in, 2);
	(void)wire_take(in, 1 + 1); /* control, log message interval */
	if (in->bad)
		return -EBADMSG;
	if ((version & 0xF) != VERSION_NUMBER || (type & 0xF) != TYPE_SIGNALING)
		return -EPROTO;
	(void)wire_take(in, PORT_IDENTITY_LEN); /* target: all ones */
	if (in->bad || message_length > len || len - message_length > STRAY_MAX ||
	    message_length < (size_t)(in->at - start))
		return -EBADMSG;
	in->end = start + message_length;
	return 0;
}

/* 48 bits of seconds and 32 of nanoseconds. What int64_t cannot hold is marked bad. */
static int64_t get_timestamp(struct wire_in *in)
{
	const uint64_t second_ns = 1000000000;
	uint64_t seconds = wire_get(in, 6);
	uint64_t ns = wire_get(in, 4);

	if (ns >= second_ns || seconds > (uint64_t)INT64_MAX / second_ns - 1)
		in->bad = true;
	return in->bad ? 0 : (int64_t)(seconds * second_ns + ns);
}

/* A TimeInterval, rounded toward zero. */
static int64_t get_interval(struct wire_in *in)
{
	return (int64_t)wire_get(in, 8) / 65536;
}

static void get_record(struct wire_in *in, struct pmc_raw_record *record)
{
	record->sequence_id = (uint16_t)wire_get(in, 2);
	record->sent_ns = get_timestamp(in);
	record->correction_ns = get_interval(in);
	if (record->kind == PMC_RAW_SYNC)
		(void)wire_take(in, 4); /* scaledCumulativeRateOffset: always 0 */
	record->received_ns = get_timestamp(in);
}

/* The records of one TLV; head has what they share. */
static int get_records(struct wire_in value, size_t record_len, struct pmc_raw_record head,
		       struct pmc_raw_record records[static PMC_RAW_RECORDS_MAX], size_t *n)
{
	head.master = get_port_identity(&value);
	if (value.bad || wire_left(&value) % record_len != 0)
		return -EBADMSG;
	while (wire_left(&value) > 0 && *n < PMC_RAW_RECORDS_MAX) {
		records[*n] = head;
		get_record(&value, &records[*n]);
		if (value.bad)
			return -EBADMSG;
		++*n;
	}
	return 0;
}

int pmc_raw_parse(const uint8_t *datagram, size_t len, uint8_t *domain, uint8_t *transport_specific,
		  struct pmc_raw_record records[static PMC_RAW_RECORDS_MAX], size_t *n)
{
	struct wire_in in = wire_in(datagram, len);
	struct pmc_raw_record head = {0};
	size_t found = 0;
	int r;

	if (len > MESSAGE_MAX)
		return -EBADMSG;
	r = get_header(&in, domain, transport_specific, &head);
	while (r == 0 && wire_left(&in) > 0) {
		unsigned int type = (unsigned int)wire_get(&in, 2);
		size_t value_len = wire_get(&in, 2);
		const uint8_t *value = wire_take(&in, value_len);

		if (in.bad || value_len % 2 != 0)
			return -EBADMSG;
		head.kind = type == TLV_SLAVE_RX_SYNC_TIMING_DATA ? PMC_RAW_SYNC : PMC_RAW_DELAY;
		if (type == TLV_SLAVE_RX_SYNC_TIMING_DATA)
			r = get_records(wire_in(value, value_len), SYNC_RECORD_LEN, head, records,
					&found);
		else if (type == TLV_SLAVE_DELAY_TIMING_DATA_NP)
			r = get_records(wire_in(value, value_len), DELAY_RECORD_LEN, head, records,
					&found);
	}
	if (r == 0)
		*n = found;
	return r;
}
