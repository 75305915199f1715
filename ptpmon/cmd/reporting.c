/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/cmd/reporting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/exit_status.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/cmd/recorded.h"

/* The role that the run was recorded in; NULL if its configuration does not tell. */
static const char *role_of(const struct query *q)
{
	CLEANUP(freep) struct config *config = calloc(1, sizeof(*config));
	char why[CONFIG_ERROR_MAX];

	if (!config || config_parse(config, query_run(q)->configuration, "record", why) < 0)
		return NULL;
	return role_name(config->ptpmon.role);
}

static int complain_of_scope(const char *command, const struct query *q)
{
	const struct query_run *run = query_run(q);
	size_t n;
	const struct clock_anchor *anchors = query_anchors(q, &n);
	int64_t start_ns = timemap_to_utc(anchors, n, run->start_mono_ns);
	int64_t end_ns = timemap_to_utc(anchors, n, run->newest_mono_ns);
	char from[NSEC_TEXT_MAX] = "?";
	char to[NSEC_TEXT_MAX] = "?";

	if (start_ns != TIME_UNKNOWN) {
		(void)nsec_format_utc(start_ns, from);
		(void)nsec_format_utc(end_ns, to);
	}
	return options_complain(command,
				"nothing of run %" PRId64 " lies in that time: it is %s to %s",
				run->id, from, to);
}

int reporting_build(const char *command, struct query *q, struct report_request *request,
		    struct report **out)
{
	int r;

	request->role = role_of(q);
	r = report_build(out, q, request);
	if (r == -ERANGE)
		return complain_of_scope(command, q);
	if (r == -EUCLEAN || r == -EBADMSG)
		return options_complain(
			command, "the record is damaged: a row of run %" PRId64 " makes no sense",
			query_run(q)->id);
	if (r < 0)
		return options_complain(command, "the record cannot be read: %s", strerror(-r));
	return EXIT_GOOD;
}

int reporting_print(const char *command, const char *text)
{
	errno = 0;
	if (!text || fputs(text, stdout) == EOF || fflush(stdout) == EOF)
		return options_complain(command, "the report could not be written: %s",
					strerror(errno ? errno : ENOMEM));
	return EXIT_GOOD;
}
