/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon run: the service. */
#include <signal.h>
#include <stdio.h>

#include "ptpmon/base/log.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/parent.h"

static void block_signals(void)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD};
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)sigaddset(&set, signals[i]);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
}

static int print_config(const char *path)
{
	char error[CONFIG_ERROR_MAX];
	int r = config_dump(path, stdout, error);

	if (r < 0)
		return options_complain_config("run", r, error);
	return options_flush("run");
}

int cmd_run(int argc, char **argv)
{
	const char *path = NULL;
	bool dump = false;
	bool verbose = false;
	const struct option_row rows[] = {
		OPTION_CONFIG(&path),
		{"dump-config", 0, NULL, "print every key, its value and where it came from",
		 take_flag, &dump, 0, 0},
		{"verbose", 'v', NULL, "log more: also what ptp4l says", take_flag, &verbose, 0, 0},
	};
	const struct usage usage = {
		"run [OPTION]...",
		"Supervise ptp4l and the latency sampler, record, and serve, until SIGTERM.",
		ROWS(rows),
	};
	char error[CONFIG_ERROR_MAX];
	struct config config;
	int first;
	int r;
	int status;

	if (!options_parse(&usage, argc, argv, &first, &status))
		return status;
	if (dump)
		return print_config(path);
	if (!options_load_config(&config, argv[0], path))
		return EXIT_USAGE;
	r = config_read_ptp4l_files(&config, error);
	if (r < 0)
		return options_complain("run", "%s", error);
	block_signals();
	log_setup("ptpmon", verbose ? LOG_LEVEL_INFO : LOG_LEVEL_NOTICE);
	return parent_run(&config);
}
