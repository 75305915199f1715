/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/napi.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <sys/socket.h>

/* linux/netdev.h, which Debian 12 does not have yet */
enum { NETDEV_VERSION = 1, CMD_NAPI_GET = 11, NAPI_IFINDEX = 1, NAPI_ID = 2 };

int napi_id_parse(const void *message, size_t len, uint32_t *id)
{
	struct nlattr *in[NAPI_ID + 1];
	struct nlattr *first;

	if (len < GENL_HDRLEN || len > INT32_MAX)
		return -EBADMSG;
	first = (struct nlattr *)(void *)((char *)message + GENL_HDRLEN);
	if (nla_parse(in, NAPI_ID, first, (int)(len - GENL_HDRLEN), NULL) < 0 || !in[NAPI_ID] ||
	    nla_len(in[NAPI_ID]) < (int)sizeof(*id))
		return -EBADMSG;
	*id = nla_get_u32(in[NAPI_ID]);
	return 0;
}

/* What came back for one question. */
struct answer {
	uint32_t *ids;
	size_t n, max;
	int error;
};

static int on_answer(struct nl_msg *msg, void *userdata)
{
	struct answer *a = userdata;
	struct nlmsghdr *h = nlmsg_hdr(msg);

	if (a->n < a->max &&
	    napi_id_parse(nlmsg_data(h), (size_t)nlmsg_datalen(h), &a->ids[a->n]) == 0)
		a->n++;
	return NL_OK;
}

static int on_refusal(struct sockaddr_nl *from, struct nlmsgerr *refusal, void *userdata)
{
	struct answer *a = userdata;

	a->error = refusal->error;
	return NL_STOP;
}

static int ask(struct nl_sock *socket, unsigned ifindex, struct answer *a)
{
	int family = genl_connect(socket) < 0 ? -1 : genl_ctrl_resolve(socket, "netdev");
	struct nl_msg *msg = family < 0 ? NULL : nlmsg_alloc();
	int r = -1;

	if (!msg)
		return family < 0 ? -EOPNOTSUPP : -ENOMEM;
	(void)nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_CUSTOM, on_answer, a);
	(void)nl_socket_modify_err_cb(socket, NL_CB_CUSTOM, on_refusal, a);
	if (genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, NLM_F_DUMP, CMD_NAPI_GET,
			NETDEV_VERSION) &&
	    nla_put_u32(msg, NAPI_IFINDEX, ifindex) == 0)
		r = nl_send_auto(socket, msg);
	nlmsg_free(msg);
	if (r < 0 || nl_recvmsgs_default(socket) < 0)
		return a->error ? a->error : -EIO;
	return a->error;
}

int napi_ids_get(unsigned ifindex, uint32_t *ids, size_t max)
{
	struct answer a = {.ids = ids, .max = max};
	struct nl_sock *socket = nl_socket_alloc();
	int r;

	if (!socket)
		return -ENOMEM;
	nl_socket_disable_auto_ack(socket);
	r = ask(socket, ifindex, &a);
	nl_socket_free(socket);
	return r < 0 ? r : (int)a.n;
}
