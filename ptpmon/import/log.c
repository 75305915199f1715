/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs of ptp4l, phc2sys and ts2phc, line by line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/linuxptp_log.h"
#include "ptpmon/import/impl.h"

#define BACK_NS   NSEC_PER_SEC        /* more is another boot; less is buffering */
#define ANCHOR_NS (60 * NSEC_PER_SEC) /* from one to the next */
#define STEP_NS   (2 * NSEC_PER_SEC)  /* a wall clock that differs so much was stepped */

enum {
	SERIES_MAX = 64,
	PROGRAMS_MAX = 16,
	LINE_ROOM = 4096, /* more than any line that is understood has */
};

/* Whose numbers these are: a series for samples, two for summaries. */
struct origin {
	char program[12], tag[LINUXPTP_NAME_MAX], clock[LINUXPTP_NAME_MAX], source[8];
	enum series_kind kind;
};

/* A program, and how far it has come: its time must not go back. */
struct program {
	char name[12], tag[LINUXPTP_NAME_MAX];
	int64_t newest_ns;
};

/* A log on its way; all but im is about the run that its lines belong to. */
struct log {
	struct import *im;
	struct origin origins[SERIES_MAX];
	unsigned n_origins;
	struct program programs[PROGRAMS_MAX];
	size_t n_programs;
	bool anchored;
	struct clock_anchor anchor; /* the newest */
	char port[48];              /* the port that follows a master, as last heard */
};

static struct series describe(const struct log *log, const struct origin *o)
{
	struct series s = {.kind = o->kind, .unit = "ns"};
	const char *subject = *o->clock ? o->clock : *log->port ? log->port : o->program;

	(void)snprintf(s.source, sizeof(s.source), "%s", o->program);
	if (*o->tag)
		(void)snprintf(s.subject, sizeof(s.subject), "%.*s %.*s", 23, o->tag, 23, subject);
	else
		(void)snprintf(s.subject, sizeof(s.subject), "%.*s", 47, subject);
	return s;
}

static bool same_origin(const struct origin *a, const struct origin *b)
{
	return a->kind == b->kind && strcmp(a->program, b->program) == 0 &&
	       strcmp(a->tag, b->tag) == 0 && strcmp(a->clock, b->clock) == 0 &&
	       strcmp(a->source, b->source) == 0;
}

/* Two origins that would have the same name are told apart by what they compare with. */
static int declare(struct log *log, const struct origin *o)
{
	struct series s = describe(log, o);

	for (unsigned i = 0; i < log->n_origins; i++) {
		struct series other = describe(log, &log->origins[i]);

		if (other.kind == s.kind && strcmp(other.source, s.source) == 0 &&
		    strcmp(other.subject, s.subject) == 0)
			(void)snprintf(s.source, sizeof(s.source), "%s %.3s", o->program,
				       o->source);
	}
	return store_put_series(log->im->store, &s);
}

/* The index of the series, or -errno. */
static int find_series(struct log *log, const struct linuxptp_line *l, enum series_kind kind)
{
	struct origin o = {.kind = kind};
	int r;

	(void)strcpy(o.program, l->program);
	(void)strcpy(o.tag, l->tag);
	(void)strcpy(o.clock, l->clock);
	(void)strcpy(o.source, l->source);
	for (unsigned i = 0; i < log->n_origins; i++)
		if (same_origin(&log->origins[i], &o))
			return (int)i;
	if (log->n_origins == SERIES_MAX) {
		(void)snprintf(log->im->why, STORE_ERROR_MAX, "%.200s: more than %d series",
			       log->im->path, SERIES_MAX);
		return -E2BIG;
	}
	r = declare(log, &o);
	if (r < 0)
		return r;
	log->origins[log->n_origins] = o;
	return (int)log->n_origins++;
}

/* When a value was true is not in a log: it was printed then. */
static int put_value(struct log *log, const struct linuxptp_line *l, enum series_kind kind,
		     int64_t value)
{
	struct sample s = {
		.mono_ns = l->mono_ns,
		.value = value,
		.delay_ns = l->delay_ns,
		.freq_ppb = (double)l->freq_ppb,
		.servo = (uint8_t)l->servo,
		.flags = SAMPLE_TIME_ASSUMED,
	};
	int series = find_series(log, l, kind);

	if (series < 0)
		return series;
	s.series = (unsigned)series;
	if (kind == SERIES_OFFSET)
		s.flags |= SAMPLE_SERVO | (l->servo == 0   ? SAMPLE_UNLOCKED
					   : l->servo == 1 ? SAMPLE_STEP
							   : 0U);
	(void)store_put_sample(log->im->store, &s);
	return import_count_row(log->im);
}

static int put_sample(struct log *log, const struct linuxptp_line *l)
{
	log->im->result->samples++;
	return put_value(log, l, SERIES_OFFSET, l->offset_ns);
}

static int put_summary(struct log *log, const struct linuxptp_line *l)
{
	int r = put_value(log, l, SERIES_OFFSET_RMS, l->rms_ns);

	log->im->result->summaries++;
	return r < 0 ? r : put_value(log, l, SERIES_OFFSET_MAX, l->max_ns);
}

static int put_state(struct log *log, const struct linuxptp_line *l)
{
	char name[64];
	struct event e;

	if (*l->port_name)
		(void)snprintf(name, sizeof(name), "%s", l->port_name);
	else
		(void)snprintf(name, sizeof(name), "port %u", l->port);
	if (l->port > 0 && (!*log->port || strcmp(l->is, "UNCALIBRATED") == 0))
		(void)snprintf(log->port, sizeof(log->port), "%.47s", name);
	e = event_make(EVENT_PORT_STATE, l->mono_ns, name, "port %u%s%s%s: %s, was %s", l->port,
		       *l->port_name ? " (" : "", l->port_name, *l->port_name ? ")" : "", l->is,
		       l->was);
	(void)snprintf(e.detail, sizeof(e.detail), "{\"state\":\"%s\",\"was\":\"%s\"}", l->is,
		       l->was);
	log->im->result->states++;
	return import_put_event(log->im, &e);
}

static int put_notice(struct log *log, const struct linuxptp_line *l)
{
	const char *program = *l->program ? l->program : "log";
	struct event e =
		event_make(EVENT_LOG_LINE, l->mono_ns, program, "%s: %s", program, l->text);

	log->im->result->notices++;
	return import_put_event(log->im, &e);
}

/* The wall clock as the line has it: at first, each minute, and when it was stepped. */
static void put_anchor(struct log *log, const struct linuxptp_line *l)
{
	struct clock_anchor a = {
		.mono_ns = l->mono_ns,
		.raw_ns = l->mono_ns,
		.utc_ns = l->utc_ns,
		.tai_offset_s = TIME_UNKNOWN,
		.uncertainty_ns = l->utc_resolution_ns + NSEC_PER_MSEC,
		.reason = ANCHOR_PERIODIC,
	};
	int64_t moved_ns;

	if (l->utc_ns == TIME_UNKNOWN)
		return;
	moved_ns = l->utc_ns - log->anchor.utc_ns - (l->mono_ns - log->anchor.mono_ns);
	if (!log->anchored)
		a.reason = ANCHOR_START;
	else if (llabs(moved_ns) > STEP_NS)
		a.reason = ANCHOR_STEP;
	else if (l->mono_ns - log->anchor.mono_ns < ANCHOR_NS)
		return;
	log->anchored = true;
	log->anchor = a;
	(void)store_put_anchor(log->im->store, &a);
}

/* True if the time of the program went back: it ran on another boot. */
static bool is_of_another_boot(struct log *log, const struct linuxptp_line *l)
{
	struct program *p = log->programs;
	struct program *end = log->programs + log->n_programs;

	while (p < end && (strcmp(p->name, l->program) != 0 || strcmp(p->tag, l->tag) != 0))
		p++;
	if (p == end) {
		if (log->n_programs == PROGRAMS_MAX)
			return false;
		log->n_programs++;
		(void)strcpy(p->name, l->program);
		(void)strcpy(p->tag, l->tag);
		p->newest_ns = l->mono_ns;
	}
	if (l->mono_ns < p->newest_ns - BACK_NS)
		return true;
	if (l->mono_ns > p->newest_ns)
		p->newest_ns = l->mono_ns;
	return false;
}

/* Makes sure that there is a run for the line. */
static int find_run(struct log *log, const struct linuxptp_line *l)
{
	int r = 0;

	if (log->im->store && is_of_another_boot(log, l))
		r = import_end_run(log->im);
	if (r == 0 && !log->im->store) {
		*log = (struct log){.im = log->im};
		r = import_begin_run(log->im, l->mono_ns, "", "");
		if (r == 0)
			(void)is_of_another_boot(log, l);
	}
	if (r < 0)
		return r;
	if (l->mono_ns > log->im->newest_ns)
		log->im->newest_ns = l->mono_ns;
	put_anchor(log, l);
	return 0;
}

static void note_strange(struct log *log, const char *text)
{
	struct import_result *result = log->im->result;

	if (result->strange < IMPORT_SHOWN_MAX) {
		struct import_strange *shown = &result->shown[result->strange];

		shown->line = result->lines;
		(void)snprintf(shown->text, sizeof(shown->text), "%s", text);
	}
	result->strange++;
}

static int take_line(struct log *log, const char *line, size_t len)
{
	static int (*const put[])(struct log * log, const struct linuxptp_line *l) = {
		[LINUXPTP_SAMPLE] = put_sample,
		[LINUXPTP_SUMMARY] = put_summary,
		[LINUXPTP_PORT_STATE] = put_state,
		[LINUXPTP_NOTICE] = put_notice,
	};
	/* the last line of a log that was cut: its number may be half of one */
	bool ended = len > 0 && line[len - 1] == '\n';
	struct linuxptp_line l;
	enum linuxptp_kind kind = linuxptp_parse(line, len - ended, &l);
	int r;

	log->im->result->lines++;
	if (kind == LINUXPTP_CHATTER || len - ended == 0) {
		log->im->result->chatter++;
		return 0;
	}
	if (kind == LINUXPTP_STRANGE || !ended) {
		note_strange(log, l.text);
		return 0;
	}
	r = find_run(log, &l);
	return r < 0 ? r : put[kind](log, &l);
}

/* A line with its end, or LINE_ROOM octets of a longer one, or 0: a file of zeros is one line. */
static size_t read_line(FILE *f, char line[static LINE_ROOM])
{
	size_t len = 0;
	int c;

	while ((c = getc_unlocked(f)) != EOF) {
		if (len < LINE_ROOM)
			line[len++] = (char)c;
		if (c == '\n')
			break;
	}
	return len;
}

int import_log(struct import *im, FILE *f)
{
	CLEANUP(freep) struct log *log = calloc(1, sizeof(*log));
	char line[LINE_ROOM];
	size_t len;
	int ended;
	int r = 0;

	if (!log) {
		(void)snprintf(im->why, STORE_ERROR_MAX, "%.200s: %s", im->path, strerror(ENOMEM));
		return -ENOMEM;
	}
	log->im = im;
	while (r == 0 && (len = read_line(f, line)) > 0)
		r = take_line(log, line, len);
	if (r == 0 && ferror(f)) {
		(void)snprintf(im->why, STORE_ERROR_MAX, "%.200s: %s", im->path, strerror(EIO));
		r = -EIO;
	}
	ended = import_end_run(im);
	return r < 0 ? r : ended;
}
