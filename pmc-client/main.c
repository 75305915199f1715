// SPDX-License-Identifier: LGPL-2.1-or-later
/* The pmc-client command: options and the table of subcommands. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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
	{ "list",    run_list,    "[ID...]",               "what can be asked for, fields and units" },
};

static const struct option_row {
	char letter;
	const char *name;
	const char *value; /* NULL: none */
	const char *help;
} option_rows[] = {
	{ 's', "socket",             "PATH", "ptp4l's uds_address (default: its usual places)" },
	{ 'd', "domain",             "N",    "domainNumber (default: 0, else the one that answers)" },
	{ 't', "transport-specific", "HEX",  "transportSpecific (default: 0, else the one that answers)" },
	{ 'p', "port",               "N",    "this port only (default: all)" },
	{ 'b', "boundary-hops",      "N",    "ask clocks so many boundary clocks away, too (default: 0)" },
	{ 'i', "own-socket",         "PATH", "own socket file (default: beside ptp4l's)" },
	{ 'T', "timeout",            "TIME", "how long to wait for answers (default: 1 s)" },
	{ 'I', "interval",           "TIME", "of watch (default: 1 s)" },
	{ 'n', "count",              "N",    "of watch: end after so many rounds or events" },
	{ 'e', "events",             "",     "of watch: port-state, time-sync, parent-data-set, cmlds" },
	{ 'f', "fields",             NULL,   "of list: with fields and units" },
	{ 'j', "json",               NULL,   "JSON output" },
	{ 'u', "uds",                NULL,   "does nothing: pmc's option for what is always done here" },
	{ 'z', "zero-length",        NULL,   "does nothing, likewise" },
	{ 'h', "help",               NULL,   "this text" },
	{ 'V', "version",            NULL,   "version of pmc-client" },
};
/* clang-format on */

enum {
	N_SUBCOMMANDS = sizeof(subcommands) / sizeof(subcommands[0]),
	N_OPTIONS = sizeof(option_rows) / sizeof(option_rows[0]),
};

static void print_help(void)
{
	printf("usage: pmc-client [OPTION...] SUBCOMMAND WORD...\n"
	       "       pmc-client [OPTION...] 'GET ID'... (the commands of linuxptp's pmc)\n\n");
	for (size_t i = 0; i < N_SUBCOMMANDS; i++)
		printf("  %-8s %-22s %s\n", subcommands[i].name, subcommands[i].words,
		       subcommands[i].help);
	(void)putchar('\n');
	for (size_t i = 0; i < N_OPTIONS; i++)
		printf("  -%c, --%-18s %-5s %s\n", option_rows[i].letter, option_rows[i].name,
		       option_rows[i].value ? option_rows[i].value : "", option_rows[i].help);
}

static bool parse_number(const char *text, int base, long max, int *out)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, base);
	if (errno || end == text || *end || value < 0 || value > max)
		return false;
	*out = (int)value;
	return true;
}

/* "250 ms", "1s": a number with its unit. */
static bool parse_time(const char *text, int64_t *out)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"min", 60000000000}};
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(value > 0 && value < 1e6))
		return false;
	while (*end == ' ')
		end++;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].unit) == 0) {
			*out = (int64_t)(value * (double)units[i].ns);
			return *out > 0;
		}
	return false;
}

static bool take_option(int letter, const char *value, struct tool_options *o)
{
	int number = 0;
	bool good = true;

	switch (letter) {
	case 's':
		o->socket = value;
		break;
	case 'd':
		good = parse_number(value, 10, 255, &o->domain);
		break;
	case 't':
		good = parse_number(value, 16, 15, &o->transport_specific);
		break;
	case 'p':
		good = parse_number(value, 10, PTP_PORT_ALL, &o->port);
		break;
	case 'b':
		good = parse_number(value, 10, 255, &number);
		o->boundary_hops = (uint8_t)number;
		break;
	case 'i':
		o->own_path = value;
		break;
	case 'T':
		good = parse_time(value, &o->timeout_ns);
		break;
	case 'I':
		good = parse_time(value, &o->interval_ns);
		break;
	case 'n':
		good = parse_number(value, 10, INT32_MAX, &number);
		o->count = (unsigned int)number;
		break;
	case 'e':
		o->events = value ? value : "port-state,time-sync,parent-data-set,cmlds";
		break;
	case 'f':
		o->fields = true;
		break;
	case 'j':
		o->json = true;
		break;
	default: /* pmc's, which say what is so anyway */
		break;
	}
	if (!good)
		tool_complain("-%c %s: not a value for it", letter, value);
	return good;
}

/* -1: go on; else the exit status. */
static int take_options(int argc, char **argv, struct tool_options *o)
{
	struct option longs[N_OPTIONS + 1] = {0};
	char letters[3 * N_OPTIONS + 1] = "";
	size_t at = 0;
	int letter;

	for (size_t i = 0; i < N_OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];
		int has = !row->value     ? no_argument
			  : row->value[0] ? required_argument
					  : optional_argument;

		longs[i] = (struct option){.name = row->name, .has_arg = has, .val = row->letter};
		at += (size_t)snprintf(letters + at, sizeof(letters) - at, "%c%.*s", row->letter,
				       has, "::");
	}
	while ((letter = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (letter == 'h') {
			print_help();
			return EXIT_GOOD;
		}
		if (letter == 'V') {
			printf("pmc-client %s\n", PTPMON_VERSION);
			return EXIT_GOOD;
		}
		if (letter == '?' || !take_option(letter, optarg, o))
			return EXIT_USAGE;
	}
	return -1;
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
		.timeout_ns = 1000000000,
		.interval_ns = 1000000000,
	};
	int status = take_options(argc, argv, &o);
	char **words = argv + optind;

	if (status >= 0)
		return status;
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
