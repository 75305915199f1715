/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/event_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/timemap.h"
#include "ptpmon/report/clean.h"
#include "ptpmon/report/figure.h"

#define SCHEMA "ptpmon.event/1"

json_t *event_line_to_json(const struct event_line *e)
{
	char text[512];
	char subject[128];
	char code[64];
	char utc[NSEC_TEXT_MAX];

	CLEAN(text, e->text);
	CLEAN(subject, e->subject);
	CLEAN(code, e->code);
	return json_pack("{ss sI so so ss ss ss ss so*}", "schema", SCHEMA, "run",
			 (json_int_t)e->run, "utc",
			 e->utc_ns == TIME_UNKNOWN ? json_null()
						   : json_string(nsec_format_utc(e->utc_ns, utc)),
			 "mono_ns", json_sprintf("%" PRId64, e->mono_ns), "severity",
			 severity_name(e->severity), "code", code, "subject", subject, "text", text,
			 "detail", *e->detail ? json_loads(e->detail, 0, NULL) : NULL);
}

static enum severity parse_severity(const char *name)
{
	enum severity s = 0;

	while (s < SEVERITY_MAX && strcmp(severity_name(s), name) != 0)
		s++;
	return s < SEVERITY_MAX ? s : SEVERITY_INFO;
}

int event_line_from_json(struct event_line *out, const json_t *json)
{
	const char *schema = json_string_value(json_object_get(json, "schema"));
	const char *mono = json_string_value(json_object_get(json, "mono_ns"));
	const char *severity = json_string_value(json_object_get(json, "severity"));
	const json_t *utc = json_object_get(json, "utc");
	struct event_line e = {
		.run = json_integer_value(json_object_get(json, "run")),
		.utc_ns = TIME_UNKNOWN,
		.code = json_string_value(json_object_get(json, "code")),
		.subject = json_string_value(json_object_get(json, "subject")),
		.text = json_string_value(json_object_get(json, "text")),
		.detail = "",
	};
	char *end;

	if (!schema || strcmp(schema, SCHEMA) != 0 || !mono || !severity || !e.code || !e.subject ||
	    !e.text)
		return -EBADMSG;
	errno = 0;
	e.mono_ns = strtoll(mono, &end, 10);
	if (end == mono || *end || errno)
		return -EBADMSG;
	if (json_is_string(utc) && nsec_parse_utc(json_string_value(utc), &e.utc_ns) < 0)
		return -EBADMSG;
	e.severity = parse_severity(severity);
	*out = e;
	return 0;
}

int event_line_print(const struct event_line *e, FILE *out)
{
	char text[512];
	char utc[FIGURE_MAX] = "-";

	CLEAN(text, e->text);
	if (e->utc_ns != TIME_UNKNOWN)
		(void)figure_utc(e->utc_ns, utc);
	if (fprintf(out, "%-24s  %-7s  %s\n", utc, severity_name(e->severity), text) < 0)
		return -(errno ?: EIO);
	return 0;
}
