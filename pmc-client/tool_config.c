// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ptp4l's own configuration file, which pmc takes, too: of its [global] section the keys that say
 * how this ptp4l is reached. What the command line says goes before it; the rest is ptp4l's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "pmc-client/tool.h"

struct key {
	const char *name;
	bool (*take)(struct tool_options *o, const char *value);
};

static bool replace(char **text, const char *value)
{
	free(*text);
	*text = strdup(value);
	return *text != NULL;
}

static bool take_socket(struct tool_options *o, const char *value)
{
	return replace(&o->config_socket, value);
}

static bool take_read_only_socket(struct tool_options *o, const char *value)
{
	return replace(&o->config_ro_socket, value);
}

/* Decimal, hexadecimal or octal, as ptp4l reads it; -1: not such a number. */
static int small_number(const char *value, long max)
{
	char *end;
	long number = strtol(value, &end, 0);

	return end == value || *end || number < 0 || number > max ? -1 : (int)number;
}

static bool take_domain(struct tool_options *o, const char *value)
{
	int domain = small_number(value, UINT8_MAX);

	if (domain < 0)
		return false;
	if (o->n_domains > 0)
		return true;
	o->domain = domain;
	o->domains[domain] = true;
	o->n_domains = 1;
	return true;
}

static bool take_transport_specific(struct tool_options *o, const char *value)
{
	int specific = small_number(value, 15);

	if (o->transport_specific < 0)
		o->transport_specific = specific;
	return specific >= 0;
}

/* clang-format off */
static const struct key keys[] = {
	{ "uds_address",       take_socket },
	{ "uds_ro_address",    take_read_only_socket },
	{ "domainNumber",      take_domain },
	{ "transportSpecific", take_transport_specific },
};
/* clang-format on */

static bool take_line(struct tool_options *o, char *line)
{
	char *rest = line, *name = strtok_r(rest, " \t\r\n", &rest);
	char *value = strtok_r(rest, " \t\r\n", &rest);

	for (size_t i = 0; name && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcasecmp(name, keys[i].name) == 0)
			return value && keys[i].take(o, value);
	return true;
}

bool take_config(struct tool_options *o)
{
	FILE *f = fopen(o->config, "re");
	unsigned int number = 0;
	bool global = false, good = true;
	char *line = NULL;
	size_t size = 0;
	int error = 0;

	if (!f) {
		tool_complain("%s: %s", o->config, strerror(errno));
		return false;
	}
	while (good && (errno = 0, getline(&line, &size, f)) >= 0) {
		const char *start = line + strspn(line, " \t");

		number++;
		if (*start == '[')
			global = strncasecmp(start, "[global]", 8) == 0;
		else if (global && *start != '#')
			good = take_line(o, line);
	}
	if (ferror(f))
		error = errno;
	if (!good)
		tool_complain("%s: line %u: not a value for it", o->config, number);
	else if (error)
		tool_complain("%s: %s", o->config, strerror(error));
	free(line);
	(void)fclose(f);
	return good && !error;
}
