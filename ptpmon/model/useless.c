/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/useless.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"

#define NEVER INT64_MAX

#define PAUSE_NS       (3 * NSEC_PER_SEC) /* we did not look for so long: our own fault */
#define SILENT_NS      (3 * NSEC_PER_SEC) /* three questions a second apart */
#define SOCKET_NS      (NSEC_PER_SEC / 2) /* a path can be replaced, which is not at once */
#define STUCK_NS       (2 * NSEC_PER_SEC)
#define STUCK_ACT_NS   (20 * NSEC_PER_SEC) /* ptp4l itself tries again after 16 s */
#define SYNC_MARGIN_NS (2 * NSEC_PER_SEC)
#define PHC2SYS_NS     (5 * NSEC_PER_SEC)

const struct useless_policy useless_default_policy = {
	.restart = true,
	.settle_ns = 60 * NSEC_PER_SEC,
	.first_wait_ns = 10 * NSEC_PER_SEC,
	.longest_wait_ns = 5 * 60 * NSEC_PER_SEC,
	.healthy_ns = 10 * NSEC_PER_SEC,
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static bool is_settled(const struct useless_facts *f)
{
	return f->state == PTP_SLAVE || f->state == PTP_MASTER || f->state == PTP_PASSIVE;
}

static bool has_link(const struct useless_facts *f)
{
	return f->present && f->carrier;
}

/* Since when a condition holds, 0: it does not. */

static int64_t since_silent(const struct useless *u, const struct useless_facts *f)
{
	return f->first_port && f->up_mono_ns ? later(f->up_mono_ns, f->answered_mono_ns) : 0;
}

static int64_t since_socket_gone(const struct useless *u, const struct useless_facts *f)
{
	return f->first_port && f->up_mono_ns ? u->socket_gone_mono_ns : 0;
}

static int64_t since_sync_stale(const struct useless *u, const struct useless_facts *f)
{
	if (!f->slave || !f->up_mono_ns || f->state != PTP_SLAVE || !f->offset_mono_ns)
		return 0;
	if (f->answered_mono_ns < f->offset_mono_ns + f->stale_after_ns)
		return 0; /* it says nothing at all: that is another matter */
	return later(f->offset_mono_ns, f->state_since_mono_ns);
}

static int64_t since_stuck(const struct useless *u, const struct useless_facts *f)
{
	if (!f->up_mono_ns || f->state != PTP_FAULTY || !has_link(f))
		return 0;
	return later(f->state_since_mono_ns, f->link_mono_ns);
}

static int64_t since_unsettled(const struct useless *u, const struct useless_facts *f)
{
	return f->up_mono_ns && f->state && has_link(f) && !u->settled ? u->settling_mono_ns : 0;
}

static int64_t since_phc2sys_silent(const struct useless *u, const struct useless_facts *f)
{
	if (!f->phc2sys_up_mono_ns)
		return 0;
	if (f->phc2sys_feeds)
		return later(f->phc2sys_up_mono_ns, f->phc2sys_said_mono_ns);
	if (f->state != PTP_SLAVE)
		return 0;
	return later(later(f->phc2sys_up_mono_ns, f->phc2sys_said_mono_ns), f->state_since_mono_ns);
}

static int64_t since_ended(const struct useless *u, const struct useless_facts *f)
{
	return f->first_port && !f->up_mono_ns ? f->ended_mono_ns : 0;
}

static int64_t since_link_down(const struct useless *u, const struct useless_facts *f)
{
	return f->present && !f->carrier ? f->link_mono_ns : 0;
}

static int64_t since_link_gone(const struct useless *u, const struct useless_facts *f)
{
	return f->present ? 0 : f->link_mono_ns;
}

/* How long before it is named, and before its program is started again. */

static int64_t after_silent(const struct useless_policy *p, const struct useless_facts *f)
{
	return SILENT_NS;
}

static int64_t after_socket(const struct useless_policy *p, const struct useless_facts *f)
{
	return SOCKET_NS;
}

static int64_t after_stale(const struct useless_policy *p, const struct useless_facts *f)
{
	return f->stale_after_ns;
}

/* Until then its master may only be gone. */
static int64_t after_master(const struct useless_policy *p, const struct useless_facts *f)
{
	return f->stale_after_ns + f->announce_timeout_ns + SYNC_MARGIN_NS;
}

static int64_t after_stuck(const struct useless_policy *p, const struct useless_facts *f)
{
	return STUCK_NS;
}

static int64_t after_own_try(const struct useless_policy *p, const struct useless_facts *f)
{
	return STUCK_ACT_NS;
}

static int64_t after_settling(const struct useless_policy *p, const struct useless_facts *f)
{
	return p->settle_ns;
}

/* LISTENING lacks a master, UNCALIBRATED is on its way: neither is mended by a new start. */
static int64_t after_initializing(const struct useless_policy *p, const struct useless_facts *f)
{
	return f->state == PTP_INITIALIZING ? p->settle_ns : NEVER;
}

static int64_t after_phc2sys(const struct useless_policy *p, const struct useless_facts *f)
{
	return later(PHC2SYS_NS, 3 * f->phc2sys_interval_ns);
}

static int64_t at_once(const struct useless_policy *p, const struct useless_facts *f)
{
	return 0;
}

static int64_t never(const struct useless_policy *p, const struct useless_facts *f)
{
	return NEVER;
}

/* Since when it works again, 0: not yet. */

static int64_t works_answers(const struct useless_facts *f)
{
	return f->up_mono_ns && f->answered_mono_ns > f->up_mono_ns && f->socket_there
		       ? f->answered_mono_ns
		       : 0;
}

/* A slave works when offsets come, whoever else when its port has settled. */
static int64_t works_port(const struct useless_facts *f)
{
	if (!works_answers(f) || !has_link(f) || !is_settled(f))
		return 0;
	if (f->slave && f->state == PTP_SLAVE)
		return f->offset_mono_ns > later(f->up_mono_ns, f->link_mono_ns) ? f->offset_mono_ns
										 : 0;
	return later(f->state_since_mono_ns, f->link_mono_ns);
}

static int64_t works_state(const struct useless_facts *f)
{
	return f->up_mono_ns && f->state && f->state != PTP_FAULTY && f->state != PTP_INITIALIZING
		       ? f->state_since_mono_ns
		       : 0;
}

static int64_t works_phc2sys(const struct useless_facts *f)
{
	return f->phc2sys_said_mono_ns > f->phc2sys_up_mono_ns ? f->phc2sys_said_mono_ns : 0;
}

static const struct rule {
	enum event_code code;
	const char *child;
	bool quiet; /* named by another event at that moment */
	int64_t (*since)(const struct useless *u, const struct useless_facts *f);
	int64_t (*name_after)(const struct useless_policy *p, const struct useless_facts *f);
	int64_t (*act_after)(const struct useless_policy *p, const struct useless_facts *f);
	int64_t (*works)(const struct useless_facts *f);
	const char *what; /* and for how long */
} rules[] = {
	{EVENT_MANAGEMENT_SILENT, "ptp4l", false, since_silent, after_silent, after_silent,
	 works_answers, "ptp4l has not answered on its management socket"},
	{EVENT_SOCKET_GONE, "ptp4l", false, since_socket_gone, after_socket, after_socket,
	 works_answers, "ptp4l's management socket has been gone"},
	{EVENT_SYNC_STALE, "ptp4l", false, since_sync_stale, after_stale, after_master, works_port,
	 "SLAVE, but nothing new from its master"},
	{EVENT_PORT_STUCK, "ptp4l", false, since_stuck, after_stuck, after_own_try, works_state,
	 "FAULTY with its link up"},
	{EVENT_PORT_UNSETTLED, "ptp4l", false, since_unsettled, after_settling, after_initializing,
	 works_port, "neither SLAVE nor MASTER with its link up"},
	{EVENT_PHC2SYS_SILENT, "phc2sys", false, since_phc2sys_silent, after_phc2sys, after_phc2sys,
	 works_phc2sys, "phc2sys runs, but has printed no offset"},
	{EVENT_CHILD_EXITED, "ptp4l", true, since_ended, at_once, never, works_port, "ptp4l ended"},
	{EVENT_LINK_DOWN, "ptp4l", true, since_link_down, at_once, never, works_port, "link down"},
	{EVENT_LINK_GONE, "ptp4l", true, since_link_gone, at_once, never, works_port,
	 "interface gone"},
};

enum { N_RULES = sizeof(rules) / sizeof(rules[0]) };

_Static_assert(N_RULES == (int)USELESS_CONDITIONS_MAX, "a condition for each rule");

/* What of the past the rules need. */
static void observe(struct useless *u, const struct useless_facts *f, int64_t now_mono_ns)
{
	int64_t settling_ns = has_link(f) ? later(f->up_mono_ns, f->link_mono_ns) : 0;

	if (!u->looked_mono_ns || now_mono_ns - u->looked_mono_ns > PAUSE_NS)
		u->floor_mono_ns = now_mono_ns;
	u->looked_mono_ns = now_mono_ns;
	if (f->socket_there || !f->up_mono_ns)
		u->socket_gone_mono_ns = 0;
	else if (!u->socket_gone_mono_ns)
		u->socket_gone_mono_ns = now_mono_ns;
	if (settling_ns != u->settling_mono_ns)
		u->settled = false;
	u->settling_mono_ns = settling_ns;
	/* a flap that ptp4l did not notice changed no state */
	if (is_settled(f) && (f->state_since_mono_ns >= settling_ns ||
			      f->answered_mono_ns >= settling_ns + STUCK_NS))
		u->settled = true;
}

static struct useless_news make_news(const struct useless *u, size_t i, enum useless_what what,
				     int64_t recover_ns)
{
	return (struct useless_news){
		.what = what,
		.code = rules[i].code,
		.child = rules[i].child,
		.quiet = rules[i].quiet,
		.from_mono_ns = u->conditions[i].from_mono_ns,
		.detect_ns = u->conditions[i].detect_ns,
		.recover_ns = recover_ns,
		.restarts = u->conditions[i].restarts,
	};
}

static bool may_act(struct useless *u, const struct useless_policy *p, int64_t now_mono_ns)
{
	if (!p->restart || now_mono_ns < u->not_before_mono_ns)
		return false;
	u->wait_ns = u->wait_ns ? 2 * u->wait_ns : p->first_wait_ns;
	if (u->wait_ns > p->longest_wait_ns)
		u->wait_ns = p->longest_wait_ns;
	u->not_before_mono_ns = now_mono_ns + u->wait_ns;
	return true;
}

/* A healthy period makes the next restart the first one again. */
static void forgive(struct useless *u, const struct useless_policy *p, int64_t now_mono_ns)
{
	for (size_t i = 0; i < N_RULES; i++)
		if (u->conditions[i].open) {
			u->well_since_mono_ns = now_mono_ns;
			return;
		}
	if (now_mono_ns - u->well_since_mono_ns >= p->healthy_ns)
		u->wait_ns = 0;
}

size_t useless_look(struct useless *u, const struct useless_policy *policy,
		    const struct useless_facts *f, int64_t now_mono_ns,
		    struct useless_news out[static USELESS_NEWS_MAX])
{
	size_t n = 0;

	observe(u, f, now_mono_ns);
	for (size_t i = 0; i < N_RULES; i++) {
		struct useless_condition *c = &u->conditions[i];
		int64_t since_ns = rules[i].since(u, f);
		int64_t works_ns = rules[i].works(f);
		int64_t age_ns = now_mono_ns - later(since_ns, u->floor_mono_ns);
		bool holds = since_ns != 0 && age_ns >= rules[i].name_after(policy, f);

		if (c->open && !holds && works_ns > c->from_mono_ns) {
			c->open = false;
			out[n++] = make_news(u, i, USELESS_OVER, works_ns - c->from_mono_ns);
		} else if (!c->open && holds) {
			*c = (struct useless_condition){
				.open = true,
				.from_mono_ns = since_ns,
				.detect_ns = now_mono_ns - since_ns,
			};
			out[n++] = make_news(u, i, USELESS_NAMED, 0);
		}
		if (c->open && holds && age_ns >= rules[i].act_after(policy, f) &&
		    may_act(u, policy, now_mono_ns)) {
			c->restarts++;
			out[n++] = make_news(u, i, USELESS_RESTART, 0);
		}
	}
	forgive(u, policy, now_mono_ns);
	return n;
}

static const char *what_of(enum event_code code)
{
	size_t i = 0;

	while (rules[i].code != code)
		i++;
	return rules[i].what;
}

struct event useless_event(const struct useless_news *news, const char *port, int64_t now_mono_ns)
{
	double held_s = (double)(now_mono_ns - news->from_mono_ns) / 1e9;
	struct event e;

	if (news->what == USELESS_OVER)
		e = event_make(EVENT_RECOVERED, now_mono_ns, port,
			       "%s: works again, %.1f s after: %s", port,
			       (double)news->recover_ns / 1e9, what_of(news->code));
	else
		e = event_make(news->code, now_mono_ns, port, "%s: %s for %.1f s%s", port,
			       what_of(news->code), held_s,
			       news->what == USELESS_RESTART ? ": it is started again" : "");
	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"cause\":\"%s\",\"from_mono_ns\":\"%" PRId64 "\",\"detect_ns\":%" PRId64
		       ",\"action\":\"%s\",\"restarts\":%u",
		       event_code_name(news->code), news->from_mono_ns, news->detect_ns,
		       news->what == USELESS_RESTART ? "restart" : "none", news->restarts);
	if (news->what == USELESS_OVER) {
		size_t len = strlen(e.detail);

		(void)snprintf(e.detail + len, sizeof(e.detail) - len, ",\"recover_ns\":%" PRId64,
			       news->recover_ns);
	}
	(void)strcat(e.detail, "}");
	return e;
}
