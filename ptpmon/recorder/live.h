/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/recorder/live.h: what the recorder knows now of children and CPUs, between the sources and
 * struct status.
 */
#pragma once
#include "ptpmon/model/status.h"
#include "ptpmon/stats/window.h"

enum { LIVE_MINUTE_WINDOWS = 60 };

struct live {
	size_t n_children, n_cpus;
	struct status_child children[STATUS_CHILDREN_MAX];
	char said[STATUS_CHILDREN_MAX][STATUS_TEXT_MAX]; /* its last words, when it ended */
	struct live_cpu {
		struct status_cpu status;
		int64_t sum_ns;
		int64_t maxima_ns[LIVE_MINUTE_WINDOWS]; /* of the last windows, a ring */
		size_t n_windows;
		bool conditions_known;
		int32_t policy, priority;      /* of its thread, as read back */
		char problem[STATUS_TEXT_MAX]; /* it does not run in real time because …, or "" */
	} cpus[STATUS_CPUS_MAX];
	char idle_states[16];
};

void live_child(struct live *l, const struct status_child *child);
void live_forget(struct live *l, const char *name);

/* What a child said before it ended: shown with its problem, while it has one. */
void live_said(struct live *l, const char *name, const char *last_words);

void live_window(struct live *l, const struct latency_window *w);

/* True if this CPU's conditions are not those that were known: an event to record. */
bool live_conditions(struct live *l, const struct latency_conditions *c);

/* Its part of a status. */
void live_fill(const struct live *l, struct status *out);
