/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/model/verdict.h: how one criterion of a plan came out. */
#pragma once

enum { VERDICT_TEXT_MAX = 255 }; /* octets of each text */

enum verdict_pass { VERDICT_FAILED, VERDICT_PASSED, VERDICT_INCONCLUSIVE };

struct verdict {
	const char *plan, *criterion;
	const char *phase, *reason; /* NULL: none */
	double limit, measured;     /* NAN: not known */
	enum verdict_pass pass;
};
