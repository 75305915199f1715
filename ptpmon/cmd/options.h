/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/cmd/options.h: the command line of a subcommand as a table of rows.
 *
 * One row is one option: it parses, it is what --help prints, and it checks the range. --help
 * itself (-h) is always there. What is wrong ends in one line on stderr and EXIT_USAGE.
 *
 *	const char *config = NULL;
 *	bool json = false;
 *	int64_t lasts_ns = 0;
 *	const struct option_row rows[] = {
 *		OPTION_CONFIG(&config),
 *		OPTION_JSON(&json),
 *		{"duration", 'D', "DURATION", "how long to run", take_duration, &lasts_ns,
 *		 .min = 0, .max = INT64_MAX},
 *	};
 *	const struct usage usage = {"latency [OPTION]...", "Measure wake-up latency.", ROWS(rows)};
 *	int first, status;
 *
 *	if (!options_parse(&usage, argc, argv, &first, &status))
 *		return status;
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/conf/conf.h"

enum { OPTION_WHY_MAX = 128 };

struct option_row;

/*
 * Reads text (NULL for a flag) into row->into. 0, or -EINVAL with the rest of the line to print,
 * "not a duration (5 s, 250 ms)", in why.
 */
typedef int (*option_take)(const struct option_row *row, const char *text,
			   char why[static OPTION_WHY_MAX]);

struct option_row {
	const char *name;     /* without its dashes */
	char letter;          /* its short form, or 0 */
	const char *argument; /* what --help calls its value; NULL: a flag */
	const char *help;     /* wrapped to fit */
	option_take take;
	void *into;
	int64_t min, max; /* for take_integer and take_duration */
};

struct usage {
	const char *synopsis; /* what follows "ptpmon ": "mark [OPTION]... TEXT" */
	const char *about;    /* a sentence or a few, wrapped to fit; an empty line stays */
	const struct option_row *rows;
	size_t n_rows;
	int min_operands, max_operands; /* max -1: any number */
	const char *epilogue;           /* printed last; may be NULL */
};

#define ROWS(a) .rows = (a), .n_rows = sizeof(a) / sizeof((a)[0])

int take_flag(const struct option_row *row, const char *text,
	      char why[static OPTION_WHY_MAX]); /* bool */
int take_text(const struct option_row *row, const char *text,
	      char why[static OPTION_WHY_MAX]); /* const char *, borrowed from argv */
int take_integer(const struct option_row *row, const char *text,
		 char why[static OPTION_WHY_MAX]); /* int64_t within min and max */
int take_duration(const struct option_row *row, const char *text,
		  char why[static OPTION_WHY_MAX]); /* int64_t ns within min and max */

/* clang-format off */
/* The options that several commands have: const char **, bool *, const char **. */
#define OPTION_CONFIG(p) \
	{"config", 'c', "FILE", "read this configuration", take_text, (p), 0, 0}
#define OPTION_JSON(p) \
	{"json", 'j', NULL, "print JSON", take_flag, (p), 0, 0}
#define OPTION_DB(p) \
	{"db", 'd', "FILE", "read this database instead of the configured one", take_text, (p), 0, 0}
/* clang-format on */

/*
 * Options and operands in any order; "--" ends the options. True: go on, the operands are
 * argv[*first] up to argv[argc - 1]. False: leave with *status, which is EXIT_GOOD after --help and
 * EXIT_USAGE after a line that says what is wrong.
 */
bool options_parse(const struct usage *usage, int argc, char **argv, int *first, int *status);

/* One line: "ptpmon NAME: " and the message. Returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int options_complain(const char *name, const char *fmt, ...);

/* config_load(); false after a line, as options_complain()'s, that says what is wrong with it. */
bool options_load_config(struct config *out, const char *name, const char *path);

/* The line for what config_load() or config_dump() returned. Returns EXIT_USAGE. */
int options_complain_config(const char *name, int result, const char *error);

/* What was printed has left: EXIT_GOOD; or EXIT_USAGE after a line that says why not. */
int options_flush(const char *name);
