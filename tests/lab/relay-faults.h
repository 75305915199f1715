// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests/lab/relay-faults.h: what a faulty wire does to the PTP messages on it.
 *
 * A wire joins side A, where the grandmaster is, to side B. PTPv2 messages are recognised over
 * Ethernet and over UDP on IPv4. Pure functions: time and chance are arguments.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum relay_way { RELAY_AB, RELAY_BA, RELAY_WAYS };

enum { RELAY_SYNC = 0, RELAY_TYPES = 16 }; /* PTP message types, IEEE 1588-2019 table 36 */

struct relay_faults {
	/*
	 * Every frame is held so long. A difference D between the two ways is seen by the slave as
	 * an offset of D/2, which no protocol can find.
	 */
	int64_t delay_ns[RELAY_WAYS];
	/*
	 * Added to the times that the grandmaster sends (Follow_Up, Delay_Resp, one-step Sync), so
	 * it seems to be ahead by so much; and growing by drift_ppb since drift_since_ns.
	 */
	int64_t shift_ns, drift_ppb, drift_since_ns;
	int drop_percent[RELAY_TYPES];
	bool blackout; /* nothing at all passes */
};

/*
 * One order in text, as listed in relay.c. 0, or -EINVAL with nothing changed. now_ns is of the
 * clock that relay_faults_treat() gets.
 */
int relay_faults_parse(struct relay_faults *f, const char *order, int64_t now_ns);

/* The PTP message type of a frame, or -1. */
int relay_message_type(const uint8_t *frame, size_t len);

/*
 * Do to one frame what is ordered: true if it passes, its times altered in place; chance is 0
 * to 99.
 */
bool relay_faults_treat(const struct relay_faults *f, uint8_t *frame, size_t len, int64_t now_ns,
			int chance);
