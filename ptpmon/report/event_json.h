/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/event_json.h: an event as JSON, schema ptpmon.event/1, wherever it comes from: the
 * record, or the service as it happens.
 */
#pragma once
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "ptpmon/model/event.h"

struct event_line {
	int64_t run, mono_ns;
	int64_t utc_ns; /* TIME_UNKNOWN: not known */
	enum severity severity;
	const char *code, *subject, *text;
	const char *detail; /* a JSON object, or "" */
};

/* A new reference; NULL without memory. What a terminal must not see is cleaned. */
json_t *event_line_to_json(const struct event_line *e);

/*
 * The same line that event_line_print() makes of it, from JSON that a service sent. Strings point
 * into json; detail is "". 0, or -EBADMSG.
 */
int event_line_from_json(struct event_line *out, const json_t *json);

/* "2026-03-01 22:00:00.123  warning  text" for people. 0, or -EIO. */
int event_line_print(const struct event_line *e, FILE *out);
