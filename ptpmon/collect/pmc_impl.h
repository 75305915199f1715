/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/pmc_impl.h: the source's own struct, for pmc.c (asks) and pmc_answers.c (what an
 * answer says).
 */
#pragma once
#include <sys/types.h>

#include "pmc-client/pmc-client.h"
#include "ptpmon/collect/pmc.h"
#include "ptpmon/collect/time_scale.h"

enum { FAST_OFFSETS = 8192 }; /* the last minute at 128 a second */

/* What is asked for beside the follower's questions. */
enum pmc_question { ASK_PARENT, ASK_CLOCK, ASK_PROPERTIES, QUESTIONS };

/* |offset| of the last minute. */
struct pmc_minute {
	struct {
		int64_t mono_ns, abs_ns;
	} ring[FAST_OFFSETS];
	size_t n; /* ever put in */
	int64_t scratch[FAST_OFFSETS];
};

struct pmc_source {
	struct pmc_source_options options;
	struct pmc_client *client;
	struct pmc_follower *follower;
	struct status_port ports[STATUS_PORTS_MAX];
	int64_t announce_timeout_ns[STATUS_PORTS_MAX];
	dev_t socket_dev; /* what was connected to */
	ino_t socket_ino; /* 0: not known */
	size_t at;        /* the port whose offsets come, or came last */
	int64_t due_ns[QUESTIONS];
	int64_t connect_due_ns;
	int connect_error; /* errno of the newest try */
	unsigned connections;
	int64_t answered_mono_ns; /* the last answer to anything; 0: none */
	unsigned timeouts;        /* in a row */
	int64_t advanced_mono_ns; /* when this was last called; 0: never */
	int64_t stalled_mono_ns;  /* we were not running from then … */
	int64_t awake_mono_ns;    /* … until then; 0: never */
	bool stalled;             /* and no offset came since */
	bool silent, stale;       /* told so */
	struct time_scale scale;
	struct pmc_minute minute;
};

void pmc_source_tell(struct pmc_source *s, struct event e);

/* A pmc_message_fn. */
void pmc_source_on_message(void *userdata, const struct pmc_message *m);

/* One that the follower has held back, or that has just come. */
void pmc_source_take_update(struct pmc_source *s, const struct pmc_update *u);
