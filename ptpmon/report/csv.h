/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/csv.h: the figures of a report, one a line, for spreadsheets and scripts.
 *
 * "section,subject,column,figure,tau_s,value,unit" and a line for each figure that is known;
 * fields with a comma, a quote or a line end are quoted (RFC 4180). Lines end in "\n".
 */
#pragma once
#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/result.h"

/* Appends to out, which tells of a lack of memory itself. */
void report_to_csv(const struct report *r, struct strbuf *out);
