/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/link.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"

enum { CATCH_UP_MAX = 10000 }; /* messages; the queue holds far fewer */

struct link_source {
	struct nl_sock *news;  /* links and addresses; never asked anything */
	struct nl_sock *query; /* for how it is now */
	const char *const *names;
	size_t n;
	link_event_fn *on_event;
	void *userdata;
	int ioctl_fd;
	bool addresses_changed;
	struct watched {
		struct link_state state;
		int index; /* while it is present: a name can move to another interface */
		int needs; /* the family of addresses without which PTP cannot be there */
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

static struct event make(const struct link_source *s, size_t i, enum event_code code,
			 const char *what)
{
	return event_make(code, nsec_now(CLOCK_MONOTONIC), s->names[i], "%s: %s", s->names[i],
			  what);
}

static void emit(struct link_source *s, size_t i, enum event_code code, const char *what)
{
	struct event e = make(s, i, code, what);

	s->on_event(s->userdata, &e);
}

/* Megabits a second, 0 if the driver does not say. rtnetlink has no word for it. */
static unsigned read_speed(struct link_source *s, const char *name)
{
	struct ethtool_cmd settings = {.cmd = ETHTOOL_GSET};
	struct ifreq request = {.ifr_data = (void *)&settings};
	uint32_t speed;

	(void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (s->ioctl_fd < 0 || ioctl(s->ioctl_fd, SIOCETHTOOL, &request) < 0)
		return 0;
	speed = ethtool_cmd_speed(&settings);
	return speed == (uint32_t)SPEED_UNKNOWN ? 0 : speed;
}

static void tell_speed(struct link_source *s, size_t i, unsigned was)
{
	unsigned is = s->links[i].state.speed_mbit;
	struct event e;

	if (!is || !was || is == was)
		return;
	e = make(s, i, EVENT_LINK_SPEED, "");
	(void)snprintf(e.text, sizeof(e.text), "%s: link at %u Mbit/s, was %u", s->names[i], is,
		       was);
	(void)snprintf(e.detail, sizeof(e.detail), "{\"speed_mbit\":%u,\"was_mbit\":%u}", is, was);
	s->on_event(s->userdata, &e);
}

static void tell_presence(struct link_source *s, size_t i, const struct watched *was)
{
	const struct watched *is = &s->links[i];
	bool replaced = was->state.present && is->state.present && was->index != is->index;
	struct event e;

	if (was->state.present && (!is->state.present || replaced))
		emit(s, i, EVENT_LINK_GONE, "the interface is gone");
	if (!is->state.present || (was->state.present && !replaced))
		return;
	e = make(s, i, EVENT_LINK_BACK, "the interface is there");
	(void)snprintf(e.detail, sizeof(e.detail), "{\"index\":%d}", is->index);
	s->on_event(s->userdata, &e);
}

static void observe(struct link_source *s, size_t i, struct watched now)
{
	const struct watched was = s->links[i];
	struct watched *is = &s->links[i];

	now.needs = was.needs;
	now.state.ipv4 = now.state.present ? was.state.ipv4 : 0;
	now.state.ipv6 = now.state.present ? was.state.ipv6 : 0;
	now.state.speed_mbit = was.state.speed_mbit;
	now.state.since_mono_ns = was.state.since_mono_ns;
	*is = now;
	if (was.state.present != now.state.present || was.state.carrier != now.state.carrier ||
	    was.index != now.index)
		is->state.since_mono_ns = nsec_now(CLOCK_MONOTONIC);
	tell_presence(s, i, &was);
	if (now.state.present && was.state.carrier != now.state.carrier)
		emit(s, i, now.state.carrier ? EVENT_LINK_UP : EVENT_LINK_DOWN,
		     now.state.carrier ? "link up" : "link down");
	if (!now.state.carrier)
		return;
	is->state.speed_mbit = read_speed(s, s->names[i]) ?: was.state.speed_mbit;
	tell_speed(s, i, was.state.speed_mbit);
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

/* Addresses */

static void tell_addresses(struct link_source *s, size_t i, int family, unsigned was, unsigned is)
{
	const char *name = family == AF_INET ? "IPv4" : "IPv6";
	struct event e;

	if (!was == !is)
		return;
	e = make(s, i, is ? EVENT_ADDRESS_BACK : EVENT_ADDRESS_LOST, "");
	(void)snprintf(e.text, sizeof(e.text), "%s: %s %s address%s", s->names[i],
		       is ? "has an" : "lost its last", name,
		       !is && s->links[i].needs == family ? ": PTP over UDP needs one" : "");
	if (!is && s->links[i].needs == family)
		e.severity = SEVERITY_WARNING;
	s->on_event(s->userdata, &e);
}

/* Counts them anew: news of one may have been lost. */
static void count_addresses(struct link_source *s, bool tell)
{
	struct nl_cache *cache;

	if (rtnl_addr_alloc_cache(s->query, &cache) < 0)
		return;
	for (size_t i = 0; i < s->n; i++) {
		struct link_state *l = &s->links[i].state;
		const struct link_state was = *l;

		l->ipv4 = l->ipv6 = 0;
		for (struct nl_object *o = nl_cache_get_first(cache); o; o = nl_cache_get_next(o)) {
			struct rtnl_addr *a = (struct rtnl_addr *)o;

			if (!l->present || rtnl_addr_get_ifindex(a) != s->links[i].index)
				continue;
			l->ipv4 += rtnl_addr_get_family(a) == AF_INET;
			l->ipv6 += rtnl_addr_get_family(a) == AF_INET6;
		}
		if (tell && l->present) {
			tell_addresses(s, i, AF_INET, was.ipv4, l->ipv4);
			tell_addresses(s, i, AF_INET6, was.ipv6, l->ipv6);
		}
	}
	nl_cache_free(cache);
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
	struct link_source *s = userdata;
	int type = nlmsg_hdr(msg)->nlmsg_type;

	if (type == RTM_NEWLINK || type == RTM_DELLINK)
		(void)nl_msg_parse(msg, take_link, s);
	else
		s->addresses_changed = true;
	return NL_OK;
}

/* News that had come before others were lost are still queued: what is read anew is newer. */
static void catch_up(struct link_source *s)
{
	for (int i = 0; i < CATCH_UP_MAX && nl_recvmsgs_default(s->news) != -NLE_AGAIN; i++)
		;
	for (size_t i = 0; i < s->n; i++)
		observe(s, i, look(s, i));
	s->addresses_changed = true;
}

int link_source_receive(struct link_source *s)
{
	int r = nl_recvmsgs_default(s->news);

	if (r < 0 && r != -NLE_AGAIN)
		catch_up(s);
	if (s->addresses_changed)
		count_addresses(s, true);
	s->addresses_changed = false;
	return r == -NLE_AGAIN ? 0 : to_errno(r);
}

void link_source_needs(struct link_source *s, size_t i, int family)
{
	s->links[i].needs = family;
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
		r = nl_socket_add_memberships(s->news, RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR,
					      RTNLGRP_IPV6_IFADDR, 0);
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
	s->ioctl_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0); /* may fail: speed unknown */
	s->news = nl_socket_alloc();
	s->query = nl_socket_alloc();
	r = s->news && s->query ? open_sockets(s) : -ENOMEM;
	if (r < 0) {
		(void)link_source_free(s);
		return r;
	}
	for (size_t i = 0; i < n; i++) { /* after joining: nothing falls between */
		s->links[i] = look(s, i);
		if (s->links[i].state.carrier)
			s->links[i].state.speed_mbit = read_speed(s, names[i]);
	}
	count_addresses(s, false);
	*out = s;
	return 0;
}

struct link_source *link_source_free(struct link_source *s)
{
	if (!s)
		return NULL;
	nl_socket_free(s->news);
	nl_socket_free(s->query);
	close_fdp(&s->ioctl_fd);
	free(s);
	return NULL;
}
