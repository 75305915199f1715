/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/useless.h: alive but useless: a table of conditions, fed with states and moments.
 *
 * A process that runs proves nothing. Each condition holds since some moment; after a bound it is
 * named, and after a second bound, if the policy wants that and the last time is long enough ago,
 * its program is to be started again. When what had failed works again, that is told with the time
 * it took. What merely lacks a master is never started again, and nothing is concluded from ages
 * that are our own fault: after a pause of our own every age begins anew. Pure: no clock, no I/O.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/event.h"

/* Moments are CLOCK_MONOTONIC; 0: never, or not so. */
struct useless_facts {
	bool first_port; /* what concerns the whole ptp4l is judged with its first port */
	bool slave;      /* offsets are expected of it */

	int64_t up_mono_ns;       /* ptp4l runs since then */
	int64_t ended_mono_ns;    /* the last time that it ended by itself */
	int64_t answered_mono_ns; /* its last answer */
	bool socket_there;        /* the path leads to the socket that answers */

	unsigned state; /* enum ptp_port_state; 0: not known now */
	int64_t state_since_mono_ns;
	int64_t offset_mono_ns;      /* of the newest */
	int64_t stale_after_ns;      /* an offset is old after that */
	int64_t announce_timeout_ns; /* so long a port stays SLAVE when its master is gone */

	bool present;         /* there is such an interface */
	bool carrier;         /* unknown counts as carrier */
	int64_t link_mono_ns; /* since when present and carrier are what they are */

	bool phc2sys_feeds;         /* it steers the PHC of this port: whatever the state */
	int64_t phc2sys_up_mono_ns; /* a phc2sys that takes its time from this port runs since then
				     */
	int64_t phc2sys_said_mono_ns; /* its newest offset */
	int64_t phc2sys_interval_ns;
};

struct useless_policy {
	bool restart;          /* else only named */
	int64_t settle_ns;     /* from link-up, or start, to SLAVE or MASTER */
	int64_t first_wait_ns; /* from one restart to the next, doubling … */
	int64_t longest_wait_ns;
	int64_t healthy_ns; /* … until nothing is wrong for so long */
};

/* 10 s doubling to 5 min, healthy after 10 s; settled within a minute; restart. */
extern const struct useless_policy useless_default_policy;

enum { USELESS_CONDITIONS_MAX = 9, USELESS_NEWS_MAX = 2 * USELESS_CONDITIONS_MAX };

/* What is remembered of one port; begins as {0}. */
struct useless {
	struct useless_condition {
		bool open;            /* named, and not over yet */
		int64_t from_mono_ns; /* it held since then */
		int64_t detect_ns;    /* from then until it was named */
		unsigned restarts;    /* because of it */
	} conditions[USELESS_CONDITIONS_MAX];
	int64_t looked_mono_ns, floor_mono_ns;
	int64_t wait_ns, not_before_mono_ns, well_since_mono_ns;
	int64_t socket_gone_mono_ns;
	int64_t settling_mono_ns; /* it has to settle since then … */
	bool settled;             /* … and did */
};

enum useless_what { USELESS_NAMED, USELESS_RESTART, USELESS_OVER };

struct useless_news {
	enum useless_what what;
	enum event_code code; /* the condition's */
	const char *child;    /* whose: "ptp4l" or "phc2sys" */
	bool quiet;           /* another event names it already */
	int64_t from_mono_ns, detect_ns;
	int64_t recover_ns; /* USELESS_OVER: from from_mono_ns until it worked again */
	unsigned restarts;
};

/* Looks once; call it about once a second, and when something changed. How many news there are. */
size_t useless_look(struct useless *u, const struct useless_policy *policy,
		    const struct useless_facts *f, int64_t now_mono_ns,
		    struct useless_news out[static USELESS_NEWS_MAX]);

/* The news as an event of that port; text and detail are complete. */
struct event useless_event(const struct useless_news *news, const char *port, int64_t now_mono_ns);
