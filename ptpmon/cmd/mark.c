// SPDX-License-Identifier: GPL-2.0-or-later
/* ptpmon mark: a note on the time axis, now. */
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/cmd/service.h"
#include "ptpmon/serve/control.h"
#include "ptpmon/serve/parameter.h"

int cmd_mark(int argc, char **argv)
{
	const char *config = NULL;
	const struct option_row rows[] = {OPTION_CONFIG(&config)};
	const struct usage usage = {
		.synopsis = "mark [OPTION]... TEXT",
		.about = "Put a note into the record of the running service, at this moment.",
		ROWS(rows),
		.min_operands = 1,
		.max_operands = 1,
		.epilogue = "Exit status: 0 recorded, 2 not.",
	};
	char why[VARLINK_WHY_MAX];
	struct service service;
	const char *problem;
	int first;
	int status;
	int r;

	if (!options_parse(&usage, argc, argv, &first, &status))
		return status;
	problem = parameter_text_problem(argv[first], CONTROL_MARK_MAX);
	if (problem)
		return options_complain(argv[0], "the text %s", problem);
	if (!service_find(&service, argv[0], config))
		return EXIT_USAGE;
	r = service_ask(&service, "Mark", json_pack("{ss}", "text", argv[first]), NULL, why);
	if (service_in_doubt(r))
		return options_complain(argv[0], "%s: the mark may still be recorded", why);
	return r == 0 ? EXIT_GOOD : service_complain(&service, r, why);
}
