/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events: counted, listed where a port changed its state, and made a history of port states. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/report/building.h"
#include "ptpmon/report/clean.h"
#include "ptpmon/report/plot.h"

static int count_change(struct building *b, const struct query_event *e)
{
	struct report *r = b->report;

	for (size_t i = 0; i < r->n_offsets; i++)
		for (size_t c = 0; c < r->n_columns; c++)
			if (strcmp(r->offsets[i].series.subject, e->subject) == 0 &&
			    building_in_column(b, c, e->mono_ns))
				r->offsets[i].columns[c].state_changes++;
	if (r->n_changes < REPORT_LISTED_MAX) {
		struct report_state_change *change = &r->changes[r->n_changes];

		change->at = building_moment(b, e->mono_ns);
		CLEAN(change->port, e->subject);
		CLEAN(change->text, e->text);
	}
	r->n_changes++;
	return 0;
}

/* Is this event about that series? Without a subject it is about all of them. */
static bool concerns(const struct query_event *e, const struct series *s)
{
	return !*e->subject || strcmp(e->subject, s->subject) == 0;
}

static bool in_scope(const struct building *b, int64_t mono_ns)
{
	return mono_ns >= b->from_mono_ns && mono_ns < b->to_mono_ns;
}

/*
 * A gap in the record; or, with a number of updates, only that these were missed and that no
 * sample is there to tell it.
 */
static int on_gap(void *userdata, const struct query_event *e)
{
	struct building *b = userdata;
	struct report *r = b->report;
	json_auto_t *detail = NULL;
	json_int_t missed;

	if (e->code != EVENT_GAP)
		return 0;
	detail = json_loads(e->detail, 0, NULL);
	missed = json_integer_value(json_object_get(detail, "missed"));
	if (missed <= 0)
		return history_gap(&b->history, e->mono_ns, e->subject, e->detail);
	for (size_t i = 0; i < r->n_offsets; i++)
		for (size_t c = 0; c < r->n_columns; c++)
			if (concerns(e, &r->offsets[i].series) && in_scope(b, e->mono_ns) &&
			    building_in_column(b, c, e->mono_ns))
				r->offsets[i].columns[c].missed += (uint64_t)missed;
	return 0;
}

static void note_not_realtime(struct report_latency_series *s, const struct query_event *e)
{
	s->not_realtime = true;
	CLEAN(s->not_realtime_why, e->text);
}

static void note_conditions(struct report_latency_series *s, const struct query_event *e)
{
	json_auto_t *detail = json_loads(e->detail, 0, NULL);
	const json_t *held = json_object_get(detail, "idle_states_held");

	s->realtime_known = true;
	if (json_is_boolean(held))
		s->idle_states = json_is_true(held) ? REPORT_IDLE_HELD : REPORT_IDLE_ALLOWED;
}

static int on_event(void *userdata, const struct query_event *e)
{
	struct building *b = userdata;
	struct report *r = b->report;
	int ret;

	if (e->code == EVENT_CODE_MAX)
		return 0;
	/* conditions and states that were told before the scope began go on in it */
	for (size_t i = 0; i < r->n_latencies; i++) {
		if (!concerns(e, &r->latencies[i].series))
			continue;
		if (e->code == EVENT_NOT_REALTIME)
			note_not_realtime(&r->latencies[i], e);
		if (e->code == EVENT_NOT_REALTIME || e->code == EVENT_SAMPLER_CONDITIONS)
			note_conditions(&r->latencies[i], e);
	}
	ret = history_event(&b->history, e->code, e->mono_ns, e->subject, e->detail);
	if (ret < 0 || e->mono_ns < b->from_mono_ns)
		return ret;
	r->events[e->code]++;
	plot_event(r->plot, e->mono_ns, e->severity, e->text);
	return e->code == EVENT_PORT_STATE ? count_change(b, e) : 0;
}

static int list_marks(struct building *b)
{
	size_t n;
	const struct query_mark *marks = query_marks(b->query, &n);
	struct report *r = b->report;

	r->marks = calloc(n + 1, sizeof(*r->marks));
	if (!r->marks)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct report_mark *m = &r->marks[r->n_marks];

		if (!in_scope(b, marks[i].mono_ns))
			continue;
		m->at = building_moment(b, marks[i].mono_ns);
		CLEAN(m->text, marks[i].text);
		CLEAN(m->who, marks[i].who);
		r->n_marks++;
	}
	return 0;
}

int building_happenings(struct building *b)
{
	struct report *r = b->report;
	int ret = list_marks(b);

	b->history.start_ns = query_run(b->query)->start_mono_ns;
	r->changes = calloc(REPORT_LISTED_MAX, sizeof(*r->changes));
	if (!r->changes)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_offsets && ret == 0; i++)
		ret = history_add_port(&b->history, r->offsets[i].series.subject);
	if (ret == 0)
		ret = query_visit_events(b->query, INT64_MIN, INT64_MAX, on_gap, b);
	if (ret == 0)
		ret = query_visit_events(b->query, INT64_MIN, b->to_mono_ns, on_event, b);
	return ret < 0 ? ret : history_end(&b->history, b->to_mono_ns);
}
