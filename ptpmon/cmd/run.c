/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon run: the service. */
#include <signal.h>
#include <stdio.h>

#include "config.h"
#include "ptpmon/base/log.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/parent/dry_run.h"
#include "ptpmon/parent/parent.h"

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

/* One line for a configuration that can be started with what is installed here. */
static int check_config(const struct config *c, const char *path)
{
	char why[DRY_RUN_WHY_MAX];
	char program[CONFIG_PATH_MAX] = "";
	struct ptp4l_version version = {.text = "not launched"};
	int r = 0;

	for (size_t i = 0; i < c->n_ptp4l; i++) {
		if (!c->ptp4l[i].manage)
			continue;
		r = dry_run_find(&c->ptp4l[i], program, &version, why);
		if (r == 0)
			r = dry_run_options(c, i, program, &version, why);
		if (r < 0)
			return options_complain("run", "%s", why);
	}
	(void)printf("%s: good: %s, %zu ptp4l, linuxptp %s%s%s\n",
		     path ? path : PTPMON_SYSCONFDIR "/ptpmon.conf", role_name(c->ptpmon.role),
		     c->n_ptp4l,
		     *version.text ? version.text : "of an unknown version: is this a ptp4l? ",
		     *version.text ? "" : program, *version.text ? "" : " -v names none");
	return options_flush("run");
}

int cmd_run(int argc, char **argv)
{
	const char *path = NULL;
	bool dump = false;
	bool check = false;
	bool verbose = false;
	const struct option_row rows[] = {
		OPTION_CONFIG(&path),
		{"dump-config", 0, NULL, "print every key, its value and where it came from",
		 take_flag, &dump, 0, 0},
		{"check-config", 0, NULL,
		 "say in one line whether the configuration is good, also for the ptp4l that is "
		 "installed, and start nothing",
		 take_flag, &check, 0, 0},
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
	if (check)
		return check_config(&config, path);
	block_signals();
	log_setup("ptpmon", verbose ? LOG_LEVEL_INFO : LOG_LEVEL_NOTICE);
	return parent_run(&config, path);
}
