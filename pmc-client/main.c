// SPDX-License-Identifier: LGPL-2.1-or-later
/* The pmc-client command: the table of subcommands. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>

#include "config.h"
#include "pmc-client/tool.h"

/* clang-format off */
static const struct subcommand {
	const char *name;
	int (*run)(const struct tool_options *o, char **words);
	const char *words;
	const char *help;
} subcommands[] = {
	{ "get",     run_get,     "ID [key=N]...",         "ask ptp4l for data sets" },
	{ "set",     run_set,     "ID FIELD=VALUE...",     "change fields of one; get, set, read back" },
	{ "command", run_command, "ID",                    "ENABLE_PORT, DISABLE_PORT (after linuxptp 4.4)" },
	{ "watch",   run_watch,   "ID... | --events[=E,E]", "one line a message, until interrupted" },
	{ "scan",    run_scan,    "",                      "every clock that answers on an interface" },
	{ "list",    run_list,    "[ID...]",               "what can be asked for, fields and units" },
};
/* clang-format on */

enum { N_SUBCOMMANDS = sizeof(subcommands) / sizeof(subcommands[0]) };

static void print_help(void)
{
	printf("usage: pmc-client [OPTION...] SUBCOMMAND WORD...\n"
	       "       pmc-client [OPTION...] 'GET ID'... (the commands of linuxptp's pmc)\n\n");
	for (size_t i = 0; i < N_SUBCOMMANDS; i++)
		printf("  %-8s %-22s %s\n", subcommands[i].name, subcommands[i].words,
		       subcommands[i].help);
	(void)putchar('\n');
	print_options();
}

/* So that the own socket file is removed whatever ends this program but SIGKILL. */
static int catch_signals(void)
{
	sigset_t signals;

	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGINT);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGHUP);
	(void)sigaddset(&signals, SIGPIPE);
	(void)sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

int main(int argc, char **argv)
{
	struct tool_options o = {
		.domain = -1,
		.transport_specific = -1,
		.port = PTP_PORT_ALL,
		.clock = {{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
		.network.kind = PMC_UDP4, /* as with pmc */
		.timeout_ns = 1000000000,
		.interval_ns = 1000000000,
	};
	int letter = take_options(argc, argv, &o);
	char **words = argv + optind;

	if (letter == 'h')
		print_help();
	if (letter == 'V')
		printf("pmc-client %s\n", PTPMON_VERSION);
	if (letter != 0)
		return letter == '?' ? EXIT_USAGE : EXIT_GOOD;
	o.signals_fd = catch_signals();
	if (!words[0]) {
		tool_complain("what? See --help");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < N_SUBCOMMANDS; i++)
		if (strcmp(words[0], subcommands[i].name) == 0)
			return subcommands[i].run(&o, words + 1);
	if (strchr(words[0], ' '))
		return run_pmc_syntax(&o, words);
	tool_complain("%s: no such subcommand; see --help", words[0]);
	return EXIT_USAGE;
}
