/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/cyclictest.h"
#include "ptpmon/collect/linuxptp_log.h"

#define BACK_NS   NSEC_PER_SEC        /* more is another boot; less is buffering */
#define ANCHOR_NS (60 * NSEC_PER_SEC) /* from one to the next */
#define STEP_NS   (2 * NSEC_PER_SEC)  /* a wall clock that differs so much was stepped */

enum {
	SERIES_MAX = 64,
	WRITE_EVERY = 8192, /* rows: well below what the queue holds */
	HISTOGRAM_FILE_MAX = 64 << 20,
	PROGRAMS_MAX = 16,
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

struct import {
	const struct import_options *options;
	const char *path;
	struct import_result *result;
	struct store *store; /* NULL: no run yet */
	unsigned runs;
	int64_t newest_ns;
	uint64_t unwritten;
	struct origin origins[SERIES_MAX];
	unsigned n_origins;
	struct program programs[PROGRAMS_MAX];
	size_t n_programs;
	bool anchored;
	struct clock_anchor anchor; /* the newest */
	char port[48];              /* the port that follows a master, as last heard */
	char *why;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int begin_run(struct import *im, int64_t start_ns, const char *kernel, const char *machine)
{
	char token[64];
	struct store_run run = {
		.token = token,
		.boot_id = "elsewhere",
		.kernel = *kernel ? kernel : NULL,
		.machine = *machine ? machine : NULL,
		.version = PTPMON_VERSION,
		.label = im->options->label ?: base_name(im->path),
		.start_mono_ns = start_ns > 0 ? start_ns : 1,
	};
	int r;

	(void)snprintf(token, sizeof(token), "import-%" PRId64 "-%u", nsec_now(CLOCK_REALTIME),
		       im->runs++);
	r = store_open_file(&im->store, im->options->database, &run, im->why);
	if (r < 0)
		return r;
	im->newest_ns = start_ns;
	im->n_origins = 0;
	im->n_programs = 0;
	im->anchored = false;
	im->port[0] = '\0';
	im->result->last_run = store_run_id(im->store);
	if (im->result->first_run == 0)
		im->result->first_run = im->result->last_run;
	return 0;
}

static int end_run(struct import *im)
{
	int r;

	if (!im->store)
		return 0;
	r = store_end(im->store, "imported", im->newest_ns, im->why);
	im->store = NULL;
	im->unwritten = 0;
	return r;
}

/* After each row. */
static int count_row(struct import *im)
{
	if (++im->unwritten < WRITE_EVERY)
		return 0;
	im->unwritten = 0;
	return store_write(im->store, im->why);
}

static struct series describe(const struct import *im, const struct origin *o)
{
	struct series s = {.kind = o->kind, .unit = "ns"};
	const char *subject = *o->clock ? o->clock : *im->port ? im->port : o->program;

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
static int declare(struct import *im, const struct origin *o)
{
	struct series s = describe(im, o);

	for (unsigned i = 0; i < im->n_origins; i++) {
		struct series other = describe(im, &im->origins[i]);

		if (other.kind == s.kind && strcmp(other.source, s.source) == 0 &&
		    strcmp(other.subject, s.subject) == 0)
			(void)snprintf(s.source, sizeof(s.source), "%s %.3s", o->program,
				       o->source);
	}
	return store_put_series(im->store, &s);
}

/* The index of the series, or -errno. */
static int find_series(struct import *im, const struct linuxptp_line *l, enum series_kind kind)
{
	struct origin o = {.kind = kind};
	int r;

	(void)strcpy(o.program, l->program);
	(void)strcpy(o.tag, l->tag);
	(void)strcpy(o.clock, l->clock);
	(void)strcpy(o.source, l->source);
	for (unsigned i = 0; i < im->n_origins; i++)
		if (same_origin(&im->origins[i], &o))
			return (int)i;
	if (im->n_origins == SERIES_MAX) {
		(void)snprintf(im->why, STORE_ERROR_MAX, "%.200s: more than %d series", im->path,
			       SERIES_MAX);
		return -E2BIG;
	}
	r = declare(im, &o);
	if (r < 0)
		return r;
	im->origins[im->n_origins] = o;
	return (int)im->n_origins++;
}

/* When a value was true is not in a log: it was printed then. */
static int put_value(struct import *im, const struct linuxptp_line *l, enum series_kind kind,
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
	int series = find_series(im, l, kind);

	if (series < 0)
		return series;
	s.series = (unsigned)series;
	if (kind == SERIES_OFFSET)
		s.flags |= SAMPLE_SERVO | (l->servo == 0   ? SAMPLE_UNLOCKED
					   : l->servo == 1 ? SAMPLE_STEP
							   : 0U);
	(void)store_put_sample(im->store, &s);
	return count_row(im);
}

static int put_sample(struct import *im, const struct linuxptp_line *l)
{
	im->result->samples++;
	return put_value(im, l, SERIES_OFFSET, l->offset_ns);
}

static int put_summary(struct import *im, const struct linuxptp_line *l)
{
	int r = put_value(im, l, SERIES_OFFSET_RMS, l->rms_ns);

	im->result->summaries++;
	return r < 0 ? r : put_value(im, l, SERIES_OFFSET_MAX, l->max_ns);
}

static int put_event(struct import *im, const struct event *e)
{
	(void)store_put_event(im->store, e);
	return count_row(im);
}

static int put_state(struct import *im, const struct linuxptp_line *l)
{
	char name[64];
	struct event e;

	if (*l->port_name)
		(void)snprintf(name, sizeof(name), "%s", l->port_name);
	else
		(void)snprintf(name, sizeof(name), "port %u", l->port);
	if (l->port > 0 && (!*im->port || strcmp(l->is, "UNCALIBRATED") == 0))
		(void)snprintf(im->port, sizeof(im->port), "%.47s", name);
	e = event_make(EVENT_PORT_STATE, l->mono_ns, name, "port %u%s%s%s: %s, was %s", l->port,
		       *l->port_name ? " (" : "", l->port_name, *l->port_name ? ")" : "", l->is,
		       l->was);
	(void)snprintf(e.detail, sizeof(e.detail), "{\"state\":\"%s\",\"was\":\"%s\"}", l->is,
		       l->was);
	im->result->states++;
	return put_event(im, &e);
}

static int put_notice(struct import *im, const struct linuxptp_line *l)
{
	const char *program = *l->program ? l->program : "log";
	struct event e =
		event_make(EVENT_LOG_LINE, l->mono_ns, program, "%s: %s", program, l->text);

	im->result->notices++;
	return put_event(im, &e);
}

/* The wall clock as the line has it: at first, each minute, and when it was stepped. */
static void put_anchor(struct import *im, const struct linuxptp_line *l)
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
	moved_ns = l->utc_ns - im->anchor.utc_ns - (l->mono_ns - im->anchor.mono_ns);
	if (!im->anchored)
		a.reason = ANCHOR_START;
	else if (llabs(moved_ns) > STEP_NS)
		a.reason = ANCHOR_STEP;
	else if (l->mono_ns - im->anchor.mono_ns < ANCHOR_NS)
		return;
	im->anchored = true;
	im->anchor = a;
	(void)store_put_anchor(im->store, &a);
}

/* True if the time of the program went back: it ran on another boot. */
static bool is_of_another_boot(struct import *im, const struct linuxptp_line *l)
{
	struct program *p = im->programs;
	struct program *end = im->programs + im->n_programs;

	while (p < end && (strcmp(p->name, l->program) != 0 || strcmp(p->tag, l->tag) != 0))
		p++;
	if (p == end) {
		if (im->n_programs == PROGRAMS_MAX)
			return false;
		im->n_programs++;
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
static int find_run(struct import *im, const struct linuxptp_line *l)
{
	int r = 0;

	if (im->store && is_of_another_boot(im, l))
		r = end_run(im);
	if (r == 0 && !im->store) {
		r = begin_run(im, l->mono_ns, "", "");
		if (r == 0)
			(void)is_of_another_boot(im, l);
	}
	if (r < 0)
		return r;
	if (l->mono_ns > im->newest_ns)
		im->newest_ns = l->mono_ns;
	put_anchor(im, l);
	return 0;
}

static void note_strange(struct import *im, const char *text)
{
	struct import_result *result = im->result;

	if (result->strange < IMPORT_SHOWN_MAX) {
		struct import_strange *shown = &result->shown[result->strange];

		shown->line = result->lines;
		(void)snprintf(shown->text, sizeof(shown->text), "%s", text);
	}
	result->strange++;
}

static int take_line(struct import *im, const char *line, size_t len)
{
	static int (*const put[])(struct import * im, const struct linuxptp_line *l) = {
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

	im->result->lines++;
	if (kind == LINUXPTP_CHATTER || len - ended == 0) {
		im->result->chatter++;
		return 0;
	}
	if (kind == LINUXPTP_STRANGE || !ended) {
		note_strange(im, l.text);
		return 0;
	}
	r = find_run(im, &l);
	return r < 0 ? r : put[kind](im, &l);
}

static int import_log(struct import *im, FILE *f)
{
	CLEANUP(freep) char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int ended;
	int r = 0;

	while (r == 0 && (len = getline(&line, &size, f)) > 0)
		r = take_line(im, line, (size_t)len);
	if (r == 0 && ferror(f)) {
		(void)snprintf(im->why, STORE_ERROR_MAX, "%.200s: %s", im->path, strerror(EIO));
		r = -EIO;
	}
	ended = end_run(im);
	return r < 0 ? r : ended;
}

/*
 * What lay beyond cyclictest's last bucket need not lie beyond ptpmon's range, which is what
 * overflow means in a window. None of it was more than the largest: there it is counted, and an
 * event tells how many these are.
 */
static int bound_overflow(struct import *im, struct cyclictest_thread *t)
{
	struct event e;

	if (t->overflow == 0 || t->max_ns >= INT64_C(1) << HISTOGRAM_MAX_BITS)
		return 0;
	e = event_make(EVENT_LOG_LINE, 1, "cyclictest",
		       "cyclictest: cpu %u: %" PRIu64 " beyond its buckets, taken as %" PRId64
		       " ns",
		       t->cpu, t->overflow, t->max_ns);
	t->histogram.bins[histogram_bin((uint64_t)t->max_ns)] += t->overflow;
	t->overflow = 0;
	return put_event(im, &e);
}

/* One window a thread: it is not known when in it what was. */
static int put_threads(struct import *im, struct cyclictest *c)
{
	CLEANUP(freep) struct latency_window *w = calloc(1, sizeof(*w));
	int64_t length_ns = 1;

	if (!w)
		return -ENOMEM;
	for (size_t i = 0; i < c->n; i++) {
		int64_t lasted_ns = (int64_t)c->threads[i].cycles;

		if (im->options->interval_ns > 0 &&
		    !__builtin_mul_overflow(lasted_ns, im->options->interval_ns, &lasted_ns) &&
		    lasted_ns > length_ns && lasted_ns < INT64_MAX / 4)
			length_ns = lasted_ns;
	}
	if (c->start_utc_ns != TIME_UNKNOWN && c->end_utc_ns > c->start_utc_ns)
		length_ns = c->end_utc_ns - c->start_utc_ns;
	for (size_t i = 0; i < c->n; i++) {
		struct cyclictest_thread *t = &c->threads[i];
		struct series s = {.kind = SERIES_LATENCY, .source = "cyclictest", .unit = "ns"};
		int r = bound_overflow(im, t);

		if (r < 0)
			return r;
		(void)snprintf(s.subject, sizeof(s.subject), "cpu %u", t->cpu);
		*w = (struct latency_window){
			.cpu = t->cpu,
			.start_mono_ns = 1,
			.end_mono_ns = 1 + length_ns,
			.count = t->cycles,
			.min_ns = t->min_ns,
			.max_ns = t->max_ns,
			.sum_ns = t->sum_ns,
			.overflow = t->overflow,
			.bins_len = 0,
		};
		w->bins_len = histogram_encode(&t->histogram, w->bins, sizeof(w->bins));
		if (store_put_series(im->store, &s) < 0 ||
		    !store_put_window(im->store, (unsigned)i, w))
			return -ENOSPC;
		im->result->wakeups += t->cycles;
	}
	im->result->threads = c->n;
	im->newest_ns = 1 + length_ns;
	return 0;
}

static int import_cyclictest(struct import *im, const char *text, size_t len)
{
	CLEANUP(freep) struct cyclictest *c = NULL;
	char why[CYCLICTEST_ERROR_MAX] = "out of memory";
	int r = cyclictest_parse(&c, text, len, im->options->nanoseconds, why);
	int ended;

	if (r < 0) {
		(void)snprintf(im->why, STORE_ERROR_MAX, "%.90s: not imported: %s", im->path, why);
		return r;
	}
	r = begin_run(im, 1, c->kernel, c->machine);
	if (r < 0)
		return r;
	if (c->start_utc_ns != TIME_UNKNOWN)
		(void)store_put_anchor(im->store, &(struct clock_anchor){
							  .mono_ns = 1,
							  .raw_ns = 1,
							  .utc_ns = c->start_utc_ns,
							  .tai_offset_s = TIME_UNKNOWN,
							  .uncertainty_ns = NSEC_PER_SEC,
							  .reason = ANCHOR_START,
						  });
	r = put_threads(im, c);
	if (r < 0)
		(void)snprintf(im->why, STORE_ERROR_MAX, "%.200s: %s", im->path, strerror(-r));
	ended = end_run(im);
	return r < 0 ? r : ended;
}

/*
 * All of a file, or so much of its end as a histogram can be: the display of a night may stand
 * before it. 0, or -errno.
 */
static int read_end(FILE *f, int64_t file_size, char **out, size_t *len)
{
	CLEANUP(freep) char *text = NULL;
	size_t size = 0;

	*len = 0;
	if (file_size >= HISTOGRAM_FILE_MAX &&
	    fseeko(f, file_size - HISTOGRAM_FILE_MAX + 1, SEEK_SET) < 0)
		return -errno;
	do {
		char *larger = realloc(text, size += 1 << 20);

		if (!larger)
			return -ENOMEM;
		text = larger;
		*len += fread(text + *len, 1, size - *len, f);
	} while (*len == size && size < HISTOGRAM_FILE_MAX);
	if (ferror(f))
		return -EIO;
	*out = steal(&text);
	return *len == HISTOGRAM_FILE_MAX ? -EFBIG : 0;
}

/* By what it begins with: cyclictest's lines of comment may stand before the histogram. */
static bool is_cyclictest(FILE *f)
{
	char head[4096];
	size_t len = fread(head, 1, sizeof(head), f);

	rewind(f);
	return cyclictest_recognise(head, len);
}

int import_file(const struct import_options *options, const char *path, struct import_result *out,
		char why[static STORE_ERROR_MAX])
{
	CLEANUP(fclosep) FILE *f = fopen(path, "re");
	CLEANUP(freep) char *text = NULL;
	CLEANUP(freep) struct import *im = calloc(1, sizeof(*im));
	struct stat st;
	size_t len;
	int r;

	*out = (struct import_result){0};
	if (!f || fstat(fileno(f), &st) < 0 || !im) {
		r = -errno;
		(void)snprintf(why, STORE_ERROR_MAX, "%.200s: %s", path, strerror(-r));
		return r;
	}
	if (!S_ISREG(st.st_mode)) {
		(void)snprintf(why, STORE_ERROR_MAX, "%.200s: not a regular file", path);
		return -EINVAL;
	}
	*im = (struct import){.options = options, .path = path, .result = out, .why = why};
	if (!is_cyclictest(f))
		return import_log(im, f);
	out->kind = IMPORT_CYCLICTEST;
	r = read_end(f, st.st_size, &text, &len);
	if (r < 0) {
		(void)snprintf(why, STORE_ERROR_MAX, "%.200s: %s", path, strerror(-r));
		return r;
	}
	return import_cyclictest(im, text, len);
}
