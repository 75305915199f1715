// SPDX-License-Identifier: GPL-2.0-or-later
/* ptpmon runs: what is recorded, and what it costs. */
#include "ptpmon/store/runs.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/cmd/recorded.h"
#include "ptpmon/report/clean.h"

#define DAY_NS         (INT64_C(86400) * NSEC_PER_SEC)
#define LEAST_NS       (60 * NSEC_PER_SEC) /* less tells nothing about a day */
#define STILL_THERE_NS (60 * NSEC_PER_SEC) /* more than any flush interval that makes sense */

enum { AMOUNT_MAX = 32, LABEL_MAX = 64, STATE_MAX = 24 };

/* The list on its way out. */
struct listing {
	char boot_id[RECORDED_BOOT_ID_MAX];
	int64_t now_mono_ns;
	struct strbuf *text; /* or */
	json_t *json;
	uint64_t n;
};

/* "stopped", "recording", or what became of one that did not end. */
static const char *state_of(const struct listing *l, const struct run_facts *run,
			    char out[static STATE_MAX])
{
	if (run->how) {
		clean_copy(out, STATE_MAX, run->how);
		return out;
	}
	return run->may_go_on && strcmp(run->boot_id, l->boot_id) == 0 &&
			       l->now_mono_ns - run->newest_mono_ns < STILL_THERE_NS
		       ? "recording"
		       : "killed";
}

/* Octets in a day at the rate of the run; -1 if that is not known. */
static int64_t a_day(const struct run_facts *run, int64_t bytes)
{
	int64_t lasted_ns = run->newest_mono_ns - run->start_mono_ns;

	if (bytes == TIME_UNKNOWN || bytes < 0 || lasted_ns < LEAST_NS)
		return -1;
	return (int64_t)((double)bytes / (double)lasted_ns * (double)DAY_NS);
}

/* "512", "51.2 k", "5.12 M": three digits. */
static const char *amount(double value, char out[static AMOUNT_MAX])
{
	static const char *const units[] = {"", " k", " M", " G", " T"};
	size_t unit = 0;

	while (value >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1000;
		unit++;
	}
	(void)snprintf(out, AMOUNT_MAX, "%.*f%s",
		       unit == 0 || value >= 100 ? 0
		       : value >= 10             ? 1
						 : 2,
		       value, units[unit]);
	return out;
}

/* The same with its unit: "131 kB", "0 B". */
static const char *octets(int64_t bytes, char out[static AMOUNT_MAX])
{
	char number[AMOUNT_MAX];

	(void)snprintf(out, AMOUNT_MAX, "%.24s%sB", amount((double)bytes, number),
		       bytes < 1000 ? " " : "");
	return out;
}

static const char *daily(const struct run_facts *run, int64_t bytes, char out[static AMOUNT_MAX])
{
	int64_t day = a_day(run, bytes);

	return day < 0 ? "-" : amount((double)day, out);
}

static int add_line(void *userdata, const struct run_facts *run)
{
	struct listing *l = userdata;
	char began[NSEC_TEXT_MAX] = "-";
	char lasted[NSEC_TEXT_MAX];
	char rows[AMOUNT_MAX];
	char data[AMOUNT_MAX];
	char written[AMOUNT_MAX];
	char label[LABEL_MAX];
	char state[STATE_MAX];

	if (l->n++ == 0)
		strbuf_addf(l->text, "%4s  %-16s  %-11s  %-11s %7s %7s %7s  %s\n", "run",
			    "began (UTC)", "lasted", "ended", "rows", "data/d", "writ/d", "label");
	if (run->start_utc_ns != TIME_UNKNOWN) {
		(void)nsec_format_utc(run->start_utc_ns, began);
		began[10] = ' ';
		began[16] = '\0';
	}
	CLEAN(label, run->label);
	strbuf_addf(l->text, "%4" PRId64 "  %-16s  %-11s  %-11s %7s %7s %7s%s%s\n", run->id, began,
		    nsec_format_age(run->newest_mono_ns - run->start_mono_ns, lasted),
		    state_of(l, run, state), amount((double)(run->samples + run->windows), rows),
		    daily(run, run->data_bytes, data), daily(run, run->written_bytes, written),
		    *label ? "  " : "", label);
	return 0;
}

static json_t *utc(int64_t utc_ns)
{
	char text[NSEC_TEXT_MAX];

	return utc_ns == TIME_UNKNOWN ? json_null() : json_string(nsec_format_utc(utc_ns, text));
}

static json_t *mono(int64_t mono_ns)
{
	return json_sprintf("%" PRId64, mono_ns);
}

static json_t *bytes_or_null(int64_t bytes)
{
	return bytes < 0 ? json_null() : json_integer(bytes);
}

static json_t *string(const char *text)
{
	char cleaned[512];

	CLEAN(cleaned, text);
	return *cleaned ? json_string(cleaned) : json_null();
}

static int add_object(void *userdata, const struct run_facts *run)
{
	struct listing *l = userdata;
	char state[STATE_MAX];
	json_t *object = json_pack(
		"{sI so so so so so ss so so so so sI sI so so so so}", "id", (json_int_t)run->id,
		"label", string(run->label), "host", string(run->host), "kernel",
		string(run->kernel), "version", string(run->version), "ptp4l_version",
		string(run->ptp4l_version), "state", state_of(l, run, state), "start_utc",
		utc(run->start_utc_ns), "newest_utc", utc(run->newest_utc_ns), "start_mono_ns",
		mono(run->start_mono_ns), "newest_mono_ns", mono(run->newest_mono_ns), "samples",
		(json_int_t)run->samples, "windows", (json_int_t)run->windows, "data_bytes",
		bytes_or_null(run->data_bytes), "written_bytes", bytes_or_null(run->written_bytes),
		"data_bytes_per_day", bytes_or_null(a_day(run, run->data_bytes)),
		"written_bytes_per_day", bytes_or_null(a_day(run, run->written_bytes)));

	l->n++;
	return json_array_append_new(l->json, object) < 0 ? -ENOMEM : 0;
}

static int print_text(const char *command, const char *path, struct listing *l)
{
	CLEANUP(strbuf_clear) struct strbuf text = {0};
	char file[AMOUNT_MAX];
	char log[AMOUNT_MAX];
	char why[QUERY_ERROR_MAX];
	struct runs_size size;

	l->text = &text;
	if (runs_visit(path, add_line, l, &size, why) < 0)
		return options_complain(command, "%s", why);
	if (l->n == 0)
		strbuf_addf(&text, "%s: nothing recorded yet\n", path);
	strbuf_addf(&text, "%s%s: %s, and %s of log\n", l->n ? "\n" : "", path,
		    octets(size.file_bytes, file), octets(size.log_bytes, log));
	if (!strbuf_text(&text) || fputs(strbuf_text(&text), stdout) == EOF ||
	    fflush(stdout) == EOF)
		return options_complain(command, "cannot print: %s", strerror(errno));
	return EXIT_GOOD;
}

static int print_json(const char *command, const char *path, struct listing *l)
{
	json_auto_t *object = NULL;
	char why[QUERY_ERROR_MAX];
	struct runs_size size;

	l->json = json_array();
	if (runs_visit(path, add_object, l, &size, why) < 0) {
		json_decref(l->json);
		return options_complain(command, "%s", why);
	}
	object = json_pack("{ss so sI sI so}", "schema", "ptpmon.runs/1", "database", string(path),
			   "file_bytes", (json_int_t)size.file_bytes, "log_bytes",
			   (json_int_t)size.log_bytes, "runs", l->json);
	if (!object || json_dumpf(object, stdout, JSON_INDENT(2)) < 0 || putchar('\n') == EOF ||
	    fflush(stdout) == EOF)
		return options_complain(command, "cannot print: %s", strerror(errno));
	return EXIT_GOOD;
}

int cmd_runs(int argc, char **argv)
{
	const char *config = NULL;
	const char *db = NULL;
	const char *database;
	bool json = false;
	const struct option_row rows[] = {
		OPTION_JSON(&json),
		OPTION_CONFIG(&config),
		OPTION_DB(&db),
	};
	const struct usage usage = {
		.synopsis = "runs [OPTION]... [FILE.db]",
		.about = "List what is recorded: each run, when it began, how long it lasted, how "
			 "it "
			 "ended,\nhow many rows it has, and how many octets a day it adds to the "
			 "file and writes to\nthe disk.",
		ROWS(rows),
		.max_operands = 1,
		.epilogue = "Exit status: 0 listed, 2 usage or the record cannot be read.",
	};
	struct listing l = {.now_mono_ns = nsec_now(CLOCK_MONOTONIC)};
	char path[CONFIG_PATH_MAX];
	int first;
	int status;

	if (!options_parse(&usage, argc, argv, &first, &status))
		return status;
	recorded_boot_id(l.boot_id);
	status = recorded_database(argv[0], config, first < argc ? argv[first] : db, path,
				   &database);
	if (status != EXIT_GOOD)
		return status;
	return json ? print_json(argv[0], database, &l) : print_text(argv[0], database, &l);
}
