// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/cmd/service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/dirlock.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/serve/control.h"

#define ANSWER_WITHIN_NS (5 * NSEC_PER_SEC)
#define LISTEN_WITHIN_NS (2 * NSEC_PER_SEC)

enum { RETRY_MS = 50 };

bool service_find(struct service *out, const char *command, const char *config_path)
{
	struct config config;

	if (!options_load_config(&config, command, config_path))
		return false;
	out->command = command;
	(void)config_control_path(&config, out->path);
	(void)strcpy(out->directory, config.ptpmon.runtime_directory);
	return true;
}

static bool nobody_listens(int result)
{
	return result == -ENOENT || result == -ECONNREFUSED;
}

int service_ask(const struct service *s, const char *method, json_t *parameters, json_t **reply,
		char why[static VARLINK_WHY_MAX])
{
	int64_t give_up_mono_ns = nsec_now(CLOCK_MONOTONIC) + LISTEN_WITHIN_NS;
	json_auto_t *sent = parameters;
	json_auto_t *answer = NULL;
	const char *reason;
	char name[64];
	int r;

	(void)snprintf(name, sizeof(name), "%s.%s", CONTROL_INTERFACE, method);
	for (;;) {
		r = varlink_call(s->path, name, sent, ANSWER_WITHIN_NS, &answer, why);
		if (!nobody_listens(r) || service_is_gone(s, r) ||
		    nsec_now(CLOCK_MONOTONIC) >= give_up_mono_ns)
			break;
		(void)poll(NULL, 0, RETRY_MS);
	}
	reason = json_string_value(json_object_get(answer, "reason"));
	if (r == VARLINK_ERROR && reason) {
		size_t len = strlen(why);

		(void)snprintf(why + len, VARLINK_WHY_MAX - len, ": %s", reason);
	}
	if (r == 0 && reply)
		*reply = json_incref(answer);
	return r;
}

int service_watch(const struct service *s, const char *method, json_t *parameters,
		  struct varlink_stream **out, char why[static VARLINK_WHY_MAX])
{
	json_auto_t *sent = parameters;
	char name[64];

	(void)snprintf(name, sizeof(name), "%s.%s", CONTROL_INTERFACE, method);
	return varlink_stream_open(out, s->path, name, sent, ANSWER_WITHIN_NS, why);
}

bool service_is_absent(int result)
{
	return nobody_listens(result);
}

bool service_in_doubt(int result)
{
	return result == -ETIMEDOUT || result == -ECONNRESET || result == -EPIPE;
}

bool service_is_gone(const struct service *s, int result)
{
	return nobody_listens(result) && !dirlock_is_held(s->directory);
}

int service_complain(const struct service *s, int result, const char *why)
{
	if (service_is_gone(s, result))
		return options_complain(s->command,
					"%s: no service listens there: start it (ptpmon run), or "
					"give its --config",
					s->path);
	if (nobody_listens(result))
		return options_complain(s->command,
					"%s: the service runs, but its recorder is being started: "
					"try again",
					s->path);
	if (result == -EACCES)
		return options_complain(s->command,
					"%s: permission denied: be root or in the socket's group",
					s->path);
	return options_complain(s->command, "%s", why);
}
