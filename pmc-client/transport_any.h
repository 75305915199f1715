/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A transport of either sort, the server's socket or a network, for those who don't care which. */
#pragma once

#include "pmc-client/transport_net.h"
#include "pmc-client/transport_unix.h"

struct transport_any {
	bool network; /* which of the two it is */
	union {
		struct transport_unix local;
		struct transport_net net;
	};
};

/* network NULL: the socket at server_path. As transport_unix_init() or transport_net_init(). */
int transport_any_init(struct transport_any *t, const char *server_path, const char *own_path,
		       const struct pmc_network *network, uint32_t nonce);

int transport_any_open(struct transport_any *t);
void transport_any_close(struct transport_any *t);
int transport_any_check(const struct transport_any *t);
int transport_any_fd(const struct transport_any *t); /* -1: closed */
int transport_any_send(const struct transport_any *t, const uint8_t *message, size_t len);
ssize_t transport_any_receive(const struct transport_any *t, uint8_t *message, size_t size);

/* The server's path, or the interface. */
const char *transport_any_name(const struct transport_any *t);
