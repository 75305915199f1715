/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/history.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool history_gap_concerns(const struct declared_gap *gap, const char *port)
{
	return !*gap->port || strcmp(gap->port, port) == 0;
}

int history_gap(struct history *h, int64_t mono_ns, const char *port, const char *detail)
{
	json_auto_t *object = json_loads(detail, 0, NULL);
	struct declared_gap gap = {
		.span.from_ns = detail_time(object, "from_mono_ns", mono_ns),
		.span.to_ns = detail_time(object, "to_mono_ns", mono_ns),
	};
	struct declared_gap *bigger;
	size_t at = h->n_gaps;

	if (gap.span.from_ns < h->start_ns)
		gap.span.from_ns = h->start_ns;
	if (gap.span.from_ns >= gap.span.to_ns)
		return 0;
	bigger = reallocarray(h->gaps, h->n_gaps + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	(void)snprintf(gap.port, sizeof(gap.port), "%s", port);
	for (; at > 0 && bigger[at - 1].span.from_ns > gap.span.from_ns; at--)
		bigger[at] = bigger[at - 1];
	bigger[at] = gap;
	h->gaps = bigger;
	h->n_gaps++;
	return 0;
}

/* From mono_ns on, or from when it was last told, it is `lock`. */
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

/* Gaps that begin by then take away what was known. */
static int begin_gaps(struct history *h, int64_t mono_ns)
{
	int r = 0;

	for (; h->begun < h->n_gaps && h->gaps[h->begun].span.from_ns <= mono_ns; h->begun++)
		for (size_t i = 0; i < h->n && r == 0; i++) {
			if (!history_gap_concerns(&h->gaps[h->begun], h->ports[i].port))
				continue;
			h->ports[i].silent = PORT_UNKNOWN;
			r = change(&h->ports[i], h->gaps[h->begun].span.from_ns, PORT_UNKNOWN);
		}
	return r;
}

static int on_port_state(struct port_history *p, int64_t mono_ns, const json_t *detail)
{
	const char *state = json_string_value(json_object_get(detail, "state"));
	enum port_lock lock = PORT_UNKNOWN;

	if (state)
		lock = strcmp(state, "SLAVE") == 0 ? PORT_SLAVE : PORT_OTHER;
	p->silent = PORT_UNKNOWN;
	return change(p, mono_ns, lock);
}

/* What was told after the source's last word, in answer to another question, stays. */
static int on_silent(struct port_history *p, int64_t mono_ns, const json_t *detail)
{
	int64_t from_ns = detail_time(detail, "from_mono_ns", mono_ns);

	if (p->lock == PORT_UNKNOWN || p->since_ns > from_ns)
		return 0;
	p->silent = p->lock;
	return change(p, from_ns, PORT_UNKNOWN);
}

/* A state that changed during the silence has been told by a port-state of its own. */
static int on_back(struct port_history *p, int64_t mono_ns, const json_t *detail)
{
	enum port_lock before = p->silent;

	(void)detail;
	p->silent = PORT_UNKNOWN;
	return before == PORT_UNKNOWN ? 0 : change(p, mono_ns, before);
}

int history_event(struct history *h, enum event_code code, int64_t mono_ns, const char *subject,
		  const char *detail)
{
	static int (*const handlers[EVENT_CODE_MAX])(struct port_history *, int64_t,
						     const json_t *) = {
		[EVENT_PORT_STATE] = on_port_state,
		[EVENT_SOURCE_SILENT] = on_silent,
		[EVENT_SOURCE_BACK] = on_back,
	};
	json_auto_t *object = NULL;
	int r = 0;

	if (!handlers[code])
		return 0;
	object = json_loads(detail, 0, NULL);
	if (code == EVENT_PORT_STATE)
		r = history_add_port(h, subject);
	if (r == 0)
		r = begin_gaps(h, mono_ns);
	for (size_t i = 0; i < h->n && r == 0; i++)
		if (strcmp(h->ports[i].port, subject) == 0)
			r = handlers[code](&h->ports[i], mono_ns, object);
	return r;
}

int history_end(struct history *h, int64_t end_ns)
{
	int r = begin_gaps(h, end_ns);

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
	free(h->gaps);
	*h = (struct history){0};
}
