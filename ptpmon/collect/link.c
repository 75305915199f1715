/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/link.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"

struct link_source {
	struct nl_sock *news;  /* RTNLGRP_LINK; never asked anything */
	struct nl_sock *query; /* for how it is now */
	const char *const *names;
	size_t n;
	link_event_fn *on_event;
	void *userdata;
	struct watched {
		struct link_state state;
		int index; /* while it is present: a name can move to another interface */
	} links[];
};

/* libnl's errors are its own; the ones that can come here in errno's words. */
static int to_errno(int nl_error)
{
	switch (-nl_error) {
	case NLE_SUCCESS:
		return 0;
	case NLE_NOMEM: /* ENOBUFS too */
		return -ENOBUFS;
	case NLE_PERM:
		return -EPERM;
	case NLE_AGAIN:
		return -EAGAIN;
	default:
		return -EIO;
	}
}

static void emit(struct link_source *s, size_t i, enum event_code code, const char *what)
{
	struct event e = event_make(code, nsec_now(CLOCK_MONOTONIC), s->names[i], "%s: %s",
				    s->names[i], what);

	s->on_event(s->userdata, &e);
}

static void observe(struct link_source *s, size_t i, struct watched now)
{
	struct link_state was = s->links[i].state;
	struct link_state is = now.state;

	s->links[i] = now;
	if (was.present && !is.present)
		emit(s, i, EVENT_LINK_GONE, "the interface is gone");
	if (!was.present && is.present)
		emit(s, i, EVENT_LINK_BACK, "the interface is there");
	if (is.present && was.carrier != is.carrier)
		emit(s, i, is.carrier ? EVENT_LINK_UP : EVENT_LINK_DOWN,
		     is.carrier ? "link up" : "link down");
}

static struct watched watched_of(struct rtnl_link *link)
{
	return (struct watched){
		.state = {.present = true, .carrier = rtnl_link_get_carrier(link)},
		.index = rtnl_link_get_ifindex(link),
	};
}

/* How it is now. What cannot be asked is as it was. */
static struct watched look(struct link_source *s, size_t i)
{
	struct rtnl_link *link = NULL;
	struct watched now = {0};
	int r = rtnl_link_get_kernel(s->query, 0, s->names[i], &link);

	if (r == -NLE_OBJ_NOTFOUND || r == -NLE_NODEV)
		return now;
	if (r < 0)
		return s->links[i];
	now = watched_of(link);
	rtnl_link_put(link);
	return now;
}

/* News of an interface by its name; or of one that had the name until it was renamed. */
static void take_link(struct nl_object *object, void *userdata)
{
	struct link_source *s = userdata;
	struct rtnl_link *link = (struct rtnl_link *)object;
	const char *name = rtnl_link_get_name(link);
	bool gone = nl_object_get_msgtype(object) == RTM_DELLINK;

	for (size_t i = 0; name && i < s->n; i++) {
		bool named = strcmp(s->names[i], name) == 0;

		if (named && !gone)
			observe(s, i, watched_of(link));
		else if (s->links[i].state.present &&
			 s->links[i].index == rtnl_link_get_ifindex(link))
			observe(s, i, (struct watched){0});
	}
}

static int on_news(struct nl_msg *msg, void *userdata)
{
	(void)nl_msg_parse(msg, take_link, userdata);
	return NL_OK;
}

int link_source_receive(struct link_source *s)
{
	int r = nl_recvmsgs_default(s->news);

	if (r < 0 && r != -NLE_AGAIN) /* the queue overflowed: news was lost, the present was not */
		for (size_t i = 0; i < s->n; i++)
			observe(s, i, look(s, i));
	return r == -NLE_AGAIN ? 0 : to_errno(r);
}

int link_source_fd(const struct link_source *s)
{
	return nl_socket_get_fd(s->news);
}

struct link_state link_source_state(const struct link_source *s, size_t i)
{
	return s->links[i].state;
}

static int open_sockets(struct link_source *s)
{
	int r = nl_connect(s->query, NETLINK_ROUTE);

	nl_socket_disable_seq_check(s->news);
	(void)nl_socket_modify_cb(s->news, NL_CB_VALID, NL_CB_CUSTOM, on_news, s);
	if (r == 0)
		r = nl_connect(s->news, NETLINK_ROUTE);
	if (r == 0)
		r = nl_socket_set_nonblocking(s->news);
	if (r == 0)
		r = nl_socket_add_memberships(s->news, RTNLGRP_LINK, 0);
	return to_errno(r);
}

int link_source_new(struct link_source **out, const char *const *names, size_t n,
		    link_event_fn *on_event, void *userdata)
{
	struct link_source *s = calloc(1, sizeof(*s) + n * sizeof(s->links[0]));
	int r;

	if (!s)
		return -ENOMEM;
	s->names = names;
	s->n = n;
	s->on_event = on_event;
	s->userdata = userdata;
	s->news = nl_socket_alloc();
	s->query = nl_socket_alloc();
	r = s->news && s->query ? open_sockets(s) : -ENOMEM;
	if (r < 0) {
		(void)link_source_free(s);
		return r;
	}
	for (size_t i = 0; i < n; i++) /* after joining: nothing falls between */
		s->links[i] = look(s, i);
	*out = s;
	return 0;
}

struct link_source *link_source_free(struct link_source *s)
{
	if (!s)
		return NULL;
	nl_socket_free(s->news);
	nl_socket_free(s->query);
	free(s);
	return NULL;
}
