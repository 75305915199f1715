/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/supervise/restart.h: when a child is started, stopped and given up, as a table.
 *
 * A pure function of (state, event, now): no process, no clock. Every start that did not become a
 * healthy run doubles the wait before the next, up to a cap; a healthy run resets it; too many
 * starts in a row without one give up, loudly. Waiting for something outside (an interface that
 * is not there yet) backs off too, but never gives up. A program that ends at once and says why
 * does so a few times, since a driver may not be ready at boot; then it is its configuration, and
 * waits for another.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/model/status.h"

enum restart_event {
	RESTART_START,       /* somebody wants it up */
	RESTART_BLOCKED,     /* launching found that what it needs is not there yet */
	RESTART_EXECUTED,    /* exec worked */
	RESTART_EXEC_FAILED, /* the process ended before exec */
	RESTART_EXITED,
	RESTART_REFUSED, /* it ended at once, with a failure that it tells: a configuration error?
			  */
	RESTART_TIMER,   /* restart_deadline_ns() has passed */
	RESTART_STOP,    /* somebody wants it down */
	RESTART_AGAIN,   /* somebody wants it stopped and started */
	RESTART_EVENT_MAX
};

enum restart_action {
	RESTART_NOTHING,
	RESTART_LAUNCH,    /* start the process now */
	RESTART_TERMINATE, /* SIGTERM */
	RESTART_KILL,      /* SIGKILL */
	RESTART_GIVE_UP,   /* say so */
	RESTART_CONFIGURE, /* say so: its configuration does not work */
	RESTART_DONE,      /* it is down, as wanted */
};

struct restart_policy {
	int64_t first_wait_ns, longest_wait_ns;
	int64_t healthy_ns;      /* up for this long resets the backoff */
	int64_t stop_timeout_ns; /* from SIGTERM to SIGKILL */
	unsigned starts_max;     /* in a row without a healthy run; 0: never give up */
	unsigned
		refusals_max; /* in a row, which show a configuration error; 0: it is no evidence */
	int64_t at_once_ns;   /* an end before this is one at once */
};

/* 0.5 s doubling to 30 s, healthy after 10 s, 10 starts, 3 refusals; 5 s from SIGTERM to SIGKILL.
 */
extern const struct restart_policy restart_default_policy;

struct restart {
	enum child_state state;
	unsigned starts_in_row; /* since the last healthy run */
	unsigned refusals_in_row;
	bool worked;      /* healthy once as it is configured: what it refuses is something else */
	int64_t wait_ns;  /* the next backoff; 0: the first */
	int64_t since_ns; /* when this state began */
	int64_t deadline_ns; /* INT64_MAX: none */
	bool start_again;    /* after stopping */
};

/* A child that is stopped. */
struct restart restart_init(void);

/* What to do now. Events that mean nothing in this state are ignored. */
enum restart_action restart_feed(struct restart *r, const struct restart_policy *policy,
				 enum restart_event event, int64_t now_mono_ns);
