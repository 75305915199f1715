// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/cmd/recorded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/exit_status.h"
#include "ptpmon/base/nsec.h"

int recorded_take_when(const struct option_row *row, const char *text,
		       char why[static OPTION_WHY_MAX])
{
	struct recorded_when *when = row->into;

	if (nsec_parse_utc(text, &when->ns) == 0) {
		when->kind = WHEN_UTC;
		return 0;
	}
	if (nsec_parse_duration(text, &when->ns) == 0) {
		when->kind = WHEN_BEFORE_END;
		return 0;
	}
	(void)snprintf(why, OPTION_WHY_MAX,
		       "neither a time such as 2026-03-01T22:00:00Z nor a duration such as 10min");
	return -EINVAL;
}

int64_t recorded_resolve(const struct query *q, const struct recorded_when *when)
{
	size_t n;
	const struct clock_anchor *anchors = query_anchors(q, &n);

	switch (when->kind) {
	case WHEN_UTC:
		return timemap_to_mono(anchors, n, when->ns);
	case WHEN_BEFORE_END:
		return query_run(q)->newest_mono_ns - when->ns;
	case WHEN_NOT_GIVEN:
		break;
	}
	return TIME_UNKNOWN;
}

bool recorded_has_clock(const char *command, const struct query *q,
			const struct recorded_when *when)
{
	size_t n;

	(void)query_anchors(q, &n);
	if (n > 0 || when->kind != WHEN_UTC)
		return true;
	(void)options_complain(command,
			       "run %" PRId64 " has not noted the time: --since and --until "
			       "take only durations for it",
			       query_run(q)->id);
	return false;
}

/* FILE.db or FILE.db:RUN: the configuration has no say then. */
static bool names_a_file(const char *run)
{
	const char *suffix = run ? strstr(run, ".db") : NULL;

	while (suffix && suffix[3] && suffix[3] != ':')
		suffix = strstr(suffix + 1, ".db");
	return suffix;
}

int recorded_database(const char *command, const char *config, const char *db,
		      char path[static CONFIG_PATH_MAX], const char **out)
{
	CLEANUP(freep) struct config *c = NULL;

	*out = db;
	if (db)
		return EXIT_GOOD;
	c = calloc(1, sizeof(*c));
	if (!c)
		return options_complain(command, "%s", strerror(ENOMEM));
	if (!options_load_config(c, command, config))
		return EXIT_USAGE;
	*out = config_database_path(c, path);
	return EXIT_GOOD;
}

int recorded_open(const char *command, const char *config, const char *db, const char *run,
		  struct query **out)
{
	char path[CONFIG_PATH_MAX] = "";
	char why[QUERY_ERROR_MAX];
	const char *database = db;

	if (!names_a_file(run) &&
	    recorded_database(command, config, db, path, &database) != EXIT_GOOD)
		return EXIT_USAGE;
	if (query_open(out, database, run, why) < 0)
		return options_complain(command, "%s", why);
	return EXIT_GOOD;
}

void recorded_boot_id(char out[static RECORDED_BOOT_ID_MAX])
{
	CLEANUP(fclosep) FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	*out = '\0';
	if (f && fgets(out, RECORDED_BOOT_ID_MAX, f))
		out[strcspn(out, "\n")] = '\0';
}
