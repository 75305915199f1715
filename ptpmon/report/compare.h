/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/compare.h: two runs side by side: what got better or worse by more than chance
 * allows, and what differs between the boards.
 *
 * Percentiles differ by more than chance if their 95 % intervals (stats/interval.h) do not meet.
 * TDEV has no such interval: its standard deviation is taken as one part in the square root of
 * twice the number of times that tau fits into the record, which is rough, and three of them count.
 * Of extremes (max, MTIE) nothing can be said but what they are.
 */
#pragma once
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/result.h"

/* One of the two. Strings as recorded; "" where nothing is. */
struct compare_side {
	const struct report *report;
	const char *configuration; /* INI text */
	const char *board;         /* a JSON object */
};

enum compare_verdict {
	COMPARE_EQUAL,  /* by no more than chance allows */
	COMPARE_BETTER, /* the second is */
	COMPARE_WORSE,
	COMPARE_UNKNOWN, /* no interval, or no value */
	COMPARE_VERDICT_MAX
};
const char *compare_verdict_name(enum compare_verdict verdict);

enum compare_kind {
	COMPARE_OFFSET,
	COMPARE_LATENCY,
	COMPARE_PHC,     /* the system clock against a PHC, as measured */
	COMPARE_PHC2SYS, /* what phc2sys claims of the clock that it steers */
	COMPARE_KIND_MAX
};

struct compare_row {
	enum compare_kind kind;
	char subject[REPORT_NAME_MAX]; /* the port, CPU or clock */
	char column[REPORT_NAME_MAX];  /* "all", or a phase that both have */
	char figure[REPORT_NAME_MAX];  /* "99.9 %", "max", "TDEV" */
	int64_t tau_ns;                /* 0: no function of it */
	double a_ns, b_ns;             /* NAN: none */
	enum compare_verdict verdict;
};

struct compare_difference {
	char what[REPORT_NAME_MAX]; /* "kernel", "configuration: [ptp4l] domain" */
	char a[REPORT_TEXT_MAX], b[REPORT_TEXT_MAX];
};

enum { COMPARE_ALERTS_MAX = 8 };

struct compare {
	struct compare_side a, b;
	size_t n_alerts, n_differences, n_rows;
	char alerts[COMPARE_ALERTS_MAX][REPORT_TEXT_MAX]; /* what makes the rest look otherwise */
	struct compare_difference *differences;
	struct compare_row *rows;
};

/* Borrows both sides. 0 or -ENOMEM. */
int compare_build(struct compare **out, const struct compare_side *a, const struct compare_side *b);
struct compare *compare_free(struct compare *c);

/* Something is worse by more than chance, or was alerted. */
bool compare_is_bad(const struct compare *c);

void compare_to_text(const struct compare *c, struct strbuf *out);
json_t *compare_to_json(const struct compare *c); /* NULL without memory */
