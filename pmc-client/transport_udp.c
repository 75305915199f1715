// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/transport_udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <unistd.h>

#define GROUP4 0xE0000181U /* 224.0.1.129, IEEE 1588-2019 C.3 */

/* An option of a socket, for tables of them. */
struct setting {
	int level, name;
	const void *value;
	socklen_t len;
};

static int apply(int fd, const struct setting *settings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (setsockopt(fd, settings[i].level, settings[i].name, settings[i].value,
			       settings[i].len) < 0)
			return -errno;
	return 0;
}

static struct sockaddr_in address4(void)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(PORT_GENERAL),
		.sin_addr.s_addr = htonl(GROUP4),
	};
}

/* FF0x::181, IEEE 1588-2019 D.3 */
static struct sockaddr_in6 address6(const struct transport_net *t)
{
	return (struct sockaddr_in6){
		.sin6_family = AF_INET6,
		.sin6_port = htons(PORT_GENERAL),
		.sin6_addr.s6_addr = {0xFF, t->udp6_scope, [14] = 0x01, [15] = 0x81},
		.sin6_scope_id = (uint32_t)t->index,
	};
}

static int set_up4(const struct transport_net *t, int fd)
{
	const struct sockaddr_in group = address4();
	const struct ip_mreqn membership = {.imr_multiaddr = group.sin_addr,
					    .imr_ifindex = t->index};
	const int off = 0, hops = t->hop_limit;
	const struct setting settings[] = {
		{IPPROTO_IP, IP_MULTICAST_TTL, &hops, sizeof(hops)},
		{IPPROTO_IP, IP_MULTICAST_LOOP, &off, sizeof(off)},
		{IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof(off)},
		{IPPROTO_IP, IP_MULTICAST_IF, &membership, sizeof(membership)},
		{IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof(membership)},
	};
	int r = apply(fd, settings, sizeof(settings) / sizeof(settings[0]));

	if (r < 0)
		return r;
	return bind(fd, (const struct sockaddr *)&group, sizeof(group)) < 0 ? -errno : 0;
}

static int set_up6(const struct transport_net *t, int fd)
{
	const struct sockaddr_in6 group = address6(t);
	const struct ipv6_mreq membership = {.ipv6mr_multiaddr = group.sin6_addr,
					     .ipv6mr_interface = (unsigned int)t->index};
	const int off = 0, on = 1, hops = t->hop_limit;
	const struct setting settings[] = {
		{IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)},
		{IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof(hops)},
		{IPPROTO_IPV6, IPV6_MULTICAST_LOOP, &off, sizeof(off)},
		{IPPROTO_IPV6, IPV6_MULTICAST_ALL, &off, sizeof(off)},
		{IPPROTO_IPV6, IPV6_MULTICAST_IF, &t->index, sizeof(t->index)},
		{IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &membership, sizeof(membership)},
	};
	int r = apply(fd, settings, sizeof(settings) / sizeof(settings[0]));

	if (r < 0)
		return r;
	return bind(fd, (const struct sockaddr *)&group, sizeof(group)) < 0 ? -errno : 0;
}

static int set_up(const struct transport_net *t, int fd)
{
	const int on = 1;
	const struct setting settings[] = {
		{SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)}, /* ptp4l has this port as well */
		{SOL_SOCKET, SO_BINDTODEVICE, t->interface, (socklen_t)strlen(t->interface)},
	};
	int r = apply(fd, settings, sizeof(settings) / sizeof(settings[0]));

	if (r == 0)
		r = transport_net_filter(fd, UDP_HEADER);
	if (r < 0)
		return r;
	return t->kind == PMC_UDP4 ? set_up4(t, fd) : set_up6(t, fd);
}

int transport_udp_socket(const struct transport_net *t, int *fd)
{
	int family = t->kind == PMC_UDP4 ? AF_INET : AF_INET6;
	int udp = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), r;

	if (udp < 0)
		return -errno;
	r = set_up(t, udp);
	if (r < 0)
		(void)close(udp);
	else
		*fd = udp;
	return r;
}

int transport_udp_prepare(struct transport_net *t)
{
	struct sockaddr_in6 own = {0};
	socklen_t len = sizeof(own);
	char interface[IF_NAMESIZE] = "";
	socklen_t interface_len = sizeof(interface);

	if (t->kind == PMC_UDP4) {
		t->to.in = address4();
		t->to_len = sizeof(t->to.in);
	} else {
		t->to.in6 = address6(t);
		t->to_len = sizeof(t->to.in6);
	}
	t->header_len = 0;
	t->padding_len = t->kind == PMC_UDP6 ? 2 : 0; /* D.1 */
	if (getsockname(t->fd, (struct sockaddr *)&own, &len) < 0 ||
	    getsockopt(t->fd, SOL_SOCKET, SO_BINDTODEVICE, interface, &interface_len) < 0)
		return -errno;
	/* The port is at the same place in both families. */
	if (own.sin6_family != t->to.any.sa_family || own.sin6_port != htons(PORT_GENERAL) ||
	    strncmp(interface, t->interface, sizeof(interface)) != 0)
		return -EINVAL;
	return 0;
}
