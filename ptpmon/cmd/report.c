/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon report: what a run tells, in text, JSON, CSV or HTML, and its charts. It only reads, also
 * while the run goes on.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/cmd/charts.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/limits.h"
#include "ptpmon/cmd/recorded.h"
#include "ptpmon/cmd/reporting.h"
#include "ptpmon/report/csv.h"
#include "ptpmon/report/html.h"
#include "ptpmon/report/json.h"
#include "ptpmon/report/text.h"

#define AROUND_NS (60 * NSEC_PER_SEC)

enum { TAUS_MAX = 64, TAUS_TEXT_MAX = 1024 };

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_HTML };

/* A moment as recorded.h reads it, or where the first mark of that text is. */
struct when {
	struct recorded_when at;
	const char *mark;
};

struct settings {
	const char *config, *db, *run, *limits, *svg;
	struct when since, until, around;
	enum format format;
	bool json, deviations, by_mark, list_limits;
	size_t n_taus;
	int64_t taus_ns[TAUS_MAX];
};

static int take_when(const struct option_row *row, const char *text,
		     char why[static OPTION_WHY_MAX])
{
	static const char mark[] = "mark:";
	struct when *when = row->into;
	struct option_row at = *row;

	*when = (struct when){0};
	if (strncmp(text, mark, strlen(mark)) == 0) {
		when->mark = text + strlen(mark);
		return 0;
	}
	at.into = &when->at;
	return recorded_take_when(&at, text, why);
}

/* The index of a word among those of the row's argument, "text|json|csv|html". */
static int take_word(const struct option_row *row, const char *text, unsigned *index,
		     char why[static OPTION_WHY_MAX])
{
	const char *at = row->argument;

	for (*index = 0; *at; (*index)++) {
		size_t len = strcspn(at, "|");

		if (strlen(text) == len && strncmp(at, text, len) == 0)
			return 0;
		at += len + (at[len] == '|');
	}
	(void)snprintf(why, OPTION_WHY_MAX, "not one of %s", row->argument);
	return -EINVAL;
}

static int take_format(const struct option_row *row, const char *text,
		       char why[static OPTION_WHY_MAX])
{
	unsigned index;
	int r = take_word(row, text, &index, why);

	if (r == 0)
		*(enum format *)row->into = (enum format)index;
	return r;
}

static int take_columns(const struct option_row *row, const char *text,
			char why[static OPTION_WHY_MAX])
{
	unsigned index;
	int r = take_word(row, text, &index, why);

	if (r == 0)
		*(bool *)row->into = index > 0;
	return r;
}

/* "1s,10s,100s" */
static int take_taus(const struct option_row *row, const char *text,
		     char why[static OPTION_WHY_MAX])
{
	struct settings *s = row->into;
	char copy[TAUS_TEXT_MAX];
	char *rest = copy;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	s->n_taus = 0;
	for (const char *word; (word = strsep(&rest, ","));) {
		if (s->n_taus == TAUS_MAX || strlen(text) >= sizeof(copy)) {
			(void)snprintf(why, OPTION_WHY_MAX, "more than %d durations", TAUS_MAX);
			return -EINVAL;
		}
		if (nsec_parse_duration(word, &s->taus_ns[s->n_taus]) < 0 ||
		    s->taus_ns[s->n_taus] <= 0) {
			(void)snprintf(why, OPTION_WHY_MAX, "not durations such as 1s,10s,100s");
			return -EINVAL;
		}
		s->n_taus++;
	}
	return 0;
}

static bool parse(int argc, char **argv, struct settings *s, int *status)
{
	/* clang-format off */
	const struct option_row rows[] = {
		{"since", 's', "TIME", "from a time in UTC on (2026-03-01T22:00:00Z), from so\n"
		 "long before the end of the run (10min), or from a mark\n(mark:TEXT)",
		 take_when, &s->since, 0, 0},
		{"until", 'u', "TIME", "only what was before that; as --since", take_when, &s->until, 0, 0},
		{"around", 'a', "TIME", "only the minute before and the minute after", take_when, &s->around, 0, 0},
		{"columns", 0, "phases|marks", "what stands side by side: phases, or what lies\n"
		 "between marks", take_columns, &s->by_mark, 0, 0},
		{"tau", 't', "DURATION,...", "MTIE and TDEV at these instead of at octaves", take_taus, s, 0, 0},
		{"deviations", 0, NULL, "ADEV, OADEV, MDEV, and TDEV without outliers as well",
		 take_flag, &s->deviations, 0, 0},
		{"limits", 'l', "PRESET|FILE", "judge by these limits", take_text, &s->limits, 0, 0},
		{"list-limits", 0, NULL, "print the presets", take_flag, &s->list_limits, 0, 0},
		{"format", 'f', "text|json|csv|html", "how to print it (text)", take_format, &s->format, 0, 0},
		{"svg", 0, "DIRECTORY", "write each chart as a file in it as well", take_text, &s->svg, 0, 0},
		OPTION_JSON(&s->json),
		OPTION_CONFIG(&s->config),
		OPTION_DB(&s->db),
	};
	/* clang-format on */
	const struct usage usage = {
		.synopsis = "report [OPTION]... [RUN]",
		.about = "Print percentiles of the offset and of the wake-up latency of a run, its "
			 "phases\nside by side, its wander, its worst moments and its gaps. RUN is "
			 "an id, a label,\nlast (the default), or FILE.db[:RUN].",
		ROWS(rows),
		.max_operands = 1,
		.epilogue = "Exit status: 0 printed, 1 the run has no samples or is outside the "
			    "limits, 2 usage\nor the record cannot be read.",
	};
	int first;

	if (!options_parse(&usage, argc, argv, &first, status))
		return false;
	s->run = first < argc ? argv[first] : NULL;
	if (s->json)
		s->format = FORMAT_JSON;
	return true;
}

/* The moment on the run's axis, TIME_UNKNOWN if none was given. False after a line. */
static bool resolve(const struct query *q, const struct when *when, int64_t *out_mono_ns)
{
	size_t n;
	const struct query_mark *marks = query_marks(q, &n);

	if (!when->mark) {
		*out_mono_ns = recorded_resolve(q, &when->at);
		return recorded_has_clock("report", q, &when->at);
	}
	for (size_t i = 0; i < n; i++)
		if (strcmp(marks[i].text, when->mark) == 0) {
			*out_mono_ns = marks[i].mono_ns;
			return true;
		}
	(void)options_complain("report", "run %" PRId64 " has no mark \"%.100s\"", query_run(q)->id,
			       when->mark);
	return false;
}

static bool resolve_scope(const struct settings *s, const struct query *q,
			  struct report_request *request)
{
	int64_t around_ns;

	if (!resolve(q, &s->since, &request->since_mono_ns) ||
	    !resolve(q, &s->until, &request->until_mono_ns) || !resolve(q, &s->around, &around_ns))
		return false;
	if (around_ns == TIME_UNKNOWN)
		return true;
	if (request->since_mono_ns != TIME_UNKNOWN || request->until_mono_ns != TIME_UNKNOWN) {
		(void)options_complain("report", "--around leaves no room for --since and --until");
		return false;
	}
	request->since_mono_ns = around_ns - AROUND_NS;
	request->until_mono_ns = around_ns + AROUND_NS;
	return true;
}

/* The report as asked for, to be freed; NULL without memory. */
static char *draw(const struct report *r, enum format format)
{
	struct strbuf text = {0};
	json_auto_t *object = NULL;

	switch (format) {
	case FORMAT_JSON:
		object = report_to_json(r);
		return object ? json_dumps(object, JSON_INDENT(2)) : NULL;
	case FORMAT_CSV:
		report_to_csv(r, &text);
		break;
	case FORMAT_HTML:
		report_to_html(r, &text);
		break;
	case FORMAT_TEXT:
		report_to_text(r, &text);
		break;
	}
	return strbuf_steal(&text);
}

static int print(const struct report *r, enum format format)
{
	CLEANUP(freep) char *text = draw(r, format);
	int status = reporting_print("report", text);

	if (status == EXIT_GOOD && format == FORMAT_JSON)
		status = reporting_print("report", "\n");
	if (status != EXIT_GOOD)
		return status;
	if (report_is_empty(r)) {
		(void)options_complain("report", "run %" PRId64 " has no samples%s", r->run.id,
				       r->whole ? "" : " in that time");
		return EXIT_BAD;
	}
	return report_is_outside(r) ? EXIT_BAD : EXIT_GOOD;
}

static int report_run(const struct settings *s, const struct limits *limits)
{
	CLEANUP(query_freep) struct query *q = NULL;
	CLEANUP(report_freep) struct report *report = NULL;
	struct report_request request = {
		.limits = limits,
		.taus_ns = s->taus_ns,
		.n_taus = s->n_taus,
		.deviations = s->deviations,
		.plot = s->format == FORMAT_HTML || s->svg,
		.by_mark = s->by_mark,
	};
	int status = recorded_open("report", s->config, s->db, s->run, &q);

	if (status != EXIT_GOOD)
		return status;
	if (!resolve_scope(s, q, &request))
		return EXIT_USAGE;
	status = reporting_build("report", q, &request, &report);
	if (status != EXIT_GOOD)
		return status;
	q = query_free(q); /* whatever waits for what is printed does not hold the record */
	status = s->svg ? charts_write("report", report, s->svg) : EXIT_GOOD;
	return status == EXIT_GOOD ? print(report, s->format) : status;
}

int cmd_report(int argc, char **argv)
{
	struct settings s = {0};
	struct limits limits;
	char why[LIMITS_ERROR_MAX];
	int status = EXIT_GOOD;

	if (!parse(argc, argv, &s, &status))
		return status;
	if (s.list_limits) {
		limits_list(stdout);
		return options_flush("report");
	}
	if (s.limits && limits_find(&limits, s.limits, why) < 0)
		return options_complain("report", "%s", why);
	return report_run(&s, s.limits ? &limits : NULL);
}
