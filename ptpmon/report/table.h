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

/* Names what `between` and `- (N)` stand for, if any table has them. */
void table_notes(struct strbuf *out, const struct report *r);
