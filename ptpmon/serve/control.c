// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/serve/control.h"

#include <errno.h>
#include <math.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/serve/parameter.h"
#include "ptpmon/serve/watchers.h"

struct control {
	const struct control_ops *ops;
	void *userdata;
	struct varlink_server *server;
	struct watchers watchers;
};

static const char description[] =
	"# ptpmon: what it knows now, what happens, and notes on its time axis.\n"
	"#\n"
	"# Whoever may connect may read. What puts something into the record (Mark, BeginPhase,\n"
	"# EndPhase, PutVerdict, AcknowledgeAlarms) is for root, the service's own user and its\n"
	"# group; others get org.varlink.service.PermissionDenied. The caller is recorded.\n"
	"interface " CONTROL_INTERFACE "\n"
	"\n"
	"# The document that `ptpmon status --json` prints (schema ptpmon.status/1).\n"
	"method GetStatus() -> (status: object)\n"
	"\n"
	"# A status now and once a second, and each event as it happens (schema ptpmon.event/1);\n"
	"# either can be left out (false). events come as lists: the first answer has the newest\n"
	"# `recent` ones (up to 192; 0 if absent), in the order in which they happened. Needs\n"
	"# `more`. A client that is 256 KiB or 5 s behind is dropped. 32 may watch at a time.\n"
	"method Watch(status: ?bool, events: ?bool, recent: ?int)\n"
	"  -> (status: ?object, events: ?[]object)\n"
	"\n"
	"# The newest events of the run, at most the last 192, which are in memory; older ones "
	"are\n"
	"# in the record (`ptpmon events`). Times are in UTC (RFC 3339), both included; severity\n"
	"# is info, notice, warning or error, and graver ones; limit keeps the newest of what is\n"
	"# left. With `more` they come in pages of 24.\n"
	"method ListEvents(since: ?string, until: ?string, severity: ?string, limit: ?int)\n"
	"  -> (events: []object)\n"
	"\n"
	"# A note on the time axis, now: up to 1024 octets without control characters.\n"
	"method Mark(text: string) -> ()\n"
	"\n"
	"# Begins a phase, now; one that is running ends. Up to 63 octets without control "
	"characters.\n"
	"method BeginPhase(name: string) -> ()\n"
	"\n"
	"# Ends the phase that is running, now.\n"
	"method EndPhase() -> ()\n"
	"\n"
	"# How a criterion of a plan came out: recorded with the caller and the moment. pass is\n"
	"# null where it is inconclusive. Texts have up to 255 octets without control characters.\n"
	"method PutVerdict(\n"
	"  plan: string,\n"
	"  phase: ?string,\n"
	"  criterion: string,\n"
	"  limit: ?float,\n"
	"  measured: ?float,\n"
	"  pass: ?bool,\n"
	"  reason: ?string\n"
	") -> ()\n"
	"\n"
	"# The alarms of a status have been seen: until is its taken_mono_ns (absent: now). What "
	"is\n"
	"# over is not shown any more, what is raised counts anew. Answers how many they were.\n"
	"method AcknowledgeAlarms(until: ?string) -> (acknowledged: int)\n"
	"\n"
	"# No phase is running.\n"
	"error NoPhase ()\n"
	"\n"
	"# It could not be done or recorded.\n"
	"error Failed (reason: string)\n";

/* A user's name from /etc/passwd alone: a directory service could block the loop. */
static const char *user_name(uid_t uid, char out[static CONTROL_WHO_MAX])
{
	CLEANUP(fclosep) FILE *f = fopen("/etc/passwd", "re");
	struct passwd *found;
	struct passwd entry;
	char line[1024];

	while (f && fgetpwent_r(f, &entry, line, sizeof(line), &found) == 0)
		if (found->pw_uid == uid) {
			(void)snprintf(out, CONTROL_WHO_MAX, "%s", found->pw_name);
			return out;
		}
	(void)snprintf(out, CONTROL_WHO_MAX, "uid %u", (unsigned)uid);
	return out;
}

static const char *format_who(const struct varlink_call *call, char out[static CONTROL_WHO_MAX])
{
	struct varlink_peer peer = varlink_call_peer(call);
	char name[CONTROL_WHO_MAX];

	/* a long name is cut so that the pid stays */
	(void)snprintf(out, CONTROL_WHO_MAX, "%.40s (pid %d)", user_name(peer.uid, name),
		       (int)peer.pid);
	return out;
}

static void fail(struct varlink_call *call, const char *reason)
{
	varlink_error(call, CONTROL_INTERFACE ".Failed", json_pack("{ss}", "reason", reason));
}

static void answer(struct varlink_call *call, int r)
{
	if (r >= 0)
		varlink_reply(call, NULL);
	else if (r == -ENOENT)
		varlink_error(call, CONTROL_NO_PHASE, NULL);
	else
		fail(call, strerror(-r));
}

#define TAKE(call, parameters, rows)                                                               \
	parameters_take((call), (parameters), (rows), sizeof(rows) / sizeof((rows)[0]))

/* -- reading ----------------------------------------------------------------------------- */

static void on_get_status(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct control *c = userdata;
	json_t *status;

	if (!parameters_take(call, parameters, NULL, 0))
		return;
	status = c->ops->status(c->userdata);
	if (status)
		varlink_reply(call, json_pack("{so}", "status", status));
	else
		answer(call, -ENOMEM);
}

static json_t *recent_events(const struct control *c, int64_t n)
{
	const struct control_filter newest = {INT64_MIN, INT64_MAX, SEVERITY_INFO, (size_t)n};

	return c->ops->events(c->userdata, &newest);
}

static void on_watch(struct varlink_call *call, json_t *parameters, void *userdata)
{
	struct control *c = userdata;
	bool wants[WATCHED_MAX] = {true, true};
	int64_t recent = 0;
	const struct parameter rows[] = {
		{"status", PARAMETER_BOOL, &wants[WATCHED_STATUS], 0, false},
		{"events", PARAMETER_BOOL, &wants[WATCHED_EVENTS], 0, false},
		{"recent", PARAMETER_COUNT, &recent, CONTROL_EVENTS_MAX, false},
	};
	json_t *first;

	if (!TAKE(call, parameters, rows))
		return;
	if (!wants[WATCHED_STATUS] && !wants[WATCHED_EVENTS]) {
		varlink_invalid_parameter(call, "events");
		return;
	}
	if (!watchers_add(&c->watchers, call, wants)) {
		fail(call, "too many watch already");
		return;
	}
	/* an answer without its part is one that has no memory for it: that part comes later */
	first = json_object();
	if (wants[WATCHED_STATUS])
		(void)json_object_set_new(first, "status", c->ops->status(c->userdata));
	if (wants[WATCHED_EVENTS])
		(void)json_object_set_new(first, "events", recent_events(c, recent));
	varlink_notify(call, first);
}

/* The pages before the last; the last one is returned. */
static json_t *send_pages(struct varlink_call *call, json_t *events)
{
	while (json_array_size(events) > CONTROL_PAGE) {
		json_t *page = json_array();

		for (size_t i = 0; i < CONTROL_PAGE; i++) {
			(void)json_array_append(page, json_array_get(events, 0));
			(void)json_array_remove(events, 0);
		}
		varlink_notify(call, json_pack("{so}", "events", page));
	}
	return events;
}

static void on_list_events(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct control *c = userdata;
	struct control_filter filter = {INT64_MIN, INT64_MAX, SEVERITY_INFO, CONTROL_EVENTS_MAX};
	int64_t limit = CONTROL_EVENTS_MAX;
	const struct parameter rows[] = {
		{"since", PARAMETER_UTC, &filter.since_utc_ns, 0, false},
		{"until", PARAMETER_UTC, &filter.until_utc_ns, 0, false},
		{"severity", PARAMETER_SEVERITY, &filter.severity, 0, false},
		{"limit", PARAMETER_COUNT, &limit, INT64_MAX, false},
	};
	json_t *events;

	if (!TAKE(call, parameters, rows))
		return;
	filter.limit = limit < CONTROL_EVENTS_MAX ? (size_t)limit : CONTROL_EVENTS_MAX;
	events = c->ops->events(c->userdata, &filter);
	if (!events) {
		answer(call, -ENOMEM);
		return;
	}
	if (varlink_call_wants_more(call))
		events = send_pages(call, events);
	varlink_reply(call, json_pack("{so}", "events", events));
}

void control_tell_status(struct control *c)
{
	json_t *status;

	if (!watchers_want(&c->watchers, WATCHED_STATUS))
		return;
	status = c->ops->status(c->userdata);
	if (status)
		watchers_tell(&c->watchers, WATCHED_STATUS, json_pack("{so}", "status", status));
}

bool control_is_watched(const struct control *c)
{
	return watchers_want(&c->watchers, WATCHED_EVENTS);
}

void control_tell_event(struct control *c, json_t *event)
{
	if (event)
		watchers_tell(&c->watchers, WATCHED_EVENTS, json_pack("{s[o]}", "events", event));
}

/* -- writing ----------------------------------------------------------------------------- */

static void on_mark(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct control *c = userdata;
	const char *text;
	const struct parameter rows[] = {
		{"text", PARAMETER_TEXT, &text, CONTROL_MARK_MAX, true},
	};
	char who[CONTROL_WHO_MAX];

	if (TAKE(call, parameters, rows))
		answer(call, c->ops->mark(c->userdata, text, format_who(call, who)));
}

static void on_begin_phase(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct control *c = userdata;
	const char *name;
	const struct parameter rows[] = {
		{"name", PARAMETER_TEXT, &name, CONTROL_PHASE_MAX, true},
	};
	char who[CONTROL_WHO_MAX];

	if (TAKE(call, parameters, rows))
		answer(call, c->ops->begin_phase(c->userdata, name, format_who(call, who)));
}

static void on_end_phase(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct control *c = userdata;
	char who[CONTROL_WHO_MAX];

	if (parameters_take(call, parameters, NULL, 0))
		answer(call, c->ops->end_phase(c->userdata, format_who(call, who)));
}

static void on_put_verdict(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct control *c = userdata;
	struct verdict v = {.limit = NAN, .measured = NAN};
	int pass = VERDICT_INCONCLUSIVE;
	const struct parameter rows[] = {
		{"plan", PARAMETER_TEXT, &v.plan, VERDICT_TEXT_MAX, true},
		{"phase", PARAMETER_TEXT, &v.phase, VERDICT_TEXT_MAX, false},
		{"criterion", PARAMETER_TEXT, &v.criterion, VERDICT_TEXT_MAX, true},
		{"limit", PARAMETER_NUMBER, &v.limit, 0, false},
		{"measured", PARAMETER_NUMBER, &v.measured, 0, false},
		{"pass", PARAMETER_TRISTATE, &pass, 0, false},
		{"reason", PARAMETER_TEXT, &v.reason, VERDICT_TEXT_MAX, false},
	};
	char who[CONTROL_WHO_MAX];

	if (!TAKE(call, parameters, rows))
		return;
	v.pass = (enum verdict_pass)pass;
	answer(call, c->ops->put_verdict(c->userdata, &v, format_who(call, who)));
}

static void on_acknowledge(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct control *c = userdata;
	int64_t until_mono_ns = INT64_MAX;
	const struct parameter rows[] = {
		{"until", PARAMETER_MONO, &until_mono_ns, 0, false},
	};
	char who[CONTROL_WHO_MAX];
	size_t n;

	if (!TAKE(call, parameters, rows))
		return;
	n = c->ops->acknowledge(c->userdata, until_mono_ns, format_who(call, who));
	varlink_reply(call, json_pack("{sI}", "acknowledged", (json_int_t)n));
}

/* -- the interface ----------------------------------------------------------------------- */

static const struct varlink_method methods[] = {
	{"GetStatus", on_get_status, 0},
	{"Watch", on_watch, VARLINK_MORE},
	{"ListEvents", on_list_events, 0},
	{"Mark", on_mark, VARLINK_WRITES},
	{"BeginPhase", on_begin_phase, VARLINK_WRITES},
	{"EndPhase", on_end_phase, VARLINK_WRITES},
	{"PutVerdict", on_put_verdict, VARLINK_WRITES},
	{"AcknowledgeAlarms", on_acknowledge, VARLINK_WRITES},
};

static const struct varlink_interface interface = {CONTROL_INTERFACE, description, methods,
						   sizeof(methods) / sizeof(methods[0])};

int control_new(struct control **out, sd_event *loop, int listen_fd, const struct control_ops *ops,
		void *userdata)
{
	struct control *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	c->ops = ops;
	c->userdata = userdata;
	r = varlink_server_new(&c->server, loop, listen_fd, &interface, 1, c);
	if (r < 0) {
		free(c);
		return r;
	}
	*out = c;
	return 0;
}

int control_listen(struct control *c, int listen_fd)
{
	return varlink_server_listen(c->server, listen_fd);
}

struct control *control_free(struct control *c)
{
	if (!c)
		return NULL;
	c->server = varlink_server_free(c->server);
	free(c);
	return NULL;
}
