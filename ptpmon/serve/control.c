// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/serve/control.h"

#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"

struct control {
	const struct control_ops *ops;
	void *userdata;
	struct varlink_server *server;
};

static const char description[] =
	"# ptpmon: what it knows now, and notes on its time axis.\n"
	"interface " CONTROL_INTERFACE "\n"
	"\n"
	"# The document that `ptpmon status --json` prints (schema ptpmon.status/1).\n"
	"method GetStatus() -> (status: object)\n"
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

/* C0, DEL, and C1 (in UTF-8: c2 80 to c2 9f): what could drive a terminal or forge a line. */
static bool has_control(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p < ' ' || *p == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0))
			return true;
	return false;
}

static bool is_utf8(const char *text)
{
	json_t *s = json_string(text);
	bool valid = s != NULL;

	json_decref(s);
	return valid;
}

const char *control_text_problem(const char *text, size_t max)
{
	if (strspn(text, " ") == strlen(text))
		return "is empty";
	if (strlen(text) > max)
		return "is too long";
	if (!is_utf8(text))
		return "is not UTF-8";
	if (has_control(text))
		return "has control characters";
	return NULL;
}

/* The one parameter of a method (or none: NULL) as a checked text. False: it has been answered. */
static bool take_parameter(struct varlink_call *call, json_t *parameters, const char *name,
			   size_t max, const char **out)
{
	const char *key;
	json_t *value;

	json_object_foreach(parameters, key, value)
	{
		if (name && strcmp(key, name) == 0)
			continue;
		varlink_invalid_parameter(call, key);
		return false;
	}
	if (!name)
		return true;
	*out = json_string_value(json_object_get(parameters, name));
	if (*out && !control_text_problem(*out, max))
		return true;
	varlink_invalid_parameter(call, name);
	return false;
}

static void answer(struct varlink_call *call, int r)
{
	if (r >= 0)
		varlink_reply(call, NULL);
	else if (r == -ENOENT)
		varlink_error(call, CONTROL_NO_PHASE, NULL);
	else
		varlink_error(call, CONTROL_INTERFACE ".Failed",
			      json_pack("{ss}", "reason", strerror(-r)));
}

static void on_get_status(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct control *c = userdata;
	json_t *status;

	if (!take_parameter(call, parameters, NULL, 0, NULL))
		return;
	status = c->ops->status(c->userdata);
	if (status)
		varlink_reply(call, json_pack("{so}", "status", status));
	else
		answer(call, -ENOMEM);
}

static void on_mark(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct control *c = userdata;
	char who[CONTROL_WHO_MAX];
	const char *text;

	if (take_parameter(call, parameters, "text", CONTROL_MARK_MAX, &text))
		answer(call, c->ops->mark(c->userdata, text, format_who(call, who)));
}

static void on_begin_phase(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct control *c = userdata;
	char who[CONTROL_WHO_MAX];
	const char *name;

	if (take_parameter(call, parameters, "name", CONTROL_PHASE_MAX, &name))
		answer(call, c->ops->begin_phase(c->userdata, name, format_who(call, who)));
}

static void on_end_phase(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct control *c = userdata;
	char who[CONTROL_WHO_MAX];

	if (take_parameter(call, parameters, NULL, 0, NULL))
		answer(call, c->ops->end_phase(c->userdata, format_who(call, who)));
}

static const struct varlink_method methods[] = {
	{"GetStatus", on_get_status, 0},
	{"Mark", on_mark, 0},
	{"BeginPhase", on_begin_phase, 0},
	{"EndPhase", on_end_phase, 0},
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

struct control *control_free(struct control *c)
{
	if (!c)
		return NULL;
	c->server = varlink_server_free(c->server);
	free(c);
	return NULL;
}
