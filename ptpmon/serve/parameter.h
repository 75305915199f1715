/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/serve/parameter.h: the parameters of a method as a table of rows.
 *
 * One row is one parameter: its kind, its bound, where it goes. What is not in the table, is of
 * another kind or out of bounds has been answered with InvalidParameter when parameters_take()
 * returns false. What is absent or null leaves its place as it was, unless it is required.
 */
#pragma once
#include <stdbool.h>

#include "ptpmon/serve/varlink.h"

enum parameter_kind {
	PARAMETER_TEXT,     /* const char *: UTF-8 of 1 to max octets, no control characters */
	PARAMETER_SEVERITY, /* enum severity, by its name */
	PARAMETER_UTC,      /* int64_t ns, RFC 3339 */
	PARAMETER_MONO,     /* int64_t ns, a decimal string */
	PARAMETER_COUNT,    /* int64_t, an integer from 0 to max */
	PARAMETER_NUMBER,   /* double */
	PARAMETER_BOOL,     /* bool */
	PARAMETER_TRISTATE, /* int: 0 or 1 */
};

struct parameter {
	const char *name;
	enum parameter_kind kind;
	void *into;
	int64_t max;
	bool required;
};

bool parameters_take(struct varlink_call *call, json_t *parameters, const struct parameter *rows,
		     size_t n);

/* Is this text fit for a name of at most max octets? NULL, or why not: "is too long". */
const char *parameter_text_problem(const char *text, size_t max);
