// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/model/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/sample.h"

enum { STALE_INTERVALS = 3, STALE_WINDOWS = 3 };

const char *child_state_name(enum child_state state)
{
	static const char *const names[CHILD_STATE_MAX] = {
		[CHILD_STOPPED] = "stopped",
		[CHILD_STARTING] = "starting",
		[CHILD_UP] = "up",
		[CHILD_WAITING] = "waiting",
		[CHILD_STOPPING] = "stopping",
		[CHILD_KILLING] = "killing",
		[CHILD_FAILED] = "failed",
	};

	return names[state];
}

static int64_t max_ns(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Its time stays, for its age. */
static void forget(struct reading *r)
{
	*r = (struct reading){.mono_ns = r->mono_ns};
}

static void expire(struct reading *r, int64_t now_mono_ns, int64_t bound_ns)
{
	if (now_mono_ns - r->mono_ns > bound_ns)
		forget(r);
}

static void expire_scale(struct status_scale *s, int64_t now_mono_ns, int64_t bound_ns)
{
	expire(&s->utc_offset_s, now_mono_ns, bound_ns);
	expire(&s->utc_offset_valid, now_mono_ns, bound_ns);
	expire(&s->ptp_timescale, now_mono_ns, bound_ns);
	expire(&s->time_traceable, now_mono_ns, bound_ns);
	expire(&s->frequency_traceable, now_mono_ns, bound_ns);
	expire(&s->phc_error_ns, now_mono_ns, bound_ns);
}

static void expire_port(struct status_port *p, int64_t stale_after_ns, int64_t now_mono_ns)
{
	int64_t stale_ns = stale_after_ns ? stale_after_ns : NSEC_PER_SEC;
	int64_t state_ns = max_ns(stale_ns, STATUS_STATE_STALE_NS);
	int64_t parent_ns = max_ns(stale_ns, STATUS_PARENT_STALE_NS);

	if (p->sync_interval_ns.known)
		stale_ns = max_ns(stale_ns, STALE_INTERVALS * p->sync_interval_ns.value);
	if (!p->offset_ns.mono_ns || now_mono_ns - p->offset_ns.mono_ns > STATUS_LAST_MINUTE_NS)
		p->last_minute =
			(struct status_window){0, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN};
	expire(&p->offset_ns, now_mono_ns, stale_ns);
	expire(&p->mean_path_delay_ns, now_mono_ns, max_ns(stale_ns, state_ns));
	if (!p->offset_ns.known)
		forget(&p->sync_interval_ns);
	expire(&p->state, now_mono_ns, state_ns);
	expire(&p->clock_class, now_mono_ns, parent_ns);
	expire(&p->clock_accuracy, now_mono_ns, parent_ns);
	expire(&p->steps_removed, now_mono_ns, parent_ns);
	expire(&p->time_source, now_mono_ns, max_ns(stale_ns, STATUS_PROPERTIES_STALE_NS));
	expire_scale(&p->scale, now_mono_ns, max_ns(stale_ns, STATUS_PROPERTIES_STALE_NS));
	if (!p->state.known)
		p->state_since_mono_ns = 0;
	if (!p->clock_class.known)
		p->grandmaster[0] = '\0';
}

static void expire_phc(struct status_phc *p, int64_t now_mono_ns)
{
	int64_t bound_ns = max_ns(STATUS_STATE_STALE_NS, STALE_INTERVALS * p->interval_ns);

	expire(&p->sys_minus_phc_ns, now_mono_ns, bound_ns);
	expire(&p->delay_ns, now_mono_ns, bound_ns);
}

static void expire_phc2sys(struct status_phc2sys *p, int64_t now_mono_ns)
{
	int64_t bound_ns = max_ns(STATUS_STATE_STALE_NS, STALE_INTERVALS * p->interval_ns.value);

	expire(&p->offset_ns, now_mono_ns, bound_ns);
	expire(&p->delay_ns, now_mono_ns, bound_ns);
}

void status_expire(struct status *s, int64_t now_mono_ns)
{
	for (size_t i = 0; i < s->n_phcs; i++)
		expire_phc(&s->phcs[i], now_mono_ns);
	expire_phc2sys(&s->phc2sys, now_mono_ns);
	for (size_t i = 0; i < s->n_joiners; i++)
		expire_phc2sys(&s->joiners[i], now_mono_ns);
	for (size_t i = 0; i < s->n_ports; i++)
		expire_port(&s->ports[i], s->stale_after_ns, now_mono_ns);
	for (size_t i = 0; i < s->n_cpus; i++)
		if (now_mono_ns - s->cpus[i].mono_ns > STALE_WINDOWS * STATUS_WINDOW_NS)
			s->cpus[i].last_max_ns = SAMPLE_UNKNOWN;
}

bool status_parent_is_silent(const struct status *s)
{
	return s->parent_mono_ns &&
	       s->taken_mono_ns - s->parent_mono_ns > STATUS_SUPERVISOR_STALE_NS;
}

static bool is_held_back(const struct status_phc2sys *p, const char *name)
{
	return p->wanted && !p->open && strcmp(name, *p->name ? p->name : "phc2sys") == 0;
}

const char *status_explain_socket(int error, const char *path, const char *section,
				  char out[static STATUS_TEXT_MAX])
{
	switch (error) {
	case EACCES:
		(void)snprintf(out, STATUS_TEXT_MAX,
			       "%s: permission denied: let this user write to it (uds_file_mode of "
			       "ptp4l 4, or chmod), or run ptpmon as root",
			       path);
		break;
	case ENOENT:
		(void)snprintf(
			out, STATUS_TEXT_MAX,
			"%s: no such socket: start ptp4l, or set [%s] socket to its uds_address",
			path, section);
		break;
	case ECONNREFUSED:
		(void)snprintf(out, STATUS_TEXT_MAX,
			       "%s: nobody listens there any more: start ptp4l again", path);
		break;
	default:
		(void)snprintf(out, STATUS_TEXT_MAX, "%s: %s", path, strerror(error));
		break;
	}
	return out;
}

bool status_child_is_held(const struct status *s, const struct status_child *c)
{
	bool held = c->held || is_held_back(&s->phc2sys, c->name);

	for (size_t i = 0; i < s->n_joiners; i++)
		held = held || is_held_back(&s->joiners[i], c->name);
	return held && (c->state == CHILD_STOPPED || c->state == CHILD_STOPPING);
}
