// SPDX-License-Identifier: LGPL-2.1-or-later
/* The pmc-client command: the table of subcommands. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

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
	       "       pmc-client [OPTION...] 'GET ID'... (the commands of linuxptp's pmc; or from "
	       "standard input)\n\n");
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

/* What is printed must never go to a socket that got the number of a closed standard output. */
static void occupy_standard_files(void)
{
	int fd;

	while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO)
		;
	if (fd >= 0)
		(void)close(fd);
}

/* What could not be printed is an error; that a reader has had enough is a signal's business. */
static int flush(int status)
{
	sigset_t pending;
	bool failed = ferror(stdout) != 0; /* then nothing may be left that says why */
	int r = fflush(stdout) != 0 ? errno : 0;

	if (!failed && r == 0)
		return status;
	(void)sigemptyset(&pending);
	(void)sigpending(&pending);
	if (sigismember(&pending, SIGPIPE))
		return EXIT_INTERRUPTED;
	tool_complain("cannot print: %s",
		      r ? strerror(r) : "standard output is closed, or a disk full");
	return EXIT_USAGE;
}

static int run(struct tool_options *o, char **words)
{
	if (o->config && !take_config(o))
		return EXIT_USAGE;
	if (!words[0])
		return run_pmc_input(o);
	for (size_t i = 0; i < N_SUBCOMMANDS; i++)
		if (strcmp(words[0], subcommands[i].name) == 0)
			return subcommands[i].run(o, words + 1);
	if (strchr(words[0], ' '))
		return run_pmc_syntax(o, words);
	tool_complain("%s: no such subcommand; see --help", words[0]);
	return EXIT_USAGE;
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
	int letter, status;

	occupy_standard_files();
	letter = take_options(argc, argv, &o);
	if (letter == 'h')
		print_help();
	if (letter == 'V')
		printf("pmc-client %s\n", PTPMON_VERSION);
	if (letter != 0)
		return letter == '?' ? EXIT_USAGE : flush(EXIT_GOOD);
	o.signals_fd = catch_signals();
	status = run(&o, argv + optind);
	free(o.config_socket);
	free(o.config_ro_socket);
	return flush(status);
}
