/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon compare: two runs side by side. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/cmd/recorded.h"
#include "ptpmon/cmd/reporting.h"
#include "ptpmon/report/compare.h"

DEFINE_FREEP(struct compare, compare_free)

struct settings {
	const char *config, *db;
	const char *runs[2];
	bool json;
};

/* A run while it is compared: open, for the texts of a side are the query's. */
struct opened {
	struct query *query;
	struct report *report;
	struct compare_side side;
};

static void opened_clear(struct opened *o)
{
	o->report = report_free(o->report);
	o->query = query_free(o->query);
}

static bool parse(int argc, char **argv, struct settings *s, int *status)
{
	/* clang-format off */
	const struct option_row rows[] = {
		OPTION_JSON(&s->json),
		OPTION_CONFIG(&s->config),
		OPTION_DB(&s->db),
	};
	/* clang-format on */
	const struct usage usage = {
		.synopsis = "compare [OPTION]... A B",
		.about =
			"Print two runs side by side: what got better or worse by more than chance "
			"allows,\nand what differs between the boards. A and B are as for ptpmon "
			"report: an id, a\nlabel, last, or FILE.db[:RUN].",
		ROWS(rows),
		.min_operands = 2,
		.max_operands = 2,
		.epilogue = "Exit status: 0 nothing got worse, 1 something did, or the runs do not "
			    "compare, 2\nusage or a record cannot be read.",
	};
	int first;

	if (!options_parse(&usage, argc, argv, &first, status))
		return false;
	s->runs[0] = argv[first];
	s->runs[1] = argv[first + 1];
	return true;
}

static int open_side(const struct settings *s, const char *run, struct opened *out)
{
	struct report_request request = {
		.since_mono_ns = TIME_UNKNOWN,
		.until_mono_ns = TIME_UNKNOWN,
	};
	int status = recorded_open("compare", s->config, s->db, run, &out->query);

	if (status == EXIT_GOOD)
		status = reporting_build("compare", out->query, &request, &out->report);
	if (status != EXIT_GOOD)
		return status;
	out->side = (struct compare_side){
		.report = out->report,
		.configuration = query_run(out->query)->configuration,
		.board = query_run(out->query)->board,
	};
	return EXIT_GOOD;
}

static int print(const struct compare *c, bool json)
{
	struct strbuf text = {0};
	CLEANUP(freep) char *drawn = NULL;
	json_auto_t *object = NULL;
	int status;

	if (json) {
		object = compare_to_json(c);
		drawn = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
	} else {
		compare_to_text(c, &text);
		drawn = strbuf_steal(&text);
	}
	status = reporting_print("compare", drawn);
	if (status == EXIT_GOOD && json)
		status = reporting_print("compare", "\n");
	if (status != EXIT_GOOD)
		return status;
	return compare_is_bad(c) ? EXIT_BAD : EXIT_GOOD;
}

int cmd_compare(int argc, char **argv)
{
	CLEANUP(opened_clear) struct opened a = {0};
	CLEANUP(opened_clear) struct opened b = {0};
	CLEANUP(compare_freep) struct compare *c = NULL;
	struct settings s = {0};
	int status = EXIT_GOOD;

	if (!parse(argc, argv, &s, &status))
		return status;
	status = open_side(&s, s.runs[0], &a);
	if (status == EXIT_GOOD)
		status = open_side(&s, s.runs[1], &b);
	if (status != EXIT_GOOD)
		return status;
	if (compare_build(&c, &a.side, &b.side) < 0)
		return options_complain("compare", "%s", strerror(ENOMEM));
	return print(c, s.json);
}
