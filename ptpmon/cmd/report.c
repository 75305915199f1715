/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon report: what a run tells, in text or JSON. It only reads, also while the run goes on. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/cmd/recorded.h"
#include "ptpmon/report/build.h"
#include "ptpmon/report/json.h"
#include "ptpmon/report/text.h"
#include "ptpmon/store/query.h"

DEFINE_FREEP(struct query, query_free)

struct settings {
	const char *config, *db, *run;
	struct recorded_when since, until;
	bool json;
};

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
		 "so long before the end of the run (10min)", recorded_take_when, &s->since, 0, 0},
		{"until", 'u', "TIME", "only what was before that; as --since", recorded_take_when, &s->until, 0, 0},
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

/* The role that the run was recorded in; NULL if its configuration does not tell. */
static const char *role_of(const struct query *q)
{
	CLEANUP(freep) struct config *config = calloc(1, sizeof(*config));
	char why[CONFIG_ERROR_MAX];

	if (!config || config_parse(config, query_run(q)->configuration, "record", why) < 0)
		return NULL;
	return role_name(config->ptpmon.role);
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
	char boot_id[RECORDED_BOOT_ID_MAX];
	int status = EXIT_GOOD;
	int r;

	if (!parse(argc, argv, &settings, &status))
		return status;
	status = recorded_open(argv[0], settings.config, settings.db, settings.run, &q);
	if (status != EXIT_GOOD)
		return status;
	if (!recorded_has_clock(argv[0], q, &settings.since) ||
	    !recorded_has_clock(argv[0], q, &settings.until))
		return EXIT_USAGE;
	recorded_boot_id(boot_id);
	r = report_build(&report, q,
			 &(struct report_request){
				 .since_mono_ns = recorded_resolve(q, &settings.since),
				 .until_mono_ns = recorded_resolve(q, &settings.until),
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
