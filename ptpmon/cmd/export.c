// SPDX-License-Identifier: GPL-2.0-or-later
/* ptpmon export: rows of a run as CSV (RFC 4180, but lines end in a line feed). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/cmd/recorded.h"
#include "ptpmon/stats/histogram.h"
#include "ptpmon/store/query.h"

DEFINE_FREEP(struct query, query_free)

struct exporting {
	struct query *q;
	const struct query_series *series;
	const struct clock_anchor *anchors;
	const struct query_phase *phases;
	size_t n_series, n_anchors, n_phases;
	int64_t from_mono_ns, to_mono_ns;
};

/* What can be exported: a name, a header, and who prints the rows. */
struct table {
	const char *name, *header;
	int (*print)(struct exporting *e);
};

static int is_broken(void)
{
	return ferror(stdout) ? -(errno ?: EIO) : 0; /* of what was printed just before */
}

/* Quoted where it has to be; a formula of a spreadsheet is not to be one. */
static void put_text(const char *text)
{
	bool formula = *text && strchr("=+-@\t", *text);

	if (!formula && !strpbrk(text, ",\"\r\n")) {
		(void)fputs(text, stdout);
		return;
	}
	(void)putchar('"');
	if (formula)
		(void)putchar('\'');
	for (; *text; text++) {
		if (*text == '"')
			(void)putchar('"');
		(void)putchar(*text);
	}
	(void)putchar('"');
}

/* The moment, as UTC (empty where the wall clock was not noted) and on the axis. */
static void put_time(const struct exporting *e, int64_t mono_ns)
{
	int64_t utc_ns = timemap_to_utc(e->anchors, e->n_anchors, mono_ns);
	char utc[NSEC_TEXT_MAX] = "";

	if (utc_ns != TIME_UNKNOWN)
		(void)nsec_format_utc(utc_ns, utc);
	(void)printf("%s,%" PRId64 ",", utc, mono_ns);
}

static void put_known(int64_t value)
{
	if (value != SAMPLE_UNKNOWN)
		(void)printf("%" PRId64, value);
}

/* What it measures; "" for what this version does not know. */
static const char *kind_of(const struct query_series *series)
{
	return series->kind < SERIES_KIND_MAX ? series_kind_name(series->kind) : "";
}

static int put_sample(void *userdata, const struct sample *s)
{
	const struct exporting *e = userdata;
	const struct query_series *series = &e->series[s->series];

	put_time(e, s->mono_ns);
	put_text(kind_of(series));
	(void)putchar(',');
	put_text(series->source);
	(void)putchar(',');
	put_text(series->subject);
	(void)putchar(',');
	put_known(s->value);
	(void)putchar(',');
	put_known(s->delay_ns);
	if (s->flags & SAMPLE_SERVO)
		(void)printf(",%.10g,%u", s->freq_ppb, s->servo);
	else
		(void)fputs(",,", stdout);
	(void)printf(",%u,%d,%d,%d\n", s->missed, (s->flags & SAMPLE_STEP) != 0,
		     (s->flags & SAMPLE_UNLOCKED) != 0, (s->flags & SAMPLE_TIME_ASSUMED) != 0);
	return is_broken();
}

static int print_samples(struct exporting *e)
{
	return query_visit_samples(e->q, QUERY_ALL_SERIES, e->from_mono_ns, e->to_mono_ns,
				   put_sample, e);
}

static int put_window(void *userdata, size_t series, const struct latency_window *w)
{
	const struct exporting *e = userdata;

	put_time(e, w->start_mono_ns);
	(void)printf("%" PRId64 ",", w->end_mono_ns - w->start_mono_ns);
	put_text(e->series[series].subject);
	(void)printf(",%" PRIu64 ",", w->count);
	put_known(w->min_ns);
	(void)putchar(',');
	if (w->count > 0)
		(void)printf("%.0f", (double)w->sum_ns / (double)w->count);
	(void)putchar(',');
	put_known(w->max_ns);
	(void)printf(",%" PRIu64 ",%" PRIu64 "\n", w->overflow, w->missed);
	return is_broken();
}

static int print_windows(struct exporting *e)
{
	return query_visit_windows(e->q, QUERY_ALL_SERIES, e->from_mono_ns, e->to_mono_ns,
				   put_window, e);
}

static int put_rollup(void *userdata, const struct query_rollup *r)
{
	const struct exporting *e = userdata;
	const struct query_series *series = &e->series[r->series];

	put_time(e, r->from_mono_ns);
	(void)printf("%" PRId64 ",%s,", r->to_mono_ns - r->from_mono_ns, kind_of(series));
	put_text(series->subject);
	(void)putchar(',');
	if (r->phase != QUERY_NO_PHASE)
		put_text(e->phases[r->phase].name);
	(void)printf(",%" PRIu64 ",", r->count);
	put_known(r->count ? r->min : SAMPLE_UNKNOWN);
	(void)putchar(',');
	if (r->count > 0)
		(void)printf("%.3f", r->sum / (double)r->count);
	(void)putchar(',');
	put_known(r->count ? r->max : SAMPLE_UNKNOWN);
	(void)printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", r->overflows, r->missed,
		     r->steps, r->unlocked);
	return is_broken();
}

static int print_rollups(struct exporting *e)
{
	return query_visit_rollups(e->q, QUERY_ALL_SERIES, e->from_mono_ns, e->to_mono_ns,
				   put_rollup, e);
}

static int put_event(void *userdata, const struct query_event *event)
{
	const struct exporting *e = userdata;

	put_time(e, event->mono_ns);
	(void)printf("%s,", severity_name(event->severity));
	put_text(event->code_name);
	(void)putchar(',');
	put_text(event->subject);
	(void)putchar(',');
	put_text(event->text);
	(void)putchar(',');
	put_text(event->detail);
	(void)putchar('\n');
	return is_broken();
}

static int print_events(struct exporting *e)
{
	return query_visit_events(e->q, e->from_mono_ns, e->to_mono_ns, put_event, e);
}

/* clang-format off */
static const struct table tables[] = {
	{ "samples", "utc,mono_ns,kind,source,subject,value_ns,delay_ns,freq_ppb,servo,missed,step,unlocked,"
	  "time_assumed",
	  print_samples },
	{ "latency", "utc,start_mono_ns,length_ns,cpu,count,min_ns,avg_ns,max_ns,overflows,missed", print_windows },
	{ "hours", "utc,from_mono_ns,length_ns,kind,subject,phase,count,min,mean,max,overflows,missed,steps,unlocked",
	  print_rollups },
	{ "events", "utc,mono_ns,severity,code,subject,text,detail", print_events },
};
/* clang-format on */

static int take_table(const struct option_row *row, const char *text,
		      char why[static OPTION_WHY_MAX])
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (strcmp(tables[i].name, text) == 0) {
			*(const struct table **)row->into = &tables[i];
			return 0;
		}
	(void)snprintf(why, OPTION_WHY_MAX, "not one of %s", row->argument);
	return -EINVAL;
}

static int print(const char *command, const struct table *table, struct exporting *e)
{
	int r;

	(void)puts(table->header);
	r = table->print(e);
	if (r == 0 || is_broken())
		return options_flush(command);
	if (r == -EUCLEAN)
		return options_complain(command,
					"the record is damaged: a row of the run makes no sense");
	return options_complain(command, "cannot export: %s", strerror(-r));
}

static void fill(struct exporting *e, struct query *q, const struct recorded_when *since,
		 const struct recorded_when *until)
{
	int64_t from_ns = recorded_resolve(q, since);
	int64_t to_ns = recorded_resolve(q, until);

	*e = (struct exporting){
		.q = q,
		.from_mono_ns = from_ns == TIME_UNKNOWN ? INT64_MIN : from_ns,
		.to_mono_ns = to_ns == TIME_UNKNOWN ? INT64_MAX : to_ns,
	};
	e->series = query_series(q, &e->n_series);
	e->anchors = query_anchors(q, &e->n_anchors);
	e->phases = query_phases(q, &e->n_phases);
}

int cmd_export(int argc, char **argv)
{
	CLEANUP(query_freep) struct query *q = NULL;
	const char *config = NULL;
	const char *db = NULL;
	const struct table *table = &tables[0];
	struct recorded_when since = {0};
	struct recorded_when until = {0};
	bool csv = false;
	/* clang-format off */
	const struct option_row rows[] = {
		{"csv", 0, NULL, "as CSV, the only format so far", take_flag, &csv, 0, 0},
		{"table", 't', "samples|latency|hours|events", "what to export (samples)", take_table,
		 &table, 0, 0},
		{"since", 's', "TIME", "from a time in UTC on (2026-03-01T22:00:00Z), or from\n"
		 "so long before the end of the run (10min)", recorded_take_when, &since, 0, 0},
		{"until", 'u', "TIME", "only what was before that; as --since", recorded_take_when, &until, 0, 0},
		OPTION_CONFIG(&config),
		OPTION_DB(&db),
	};
	/* clang-format on */
	const struct usage usage = {
		.synopsis = "export --csv [OPTION]... [RUN]",
		.about = "Print rows of a run as they are recorded. RUN is an id, a label, last "
			 "(the "
			 "default),\nor FILE.db[:RUN].",
		ROWS(rows),
		.max_operands = 1,
		.epilogue = "Exit status: 0 printed, 2 usage or the record cannot be read.",
	};
	struct exporting e;
	int first;
	int status;

	if (!options_parse(&usage, argc, argv, &first, &status))
		return status;
	if (!csv)
		return options_complain(argv[0], "say --csv, the only format so far");
	status = recorded_open(argv[0], config, db, first < argc ? argv[first] : NULL, &q);
	if (status != EXIT_GOOD)
		return status;
	if (!recorded_has_clock(argv[0], q, &since) || !recorded_has_clock(argv[0], q, &until))
		return EXIT_USAGE;
	fill(&e, q, &since, &until);
	return print(argv[0], table, &e);
}
