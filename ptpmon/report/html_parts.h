/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/html_parts.h: the sections of the page; for html.c. */
#pragma once
#include "ptpmon/report/html.h"
#include "ptpmon/report/table.h"

/* The style sheet of the page, without that of the charts. */
extern const char html_style[];

/* How each figure was computed. */
void html_method(const struct report *r, struct strbuf *out);

/* A table of columns side by side, in the words of the text. */
void html_figures(const struct report *r, enum table_of of, const void *figures,
		  const char *caption, struct strbuf *out);
void html_wander(const struct report *r, const struct report_offset_series *s, struct strbuf *out);
void html_verdicts(const struct report *r, const struct report_offset_series *s,
		   struct strbuf *out);

/* Worst moments, gaps, state changes, marks, events. Nothing of what did not happen. */
void html_worst(const struct report *r, struct strbuf *out);
void html_happenings(const struct report *r, struct strbuf *out);

/* What was known of the machine. */
void html_board(const struct report *r, struct strbuf *out);

/* "2026-03-01T22:00:00.000Z", with a question mark where the wall clock was wrong. */
void html_utc(const struct report_moment *m, struct strbuf *out);
