/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/result.h: what a report says, as one struct; text, JSON, CSV and HTML only draw it.
 *
 * Column 0 is the whole scope; the others are its phases in the order in which they first began,
 * those of one name pooled. Time outside every phase is in column 0 only. If asked for, the others
 * are what lies between marks instead, "before" the first and then named for the mark before it.
 *
 * Offsets are local minus master. Their statistics are over the samples that were taken while the
 * port was SLAVE; a sample with which the servo stepped the clock, and one taken in another state,
 * is counted beside them, with the largest, and is in no statistic: the first offset of a night
 * may be 1.6e18 ns. A value that is not known is SAMPLE_UNKNOWN (TIME_UNKNOWN for a time).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/event.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/model/timemap.h"
#include "ptpmon/stats/coincidence.h"
#include "ptpmon/stats/mask.h"

enum {
	REPORT_PERCENTILES = 4,
	REPORT_WORST = 5,
	REPORT_NEAR_MAX = 8,
	REPORT_LISTED_MAX = 256, /* state changes and gaps that are listed; all are counted */
	REPORT_NAME_MAX = 64,
	REPORT_TEXT_MAX = 256,
};

/* 50, 99, 99.9 and 99.99 %, and what people and JSON call them. */
struct report_percentile {
	uint32_t p_milli;
	const char *text; /* "99.9 %" */
	const char *name; /* "p99_9_ns" */
};
extern const struct report_percentile report_percentiles[REPORT_PERCENTILES];

/*
 * Nearest-rank values; SAMPLE_UNKNOWN where refused, because the count does not support it.
 * Beside each how many lie beyond it, and the values that it lies between with 95 % confidence,
 * neighbours taken as much alike as they are (stats/interval.h): SAMPLE_UNKNOWN where nothing
 * bounds it, effective 0 where nothing can be said.
 */
struct report_quantiles {
	int64_t value_ns[REPORT_PERCENTILES];
	uint64_t beyond[REPORT_PERCENTILES];
	int64_t low_ns[REPORT_PERCENTILES], high_ns[REPORT_PERCENTILES];
	double effective[REPORT_PERCENTILES]; /* independent values that would be as sure */
};

struct report_moment {
	int64_t mono_ns, utc_ns;
	bool utc_uncertain; /* the wall clock was wrong then: it was set by more than 1 s later */
	char phase[REPORT_NAME_MAX]; /* "": outside every phase */
};

enum report_ending {
	REPORT_ENDED,     /* in order; `how` says how */
	REPORT_RECORDING, /* it is being written now */
	REPORT_CUT,       /* killed, or the power failed: it ends with what had reached the disk */
	REPORT_ENDING_MAX
};
const char *report_ending_name(enum report_ending ending);

struct report_run {
	int64_t id;
	char label[REPORT_NAME_MAX], role[REPORT_NAME_MAX], host[REPORT_NAME_MAX + 1];
	char kernel[REPORT_TEXT_MAX], machine[REPORT_NAME_MAX], boot_id[REPORT_NAME_MAX];
	char version[REPORT_NAME_MAX], ptp4l_version[REPORT_NAME_MAX];
	char database[REPORT_TEXT_MAX];
	enum report_ending ending;
	char how[REPORT_NAME_MAX];
	struct report_moment start, end; /* end: the newest moment recorded, while there is none */
};

struct report_span {
	int64_t from_ns, to_ns; /* CLOCK_MONOTONIC; [from, to) */
};

struct report_column {
	char name[REPORT_NAME_MAX]; /* the phase; "all" for column 0 */
	size_t n_spans;
	struct report_span *spans; /* within the scope, rising; more than one: pooled */
	int64_t duration_ns;
};

/* MTIE and deviations at one tau. NAN: no complete term, or not asked for. */
struct report_tau {
	int64_t tau_ns; /* a multiple of the usual distance */
	double mtie_ns, tdev_ns;
	double adev, oadev, mdev; /* fractional frequency; only if asked for, like … */
	double tdev_filtered_ns;  /* … TDEV without outliers of frequency */
};

enum report_outcome {
	REPORT_WITHIN,
	REPORT_OUTSIDE,
	REPORT_NO_LIMIT, /* at any tau that was evaluated */
	REPORT_NO_VALUE, /* too short, or too slow for the filter */
	REPORT_OUTCOME_MAX
};
const char *report_outcome_name(enum report_outcome outcome);

/* One mask; of a function of tau where the value is the largest part of its limit. */
struct report_verdict {
	const struct mask *mask; /* of the limits asked for */
	enum report_outcome outcome;
	int64_t tau_ns;            /* 0: no function of it */
	double value_ns, limit_ns; /* NAN where there is none */
	uint64_t beyond;           /* samples beyond the limit, of max|TE| unfiltered */
};

/* What tells of wander, of one offset series in one column (stats/segments.h). */
struct report_wander {
	uint64_t pieces; /* that the samples are in, cut at gaps */
	int64_t longest_ns;
	uint64_t filled;                  /* values put into small holes */
	uint64_t outliers;                /* left out of tdev_filtered_ns */
	bool uneven;                      /* taken as even all the same, but for MTIE */
	double cte_worst_ns, cte_last_ns; /* means over 1000 s, the worst of all; NAN: none */
	size_t n_taus;
	struct report_tau *taus; /* rising */
	size_t n_verdicts;
	struct report_verdict *verdicts;
};

/* One offset series in one column. */
struct report_offset {
	uint64_t count;      /* samples in the statistics … */
	uint64_t from_hours; /* … and those of them whose rows have aged out: with any, percentiles
				are at most 1.6 % too high and without intervals, and wander is of
				the others */
	struct report_quantiles abs;
	int64_t abs_max_ns; /* of |offset| */
	int64_t min_ns, max_ns;
	double mean_ns, stddev_ns; /* of the population; meaningless while count is 0 */
	int64_t delay_p50_ns;      /* median of the mean path delay */
	uint64_t missed;           /* servo updates that happened and were not seen, as declared */
	uint64_t unlocked;         /* samples taken while the port was not SLAVE */
	int64_t unlocked_largest_ns;
	uint64_t steps; /* samples with which the servo stepped the clock */
	int64_t step_largest_ns;
	uint64_t time_assumed; /* samples whose own moment is not known, only when they were read */
	int64_t locked_ns;     /* time in SLAVE … */
	int64_t unknown_ns;    /* … and time in which the state is not known, of duration_ns */
	double locked_share;   /* locked_ns of duration_ns, 0 to 1: unknown is not locked */
	uint64_t state_changes;
	uint64_t gaps;
	int64_t gaps_ns; /* together, within the column */
	struct report_wander wander;
};

/*
 * Windows in which both an offset and a latency are among the worst of theirs, 1 in 100, and how
 * many these would be by chance (stats/coincidence.h).
 */
struct report_coincidence {
	bool known;
	int64_t window_ns;
	struct coincidence count; /* a: offsets, b: wake-ups */
};

struct report_offset_series {
	struct series series;
	int64_t interval_p50_ns; /* median distance of the samples */
	int64_t gap_limit_ns;    /* a longer distance is a gap */
	struct report_coincidence coincidence;
	struct report_offset *columns; /* report.n_columns of them */
};

/*
 * CLOCK_REALTIME minus a PHC, of which of the two kinds of series.kind. Of its columns only the
 * statistics count, what reading took (delay_p50_ns), and what was not steered (unlocked).
 */
struct report_phc_series {
	struct series series;
	struct report_offset *columns;
};

/* It is a PHC that a phc2sys kept with another one; else the system clock against a PHC. */
bool report_is_phc_to_phc(const struct series *series);

/* "measured", or "as phc2sys claims" */
const char *report_phc_origin(const struct series *series);

/* One CPU in one column. Percentiles are the upper edges of histogram bins: at most 1.6 % high. */
struct report_latency {
	uint64_t windows, count; /* an hour whose windows have aged out is one window */
	uint64_t from_hours;     /* wake-ups, of count, of such hours */
	int64_t min_ns, avg_ns, max_ns;
	struct report_quantiles value;
	uint64_t overflow; /* wake-ups beyond the histogram: in count, and the largest of it */
	uint64_t missed;   /* periods that passed while it slept */
};

enum report_idle { REPORT_IDLE_UNKNOWN, REPORT_IDLE_ALLOWED, REPORT_IDLE_HELD, REPORT_IDLE_MAX };
const char *report_idle_name(enum report_idle idle);

struct report_latency_series {
	struct series series;
	bool realtime_known; /* the sampler told its conditions */
	bool not_realtime;
	char not_realtime_why[REPORT_TEXT_MAX];
	enum report_idle idle_states;
	struct report_latency *columns;
};

/*
 * What a log's summary lines tell of one clock in one column. The offsets that they stand for were
 * not logged: there are no percentiles of these, and no wander.
 */
struct report_summary {
	uint64_t count;                     /* lines */
	int64_t rms_p50_ns, rms_largest_ns; /* of the rms of each line */
	int64_t max_p50_ns, max_largest_ns; /* of the largest |offset| of each */
};

struct report_summary_series {
	struct series series;
	struct report_moment largest_at; /* the line with max_largest_ns of column 0 */
	struct report_summary *columns;
};

/* Something that happened not far from a bad moment. */
struct report_near {
	int64_t after_ns;           /* the moment; less than 0: before */
	char code[REPORT_NAME_MAX]; /* of the event; "mark" */
	char text[REPORT_TEXT_MAX];
};

/*
 * A bad moment, and what else was there in the same second: that of the latency window which it is
 * (`at` is its start then) or which covers it, or half a second before and after where none does.
 */
struct report_worst {
	struct report_moment at;
	struct report_span second;
	int64_t offset_ns; /* SAMPLE_UNKNOWN: none in statistics in that second */
	char port[sizeof(((struct series *)0)->subject)];
	int64_t latency_ns; /* SAMPLE_UNKNOWN: no window there */
	char cpu[sizeof(((struct series *)0)->subject)];
	uint64_t events;             /* of severity notice and more … */
	char event[REPORT_TEXT_MAX]; /* … and the gravest of them */
	/* From 2 s before that second (the offset) to 2 s after: */
	int64_t near_offset_ns;  /* the largest of any port, in whatever state */
	int64_t near_latency_ns; /* of any CPU */
	uint64_t near_missed;    /* updates */
	uint64_t n_near;         /* events and marks; the first REPORT_NEAR_MAX are listed */
	struct report_near near[REPORT_NEAR_MAX];
};

struct report_state_change {
	struct report_moment at;
	char port[sizeof(((struct series *)0)->subject)];
	char text[REPORT_TEXT_MAX];
};

enum report_gap_cause {
	REPORT_GAP_NOT_RECORDED, /* declared: ptpmon was not there */
	REPORT_GAP_NOT_LOCKED,   /* the port was not SLAVE, or its state not known, meanwhile */
	REPORT_GAP_NO_UPDATES,   /* SLAVE, and yet nothing came */
	REPORT_GAP_CAUSE_MAX
};
const char *report_gap_cause_name(enum report_gap_cause cause);

struct report_mark {
	struct report_moment at;
	char text[REPORT_TEXT_MAX], who[REPORT_NAME_MAX];
};

struct report_gap {
	struct report_moment from;
	int64_t duration_ns;
	enum report_gap_cause cause;
	char port[sizeof(((struct series *)0)->subject)]; /* "": everything */
};

struct plot; /* ptpmon/report/plot.h */

struct report {
	char headline[2 * REPORT_TEXT_MAX]; /* the sentence about the whole scope */
	const struct limits *limits; /* what the verdicts are about, the caller's; NULL: none */
	bool deviations;             /* the figures that are only there if asked for are */
	struct report_run run;
	struct report_moment from, to; /* the scope, [from, to) */
	bool whole;                    /* it is the whole run */
	size_t n_columns, n_offsets, n_latencies, n_summaries, n_phcs;
	struct report_column *columns;
	struct report_offset_series *offsets;
	struct report_latency_series *latencies;
	struct report_summary_series *summaries;
	struct report_phc_series *phcs;
	size_t n_worst_offsets, n_worst_latencies;
	struct report_worst worst_offsets[REPORT_WORST], worst_latencies[REPORT_WORST];
	uint64_t n_changes, n_gaps; /* all; the first REPORT_LISTED_MAX are listed */
	struct report_state_change *changes;
	struct report_gap *gaps;
	size_t n_marks;
	struct report_mark *marks;
	uint64_t events[EVENT_CODE_MAX]; /* how often each happened */
	struct plot *plot;               /* the points for charts, if asked for; else NULL */
};

/* The offsets are what phc2sys or ts2phc told of itself, not of ptp4l's port. */
bool report_is_of_other_clock(const struct series *series);

/* What stands beside offsets, by who told them; NULL where there are none. */
const char *report_caution(const struct report *r);

/* What stands beside summaries. */
extern const char report_summary_caution[];

/* What stands beside a coincidence. */
extern const char report_coincidence_caution[];

/* A verdict of it is outside its limit. */
bool report_is_outside(const struct report *r);

/* Nothing was measured: no offset (of whatever port state), no summary of any, no PHC, no wake-up.
 */
bool report_is_empty(const struct report *r);

struct report *report_free(struct report *r);
