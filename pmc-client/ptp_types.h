/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The value types of PTP management: identities, texts, addresses, and the enumerations with
 * their names. Everything is in host order; octets are met in wire.h and dataset.h only.
 *
 * Names are those that linuxptp's tools print. The parsers ignore case.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#define PMC_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define PMC_EXPORT __attribute__((visibility("default")))
#endif

/* IEEE 1588-2019 5.3.4. All ones is the wildcard of a target (15.3.1). */
struct ptp_clock_identity {
	uint8_t octet[8];
};

/* IEEE 1588-2019 5.3.5 */
struct ptp_port_identity {
	struct ptp_clock_identity clock;
	uint16_t port;
};

#define PTP_PORT_ALL 0xFFFF /* the wildcard port number of a target */

/* Buffer sizes for the text forms "020000.fffe.000001" and "020000.fffe.000001-1". */
#define PTP_CLOCK_IDENTITY_TEXT 19
#define PTP_PORT_IDENTITY_TEXT  25

/* PTPText (IEEE 1588-2019 5.3.9). NUL-terminated here; the text itself may hold any octet. */
struct ptp_text {
	uint8_t length;
	char text[256];
};

/* An address of up to 16 octets, with its network protocol where there is one (5.3.6). */
struct ptp_address {
	uint16_t protocol; /* enum ptp_network_protocol; 0 for a physical address */
	uint16_t length;
	uint8_t octet[16];
};

/* ScaledNs of IEEE 802.1AS: (ns_high * 2^64 + ns_low + fraction / 2^16) nanoseconds. */
struct ptp_scaled_ns {
	int16_t ns_high;
	uint64_t ns_low;
	uint16_t fraction;
};

/* One name of one enumerator; an array of these ends with a NULL name. */
struct ptp_name {
	uint16_t value;
	const char *name;
};

/* IEEE 1588-2019 table 20. ptp4l reports its internal GRAND_MASTER as MASTER. */
enum ptp_port_state {
	PTP_INITIALIZING = 1,
	PTP_FAULTY,
	PTP_DISABLED,
	PTP_LISTENING,
	PTP_PRE_MASTER,
	PTP_MASTER,
	PTP_PASSIVE,
	PTP_UNCALIBRATED,
	PTP_SLAVE,
};

/* IEEE 1588-2019 table 21; COMMON_P2P since linuxptp 4.3, NO_MECHANISM since 4.0 */
enum ptp_delay_mechanism {
	PTP_E2E = 1,
	PTP_P2P = 2,
	PTP_COMMON_P2P = 3,
	PTP_NO_MECHANISM = 0xFE,
};

/* IEEE 1588-2019 table 6 */
enum ptp_time_source {
	PTP_ATOMIC_CLOCK = 0x10,
	PTP_GNSS = 0x20,
	PTP_TERRESTRIAL_RADIO = 0x30,
	PTP_SERIAL_TIME_CODE = 0x39,
	PTP_FROM_PTP = 0x40,
	PTP_FROM_NTP = 0x50,
	PTP_HAND_SET = 0x60,
	PTP_OTHER = 0x90,
	PTP_INTERNAL_OSCILLATOR = 0xA0,
};

/* The timestamping octet of PORT_PROPERTIES_NP (linuxptp, enum timestamp_type) */
enum ptp_timestamping {
	PTP_TIMESTAMPING_SOFTWARE,
	PTP_TIMESTAMPING_HARDWARE,
	PTP_TIMESTAMPING_LEGACY_HW,
	PTP_TIMESTAMPING_ONESTEP,
	PTP_TIMESTAMPING_P2P1STEP,
};

/* IEEE 1588-2019 table 3 */
enum ptp_network_protocol {
	PTP_UDS,
	PTP_UDP_IPV4,
	PTP_UDP_IPV6,
	PTP_IEEE_802_3,
	PTP_DEVICENET,
	PTP_CONTROLNET,
	PTP_PROFINET,
};

/* How far unicast negotiation with a master has got (linuxptp, UNICAST_MASTER_TABLE_NP) */
enum ptp_unicast_state {
	PTP_UNICAST_WAIT,
	PTP_UNICAST_HAVE_ANN,
	PTP_UNICAST_NEED_SYDY,
	PTP_UNICAST_HAVE_SYDY,
};

/* The low nibble of a management message's actionField (IEEE 1588-2019 table 58) */
enum ptp_action {
	PTP_GET,
	PTP_SET,
	PTP_RESPONSE,
	PTP_COMMAND,
	PTP_ACKNOWLEDGE,
};

/* managementErrorId (IEEE 1588-2019 table 109) */
enum ptp_error_id {
	PTP_RESPONSE_TOO_BIG = 1,
	PTP_NO_SUCH_ID,
	PTP_WRONG_LENGTH,
	PTP_WRONG_VALUE,
	PTP_NOT_SETABLE,
	PTP_NOT_SUPPORTED,
	PTP_GENERAL_ERROR = 0xFFFE,
};

/* Bits of a time-properties flags octet (IEEE 1588-2019 table 37; the last is 802.1AS's) */
enum ptp_time_flags {
	PTP_LEAP61 = 0x01,
	PTP_LEAP59 = 0x02,
	PTP_UTC_OFFSET_VALID = 0x04,
	PTP_TIMESCALE = 0x08,
	PTP_TIME_TRACEABLE = 0x10,
	PTP_FREQUENCY_TRACEABLE = 0x20,
	PTP_SYNC_UNCERTAIN = 0x40,
};

/* Indices of ptp_port_stats_np.rx and .tx (IEEE 1588-2019 table 36) */
enum ptp_message_type {
	PTP_MSG_SYNC,
	PTP_MSG_DELAY_REQ,
	PTP_MSG_PDELAY_REQ,
	PTP_MSG_PDELAY_RESP,
	PTP_MSG_FOLLOW_UP = 8,
	PTP_MSG_DELAY_RESP,
	PTP_MSG_PDELAY_RESP_FOLLOW_UP,
	PTP_MSG_ANNOUNCE,
	PTP_MSG_SIGNALING,
	PTP_MSG_MANAGEMENT,
	PTP_MSG_MAX = 16,
};

/* The name of a value, or "UNKNOWN" if it has none. Never NULL. */
PMC_EXPORT const char *ptp_port_state_name(unsigned int state);
PMC_EXPORT const char *ptp_delay_mechanism_name(unsigned int mechanism);
PMC_EXPORT const char *ptp_time_source_name(unsigned int source);
PMC_EXPORT const char *ptp_clock_accuracy_name(unsigned int accuracy); /* "25 ns", "100 ns" ... */
PMC_EXPORT const char *ptp_timestamping_name(unsigned int timestamping);
PMC_EXPORT const char *ptp_network_protocol_name(unsigned int protocol);
PMC_EXPORT const char *ptp_unicast_state_name(unsigned int state);
PMC_EXPORT const char *ptp_error_name(unsigned int error_id);

/* The value of a name. 0, or -EINVAL. */
PMC_EXPORT int ptp_port_state_parse(const char *name, enum ptp_port_state *out);

/* The tables behind these names, for the field descriptors. */
extern const struct ptp_name ptp_port_states[], ptp_delay_mechanisms[], ptp_time_sources[],
	ptp_timestampings[], ptp_network_protocols[], ptp_unicast_states[], ptp_error_ids[];

/* The name of value in names, or NULL; the value of a name (case ignored), 0 or -EINVAL. */
const char *ptp_name_of(const struct ptp_name *names, unsigned int value);
int ptp_name_parse(const struct ptp_name *names, const char *name, unsigned int *out);

/* Text forms. Each returns buf. */
PMC_EXPORT char *ptp_clock_identity_format(const struct ptp_clock_identity *id,
					   char buf[PTP_CLOCK_IDENTITY_TEXT]);
PMC_EXPORT char *ptp_port_identity_format(const struct ptp_port_identity *id,
					  char buf[PTP_PORT_IDENTITY_TEXT]);

/* Reads exactly such a text. 0, or -EINVAL. */
PMC_EXPORT int ptp_clock_identity_parse(const char *text, struct ptp_clock_identity *out);
PMC_EXPORT int ptp_port_identity_parse(const char *text, struct ptp_port_identity *out);

static inline bool ptp_clock_identity_equal(const struct ptp_clock_identity *a,
					    const struct ptp_clock_identity *b)
{
	return memcmp(a->octet, b->octet, sizeof(a->octet)) == 0;
}

static inline bool ptp_port_identity_equal(const struct ptp_port_identity *a,
					   const struct ptp_port_identity *b)
{
	return a->port == b->port && ptp_clock_identity_equal(&a->clock, &b->clock);
}
