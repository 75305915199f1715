/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the transports over a network have in common: an interface, a multicast destination, and
 * sockets that can't be connected, since answers come from other addresses than requests go to. A
 * message is sent between a header and a padding that are always the same.
 */
#pragma once

#include <net/if.h>
#include <netinet/in.h>

#include "pmc-client/network.h"
#include "pmc-client/transport.h"

enum {
	ETHERNET_HEADER = 14, /* destination, source, ethertype */
	VLAN_TAG = 4,
	UDP_HEADER = 8,
	PORT_GENERAL = 320, /* IEEE 1588-2019 annex C.2 */
};

struct transport_net {
	int fd; /* -1: closed */
	enum pmc_network_kind kind;
	char interface[IF_NAMESIZE];
	int inherited_fd; /* 0: none */
	uint8_t destination[PMC_ETHERNET_ADDRESS];
	uint8_t hop_limit;
	uint8_t udp6_scope;

	/* when open */
	int index; /* of the interface */
	uint8_t header[ETHERNET_HEADER];
	size_t header_len, padding_len;
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} to;
	socklen_t
		to_len; /* 0: the socket is bound to the interface, and the header says where to */
};

/* 0, -EINVAL or -ENAMETOOLONG. Opens nothing. */
int transport_net_init(struct transport_net *t, const struct pmc_network *network);

/* Open, or duplicate what was inherited. 0, or as pmc_network_open(); closed on failure. */
int transport_net_open(struct transport_net *t);

void transport_net_close(struct transport_net *t);

/* Is the interface that this was opened on still there, and up? 0, -ENODEV or -ENETDOWN. */
int transport_net_check(const struct transport_net *t);

/* As transport_send() and transport_receive(). */
int transport_net_send(const struct transport_net *t, const uint8_t *message, size_t len);
ssize_t transport_net_receive(const struct transport_net *t, uint8_t *message, size_t size);

/* Let through management messages only, which are offset octets into what is received. 0 or -errno.
 */
int transport_net_filter(int fd, unsigned int offset);
