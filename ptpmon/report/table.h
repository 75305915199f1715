/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/table.h: the tables of the text that stand columns of figures side by side. */
#pragma once
#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/result.h"

/* Each ends with an empty line. More columns than a line holds make another block of lines. */
void table_offsets(struct strbuf *out, const struct report *r,
		   const struct report_offset_series *series);
void table_summaries(struct strbuf *out, const struct report *r,
		     const struct report_summary_series *series);
void table_phc(struct strbuf *out, const struct report *r, const struct report_phc_series *series);
void table_latency(struct strbuf *out, const struct report *r,
		   const struct report_latency_series *series);

/* wander_table.c: MTIE and TDEV by tau; the deviations, if asked for; what the limits say. Nothing
 * of a series without them. */
void table_wander(struct strbuf *out, const struct report *r,
		  const struct report_offset_series *series);
void table_deviations(struct strbuf *out, const struct report *r,
		      const struct report_offset_series *series);
void table_verdicts(struct strbuf *out, const struct report *r,
		    const struct report_offset_series *series);

/*
 * The rows of one of these tables for whoever draws them otherwise: figures are the columns of a
 * series, r->n_columns of them. A label may begin with blanks: then it goes on under the one above.
 */
enum table_of { TABLE_OFFSET, TABLE_PHC, TABLE_LATENCY, TABLE_SUMMARY, TABLE_OF_MAX };

struct table_visitor {
	void *userdata;
	void (*begin_row)(void *userdata, const char *label);
	void (*cell)(void *userdata, const char *text); /* once for each column */
	void (*end_row)(void *userdata);
};
void table_visit(const struct report *r, enum table_of of, const void *figures,
		 const struct table_visitor *visitor);

/* Names what `between` and `- (N)` stand for, if any table has them. */
void table_notes(struct strbuf *out, const struct report *r);
