/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asking the clocks of a network, not the one behind a socket. Requests are multicast, and so is
 * every answer, whoever asked: all stations of the segment hear them, and one request of 54 octets
 * makes every clock answer. So the client keeps a distance between two requests and has one under
 * way (client.h).
 *
 * A ptp4l on the same interface of the same host is not reached: it doesn't hear what its own host
 * sends. Ask that one through its socket. A SET or COMMAND over a network is refused by every
 * version of ptp4l, but other clocks may obey.
 */
#pragma once

#include "pmc-client/ptp_types.h"

enum pmc_network_kind {
	PMC_L2,   /* IEEE 802.3, ethertype 0x88F7 (IEEE 1588-2019 annex E); needs CAP_NET_RAW */
	PMC_UDP4, /* 224.0.1.129, port 320 (annex C); needs CAP_NET_BIND_SERVICE */
	PMC_UDP6, /* FF0x::181, port 320 (annex D); needs CAP_NET_BIND_SERVICE */
	PMC_NETWORK_KIND_MAX,
};

#define PMC_ETHERNET_ADDRESS 6 /* octets */

struct pmc_network {
	enum pmc_network_kind kind;
	const char *interface;
	/*
	 * A socket that pmc_network_open() made, perhaps in another process that had the capability
	 * for it. It stays the caller's; the client uses a duplicate. 0: the client opens one.
	 */
	int fd;
	/* PMC_L2: where to, PMC_ETHERNET_ADDRESS octets. NULL: 01:1B:19:00:00:00 */
	const uint8_t *destination;
	uint8_t hop_limit;  /* of UDP: TTL. 0: 1, which stays on the segment */
	uint8_t udp6_scope; /* the x in FF0x::181, 1 to 15. 0: 14, ptp4l's udp6_scope */
};

/*
 * Open a socket for it, non-blocking and close-on-exec, that hears management messages only. 0 with
 * *fd, the caller's to close; -ENODEV: no such interface; -ENETDOWN: it is not up; -EPERM or
 * -EACCES: the capability is missing; -EOPNOTSUPP: the interface is no Ethernet; -EADDRNOTAVAIL: it
 * has no IPv6; -EINVAL ...
 */
PMC_EXPORT int pmc_network_open(int *fd, const struct pmc_network *network);

/* "L2", "UDPv4", "UDPv6": ptp4l's network_transport */
PMC_EXPORT const char *pmc_network_kind_name(enum pmc_network_kind kind);
