// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/report/status_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/report/page.h"

enum {
	FULL_ROWS = 24, /* the screen that everything is made to fit */
	PORT_ROWS = 6,
	CPU_ROWS = 4,
	ALARM_ROWS = 3,
	TAIL_ROWS = 4,         /* record, phase, cost */
	LINE_PROBLEM_MAX = 64, /* what a child's line or two have room for */
};

/* What is drawn, and onto what. */
struct sheet {
	struct page page;
	const struct status *s;
	unsigned rows;
	enum status_verdict verdict;
	char why[STATUS_TEXT_MAX];
};

/* -- values ------------------------------------------------------------------------------ */

enum { VALUE_BYTES = 160 };

static const char *age_of(const struct sheet *p, int64_t mono_ns, char out[static NSEC_TEXT_MAX])
{
	int64_t age_ns = p->s->taken_mono_ns - mono_ns;

	if (age_ns >= NSEC_PER_SEC)
		return nsec_format_age(age_ns, out);
	(void)snprintf(out, NSEC_TEXT_MAX, "%" PRId64 " ms", age_ns / NSEC_PER_MSEC);
	return out;
}

/* "unknown, last seen 12 s ago" */
static const char *format_unknown(const struct sheet *p, const struct reading *r,
				  char out[static VALUE_BYTES])
{
	char age[NSEC_TEXT_MAX];

	if (r->mono_ns)
		(void)snprintf(out, VALUE_BYTES, "unknown, last seen %s ago",
			       age_of(p, r->mono_ns, age));
	else
		(void)snprintf(out, VALUE_BYTES, "unknown, never seen yet");
	return out;
}

/* "-112 ns, 0.1 s ago" */
static const char *format_reading_ns(const struct sheet *p, const struct reading *r,
				     char out[static VALUE_BYTES])
{
	char value[NSEC_TEXT_MAX];
	char age[NSEC_TEXT_MAX];

	if (!r->known)
		return format_unknown(p, r, out);
	(void)snprintf(out, VALUE_BYTES, "%s, %s ago", nsec_format_offset(r->value, value),
		       age_of(p, r->mono_ns, age));
	return out;
}

static const char *format_known(int64_t ns, char out[static NSEC_TEXT_MAX])
{
	return ns == SAMPLE_UNKNOWN ? strcpy(out, "-") : nsec_format_offset(ns, out);
}

static const char *format_us(int64_t ns, char out[static NSEC_TEXT_MAX])
{
	if (ns == SAMPLE_UNKNOWN)
		return strcpy(out, "unknown");
	(void)snprintf(out, NSEC_TEXT_MAX, "%.1f", (double)ns / 1e3);
	return out;
}

/* -- ports ------------------------------------------------------------------------------- */

static const char *format_state(const struct sheet *p, const struct status_port *port,
				char out[static VALUE_BYTES])
{
	char age[NSEC_TEXT_MAX];

	if (!port->state.known)
		return format_unknown(p, &port->state, out);
	if (port->state_since_mono_ns)
		(void)snprintf(out, VALUE_BYTES, "%s for %s",
			       ptp_port_state_name((unsigned)port->state.value),
			       age_of(p, port->state_since_mono_ns, age));
	else
		(void)snprintf(out, VALUE_BYTES, "%s",
			       ptp_port_state_name((unsigned)port->state.value));
	return out;
}

/* "class 248, accuracy 100 ns, INTERNAL_OSCILLATOR, 1 step away" */
static const char *format_clock(const struct status_port *port, char out[static VALUE_BYTES])
{
	char class[32] = "unknown";
	char steps[48] = "";

	if (port->clock_class.known)
		(void)snprintf(class, sizeof(class), "%" PRId64, port->clock_class.value);
	if (port->steps_removed.known && port->steps_removed.value > 0)
		(void)snprintf(steps, sizeof(steps), ", %" PRId64 " step%s away",
			       port->steps_removed.value,
			       port->steps_removed.value == 1 ? "" : "s");
	(void)snprintf(out, VALUE_BYTES, "class %s, accuracy %s, source %s%s", class,
		       port->clock_accuracy.known
			       ? ptp_clock_accuracy_name((unsigned)port->clock_accuracy.value)
			       : "unknown",
		       port->time_source.known
			       ? ptp_time_source_name((unsigned)port->time_source.value)
			       : "unknown",
		       steps);
	return out;
}

static void put_last_minute(struct sheet *p, const struct status_window *w)
{
	char p50[NSEC_TEXT_MAX];
	char p99[NSEC_TEXT_MAX];
	char max[NSEC_TEXT_MAX];

	if (!w->count)
		page_put(&p->page, "", "last minute: no samples");
	else
		page_put(&p->page, "",
			 "last minute: |offset| 50 %% %s, 99 %% %s, max %s (%" PRIu64 " samples)",
			 format_known(w->p50_ns, p50), format_known(w->p99_ns, p99),
			 format_known(w->max_ns, max), w->count);
}

/* A grandmaster has itself as its grandmaster. */
static const char *format_grandmaster(const struct status_port *port, char out[static VALUE_BYTES])
{
	bool itself = port->grandmaster[0] && strcmp(port->grandmaster, port->clock_identity) == 0;

	(void)snprintf(out, VALUE_BYTES, "%s %s", itself ? "is grandmaster" : "grandmaster",
		       port->grandmaster[0] ? port->grandmaster : "unknown");
	return out;
}

static const char *format_link(const struct status_port *port)
{
	if (port->absent)
		return "no such interface";
	if (!port->carrier_known)
		return "link unknown";
	return port->carrier ? "link up" : "no carrier";
}

static const char *format_traceable(const struct status_scale *s)
{
	if (!s->time_traceable.value)
		return s->frequency_traceable.value ? ", frequency traceable" : "";
	return s->frequency_traceable.value ? ", time and frequency traceable" : ", time traceable";
}

/* "TAI, UTC offset 37 s valid (kernel), time and frequency traceable" */
static void put_scale(struct sheet *p, const struct status_scale *s)
{
	char off[VALUE_BYTES] = "";
	char source[48] = "";

	if (!s->utc_offset_s.mono_ns) /* never heard of */
		return;
	if (!s->utc_offset_s.known) {
		page_put(&p->page, "  time", "%s", format_unknown(p, &s->utc_offset_s, off));
		return;
	}
	if (*s->utc_offset_source)
		(void)snprintf(source, sizeof(source), " (%s)", s->utc_offset_source);
	page_put(&p->page, "  time", "%s, UTC offset %" PRId64 " s %s%s%s",
		 s->ptp_timescale.value ? "TAI" : "arbitrary scale", s->utc_offset_s.value,
		 s->utc_offset_valid.value ? "valid" : "NOT VALID", source, format_traceable(s));
	if (!*s->realtime)
		return;
	if (s->phc_error_ns.known)
		(void)format_reading_ns(p, &s->phc_error_ns, off);
	page_put(&p->page, "", "CLOCK_REALTIME %s%s%s", s->realtime, *off ? "; PHC off by " : "",
		 off);
}

static void put_delay(struct sheet *p, const struct status_port *port)
{
	char delay[VALUE_BYTES];
	char interval[NSEC_TEXT_MAX];
	char each[64] = "syncs";

	if (port->sync_interval_ns.known)
		(void)snprintf(each, sizeof(each), "a sync each %s",
			       nsec_format_offset(port->sync_interval_ns.value, interval));
	page_put(&p->page, "  delay", "%s; %s: %" PRIu64 " seen, %" PRIu64 " missed",
		 format_reading_ns(p, &port->mean_path_delay_ns, delay), each, port->updates,
		 port->missed);
}

static void put_port(struct sheet *p, const struct status_port *port)
{
	char state[VALUE_BYTES];
	char text[VALUE_BYTES];

	page_put(&p->page, port->name, "%s, %s, %s", format_state(p, port, state),
		 format_link(port), format_grandmaster(port, text));
	page_put(&p->page, "", "%s", format_clock(port, text));
	put_scale(p, &port->scale);
	if (status_port_has_offset(port)) {
		page_put(&p->page, "  offset", "%s", format_reading_ns(p, &port->offset_ns, text));
		put_last_minute(p, &port->last_minute);
		put_delay(p, port);
	}
	page_put(&p->page, "  socket", "pmc -u -s %s", port->socket);
}

static void put_port_line(struct sheet *p, const struct status_port *port)
{
	char state[VALUE_BYTES];
	char offset[VALUE_BYTES];
	char p99[NSEC_TEXT_MAX];
	char max[NSEC_TEXT_MAX];

	if (status_port_has_offset(port) && port->state.known)
		page_put(&p->page, port->name, "%s, offset %s; minute 99 %% %s, max %s",
			 ptp_port_state_name((unsigned)port->state.value),
			 format_reading_ns(p, &port->offset_ns, offset),
			 format_known(port->last_minute.p99_ns, p99),
			 format_known(port->last_minute.max_ns, max));
	else
		page_put(&p->page, port->name, "%s, %s", format_state(p, port, state),
			 format_link(port));
}

static void put_ports(struct sheet *p)
{
	const struct status *s = p->s;
	size_t shown = s->n_ports > PORT_ROWS ? PORT_ROWS - 1 : s->n_ports;

	if (!s->n_ports)
		page_put(&p->page, "port", "none is watched");
	if (s->n_ports == 1) {
		put_port(p, &s->ports[0]);
		return;
	}
	for (size_t i = 0; i < shown; i++) {
		const struct status_port *port = &s->ports[i];

		put_port_line(p, port);
		/* of each clock that gives time, behind the first of its ports */
		if (*port->scale.utc_offset_source &&
		    (i == 0 || strcmp(port[-1].clock_identity, port->clock_identity) != 0))
			put_scale(p, &port->scale);
	}
	if (shown < s->n_ports)
		page_put(&p->page, "", "and %zu more: see --json", s->n_ports - shown);
}

/* -- alarms ------------------------------------------------------------------------------ */

/* "raised 12 s ago" or "cleared 5 min ago": the moment that its since is. */
static void put_alarm(struct sheet *p, const char *label, const struct alarm *a)
{
	char worst[ALARM_TEXT_MAX];
	char limit[ALARM_TEXT_MAX];
	char numbers[2 * ALARM_TEXT_MAX + 24] = "";
	char age[NSEC_TEXT_MAX];
	char times[32] = "";

	if (alarm_code_unit(a->code) != ALARM_YES_NO)
		(void)snprintf(numbers, sizeof(numbers), ", worst %s, limit %s",
			       alarm_format_value(a->code, a->worst, worst),
			       alarm_format_value(a->code, a->limit, limit));
	if (a->count > 1)
		(void)snprintf(times, sizeof(times), ", %" PRIu32 " times", a->count);
	page_put(&p->page, label, "%s %s: %s %s ago%s%s", a->subject, alarm_code_name(a->code),
		 a->raised ? "raised" : "cleared", age_of(p, a->since_mono_ns, age), numbers,
		 times);
}

static void put_alarms(struct sheet *p)
{
	const struct status *s = p->s;
	size_t room = ALARM_ROWS + (p->rows > FULL_ROWS ? p->rows - FULL_ROWS : 0);
	size_t shown = s->n_alarms > room ? room - 1 : s->n_alarms;

	for (size_t i = 0; i < shown; i++)
		put_alarm(p, i ? "" : "alarms", &s->alarms[i]);
	if (shown < s->n_alarms)
		page_put(&p->page, "", "and %zu more: see --json", s->n_alarms - shown);
}

/* -- PHCs -------------------------------------------------------------------------------- */

static void put_phc(struct sheet *p, const struct status_phc *phc)
{
	char value[VALUE_BYTES];
	char delay[NSEC_TEXT_MAX] = "unknown";

	if (phc->delay_ns.known)
		(void)nsec_format_offset(phc->delay_ns.value / 2, delay);
	page_put(&p->page, phc->name, "system clock minus this: %s; right within %s",
		 format_reading_ns(p, &phc->sys_minus_phc_ns, value), delay);
	if (phc->problem[0])
		page_put(&p->page, "", "%s", phc->problem);
}

/* Whose own word it is stands beside what was measured. */
static void put_phc2sys(struct sheet *p)
{
	const struct status_phc2sys *s = &p->s->phc2sys;
	char value[VALUE_BYTES];

	if (!s->wanted)
		return;
	if (!s->open)
		page_put(&p->page, "  phc2sys", "held back: %s", s->reason);
	else
		page_put(&p->page, "  phc2sys", "claims %s; %s is %" PRId64 " s ahead of UTC%s%s",
			 format_reading_ns(p, &s->offset_ns, value), s->phc, s->utc_offset_s,
			 s->reason[0] ? "; now " : "", s->reason);
}

/* -- latency ----------------------------------------------------------------------------- */

/* From left to right, so that what a narrow screen has no room for goes last. */
static const struct {
	const char *title;
	int width;
} cpu_columns[] = {
	{"cpu", -4},         {"min", 8},       {"avg", 8},      {"max", 9},
	{"last minute", 12}, {"wake-ups", 11}, {"overflow", 9}, {"missed", 8},
};

enum { N_CPU_COLUMNS = sizeof(cpu_columns) / sizeof(cpu_columns[0]) };
enum { CPU_CELL_MAX = NSEC_TEXT_MAX };

static size_t columns_that_fit(const struct sheet *p)
{
	size_t at = PAGE_LABEL_COLUMNS;
	size_t n = 0;

	while (n < N_CPU_COLUMNS && (at += (size_t)abs(cpu_columns[n].width)) <= p->page.columns)
		n++;
	return n;
}

static void put_cells(struct sheet *p, const char *label, char cells[][CPU_CELL_MAX])
{
	size_t n = columns_that_fit(p);
	char line[PAGE_LINE_MAX] = "";
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%*s", cpu_columns[i].width,
					cells[i]);
	page_put(&p->page, label, "%s", line);
}

static void put_cpu(struct sheet *p, const char *name, const struct status_cpu *c)
{
	char cells[N_CPU_COLUMNS][CPU_CELL_MAX];
	size_t i = 0;

	(void)snprintf(cells[i++], CPU_CELL_MAX, "%s", name);
	(void)format_us(c->min_ns, cells[i++]);
	(void)format_us(c->avg_ns, cells[i++]);
	(void)format_us(c->max_ns, cells[i++]);
	(void)format_us(c->last_max_ns, cells[i++]);
	(void)snprintf(cells[i++], CPU_CELL_MAX, "%" PRIu64, c->count);
	(void)snprintf(cells[i++], CPU_CELL_MAX, "%" PRIu64, c->overflow);
	(void)snprintf(cells[i++], CPU_CELL_MAX, "%" PRIu64, c->missed);
	put_cells(p, "", cells);
}

static void put_titles(struct sheet *p)
{
	char cells[N_CPU_COLUMNS][CPU_CELL_MAX];

	for (size_t i = 0; i < N_CPU_COLUMNS; i++)
		(void)snprintf(cells[i], CPU_CELL_MAX, "%s", cpu_columns[i].title);
	put_cells(p, "latency us", cells);
}

static void put_one_cpu(struct sheet *p, const struct status_cpu *c)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "%u", c->cpu);
	put_cpu(p, name, c);
}

/* All CPUs as one; its last minute is unknown as soon as one of theirs is. */
static struct status_cpu sum_cpus(const struct status *s)
{
	struct status_cpu all = s->cpus[0];
	double total_ns = 0;

	all.count = all.overflow = all.missed = 0;
	for (size_t i = 0; i < s->n_cpus; i++) {
		const struct status_cpu *c = &s->cpus[i];

		all.count += c->count;
		all.overflow += c->overflow;
		all.missed += c->missed;
		if (c->last_max_ns == SAMPLE_UNKNOWN || all.last_max_ns == SAMPLE_UNKNOWN)
			all.last_max_ns = SAMPLE_UNKNOWN;
		else if (c->last_max_ns > all.last_max_ns)
			all.last_max_ns = c->last_max_ns;
		if (!c->count)
			continue;
		total_ns += (double)c->avg_ns * (double)c->count;
		if (all.min_ns == SAMPLE_UNKNOWN || c->min_ns < all.min_ns)
			all.min_ns = c->min_ns;
		if (c->max_ns > all.max_ns) /* SAMPLE_UNKNOWN is less than any */
			all.max_ns = c->max_ns;
	}
	all.avg_ns = all.count ? (int64_t)(total_ns / (double)all.count) : SAMPLE_UNKNOWN;
	return all;
}

/* The n CPUs with the longest maximum, worst first. */
static void put_worst_cpus(struct sheet *p, size_t n)
{
	const struct status *s = p->s;
	bool shown[STATUS_CPUS_MAX] = {false};

	while (n-- > 0) {
		size_t worst = STATUS_CPUS_MAX;

		for (size_t i = 0; i < s->n_cpus; i++)
			if (!shown[i] &&
			    (worst == STATUS_CPUS_MAX || s->cpus[i].max_ns > s->cpus[worst].max_ns))
				worst = i;
		shown[worst] = true;
		put_one_cpu(p, &s->cpus[worst]);
	}
}

/* What is not zero must not go with its column. */
static void put_dropped(struct sheet *p)
{
	struct status_cpu all = sum_cpus(p->s);

	if (columns_that_fit(p) < N_CPU_COLUMNS && (all.overflow || all.missed))
		page_put(&p->page, "", "overflow %" PRIu64 ", missed %" PRIu64, all.overflow,
			 all.missed);
}

static void put_latency(struct sheet *p)
{
	const struct status *s = p->s;
	size_t rows = CPU_ROWS + (p->rows > FULL_ROWS ? p->rows - FULL_ROWS : 0);
	struct status_cpu all;

	if (!s->n_cpus) {
		page_put(&p->page, "latency", "not measured");
	} else {
		put_titles(p);
		if (s->n_cpus <= rows) {
			for (size_t i = 0; i < s->n_cpus; i++)
				put_one_cpu(p, &s->cpus[i]);
		} else {
			all = sum_cpus(s);
			put_cpu(p, "all", &all);
			put_worst_cpus(p, rows - 1);
		}
		put_dropped(p);
	}
	if (s->realtime_problem[0])
		page_put(&p->page, "", "NOT REAL-TIME: %s", s->realtime_problem);
	else if (s->n_cpus && s->n_cpus > rows)
		page_put(&p->page, "", "worst of %zu CPUs; idle states: %s", s->n_cpus,
			 s->idle_states[0] ? s->idle_states : "unknown");
	else if (s->n_cpus)
		page_put(&p->page, "", "idle states: %s",
			 s->idle_states[0] ? s->idle_states : "unknown");
}

/* -- children ---------------------------------------------------------------------------- */

static bool is_troubled(const struct status_child *c)
{
	return c->state != CHILD_UP || !c->schedule_ok || c->problem[0];
}

static void put_child(struct sheet *p, const char *label, const struct status_child *c)
{
	/* a long story is told once */
	bool told = strlen(c->problem) > LINE_PROBLEM_MAX && strstr(p->why, c->problem);
	char since[NSEC_TEXT_MAX] = "";
	char priority[24] = "";

	if (c->started_mono_ns && c->pid)
		(void)age_of(p, c->started_mono_ns, since);
	if (c->priority && c->policy[0])
		(void)snprintf(priority, sizeof(priority), " %" PRId64, c->priority);
	page_put(&p->page, label, "%-10s %s%s%s, %s%s%s%s, %" PRIu32 " start%s%s%s", c->name,
		 child_state_name(c->state), since[0] ? " " : "", since,
		 c->policy[0] ? c->policy : "schedule unknown", priority,
		 c->cpus[0] ? ", cpus " : "", c->cpus, c->starts, c->starts == 1 ? "" : "s",
		 c->problem[0] ? ": " : "", told ? "see above" : c->problem);
}

/* Lines that put_audit() takes: none while there is nothing wrong. */
static size_t audit_lines(const struct status *s)
{
	size_t trouble = s->audit.findings[0].kind == AUDIT_STARVED ? 2 : 1;

	return (audit_has_trouble(&s->audit) ? trouble : 0) + (s->audit.problem[0] ? 2 : 0) +
	       s->rt_throttling.fired;
}

static void put_outranked(struct sheet *p, const struct audit *a)
{
	const struct audit_finding *f = &a->findings[0]; /* the gravest */
	size_t n = audit_count(a, AUDIT_ABOVE) + audit_count(a, AUDIT_STARVED);
	char more[48] = "";

	if (n > 1)
		(void)snprintf(more, sizeof(more), "; %zu more", n - 1);
	if (f->kind == AUDIT_ABOVE)
		page_put(&p->page, "audit",
			 "%.15s/%" PRId64 " %s %" PRId64 " on CPU %" PRId64 " is above %s%s",
			 f->name, f->tid, f->policy, f->priority, f->last_cpu, a->subject, more);
	else
		page_put(&p->page, "audit", "%.15s %s%s", f->name, f->text, more);
}

/* What the audit and the kernel's throttling have to say. */
static void put_audit(struct sheet *p)
{
	const struct status *s = p->s;

	if (audit_has_trouble(&s->audit))
		put_outranked(p, &s->audit);
	if (s->audit.problem[0])
		page_put(&p->page, "audit", "%s", s->audit.problem);
	if (s->rt_throttling.fired)
		page_put(&p->page, "throttled",
			 "the kernel stopped real-time threads: over %.0f %% of a CPU",
			 100 * (double)s->rt_throttling.runtime_us /
				 (double)s->rt_throttling.period_us);
}

static void put_children(struct sheet *p)
{
	const struct status *s = p->s;
	size_t used = p->page.lines + TAIL_ROWS + audit_lines(s) +
		      1; /* the shell's prompt has the last row */
	size_t room = p->rows > used ? p->rows - used : 0;
	size_t left = 0;
	size_t first_line = p->page.lines;
	const char *label = "children";
	char age[NSEC_TEXT_MAX];

	if (status_parent_is_silent(s)) {
		page_put(&p->page, label, "as the parent said, which was last heard %s ago:",
			 age_of(p, s->parent_mono_ns, age));
		label = "";
	}
	if (!s->n_children)
		page_put(&p->page, label, "none");
	for (size_t i = 0; i < s->n_children; i++)
		left += !status_child_is_held(s, &s->children[i]); /* its own line tells of that */
	/* where not all fit, those in trouble come first and the others become a number */
	for (int troubled = 1; troubled >= 0; troubled--)
		for (size_t i = 0; i < s->n_children; i++) {
			bool cut = s->n_children > room && p->page.lines - first_line + 1 >= room;

			if (is_troubled(&s->children[i]) != troubled || (cut && !troubled) ||
			    status_child_is_held(s, &s->children[i]))
				continue;
			put_child(p, label, &s->children[i]);
			label = "";
			left--;
		}
	if (left)
		page_put(&p->page, label, "%zu%s up and scheduled as asked", left,
			 left == s->n_children ? "" : " more");
}

/* What programs complained of, where there is room; what to do stands in the event. */
static void put_complaints(struct sheet *p)
{
	const struct status *s = p->s;
	size_t room = p->rows > FULL_ROWS ? p->rows - FULL_ROWS : 0;
	size_t shown;
	char age[NSEC_TEXT_MAX];

	if (room == 0)
		return;
	shown = s->n_complaints > room ? room - 1 : s->n_complaints;
	for (size_t i = 0; i < shown; i++) {
		const struct status_complaint *c = &s->complaints[i];

		page_put(&p->page, i ? "" : "told", "%s: %s, %" PRIu64 " time%s, last %s ago",
			 c->name, c->code, c->count, c->count == 1 ? "" : "s",
			 age_of(p, c->mono_ns, age));
	}
	if (shown < s->n_complaints)
		page_put(&p->page, "", "and %zu more: see --json", s->n_complaints - shown);
}

/* -- the rest ---------------------------------------------------------------------------- */

static void put_record(struct sheet *p)
{
	const struct status_record *r = &p->s->record;
	char flushed[64] = "no flush yet";
	char age[NSEC_TEXT_MAX];

	if (r->flushed_mono_ns)
		(void)snprintf(flushed, sizeof(flushed), "flushed %s ago",
			       age_of(p, r->flushed_mono_ns, age));
	page_put(&p->page, "record",
		 "run %" PRId64 ", %" PRIu64 " rows, %s, %" PRIu64 " queued, %" PRIu64 " dropped",
		 r->run, r->samples, flushed, r->queued, r->dropped);
	page_put(&p->page, "", "%s", r->path[0] ? r->path : "no database");
}

static void put_phase(struct sheet *p)
{
	const struct status *s = p->s;
	char age[NSEC_TEXT_MAX];

	if (!s->phase[0])
		page_put(&p->page, "phase", "none");
	else if (s->phase_since_mono_ns)
		page_put(&p->page, "phase", "%s for %s", s->phase,
			 age_of(p, s->phase_since_mono_ns, age));
	else
		page_put(&p->page, "phase", "%s", s->phase);
}

static void put_cost(struct sheet *p)
{
	const struct status *s = p->s;
	int64_t up_ns = s->taken_mono_ns - s->started_mono_ns;
	double percent = up_ns > 0 ? 100 * (double)s->cost.cpu_ns / (double)up_ns : 0;

	page_put(&p->page, "cost", "%.1f %% of one CPU, %.1f MiB, %" PRIu64 " requests to ptp4l",
		 percent, (double)s->cost.rss_bytes / (1024 * 1024), s->cost.requests);
}

static void put_verdict(struct sheet *p, bool colour)
{
	static const struct {
		const char *word, *colour;
	} looks[STATUS_VERDICT_MAX] = {
		[STATUS_GOOD] = {"GOOD", "\033[1;32m"},
		[STATUS_BAD] = {"BAD", "\033[1;31m"},
		[STATUS_UNKNOWN] = {"UNKNOWN", "\033[1;33m"},
	};
	const struct status *s = p->s;
	char up[NSEC_TEXT_MAX];
	char utc[NSEC_TEXT_MAX];

	strbuf_addf(&p->page.out, "%s%s%s%*s", colour ? looks[p->verdict].colour : "",
		    looks[p->verdict].word, colour ? "\033[0m" : "",
		    PAGE_LABEL_COLUMNS - (int)strlen(looks[p->verdict].word), "");
	page_put_words(&p->page, p->why);
	/* the time is one word, so that it is not torn */
	page_put(&p->page, "", "host %s, role %s%s%s, up %s, %.19sZ", s->host, s->role,
		 s->label[0] ? ", label " : "", s->label, age_of(p, s->started_mono_ns, up),
		 nsec_format_utc(s->taken_utc_ns, utc));
}

char *status_to_text(const struct status *s, const struct status_screen *screen)
{
	struct sheet p = {.page.columns = screen->columns, .s = s, .rows = screen->rows};

	p.verdict = status_judge(s, p.why);
	put_verdict(&p, screen->colour);
	page_end_line(&p.page);
	put_alarms(&p);
	put_ports(&p);
	for (size_t i = 0; i < s->n_phcs; i++)
		put_phc(&p, &s->phcs[i]);
	put_phc2sys(&p);
	put_latency(&p);
	put_children(&p);
	put_complaints(&p);
	put_audit(&p);
	put_record(&p);
	put_phase(&p);
	put_cost(&p);
	return strbuf_steal(&p.page.out);
}
