// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/transport_net.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "pmc-client/message.h"
#include "pmc-client/transport_raw.h"
#include "pmc-client/transport_udp.h"

enum {
	FRAME_MAX = ETHERNET_HEADER + 2 * VLAN_TAG + PTP_MESSAGE_MAX,
	TYPE_MANAGEMENT = 0xD, /* low nibble of a message's first octet */
	UDP6_SCOPE = 0xE,      /* global, ptp4l's default */
	UDP6_SCOPE_MAX = 0xF,
};

/* IEEE 1588-2019 E.3; everything that isn't peer delay */
static const uint8_t primary_address[PMC_ETHERNET_ADDRESS] = {0x01, 0x1B, 0x19, 0, 0, 0};

/* clang-format off */
static const struct {
	const char *name;
	int (*socket)(const struct transport_net *t, int *fd);
	int (*prepare)(struct transport_net *t);
} kinds[PMC_NETWORK_KIND_MAX] = {
	[PMC_L2]   = { "L2",    transport_raw_socket, transport_raw_prepare },
	[PMC_UDP4] = { "UDPv4", transport_udp_socket, transport_udp_prepare },
	[PMC_UDP6] = { "UDPv6", transport_udp_socket, transport_udp_prepare },
};
/* clang-format on */

const char *pmc_network_kind_name(enum pmc_network_kind kind)
{
	return kinds[kind].name;
}

int transport_net_init(struct transport_net *t, const struct pmc_network *network)
{
	size_t len = network->interface ? strlen(network->interface) : 0;

	if ((unsigned int)network->kind >= PMC_NETWORK_KIND_MAX || len == 0 || network->fd < 0 ||
	    network->udp6_scope > UDP6_SCOPE_MAX)
		return -EINVAL;
	if (len >= sizeof(t->interface))
		return -ENAMETOOLONG;
	*t = (struct transport_net){
		.fd = -1,
		.kind = network->kind,
		.inherited_fd = network->fd,
		.hop_limit = network->hop_limit ? network->hop_limit : 1,
		.udp6_scope = network->udp6_scope ? network->udp6_scope : UDP6_SCOPE,
	};
	memcpy(t->interface, network->interface, len + 1);
	memcpy(t->destination, network->destination ? network->destination : primary_address,
	       sizeof(t->destination));
	return 0;
}

/* Its index, which changes if it is removed and made again. */
static int ask_interface(const char *name, int fd, int *index)
{
	struct ifreq request = {0};

	memcpy(request.ifr_name, name, strlen(name) + 1);
	if (ioctl(fd, SIOCGIFINDEX, &request) < 0)
		return -errno;
	*index = request.ifr_ifindex;
	if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		return -errno;
	return request.ifr_flags & IFF_UP ? 0 : -ENETDOWN;
}

static int find_interface(struct transport_net *t)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), r; /* any socket will do */

	if (fd < 0)
		return -errno;
	r = ask_interface(t->interface, fd, &t->index);
	(void)close(fd);
	return r;
}

static int inherit(const struct transport_net *t, int *fd)
{
	int flags, duplicate = fcntl(t->inherited_fd, F_DUPFD_CLOEXEC, 3);

	if (duplicate < 0)
		return -errno;
	flags = fcntl(duplicate, F_GETFL);
	if (flags < 0 || fcntl(duplicate, F_SETFL, flags | O_NONBLOCK) < 0) {
		int r = -errno;

		(void)close(duplicate);
		return r;
	}
	*fd = duplicate;
	return 0;
}

int transport_net_open(struct transport_net *t)
{
	int r = find_interface(t);

	if (r < 0)
		return r;
	r = t->inherited_fd > 0 ? inherit(t, &t->fd) : kinds[t->kind].socket(t, &t->fd);
	if (r == 0)
		r = kinds[t->kind].prepare(t);
	if (r < 0)
		transport_net_close(t);
	return r;
}

void transport_net_close(struct transport_net *t)
{
	if (t->fd >= 0)
		(void)close(t->fd);
	t->fd = -1;
}

int transport_net_check(const struct transport_net *t)
{
	int index = 0, r = ask_interface(t->interface, t->fd, &index);

	if (r < 0)
		return r;
	return index == t->index ? 0 : -ENODEV;
}

int transport_net_send(const struct transport_net *t, const uint8_t *message, size_t len)
{
	static const uint8_t padding[2];
	struct iovec parts[] = {
		{.iov_base = (void *)t->header, .iov_len = t->header_len},
		{.iov_base = (void *)message, .iov_len = len},
		{.iov_base = (void *)padding, .iov_len = t->padding_len},
	};
	struct msghdr m = {
		.msg_name = t->to_len ? (void *)&t->to : NULL,
		.msg_namelen = t->to_len,
		.msg_iov = parts,
		.msg_iovlen = sizeof(parts) / sizeof(parts[0]),
	};

	if (sendmsg(t->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return 0;
	/* The queue of the interface, not of the socket. */
	return errno == ENOBUFS ? -EAGAIN : -errno;
}

ssize_t transport_net_receive(const struct transport_net *t, uint8_t *message, size_t size)
{
	uint8_t frame[FRAME_MAX];
	size_t offset, len;
	ssize_t n;

	if (t->kind != PMC_L2)
		return transport_receive(t->fd, message, size);
	n = transport_receive(t->fd, frame, sizeof(frame));
	if (n < 0)
		return n;
	len = (size_t)n < sizeof(frame) ? (size_t)n : sizeof(frame);
	if (!transport_raw_payload(frame, len, &offset))
		return 0;
	len -= offset;
	memcpy(message, frame + offset, len < size ? len : size);
	return n - (ssize_t)offset;
}

/*
 * There are many more Syncs, Follow_Ups and Announces than answers; without this each would wake
 * the client.
 */
int transport_net_filter(int fd, unsigned int offset)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, offset),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x0F),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TYPE_MANAGEMENT, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {.len = sizeof(steps) / sizeof(steps[0]), .filter = steps};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno
											   : 0;
}

int pmc_network_open(int *fd, const struct pmc_network *network)
{
	struct transport_net t;
	int r = transport_net_init(&t, network);

	if (r == 0)
		r = transport_net_open(&t);
	if (r == 0)
		*fd = t.fd;
	return r;
}
