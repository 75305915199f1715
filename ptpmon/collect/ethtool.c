/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "ptpmon/base/cleanup.h"

#define HARDWARE                                                                                   \
	(SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE |                             \
	 SOF_TIMESTAMPING_RAW_HARDWARE)

/* The first 32 bits, which is more than any of these sets has. */
static int parse_bitset(struct nlattr *set, uint32_t *out)
{
	struct nlattr *in[ETHTOOL_A_BITSET_MAX + 1];
	struct nlattr *value;

	if (!set)
		return 0;
	if (nla_parse_nested(in, ETHTOOL_A_BITSET_MAX, set, NULL) < 0)
		return -EBADMSG;
	value = in[ETHTOOL_A_BITSET_VALUE];
	if (!value)
		return in[ETHTOOL_A_BITSET_BITS] ? -EBADMSG : 0;
	if ((size_t)nla_len(value) < sizeof(*out))
		return -EBADMSG;
	memcpy(out, nla_data(value), sizeof(*out));
	return 0;
}

int ethtool_timestamping_parse(const void *message, size_t len, struct ethtool_timestamping *out)
{
	struct ethtool_timestamping t = {.phc_index = ETHTOOL_NO_PHC};
	struct nlattr *in[ETHTOOL_A_TSINFO_MAX + 1];
	struct nlattr *first;

	if (len < GENL_HDRLEN || len > INT32_MAX)
		return -EBADMSG;
	first = (struct nlattr *)(void *)((char *)message + GENL_HDRLEN);
	if (nla_parse(in, ETHTOOL_A_TSINFO_MAX, first, (int)(len - GENL_HDRLEN), NULL) < 0 ||
	    parse_bitset(in[ETHTOOL_A_TSINFO_TIMESTAMPING], &t.so_timestamping) < 0 ||
	    parse_bitset(in[ETHTOOL_A_TSINFO_TX_TYPES], &t.tx_types) < 0 ||
	    parse_bitset(in[ETHTOOL_A_TSINFO_RX_FILTERS], &t.rx_filters) < 0)
		return -EBADMSG;
	if (in[ETHTOOL_A_TSINFO_PHC_INDEX]) {
		if (nla_len(in[ETHTOOL_A_TSINFO_PHC_INDEX]) < (int)sizeof(uint32_t))
			return -EBADMSG;
		t.phc_index = (int)nla_get_u32(in[ETHTOOL_A_TSINFO_PHC_INDEX]);
	}
	*out = t;
	return 0;
}

/* What came back for one question. */
struct answer {
	struct ethtool_timestamping *out;
	int error; /* -ENODATA until it is there */
};

static int on_answer(struct nl_msg *msg, void *userdata)
{
	struct answer *a = userdata;
	struct nlmsghdr *h = nlmsg_hdr(msg);

	a->error = ethtool_timestamping_parse(nlmsg_data(h), (size_t)nlmsg_datalen(h), a->out);
	return NL_OK;
}

/* libnl folds errno into fewer codes of its own: the kernel's own is taken before that. */
static int on_refusal(struct sockaddr_nl *from, struct nlmsgerr *refusal, void *userdata)
{
	struct answer *a = userdata;

	a->error = refusal->error;
	return NL_STOP;
}

static struct nl_msg *question(int family, const char *interface)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct nlattr *header;

	if (!msg)
		return NULL;
	if (genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, 0, ETHTOOL_MSG_TSINFO_GET,
			ETHTOOL_GENL_VERSION)) {
		header = nla_nest_start(msg, ETHTOOL_A_TSINFO_HEADER);
		if (header && nla_put_string(msg, ETHTOOL_A_HEADER_DEV_NAME, interface) == 0 &&
		    nla_put_u32(msg, ETHTOOL_A_HEADER_FLAGS, ETHTOOL_FLAG_COMPACT_BITSETS) == 0) {
			(void)nla_nest_end(msg, header);
			return msg;
		}
	}
	nlmsg_free(msg);
	return NULL;
}

static int ask(struct nl_sock *socket, const char *interface, struct ethtool_timestamping *out)
{
	struct answer a = {.out = out, .error = -ENODATA};
	int family = genl_connect(socket) < 0 ? -1 : genl_ctrl_resolve(socket, ETHTOOL_GENL_NAME);
	struct nl_msg *msg;
	int r;

	if (family < 0)
		return -EOPNOTSUPP;
	msg = question(family, interface);
	if (!msg)
		return -ENOMEM;
	(void)nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_CUSTOM, on_answer, &a);
	(void)nl_socket_modify_err_cb(socket, NL_CB_CUSTOM, on_refusal, &a);
	r = nl_send_auto(socket, msg);
	nlmsg_free(msg);
	if (r < 0)
		return -EIO;
	(void)nl_recvmsgs_default(socket);
	return a.error;
}

static int by_netlink(const char *interface, struct ethtool_timestamping *out)
{
	struct nl_sock *socket = nl_socket_alloc();
	int r;

	if (!socket)
		return -ENOMEM;
	nl_socket_disable_auto_ack(socket);
	r = ask(socket, interface, out);
	nl_socket_free(socket);
	return r;
}

static int by_ioctl(const char *interface, struct ethtool_timestamping *out)
{
	CLEANUP(close_fdp) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ethtool_ts_info info = {.cmd = ETHTOOL_GET_TS_INFO};
	struct ifreq request = {.ifr_data = (char *)&info};

	if (fd < 0)
		return -errno;
	(void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	if (ioctl(fd, SIOCETHTOOL, &request) < 0)
		return -errno;
	*out = (struct ethtool_timestamping){
		.so_timestamping = info.so_timestamping,
		.tx_types = info.tx_types,
		.rx_filters = info.rx_filters,
		.phc_index = info.phc_index,
	};
	return 0;
}

int ethtool_timestamping_get(const char *interface, struct ethtool_timestamping *out)
{
	int r;

	if (strlen(interface) >= IF_NAMESIZE)
		return -ENODEV;
	r = by_netlink(interface, out);
	return r == -EOPNOTSUPP ? by_ioctl(interface, out) : r;
}

bool ethtool_has_hardware(const struct ethtool_timestamping *t)
{
	return (t->so_timestamping & HARDWARE) == HARDWARE && t->phc_index >= 0;
}

const char *ethtool_phc_device(int phc_index, char out[static ETHTOOL_DEVICE_MAX])
{
	(void)snprintf(out, ETHTOOL_DEVICE_MAX, "/dev/ptp%d", phc_index);
	return out;
}
