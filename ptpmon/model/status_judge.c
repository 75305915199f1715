/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How good a status is, and whether it is within limits. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/model/status.h"

const char *status_verdict_name(enum status_verdict verdict)
{
	static const char *const names[STATUS_VERDICT_MAX] = {
		[STATUS_GOOD] = "good",
		[STATUS_BAD] = "bad",
		[STATUS_UNKNOWN] = "unknown",
	};

	return names[verdict];
}

/* The first thing of its kind that is not good, with why; or STATUS_GOOD and why untouched. */
typedef enum status_verdict (*check)(const struct status *s, char *why);

__attribute__((format(printf, 3, 4))) static enum status_verdict
say(enum status_verdict verdict, char *why, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(why, STATUS_TEXT_MAX, fmt, ap);
	va_end(ap);
	if (n >= STATUS_TEXT_MAX)
		(void)strcpy(why + STATUS_TEXT_MAX - sizeof("..."), "...");
	return verdict;
}

/* "unknown, last seen 12 s ago": what there is to say of a reading that is not known. */
static enum status_verdict say_unknown(const struct status *s, char *why, const char *port,
				       const char *what, int64_t seen_mono_ns)
{
	char age[NSEC_TEXT_MAX];

	if (!seen_mono_ns)
		return say(STATUS_UNKNOWN, why, "%s: %s unknown, never seen yet", port, what);
	return say(STATUS_UNKNOWN, why, "%s: %s unknown, last seen %s ago", port, what,
		   nsec_format_age(s->taken_mono_ns - seen_mono_ns, age));
}

static enum status_verdict check_parent(const struct status *s, char *why)
{
	char age[NSEC_TEXT_MAX];

	if (!status_parent_is_silent(s))
		return STATUS_GOOD;
	return say(STATUS_UNKNOWN, why, "the parent was last heard %s ago",
		   nsec_format_age(s->taken_mono_ns - s->parent_mono_ns, age));
}

static enum status_verdict check_children(const struct status *s, char *why)
{
	enum status_verdict verdict = STATUS_GOOD;

	for (size_t i = 0; i < s->n_children; i++) {
		const struct status_child *c = &s->children[i];
		/* an ordinary start is not known to be bad */
		bool bad = c->state != CHILD_STARTING || c->problem[0];

		if (c->state == CHILD_UP || (!bad && verdict == STATUS_UNKNOWN) ||
		    status_child_is_held(s, c))
			continue;
		verdict = say(bad ? STATUS_BAD : STATUS_UNKNOWN, why, "%s: %s%s%s", c->name,
			      child_state_name(c->state), c->problem[0] ? ": " : "", c->problem);
		if (bad)
			break;
	}
	return verdict;
}

static enum status_verdict check_schedules(const struct status *s, char *why)
{
	for (size_t i = 0; i < s->n_children; i++) {
		const struct status_child *c = &s->children[i];

		if (c->policy[0] && !c->schedule_ok)
			return say(STATUS_BAD, why, "%s: not scheduled as asked: %s", c->name,
				   c->problem[0] ? c->problem : "no reason known");
	}
	for (size_t i = 0; i < s->n_children; i++)
		if (!s->children[i].policy[0] && !status_child_is_held(s, &s->children[i]))
			return say(STATUS_UNKNOWN, why, "%s: schedule not read back yet",
				   s->children[i].name);
	return STATUS_GOOD;
}

static enum status_verdict check_record(const struct status *s, char *why)
{
	if (s->record.ok)
		return STATUS_GOOD;
	return say(STATUS_BAD, why, "not recording: %s",
		   s->record.problem[0] ? s->record.problem : "no reason known");
}

static enum status_verdict check_carrier(const struct status *s, char *why)
{
	for (size_t i = 0; i < s->n_ports; i++) {
		const struct status_port *p = &s->ports[i];

		if (p->absent || (p->carrier_known && !p->carrier))
			return say(STATUS_BAD, why, "%s: %s", p->name,
				   p->absent ? "no such interface" : "no carrier");
	}
	return STATUS_GOOD;
}

/* What a port of a ptp4l of this role may be. */
static const struct expectation {
	const char *role;
	const char *wanted; /* for people */
	bool good[PTP_SLAVE + 1];
	bool one_slave; /* of its ports one has to be a slave */
} expectations[] = {
	{"grandmaster", "MASTER", {[PTP_MASTER] = true}, false},
	{"slave", "SLAVE", {[PTP_SLAVE] = true}, true},
	{"boundary",
	 "SLAVE or MASTER",
	 {[PTP_SLAVE] = true, [PTP_MASTER] = true, [PTP_PASSIVE] = true},
	 true},
	/* auto, monitor: what its ptp4l decides */
	{"",
	 "SLAVE or MASTER",
	 {[PTP_SLAVE] = true, [PTP_MASTER] = true, [PTP_PASSIVE] = true},
	 false},
};

static const struct expectation *expected_of(const struct status_port *p)
{
	const struct expectation *e = expectations;

	while (*e->role && strcmp(e->role, p->role) != 0)
		e++;
	return e;
}

static bool is_slave(const struct status_port *p)
{
	return p->state.known && p->state.value == PTP_SLAVE;
}

/* Its offset is what it is judged by. */
static bool follows(const struct status_port *p)
{
	return strcmp(p->role, "slave") == 0 || (is_slave(p) && expected_of(p)->good[PTP_SLAVE]);
}

/* Ports with one socket are those of one ptp4l. */
static bool none_is_slave(const struct status *s, const struct status_port *p)
{
	for (size_t i = 0; i < s->n_ports; i++)
		if (strcmp(s->ports[i].socket, p->socket) == 0 &&
		    (is_slave(&s->ports[i]) || !s->ports[i].state.known))
			return false;
	return true;
}

bool status_port_is_in_role(const struct status_port *p)
{
	return p->state.known && p->state.value >= 0 && p->state.value <= PTP_SLAVE &&
	       expected_of(p)->good[p->state.value];
}

bool status_port_owes_offset(const struct status_port *p)
{
	return follows(p) || (!p->state.known && p->offset_ns.mono_ns);
}

bool status_port_has_offset(const struct status_port *p)
{
	return follows(p) || p->offset_ns.mono_ns;
}

static enum status_verdict check_states(const struct status *s, char *why)
{
	if (!s->n_ports)
		return say(STATUS_UNKNOWN, why, "no port is watched");
	for (size_t i = 0; i < s->n_ports; i++) {
		const struct status_port *p = &s->ports[i];
		const struct expectation *e = expected_of(p);

		if (p->state.known && !status_port_is_in_role(p))
			return say(STATUS_BAD, why, "%s: %s, not %s", p->name,
				   ptp_port_state_name((unsigned)p->state.value), e->wanted);
		if (e->one_slave && none_is_slave(s, p))
			return say(STATUS_BAD, why, "%s: no port of this %s clock is SLAVE",
				   p->name, p->role);
	}
	for (size_t i = 0; i < s->n_ports; i++) {
		const struct status_port *p = &s->ports[i];

		if (!p->state.known && p->problem[0])
			return say(STATUS_UNKNOWN, why, "%s: port state unknown: %s", p->name,
				   p->problem);
		if (!p->state.known)
			return say_unknown(s, why, p->name, "port state", p->state.mono_ns);
	}
	return STATUS_GOOD;
}

/* bad_ns 0: no offset is. */
static enum status_verdict check_offsets_below(const struct status *s, int64_t bad_ns, char *why)
{
	char text[NSEC_TEXT_MAX];

	for (size_t i = 0; i < s->n_ports; i++) {
		const struct reading *r = &s->ports[i].offset_ns;

		if (follows(&s->ports[i]) && r->known && bad_ns &&
		    (r->value <= -bad_ns || r->value >= bad_ns))
			return say(STATUS_BAD, why, "%s: offset %s", s->ports[i].name,
				   nsec_format_offset(r->value, text));
	}
	for (size_t i = 0; i < s->n_ports; i++)
		if (follows(&s->ports[i]) && !s->ports[i].offset_ns.known)
			return say_unknown(s, why, s->ports[i].name, "offset",
					   s->ports[i].offset_ns.mono_ns);
	return STATUS_GOOD;
}

static enum status_verdict check_offsets(const struct status *s, char *why)
{
	return check_offsets_below(s,
				   s->limits.offset_ns > STATUS_OFFSET_BAD_NS
					   ? s->limits.offset_ns
					   : STATUS_OFFSET_BAD_NS,
				   why);
}

/* A PHC that nothing steers gives its own time to who follows its ports. */
static enum status_verdict check_joiners(const struct status *s, char *why)
{
	for (size_t i = 0; i < s->n_joiners; i++) {
		const struct status_phc2sys *p = &s->joiners[i];

		if (p->wanted && !p->open && !p->needless)
			return say(STATUS_BAD, why, "%s: held back: %s", p->name, p->reason);
	}
	return STATUS_GOOD;
}

/* What a good offset is worth to the system clock. */
static enum status_verdict check_phcs(const struct status *s, char *why)
{
	for (size_t i = 0; i < s->n_phcs; i++)
		if (s->phcs[i].problem[0])
			return say(STATUS_BAD, why, "%s: %s", s->phcs[i].name, s->phcs[i].problem);
	if (s->phc2sys.wanted && !s->phc2sys.open)
		return say(STATUS_BAD, why, "phc2sys: held back: %s", s->phc2sys.reason);
	return check_joiners(s, why);
}

static enum status_verdict check_alarms(const struct status *s, char *why)
{
	char value[ALARM_TEXT_MAX];
	char limit[ALARM_TEXT_MAX];
	char age[NSEC_TEXT_MAX];

	for (size_t i = 0; i < s->n_alarms; i++) {
		const struct alarm *a = &s->alarms[i];

		if (!a->raised || alarm_code_severity(a->code) < SEVERITY_ERROR)
			continue;
		(void)nsec_format_age(s->taken_mono_ns - a->since_mono_ns, age);
		if (alarm_code_unit(a->code) == ALARM_YES_NO)
			return say(STATUS_BAD, why, "%s: alarm %s for %s: %s", a->subject,
				   alarm_code_name(a->code), age, alarm_code_meaning(a->code));
		return say(STATUS_BAD, why, "%s: alarm %s for %s: worst %s, limit %s", a->subject,
			   alarm_code_name(a->code), age,
			   alarm_format_value(a->code, a->worst, value),
			   alarm_format_value(a->code, a->limit, limit));
	}
	return STATUS_GOOD;
}

static enum status_verdict check_latency(const struct status *s, char *why)
{
	char cpu[16];

	if (s->realtime_problem[0])
		return say(STATUS_BAD, why, "latency is measured NOT REAL-TIME: %s",
			   s->realtime_problem);
	for (size_t i = 0; i < s->n_cpus; i++)
		if (s->cpus[i].last_max_ns == SAMPLE_UNKNOWN) {
			(void)snprintf(cpu, sizeof(cpu), "cpu %u", s->cpus[i].cpu);
			return say_unknown(s, why, cpu, "latency", s->cpus[i].mono_ns);
		}
	return STATUS_GOOD;
}

static const check checks[] = {
	check_parent, check_children, check_carrier, check_states,  check_offsets,
	check_phcs,   check_record,   check_alarms,  check_latency, check_schedules,
};

/* What a good one looks like: the port that follows, or else the first. */
static void praise(const struct status *s, char *why)
{
	const struct status_port *p = &s->ports[0];
	char text[NSEC_TEXT_MAX];
	char more[40] = "";

	for (size_t i = s->n_ports; i-- > 0;)
		if (follows(&s->ports[i]))
			p = &s->ports[i];
	if (s->n_ports > 1)
		(void)snprintf(more, sizeof(more), " (and %zu more)", s->n_ports - 1);
	if (p->offset_ns.known && follows(p))
		(void)say(STATUS_GOOD, why, "%s is %s, offset %s %" PRId64 " ms ago%s", p->name,
			  ptp_port_state_name((unsigned)p->state.value),
			  nsec_format_offset(p->offset_ns.value, text),
			  (s->taken_mono_ns - p->offset_ns.mono_ns) / NSEC_PER_MSEC, more);
	else
		(void)say(STATUS_GOOD, why, "%s is %s%s", p->name,
			  ptp_port_state_name((unsigned)p->state.value), more);
}

enum status_verdict status_judge(const struct status *s, char why[static STATUS_TEXT_MAX])
{
	enum status_verdict verdict = STATUS_GOOD;
	char reason[STATUS_TEXT_MAX];

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		enum status_verdict found = checks[i](s, reason);

		if (found == STATUS_BAD || (found == STATUS_UNKNOWN && verdict == STATUS_GOOD)) {
			verdict = found;
			memcpy(why, reason, sizeof(reason));
		}
		if (verdict == STATUS_BAD)
			return verdict;
	}
	if (verdict == STATUS_GOOD)
		praise(s, why);
	return verdict;
}

/* -- ready ------------------------------------------------------------------------------- */

static enum status_verdict check_ready_offsets(const struct status *s, char *why)
{
	enum status_verdict verdict = check_offsets_below(s, s->limits.ready_offset_ns, why);
	size_t len = strlen(why);
	char limit[NSEC_TEXT_MAX];

	if (verdict == STATUS_BAD)
		(void)snprintf(why + len, STATUS_TEXT_MAX - len, ", limit %s",
			       nsec_format_offset(s->limits.ready_offset_ns, limit));
	return verdict;
}

static enum status_verdict check_clock_below(const struct status *s, const char *phc,
					     const struct reading *sys_minus_phc_ns, char *why)
{
	int64_t limit_ns = status_ready_phc_ns(&s->limits);
	int64_t value_ns = sys_minus_phc_ns->value;
	char value[NSEC_TEXT_MAX];
	char limit[NSEC_TEXT_MAX];

	if (!sys_minus_phc_ns->known)
		return say_unknown(s, why, phc, "system clock against it",
				   sys_minus_phc_ns->mono_ns);
	if (!limit_ns || (value_ns > -limit_ns && value_ns < limit_ns))
		return STATUS_GOOD;
	return say(STATUS_BAD, why, "%s: system clock %s from it, limit %s", phc,
		   nsec_format_offset(value_ns, value), nsec_format_offset(limit_ns, limit));
}

/* Where phc2sys is to steer the system clock: by our own measurement, else by what it claims. */
static enum status_verdict check_ready_clock(const struct status *s, char *why)
{
	enum status_verdict verdict = STATUS_GOOD;

	if (!s->phc2sys.wanted)
		return STATUS_GOOD;
	if (!s->phc2sys.open)
		return say(STATUS_BAD, why, "phc2sys: held back: %s", s->phc2sys.reason);
	for (size_t i = 0; i < s->n_phcs && verdict == STATUS_GOOD; i++)
		verdict = check_clock_below(s, s->phcs[i].name, &s->phcs[i].sys_minus_phc_ns, why);
	return s->n_phcs ? verdict : check_clock_below(s, "phc2sys", &s->phc2sys.offset_ns, why);
}

/* What a grandmaster announces has been set and read back. */
static enum status_verdict check_announced(const struct status *s, char *why)
{
	for (size_t i = 0; i < s->n_ports; i++) {
		const struct status_port *p = &s->ports[i];

		if (strcmp(p->role, "grandmaster") == 0 && !p->scale.utc_offset_s.known)
			return say_unknown(s, why, p->name, "announced time scale",
					   p->scale.utc_offset_s.mono_ns);
	}
	return STATUS_GOOD;
}

int64_t status_ready_phc_ns(const struct status_limits *l)
{
	return l->phc_ns ? l->phc_ns : l->ready_offset_ns;
}

bool status_is_within(const struct status *s, char why[static STATUS_TEXT_MAX])
{
	static const check ready_checks[] = {
		check_carrier,   check_states,      check_ready_offsets,
		check_announced, check_ready_clock,
	};

	*why = '\0';
	for (size_t i = 0; i < sizeof(ready_checks) / sizeof(ready_checks[0]); i++)
		if (ready_checks[i](s, why) != STATUS_GOOD)
			return false;
	return true;
}
