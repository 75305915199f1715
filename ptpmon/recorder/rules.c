/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is judged: programs of no use, complaints in their logs, rivals for the clocks. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/recorder/state.h"

enum {
	RIVALS_TICKS = 30,
	FIRST_RIVALS_TICK = 3,
	LOOK_STEPS = 211, /* milliseconds: no multiple of any Sync interval */
	LOOK_ACCURACY_US = 1000,
};

#define LOOK_FIRST_NS (20 * NSEC_PER_MSEC)

static const struct status_child *child_of(const struct recorder *rec, const char *name)
{
	for (size_t i = 0; i < rec->live.n_children; i++)
		if (strcmp(rec->live.children[i].name, name) == 0)
			return &rec->live.children[i];
	return NULL;
}

/* What tells of its end comes before its new state. */
static bool is_up(const struct status_child *child)
{
	return child && child->state == CHILD_UP && child->pid;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Alive but useless */

static void add_link(const struct recorder *rec, size_t port, struct useless_facts *out)
{
	struct link_state link;

	out->present = out->carrier = true; /* unless something else is known */
	if (!rec->links)
		return;
	link = link_source_state(rec->links, port);
	out->present = link.present;
	out->carrier = link.carrier;
	out->link_mono_ns = link.since_mono_ns;
}

/* The phc2sys that has to do with port i of these: that of its PHC, or the one that follows. */
static const char *phc2sys_of(const struct followed *f, size_t i, char out[static CONFIG_CHILD_MAX])
{
	const char *joiner = recorder_joiner_of(f->rec, f->first_port + i);

	if (f->config->role == ROLE_GRANDMASTER)
		return config_feeder_child(f->config, out);
	(void)strcpy(out, joiner ?: "phc2sys");
	return out;
}

static void add_phc2sys(const struct followed *f, size_t i, struct useless_facts *out)
{
	const struct recorder *rec = f->rec;
	char name[CONFIG_CHILD_MAX];
	const struct status_child *child = child_of(rec, phc2sys_of(f, i, name));

	if (!is_up(child))
		return;
	out->phc2sys_feeds = strcmp(name, "phc2sys") != 0;
	out->phc2sys_up_mono_ns = child->started_mono_ns;
	for (size_t k = 0; k < rec->n_logs; k++)
		if (strcmp(rec->logs[k].name, name) == 0)
			out->phc2sys_said_mono_ns = rec->logs[k].said_mono_ns;
	out->phc2sys_interval_ns = NSEC_PER_SEC;
}

/* One that something else started runs as far as we know. */
static int64_t up_since(const struct followed *f)
{
	const struct status_child *child = child_of(f->rec, f->config->child);

	if (!f->config->manage)
		return pmc_source_answered_mono_ns(f->pmc) ? 1 : 0;
	return is_up(child) ? child->started_mono_ns : 0;
}

static struct useless_facts facts_of(const struct followed *f, size_t i, int64_t now_ns)
{
	const struct recorder *rec = f->rec;
	const struct status_port *p = pmc_source_port(f->pmc, i);
	int64_t stale_ns = rec->config->monitor.stale_after_ns;
	struct useless_facts facts = {
		.first_port = i == 0,
		.slave = f->config->role != ROLE_GRANDMASTER,
		.up_mono_ns = up_since(f),
		.ended_mono_ns = f->ended_mono_ns,
		.answered_mono_ns = pmc_source_answered_mono_ns(f->pmc),
		.socket_there = pmc_source_socket_there(f->pmc),
		.state_since_mono_ns = p->state_since_mono_ns,
		.offset_mono_ns = p->offset_ns.mono_ns,
		.stale_after_ns = later(stale_ns, 3 * p->sync_interval_ns.value),
		.announce_timeout_ns = pmc_source_announce_timeout_ns(f->pmc, i),
	};

	if (p->state.known && now_ns - p->state.mono_ns <= STATUS_STATE_STALE_NS)
		facts.state = (unsigned)p->state.value;
	add_link(rec, f->first_port + i, &facts);
	if (i == 0 || f->config->role != ROLE_GRANDMASTER)
		add_phc2sys(f, i, &facts);
	return facts;
}

static void restart(struct recorder *rec, const char *child, const struct event *why)
{
	struct message m = {.kind = MESSAGE_RESTART, .mono_ns = why->mono_ns};

	(void)snprintf(m.child.name, sizeof(m.child.name), "%s", child);
	(void)snprintf(m.text, sizeof(m.text), "%s", why->text);
	(void)message_send(rec->options->parent_fd, &m);
}

static void judge_port(struct followed *f, size_t i, int64_t now_ns)
{
	struct recorder *rec = f->rec;
	const struct useless_facts facts = facts_of(f, i, now_ns);
	struct useless_policy policy = rec->rules.policy;
	struct useless_news news[USELESS_NEWS_MAX];
	char name[CONFIG_CHILD_MAX];
	size_t n;

	policy.restart = policy.restart && f->config->manage;
	n = useless_look(&rec->rules.useless[f->first_port + i], &policy, &facts, now_ns, news);
	for (size_t k = 0; k < n; k++) {
		struct event e = useless_event(&news[k], rec->ports[f->first_port + i], now_ns);

		if (news[k].quiet && news[k].what == USELESS_NAMED)
			continue;
		record_event(&rec->record, &e);
		if (news[k].what == USELESS_RESTART)
			restart(rec,
				strcmp(news[k].child, "phc2sys") == 0 ? phc2sys_of(f, i, name)
								      : f->config->child,
				&e);
	}
}

void recorder_judge_ptp4l(struct followed *f)
{
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);

	for (size_t i = 0; i < pmc_source_ports(f->pmc); i++)
		judge_port(f, i, now_ns);
}

void recorder_rules_ended(struct recorder *rec, const char *name, int64_t mono_ns)
{
	struct followed *f = recorder_followed(rec, name);

	if (!f)
		return;
	f->ended_mono_ns = mono_ns;
	recorder_judge_ptp4l(f); /* it may run again before the next look */
}

/* Complaints, and who steers */

void recorder_rules_line(struct child_log *log, enum log_kind kind, const char *text)
{
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	struct log_servo said;
	struct event e;

	if (kind == LOG_SAMPLE) {
		log->said_mono_ns = now_ns;
		if (!log_servo(text, &said))
			return;
		servo_lines_add(&log->servo, &(struct servo_line){said.offset_ns, said.freq_ppb,
								  said.servo, now_ns});
		if (log->steers)
			steering_line(&log->rec->rules.steering, said.freq_ppb, said.servo, now_ns);
	} else if (complaints_feed(&log->complaints, text, now_ns, &e)) {
		record_event(&log->rec->record, &e);
	}
}

void recorder_fill_complaints(struct recorder *rec)
{
	struct status *s = &rec->status;

	s->n_complaints = 0;
	for (size_t i = 0; i < rec->n_logs; i++) {
		const struct complaints *c = &rec->logs[i].complaints;

		for (size_t k = 0; k < c->n && s->n_complaints < STATUS_COMPLAINTS_MAX; k++) {
			struct status_complaint *out = &s->complaints[s->n_complaints++];

			*out = (struct status_complaint){
				.count = c->counts[k].count,
				.mono_ns = c->counts[k].mono_ns,
			};
			(void)snprintf(out->name, sizeof(out->name), "%s", c->name);
			(void)snprintf(out->code, sizeof(out->code), "%s",
				       event_code_name(c->counts[k].code));
			(void)snprintf(out->hint, sizeof(out->hint), "%s", c->counts[k].hint);
		}
	}
}

static void tell_disturbed(struct recorder *rec, enum steering_news news, int64_t now_ns)
{
	static const char *const texts[] = {
		[STEERING_FREQUENCY] = "its frequency is none that a program of ours set",
		[STEERING_PLL] = "the kernel's own PLL is on, which no program of ours uses",
		[STEERING_STEP] = "stepped, and by no program of ours",
	};
	struct event e = event_make(EVENT_CLOCK_DISTURBED, now_ns, "CLOCK_REALTIME",
				    "CLOCK_REALTIME: %s: another program steers it", texts[news]);

	record_event(&rec->record, &e);
}

void recorder_clocks(struct recorder *rec, bool was_set)
{
	int64_t step_ns = record_clocks(&rec->record, was_set);

	if (steering_explains(&rec->rules.steering, rec->record.steps.pending_ns))
		step_watch_slewed(&rec->record.steps);
	if (step_ns)
		steering_step(&rec->rules.steering, step_ns, nsec_now(CLOCK_MONOTONIC));
}

static int on_steering_look(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct recorder *rec = userdata;
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	struct steering_reading reading;
	enum steering_news news;

	for (size_t i = 0; i < rec->n_logs; i++)
		if (rec->logs[i].steers) /* what it printed before this reading */
			(void)log_source_receive(&rec->logs[i].source);
	if (steering_read(&reading) < 0)
		return 0;
	news = steering_look(&rec->rules.steering, &reading, now_ns);
	if (news != STEERING_NOTHING)
		tell_disturbed(rec, news, now_ns);
	return 0;
}

/*
 * A tick comes with whatever else wakes the loop, which is our program's update: right after it the
 * clock has our program's settings, whoever else sets them in between. So look some time later, and
 * each time another. The exact moment is worth a wake-up of its own.
 */
static void look_off_beat(struct recorder *rec, int64_t now_ns)
{
	int64_t later_ns = LOOK_FIRST_NS + now_ns / NSEC_PER_USEC % LOOK_STEPS * NSEC_PER_MSEC;

	(void)sd_event_source_set_time(rec->rules.steering_timer,
				       (uint64_t)((now_ns + later_ns) / NSEC_PER_USEC));
	(void)sd_event_source_set_enabled(rec->rules.steering_timer, SD_EVENT_ONESHOT);
}

/* Rivals */

static void on_rival(void *userdata, const struct event *e)
{
	struct recorder *rec = userdata;

	record_event(&rec->record, e);
}

static void keep_quiet(void *userdata, const struct event *e)
{
}

bool recorder_child_steers(struct recorder *rec, const char *name)
{
	const struct followed *f = recorder_followed(rec, name);

	return strcmp(name, "phc2sys") == 0 || (f && config_ptp4l_steers(f->config) &&
						f->config->timestamping == TIMESTAMPING_SOFTWARE);
}

static void learn_ours(struct recorder *rec)
{
	const struct recorder_options *o = rec->options;
	struct rules *rules = &rec->rules;
	struct rivals_ours *ours = &rules->rivals.ours;

	*ours = (struct rivals_ours){
		.ports = rules->own_ports,
		.ptp4l = rules->ptp4l,
		.n_ptp4l = rec->n_ptp4l,
	};
	for (size_t i = 0; i < rec->n_ptp4l; i++) {
		const struct config_ptp4l *c = rec->ptp4l[i].config;

		rules->ptp4l[i] = (struct rivals_ptp4l){
			.socket = rec->ptp4l[i].socket,
			.domain = (unsigned)c->domain,
			.transport_specific = (unsigned)c->transport_specific,
		};
		if (!c->manage)
			continue; /* watched, not ours */
		for (size_t k = 0; k < c->interfaces.n; k++)
			rules->own_ports[ours->n_ports++] = c->interfaces.name[k];
		/* who steers a grandmaster's clocks is its source */
		ours->phc |= config_ptp4l_steers(c) && c->timestamping != TIMESTAMPING_SOFTWARE;
	}
	for (size_t i = 0; i < o->n_logs; i++)
		rules->steers |= recorder_child_steers(rec, o->logs[i].name);
	ours->system = rules->steers;
}

int recorder_look_for_rivals(struct recorder *rec, char *why, size_t size)
{
	struct rivals *rivals = &rec->rules.rivals;
	char what[RIVAL_WHY_MAX] = "";
	const struct rival_found *newest;
	size_t n;

	rivals->parent = getppid();
	rivals->on_event = keep_quiet; /* what refuses is the one line */
	rivals->userdata = rec;
	learn_ours(rec);
	if (rec->config->monitor.rivals != RIVALS_REFUSE || !rec->options->first)
		return 0;
	n = rivals_look(rivals, nsec_now(CLOCK_MONOTONIC), what);
	if (n == 0)
		return 0;
	newest = &rivals->found[n - 1];
	(void)snprintf(why, size, "%s (pid %d) %s: stop it, or set [monitor] rivals = warn",
		       newest->comm, (int)newest->pid, what);
	return -EBUSY;
}

int recorder_begin_rules(struct recorder *rec)
{
	struct rules *rules = &rec->rules;
	int r = sd_event_add_time(rec->event, &rules->steering_timer, CLOCK_MONOTONIC, UINT64_MAX,
				  LOOK_ACCURACY_US, on_steering_look, rec);

	if (r < 0)
		return r;
	(void)sd_event_source_set_enabled(rules->steering_timer, SD_EVENT_OFF);

	rules->policy = useless_default_policy;
	rules->policy.restart = rec->config->monitor.on_useless == ON_USELESS_RESTART;
	rules->policy.settle_ns = rec->config->monitor.settle_within_ns;
	rules->rivals.on_event = on_rival;
	return 0;
}

void recorder_end_rules(struct recorder *rec)
{
	rec->rules.steering_timer = sd_event_source_disable_unref(rec->rules.steering_timer);
}

void recorder_tick_rules(struct recorder *rec)
{
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	char why[RIVAL_WHY_MAX];
	struct event e;

	for (size_t i = 0; i < rec->n_ptp4l; i++)
		recorder_judge_ptp4l(&rec->ptp4l[i]);
	for (size_t i = 0; i < rec->n_logs; i++)
		while (complaints_due(&rec->logs[i].complaints, now_ns, &e))
			record_event(&rec->record, &e);
	if (rec->config->monitor.rivals == RIVALS_IGNORE)
		return;
	if (rec->rules.steers)
		look_off_beat(rec, now_ns);
	if (rec->ticks % RIVALS_TICKS == FIRST_RIVALS_TICK)
		(void)rivals_look(&rec->rules.rivals, now_ns, why);
}
