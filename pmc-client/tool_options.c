// SPDX-License-Identifier: LGPL-2.1-or-later
/* The options of the pmc-client command, as a table: one row each. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "pmc-client/tool.h"

struct option_row;
typedef bool take_fn(const struct option_row *row, const char *value, struct tool_options *o);

static take_fn take_nothing, take_flag, take_text, take_number, take_octet, take_time, take_count,
	take_domains, take_interface, take_events, take_clock, take_identity, take_destination,
	take_kind;

struct option_row {
	const char *name;
	const char *value; /* NULL: none; "": may be left out */
	const char *help;
	take_fn *take;
	size_t member; /* of struct tool_options */
	long max;      /* of a number */
	int base;
	char letter;
};

/* clang-format off */
#define NUMBER(m, base, max) offsetof(struct tool_options, m), max, base
#define MEMBER(m)            NUMBER(m, 0, 0)
#define KIND(k)              k, 0, 0
#define NONE                 0, 0, 0

static const struct option_row rows[] = {
	{ "socket",             "PATH", "ptp4l's uds_address (default: its usual places)", take_text, MEMBER(socket), 's' },
	{ "interface",          "NAME", "ask the clocks of this network, not a socket", take_interface, NONE, 'i' },
	{ "l2",                 NULL,   "... over IEEE 802.3", take_kind, KIND(PMC_L2), '2' },
	{ "udp4",               NULL,   "... over UDP/IPv4, which is the default", take_kind, KIND(PMC_UDP4), '4' },
	{ "udp6",               NULL,   "... over UDP/IPv6", take_kind, KIND(PMC_UDP6), '6' },
	{ "domain",             "N",    "domainNumber (default: 0, else the one that answers)", take_domains, NONE, 'd' },
	{ "transport-specific", "HEX",  "transportSpecific (default: 0, else the one that answers)", take_number, NUMBER(transport_specific, 16, 15), 't' },
	{ "clock",              "ID",   "this clock only (default: all)", take_clock, NONE, 'c' },
	{ "port",               "N",    "this port only (default: all)", take_number, NUMBER(port, 10, PTP_PORT_ALL), 'p' },
	{ "boundary-hops",      "N",    "ask clocks so many boundary clocks away, too (default: 0)", take_octet, NUMBER(boundary_hops, 10, 255), 'b' },
	{ "destination",        "MAC",  "of -2 (default: 01:1b:19:00:00:00)", take_destination, NONE, 'D' },
	{ "ttl",                "N",    "hop limit of -4 and -6 (default: 1)", take_octet, NUMBER(network.hop_limit, 10, 255), 'L' },
	{ "udp6-scope",         "HEX",  "of the group of -6 (default: e)", take_octet, NUMBER(network.udp6_scope, 16, 15), 'S' },
	{ "allow-set",          NULL,   "let set and command change other clocks ...", take_flag, MEMBER(allow_set), 'W' },
	{ "allow-set-remote",   NULL,   "... over a network; both are needed", take_flag, MEMBER(allow_set_remote), 'R' },
	{ "own-identity",       "ID",   "who asks (default: a random clock identity)", take_identity, NONE, 'O' },
	{ "own-socket",         "PATH", "own socket file (default: beside ptp4l's)", take_text, MEMBER(own_path), 'o' },
	{ "timeout",            "TIME", "how long to wait for answers (default: 1 s)", take_time, MEMBER(timeout_ns), 'T' },
	{ "interval",           "TIME", "of watch (default: 1 s)", take_time, MEMBER(interval_ns), 'I' },
	{ "count",              "N",    "of watch: end after so many rounds or events", take_count, NONE, 'n' },
	{ "events",             "",     "of watch: port-state, time-sync, parent-data-set, cmlds", take_events, NONE, 'e' },
	{ "config",             "FILE", "ptp4l's, for socket, domain, transportSpecific", take_text, MEMBER(config), 'f' },
	{ "fields",             NULL,   "of list: with fields and units", take_flag, MEMBER(fields), 'F' },
	{ "json",               NULL,   "JSON output", take_flag, MEMBER(json), 'j' },
	{ "uds",                NULL,   "does nothing: pmc's option for what is the default here", take_nothing, NONE, 'u' },
	{ "zero-length",        NULL,   "does nothing, likewise", take_nothing, NONE, 'z' },
	{ "help",               NULL,   "this text", take_nothing, NONE, 'h' },
	{ "version",            NULL,   "version of pmc-client", take_nothing, NONE, 'V' },
};
/* clang-format on */

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

void print_options(void)
{
	for (size_t i = 0; i < N_ROWS; i++)
		printf("  -%c, --%-18s %-5s %s\n", rows[i].letter, rows[i].name,
		       rows[i].value ? rows[i].value : "", rows[i].help);
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

static void *member_of(const struct option_row *row, struct tool_options *o)
{
	return (char *)o + row->member;
}

/* pmc's, which say what is so anyway */
static bool take_nothing(const struct option_row *row, const char *value, struct tool_options *o)
{
	return true;
}

static bool take_flag(const struct option_row *row, const char *value, struct tool_options *o)
{
	*(bool *)member_of(row, o) = true;
	return true;
}

static bool take_text(const struct option_row *row, const char *value, struct tool_options *o)
{
	memcpy(member_of(row, o), &value, sizeof(value));
	return true;
}

static bool take_number(const struct option_row *row, const char *value, struct tool_options *o)
{
	int number;

	if (!parse_number(value, row->base, row->max, &number))
		return false;
	memcpy(member_of(row, o), &number, sizeof(number));
	return true;
}

static bool take_octet(const struct option_row *row, const char *value, struct tool_options *o)
{
	int number;

	if (!parse_number(value, row->base, row->max, &number))
		return false;
	*(uint8_t *)member_of(row, o) = (uint8_t)number;
	return true;
}

static bool take_count(const struct option_row *row, const char *value, struct tool_options *o)
{
	int number;

	if (!parse_number(value, 10, INT32_MAX, &number))
		return false;
	o->count = (unsigned int)number;
	return true;
}

/* "250 ms", "1s": a number with its unit. */
static bool take_time(const struct option_row *row, const char *value, struct tool_options *o)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"min", 60000000000}};
	char *end;
	double number = strtod(value, &end);

	if (end == value || !(number > 0 && number < 1e6))
		return false;
	while (*end == ' ')
		end++;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].unit) == 0) {
			int64_t ns = (int64_t)(number * (double)units[i].ns);

			memcpy(member_of(row, o), &ns, sizeof(ns));
			return ns > 0;
		}
	return false;
}

/* "24", "0,24", "24-43": the first one is .domain. */
static bool take_domains(const struct option_row *row, const char *value, struct tool_options *o)
{
	char list[256], *rest = list, *word;

	if (snprintf(list, sizeof(list), "%s", value) >= (int)sizeof(list))
		return false;
	while ((word = strtok_r(rest, ",", &rest))) {
		char *dash = strchr(word, '-');
		int first, last;

		if (dash)
			*dash++ = '\0';
		if (!parse_number(word, 10, UINT8_MAX, &first) ||
		    !parse_number(dash ? dash : word, 10, UINT8_MAX, &last) || first > last)
			return false;
		if (o->domain < 0)
			o->domain = first;
		for (; first <= last; first++) {
			o->n_domains += !o->domains[first];
			o->domains[first] = true;
		}
	}
	return o->n_domains > 0;
}

/* As with pmc, a path is the own socket's. */
static bool take_interface(const struct option_row *row, const char *value, struct tool_options *o)
{
	if (value[0] == '/')
		o->own_path = value;
	else
		o->network.interface = value;
	return value[0] != '\0';
}

static bool take_kind(const struct option_row *row, const char *value, struct tool_options *o)
{
	o->network.kind = (enum pmc_network_kind)row->member;
	o->kind_chosen = true;
	return true;
}

static bool take_events(const struct option_row *row, const char *value, struct tool_options *o)
{
	o->events = value ? value : "port-state,time-sync,parent-data-set,cmlds";
	return true;
}

static bool take_clock(const struct option_row *row, const char *value, struct tool_options *o)
{
	return ptp_clock_identity_parse(value, &o->clock) == 0;
}

static bool take_identity(const struct option_row *row, const char *value, struct tool_options *o)
{
	o->own_identity_given = true;
	return ptp_clock_identity_parse(value, &o->own_identity) == 0;
}

static bool take_destination(const struct option_row *row, const char *value,
			     struct tool_options *o)
{
	for (size_t i = 0; i < PMC_ETHERNET_ADDRESS; i++) {
		char octet[3] = {0};
		int number;

		memcpy(octet, value, strnlen(value, 2));
		if (octet[0] == '+' || octet[0] == ' ' ||
		    !parse_number(octet, 16, UINT8_MAX, &number))
			return false;
		o->destination[i] = (uint8_t)number;
		value += strlen(octet);
		if (*value != (i + 1 < PMC_ETHERNET_ADDRESS ? ':' : '\0'))
			return false;
		value++;
	}
	o->network.destination = o->destination;
	return true;
}

/* What getopt_long() wants to know. */
static void describe(struct option longs[N_ROWS + 1], char letters[3 * N_ROWS + 1])
{
	size_t at = 0;

	for (size_t i = 0; i < N_ROWS; i++) {
		int has = !rows[i].value     ? no_argument
			  : rows[i].value[0] ? required_argument
					     : optional_argument;

		longs[i] = (struct option){
			.name = rows[i].name, .has_arg = has, .val = rows[i].letter};
		at += (size_t)snprintf(letters + at, 4, "%c%.*s", rows[i].letter, has, "::");
	}
}

int take_options(int argc, char **argv, struct tool_options *o)
{
	struct option longs[N_ROWS + 1] = {0};
	char letters[3 * N_ROWS + 1] = "";
	int letter;

	describe(longs, letters);
	while ((letter = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct option_row *row = rows;

		while (row < rows + N_ROWS && row->letter != letter)
			row++;
		if (row == rows + N_ROWS) /* getopt has said what is wrong */
			return '?';
		if (!row->take(row, optarg, o)) {
			tool_complain("-%c %s: not a value for it", letter, optarg);
			return '?';
		}
		if (letter == 'h' || letter == 'V')
			return letter;
	}
	return 0;
}
