/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/status_sheet.h: the screen that status_text.c fills, for it and for the files that
 * have a part of it each.
 */
#pragma once
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/status.h"
#include "ptpmon/report/page.h"

enum {
	SHEET_FULL_ROWS = 24, /* the screen that everything is made to fit */
	SHEET_TAIL_ROWS = 4,  /* record, phase, cost */
	SHEET_VALUE_MAX = 160,
};

/* What is drawn, and onto what. */
struct sheet {
	struct page page;
	const struct status *s;
	unsigned rows;
	enum status_verdict verdict;
	char why[STATUS_TEXT_MAX];
};

/* How long before the status was taken: "48 ms", "3 min 12 s". */
const char *sheet_age(const struct sheet *p, int64_t mono_ns, char out[static NSEC_TEXT_MAX]);

/* "unknown, last seen 12 s ago" */
const char *sheet_unknown(const struct sheet *p, const struct reading *r,
			  char out[static SHEET_VALUE_MAX]);

/* "-112 ns, 0.1 s ago" */
const char *sheet_reading_ns(const struct sheet *p, const struct reading *r,
			     char out[static SHEET_VALUE_MAX]);

/* "-" for SAMPLE_UNKNOWN */
const char *sheet_known(int64_t ns, char out[static NSEC_TEXT_MAX]);

/* status_text_ports.c: all of one port, or a line of each. */
void sheet_put_ports(struct sheet *p);

/* status_text_latency.c: the CPUs, or all as one and the worst. */
void sheet_put_latency(struct sheet *p);

/* status_text_children.c: the children that there is room for, what they complained of, and what
 * the audit says of who is above them. */
void sheet_put_children(struct sheet *p);
void sheet_put_complaints(struct sheet *p);
void sheet_put_audit(struct sheet *p);
