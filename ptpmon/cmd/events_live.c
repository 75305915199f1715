// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/cmd/events_live.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/serve/control.h"

#define FIRST_WITHIN_NS (5 * NSEC_PER_SEC)
#define FOR_EVER_NS     (INT64_MAX / 2)

int events_live_open(struct events_live *l, const struct service *service,
		     char why[static VARLINK_WHY_MAX])
{
	json_auto_t *reply = NULL;
	int r = service_watch(service, "Watch",
			      json_pack("{sb si}", "status", false, "recent", CONTROL_EVENTS_MAX),
			      &l->stream, why);

	l->service = service;
	if (r == 0)
		r = varlink_stream_next(l->stream, FIRST_WITHIN_NS, &reply, why);
	if (r != 0) {
		l->stream = varlink_stream_free(l->stream);
		return r;
	}
	json_decref(l->recent);
	l->recent = json_incref(json_object_get(reply, "events"));
	return 0;
}

void events_live_close(struct events_live *l)
{
	l->stream = varlink_stream_free(l->stream);
	json_decref(l->recent);
	json_decref(l->given);
	l->recent = l->given = NULL;
}

/* The same moment, code and words: the same event. */
static bool is_in(const json_t *list, const struct event_line *line)
{
	size_t i;
	json_t *json;

	json_array_foreach(list, i, json)
	{
		struct event_line other;

		if (event_line_from_json(&other, json) == 0 && other.mono_ns == line->mono_ns &&
		    strcmp(other.code, line->code) == 0 && strcmp(other.text, line->text) == 0)
			return true;
	}
	return false;
}

bool events_live_has(const struct events_live *l, const struct event_line *line)
{
	return is_in(l->recent, line);
}

static int give_new(struct events_live *l, const json_t *list, events_live_fn give, void *userdata)
{
	size_t i;
	json_t *json;
	int r = 0;

	if (!l->given)
		l->given = json_array();
	json_array_foreach(list, i, json)
	{
		struct event_line line;

		if (event_line_from_json(&line, json) < 0 || is_in(l->given, &line))
			continue;
		r = give(userdata, json, &line);
		if (r < 0)
			break;
		(void)json_array_append(l->given, json);
		if (json_array_size(l->given) > CONTROL_EVENTS_MAX)
			(void)json_array_remove(l->given, 0);
	}
	return r;
}

int events_live_follow(struct events_live *l, events_live_fn give, void *userdata,
		       char why[static VARLINK_WHY_MAX])
{
	int r = give_new(l, l->recent, give, userdata);

	while (r == 0) {
		json_auto_t *reply = NULL;

		r = varlink_stream_next(l->stream, FOR_EVER_NS, &reply, why);
		if (r > 0 || r == -EPIPE)
			r = -ECONNRESET;
		if (r == 0)
			r = give_new(l, json_object_get(reply, "events"), give, userdata);
	}
	l->stream = varlink_stream_free(l->stream);
	return r;
}
