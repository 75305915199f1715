/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/rivals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SOCKET "/var/run/ptp4l"

enum steers { STEERS_SYSTEM = 1, STEERS_PHC = 2, STEERS_BY_OPTION = 4 };

/* clang-format off */
static const struct {
	const char *comm;
	unsigned steers;
} programs[] = {
	{ "chronyd",         STEERS_SYSTEM },
	{ "systemd-timesyn", STEERS_SYSTEM },
	{ "ntpd",            STEERS_SYSTEM }, /* ntp, ntpsec, openntpd, busybox */
	{ "openntpd",        STEERS_SYSTEM },
	{ "ntpdate",         STEERS_SYSTEM },
	{ "sntp",            STEERS_SYSTEM },
	{ "ptpd",            STEERS_SYSTEM },
	{ "ptpd2",           STEERS_SYSTEM },
	{ "ts2phc",          STEERS_PHC },
	{ "timemaster",      STEERS_SYSTEM | STEERS_PHC },
	{ "phc2sys",         STEERS_BY_OPTION },
	{ "ptp4l",           STEERS_BY_OPTION },
};
/* clang-format on */

enum { N_PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

static size_t find(const char *comm)
{
	size_t i = 0;

	while (i < N_PROGRAMS && strcmp(programs[i].comm, comm) != 0)
		i++;
	return i;
}

bool rival_is_known(const char *comm)
{
	return find(comm) < N_PROGRAMS;
}

/* Whether word i is this short option; its value, in the word itself or the next one, if it takes
 * one. */
static bool is_short(const char *const *words, size_t n, size_t i, char option, const char **value)
{
	const char *w = words[i];

	if (w[0] != '-' || w[1] != option)
		return false;
	if (value)
		*value = w[2] ? w + 2 : i + 1 < n ? words[i + 1] : "";
	return value || !w[2];
}

static bool has_flag(const char *const *words, size_t n, char option)
{
	for (size_t i = 1; i < n; i++)
		if (is_short(words, n, i, option, NULL))
			return true;
	return false;
}

static const char *value_of(const char *const *words, size_t n, char option, const char *fallback)
{
	const char *value = fallback;

	for (size_t i = 1; i < n; i++)
		(void)is_short(words, n, i, option, &value);
	return value;
}

/* --name=value or --name value */
static const char *long_value_of(const char *const *words, size_t n, const char *name,
				 const char *fallback)
{
	size_t len = strlen(name);
	const char *value = fallback;

	for (size_t i = 1; i < n; i++) {
		if (strncmp(words[i], "--", 2) != 0 || strncmp(words[i] + 2, name, len) != 0)
			continue;
		if (words[i][2 + len] == '=')
			value = words[i] + 3 + len;
		else if (!words[i][2 + len] && i + 1 < n)
			value = words[i + 1];
	}
	return value;
}

static bool names_our_port(const char *const *words, size_t n, const struct rivals_ours *ours)
{
	const char *value;

	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < ours->n_ports && is_short(words, n, i, 'i', &value); k++)
			if (strcmp(value, ours->ports[k]) == 0)
				return true;
	return false;
}

static unsigned steered_by_phc2sys(const char *const *words, size_t n)
{
	const char *sink = value_of(words, n, 'c', "CLOCK_REALTIME");

	if (has_flag(words, n, 'a')) /* -r: CLOCK_REALTIME is one of the clocks */
		return STEERS_PHC | (has_flag(words, n, 'r') ? STEERS_SYSTEM : 0U);
	return strcmp(sink, "CLOCK_REALTIME") == 0 ? STEERS_SYSTEM : STEERS_PHC;
}

/* Which interfaces its file names is not known. */
static unsigned steered_by_ptp4l(const char *const *words, size_t n, const struct rivals_ours *ours)
{
	bool software = has_flag(words, n, 'S') ||
			strcmp(long_value_of(words, n, "time_stamping", ""), "software") == 0;
	bool elsewhere = *value_of(words, n, 'i', "") && !names_our_port(words, n, ours);

	if (software)
		return STEERS_SYSTEM;
	return elsewhere ? 0 : STEERS_PHC;
}

enum rival_verdict rival_judge(const char *comm, const char *const *words, size_t n_words,
			       const struct rivals_ours *ours, char why[static RIVAL_WHY_MAX])
{
	size_t i = find(comm);
	unsigned steers;

	if (i == N_PROGRAMS)
		return RIVAL_UNKNOWN;
	steers = programs[i].steers;
	if (strcmp(comm, "ptp4l") == 0 && names_our_port(words, n_words, ours)) {
		(void)snprintf(why, RIVAL_WHY_MAX, "runs PTP on a port of ours");
		return RIVAL_RIVAL;
	}
	if (strcmp(comm, "phc2sys") == 0)
		steers = steered_by_phc2sys(words, n_words);
	else if (strcmp(comm, "ptp4l") == 0)
		steers = steered_by_ptp4l(words, n_words, ours);
	if (steers & STEERS_SYSTEM && ours->system)
		(void)snprintf(why, RIVAL_WHY_MAX, "steers CLOCK_REALTIME as well");
	else if (steers & STEERS_PHC && ours->phc)
		(void)snprintf(why, RIVAL_WHY_MAX, "may steer the same hardware clock");
	else
		return RIVAL_HARMLESS;
	return RIVAL_RIVAL;
}

/* NULL: none of ours listens there. */
static const struct rivals_ptp4l *ours_on(const char *path, const struct rivals_ours *ours)
{
	for (size_t i = 0; i < ours->n_ptp4l; i++)
		if (strcmp(ours->ptp4l[i].socket, path) == 0)
			return &ours->ptp4l[i];
	return NULL;
}

bool rival_waits_in_vain(const char *comm, const char *const *words, size_t n_words,
			 const struct rivals_ours *ours, char why[static RIVAL_WHY_MAX])
{
	const char *socket = value_of(words, n_words, 'z', DEFAULT_SOCKET);
	const struct rivals_ptp4l *asked = ours_on(socket, ours);
	unsigned long domain = strtoul(value_of(words, n_words, 'n', "0"), NULL, 0);
	unsigned long specific =
		strtoul(long_value_of(words, n_words, "transportSpecific", "0"), NULL, 0);

	if (strcmp(comm, "phc2sys") != 0 ||
	    (!has_flag(words, n_words, 'w') && !has_flag(words, n_words, 'a')))
		return false;
	if (!asked)
		(void)snprintf(why, RIVAL_WHY_MAX, "it asks on %.60s: -z names another socket",
			       socket);
	else if (domain != asked->domain)
		(void)snprintf(why, RIVAL_WHY_MAX, "its domain is %lu, ptp4l's %u: -n", domain,
			       asked->domain);
	else if (specific != asked->transport_specific)
		(void)snprintf(why, RIVAL_WHY_MAX,
			       "its transportSpecific is %lu, ptp4l's %u: --transportSpecific",
			       specific, asked->transport_specific);
	else
		return false;
	return true;
}
