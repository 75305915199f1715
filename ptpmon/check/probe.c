/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/check/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pmc-client/wire.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"

enum {
	DELAY_REQ = 1, /* messageType, and controlField */
	DELAY_REQ_OCTETS = 44,
	NO_INTERVAL = 0x7f,
	HEADER_REST_OCTETS = 24, /* flags, correction, type specific, source port identity */
	CONTROL_OCTETS = 256,
};

void probe_frame(uint8_t frame[static PROBE_FRAME_OCTETS], const uint8_t address[static 6],
		 unsigned minor)
{
	static const uint8_t everybody[6] = {0x01, 0x1b, 0x19, 0x00, 0x00, 0x00};
	struct wire_out out = wire_out(frame, PROBE_FRAME_OCTETS);

	memset(frame, 0, PROBE_FRAME_OCTETS);
	wire_put_octets(&out, everybody, sizeof(everybody));
	wire_put_octets(&out, address, 6);
	wire_put(&out, ETH_P_1588, 2);
	wire_put(&out, DELAY_REQ, 1);
	wire_put(&out, minor << 4 | 2, 1);
	wire_put(&out, DELAY_REQ_OCTETS, 2);
	wire_put(&out, PROBE_DOMAIN, 1);
	out.at += 1 + HEADER_REST_OCTETS; /* the identity is that of nobody */
	wire_put(&out, minor, 2);         /* sequenceId */
	wire_put(&out, DELAY_REQ, 1);
	wire_put(&out, NO_INTERVAL, 1);
}

/* -- the setting -------------------------------------------------------------------------- */

static int setting_ioctl(int fd, const char *interface, unsigned long request,
			 struct hwtstamp_config *c)
{
	struct ifreq r = {.ifr_data = (char *)c};

	(void)snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", interface);
	return ioctl(fd, request, &r) < 0 ? -errno : 0;
}

static int turn_on(int fd, const char *interface, struct hwtstamp_config *old, bool *changed)
{
	struct hwtstamp_config wanted;
	int r = setting_ioctl(fd, interface, SIOCGHWTSTAMP, old);

	if (r < 0 || old->tx_type != HWTSTAMP_TX_OFF)
		return r;
	wanted = *old;
	wanted.tx_type = HWTSTAMP_TX_ON;
	r = setting_ioctl(fd, interface, SIOCSHWTSTAMP, &wanted);
	*changed = r == 0;
	return r;
}

/* The driver writes into what it is given. */
static int restore(int fd, const char *interface, const struct hwtstamp_config *old)
{
	struct hwtstamp_config now = *old;

	if (setting_ioctl(fd, interface, SIOCSHWTSTAMP, &now) < 0 ||
	    setting_ioctl(fd, interface, SIOCGHWTSTAMP, &now) < 0)
		return -EREMCHG;
	return now.tx_type == old->tx_type && now.rx_filter == old->rx_filter ? 0 : -EREMCHG;
}

/* -- one packet --------------------------------------------------------------------------- */

static int open_socket(const char *interface, uint8_t address[static 6])
{
	CLEANUP(close_fdp) int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_ll at = {.sll_family = AF_PACKET};
	struct ifreq r = {0};

	(void)snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", interface);
	if (fd < 0 || ioctl(fd, SIOCGIFHWADDR, &r) < 0)
		return -errno;
	memcpy(address, r.ifr_hwaddr.sa_data, 6);
	at.sll_ifindex = (int)if_nametoindex(interface);
	/* protocol 0: it receives nothing but what is on its error queue */
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		return -errno;
	return steal_fd(&fd);
}

/* Takes what is on the error queue; was it a hardware time stamp? */
static bool take_stamp(int fd)
{
	_Alignas(struct cmsghdr) char control[CONTROL_OCTETS];
	char data[ETHER_MAX_LEN];
	struct iovec iov = {.iov_base = data, .iov_len = sizeof(data)};
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct scm_timestamping stamps = {0};

	if (recvmsg(fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return false;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING &&
		    c->cmsg_len >= CMSG_LEN(sizeof(stamps)))
			memcpy(&stamps, CMSG_DATA(c), sizeof(stamps));
	return stamps.ts[2].tv_sec || stamps.ts[2].tv_nsec;
}

static int send_one(int fd, const uint8_t address[static 6], unsigned minor, int64_t timeout_ns,
		    struct probe_result *out)
{
	uint8_t frame[PROBE_FRAME_OCTETS];
	int64_t start_ns = nsec_now(CLOCK_MONOTONIC);
	int64_t left_ns;

	probe_frame(frame, address, minor);
	if (send(fd, frame, sizeof(frame), 0) < 0)
		return -errno;
	while ((left_ns = start_ns + timeout_ns - nsec_now(CLOCK_MONOTONIC)) > 0) {
		struct pollfd p = {.fd = fd};
		struct timespec wait = nsec_to_timespec(left_ns);

		if (ppoll(&p, 1, &wait, NULL) < 0)
			return -errno;
		if (p.revents && take_stamp(fd)) {
			out->stamped[minor] = true;
			out->took_ns[minor] = nsec_now(CLOCK_MONOTONIC) - start_ns;
			return 0;
		}
	}
	return 0;
}

static int probe_with(int fd, const char *interface, const uint8_t address[static 6],
		      int64_t timeout_ns, struct probe_result *out)
{
	static const int flags = SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;
	struct hwtstamp_config old = {0};
	int restored = 0;
	int r = turn_on(fd, interface, &old, &out->changed);

	if (r == 0 && setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)) < 0)
		r = -errno;
	for (unsigned minor = 0; r == 0 && minor < PROBE_KINDS; minor++)
		r = send_one(fd, address, minor, timeout_ns, out);
	if (out->changed)
		restored = restore(fd, interface, &old);
	return restored < 0 ? restored : r;
}

int probe_port(const char *interface, int64_t timeout_ns, struct probe_result *out)
{
	CLEANUP(close_fdp) int fd = -1;
	struct probe_result result = {0};
	uint8_t address[6];
	sigset_t all;
	sigset_t before;
	int r;

	fd = open_socket(interface, address);
	if (fd < 0)
		return fd;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	r = probe_with(fd, interface, address, timeout_ns, &result);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (r == 0)
		*out = result;
	return r;
}
