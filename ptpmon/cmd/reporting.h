/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/cmd/reporting.h: the report of a run, for the commands that print it or compare two. */
#pragma once
#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/build.h"
#include "ptpmon/store/query.h"

DEFINE_FREEP(struct query, query_free)

/*
 * Builds the report; role, boot and now of the request are filled in here. EXIT_GOOD, or
 * EXIT_USAGE after a line in the name of the command.
 */
int reporting_build(const char *command, struct query *q, struct report_request *request,
		    struct report **out);

/* Writes the text (NULL: there was no memory for it) to stdout. As above. */
int reporting_print(const char *command, const char *text);
