/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/supervise/restart.h"

#include <stddef.h>

#include "ptpmon/base/nsec.h"

const struct restart_policy restart_default_policy = {
	.first_wait_ns = 500 * NSEC_PER_MSEC,
	.longest_wait_ns = 30 * NSEC_PER_SEC,
	.healthy_ns = 10 * NSEC_PER_SEC,
	.stop_timeout_ns = 5 * NSEC_PER_SEC,
	.starts_max = 10,
	.refusals_max = 3,
	.at_once_ns = NSEC_PER_SEC,
};

typedef enum restart_action step_fn(struct restart *r, const struct restart_policy *p, int64_t now);

struct cell {
	enum child_state next;
	step_fn *step; /* NULL: the event is ignored */
};

static enum restart_action launch(struct restart *r, const struct restart_policy *p, int64_t now)
{
	r->start_again = false;
	return RESTART_LAUNCH;
}

/* A new wish: what failed before is forgotten. */
static enum restart_action launch_afresh(struct restart *r, const struct restart_policy *p,
					 int64_t now)
{
	r->starts_in_row = r->refusals_in_row = 0;
	r->wait_ns = 0;
	r->worked = false;
	return launch(r, p, now);
}

static enum restart_action note(struct restart *r, const struct restart_policy *p, int64_t now)
{
	return RESTART_NOTHING;
}

static enum restart_action wait_longer(struct restart *r, const struct restart_policy *p,
				       int64_t now)
{
	r->wait_ns = r->wait_ns ? r->wait_ns * 2 : p->first_wait_ns;
	if (r->wait_ns > p->longest_wait_ns)
		r->wait_ns = p->longest_wait_ns;
	r->deadline_ns = now + r->wait_ns;
	return RESTART_NOTHING;
}

/* An end that nobody asked for, of a child that has been in its state since since_ns. */
static enum restart_action retry(struct restart *r, const struct restart_policy *p, int64_t now)
{
	r->starts_in_row++;
	if (p->starts_max && r->starts_in_row >= p->starts_max) {
		r->state = CHILD_FAILED;
		return RESTART_GIVE_UP;
	}
	return wait_longer(r, p, now);
}

static enum restart_action retry_refused(struct restart *r, const struct restart_policy *p,
					 int64_t now)
{
	if (!p->refusals_max || r->worked || ++r->refusals_in_row < p->refusals_max)
		return retry(r, p, now);
	r->state = CHILD_FAILED;
	return RESTART_CONFIGURE;
}

static enum restart_action retry_after_run(struct restart *r, const struct restart_policy *p,
					   int64_t now)
{
	r->refusals_in_row = 0;
	if (now - r->since_ns >= p->healthy_ns) {
		r->starts_in_row = 0;
		r->wait_ns = 0;
		r->worked = true;
	}
	return retry(r, p, now);
}

static enum restart_action terminate(struct restart *r, const struct restart_policy *p, int64_t now)
{
	r->deadline_ns = now + p->stop_timeout_ns;
	return RESTART_TERMINATE;
}

static enum restart_action terminate_for_start(struct restart *r, const struct restart_policy *p,
					       int64_t now)
{
	r->start_again = true;
	return terminate(r, p, now);
}

static enum restart_action start_after_all(struct restart *r, const struct restart_policy *p,
					   int64_t now)
{
	r->start_again = true;
	return RESTART_NOTHING;
}

static enum restart_action stop_after_all(struct restart *r, const struct restart_policy *p,
					  int64_t now)
{
	r->start_again = false;
	return RESTART_NOTHING;
}

static enum restart_action kill_it(struct restart *r, const struct restart_policy *p, int64_t now)
{
	return RESTART_KILL;
}

static enum restart_action done(struct restart *r, const struct restart_policy *p, int64_t now)
{
	if (!r->start_again)
		return RESTART_DONE;
	r->state = CHILD_STARTING;
	r->worked = false; /* it may have another configuration now */
	return launch(r, p, now);
}

/* clang-format off */
static const struct cell table[CHILD_STATE_MAX][RESTART_EVENT_MAX] = {
	[CHILD_STOPPED] = {
		[RESTART_START]       = { CHILD_STARTING, launch_afresh },
		[RESTART_AGAIN]       = { CHILD_STARTING, launch_afresh },
		[RESTART_STOP]        = { CHILD_STOPPED,  done },
	},
	[CHILD_STARTING] = {
		[RESTART_BLOCKED]     = { CHILD_WAITING,  wait_longer },
		[RESTART_EXECUTED]    = { CHILD_UP,       note },
		[RESTART_EXEC_FAILED] = { CHILD_WAITING,  retry },
		[RESTART_EXITED]      = { CHILD_WAITING,  retry },
		[RESTART_REFUSED]     = { CHILD_WAITING,  retry_refused },
		[RESTART_STOP]        = { CHILD_STOPPING, terminate },
		[RESTART_AGAIN]       = { CHILD_STOPPING, terminate_for_start },
	},
	[CHILD_UP] = {
		[RESTART_EXITED]      = { CHILD_WAITING,  retry_after_run },
		[RESTART_REFUSED]     = { CHILD_WAITING,  retry_refused },
		[RESTART_STOP]        = { CHILD_STOPPING, terminate },
		[RESTART_AGAIN]       = { CHILD_STOPPING, terminate_for_start },
	},
	[CHILD_WAITING] = {
		[RESTART_START]       = { CHILD_STARTING, launch },
		[RESTART_AGAIN]       = { CHILD_STARTING, launch },
		[RESTART_TIMER]       = { CHILD_STARTING, launch },
		[RESTART_STOP]        = { CHILD_STOPPED,  done },
	},
	[CHILD_STOPPING] = {
		[RESTART_START]       = { CHILD_STOPPING, start_after_all },
		[RESTART_AGAIN]       = { CHILD_STOPPING, start_after_all },
		[RESTART_STOP]        = { CHILD_STOPPING, stop_after_all },
		[RESTART_TIMER]       = { CHILD_KILLING,  kill_it },
		[RESTART_EXEC_FAILED] = { CHILD_STOPPED,  done },
		[RESTART_EXITED]      = { CHILD_STOPPED,  done },
		[RESTART_REFUSED]     = { CHILD_STOPPED,  done },
	},
	[CHILD_KILLING] = {
		[RESTART_START]       = { CHILD_KILLING,  start_after_all },
		[RESTART_AGAIN]       = { CHILD_KILLING,  start_after_all },
		[RESTART_STOP]        = { CHILD_KILLING,  stop_after_all },
		[RESTART_EXEC_FAILED] = { CHILD_STOPPED,  done },
		[RESTART_EXITED]      = { CHILD_STOPPED,  done },
		[RESTART_REFUSED]     = { CHILD_STOPPED,  done },
	},
	[CHILD_FAILED] = {
		[RESTART_START]       = { CHILD_STARTING, launch_afresh },
		[RESTART_AGAIN]       = { CHILD_STARTING, launch_afresh },
		[RESTART_STOP]        = { CHILD_STOPPED,  done },
	},
};
/* clang-format on */

struct restart restart_init(void)
{
	return (struct restart){.state = CHILD_STOPPED, .deadline_ns = INT64_MAX};
}

enum restart_action restart_feed(struct restart *r, const struct restart_policy *policy,
				 enum restart_event event, int64_t now_mono_ns)
{
	enum child_state was = r->state;
	const struct cell *cell = &table[was][event];
	enum restart_action action;

	if (!cell->step)
		return RESTART_NOTHING;
	if (cell->next != was) {
		r->state = cell->next;
		r->deadline_ns = INT64_MAX;
	}
	action = cell->step(r, policy, now_mono_ns);
	if (r->state != was)
		r->since_ns = now_mono_ns;
	return action;
}
