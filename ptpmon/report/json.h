/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/json.h: the struct of results as JSON, schema "ptpmon.report/1". */
#pragma once
#include <jansson.h>

#include "ptpmon/report/result.h"

/*
 * Names are those of the struct's members. Unknown and refused are null; a refused percentile also
 * stands in "refused" with the count it needs. Monotonic times are decimal strings. NULL without
 * memory.
 */
json_t *report_to_json(const struct report *r);
