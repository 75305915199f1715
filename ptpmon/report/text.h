/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/text.h: the struct of results for people: ASCII, 80 columns, no colour. */
#pragma once
#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/result.h"

/* Appends the report. Failure sticks in the buffer. */
void report_to_text(const struct report *r, struct strbuf *out);
