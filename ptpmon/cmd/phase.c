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
#include "ptpmon/serve/parameter.h"

/* A recorder that was stopped or waits for a disk goes on; the end of a phase waits for that. */
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

/*
 * The end must get there, also past a restart of the recorder; a phase that is in nobody's run any
 * more needs none. Its result, as service_ask()'s.
 */
static int end_phase_surely(const struct service *service, char why[static VARLINK_WHY_MAX])
{
	int64_t give_up_mono_ns = nsec_now(CLOCK_MONOTONIC) + END_RETRIED_FOR_NS;

	for (;;) {
		int r = service_ask(service, "EndPhase", NULL, NULL, why);

		if (r >= 0 || service_is_gone(service, r) ||
		    nsec_now(CLOCK_MONOTONIC) >= give_up_mono_ns)
			return r;
		(void)poll(NULL, 0, RETRY_MS);
	}
}

/*
 * Nobody can say whether the phase has begun: its end is asked for, so that what its user is told
 * (2: it has not) becomes true.
 */
static int undo_begin(const struct service *service, const char *why)
{
	char ignored[VARLINK_WHY_MAX];
	int r;

	(void)options_complain(service->command, "%s: making sure that the phase does not go on",
			       why);
	r = end_phase_surely(service, ignored);
	if (r != 0 && !is_no_phase(r, ignored))
		(void)options_complain(service->command,
				       "the phase may have begun: ptpmon phase --end ends it");
	return EXIT_USAGE;
}

static int cannot_run(const struct service *service, const char *program, int result)
{
	return options_complain(service->command, "cannot run %s: %s", program, strerror(-result));
}

static int finish_phase(const struct service *service)
{
	char why[VARLINK_WHY_MAX];
	int r = end_phase_surely(service, why);

	if (is_no_phase(r, why)) {
		log_warning("ptpmon %s: the phase had been ended already", service->command);
		return EXIT_GOOD;
	}
	return r == 0 ? EXIT_GOOD : service_complain(service, r, why);
}

static int run_within_phase(const struct service *service, char *const *argv)
{
	struct load_result load = {0};
	int r = load_run(argv, &load);
	int ended = finish_phase(service);

	if (r < 0)
		return cannot_run(service, argv[0], r);
	if (load.interrupted)
		return EXIT_INTERRUPTED;
	return load.status ? load.status : ended;
}

/* command: its words, or NULL. */
static int begin_phase(const struct service *service, const char *name, char *const *command)
{
	const char *problem = parameter_text_problem(name, CONTROL_PHASE_MAX);
	int unfit = command ? load_check(command[0]) : 0;
	char why[VARLINK_WHY_MAX];
	int r;

	if (problem)
		return options_complain(service->command, "the name %s", problem);
	if (unfit < 0)
		return cannot_run(service, command[0], unfit);
	/* from here on a signal must not leave a begun phase without its end */
	if (command)
		load_block_signals();
	r = service_ask(service, "BeginPhase", json_pack("{ss}", "name", name), NULL, why);
	if (service_in_doubt(r))
		return undo_begin(service, why);
	if (r != 0)
		return service_complain(service, r, why);
	return command ? run_within_phase(service, command) : EXIT_GOOD;
}

static int find_dashes(int argc, char *const *argv)
{
	int i = 1;

	while (i < argc && strcmp(argv[i], "--") != 0)
		i++;
	return i;
}

/* What the table of options cannot tell; EXIT_GOOD if all is well. */
static int check_words(const char *synopsis, bool end, char *const *operands, int n,
		       char *const *command)
{
	if (n > 1)
		return options_complain("phase", "%s: what to run stands behind --: phase %s -- %s",
					operands[1], operands[0], operands[1]);
	if (end == (n == 1) || (end && command))
		return options_complain("phase", "usage: ptpmon %s", synopsis);
	if (command && !command[0])
		return options_complain("phase", "nothing to run behind --");
	return EXIT_GOOD;
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
	int dashes = find_dashes(argc, argv);
	char *const *command = dashes < argc ? argv + dashes + 1 : NULL;
	struct service service;
	int first;
	int status;

	if (!options_parse(&usage, dashes, argv, &first, &status))
		return status;
	status = check_words(usage.synopsis, end, argv + first, dashes - first, command);
	if (status != EXIT_GOOD)
		return status;
	if (!service_find(&service, argv[0], config))
		return EXIT_USAGE;
	return end ? end_phase(&service) : begin_phase(&service, argv[first], command);
}
