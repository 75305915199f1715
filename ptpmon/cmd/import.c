// SPDX-License-Identifier: GPL-2.0-or-later
/* ptpmon import: what was measured elsewhere, as runs of a database of its own. */
#include "ptpmon/import/import.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/report/clean.h"

/* The database of the service that is configured here, if any is. */
static bool is_of_the_service(const char *database)
{
	CLEANUP(freep) struct config *config = calloc(1, sizeof(*config));
	char error[CONFIG_ERROR_MAX];
	char path[CONFIG_PATH_MAX];
	struct stat a;
	struct stat b;

	return config && config_load(config, NULL, error) == 0 && stat(database, &a) == 0 &&
	       stat(config_database_path(config, path), &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static void print_counts(const struct import_result *r)
{
	const struct {
		uint64_t n;
		const char *what;
	} counts[] = {
		{r->samples, "offsets"},
		{r->summaries, "summary lines"},
		{r->states, "changes of port state"},
		{r->notices, "other lines recorded"},
		{r->chatter, "lines of no interest"},
		{r->strange, "lines not understood"},
		{r->threads, "threads"},
		{r->wakeups, "wake-ups"},
	};
	const char *separator = "";

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (counts[i].n > 0) {
			(void)printf("%s%" PRIu64 " %s", separator, counts[i].n, counts[i].what);
			separator = ", ";
		}
	(void)printf("%s\n", *separator ? "" : "empty");
}

static void print_text(const char *path, const struct import_result *r)
{
	if (r->first_run == 0)
		(void)printf("%s: no run: ", path);
	else if (r->first_run == r->last_run)
		(void)printf("%s: run %" PRId64 ": ", path, r->first_run);
	else
		(void)printf("%s: runs %" PRId64 " to %" PRId64 ", of as many boots: ", path,
			     r->first_run, r->last_run);
	print_counts(r);
	for (uint64_t i = 0; i < r->strange && i < IMPORT_SHOWN_MAX; i++)
		(void)printf("  line %" PRIu64 ": %s\n", r->shown[i].line, r->shown[i].text);
	if (r->strange > IMPORT_SHOWN_MAX)
		(void)printf("  and %" PRIu64 " more\n", r->strange - IMPORT_SHOWN_MAX);
}

/* False without memory. */
static bool print_json(const char *path, const struct import_result *r)
{
	json_t *strange = json_array();
	json_auto_t *object = NULL;

	for (uint64_t i = 0; i < r->strange && i < IMPORT_SHOWN_MAX; i++)
		(void)json_array_append_new(strange, json_pack("{sI ss}", "line",
							       (json_int_t)r->shown[i].line, "text",
							       r->shown[i].text));
	object = json_pack(
		"{ss ss ss so so sI sI sI sI sI sI sI sI sI so}", "schema", "ptpmon.import/1",
		"file", path, "kind", r->kind == IMPORT_LOG ? "log" : "cyclictest", "first_run",
		r->first_run ? json_integer(r->first_run) : json_null(), "last_run",
		r->last_run ? json_integer(r->last_run) : json_null(), "lines",
		(json_int_t)r->lines, "offsets", (json_int_t)r->samples, "summaries",
		(json_int_t)r->summaries, "port_states", (json_int_t)r->states, "other_recorded",
		(json_int_t)r->notices, "of_no_interest", (json_int_t)r->chatter, "not_understood",
		(json_int_t)r->strange, "threads", (json_int_t)r->threads, "wakeups",
		(json_int_t)r->wakeups, "not_understood_first", strange);
	if (!object)
		return false;
	(void)json_dumpf(object, stdout, JSON_COMPACT);
	(void)putchar('\n');
	return true;
}

/* All files that can be; the worst status. */
static int import_all(const char *command, const struct import_options *options, char **files,
		      bool json)
{
	int status = EXIT_GOOD;

	for (; *files; files++) {
		struct import_result r;
		char why[STORE_ERROR_MAX] = "";
		char name[PATH_MAX]; /* of a file: any octets */
		bool printed = true;

		if (import_file(options, *files, &r, why) < 0) {
			status = options_complain(command, "%s", why);
			continue;
		}
		CLEAN(name, *files);
		if (json)
			printed = print_json(name, &r);
		else
			print_text(name, &r);
		if (!printed)
			status = options_complain(command, "%s: cannot be told as JSON", name);
		if (r.first_run == 0 && status == EXIT_GOOD)
			status = EXIT_BAD;
	}
	return options_flush(command) == EXIT_GOOD ? status : EXIT_USAGE;
}

int cmd_import(int argc, char **argv)
{
	struct import_options options = {0};
	bool json = false;
	/* clang-format off */
	const struct option_row rows[] = {
		{"db", 'd', "FILE", "the database to import into, made if it is missing", take_text,
		 &options.database, 0, 0},
		{"label", 'l', "TEXT", "the label of the runs (the name of the file)", take_text, &options.label, 0, 0},
		{"interval", 'i', "DURATION", "at which cyclictest measured (-i), for its text", take_duration,
		 &options.interval_ns, 0, INT64_C(3600000000000)},
		{"nanoseconds", 'N', NULL, "cyclictest measured in nanoseconds (-N), for its text", take_flag,
		 &options.nanoseconds, 0, 0},
		OPTION_JSON(&json),
	};
	/* clang-format on */
	const struct usage usage = {
		.synopsis = "import --db FILE [OPTION]... FILE...",
		.about = "Import logs of ptp4l, phc2sys and ts2phc, and histograms of cyclictest "
			 "(text or\nJSON), each file as a run. Lines that are not understood are "
			 "counted and shown.",
		ROWS(rows),
		.min_operands = 1,
		.max_operands = -1,
		.epilogue =
			"Exit status: 0 all imported, 1 a file had nothing to import, 2 usage or "
			"a file could\nnot be imported.",
	};
	int first;
	int status;

	if (!options_parse(&usage, argc, argv, &first, &status))
		return status;
	if (!options.database)
		return options_complain(argv[0], "say with --db into which database");
	if (is_of_the_service(options.database))
		return options_complain(argv[0], "%s is the service's: import into one of its own",
					options.database);
	return import_all(argv[0], &options, argv + first, json);
}
