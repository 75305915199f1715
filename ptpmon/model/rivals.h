/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/rivals.h: other programs that steer a clock, judged by what is ours to steer.
 *
 * The same chronyd is a rival on a slave and the source of a grandmaster. Pure: names and command
 * lines in, a judgement out.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* What is ours. */
struct rivals_ours {
	bool system; /* CLOCK_REALTIME is steered by a program of ours */
	bool phc;    /* a hardware clock is */
	const char *const *ports;
	size_t n_ports;
	const struct rivals_ptp4l {
		const char *socket; /* where it listens … */
		unsigned domain, transport_specific;
	} * ptp4l; /* each that is ours, or watched */
	size_t n_ptp4l;
};

enum rival_verdict {
	RIVAL_UNKNOWN,  /* no program that steers clocks */
	RIVAL_HARMLESS, /* it steers none of ours: a source, or another clock's */
	RIVAL_RIVAL,
};

enum { RIVAL_WHY_MAX = 128 };

/*
 * comm as in /proc/PID/comm (cut to 15 characters); words of its command line, may be none. For
 * RIVAL_RIVAL, why is what it does: "steers CLOCK_REALTIME as well".
 */
enum rival_verdict rival_judge(const char *comm, const char *const *words, size_t n_words,
			       const struct rivals_ours *ours, char why[static RIVAL_WHY_MAX]);

/* A program of that name steers clocks: its command line is worth reading. */
bool rival_is_known(const char *comm);

/*
 * A phc2sys of somebody else that waits for a ptp4l (-w, -a) and will not find ours: true, and
 * which of socket, domain or transportSpecific differ from the one that it asks.
 */
bool rival_waits_in_vain(const char *comm, const char *const *words, size_t n_words,
			 const struct rivals_ours *ours, char why[static RIVAL_WHY_MAX]);
