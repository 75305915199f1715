// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/cmd/service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/serve/control.h"

#define ANSWER_WITHIN_NS (5 * NSEC_PER_SEC)

bool service_find(struct service *out, const char *command, const char *config_path)
{
	struct config config;

	if (!options_load_config(&config, config_path))
		return false;
	out->command = command;
	(void)config_control_path(&config, out->path);
	return true;
}

int service_ask(const struct service *s, const char *method, json_t *parameters, json_t **reply,
		char why[static VARLINK_WHY_MAX])
{
	json_auto_t *sent = parameters;
	json_auto_t *answer = NULL;
	const char *reason;
	char name[64];
	int r;

	(void)snprintf(name, sizeof(name), "%s.%s", CONTROL_INTERFACE, method);
	r = varlink_call(s->path, name, sent, ANSWER_WITHIN_NS, &answer, why);
	reason = json_string_value(json_object_get(answer, "reason"));
	if (r == VARLINK_ERROR && reason) {
		size_t len = strlen(why);

		(void)snprintf(why + len, VARLINK_WHY_MAX - len, ": %s", reason);
	}
	if (r == 0 && reply)
		*reply = json_incref(answer);
	return r;
}

int service_complain(const struct service *s, int result, const char *why)
{
	if (result == -ENOENT || result == -ECONNREFUSED)
		return options_complain(s->command,
					"no service listens at %s: start it (systemctl start "
					"ptpmon, or ptpmon run)",
					s->path);
	if (result == -EACCES)
		return options_complain(s->command,
					"%s: permission denied: be root or in the socket's group",
					s->path);
	return options_complain(s->command, "%s", why);
}
