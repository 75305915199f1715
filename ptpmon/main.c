/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ptpmon command: the table of its subcommands. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* NULL: not listed */
} commands[] = {
	{"run", cmd_run, "the service: supervise ptp4l, record, serve"},
	{"check", cmd_check, "is this board fit? What to do where it is not"},
	{"status", cmd_status, "one screen about now"},
	{"wait-sync", cmd_wait_sync, "wait until it is synchronised"},
	{"report", cmd_report, "percentiles of a recorded run, with latency beside them"},
	{"compare", cmd_compare, "two runs side by side, and what differs between the boards"},
	{"runs", cmd_runs, "what is recorded, and what it costs"},
	{"events", cmd_events, "what happened in a run"},
	{"export", cmd_export, "rows of a run as CSV"},
	{"import", cmd_import, "logs and histograms recorded elsewhere"},
	{"mark", cmd_mark, "a note on the time axis, now"},
	{"phase", cmd_phase, "begin or end a phase, or run a command as one"},
	{"latency", cmd_latency, "measure wake-up latency alone"},
	{"recorder", cmd_recorder, NULL},
};

static void print_usage(FILE *out)
{
	(void)fprintf(out, "usage: ptpmon COMMAND [OPTION]...\n\n"
			   "Supervise and monitor time synchronisation.\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].summary)
			(void)fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	(void)fprintf(out,
		      "\n  -h, --help     print this\n"
		      "      --version  print the version\n\n"
		      "ptpmon COMMAND --help tells more, and so does the manual: man ptpmon\n");
}

/*
 * What is opened later must not become the standard input or output that we were started without.
 * They stay as useless as they were: not readable, not writable.
 */
static void keep_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
	while (fd >= STDIN_FILENO && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		(void)close(fd);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	keep_standard_descriptors();
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(name, commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		print_usage(stdout);
		return options_flush(name);
	}
	if (strcmp(name, "--version") == 0) {
		(void)puts("ptpmon " PTPMON_VERSION);
		return options_flush(name);
	}
	if (*name)
		(void)fprintf(stderr, "ptpmon: no such command: %s; ptpmon --help lists them\n",
			      name);
	else
		print_usage(stderr);
	return EXIT_USAGE;
}
