/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/query.h: one recorded run, for reading.
 *
 * A query never writes to the record and never makes the service that writes it wait: it reads in
 * one transaction, so everything it gives is the record as it was when it was opened, although
 * the service goes on. While it is open the write-ahead log cannot start over: open, read, free.
 *
 * What is small (run, series, phases, marks, clock anchors) is in memory from the start; samples,
 * windows and events are visited one by one. All strings and arrays belong to the query and live
 * as long as it does. Not to be shared by threads.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/event.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/model/timemap.h"
#include "ptpmon/stats/window.h"

struct query;

enum { QUERY_ERROR_MAX = 512 };

/*
 * Opens a run of a database. `run` is as on a command line: an id; a label, which means the newest
 * run with it; "last" or NULL, the newest run; or FILE.db, or FILE.db:RUN, and then `path`
 * is not used. A text of digits alone is an id.
 * 0, or -errno with one line in why that says what and what to do: -ENOENT (no such file, no such
 * run), -EACCES, -ENOTUNIQ (written by a newer version), -EUCLEAN (no database of ptpmon's, or
 * damaged), -EBUSY, -ENOMEM, -EIO.
 */
int query_open(struct query **out, const char *path, const char *run,
	       char why[static QUERY_ERROR_MAX]);
struct query *query_free(struct query *q);

/* The file that was opened. */
const char *query_path(const struct query *q);

/* Strings that are not in the record are "". */
struct query_run {
	int64_t id;
	const char *label;
	const char *host, *kernel, *machine;
	const char *version, *ptp4l_version;
	const char *boot_id;
	const char *configuration; /* what config_parse() takes: role, interfaces, ... */
	int64_t start_mono_ns;
	int64_t end_mono_ns;    /* TIME_UNKNOWN: not ended, so being written, or killed */
	int64_t newest_mono_ns; /* the latest moment in any row, the end of the last window
				   included; start_mono_ns if there is none */
	const char *how;        /* how it ended ("stopped"); NULL: not ended */
	bool being_written;     /* it is the newest of the database, and somebody writes that */
	const char *board;      /* a JSON object, or "" */
};
const struct query_run *query_run(const struct query *q);

struct query_series {
	int64_t id;
	enum series_kind kind; /* SERIES_KIND_MAX: one that this version does not know */
	const char *source, *subject, *unit;
};
/* In the order in which they were first declared; "series" below is an index into it. */
const struct query_series *query_series(const struct query *q, size_t *n);

struct query_phase {
	int64_t id;
	const char *name;
	int64_t start_mono_ns;
	int64_t end_mono_ns; /* TIME_UNKNOWN: the run was still in it, or killed in it */
};
/* In time order. They never overlap. */
const struct query_phase *query_phases(const struct query *q, size_t *n);

struct query_mark {
	int64_t mono_ns;
	const char *text, *who;
};
const struct query_mark *query_marks(const struct query *q, size_t *n); /* in time order */

/* In mono_ns order, utc_ns within +-2^62: what timemap_to_utc() and timemap_to_mono() take. */
const struct clock_anchor *query_anchors(const struct query *q, size_t *n);

/*
 * Visiting. from_mono_ns <= t < to_mono_ns; INT64_MIN and INT64_MAX for all. series is an index,
 * or QUERY_ALL_SERIES. A visitor returns 0 to go on; anything else ends the visit and is returned.
 * Else 0, or -errno (-EIO, -ENOMEM, or -EUCLEAN: a damaged page, or a row
 * with a time before 0 or beyond 2^62 or without a series). What a visitor is given is
 * valid only while it runs, and it must not call query functions that visit.
 *
 * Order: rows of one series come in the order in which the source gave them, which is the order
 * of mono_ns. Rows of different series are in order within each flush (a few seconds), but a late
 * one may follow rows of other series that are later: usually by far less than a second, by about
 * a minute among latency windows after the recorder was held up. The
 * bounds from and to are exact all the same.
 */
#define QUERY_ALL_SERIES SIZE_MAX

/* sample->series is the index in query_series(). */
typedef int (*query_sample_fn)(void *userdata, const struct sample *sample);
int query_visit_samples(struct query *q, size_t series, int64_t from_mono_ns, int64_t to_mono_ns,
			query_sample_fn visit, void *userdata);

/* The same without servo and freq_ppb, which are not known then: faster by a tenth. */
int query_visit_values(struct query *q, size_t series, int64_t from_mono_ns, int64_t to_mono_ns,
		       query_sample_fn visit, void *userdata);

/*
 * Windows that overlap the range: end > from and start < to. w->cpu is the number in the series'
 * subject ("cpu 3"), UINT32_MAX if that has none; w->min_ns and w->max_ns are SAMPLE_UNKNOWN where
 * count is 0; w->bins holds bins_len octets for histogram_decode_add().
 */
typedef int (*query_window_fn)(void *userdata, size_t series, const struct latency_window *w);
int query_visit_windows(struct query *q, size_t series, int64_t from_mono_ns, int64_t to_mono_ns,
			query_window_fn visit, void *userdata);

/*
 * An hour of a series in one phase, its rows gone: what ptpmon/store/retention.h left of them. An
 * offset with SAMPLE_STEP or SAMPLE_UNLOCKED is in steps or unlocked, not in count.
 */
#define QUERY_NO_PHASE SIZE_MAX

struct query_rollup {
	size_t series, phase;             /* an index in query_phases(), or QUERY_NO_PHASE */
	int64_t hour;                     /* mono_ns / 3600e9 */
	int64_t from_mono_ns, to_mono_ns; /* the first and the last moment in it */
	uint64_t count;                   /* wake-ups with their overflows */
	int64_t min, max;                 /* exact; SAMPLE_UNKNOWN where count is 0 */
	double sum, sum_squares;          /* sum_squares is 0 for latency */
	uint64_t overflows, missed, steps, unlocked;
	/* encoded: SERIES_LATENCY as in stats/histogram.h, else stats/signed_histogram.h */
	const uint8_t *histogram;
	size_t histogram_len;
};

/*
 * Hours with anything in the range; one that lies only partly in it is given whole. By series,
 * then in the order of time.
 */
typedef int (*query_rollup_fn)(void *userdata, const struct query_rollup *rollup);
int query_visit_rollups(struct query *q, size_t series, int64_t from_mono_ns, int64_t to_mono_ns,
			query_rollup_fn visit, void *userdata);

struct query_event {
	int64_t id; /* rises with each that is recorded, in this run or another */
	int64_t mono_ns;
	enum event_code code;   /* EVENT_CODE_MAX: one that this version does not know */
	enum severity severity; /* SEVERITY_INFO for one that this version does not know */
	const char *code_name;  /* as recorded */
	const char *subject, *text;
	const char *detail; /* a JSON object, or "" */
};
/* In mono_ns order. */
typedef int (*query_event_fn)(void *userdata, const struct query_event *e);
int query_visit_events(struct query *q, int64_t from_mono_ns, int64_t to_mono_ns,
		       query_event_fn visit, void *userdata);
