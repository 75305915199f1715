// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/report/status_sheet.h"

enum { PORT_ROWS = 6 };

static const char *format_state(const struct sheet *p, const struct status_port *port,
				char out[static SHEET_VALUE_MAX])
{
	char age[NSEC_TEXT_MAX];

	if (!port->state.known)
		return sheet_unknown(p, &port->state, out);
	if (port->state_since_mono_ns)
		(void)snprintf(out, SHEET_VALUE_MAX, "%s for %s",
			       ptp_port_state_name((unsigned)port->state.value),
			       sheet_age(p, port->state_since_mono_ns, age));
	else
		(void)snprintf(out, SHEET_VALUE_MAX, "%s",
			       ptp_port_state_name((unsigned)port->state.value));
	return out;
}

/* "class 248, accuracy 100 ns, INTERNAL_OSCILLATOR, 1 step away" */
static const char *format_clock(const struct status_port *port, char out[static SHEET_VALUE_MAX])
{
	char class[32] = "unknown";
	char steps[48] = "";

	if (port->clock_class.known)
		(void)snprintf(class, sizeof(class), "%" PRId64, port->clock_class.value);
	if (port->steps_removed.known && port->steps_removed.value > 0)
		(void)snprintf(steps, sizeof(steps), ", %" PRId64 " step%s away",
			       port->steps_removed.value,
			       port->steps_removed.value == 1 ? "" : "s");
	(void)snprintf(out, SHEET_VALUE_MAX, "class %s, accuracy %s, source %s%s", class,
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
			 sheet_known(w->p50_ns, p50), sheet_known(w->p99_ns, p99),
			 sheet_known(w->max_ns, max), w->count);
}

/* A grandmaster has itself as its grandmaster. */
static const char *format_grandmaster(const struct status_port *port,
				      char out[static SHEET_VALUE_MAX])
{
	bool itself = port->grandmaster[0] && strcmp(port->grandmaster, port->clock_identity) == 0;

	(void)snprintf(out, SHEET_VALUE_MAX, "%s %s", itself ? "is grandmaster" : "grandmaster",
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
	char off[SHEET_VALUE_MAX] = "";
	char source[48] = "";

	if (!s->utc_offset_s.mono_ns) /* never heard of */
		return;
	if (!s->utc_offset_s.known) {
		page_put(&p->page, "  time", "%s", sheet_unknown(p, &s->utc_offset_s, off));
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
		(void)sheet_reading_ns(p, &s->phc_error_ns, off);
	page_put(&p->page, "", "CLOCK_REALTIME %s%s%s", s->realtime, *off ? "; PHC off by " : "",
		 off);
}

static void put_delay(struct sheet *p, const struct status_port *port)
{
	char delay[SHEET_VALUE_MAX];
	char interval[NSEC_TEXT_MAX];
	char each[64] = "syncs";

	if (port->sync_interval_ns.known)
		(void)snprintf(each, sizeof(each), "a sync each %s",
			       nsec_format_offset(port->sync_interval_ns.value, interval));
	page_put(&p->page, "  delay", "%s; %s: %" PRIu64 " seen, %" PRIu64 " missed",
		 sheet_reading_ns(p, &port->mean_path_delay_ns, delay), each, port->updates,
		 port->missed);
}

static void put_port(struct sheet *p, const struct status_port *port)
{
	char state[SHEET_VALUE_MAX];
	char text[SHEET_VALUE_MAX];

	page_put(&p->page, port->name, "%s, %s, %s", format_state(p, port, state),
		 format_link(port), format_grandmaster(port, text));
	page_put(&p->page, "", "%s", format_clock(port, text));
	put_scale(p, &port->scale);
	if (status_port_has_offset(port)) {
		page_put(&p->page, "  offset", "%s", sheet_reading_ns(p, &port->offset_ns, text));
		put_last_minute(p, &port->last_minute);
		put_delay(p, port);
	}
	page_put(&p->page, "  socket", "pmc -u -s %s", port->socket);
	if (port->problem[0] && !strstr(p->why, port->problem))
		page_put(&p->page, "", "%s", port->problem);
}

static void put_port_line(struct sheet *p, const struct status_port *port)
{
	char state[SHEET_VALUE_MAX];
	char offset[SHEET_VALUE_MAX];
	char p99[NSEC_TEXT_MAX];
	char max[NSEC_TEXT_MAX];

	if (status_port_has_offset(port) && port->state.known)
		page_put(&p->page, port->name, "%s, offset %s; minute 99 %% %s, max %s",
			 ptp_port_state_name((unsigned)port->state.value),
			 sheet_reading_ns(p, &port->offset_ns, offset),
			 sheet_known(port->last_minute.p99_ns, p99),
			 sheet_known(port->last_minute.max_ns, max));
	else
		page_put(&p->page, port->name, "%s, %s", format_state(p, port, state),
			 format_link(port));
}

void sheet_put_ports(struct sheet *p)
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
