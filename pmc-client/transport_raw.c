// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/transport_raw.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/ethernet.h>
#include <netpacket/packet.h>
#include <unistd.h>

#include "pmc-client/wire.h"

/* Bound last: a socket that has a protocol but no interface yet would hear all of them. */
static int set_up(const struct transport_net *t, int fd)
{
	struct sockaddr_ll own = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_1588),
		.sll_ifindex = t->index,
	};
	struct packet_mreq group = {
		.mr_ifindex = t->index,
		.mr_type = PACKET_MR_MULTICAST,
		.mr_alen = sizeof(t->destination),
	};
	int r = transport_net_filter(fd, ETHERNET_HEADER);

	if (r < 0)
		return r;
	memcpy(group.mr_address, t->destination, sizeof(t->destination));
	if (setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
		return -errno;
	return bind(fd, (const struct sockaddr *)&own, sizeof(own)) < 0 ? -errno : 0;
}

int transport_raw_socket(const struct transport_net *t, int *fd)
{
	int raw = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), r;

	if (raw < 0)
		return -errno;
	r = set_up(t, raw);
	if (r < 0)
		(void)close(raw);
	else
		*fd = raw;
	return r;
}

int transport_raw_prepare(struct transport_net *t)
{
	struct wire_out out = wire_out(t->header, sizeof(t->header));
	struct sockaddr_ll own = {0};
	socklen_t len = sizeof(own);

	if (getsockname(t->fd, (struct sockaddr *)&own, &len) < 0)
		return -errno;
	if (own.sll_family != AF_PACKET || own.sll_ifindex != t->index ||
	    own.sll_protocol != htons(ETH_P_1588))
		return -EINVAL;
	if (own.sll_halen != PMC_ETHERNET_ADDRESS)
		return -EOPNOTSUPP;
	wire_put_octets(&out, t->destination, sizeof(t->destination));
	wire_put_octets(&out, own.sll_addr, PMC_ETHERNET_ADDRESS);
	wire_put(&out, ETH_P_1588, 2);
	t->header_len = sizeof(t->header);
	t->padding_len = 0;
	t->to_len = 0;
	return 0;
}

bool transport_raw_payload(const uint8_t *frame, size_t len, size_t *offset)
{
	struct wire_in in = wire_in(frame, len);
	uint64_t type;

	(void)wire_take(&in, ETHERNET_HEADER - 2);
	type = wire_get(&in, 2);
	if (type == ETH_P_8021Q || type == ETH_P_8021AD) {
		(void)wire_take(&in, 2);
		type = wire_get(&in, 2);
	}
	if (in.bad || type != ETH_P_1588)
		return false;
	*offset = len - wire_left(&in);
	return true;
}
