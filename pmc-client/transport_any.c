// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/transport_any.h"

int transport_any_init(struct transport_any *t, const char *server_path, const char *own_path,
		       const struct pmc_network *network, uint32_t nonce)
{
	t->network = network != NULL;
	if (network)
		return transport_net_init(&t->net, network);
	return transport_unix_init(&t->local, server_path, own_path, nonce);
}

int transport_any_open(struct transport_any *t)
{
	return t->network ? transport_net_open(&t->net) : transport_unix_open(&t->local);
}

void transport_any_close(struct transport_any *t)
{
	if (t->network)
		transport_net_close(&t->net);
	else
		transport_unix_close(&t->local);
}

int transport_any_check(const struct transport_any *t)
{
	return t->network ? transport_net_check(&t->net) : transport_unix_check(&t->local);
}

int transport_any_fd(const struct transport_any *t)
{
	return t->network ? t->net.fd : t->local.fd;
}

int transport_any_send(const struct transport_any *t, const uint8_t *message, size_t len)
{
	return t->network ? transport_net_send(&t->net, message, len)
			  : transport_send(t->local.fd, message, len);
}

ssize_t transport_any_receive(const struct transport_any *t, uint8_t *message, size_t size)
{
	return t->network ? transport_net_receive(&t->net, message, size)
			  : transport_receive(t->local.fd, message, size);
}

const char *transport_any_name(const struct transport_any *t)
{
	return t->network ? t->net.interface : t->local.server.sun_path;
}
