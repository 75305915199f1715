// SPDX-License-Identifier: GPL-2.0-or-later
/* ptpmon events: what happened in a run, and what happens, as it is recorded. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/events_live.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/cmd/recorded.h"
#include "ptpmon/report/event_json.h"
#include "ptpmon/store/query.h"

DEFINE_FREEP(struct query, query_free)

/* How often --follow looks, and how much later than its moment an event may be recorded. */
#define LOOK_EVERY_NS NSEC_PER_SEC
#define LATE_NS       (900 * NSEC_PER_SEC)

struct settings {
	const char *command, *config, *db, *run;
	struct recorded_when since;
	bool follow, json;
};

/* Where the output has got to. */
struct position {
	const struct settings *settings;
	struct events_live live; /* its service is NULL: the record alone is followed */
	const struct clock_anchor *anchors;
	size_t n_anchors;
	int64_t run;     /* the run that is shown */
	int64_t last_id; /* of the events shown */
	int64_t since_mono_ns;
	int64_t newest_mono_ns;
};

static int print(const struct settings *s, const struct event_line *e)
{
	json_auto_t *object = NULL;

	if (!s->json)
		return event_line_print(e, stdout);
	object = event_line_to_json(e);
	if (!object)
		return -ENOMEM;
	if (json_dumpf(object, stdout, JSON_COMPACT) < 0 || putchar('\n') == EOF)
		return -(errno ?: EIO);
	return 0;
}

static int on_event(void *userdata, const struct query_event *e)
{
	const struct position *p = userdata;
	const struct event_line line = {
		.run = p->run,
		.mono_ns = e->mono_ns,
		.utc_ns = timemap_to_utc(p->anchors, p->n_anchors, e->mono_ns),
		.severity = e->severity,
		.code = e->code_name,
		.subject = e->subject,
		.text = e->text,
		.detail = e->detail,
	};

	if (e->id <= p->last_id || events_live_has(&p->live, &line))
		return 0;
	return print(p->settings, &line);
}

static int keep_largest_id(void *userdata, const struct query_event *e)
{
	int64_t *id = userdata;

	if (e->id > *id)
		*id = e->id;
	return 0;
}

/* Shows what is new in the run. EXIT_GOOD, or EXIT_USAGE after a line that says why not. */
static int show(struct position *p, struct query *q)
{
	int64_t largest_id = p->last_id;
	int r;

	p->anchors = query_anchors(q, &p->n_anchors);
	r = query_visit_events(q, p->since_mono_ns, INT64_MAX, on_event, p);
	if (r == 0)
		r = query_visit_events(q, p->since_mono_ns, INT64_MAX, keep_largest_id,
				       &largest_id);
	if (r == 0 && fflush(stdout) == EOF)
		r = -errno;
	p->last_id = largest_id;
	if (r == -EUCLEAN)
		return options_complain(p->settings->command,
					"the record is damaged: a row of the run makes no sense");
	if (r < 0)
		return options_complain(p->settings->command, "events cannot be shown: %s",
					strerror(-r));
	return EXIT_GOOD;
}

/* Looks again, at a run that began since as well. */
static int look(struct position *p, bool again)
{
	CLEANUP(query_freep) struct query *q = NULL;
	const struct settings *s = p->settings;
	int status = recorded_open(s->command, s->config, s->db, s->run, &q);
	int64_t late_ns;

	if (status != EXIT_GOOD)
		return status;
	if (!recorded_has_clock(s->command, q, &s->since))
		return EXIT_USAGE;
	if (!again)
		p->since_mono_ns = recorded_resolve(q, &s->since);
	else if (query_run(q)->id != p->run)
		p->since_mono_ns = INT64_MIN;
	else if ((late_ns = p->newest_mono_ns - LATE_NS) > p->since_mono_ns)
		p->since_mono_ns = late_ns;
	p->run = query_run(q)->id;
	p->newest_mono_ns = query_run(q)->newest_mono_ns;
	return show(p, q);
}

/* One from the service. */
static int on_live(void *userdata, const json_t *json, const struct event_line *line)
{
	const struct position *p = userdata;
	int r = 0;

	if (line->mono_ns < p->since_mono_ns)
		return 0;
	if (!p->settings->json)
		r = event_line_print(line, stdout);
	else if (json_dumpf(json, stdout, JSON_COMPACT) < 0 || putchar('\n') == EOF)
		r = -(errno ?: EIO);
	return r == 0 && fflush(stdout) == EOF ? -errno : r;
}

/* Over every recorder that comes, and every service. */
static int follow_live(struct position *p)
{
	const struct timespec every = nsec_to_timespec(LOOK_EVERY_NS);
	const struct service *service = p->live.service;
	char why[VARLINK_WHY_MAX];

	for (;;) {
		int r = events_live_follow(&p->live, on_live, p, why);

		if (r != -ECONNRESET)
			return options_complain(service->command, "events cannot be shown: %s",
						strerror(-r));
		(void)options_complain(service->command, "%s: it hung up: waiting for the service",
				       service->path);
		while (events_live_open(&p->live, service, why) != 0)
			(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &every, NULL);
	}
}

/* True: the service is listened to. False: after a line that says what is followed instead. */
static bool listen_live(struct position *p, struct service *service)
{
	const struct settings *s = p->settings;
	char why[VARLINK_WHY_MAX];

	if (!s->follow || s->db || s->run || !service_find(service, s->command, s->config))
		return false;
	if (events_live_open(&p->live, service, why) == 0)
		return true;
	p->live.service = NULL;
	(void)options_complain(s->command, "%s: following the record instead, as it is flushed",
			       why);
	return false;
}

static int follow(struct position *p)
{
	const struct timespec every = nsec_to_timespec(LOOK_EVERY_NS);
	int status = EXIT_GOOD;

	while (status == EXIT_GOOD) {
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &every, NULL);
		status = look(p, true);
	}
	return status;
}

int cmd_events(int argc, char **argv)
{
	struct settings s = {.command = argv[0]};
	struct position p = {.settings = &s};
	struct service service;
	/* clang-format off */
	const struct option_row rows[] = {
		{"since", 's', "TIME", "from a time in UTC on (2026-03-01T22:00:00Z), or from\n"
		 "so long before the end of the run (10min)", recorded_take_when, &s.since, 0, 0},
		{"follow", 'f', NULL, "go on with what is recorded from now on", take_flag, &s.follow, 0, 0},
		OPTION_JSON(&s.json),
		OPTION_CONFIG(&s.config),
		OPTION_DB(&s.db),
	};
	/* clang-format on */
	const struct usage usage = {
		.synopsis = "events [OPTION]... [RUN]",
		.about = "Print what happened in a run, one event a line: when, how grave, and "
			 "what. "
			 "RUN is\nan id, a label, last (the default), or FILE.db[:RUN]. With "
			 "--json, "
			 "an object a line.",
		ROWS(rows),
		.max_operands = 1,
		.epilogue = "Exit status: 0 printed, 2 usage or the record cannot be read.",
	};
	int first;
	int status;

	if (!options_parse(&usage, argc, argv, &first, &status))
		return status;
	s.run = first < argc ? argv[first] : NULL;
	(void)listen_live(&p, &service);
	status = look(&p, false);
	if (status == EXIT_GOOD && s.follow)
		status = p.live.service ? follow_live(&p) : follow(&p);
	events_live_close(&p.live);
	return status;
}
