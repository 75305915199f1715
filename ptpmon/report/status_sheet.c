// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/report/status_sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/model/sample.h"

const char *sheet_age(const struct sheet *p, int64_t mono_ns, char out[static NSEC_TEXT_MAX])
{
	int64_t age_ns = p->s->taken_mono_ns - mono_ns;

	if (age_ns >= NSEC_PER_SEC)
		return nsec_format_age(age_ns, out);
	(void)snprintf(out, NSEC_TEXT_MAX, "%" PRId64 " ms", age_ns / NSEC_PER_MSEC);
	return out;
}

const char *sheet_unknown(const struct sheet *p, const struct reading *r,
			  char out[static SHEET_VALUE_MAX])
{
	char age[NSEC_TEXT_MAX];

	if (r->mono_ns)
		(void)snprintf(out, SHEET_VALUE_MAX, "unknown, last seen %s ago",
			       sheet_age(p, r->mono_ns, age));
	else
		(void)snprintf(out, SHEET_VALUE_MAX, "unknown, never seen yet");
	return out;
}

const char *sheet_reading_ns(const struct sheet *p, const struct reading *r,
			     char out[static SHEET_VALUE_MAX])
{
	char value[NSEC_TEXT_MAX];
	char age[NSEC_TEXT_MAX];

	if (!r->known)
		return sheet_unknown(p, r, out);
	(void)snprintf(out, SHEET_VALUE_MAX, "%s, %s ago", nsec_format_offset(r->value, value),
		       sheet_age(p, r->mono_ns, age));
	return out;
}

const char *sheet_known(int64_t ns, char out[static NSEC_TEXT_MAX])
{
	return ns == SAMPLE_UNKNOWN ? strcpy(out, "-") : nsec_format_offset(ns, out);
}
