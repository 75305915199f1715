/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The newest events of the run: kept in memory for who asks, told to who watches. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/recorder/state.h"
#include "ptpmon/report/event_json.h"
#include "ptpmon/store/query.h"

DEFINE_FREEP(struct query, query_free)

static struct recent_event *keep(struct recorder *rec)
{
	return &rec->events[rec->n_events++ % CONTROL_EVENTS_MAX];
}

static json_t *to_json(const struct recorder *rec, const struct recent_event *r)
{
	const struct event_line line = {
		.run = store_run_id(rec->record.store),
		.mono_ns = r->event.mono_ns,
		.utc_ns = r->utc_ns,
		.severity = r->event.severity,
		.code = event_code_name(r->event.code),
		.subject = r->event.subject,
		.text = r->event.text,
		.detail = r->event.detail,
	};

	return event_line_to_json(&line);
}

void recorder_note_event(void *userdata, const struct event *e)
{
	struct recorder *rec = userdata;
	const struct clock_anchor *a = &rec->record.anchor;
	struct recent_event *r = keep(rec);

	*r = (struct recent_event){*e, TIME_UNKNOWN};
	if (a->mono_ns)
		r->utc_ns = e->mono_ns - a->mono_ns + a->utc_ns;
	if (rec->control && control_is_watched(rec->control))
		control_tell_event(rec->control, to_json(rec, r));
}

/* What the recorder before this one had written. */
struct reload {
	struct recorder *rec;
	const struct clock_anchor *anchors;
	size_t n_anchors;
};

static int on_recorded(void *userdata, const struct query_event *q)
{
	const struct reload *reload = userdata;
	struct recent_event r = {
		.event = {.mono_ns = q->mono_ns, .code = q->code, .severity = q->severity},
		.utc_ns = timemap_to_utc(reload->anchors, reload->n_anchors, q->mono_ns),
	};

	if (q->code == EVENT_CODE_MAX)
		return 0;
	(void)snprintf(r.event.subject, sizeof(r.event.subject), "%s", q->subject);
	(void)snprintf(r.event.text, sizeof(r.event.text), "%s", q->text);
	(void)snprintf(r.event.detail, sizeof(r.event.detail), "%s", q->detail);
	*keep(reload->rec) = r;
	return 0;
}

void recorder_reload_events(struct recorder *rec)
{
	CLEANUP(query_freep) struct query *q = NULL;
	struct reload reload = {.rec = rec};
	char why[QUERY_ERROR_MAX];
	char run[24];

	if (rec->record.resumed_from_mono_ns == TIME_UNKNOWN)
		return;
	(void)snprintf(run, sizeof(run), "%" PRId64, store_run_id(rec->record.store));
	if (query_open(&q, store_path(rec->record.store), run, why) < 0)
		return;
	reload.anchors = query_anchors(q, &reload.n_anchors);
	(void)query_visit_events(q, INT64_MIN, INT64_MAX, on_recorded, &reload);
}

static bool passes(const struct control_filter *f, const struct recent_event *r)
{
	bool early = f->since_utc_ns != INT64_MIN &&
		     (r->utc_ns == TIME_UNKNOWN || r->utc_ns < f->since_utc_ns);

	return !early && r->utc_ns <= f->until_utc_ns && r->event.severity >= f->severity;
}

json_t *recorder_list_events(void *userdata, const struct control_filter *filter)
{
	const struct recorder *rec = userdata;
	size_t kept = rec->n_events < CONTROL_EVENTS_MAX ? rec->n_events : CONTROL_EVENTS_MAX;
	size_t first = rec->n_events;
	size_t found = 0;
	json_t *list = json_array();

	/* back to the oldest that is wanted, then forward */
	for (size_t i = 1; i <= kept && found < filter->limit; i++)
		if (passes(filter, &rec->events[(rec->n_events - i) % CONTROL_EVENTS_MAX])) {
			first = rec->n_events - i;
			found++;
		}
	for (size_t i = first; i < rec->n_events; i++) {
		const struct recent_event *r = &rec->events[i % CONTROL_EVENTS_MAX];

		if (passes(filter, r))
			(void)json_array_append_new(list, to_json(rec, r));
	}
	return list;
}
