/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The raw stream: the time stamps t1 to t4 behind each offset, which say which direction a
 * disturbance hit, and offset and path delay computed from them, independently of ptp4l's filters
 * and servo.
 *
 * ptp4l (linuxptp 3.0 and later) sends them to the one socket that its option slave_event_monitor
 * names, while a port is UNCALIBRATED or SLAVE. It sends them blocking: whoever binds that path and
 * does not read stops PTP. So the reader is connected, which makes room for about 278 messages, and
 * refuses a stream at whose rate these are less than ten seconds. Give it a process of its own that
 * does nothing else, and end that process when it has shown no life for half the time that
 * pmc_raw_stream_survival_ns() states: ptp4l's socket has other clients too.
 *
 * No thread, no event loop, no allocation after creation; one instance belongs to one thread at a
 * time. Functions return 0 or a negative errno.
 */
#pragma once

#include "pmc-client/ptp_types.h"

struct pmc_raw_stream;

enum pmc_raw_kind {
	PMC_RAW_SYNC,  /* a Sync: t1 at the master, t2 here */
	PMC_RAW_DELAY, /* a Delay_Req: t3 here, t4 at the master; E2E only */
	PMC_RAW_KIND_MAX
};

#define PMC_RAW_UNKNOWN INT64_MIN

/* One record of a message, SLAVE_RX_SYNC_TIMING_DATA (IEEE 1588-2019 16.11.4.1) or linuxptp's
 * SLAVE_DELAY_TIMING_DATA_NP (tlv.h). Times are ns since the epoch of the clock that took them.
 */
struct pmc_raw_record {
	enum pmc_raw_kind kind;
	struct ptp_port_identity source; /* the slave's clock, port 0 */
	struct ptp_port_identity master;
	uint16_t stream_id;   /* of the message: counts by one within a kind */
	uint16_t sequence_id; /* of the Sync or Delay_Req */
	int64_t sent_ns;      /* t1 or t3 */
	int64_t received_ns;  /* t2 or t4 */
	/* What residence times, and ptp4l's delayAsymmetry for a Sync, take off the transit. */
	int64_t correction_ns;
};

struct pmc_raw_sample {
	struct pmc_raw_record record;
	/* received - sent - correction: of a Sync delay + offset, of a Delay_Req delay - offset */
	int64_t transit_ns;
	int64_t delay_ns;  /* mean path delay of the newest exchange; or PMC_RAW_UNKNOWN */
	int64_t offset_ns; /* local minus master, by this Sync and that delay; or PMC_RAW_UNKNOWN */
	uint32_t missed; /* messages of this kind that ptp4l sent between the one before and this */
	int64_t read_mono_ns;
};

typedef void pmc_raw_fn(void *userdata, const struct pmc_raw_sample *sample);

struct pmc_raw_options {
	const char *server_path;  /* ptp4l's uds_address */
	const char *monitor_path; /* its slave_event_monitor, absolute */
	uint8_t domain;
	uint8_t transport_specific;
	/* Expected mean distances; the stream is measured, too. delay 0: none (P2P) */
	int64_t sync_interval_ns;
	int64_t delay_interval_ns;
	pmc_raw_fn *on_sample;
	void *userdata;
};

enum { PMC_RAW_RECORDS_MAX = 48 }; /* in a message of 1500 octets */

/*
 * Take a message of the stream apart. 0; -EBADMSG: malformed; -EPROTO: well-formed, but no
 * signaling message of version 2. TLVs of other types are skipped. *n changes only on success.
 */
PMC_EXPORT int pmc_raw_parse(const uint8_t *datagram, size_t len, uint8_t *domain,
			     uint8_t *transport_specific,
			     struct pmc_raw_record records[PMC_RAW_RECORDS_MAX], size_t *n);

/*
 * How long a reader may stall before ptp4l blocks. delay_interval_ns 0: no delay messages.
 * INT64_MAX if neither comes.
 */
PMC_EXPORT int64_t pmc_raw_survival_ns(int64_t sync_interval_ns, int64_t delay_interval_ns);

/* The least survival that is accepted. */
#define PMC_RAW_SURVIVAL_MIN_NS INT64_C(10000000000)

/*
 * Make a reader; touches no file and no socket. 0; -ERANGE: the expected rate leaves less than
 * PMC_RAW_SURVIVAL_MIN_NS; -EINVAL; -ENAMETOOLONG; -ENOMEM. *out changes only on success.
 */
PMC_EXPORT int pmc_raw_stream_new(struct pmc_raw_stream **out, const struct pmc_raw_options *o);

/* Closes and removes the socket. Takes NULL, returns NULL. */
PMC_EXPORT struct pmc_raw_stream *pmc_raw_stream_free(struct pmc_raw_stream *s);

/*
 * Bind and connect; again after a restart of ptp4l, which sends nothing to a socket connected to
 * the ptp4l before. 0, or -ENOENT, -ECONNREFUSED, -EADDRINUSE (another reader lives) ...
 */
PMC_EXPORT int pmc_raw_stream_open(struct pmc_raw_stream *s);
PMC_EXPORT void pmc_raw_stream_close(struct pmc_raw_stream *s);

/* The descriptor to poll for input, or -ENOTCONN. It changes with each open. */
PMC_EXPORT int pmc_raw_stream_fd(const struct pmc_raw_stream *s);

/*
 * Read what has arrived, a bounded number of messages a call, and report each record. Malformed and
 * foreign messages are counted and ignored. 0, or -errno; -ERANGE: the stream has become too fast,
 * it was closed.
 */
PMC_EXPORT int pmc_raw_stream_receive(struct pmc_raw_stream *s, int64_t now_mono_ns);

/* Is the ptp4l that this is connected to still there? For when nothing comes. 0 or -errno. */
PMC_EXPORT int pmc_raw_stream_check(const struct pmc_raw_stream *s);

/* The stall that is survived at the rate measured, or expected while none is. */
PMC_EXPORT int64_t pmc_raw_stream_survival_ns(const struct pmc_raw_stream *s);

struct pmc_raw_counters {
	uint64_t received; /* messages */
	uint64_t malformed;
	uint64_t foreign; /* another domain or transportSpecific, or no timing data */
	uint64_t missed;  /* messages that ptp4l sent and that did not come */
};

PMC_EXPORT const struct pmc_raw_counters *pmc_raw_stream_counters(const struct pmc_raw_stream *s);
