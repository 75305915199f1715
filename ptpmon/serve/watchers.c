/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/serve/watchers.h"

#include <string.h>

static void on_closed(struct varlink_call *call, void *userdata)
{
	struct watchers *w = userdata;

	for (size_t i = 0; i < w->n; i++)
		if (w->list[i].call == call) {
			w->list[i] = w->list[--w->n];
			return;
		}
}

static size_t count_strangers(const struct watchers *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += !varlink_call_peer(w->list[i].call).may_write;
	return n;
}

bool watchers_add(struct watchers *w, struct varlink_call *call, const bool wants[WATCHED_MAX])
{
	struct watcher *new = &w->list[w->n];

	if (w->n == WATCHERS_MAX ||
	    (!varlink_call_peer(call).may_write && count_strangers(w) == WATCHERS_STRANGERS_MAX))
		return false;
	new->call = call;
	memcpy(new->wants, wants, sizeof(new->wants));
	w->n++;
	varlink_call_on_close(call, on_closed, w);
	return true;
}

bool watchers_want(const struct watchers *w, enum watched what)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->list[i].wants[what])
			return true;
	return false;
}

void watchers_tell(struct watchers *w, enum watched what, json_t *parameters)
{
	struct varlink_call *calls[WATCHERS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->list[i].wants[what])
			calls[n++] = w->list[i].call;
	varlink_notify_each(calls, n, parameters);
}
