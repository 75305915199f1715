/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What client.c, which asks, and client_receive.c, which listens, share. */
#pragma once

#include "pmc-client/budget.h"
#include "pmc-client/client.h"
#include "pmc-client/message.h"
#include "pmc-client/transport_any.h"

enum {
	PORT_REQUESTS = 1,    /* own port numbers: pushes go to an identity of their own, */
	PORT_EVENTS = 2,      /* so that they can't be mistaken for answers */
	ANSWERS_AT_ONCE = 10, /* more ports than that are asked one by one */
	BODY_MAX = PTP_MESSAGE_MAX - PTP_MESSAGE_HEADER,
};

struct pending {
	bool active;
	bool learning;              /* it is DEFAULT_DATA_SET that is being waited for */
	bool addressed;             /* to one clock, by its identity */
	bool collecting;            /* from any number of clocks, until the deadline */
	struct ptp_message request; /* .sequence_id is that of what was sent last */
	uint8_t body[BODY_MAX];
	const struct dataset *dataset;
	unsigned int expected; /* answers; 0: not known */
	unsigned int answered;
	int64_t deadline_ns;
};

struct pmc_client {
	struct transport_any transport;
	struct ptp_port_identity self; /* PORT_REQUESTS */
	uint8_t domain;
	uint8_t transport_specific;
	bool allow_set, allow_set_remote;
	pmc_message_fn *on_message;
	void *userdata;

	uint16_t sequence_id;
	struct pending pending;
	int64_t next_mono_ns; /* when a network may be asked again */

	/* of the server, since connect */
	bool clock_known;
	struct ptp_clock_identity clock;
	unsigned int number_ports;          /* 0: not known */
	struct ptp_clock_identity ports_of; /* whose ports those are */
	struct push_budget budget;
	bool push_seen;
	uint16_t push_sequence_id; /* of the last one */

	struct pmc_client_counters counters;
	uint8_t datagram[PTP_MESSAGE_MAX];
	union ptp_data data;
};

/* The request reaches other clocks than the one behind the socket. */
static inline bool client_goes_further(const struct pmc_client *c)
{
	return c->transport.network || c->pending.request.starting_boundary_hops > 0;
}

/* Only ptp4l's UNIX socket has to be spared many answers at once. */
static inline bool client_asks_one_by_one(const struct pmc_client *c)
{
	return !c->transport.network && c->pending.expected > ANSWERS_AT_ONCE;
}

/* Errors of a send or receive after which the socket is of no use. */
static inline bool client_server_gone(int r)
{
	return r == -ECONNREFUSED || r == -ENOTCONN || r == -ECONNRESET || r == -EPIPE ||
	       r == -ENETDOWN || r == -ENODEV || r == -ENXIO;
}

/* Send the request itself, to the next port if the ports are asked one by one. 0 or -errno. */
int client_send_request(struct pmc_client *c);

/* Close; an outstanding request ends with PMC_DISCONNECTED. */
void client_disconnect(struct pmc_client *c, int64_t now_mono_ns);
