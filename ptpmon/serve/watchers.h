/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/serve/watchers.h: calls of Watch that are kept, and get what happens.
 *
 * Few enough that there is always room for somebody who only asks; of those without the right to
 * write fewer still. Who goes is forgotten by itself.
 */
#pragma once
#include "ptpmon/serve/varlink.h"

enum { WATCHERS_MAX = VARLINK_CLIENTS_MAX / 2, WATCHERS_STRANGERS_MAX = 8 };

enum watched { WATCHED_STATUS, WATCHED_EVENTS, WATCHED_MAX };

struct watchers {
	size_t n;
	struct watcher {
		struct varlink_call *call;
		bool wants[WATCHED_MAX];
	} list[WATCHERS_MAX];
};

/* Keeps the call. False if there is no room: it has not been answered then. */
bool watchers_add(struct watchers *w, struct varlink_call *call, const bool wants[WATCHED_MAX]);

bool watchers_want(const struct watchers *w, enum watched what);

/* Takes parameters over: an answer to each who wants that. */
void watchers_tell(struct watchers *w, enum watched what, json_t *parameters);
