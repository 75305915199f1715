// SPDX-License-Identifier: GPL-2.0-or-later
/* ptpmon phase: names a stretch of the time axis, as long as a command runs or until told. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/load.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/cmd/service.h"
#include "ptpmon/serve/control.h"

/* The service restarts its recorder within seconds; the end of a phase waits for that. */
#define END_RETRIED_FOR_NS (30 * NSEC_PER_SEC)

enum { RETRY_MS = 250 };

static bool is_no_phase(int result, const char *why)
{
	return result == VARLINK_ERROR && strcmp(why, CONTROL_NO_PHASE) == 0;
}

/* --end */
static int end_phase(const struct service *service)
{
	char why[VARLINK_WHY_MAX];
	int r = service_ask(service, "EndPhase", NULL, NULL, why);

	if (r == 0)
		return EXIT_GOOD;
	if (!is_no_phase(r, why))
		return service_complain(service, r, why);
	(void)options_complain(service->command, "no phase is running");
	return EXIT_BAD;
}

/* The end must get there, also past a restart of the service. */
static int end_phase_surely(const struct service *service)
{
	int64_t give_up_mono_ns = nsec_now(CLOCK_MONOTONIC) + END_RETRIED_FOR_NS;
	char why[VARLINK_WHY_MAX];
	int r;

	for (;;) {
		r = service_ask(service, "EndPhase", NULL, NULL, why);
		if (r >= 0 || nsec_now(CLOCK_MONOTONIC) >= give_up_mono_ns)
			break;
		(void)poll(NULL, 0, RETRY_MS);
	}
	if (is_no_phase(r, why)) {
		log_warning("ptpmon phase: the phase had been ended already");
		return EXIT_GOOD;
	}
	return r == 0 ? EXIT_GOOD : service_complain(service, r, why);
}

static int run_within_phase(const struct service *service, char *const *argv)
{
	struct load_result load = {0};
	int r = load_run(argv, &load);
	int ended = end_phase_surely(service);

	if (r < 0)
		return options_complain(service->command, "cannot run %s: %s", argv[0],
					strerror(-r));
	if (load.interrupted)
		return EXIT_INTERRUPTED;
	return load.status ? load.status : ended;
}

static int begin_phase(const struct service *service, const char *name, char *const *command)
{
	const char *problem = control_text_problem(name, CONTROL_PHASE_MAX);
	char why[VARLINK_WHY_MAX];
	int r;

	if (problem)
		return options_complain(service->command, "the name %s", problem);
	/* from here on a signal must not leave a begun phase without its end */
	if (*command)
		load_block_signals();
	r = service_ask(service, "BeginPhase", json_pack("{ss}", "name", name), NULL, why);
	if (r != 0)
		return service_complain(service, r, why);
	return *command ? run_within_phase(service, command) : EXIT_GOOD;
}

int cmd_phase(int argc, char **argv)
{
	const char *config = NULL;
	bool end = false;
	const struct option_row rows[] = {
		OPTION_CONFIG(&config),
		{"end", 'e', NULL, "end the phase that is running", take_flag, &end, 0, 0},
	};
	const struct usage usage = {
		.synopsis = "phase [OPTION]... NAME [-- COMMAND...], or ptpmon phase --end",
		.about = "Begin a phase in the record of the running service; one that is running "
			 "ends.\nWith a COMMAND: run it, and end the phase when it ends.",
		ROWS(rows),
		.max_operands = -1,
		.epilogue = "Exit status: COMMAND's own (128 + the signal that killed it); else 0 "
			    "done,\n1 no phase to end, 2 the service cannot be asked, 4 "
			    "interrupted.",
	};
	struct service service;
	int first;
	int status;

	if (!options_parse(&usage, argc, argv, &first, &status))
		return status;
	if (end != (first == argc))
		return options_complain(argv[0], "usage: ptpmon %s", usage.synopsis);
	if (!service_find(&service, argv[0], config))
		return EXIT_USAGE;
	if (end)
		return end_phase(&service);
	return begin_phase(&service, argv[first], argv + first + 1);
}
