/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/html.h: a report as one page that needs nothing else: no script, nothing loaded.
 *
 * It is HTML and well-formed XML at once. Each chart is in it twice, wide and narrow, of which a
 * style sheet shows the one that fits; what charts show is in tables, too.
 */
#pragma once
#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/result.h"

/* r->plot is there. */
void report_to_html(const struct report *r, struct strbuf *out);
