/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PTP over UDP, IPv4 and IPv6 (IEEE 1588-2019 annexes C and D). The socket is bound to the
 * multicast group, not to any address: of several sockets with one port the kernel gives a unicast
 * datagram to one only, and a ptp4l on this host that works in unicast would miss what we got.
 */
#pragma once

#include "pmc-client/transport_net.h"

/* Make a socket of t's interface; t->index is known. 0 with *fd, or -errno. */
int transport_udp_socket(const struct transport_net *t, int *fd);

/* Fill in what sending needs, for a socket that is open. 0; -EINVAL: not such a socket. */
int transport_udp_prepare(struct transport_net *t);
