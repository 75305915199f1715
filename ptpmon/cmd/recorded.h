/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/cmd/recorded.h: the run, the database and the times that a command line names, for the
 * commands that read the record.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/cmd/options.h"
#include "ptpmon/store/query.h"

/* A moment as asked for: in UTC, or so long before the newest moment of the run. */
struct recorded_when {
	enum { WHEN_NOT_GIVEN, WHEN_UTC, WHEN_BEFORE_END } kind;
	int64_t ns;
};

/* An option_take for a struct recorded_when: "2026-03-01T22:00:00Z", or a duration. */
int recorded_take_when(const struct option_row *row, const char *text,
		       char why[static OPTION_WHY_MAX]);

/* The moment on the run's axis; TIME_UNKNOWN if none was given. */
int64_t recorded_resolve(const struct query *q, const struct recorded_when *when);

/*
 * A time in UTC means nothing in a run that was killed before it noted the wall clock: false then,
 * after a line that says so.
 */
bool recorded_has_clock(const char *command, const struct query *q,
			const struct recorded_when *when);

/*
 * The database: db if given, else the one of the configuration, in path. EXIT_GOOD, or EXIT_USAGE
 * after a line that says what is wrong.
 */
int recorded_database(const char *command, const char *config, const char *db,
		      char path[static CONFIG_PATH_MAX], const char **out);

/*
 * Opens a run (NULL: the last; FILE.db[:RUN] needs neither db nor configuration). EXIT_GOOD, or
 * EXIT_USAGE after a line that says what is wrong.
 */
int recorded_open(const char *command, const char *config, const char *db, const char *run,
		  struct query **out);

enum { RECORDED_BOOT_ID_MAX = 64 };

/* The boot of this machine; "" if it does not tell. */
void recorded_boot_id(char out[static RECORDED_BOOT_ID_MAX]);
