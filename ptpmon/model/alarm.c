/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/alarm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"

struct alarm_row {
	const char *name;
	enum alarm_unit unit;
	enum severity severity;
	bool low_is_bad;
	unsigned n, m;
	int64_t hold_before_ns, hold_ns;
	const char *meaning;
};

#define S NSEC_PER_SEC

/* clang-format off */
static const struct alarm_row rows[] = {
	[ALARM_OFFSET]       = { "offset", ALARM_NS, SEVERITY_ERROR, false, 3, 5, 0, 10 * S,
	                         "the offset of a locked port has the size of [limits] offset" },
	[ALARM_PHC]          = { "phc", ALARM_NS, SEVERITY_ERROR, false, 3, 5, 0, 10 * S,
	                         "the system clock is as far from the PHC as [limits] phc" },
	[ALARM_LATENCY]      = { "latency", ALARM_NS, SEVERITY_ERROR, false, 1, 1, 0, 10 * S,
	                         "the longest wake-up of a second is as late as [limits] latency" },
	[ALARM_SILENT]       = { "silent", ALARM_NS, SEVERITY_ERROR, false, 1, 1, 0, 0,
	                         "the newest offset is older than [limits] gap" },
	[ALARM_PORT_STATE]   = { "port-state", ALARM_NS, SEVERITY_ERROR, false, 1, 1, 0, 0,
	                         "a port has not been in the state of its role for [limits] port_state" },
	[ALARM_CHILD]        = { "child", ALARM_YES_NO, SEVERITY_ERROR, false, 1, 1, 2 * S, 2 * S,
	                         "a supervised program is not running" },
	[ALARM_SCHEDULE]     = { "schedule", ALARM_YES_NO, SEVERITY_ERROR, false, 1, 1, 0, 0,
	                         "policy, priority or CPUs of a program are not as asked" },
	[ALARM_NOT_REALTIME] = { "not-real-time", ALARM_YES_NO, SEVERITY_ERROR, false, 1, 1, 0, 0,
	                         "the latency sampler runs without real-time priority or locked memory" },
	[ALARM_STORE]        = { "store", ALARM_YES_NO, SEVERITY_ERROR, false, 1, 1, 0, 0,
	                         "the database cannot be written" },
	[ALARM_DISK]         = { "disk", ALARM_BYTES, SEVERITY_WARNING, true, 1, 1, 0, 10 * S,
	                         "less free space beside the database than [limits] free_space" },
	[ALARM_DROPPED]      = { "dropped", ALARM_COUNT, SEVERITY_WARNING, false, 1, 1, 0, 60 * S,
	                         "the queue to the disk was full in this second: records were dropped" },
};
/* clang-format on */

_Static_assert(sizeof(rows) / sizeof(rows[0]) == ALARM_CODE_MAX, "an alarm lacks its row");

const char *alarm_code_name(enum alarm_code code)
{
	return rows[code].name;
}

enum alarm_unit alarm_code_unit(enum alarm_code code)
{
	return rows[code].unit;
}

enum severity alarm_code_severity(enum alarm_code code)
{
	return rows[code].severity;
}

const char *alarm_code_meaning(enum alarm_code code)
{
	return rows[code].meaning;
}

enum alarm_code alarm_code_parse(const char *name)
{
	enum alarm_code code = 0;

	while (code < ALARM_CODE_MAX && strcmp(rows[code].name, name) != 0)
		code++;
	return code;
}

const char *alarm_format_value(enum alarm_code code, int64_t value, char out[static ALARM_TEXT_MAX])
{
	switch (rows[code].unit) {
	case ALARM_NS:
		return nsec_format_offset(value, out);
	case ALARM_BYTES:
		(void)snprintf(out, ALARM_TEXT_MAX, "%.1f MiB", (double)value / (1024 * 1024));
		break;
	case ALARM_COUNT:
		(void)snprintf(out, ALARM_TEXT_MAX, "%" PRId64, value);
		break;
	case ALARM_YES_NO:
		(void)snprintf(out, ALARM_TEXT_MAX, "%s", value ? "yes" : "no");
		break;
	}
	return out;
}

void alarms_init(struct alarms *a)
{
	*a = (struct alarms){0};
	for (enum alarm_code code = 0; code < ALARM_CODE_MAX; code++) {
		bool condition = rows[code].unit == ALARM_YES_NO || rows[code].unit == ALARM_COUNT;

		a->rules[code] = (struct alarm_rule){
			.on = condition,
			.limit = condition,
			.n = rows[code].n,
			.m = rows[code].m,
			.hold_before_ns = rows[code].hold_before_ns,
			.hold_ns = rows[code].hold_ns,
		};
	}
}

void alarms_set_limit(struct alarms *a, enum alarm_code code, int64_t limit, int64_t clear,
		      int64_t hold_ns)
{
	struct alarm_rule *rule = &a->rules[code];

	rule->on = limit != 0;
	rule->limit = limit;
	rule->clear = clear ? clear : rows[code].low_is_bad ? limit / 4 * 5 : limit / 4 * 3;
	rule->hold_ns = hold_ns;
}

/* -- tracks ------------------------------------------------------------------------------ */

/* Neither raised, nor to be read, nor on the way to it. */
static bool is_idle(const struct alarm_track *t)
{
	return !t->alarm.raised && !t->alarm.count && !t->samples;
}

static struct alarm_track *find(struct alarms *a, enum alarm_code code, const char *subject)
{
	for (size_t i = 0; i < a->n; i++) {
		struct alarm *alarm = &a->tracks[i].alarm;

		if (alarm->code == code &&
		    strncmp(alarm->subject, subject, ALARM_SUBJECT_MAX - 1) == 0)
			return &a->tracks[i];
	}
	return NULL;
}

/* NULL, and counted, if there is no room. */
static struct alarm_track *add(struct alarms *a, enum alarm_code code, const char *subject)
{
	size_t i = 0;

	while (i < a->n && !is_idle(&a->tracks[i]))
		i++;
	if (i == ALARMS_MAX) {
		a->lost++;
		return NULL;
	}
	if (i == a->n)
		a->n++;
	a->tracks[i] = (struct alarm_track){.alarm = {.code = code}};
	(void)snprintf(a->tracks[i].alarm.subject, ALARM_SUBJECT_MAX, "%.*s", ALARM_SUBJECT_MAX - 1,
		       subject);
	return &a->tracks[i];
}

static bool is_worse(enum alarm_code code, int64_t value, int64_t than)
{
	return rows[code].low_is_bad ? value < than : value > than;
}

/* What the number says, apart from what follows from it. */
static void note(struct alarm_track *t, const struct alarm_rule *rule, int64_t value,
		 int64_t now_mono_ns)
{
	struct alarm *alarm = &t->alarm;
	bool beyond = !is_worse(alarm->code, rule->limit, value);
	bool within = !is_worse(alarm->code, value, rule->clear);
	uint64_t kept = rule->m < ALARM_SAMPLES_MAX ? (UINT64_C(1) << rule->m) - 1 : UINT64_MAX;

	alarm->value = value;
	alarm->limit = rule->limit;
	t->samples = (t->samples << 1 | beyond) & kept;
	if (!beyond)
		t->beyond_since_ns = 0;
	else if (!t->beyond_since_ns)
		t->beyond_since_ns = now_mono_ns;
	if (!within)
		t->within_since_ns = 0;
	else if (!t->within_since_ns)
		t->within_since_ns = now_mono_ns;
	if (beyond)
		alarm->last_mono_ns = now_mono_ns;
	if (alarm->raised && is_worse(alarm->code, value, alarm->worst))
		alarm->worst = value;
}

static bool is_due(const struct alarm_track *t, const struct alarm_rule *rule, int64_t now_mono_ns)
{
	if (t->alarm.raised)
		return t->within_since_ns && now_mono_ns - t->within_since_ns >= rule->hold_ns;
	return t->beyond_since_ns && (unsigned)__builtin_popcountll(t->samples) >= rule->n &&
	       now_mono_ns - t->beyond_since_ns >= rule->hold_before_ns;
}

static const struct alarm *turn(struct alarm_track *t, int64_t now_mono_ns)
{
	struct alarm *alarm = &t->alarm;

	alarm->raised = !alarm->raised;
	if (alarm->raised) {
		alarm->count++;
		alarm->worst = alarm->value;
	}
	alarm->since_mono_ns = now_mono_ns;
	t->samples = 0;
	return alarm;
}

const struct alarm *alarms_feed(struct alarms *a, enum alarm_code code, const char *subject,
				int64_t value, int64_t now_mono_ns)
{
	const struct alarm_rule *rule = &a->rules[code];
	struct alarm_track *t = find(a, code, subject);

	if (!rule->on)
		return t && t->alarm.raised ? turn(t, now_mono_ns) : NULL;
	if (!t && !is_worse(code, rule->limit, value))
		t = add(a, code, subject);
	if (!t)
		return NULL;
	note(t, rule, value, now_mono_ns);
	return is_due(t, rule, now_mono_ns) ? turn(t, now_mono_ns) : NULL;
}

void alarms_feed_unknown(struct alarms *a, enum alarm_code code, const char *subject)
{
	struct alarm_track *t = find(a, code, subject);

	if (t)
		t->beyond_since_ns = t->within_since_ns = 0;
}

size_t alarms_list(const struct alarms *a, struct alarm *out, size_t max)
{
	size_t n = 0;

	for (int raised = 1; raised >= 0; raised--)
		for (size_t i = 0; i < a->n && n < max; i++) {
			const struct alarm *alarm = &a->tracks[i].alarm;

			if (alarm->raised == (raised == 1) && (alarm->raised || alarm->count))
				out[n++] = *alarm;
		}
	return n;
}

void alarms_forget(struct alarms *a, enum alarm_code code, const char *subject)
{
	struct alarm_track *t = find(a, code, subject);

	if (t)
		*t = a->tracks[--a->n];
}

size_t alarms_acknowledge(struct alarms *a, int64_t until_mono_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++) {
		struct alarm *alarm = &a->tracks[i].alarm;

		if (!alarm->count || alarm->last_mono_ns > until_mono_ns)
			continue;
		alarm->count = 0;
		n++;
	}
	return n;
}

/* -- telling ----------------------------------------------------------------------------- */

static struct event event_of_condition(const struct alarm *alarm, int64_t now_mono_ns)
{
	return event_make(alarm->raised ? EVENT_ALARM_RAISED : EVENT_ALARM_CLEARED, now_mono_ns,
			  alarm->subject, "%s: alarm %s%s: %s", alarm->subject,
			  alarm_code_name(alarm->code), alarm->raised ? "" : " cleared",
			  alarm_code_meaning(alarm->code));
}

struct event alarm_event(const struct alarm *alarm, int64_t now_mono_ns)
{
	const char *name = alarm_code_name(alarm->code);
	char value[ALARM_TEXT_MAX];
	char worst[ALARM_TEXT_MAX];
	char limit[ALARM_TEXT_MAX];
	struct event e;

	(void)alarm_format_value(alarm->code, alarm->value, value);
	(void)alarm_format_value(alarm->code, alarm->worst, worst);
	(void)alarm_format_value(alarm->code, alarm->limit, limit);
	if (rows[alarm->code].unit == ALARM_YES_NO)
		e = event_of_condition(alarm, now_mono_ns);
	else if (alarm->raised)
		e = event_make(EVENT_ALARM_RAISED, now_mono_ns, alarm->subject,
			       "%s: alarm %s: %s, limit %s", alarm->subject, name, value, limit);
	else
		e = event_make(EVENT_ALARM_CLEARED, now_mono_ns, alarm->subject,
			       "%s: alarm %s cleared: %s, worst %s, limit %s", alarm->subject, name,
			       value, worst, limit);
	if (alarm->raised)
		e.severity = alarm_code_severity(alarm->code);
	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"alarm\":\"%s\",\"value\":%" PRId64 ",\"worst\":%" PRId64
		       ",\"limit\":%" PRId64 "}",
		       name, alarm->value, alarm->worst, alarm->limit);
	return e;
}
