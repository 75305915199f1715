/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A PTP management message: the common header (IEEE 1588-2019 13.3), the management header (15.4.1)
 * and one management or error-status TLV (15.5.2, 15.5.4). No I/O.
 */
#pragma once

#include "pmc-client/ptp_types.h"

enum {
	PTP_MESSAGE_MAX = 1500,  /* ptp4l's own buffer: no message is longer */
	PTP_MESSAGE_HEADER = 54, /* octets before the body of a management TLV */
};

#define PTP_VERSION 0x12 /* 2.1, what linuxptp 4 sends; 3.1.1 sends 2.0 and takes either */

struct ptp_message {
	uint8_t version; /* minor version in the high nibble, 2 in the low one */
	uint8_t transport_specific;
	uint8_t domain;
	uint16_t sequence_id;
	uint8_t control; /* 4 from linuxptp 3.1.1, 0 from 4.0; means nothing */
	struct ptp_port_identity source;
	struct ptp_port_identity target;
	uint8_t starting_boundary_hops;
	uint8_t boundary_hops;
	uint8_t action;      /* enum ptp_action, or a reserved value */
	uint16_t id;         /* of the data, or that the error is about */
	uint16_t error_id;   /* enum ptp_error_id; 0: a management TLV */
	const uint8_t *body; /* of the management TLV, in the parsed buffer; NULL of an error */
	size_t body_len;
};

/*
 * Take a datagram apart. Strict about lengths, lenient as ptp4l is about minor version, control
 * field, and up to three octets after the message (UDP/IPv6 has two); a second TLV is accepted if
 * it is an AUTHENTICATION TLV. out->body points into datagram.
 *
 * 0; -EBADMSG: malformed; -EPROTO: well-formed so far, but no version 2 management message or not
 * with a management TLV. *out changes only on success.
 */
PMC_EXPORT int ptp_message_parse(const uint8_t *datagram, size_t len, struct ptp_message *out);

/*
 * Build a message with a management TLV, or with an error-status TLV if error_id is set. 0, or
 * -EMSGSIZE if it does not fit; -EINVAL if body_len is odd. *len changes only on success.
 */
PMC_EXPORT int ptp_message_build(const struct ptp_message *m, uint8_t *datagram, size_t size,
				 size_t *len);
