/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/announcer.h: keeps what a grandmaster announces as it is wanted: get, modify, set,
 * read back, compare; again after each restart of ptp4l, and when it is found to be otherwise.
 *
 * A SET of GRANDMASTER_SETTINGS_NP replaces all of it and makes ptp4l decide anew who is the best
 * master, so nothing is set that already is so, and a quarrel with somebody else who sets it goes
 * on at LOOK intervals and no faster. It asks nothing itself: whoever has the client asks what
 * announcer_next() says and hands over what comes.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "pmc-client/client.h"
#include "ptpmon/model/timescale.h"

#define ANNOUNCER_LOOK_NS  INT64_C(10000000000) /* between two looks at what is as wanted */
#define ANNOUNCER_FIRST_NS INT64_C(1000000000)  /* after a failure, doubling … */
#define ANNOUNCER_LAST_NS  INT64_C(30000000000) /* … up to this */

enum announcer_request { ANNOUNCER_NOTHING, ANNOUNCER_GET, ANNOUNCER_SET };

enum announcer_news {
	ANNOUNCER_NO_NEWS,
	ANNOUNCER_IS_SET,    /* read back as wanted; told once for each wish and each ptp4l */
	ANNOUNCER_FELL_BACK, /* it was as wanted and no longer is: it is set again */
	ANNOUNCER_REFUSED,   /* read back otherwise, or an error; told once until it succeeds */
};

struct announcer {
	bool wanted_known;
	struct announcement wanted;
	enum { ANNOUNCER_UNKNOWN, ANNOUNCER_DIFFERS, ANNOUNCER_WAS_SET, ANNOUNCER_KEPT } state;
	bool success_told; /* since begun, or since it fell back */
	bool refusal_told; /* since the last success */
	int64_t due_ns;    /* CLOCK_MONOTONIC */
	int64_t wait_ns;   /* after the next failure */
	/* As read last, while seen_mono_ns is not 0. */
	struct ptp_grandmaster_settings_np seen;
	int64_t seen_mono_ns;
};

/* What is wanted from now on. True: it is news, and due at once. */
bool announcer_want(struct announcer *a, const struct announcement *wanted, int64_t now_mono_ns);

/* Another ptp4l answers: it has its own settings. */
void announcer_restarted(struct announcer *a, int64_t now_mono_ns);

/* When announcer_next() has something to ask; INT64_MAX: not before it is told what is wanted. */
int64_t announcer_due_ns(const struct announcer *a);

/* What to ask now; for ANNOUNCER_SET with these settings. An answer, or a failure, is owed. */
enum announcer_request announcer_next(struct announcer *a, int64_t now_mono_ns,
				      struct ptp_grandmaster_settings_np *out);

/* What became of it; got is of use for PMC_OK only. It could not be sent: PMC_DISCONNECTED. */
enum announcer_news announcer_answered(struct announcer *a, enum pmc_outcome outcome,
				       const struct ptp_grandmaster_settings_np *got,
				       int64_t now_mono_ns);

enum { ANNOUNCER_TEXT_MAX = 200 };

/* "UTC offset 37 s, valid, PTP time scale, time traceable, class 248" */
const char *announcer_describe(const struct ptp_grandmaster_settings_np *s,
			       char out[static ANNOUNCER_TEXT_MAX]);
