/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/link.h: interfaces that come, go, gain or lose their carrier, change their speed
 * or lose their addresses (rtnetlink).
 *
 * A cable pulled shows here at once, and at the port seconds later: on the time axis the one
 * explains the other. News that the kernel had no room for are made up for by reading all anew.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/event.h"

struct link_source;

struct link_state {
	bool present, carrier;
	int64_t since_mono_ns; /* since when these two are so; 0: since before the source */
	unsigned speed_mbit;   /* of the link that is up, or was last; 0: not known */
	unsigned ipv4, ipv6;   /* addresses */
};

typedef void link_event_fn(void *userdata, const struct event *e);

/*
 * Watches n interfaces by name; the names must outlive it. The first states are there when it
 * returns and make no events. 0, or -errno.
 */
int link_source_new(struct link_source **out, const char *const *names, size_t n,
		    link_event_fn *on_event, void *userdata);
struct link_source *link_source_free(struct link_source *s);

/* PTP on that interface needs addresses of that family (AF_INET, AF_INET6): losing the last is a
 * warning. */
void link_source_needs(struct link_source *s, size_t i, int family);

int link_source_fd(const struct link_source *s);

/* Takes what is waiting. 0, or -errno; after -ENOBUFS it has read everything anew. */
int link_source_receive(struct link_source *s);

struct link_state link_source_state(const struct link_source *s, size_t i);
