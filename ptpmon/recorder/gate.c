/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gates: in front of the phc2sys that steers the system clock, and of those that steer PHCs by
 * that of the port that is SLAVE; and what each claims to have reached.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/linuxptp_log.h"
#include "ptpmon/model/timescale.h"
#include "ptpmon/recorder/state.h"

#define LOSS_NS      (2 * NSEC_PER_SEC)
#define ASK_AGAIN_NS (15 * NSEC_PER_SEC) /* the parent tells of its children every 10 s */

enum { SERVO_LOCKED = 2 }; /* s2, as linuxptp prints it; s3 is locked and stable */

static struct phc2sys_state new_state(const struct config *c, const char *name)
{
	struct phc2sys_state s = {
		.gate.reason = GATE_NOT_WANTED,
		.policy = {.on_loss = c->phc2sys.on_loss == ON_LOSS_HOLD ? GATE_LOSS_HOLD
									 : GATE_LOSS_STOP,
			   .max_offset_ns = c->phc2sys.max_offset_ns,
			   .loss_ns = LOSS_NS},
		.down = true,
		.series = RECORD_NO_SERIES,
	};

	(void)snprintf(s.name, sizeof(s.name), "%s", name);
	return s;
}

static bool has_log(const struct recorder *rec, const char *name)
{
	for (size_t i = 0; i < rec->options->n_logs; i++)
		if (strcmp(rec->options->logs[i].name, name) == 0)
			return true;
	return false;
}

/* The parent has made one for each PHC; its log tells of which ports. */
static void open_joiners(struct recorder *rec, const struct followed *f)
{
	for (size_t i = 0; i < f->config->interfaces.n; i++) {
		struct phc2sys_state *s = &rec->joiners[rec->n_joiners];
		char name[CONFIG_CHILD_MAX];

		if (!config_phc2sys_joins(rec->config, f->config) ||
		    !has_log(rec, config_joiner_child(f->config->interfaces.name[i], name)))
			continue;
		*s = new_state(rec->config, name);
		s->wanted = true;
		s->joins = f;
		s->port = f->first_port + i;
		rec->n_joiners++;
	}
}

void recorder_open_gate(struct recorder *rec)
{
	rec->phc2sys = new_state(rec->config, "phc2sys");
	rec->phc2sys.wanted = config_wants_phc2sys(rec->config);
	for (size_t i = 0; i < rec->n_ptp4l; i++)
		open_joiners(rec, &rec->ptp4l[i]);
}

static struct phc2sys_state *find(struct recorder *rec, const char *name)
{
	if (strcmp(name, rec->phc2sys.name) == 0)
		return &rec->phc2sys;
	for (size_t i = 0; i < rec->n_joiners; i++)
		if (strcmp(name, rec->joiners[i].name) == 0)
			return &rec->joiners[i];
	return NULL;
}

/* What is seen */

static bool may_follow(const struct recorder *rec, const struct phc2sys_state *s, size_t port)
{
	for (size_t i = 0; i < rec->n_ptp4l; i++) {
		const struct followed *f = &rec->ptp4l[i];

		if (port >= f->first_port && port < f->first_port + f->config->interfaces.n)
			return s->joins ? s->joins == f
					: config_phc2sys_may_follow(rec->config, f->config);
	}
	return false;
}

/*
 * The port whose PHC is to be followed: the first that is SLAVE; else that of the PHC that is,
 * whose loss may be forgiven; else the first that might be.
 */
static size_t source_port(const struct recorder *rec, const struct phc2sys_state *s)
{
	size_t candidate = SIZE_MAX;
	bool is_followed = false;

	for (size_t i = 0; i < rec->status.n_ports; i++) {
		const struct status_port *p = &rec->status.ports[i];
		bool follows = s->gate.open && rec->port_phc[i] == s->gate.phc_index;

		if (rec->port_phc[i] == ETHTOOL_NO_PHC || !may_follow(rec, s, i))
			continue;
		if (p->state.known && p->state.value == PTP_SLAVE)
			return i;
		if (candidate == SIZE_MAX || (follows && !is_followed))
			candidate = i;
		is_followed = is_followed || follows;
	}
	return candidate;
}

static void look_at_phc(struct recorder *rec, struct gate_input *in)
{
	const struct measured_phc *m = recorder_phc(rec, in->phc_index);
	struct phc_facts f;

	if (!m || !m->source) {
		in->phc_failed = true;
		return;
	}
	f = phc_source_facts(m->source);
	in->phc_failed = f.error || !f.known;
	in->phc_stuck = f.stuck;
	in->epoch_ok = f.known && !epoch_holds(rec->config->phc2sys.epoch, f.reading.phc_ns,
					       timescale_build_utc_ns());
}

/* As ptp4l last said: it takes hold of a PHC when the port is UNCALIBRATED, and keeps it. */
static bool ptp4l_steers(const struct recorder *rec, int phc_index)
{
	for (size_t i = 0; i < rec->n_ptp4l; i++) {
		const struct followed *f = &rec->ptp4l[i];

		for (size_t j = 0; j < f->config->interfaces.n; j++) {
			const struct reading *state = &pmc_source_port(f->pmc, j)->state;

			if (rec->port_phc[f->first_port + j] == phc_index && state->mono_ns &&
			    (state->value == PTP_UNCALIBRATED || state->value == PTP_SLAVE))
				return true;
		}
	}
	return false;
}

/* Another of ours that has not ended, if it is not s itself. */
static bool joiner_steers(const struct recorder *rec, const struct phc2sys_state *s, int phc_index)
{
	for (size_t i = 0; i < rec->n_joiners; i++)
		if (&rec->joiners[i] != s && !rec->joiners[i].down &&
		    rec->joiners[i].gate.sink_index == phc_index)
			return true;
	return false;
}

static void look_at_sink(const struct recorder *rec, const struct phc2sys_state *s,
			 struct gate_input *in)
{
	if (!s->joins)
		return;
	in->sink_index = rec->port_phc[s->port];
	in->sink_missing = in->sink_index == ETHTOOL_NO_PHC;
	in->sink_taken = in->sink_index == in->phc_index || ptp4l_steers(rec, in->sink_index) ||
			 joiner_steers(rec, s, in->sink_index);
}

static struct gate_input look(struct recorder *rec, const struct phc2sys_state *s)
{
	struct gate_input in = {.wanted = s->wanted, .phc_index = ETHTOOL_NO_PHC};
	size_t port = source_port(rec, s);
	const struct status_port *p;
	struct phc_utc utc;

	if (port == SIZE_MAX)
		return in;
	p = &rec->status.ports[port];
	utc = recorder_phc_utc(rec, port);
	in.phc_index = rec->port_phc[port];
	in.source_busy = joiner_steers(rec, s, in.phc_index);
	in.slave = p->state.known && p->state.value == PTP_SLAVE;
	in.offset_known = p->offset_ns.known;
	in.offset_ns = p->offset_ns.value;
	in.utc_known = utc.known;
	in.utc_offset_s = utc.seconds;
	look_at_phc(rec, &in);
	look_at_sink(rec, s, &in);
	if (s->joins) { /* both show the same time, whichever that is */
		in.epoch_ok = in.utc_known = true;
		in.utc_offset_s = 0;
	}
	return in;
}

/* What is done */

static void ask(struct recorder *rec, struct phc2sys_state *s, enum message_kind kind,
		const char *why)
{
	const struct gate *g = &s->gate;
	struct message m = {
		.kind = kind,
		.mono_ns = nsec_now(CLOCK_MONOTONIC),
		.steer = {true, g->phc_index, s->joins ? g->sink_index : 0,
			  (int32_t)g->utc_offset_s},
	};

	(void)strcpy(m.child.name, s->name);
	(void)snprintf(m.text, sizeof(m.text), "%s", why);
	if (message_send(rec->options->parent_fd, &m) == 0 && kind == MESSAGE_STEER)
		s->down = false;
	s->asked_mono_ns = m.mono_ns;
}

static const char *source_of(struct recorder *rec, int index)
{
	const struct measured_phc *m = recorder_phc(rec, index);

	return m && m->utc.source ? m->utc.source : "?";
}

static struct event opened(struct recorder *rec, const struct phc2sys_state *s,
			   enum event_code code)
{
	const struct gate *g = &s->gate;
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	struct event e;

	if (s->joins) {
		e = event_make(code, now_ns, s->name, "%s: steers ptp%d by ptp%d", s->name,
			       g->sink_index, g->phc_index);
		(void)snprintf(e.detail, sizeof(e.detail), "{\"phc\":\"ptp%d\",\"sink\":\"ptp%d\"}",
			       g->phc_index, g->sink_index);
		return e;
	}
	e = event_make(code, now_ns, s->name,
		       "%s: steers CLOCK_REALTIME by ptp%d, %" PRId64 " s ahead of UTC (%s)",
		       s->name, g->phc_index, g->utc_offset_s, source_of(rec, g->phc_index));
	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"phc\":\"ptp%d\",\"utc_offset_s\":%" PRId64 "}", g->phc_index,
		       g->utc_offset_s);
	return e;
}

static struct event closed(const struct phc2sys_state *s)
{
	struct event e = event_make(EVENT_GATE_CLOSED, nsec_now(CLOCK_MONOTONIC), s->name,
				    "%s: held back: %s", s->name, gate_reason_text(s->gate.reason));

	if (s->gate.reason == GATE_SINK_TAKEN)
		e.severity = SEVERITY_NOTICE; /* as it has to be */
	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"phc\":\"ptp%d\",\"utc_offset_s\":%" PRId64 "}", s->gate.phc_index,
		       s->gate.utc_offset_s);
	return e;
}

static void tell(struct recorder *rec, struct phc2sys_state *s, const struct event *e,
		 enum message_kind kind)
{
	ask(rec, s, kind, e->text); /* before the record: that takes longer */
	record_event(&rec->record, e);
}

/* The guard of the epoch is not seen from outside, where it holds from the start. */
static void tell_epoch(struct recorder *rec, struct phc2sys_state *s)
{
	bool held = s->gate.reason == GATE_EPOCH;
	char built[NSEC_TEXT_MAX];
	struct event e;

	if (held && !s->epoch_told) {
		e = event_make(EVENT_EPOCH_HELD, nsec_now(CLOCK_MONOTONIC), s->name,
			       "%s: held back: the PHC shows a time before ptpmon was built, %s: "
			       "[phc2sys] epoch = arbitrary lets it",
			       s->name, nsec_format_utc(timescale_build_utc_ns(), built));
		record_event(&rec->record, &e);
	}
	s->epoch_told = held;
}

/* The parent may not have been reading. */
static void ask_again(struct recorder *rec, struct phc2sys_state *s)
{
	if (s->gate.open == s->parent_steers ||
	    nsec_now(CLOCK_MONOTONIC) - s->asked_mono_ns < ASK_AGAIN_NS)
		return;
	ask(rec, s, s->gate.open ? MESSAGE_STEER : MESSAGE_STOP, "asked once more");
}

static void feed(struct recorder *rec, struct phc2sys_state *s, const struct gate_input *in)
{
	struct event e;

	switch (gate_feed(&s->gate, &s->policy, in, nsec_now(CLOCK_MONOTONIC))) {
	case GATE_DO_START:
		e = opened(rec, s, EVENT_GATE_OPENED);
		tell(rec, s, &e, MESSAGE_STEER);
		break;
	case GATE_DO_RESTART:
		e = opened(rec, s, EVENT_GATE_CHANGED);
		tell(rec, s, &e, MESSAGE_STEER);
		break;
	case GATE_DO_STOP:
		e = closed(s);
		tell(rec, s, &e, MESSAGE_STOP);
		break;
	case GATE_DO_NOTHING:
		ask_again(rec, s);
		break;
	}
	tell_epoch(rec, s);
}

static void tick(struct recorder *rec, struct phc2sys_state *s)
{
	struct gate_input in;

	if (!s->wanted || !s->parent_told)
		return;
	in = look(rec, s);
	feed(rec, s, &in);
}

void recorder_tick_gate(struct recorder *rec)
{
	tick(rec, &rec->phc2sys);
	for (size_t i = 0; i < rec->n_joiners; i++)
		tick(rec, &rec->joiners[i]);
}

void recorder_guard_phcs(struct recorder *rec)
{
	for (size_t i = 0; i < rec->n_joiners; i++) {
		struct phc2sys_state *s = &rec->joiners[i];
		struct gate_input in = {.wanted = true, .sink_taken = true};

		if (s->gate.open && ptp4l_steers(rec, s->gate.sink_index))
			feed(rec, s, &in);
	}
}

/* What is heard of it */

void recorder_phc2sys_child(struct recorder *rec, const struct message *m)
{
	struct phc2sys_state *s = find(rec, m->child.name);
	int64_t up_ns = m->child.state == CHILD_UP ? m->child.started_mono_ns : 0;

	if (!s)
		return;
	if (!s->parent_told && m->steer.given) { /* an earlier recorder opened it */
		s->gate.open = true;
		s->gate.phc_index = m->steer.phc_index;
		s->gate.sink_index = m->steer.sink_index;
		s->gate.utc_offset_s = m->steer.utc_offset_s;
	}
	s->parent_told = true;
	s->parent_steers = m->steer.given;
	s->down = !m->steer.given && m->child.state == CHILD_STOPPED;
	if (up_ns != s->up_mono_ns)
		s->said_mono_ns = s->interval_ns = 0;
	s->up_mono_ns = up_ns;
}

/* The clock that it says it steers. */
static const char *clock_of(struct phc2sys_state *s, const struct linuxptp_line *line,
			    char out[static 16])
{
	if (!s->joins)
		return *line->clock ? line->clock : "CLOCK_REALTIME";
	(void)snprintf(out, 16, "ptp%d", s->gate.sink_index);
	return out;
}

void recorder_phc2sys_line(struct recorder *rec, const char *name, const char *text)
{
	struct phc2sys_state *s = find(rec, name);
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	struct linuxptp_line line;
	char clock[16];

	if (!s || linuxptp_parse(text, strlen(text), &line) != LINUXPTP_SAMPLE ||
	    line.mono_ns == TIME_UNKNOWN)
		return;
	if (s->said_mono_ns)
		s->interval_ns = line.mono_ns - s->claim.mono_ns;
	s->said_mono_ns = now_ns;
	s->claim = (struct sample){
		.flags = SAMPLE_SERVO,
		.mono_ns = line.mono_ns,
		.value = line.offset_ns,
		.delay_ns = line.delay_ns,
		.freq_ppb = (double)line.freq_ppb,
		.servo = (uint8_t)line.servo,
	};
	if (line.servo < SERVO_LOCKED)
		s->claim.flags |= SAMPLE_UNLOCKED;
	record_other(&rec->record, &s->series, SERIES_PHC2SYS, "phc2sys", clock_of(s, &line, clock),
		     &s->claim);
}

static bool is_locked(const struct phc2sys_state *s)
{
	return s->gate.open && s->said_mono_ns && s->claim.servo >= SERVO_LOCKED;
}

bool recorder_phc2sys_is_locked(const struct recorder *rec, int phc_index)
{
	for (size_t i = 0; i < rec->n_joiners; i++) {
		const struct phc2sys_state *s = &rec->joiners[i];

		if (rec->port_phc[s->port] == phc_index && !ptp4l_steers(rec, phc_index) &&
		    !is_locked(s))
			return false;
	}
	return !rec->phc2sys.wanted || is_locked(&rec->phc2sys);
}

const char *recorder_joiner_of(const struct recorder *rec, size_t port)
{
	for (size_t i = 0; i < rec->n_joiners; i++)
		if (rec->joiners[i].port == port && rec->joiners[i].up_mono_ns)
			return rec->joiners[i].name;
	return NULL;
}

/* What is told of it */

static void fill(const struct phc2sys_state *s, struct status_phc2sys *out)
{
	(void)snprintf(out->name, sizeof(out->name), "%s", s->name);
	out->wanted = s->wanted;
	out->open = s->gate.open;
	if (s->gate.reason != GATE_OPEN)
		(void)snprintf(out->reason, sizeof(out->reason), "%s",
			       gate_reason_text(s->gate.reason));
	out->needless = s->gate.reason == GATE_SINK_TAKEN;
	if (s->gate.open) {
		(void)snprintf(out->phc, sizeof(out->phc), "ptp%d", s->gate.phc_index);
		out->utc_offset_s = s->gate.utc_offset_s;
	}
	if (s->gate.open && s->joins)
		(void)snprintf(out->sink, sizeof(out->sink), "ptp%d", s->gate.sink_index);
	if (!s->said_mono_ns)
		return;
	out->offset_ns = (struct reading){true, s->claim.value, s->claim.mono_ns};
	out->delay_ns = (struct reading){true, s->claim.delay_ns, s->claim.mono_ns};
	out->interval_ns = (struct reading){s->interval_ns > 0, s->interval_ns, s->claim.mono_ns};
}

void recorder_fill_gate(struct recorder *rec)
{
	struct status *s = &rec->status;

	fill(&rec->phc2sys, &s->phc2sys);
	for (size_t i = 0; i < rec->n_joiners && s->n_joiners < STATUS_PHCS_MAX; i++)
		fill(&rec->joiners[i], &s->joiners[s->n_joiners++]);
}
