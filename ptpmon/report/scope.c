/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run, what of it is looked at, and its columns: the whole of that, and each phase in it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/building.h"
#include "ptpmon/report/clean.h"

/* A record that has grown within this long is being written: longer than any stall of a disk that
 * the service is built to sit out. */

/* 146 years, of a board that is up as well as of UTC. */
#define TIME_MAX_NS (INT64_C(1) << 62)

bool building_in_column(const struct building *b, size_t column, int64_t mono_ns)
{
	const struct report_column *c = &b->report->columns[column];

	return column == 0 || spans_contain(c->spans, c->n_spans, mono_ns);
}

/*
 * By more than a second: what sets a clock that was wrong, not what a servo corrects. A leap second
 * is one, and what the clock was slewed by since the anchor before it: UTC was right before it too.
 */
static bool is_set_later(const struct clock_anchor *anchors, size_t n, int64_t mono_ns)
{
	int64_t step_ns;

	for (size_t i = n; i-- > 1 && anchors[i].mono_ns > mono_ns;)
		if (anchors[i].reason == ANCHOR_STEP &&
		    clock_anchor_stepped(&anchors[i - 1], &anchors[i], NSEC_PER_SEC, &step_ns))
			return true;
	return false;
}

struct report_moment building_span_moment(const struct building *b, const struct report_span *span)
{
	size_t n;
	const struct clock_anchor *anchors = query_anchors(b->query, &n);
	struct report_moment m = {
		.mono_ns = span->from_ns,
		.utc_ns = timemap_to_utc(anchors, n, span->from_ns),
		.utc_uncertain = is_set_later(anchors, n, span->from_ns),
	};

	for (size_t i = 1; i < b->report->n_columns; i++) {
		const struct report_column *c = &b->report->columns[i];

		if (spans_cover(c->spans, c->n_spans, span->from_ns, span->to_ns))
			CLEAN(m.phase, c->name);
	}
	return m;
}

struct report_moment building_moment(const struct building *b, int64_t mono_ns)
{
	const struct report_span span = {.from_ns = mono_ns, .to_ns = mono_ns + 1};

	return building_span_moment(b, &span);
}

static int64_t end_of(const struct query_run *run)
{
	return run->newest_mono_ns > run->end_mono_ns ? run->newest_mono_ns : run->end_mono_ns;
}

static enum report_ending ending_of(const struct query_run *run)
{
	if (run->end_mono_ns != TIME_UNKNOWN)
		return REPORT_ENDED;
	return run->being_written ? REPORT_RECORDING : REPORT_CUT;
}

static void describe_run(struct building *b, const struct report_request *req)
{
	const struct query_run *from = query_run(b->query);
	struct report_run *run = &b->report->run;

	run->id = from->id;
	CLEAN(run->label, from->label);
	CLEAN(run->role, req->role);
	CLEAN(run->host, from->host);
	CLEAN(run->kernel, from->kernel);
	CLEAN(run->machine, from->machine);
	CLEAN(run->boot_id, from->boot_id);
	CLEAN(run->version, from->version);
	CLEAN(run->ptp4l_version, from->ptp4l_version);
	CLEAN(run->database, query_path(b->query));
	CLEAN(run->how, from->how);
	run->ending = ending_of(from);
	run->start = building_moment(b, from->start_mono_ns);
	run->end =
		building_moment(b, from->newest_mono_ns > from->end_mono_ns ? from->newest_mono_ns
									    : from->end_mono_ns);
}

/* The column of that name, made if it is not there; NULL without memory. */
static struct report_column *column_of(struct report *r, const char *name)
{
	struct report_column *bigger;

	for (size_t i = 1; i < r->n_columns; i++)
		if (strncmp(r->columns[i].name, name, REPORT_NAME_MAX - 1) == 0)
			return &r->columns[i];
	bigger = reallocarray(r->columns, r->n_columns + 1, sizeof(*bigger));
	if (!bigger)
		return NULL;
	r->columns = bigger;
	bigger[r->n_columns] = (struct report_column){0};
	CLEAN(bigger[r->n_columns].name, name);
	return &bigger[r->n_columns++];
}

static int add_span(struct report *r, const char *name, int64_t from_ns, int64_t to_ns)
{
	struct report_column *c = column_of(r, name);
	struct spans spans;
	int ret;

	if (!c)
		return -ENOMEM;
	spans = (struct spans){.v = c->spans, .n = c->n_spans, .size = c->n_spans};
	ret = spans_add(&spans, from_ns, to_ns);
	c->spans = spans.v;
	c->n_spans = spans.n;
	c->duration_ns += to_ns - from_ns; /* phases never overlap */
	return ret;
}

/* What of [start, end) lies in the scope becomes part of the column of that name. */
static int add_stretch(struct building *b, const char *name, int64_t start_ns, int64_t end_ns)
{
	const struct report_span *scope = &b->report->columns[0].spans[0];
	int64_t low_ns = start_ns > scope->from_ns ? start_ns : scope->from_ns;
	int64_t high_ns = end_ns == TIME_UNKNOWN || end_ns > b->to_mono_ns ? b->to_mono_ns : end_ns;

	return low_ns < high_ns ? add_span(b->report, name, low_ns, high_ns) : 0;
}

static int add_phases(struct building *b)
{
	size_t n;
	const struct query_phase *phases = query_phases(b->query, &n);
	int ret = 0;

	for (size_t i = 0; i < n && ret == 0; i++)
		ret = add_stretch(b, phases[i].name, phases[i].start_mono_ns,
				  phases[i].end_mono_ns);
	return ret;
}

/* Each is named for the mark that it begins with. */
static int add_between_marks(struct building *b)
{
	size_t n;
	const struct query_mark *marks = query_marks(b->query, &n);
	int ret = add_stretch(b, "before", 0, n > 0 ? marks[0].mono_ns : TIME_UNKNOWN);

	for (size_t i = 0; i < n && ret == 0; i++)
		ret = add_stretch(b, marks[i].text, marks[i].mono_ns,
				  i + 1 < n ? marks[i + 1].mono_ns : TIME_UNKNOWN);
	return ret;
}

static int add_columns(struct building *b, int64_t from_ns, int64_t to_ns)
{
	struct report *r = b->report;

	r->columns = calloc(1, sizeof(*r->columns));
	if (!r->columns)
		return -ENOMEM;
	r->n_columns = 1;
	CLEAN(r->columns[0].name, "all");
	r->columns[0].spans = calloc(1, sizeof(*r->columns[0].spans));
	if (!r->columns[0].spans)
		return -ENOMEM;
	r->columns[0].spans[0] = (struct report_span){.from_ns = from_ns, .to_ns = to_ns};
	r->columns[0].n_spans = 1;
	r->columns[0].duration_ns = to_ns - from_ns;
	return b->request->by_mark ? add_between_marks(b) : add_phases(b);
}

/* Times that were never measured would overflow what is computed from them. */
static bool is_sane(const struct building *b, int64_t end_ns)
{
	size_t n;
	const struct clock_anchor *anchors = query_anchors(b->query, &n);
	bool sane = query_run(b->query)->start_mono_ns >= 0 && end_ns < TIME_MAX_NS;

	for (size_t i = 0; i < n; i++)
		sane = sane && anchors[i].mono_ns >= 0 && anchors[i].mono_ns < TIME_MAX_NS &&
		       anchors[i].utc_ns >= 0 && anchors[i].utc_ns < TIME_MAX_NS;
	return sane;
}

int building_scope(struct building *b, const struct report_request *req)
{
	const struct query_run *run = query_run(b->query);
	int64_t end_ns = end_of(run);
	int64_t from_ns = run->start_mono_ns;
	struct report *r = b->report;
	int ret;

	if (!is_sane(b, end_ns))
		return -EUCLEAN;
	b->to_mono_ns = end_ns + 1; /* what happened at the very end is in it */
	if (req->since_mono_ns != TIME_UNKNOWN && req->since_mono_ns > from_ns)
		from_ns = req->since_mono_ns;
	if (req->until_mono_ns != TIME_UNKNOWN && req->until_mono_ns <= end_ns)
		b->to_mono_ns = req->until_mono_ns;
	if (from_ns >= b->to_mono_ns)
		return -ERANGE;
	if (b->to_mono_ns <= end_ns)
		end_ns = b->to_mono_ns;
	b->from_start = from_ns == run->start_mono_ns;
	b->from_mono_ns = b->from_start ? 0 : from_ns;
	r->whole = b->from_start && b->to_mono_ns > end_ns;
	ret = add_columns(b, from_ns, end_ns);
	if (ret == 0)
		ret = partition_make(&b->partition, r);
	if (ret < 0)
		return ret;
	describe_run(b, req);
	r->from = building_moment(b, from_ns);
	r->to = building_moment(b, end_ns);
	return 0;
}
