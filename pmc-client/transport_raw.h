/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PTP over IEEE 802.3 (IEEE 1588-2019 annex E): a packet socket on one interface. */
#pragma once

#include "pmc-client/transport_net.h"

/* Make a socket of t's interface; t->index is known. 0 with *fd, or -errno. */
int transport_raw_socket(const struct transport_net *t, int *fd);

/* Fill in what sending needs, for a socket that is open. 0; -EINVAL: not such a socket. */
int transport_raw_prepare(struct transport_net *t);

/*
 * Where the PTP message of a frame begins: behind the Ethernet header, and behind a VLAN tag where
 * the kernel has left one. *offset, and true; false if it is no PTP frame.
 */
bool transport_raw_payload(const uint8_t *frame, size_t len, size_t *offset);
