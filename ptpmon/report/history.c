/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/history.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int history_add_port(struct history *h, const char *port)
{
	struct port_history *bigger;

	if (history_port(h, port))
		return 0;
	bigger = reallocarray(h->ports, h->n + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	h->ports = bigger;
	bigger[h->n] = (struct port_history){.since_ns = h->start_ns};
	(void)snprintf(bigger[h->n].port, sizeof(bigger[h->n].port), "%s", port);
	h->n++;
	return 0;
}

const struct port_history *history_port(const struct history *h, const char *port)
{
	for (size_t i = 0; i < h->n; i++)
		if (strcmp(h->ports[i].port, port) == 0)
			return &h->ports[i];
	return NULL;
}

/* A time in an event's detail: a decimal string, since a JSON number is exact only to 2^53. */
static int64_t detail_time(const json_t *detail, const char *key, int64_t otherwise_ns)
{
	const char *text = json_string_value(json_object_get(detail, key));
	char *end;
	long long ns;

	if (!text)
		return otherwise_ns;
	errno = 0;
	ns = strtoll(text, &end, 10);
	return errno || end == text || *end ? otherwise_ns : ns;
}

/* From mono_ns on it is `lock`; what was noted later than that is taken back. */
static int change(struct port_history *p, int64_t mono_ns, enum port_lock lock)
{
	int r = 0;

	if (mono_ns < p->since_ns)
		mono_ns = p->since_ns;
	if (p->lock == PORT_SLAVE)
		r = spans_add(&p->slave, p->since_ns, mono_ns);
	else if (p->lock == PORT_UNKNOWN)
		r = spans_add(&p->unknown, p->since_ns, mono_ns);
	p->lock = lock;
	p->since_ns = mono_ns;
	return r;
}

static int on_port_state(struct port_history *p, int64_t mono_ns, const json_t *detail)
{
	const char *state = json_string_value(json_object_get(detail, "state"));
	enum port_lock lock = !state                        ? PORT_UNKNOWN
			      : strcmp(state, "SLAVE") == 0 ? PORT_SLAVE
							    : PORT_OTHER;

	p->changes++;
	p->silent = PORT_UNKNOWN;
	return change(p, mono_ns, lock);
}

static int on_silent(struct port_history *p, int64_t mono_ns, const json_t *detail)
{
	if (p->lock != PORT_UNKNOWN)
		p->silent = p->lock;
	return change(p, detail_time(detail, "from_mono_ns", mono_ns), PORT_UNKNOWN);
}

/* A state that changed during the silence has been told by a port-state of its own. */
static int on_back(struct port_history *p, int64_t mono_ns, const json_t *detail)
{
	enum port_lock before = p->silent;

	(void)detail;
	p->silent = PORT_UNKNOWN;
	return before == PORT_UNKNOWN ? 0 : change(p, mono_ns, before);
}

/* Nothing is known from its beginning on, unless a state was told after its end. */
static int on_gap(struct port_history *p, int64_t mono_ns, const json_t *detail)
{
	if (p->since_ns >= detail_time(detail, "to_mono_ns", mono_ns))
		return 0;
	p->silent = PORT_UNKNOWN;
	return change(p, detail_time(detail, "from_mono_ns", mono_ns), PORT_UNKNOWN);
}

int history_event(struct history *h, enum event_code code, int64_t mono_ns, const char *subject,
		  const char *detail)
{
	static int (*const handlers[EVENT_CODE_MAX])(struct port_history *, int64_t,
						     const json_t *) = {
		[EVENT_PORT_STATE] = on_port_state,
		[EVENT_SOURCE_SILENT] = on_silent,
		[EVENT_SOURCE_BACK] = on_back,
		[EVENT_GAP] = on_gap,
	};
	json_auto_t *object = NULL;
	int r = 0;

	if (!handlers[code])
		return 0;
	object = detail ? json_loads(detail, 0, NULL) : NULL;
	if (code == EVENT_PORT_STATE)
		r = history_add_port(h, subject);
	if (code == EVENT_GAP && !*subject && r == 0)
		r = spans_add(&h->gaps, detail_time(object, "from_mono_ns", mono_ns),
			      detail_time(object, "to_mono_ns", mono_ns));
	for (size_t i = 0; i < h->n && r == 0; i++)
		if (strcmp(h->ports[i].port, subject) == 0 || (code == EVENT_GAP && !*subject))
			r = handlers[code](&h->ports[i], mono_ns, object);
	return r;
}

int history_end(struct history *h, int64_t end_ns)
{
	int r = 0;

	for (size_t i = 0; i < h->n && r == 0; i++)
		r = change(&h->ports[i], end_ns, PORT_UNKNOWN);
	return r;
}

void history_clear(struct history *h)
{
	for (size_t i = 0; i < h->n; i++) {
		spans_clear(&h->ports[i].slave);
		spans_clear(&h->ports[i].unknown);
	}
	free(h->ports);
	spans_clear(&h->gaps);
	*h = (struct history){0};
}
