/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/cmd/events_live.h: the events of the running service, as they happen.
 *
 * Every event is given once, also over a recorder that is started again: the newest ones that a
 * service still has in memory are compared with those that were given.
 */
#pragma once
#include <jansson.h>
#include <stdbool.h>

#include "ptpmon/cmd/service.h"
#include "ptpmon/report/event_json.h"

struct events_live {
	const struct service *service;
	struct varlink_stream *stream;
	json_t *recent; /* a list: what it had in memory when the stream began */
	json_t *given;  /* a list of the newest ones that were given */
};

/* Each event as it came and as a line. 0, or -errno that ends it all. */
typedef int (*events_live_fn)(void *userdata, const json_t *json, const struct event_line *line);

/*
 * Begins to listen; what it has in memory is in recent. 0, or as service_watch() with why. {0} is
 * closed; events_live_close() is needed in any case.
 */
int events_live_open(struct events_live *l, const struct service *service,
		     char why[static VARLINK_WHY_MAX]);
void events_live_close(struct events_live *l);

/* Is it among the recent ones: then it will be given? */
bool events_live_has(const struct events_live *l, const struct event_line *line);

/*
 * Gives the recent ones, then each as it happens, until the service hangs up: -ECONNRESET and why.
 * Or what give returned.
 */
int events_live_follow(struct events_live *l, events_live_fn give, void *userdata,
		       char why[static VARLINK_WHY_MAX]);
