/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/table.h: the two tables of the text that stand columns of figures side by side. */
#pragma once
#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/result.h"

/* Both end with an empty line. More columns than a line holds make another block of lines. */
void table_offsets(struct strbuf *out, const struct report *r,
		   const struct report_offset_series *series);
void table_latency(struct strbuf *out, const struct report *r,
		   const struct report_latency_series *series);

/* Names what `- (N)` stands for, if any table has refused anything. */
void table_refusals(struct strbuf *out, const struct report *r);
