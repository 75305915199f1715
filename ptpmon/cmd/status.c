// SPDX-License-Identifier: GPL-2.0-or-later
/* ptpmon status: is it good? Asks the service and draws what it answers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/cmd/service.h"
#include "ptpmon/report/status_json.h"
#include "ptpmon/report/status_text.h"

static struct status_screen find_screen(void)
{
	struct status_screen screen = {.columns = 80, .rows = 24};
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return screen;
	screen.colour = !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
	/* a serial console says 0 x 0 */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		screen.columns = size.ws_col;
		screen.rows = size.ws_row;
	}
	return screen;
}

static int print(const struct status *s, const json_t *json, bool as_json)
{
	const struct status_screen screen = find_screen();
	CLEANUP(freep)
	char *text = as_json ? json_dumps(json, JSON_INDENT(2)) : status_to_text(s, &screen);

	if (!text)
		return -ENOMEM;
	if (fputs(text, stdout) < 0 || (as_json && putchar('\n') < 0) || fflush(stdout) != 0)
		return -errno;
	return 0;
}

/* What was shown has been read. */
static int acknowledge(const struct service *service, const struct status *s)
{
	char why[VARLINK_WHY_MAX];
	int r = service_ask(service, "AcknowledgeAlarms",
			    json_pack("{so}", "until", json_sprintf("%" PRId64, s->taken_mono_ns)),
			    NULL, why);

	return r == 0 ? EXIT_GOOD : service_complain(service, r, why);
}

static int show(const struct service *service, bool as_json, bool read)
{
	CLEANUP(freep) struct status *s = malloc(sizeof(*s));
	json_auto_t *reply = NULL;
	const json_t *json;
	char text[VARLINK_WHY_MAX];
	char why[STATUS_TEXT_MAX];
	int r = s ? service_ask(service, "GetStatus", NULL, &reply, text) : -ENOMEM;

	if (r != 0)
		return service_complain(service, r, s ? text : strerror(ENOMEM));
	json = json_object_get(reply, "status");
	if (status_from_json(s, json) < 0)
		return options_complain(service->command,
					"%s: not a status that this version understands",
					service->path);
	r = print(s, json, as_json);
	if (r < 0)
		return options_complain(service->command, "cannot print: %s", strerror(-r));
	if (read && acknowledge(service, s) != EXIT_GOOD)
		return EXIT_USAGE;
	return status_judge(s, why) == STATUS_GOOD ? EXIT_GOOD : EXIT_BAD;
}

int cmd_status(int argc, char **argv)
{
	const char *config = NULL;
	bool json = false;
	bool read = false;
	const struct option_row rows[] = {
		OPTION_CONFIG(&config),
		OPTION_JSON(&json),
		{"acknowledge", 'a', NULL, "the alarms that are shown have been read", take_flag,
		 &read, 0, 0},
	};
	const struct usage usage = {
		.synopsis = "status [OPTION]...",
		.about = "Show what the running service knows now, on one screen.",
		ROWS(rows),
		.epilogue = "Exit status: 0 good, 1 bad or unknown, 2 the service cannot be asked.",
	};
	struct service service;
	int first;
	int status;

	if (!options_parse(&usage, argc, argv, &first, &status))
		return status;
	if (!service_find(&service, argv[0], config))
		return EXIT_USAGE;
	return show(&service, json, read);
}
