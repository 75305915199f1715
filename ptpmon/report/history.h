/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/history.h: when each port was SLAVE, and when its state is not known.
 *
 * Made of events in mono_ns order, after the gaps, which are told only when they are over. A
 * port's state is unknown from the start until the first `port-state` tells it, while its source
 * is silent, and from the beginning of a gap until the next `port-state`: no state outlives its
 * data. Read from an event's detail:
 *
 *	port-state     {"state": "SLAVE"}
 *	gap            {"from_mono_ns": "123", "to_mono_ns": "456"}
 *	source-silent  {"from_mono_ns": "123"}; without it, from the event on
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/event.h"
#include "ptpmon/report/spans.h"

enum port_lock { PORT_UNKNOWN, PORT_SLAVE, PORT_OTHER };

struct port_history {
	char port[sizeof(((struct series *)0)->subject)];
	enum port_lock lock;   /* since since_ns … */
	enum port_lock silent; /* … and, while its source is silent, what it was before */
	int64_t since_ns;
	struct spans slave, unknown;
};

struct declared_gap {
	struct report_span span;
	char port[sizeof(((struct series *)0)->subject)]; /* "": all of them */
};

struct history {
	int64_t start_ns;
	size_t n, n_gaps;
	struct port_history *ports;
	struct declared_gap *gaps; /* by their beginning */
	size_t begun;              /* of these, what has begun by the last event */
};

/*
 * A gap that an event at mono_ns declares; all of them before the first event. One that is empty,
 * or whose detail tells no times, is none. 0 or -ENOMEM.
 */
int history_gap(struct history *h, int64_t mono_ns, const char *port, const char *detail);

/* Adds a port, unknown from history.start_ns on, unless it is there. 0 or -ENOMEM. */
int history_add_port(struct history *h, const char *port);

/* Events that say nothing of a port's state are ignored. 0 or -ENOMEM. */
int history_event(struct history *h, enum event_code code, int64_t mono_ns, const char *subject,
		  const char *detail);

/* Nothing happens after end_ns. 0 or -ENOMEM. */
int history_end(struct history *h, int64_t end_ns);

/* NULL if there is none of that name. */
const struct port_history *history_port(const struct history *h, const char *port);

/* Is that gap one of this port's? */
bool history_gap_concerns(const struct declared_gap *gap, const char *port);

/* Frees what it holds; for CLEANUP(). */
void history_clear(struct history *h);
