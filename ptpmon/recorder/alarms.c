/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the rules make of what comes in: alarms, and whether the board is ready. */
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/recorder/state.h"

/* A number, or that there is none, and what follows from it. */
static void feed(struct recorder *rec, enum alarm_code code, const char *subject, int64_t value)
{
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	const struct alarm *changed;
	struct event e;

	if (value == SAMPLE_UNKNOWN) {
		alarms_feed_unknown(&rec->alarms, code, subject);
		return;
	}
	changed = alarms_feed(&rec->alarms, code, subject, value, now_ns);
	if (!changed)
		return;
	e = alarm_event(changed, now_ns);
	record_event(&rec->record, &e);
}

static int64_t magnitude(int64_t value)
{
	if (value == INT64_MIN)
		return INT64_MAX;
	return value < 0 ? -value : value;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* When the newest offset of a port is too old, at the earliest. */
static int64_t silence_limit_ns(const struct config *c)
{
	if (c->limits.gap_ns)
		return c->limits.gap_ns;
	return c->monitor.stale_after_ns ? c->monitor.stale_after_ns : NSEC_PER_SEC;
}

static int64_t ready_offset_ns(const struct config_limits *l)
{
	return l->ready_offset_ns ? l->ready_offset_ns : l->offset_ns;
}

void recorder_open_alarms(struct recorder *rec)
{
	const struct config_limits *l = &rec->config->limits;
	struct alarms *a = &rec->alarms;
	int64_t silence_ns = silence_limit_ns(rec->config);

	alarms_init(a);
	alarms_set_limit(a, ALARM_OFFSET, l->offset_ns, l->offset_clear_ns, l->hold_ns);
	alarms_set_limit(a, ALARM_PHC, l->phc_ns, l->phc_clear_ns, l->hold_ns);
	alarms_set_limit(a, ALARM_LATENCY, l->latency_ns, l->latency_clear_ns, l->hold_ns);
	alarms_set_limit(a, ALARM_SILENT, silence_ns, silence_ns - 1, 0);
	alarms_set_limit(a, ALARM_PORT_STATE, l->port_state_ns, 1, 0);
	alarms_set_limit(a, ALARM_DISK, l->free_space_bytes, 0, l->hold_ns);
	for (size_t i = 0; i < STATUS_PORTS_MAX; i++)
		rec->port_good_ns[i] = nsec_now(CLOCK_MONOTONIC);
}

void recorder_judge_sample(struct recorder *rec, const char *port, const struct sample *sample)
{
	int64_t ready_ns = ready_offset_ns(&rec->config->limits);
	int64_t offset_ns = magnitude(sample->value);

	if (ready_ns && offset_ns >= ready_ns)
		rec->within_since_ns = 0;
	/* one that is still converging is judged by its port's state */
	if (!(sample->flags & (SAMPLE_UNLOCKED | SAMPLE_STEP)))
		feed(rec, ALARM_OFFSET, port, offset_ns);
}

void recorder_judge_phc(struct recorder *rec, const char *phc, int64_t sys_minus_phc_ns)
{
	const struct config_limits *l = &rec->config->limits;
	int64_t ready_ns = l->phc_ns ? l->phc_ns : ready_offset_ns(l);

	if (ready_ns && magnitude(sys_minus_phc_ns) >= ready_ns)
		rec->within_since_ns = 0;
	feed(rec, ALARM_PHC, phc, magnitude(sys_minus_phc_ns));
}

void recorder_judge_window(struct recorder *rec, const struct latency_window *w)
{
	char subject[ALARM_SUBJECT_MAX];

	(void)snprintf(subject, sizeof(subject), "cpu %u", w->cpu);
	feed(rec, ALARM_LATENCY, subject, w->count ? w->max_ns : SAMPLE_UNKNOWN);
}

/* How long no offset has come; before the first, from the end of what a start may take. */
static int64_t silence_ns(const struct recorder *rec, const struct status_port *p)
{
	int64_t limit_ns = silence_limit_ns(rec->config);
	int64_t start_ns = rec->started_ns + larger(rec->config->limits.port_state_ns, limit_ns);
	int64_t age_ns = rec->status.taken_mono_ns - (p->offset_ns.mono_ns ?: start_ns);

	if (age_ns < 0)
		return SAMPLE_UNKNOWN;
	if (rec->config->limits.gap_ns || !p->offset_ns.mono_ns)
		return age_ns;
	return p->offset_ns.known ? 0 : larger(age_ns, limit_ns);
}

static void judge_ports(struct recorder *rec)
{
	const struct status *s = &rec->status;

	for (size_t i = 0; i < s->n_ports; i++) {
		const struct status_port *p = &s->ports[i];

		if (status_port_is_in_role(p))
			rec->port_good_ns[i] = s->taken_mono_ns;
		feed(rec, ALARM_PORT_STATE, p->name,
		     p->state.known ? s->taken_mono_ns - rec->port_good_ns[i] : SAMPLE_UNKNOWN);
		if (status_port_has_offset(p))
			feed(rec, ALARM_SILENT, p->name,
			     status_port_owes_offset(p) ? silence_ns(rec, p) : 0);
	}
}

static void judge_children(struct recorder *rec)
{
	const struct status *s = &rec->status;
	bool silent = status_parent_is_silent(s);

	for (size_t i = 0; i < s->n_children; i++) {
		const struct status_child *c = &s->children[i];
		bool down = c->state != CHILD_UP && !status_child_is_held(s, c);

		feed(rec, ALARM_CHILD, c->name, silent ? SAMPLE_UNKNOWN : down);
		feed(rec, ALARM_SCHEDULE, c->name,
		     silent || !c->policy[0] ? SAMPLE_UNKNOWN : !c->schedule_ok);
	}
}

void recorder_forget_child(struct recorder *rec, const char *name)
{
	live_forget(&rec->live, name);
	alarms_forget(&rec->alarms, ALARM_CHILD, name);
	alarms_forget(&rec->alarms, ALARM_SCHEDULE, name);
}

static void judge_record(struct recorder *rec)
{
	const struct status_record *r = &rec->status.record;
	int64_t free_bytes = store_health(rec->record.store).free_bytes;

	feed(rec, ALARM_STORE, "database", !r->ok);
	feed(rec, ALARM_DROPPED, "database", (int64_t)(r->dropped - rec->dropped_before));
	feed(rec, ALARM_DISK, "database", free_bytes < 0 ? SAMPLE_UNKNOWN : free_bytes);
	rec->dropped_before = r->dropped;
}

#define UNSEEN_NS (3 * NSEC_PER_SEC) /* two ticks missed */

/* What nobody saw, while this process was stopped or starved, was not within anything. */
static void judge_readiness(struct recorder *rec)
{
	int64_t since_ns = rec->judged_ns ?: rec->status.taken_mono_ns;

	rec->judged_ns = rec->status.taken_mono_ns;
	if (rec->judged_ns - since_ns > UNSEEN_NS)
		rec->within_since_ns = 0;
	if (!status_is_within(&rec->status, rec->not_within)) {
		rec->within_since_ns = 0;
		return;
	}
	if (!rec->within_since_ns)
		rec->within_since_ns = rec->status.taken_mono_ns;
}

/* Each time that somebody asks: ready is never said of what is over. */
void recorder_fill_alarms(struct recorder *rec)
{
	const struct config_limits *l = &rec->config->limits;
	struct status *s = &rec->status;
	struct status_readiness *r = &s->readiness;
	char held[NSEC_TEXT_MAX];
	char hold[NSEC_TEXT_MAX];

	s->limits = (struct status_limits){
		.offset_ns = l->offset_ns,
		.phc_ns = l->phc_ns,
		.latency_ns = l->latency_ns,
		.gap_ns = l->gap_ns,
		.port_state_ns = l->port_state_ns,
		.ready_offset_ns = ready_offset_ns(l),
		.ready_hold_ns = l->ready_hold_ns,
	};
	judge_readiness(rec);
	s->n_alarms = alarms_list(&rec->alarms, s->alarms, STATUS_ALARMS_MAX);
	r->since_mono_ns = rec->within_since_ns;
	r->ready = r->since_mono_ns && s->taken_mono_ns - r->since_mono_ns >= l->ready_hold_ns;
	if (!r->since_mono_ns)
		(void)strcpy(r->reason, rec->not_within);
	else if (!r->ready)
		(void)snprintf(r->reason, sizeof(r->reason), "within limits for %s of %s",
			       nsec_format_age(s->taken_mono_ns - r->since_mono_ns, held),
			       nsec_format_age(l->ready_hold_ns, hold));
}

void recorder_tick_alarms(struct recorder *rec)
{
	recorder_fill_alarms(rec); /* the limits in force */
	judge_ports(rec);
	judge_children(rec);
	judge_record(rec);
	feed(rec, ALARM_NOT_REALTIME, "latency", rec->status.realtime_problem[0] != '\0');
	recorder_fill_alarms(rec);
}
