/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/check/probe.h: does a port keep what its driver promises? One packet is sent, and its
 * hardware time stamp waited for.
 *
 * The packet is a Delay_Req in a domain that nobody uses, over Ethernet. The port's setting of time
 * stamps is changed only if it stamps nothing now, and restored; signals wait until it is. Nobody
 * else may use the port meanwhile: that is the caller's to see to.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PROBE_DOMAIN = 254,
	PROBE_FRAME_OCTETS = 14 + 44, /* Ethernet header, Delay_Req (IEEE 1588-2019 13.6) */
	PROBE_KINDS = 2,              /* PTP 2.0, as linuxptp 3 sends it, and 2.1, as 4 does */
};

struct probe_result {
	bool stamped[PROBE_KINDS]; /* of minor version 0, of 1 */
	int64_t took_ns[PROBE_KINDS];
	bool changed; /* the setting had to be */
};

/*
 * Waits up to timeout_ns for each. 0, or -errno, after which nothing is known: -EPERM without
 * CAP_NET_ADMIN and CAP_NET_RAW; -EOPNOTSUPP if the driver does not tell its setting, which then
 * could not be restored; -EREMCHG if restoring it failed. *out changes only on success.
 */
int probe_port(const char *interface, int64_t timeout_ns, struct probe_result *out);

/* The frame from that address. */
void probe_frame(uint8_t frame[static PROBE_FRAME_OCTETS], const uint8_t address[static 6],
		 unsigned minor);
