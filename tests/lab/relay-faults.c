// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lab/relay-faults.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"

/* Offsets in frames and headers, in octets. */
enum {
	ETHERTYPE = 12,
	ETHERNET_HEADER = 14,
	IP_PROTOCOL = 9,
	UDP_DESTINATION = 2,
	UDP_CHECKSUM = 6,
	UDP_HEADER = 8,
	PTP_VERSION = 1,
	PTP_FLAGS = 6,
	PTP_TIMESTAMP = 34,
	PTP_SHORTEST = 44,
};

enum { TYPE_FOLLOW_UP = 8, TYPE_DELAY_RESP = 9, FLAG_TWO_STEP = 2 };

static uint64_t get(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | *p++;
	return v;
}

static void put(uint8_t *p, size_t n, uint64_t v)
{
	while (n-- > 0) {
		p[n] = (uint8_t)(v & 0xff);
		v >>= 8;
	}
}

/* Where the PTPv2 message in a frame begins, or 0. */
static size_t find_ptp(const uint8_t *frame, size_t len)
{
	const uint8_t *ip = frame + ETHERNET_HEADER;
	size_t at = ETHERNET_HEADER;

	if (len < ETHERNET_HEADER + PTP_SHORTEST)
		return 0;
	if (get(frame + ETHERTYPE, 2) == 0x0800) {
		uint64_t port;

		at += (size_t)(ip[0] & 15) * 4 + UDP_HEADER;
		if (ip[0] >> 4 != 4 || ip[IP_PROTOCOL] != 17 || len < at + PTP_SHORTEST)
			return 0;
		port = get(frame + at - UDP_HEADER + UDP_DESTINATION, 2);
		if (port != 319 && port != 320)
			return 0;
	} else if (get(frame + ETHERTYPE, 2) != 0x88f7) {
		return 0;
	}
	return (frame[at + PTP_VERSION] & 15) == 2 ? at : 0;
}

int relay_message_type(const uint8_t *frame, size_t len)
{
	size_t at = find_ptp(frame, len);

	return at ? frame[at] & 15 : -1;
}

static int64_t shift_at(const struct relay_faults *f, int64_t now_ns)
{
	double drifted_ns = (double)f->drift_ppb * 1e-9 * (double)(now_ns - f->drift_since_ns);

	return f->shift_ns + (int64_t)drifted_ns;
}

/* A PTP Timestamp: 48 bits of seconds, 32 of nanoseconds. */
static void add_to_timestamp(uint8_t *p, int64_t ns)
{
	int64_t t = (int64_t)get(p, 6) * NSEC_PER_SEC + (int64_t)get(p + 6, 4) + ns;

	put(p, 6, (uint64_t)(t / NSEC_PER_SEC));
	put(p + 6, 4, (uint64_t)(t % NSEC_PER_SEC));
}

static bool carries_master_time(const uint8_t *ptp)
{
	int type = ptp[0] & 15;

	return type == TYPE_FOLLOW_UP || type == TYPE_DELAY_RESP ||
	       (type == RELAY_SYNC && !(ptp[PTP_FLAGS] & FLAG_TWO_STEP));
}

bool relay_faults_treat(const struct relay_faults *f, uint8_t *frame, size_t len, int64_t now_ns,
			int chance)
{
	size_t at = find_ptp(frame, len);
	uint8_t *ptp = frame + at;

	if (f->blackout)
		return false;
	if (!at)
		return true;
	if (chance < f->drop_percent[ptp[0] & 15])
		return false;
	if (carries_master_time(ptp))
		add_to_timestamp(ptp + PTP_TIMESTAMP, shift_at(f, now_ns));
	/*
	 * A UDP checksum would have to follow, and veth leaves it unfinished for hardware to
	 * complete; over IPv4 it may be absent.
	 */
	if (at > ETHERNET_HEADER)
		put(ptp - UDP_HEADER + UDP_CHECKSUM, 2, 0);
	return true;
}

static int set_delay_ab(struct relay_faults *f, int64_t a, int64_t b, int64_t now_ns)
{
	if (a < 0)
		return -EINVAL;
	f->delay_ns[RELAY_AB] = a;
	return 0;
}

static int set_delay_ba(struct relay_faults *f, int64_t a, int64_t b, int64_t now_ns)
{
	if (a < 0)
		return -EINVAL;
	f->delay_ns[RELAY_BA] = a;
	return 0;
}

static int set_shift(struct relay_faults *f, int64_t a, int64_t b, int64_t now_ns)
{
	f->shift_ns = a;
	f->drift_since_ns = now_ns;
	return 0;
}

/* From here on: what has drifted until now stays. */
static int set_drift(struct relay_faults *f, int64_t a, int64_t b, int64_t now_ns)
{
	f->shift_ns = shift_at(f, now_ns);
	f->drift_since_ns = now_ns;
	f->drift_ppb = a;
	return 0;
}

static int set_drop(struct relay_faults *f, int64_t a, int64_t b, int64_t now_ns)
{
	if (a < 0 || a >= RELAY_TYPES || b < 0 || b > 100)
		return -EINVAL;
	f->drop_percent[a] = (int)b;
	return 0;
}

static int set_blackout(struct relay_faults *f, int64_t a, int64_t b, int64_t now_ns)
{
	if (a != 0 && a != 1)
		return -EINVAL;
	f->blackout = a == 1;
	return 0;
}

static int clear(struct relay_faults *f, int64_t a, int64_t b, int64_t now_ns)
{
	*f = (struct relay_faults){.drift_since_ns = now_ns};
	return 0;
}

static const struct order {
	const char *name;
	int numbers;
	int (*apply)(struct relay_faults *f, int64_t a, int64_t b, int64_t now_ns);
} orders[] = {
	{"delay-ab", 1, set_delay_ab}, {"delay-ba", 1, set_delay_ba}, {"shift", 1, set_shift},
	{"drift", 1, set_drift},       {"drop", 2, set_drop},         {"blackout", 1, set_blackout},
	{"clear", 0, clear},
};

int relay_faults_parse(struct relay_faults *f, const char *order, int64_t now_ns)
{
	char name[16], rest;
	int64_t a = 0, b = 0;
	int n = sscanf(order, "%15s %" SCNd64 " %" SCNd64 " %c", name, &a, &b, &rest);

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (n == orders[i].numbers + 1 && strcmp(name, orders[i].name) == 0)
			return orders[i].apply(f, a, b, now_ns);
	return -EINVAL;
}
