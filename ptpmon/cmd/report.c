/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon report: what a run tells, in text or JSON. It only reads, also while the run goes on. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/report/build.h"
#include "ptpmon/report/json.h"
#include "ptpmon/report/text.h"
#include "ptpmon/store/query.h"

DEFINE_FREEP(struct query, query_free)

/* A moment as asked for: in UTC, or so long before the newest moment of the run. */
struct when {
	enum { WHEN_NOT_GIVEN, WHEN_UTC, WHEN_BEFORE_END } kind;
	int64_t ns;
};

struct settings {
	const char *config, *db, *run;
	struct when since, until;
	bool json;
};

/* What UTC in int64_t ns has room for. */
enum { YEAR_MIN = 1970, YEAR_MAX = 2261 };

/* Up to nine digits after the point; the text behind them. */
static const char *skip_fraction(const char *text, int64_t *ns)
{
	int64_t unit_ns = NSEC_PER_SEC;

	*ns = 0;
	if (*text != '.')
		return text;
	for (text++; isdigit((unsigned char)*text) && unit_ns > 1; text++) {
		unit_ns /= 10;
		*ns += (*text - '0') * unit_ns;
	}
	return text;
}

/* "2026-03-01T22:00:00.5Z"; a blank for the T, and seconds and Z left out, are fine as well. */
static bool parse_utc(const char *text, int64_t *out_ns)
{
	static const char *const formats[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S",
					      "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct tm tm = {0};
		int64_t fraction_ns;
		const char *rest = strptime(text, formats[i], &tm);

		if (!rest || tm.tm_year + 1900 < YEAR_MIN || tm.tm_year + 1900 > YEAR_MAX)
			continue;
		rest = skip_fraction(rest, &fraction_ns);
		if (strcmp(rest, "Z") != 0 && strcmp(rest, "") != 0)
			continue;
		*out_ns = (int64_t)timegm(&tm) * NSEC_PER_SEC + fraction_ns;
		return true;
	}
	return false;
}

static int take_when(const struct option_row *row, const char *text,
		     char why[static OPTION_WHY_MAX])
{
	struct when *when = row->into;

	if (parse_utc(text, &when->ns)) {
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

static int take_format(const struct option_row *row, const char *text,
		       char why[static OPTION_WHY_MAX])
{
	bool json = strcmp(text, "json") == 0;

	if (!json && strcmp(text, "text") != 0) {
		(void)snprintf(why, OPTION_WHY_MAX, "not one of %s", row->argument);
		return -EINVAL;
	}
	*(bool *)row->into = json;
	return 0;
}

static bool parse(int argc, char **argv, struct settings *s, int *status)
{
	/* clang-format off */
	const struct option_row rows[] = {
		{"since", 's', "TIME", "from a time in UTC on (2026-03-01T22:00:00Z), or from\n"
		 "so long before the end of the run (10min)", take_when, &s->since, 0, 0},
		{"until", 'u', "TIME", "only what was before that; as --since", take_when, &s->until, 0, 0},
		{"format", 'f', "text|json", "how to print it (text)", take_format, &s->json, 0, 0},
		OPTION_JSON(&s->json),
		OPTION_CONFIG(&s->config),
		OPTION_DB(&s->db),
	};
	/* clang-format on */
	const struct usage usage = {
		.synopsis = "report [OPTION]... [RUN]",
		.about = "Print percentiles of the offset and of the wake-up latency of a run, its "
			 "phases\nside by side, its worst moments and its gaps. RUN is an id, a "
			 "label, last (the\ndefault), or FILE.db[:RUN].",
		ROWS(rows),
		.max_operands = 1,
		.epilogue = "Exit status: 0 printed, 1 the run has no samples, 2 usage or the "
			    "record cannot\nbe read.",
	};
	int first;

	if (!options_parse(&usage, argc, argv, &first, status))
		return false;
	s->run = first < argc ? argv[first] : NULL;
	return true;
}

/* FILE.db or FILE.db:RUN: the configuration has no say then. */
static bool names_a_file(const char *run)
{
	const char *suffix = run ? strstr(run, ".db") : NULL;

	while (suffix && suffix[3] && suffix[3] != ':')
		suffix = strstr(suffix + 1, ".db");
	return suffix;
}

static int open_run(const struct settings *s, struct query **out)
{
	CLEANUP(freep) struct config *config = NULL;
	char path[CONFIG_PATH_MAX] = "";
	char why[QUERY_ERROR_MAX];
	const char *database = s->db;

	if (!database && !names_a_file(s->run)) {
		config = calloc(1, sizeof(*config));
		if (!config)
			return options_complain("report", "%s", strerror(ENOMEM));
		if (!options_load_config(config, s->config))
			return EXIT_USAGE;
		database = config_database_path(config, path);
	}
	if (query_open(out, database, s->run, why) < 0)
		return options_complain("report", "%s", why);
	return EXIT_GOOD;
}

static int64_t resolve(const struct query *q, const struct when *when)
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

/* A time in UTC means nothing in a run that was killed before it noted the wall clock. */
static bool has_clock(const struct query *q, const struct settings *s)
{
	size_t n;

	(void)query_anchors(q, &n);
	if (n > 0 || (s->since.kind != WHEN_UTC && s->until.kind != WHEN_UTC))
		return true;
	(void)options_complain("report",
			       "run %" PRId64 " has not noted the time: --since and --until "
			       "take only durations for it",
			       query_run(q)->id);
	return false;
}

/* The role that the run was recorded in; NULL if its configuration does not tell. */
static const char *role_of(const struct query *q)
{
	CLEANUP(freep) struct config *config = calloc(1, sizeof(*config));
	char why[CONFIG_ERROR_MAX];

	if (!config || config_parse(config, query_run(q)->configuration, "record", why) < 0)
		return NULL;
	return role_name(config->ptpmon.role);
}

static void read_boot_id(char *out, size_t size)
{
	CLEANUP(fclosep) FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	*out = '\0';
	if (f && fgets(out, (int)size, f))
		out[strcspn(out, "\n")] = '\0';
}

static int complain_of_scope(const struct query *q)
{
	const struct query_run *run = query_run(q);
	size_t n;
	const struct clock_anchor *anchors = query_anchors(q, &n);
	int64_t start_ns = timemap_to_utc(anchors, n, run->start_mono_ns);
	int64_t end_ns = timemap_to_utc(anchors, n, run->newest_mono_ns);
	char from[NSEC_TEXT_MAX] = "?";
	char to[NSEC_TEXT_MAX] = "?";

	if (start_ns != TIME_UNKNOWN) {
		(void)nsec_format_utc(start_ns, from);
		(void)nsec_format_utc(end_ns, to);
	}
	return options_complain("report",
				"nothing of run %" PRId64 " lies in that time: it is %s to %s",
				run->id, from, to);
}

static int print(const struct report *r, bool json)
{
	CLEANUP(strbuf_clear) struct strbuf text = {0};
	json_auto_t *object = NULL;
	int failed;

	if (json) {
		object = report_to_json(r);
		failed = !object || json_dumpf(object, stdout, JSON_INDENT(2)) < 0 ||
			 putchar('\n') == EOF;
	} else {
		report_to_text(r, &text);
		failed = !strbuf_text(&text) || fputs(strbuf_text(&text), stdout) == EOF;
	}
	if (failed || fflush(stdout) == EOF)
		return options_complain("report", "the report could not be written: %s",
					strerror(errno ? errno : ENOMEM));
	if (report_is_empty(r)) {
		(void)options_complain("report", "run %" PRId64 " has no samples%s", r->run.id,
				       r->whole ? "" : " in that time");
		return EXIT_BAD;
	}
	return EXIT_GOOD;
}

int cmd_report(int argc, char **argv)
{
	CLEANUP(query_freep) struct query *q = NULL;
	CLEANUP(report_freep) struct report *report = NULL;
	struct settings settings = {0};
	char boot_id[64];
	int status = EXIT_GOOD;
	int r;

	if (!parse(argc, argv, &settings, &status))
		return status;
	status = open_run(&settings, &q);
	if (status != EXIT_GOOD)
		return status;
	if (!has_clock(q, &settings))
		return EXIT_USAGE;
	read_boot_id(boot_id, sizeof(boot_id));
	r = report_build(&report, q,
			 &(struct report_request){
				 .since_mono_ns = resolve(q, &settings.since),
				 .until_mono_ns = resolve(q, &settings.until),
				 .role = role_of(q),
				 .boot_id = boot_id,
				 .now_mono_ns = nsec_now(CLOCK_MONOTONIC),
			 });
	if (r == -ERANGE)
		return complain_of_scope(q);
	q = query_free(q); /* whatever waits for what is printed does not hold the record */
	if (r == -EUCLEAN || r == -EBADMSG)
		return options_complain("report",
					"the record is damaged: a row of the run makes no sense");
	if (r < 0)
		return options_complain("report", "the record cannot be read: %s", strerror(-r));
	return print(report, settings.json);
}
