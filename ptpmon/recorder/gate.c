/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate in front of phc2sys, and what phc2sys claims to have reached. */
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

#define NAME "phc2sys"

enum { SERVO_LOCKED = 2 }; /* s2, as linuxptp prints it; s3 is locked and stable */

void recorder_open_gate(struct recorder *rec)
{
	const struct config *c = rec->config;

	rec->phc2sys = (struct phc2sys_state){
		.wanted = config_wants_phc2sys(c),
		.gate.reason = GATE_NOT_WANTED,
		.policy = {.on_loss = c->phc2sys.on_loss == ON_LOSS_HOLD ? GATE_LOSS_HOLD
									 : GATE_LOSS_STOP,
			   .max_offset_ns = c->phc2sys.max_offset_ns,
			   .loss_ns = LOSS_NS},
		.series = RECORD_NO_SERIES,
	};
}

static bool may_follow(const struct recorder *rec, size_t port)
{
	for (size_t i = 0; i < rec->n_ptp4l; i++) {
		const struct followed *f = &rec->ptp4l[i];

		if (port >= f->first_port && port < f->first_port + f->config->interfaces.n)
			return config_phc2sys_may_follow(rec->config, f->config);
	}
	return false;
}

/* The port that steers a PHC: the first that is SLAVE, else the first that might be. */
static size_t steering_port(const struct recorder *rec)
{
	size_t candidate = SIZE_MAX;

	for (size_t i = 0; i < rec->status.n_ports; i++) {
		const struct status_port *p = &rec->status.ports[i];

		if (rec->port_phc[i] == ETHTOOL_NO_PHC || !may_follow(rec, i))
			continue;
		if (p->state.known && p->state.value == PTP_SLAVE)
			return i;
		if (candidate == SIZE_MAX)
			candidate = i;
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

static struct gate_input look(struct recorder *rec)
{
	struct gate_input in = {.wanted = rec->phc2sys.wanted, .phc_index = ETHTOOL_NO_PHC};
	size_t port = steering_port(rec);
	const struct status_port *p;
	struct phc_utc utc;

	if (port == SIZE_MAX)
		return in;
	p = &rec->status.ports[port];
	utc = recorder_phc_utc(rec, port);
	in.phc_index = rec->port_phc[port];
	in.slave = p->state.known && p->state.value == PTP_SLAVE;
	in.offset_known = p->offset_ns.known;
	in.offset_ns = p->offset_ns.value;
	in.utc_known = utc.known;
	in.utc_offset_s = utc.seconds;
	look_at_phc(rec, &in);
	return in;
}

static void ask(struct recorder *rec, enum message_kind kind, const char *why)
{
	const struct gate *g = &rec->phc2sys.gate;
	struct message m = {
		.kind = kind,
		.mono_ns = nsec_now(CLOCK_MONOTONIC),
		.child.name = NAME,
		.steer = {true, g->phc_index, (int32_t)g->utc_offset_s},
	};

	(void)snprintf(m.text, sizeof(m.text), "%s", why);
	(void)message_send(rec->options->parent_fd, &m);
	rec->phc2sys.asked_mono_ns = m.mono_ns;
}

static const char *source_of(struct recorder *rec, int index)
{
	const struct measured_phc *m = recorder_phc(rec, index);

	return m && m->utc.source ? m->utc.source : "?";
}

static void tell(struct recorder *rec, enum event_code code, enum message_kind kind)
{
	const struct gate *g = &rec->phc2sys.gate;
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	struct event e;

	if (code == EVENT_GATE_CLOSED)
		e = event_make(code, now_ns, NAME, NAME ": held back: %s",
			       gate_reason_text(g->reason));
	else
		e = event_make(code, now_ns, NAME,
			       NAME ": steers CLOCK_REALTIME by ptp%d, %" PRId64
				    " s ahead of UTC (%s)",
			       g->phc_index, g->utc_offset_s, source_of(rec, g->phc_index));
	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"phc\":\"ptp%d\",\"utc_offset_s\":%" PRId64 "}", g->phc_index,
		       g->utc_offset_s);
	record_event(&rec->record, &e);
	ask(rec, kind, e.text);
}

/* The guard of the epoch is not seen from outside, where it holds from the start. */
static void tell_epoch(struct recorder *rec)
{
	struct phc2sys_state *s = &rec->phc2sys;
	bool held = s->gate.reason == GATE_EPOCH;
	char built[NSEC_TEXT_MAX];
	struct event e;

	if (held && !s->epoch_told) {
		e = event_make(EVENT_EPOCH_HELD, nsec_now(CLOCK_MONOTONIC), NAME,
			       NAME
			       ": held back: the PHC shows a time before ptpmon was built, %s: "
			       "[phc2sys] epoch = arbitrary lets it",
			       nsec_format_utc(timescale_build_utc_ns(), built));
		record_event(&rec->record, &e);
	}
	s->epoch_told = held;
}

/* The parent may not have been reading. */
static void ask_again(struct recorder *rec)
{
	const struct phc2sys_state *s = &rec->phc2sys;

	if (s->gate.open == s->parent_steers ||
	    nsec_now(CLOCK_MONOTONIC) - s->asked_mono_ns < ASK_AGAIN_NS)
		return;
	ask(rec, s->gate.open ? MESSAGE_STEER : MESSAGE_STOP, "asked once more");
}

void recorder_tick_gate(struct recorder *rec)
{
	struct gate_input in;

	if (!rec->phc2sys.wanted || !rec->phc2sys.parent_told)
		return;
	in = look(rec);
	switch (gate_feed(&rec->phc2sys.gate, &rec->phc2sys.policy, &in,
			  nsec_now(CLOCK_MONOTONIC))) {
	case GATE_DO_START:
		tell(rec, EVENT_GATE_OPENED, MESSAGE_STEER);
		break;
	case GATE_DO_RESTART:
		tell(rec, EVENT_GATE_CHANGED, MESSAGE_STEER);
		break;
	case GATE_DO_STOP:
		tell(rec, EVENT_GATE_CLOSED, MESSAGE_STOP);
		break;
	case GATE_DO_NOTHING:
		ask_again(rec);
		break;
	}
	tell_epoch(rec);
}

void recorder_phc2sys_child(struct recorder *rec, const struct message *m)
{
	struct phc2sys_state *s = &rec->phc2sys;
	int64_t up_ns = m->child.state == CHILD_UP ? m->child.started_mono_ns : 0;

	if (!s->parent_told && m->steer.given) { /* an earlier recorder opened it */
		s->gate.open = true;
		s->gate.phc_index = m->steer.phc_index;
		s->gate.utc_offset_s = m->steer.utc_offset_s;
	}
	s->parent_told = true;
	s->parent_steers = m->steer.given;
	if (up_ns != s->up_mono_ns)
		s->said_mono_ns = s->interval_ns = 0;
	s->up_mono_ns = up_ns;
}

void recorder_phc2sys_line(struct recorder *rec, const char *text)
{
	struct phc2sys_state *s = &rec->phc2sys;
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	struct linuxptp_line line;

	if (linuxptp_parse(text, strlen(text), &line) != LINUXPTP_SAMPLE ||
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
	record_other(&rec->record, &s->series, SERIES_PHC2SYS, NAME,
		     *line.clock ? line.clock : "CLOCK_REALTIME", &s->claim);
}

bool recorder_phc2sys_is_locked(const struct recorder *rec)
{
	const struct phc2sys_state *s = &rec->phc2sys;

	return !s->wanted || (s->gate.open && s->said_mono_ns && s->claim.servo >= SERVO_LOCKED);
}

void recorder_fill_gate(struct recorder *rec)
{
	const struct phc2sys_state *s = &rec->phc2sys;
	struct status_phc2sys *out = &rec->status.phc2sys;

	out->wanted = s->wanted;
	out->open = s->gate.open;
	if (s->gate.reason != GATE_OPEN)
		(void)snprintf(out->reason, sizeof(out->reason), "%s",
			       gate_reason_text(s->gate.reason));
	if (s->gate.open) {
		(void)snprintf(out->phc, sizeof(out->phc), "ptp%d", s->gate.phc_index);
		out->utc_offset_s = s->gate.utc_offset_s;
	}
	if (!s->said_mono_ns)
		return;
	out->offset_ns = (struct reading){true, s->claim.value, s->claim.mono_ns};
	out->delay_ns = (struct reading){true, s->claim.delay_ns, s->claim.mono_ns};
	out->interval_ns = (struct reading){s->interval_ns > 0, s->interval_ns, s->claim.mono_ns};
}
