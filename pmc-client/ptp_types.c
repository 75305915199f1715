// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/ptp_types.h"

#include <errno.h>
#include <stdio.h>
#include <strings.h>

/* clang-format off */
const struct ptp_name ptp_port_states[] = {
	{ PTP_INITIALIZING, "INITIALIZING" },
	{ PTP_FAULTY,       "FAULTY" },
	{ PTP_DISABLED,     "DISABLED" },
	{ PTP_LISTENING,    "LISTENING" },
	{ PTP_PRE_MASTER,   "PRE_MASTER" },
	{ PTP_MASTER,       "MASTER" },
	{ PTP_PASSIVE,      "PASSIVE" },
	{ PTP_UNCALIBRATED, "UNCALIBRATED" },
	{ PTP_SLAVE,        "SLAVE" },
	{ 0, NULL }
};

const struct ptp_name ptp_delay_mechanisms[] = {
	{ PTP_E2E,          "E2E" },
	{ PTP_P2P,          "P2P" },
	{ PTP_COMMON_P2P,   "COMMON_P2P" },
	{ PTP_NO_MECHANISM, "NO_MECHANISM" },
	{ 0, NULL }
};

const struct ptp_name ptp_time_sources[] = {
	{ PTP_ATOMIC_CLOCK,        "ATOMIC_CLOCK" },
	{ PTP_GNSS,                "GNSS" },
	{ PTP_TERRESTRIAL_RADIO,   "TERRESTRIAL_RADIO" },
	{ PTP_SERIAL_TIME_CODE,    "SERIAL_TIME_CODE" },
	{ PTP_FROM_PTP,            "PTP" },
	{ PTP_FROM_NTP,            "NTP" },
	{ PTP_HAND_SET,            "HAND_SET" },
	{ PTP_OTHER,               "OTHER" },
	{ PTP_INTERNAL_OSCILLATOR, "INTERNAL_OSCILLATOR" },
	{ 0, NULL }
};

/* IEEE 1588-2019 table 5; 0x17 to 0x1F are new in that edition */
static const struct ptp_name clock_accuracies[] = {
	{ 0x17, "1 ps" },   { 0x18, "2.5 ps" }, { 0x19, "10 ps" },  { 0x1A, "25 ps" },
	{ 0x1B, "100 ps" }, { 0x1C, "250 ps" }, { 0x1D, "1 ns" },   { 0x1E, "2.5 ns" },
	{ 0x1F, "10 ns" },  { 0x20, "25 ns" },  { 0x21, "100 ns" }, { 0x22, "250 ns" },
	{ 0x23, "1 us" },   { 0x24, "2.5 us" }, { 0x25, "10 us" },  { 0x26, "25 us" },
	{ 0x27, "100 us" }, { 0x28, "250 us" }, { 0x29, "1 ms" },   { 0x2A, "2.5 ms" },
	{ 0x2B, "10 ms" },  { 0x2C, "25 ms" },  { 0x2D, "100 ms" }, { 0x2E, "250 ms" },
	{ 0x2F, "1 s" },    { 0x30, "10 s" },   { 0x31, "worse than 10 s" },
	{ 0, NULL }
};

const struct ptp_name ptp_timestampings[] = {
	{ PTP_TIMESTAMPING_SOFTWARE,  "SOFTWARE" },
	{ PTP_TIMESTAMPING_HARDWARE,  "HARDWARE" },
	{ PTP_TIMESTAMPING_LEGACY_HW, "LEGACY_HW" },
	{ PTP_TIMESTAMPING_ONESTEP,   "ONESTEP" },
	{ PTP_TIMESTAMPING_P2P1STEP,  "P2P1STEP" },
	{ 0, NULL }
};

const struct ptp_name ptp_network_protocols[] = {
	{ PTP_UDS,        "UDS" },
	{ PTP_UDP_IPV4,   "UDP_IPV4" },
	{ PTP_UDP_IPV6,   "UDP_IPV6" },
	{ PTP_IEEE_802_3, "IEEE_802_3" },
	{ PTP_DEVICENET,  "DEVICENET" },
	{ PTP_CONTROLNET, "CONTROLNET" },
	{ PTP_PROFINET,   "PROFINET" },
	{ 0, NULL }
};

const struct ptp_name ptp_unicast_states[] = {
	{ PTP_UNICAST_WAIT,      "WAIT" },
	{ PTP_UNICAST_HAVE_ANN,  "HAVE_ANN" },
	{ PTP_UNICAST_NEED_SYDY, "NEED_SYDY" },
	{ PTP_UNICAST_HAVE_SYDY, "HAVE_SYDY" },
	{ 0, NULL }
};

const struct ptp_name ptp_error_ids[] = {
	{ PTP_RESPONSE_TOO_BIG, "RESPONSE_TOO_BIG" },
	{ PTP_NO_SUCH_ID,       "NO_SUCH_ID" },
	{ PTP_WRONG_LENGTH,     "WRONG_LENGTH" },
	{ PTP_WRONG_VALUE,      "WRONG_VALUE" },
	{ PTP_NOT_SETABLE,      "NOT_SETABLE" },
	{ PTP_NOT_SUPPORTED,    "NOT_SUPPORTED" },
	{ PTP_GENERAL_ERROR,    "GENERAL_ERROR" },
	{ 0, NULL }
};
/* clang-format on */

const char *ptp_name_of(const struct ptp_name *names, unsigned int value)
{
	for (const struct ptp_name *n = names; n->name; n++)
		if (n->value == value)
			return n->name;
	return NULL;
}

int ptp_name_parse(const struct ptp_name *names, const char *name, unsigned int *out)
{
	for (const struct ptp_name *n = names; n->name; n++)
		if (strcasecmp(n->name, name) == 0) {
			*out = n->value;
			return 0;
		}
	return -EINVAL;
}

static const char *name_or_unknown(const struct ptp_name *names, unsigned int value)
{
	const char *name = ptp_name_of(names, value);

	return name ? name : "UNKNOWN";
}

const char *ptp_port_state_name(unsigned int state)
{
	return name_or_unknown(ptp_port_states, state);
}

const char *ptp_delay_mechanism_name(unsigned int mechanism)
{
	return name_or_unknown(ptp_delay_mechanisms, mechanism);
}

const char *ptp_time_source_name(unsigned int source)
{
	return name_or_unknown(ptp_time_sources, source);
}

const char *ptp_clock_accuracy_name(unsigned int accuracy)
{
	return name_or_unknown(clock_accuracies, accuracy);
}

const char *ptp_timestamping_name(unsigned int timestamping)
{
	return name_or_unknown(ptp_timestampings, timestamping);
}

const char *ptp_network_protocol_name(unsigned int protocol)
{
	return name_or_unknown(ptp_network_protocols, protocol);
}

const char *ptp_unicast_state_name(unsigned int state)
{
	return name_or_unknown(ptp_unicast_states, state);
}

const char *ptp_error_name(unsigned int error_id)
{
	return name_or_unknown(ptp_error_ids, error_id);
}

int ptp_port_state_parse(const char *name, enum ptp_port_state *out)
{
	unsigned int value;
	int r = ptp_name_parse(ptp_port_states, name, &value);

	if (r == 0)
		*out = (enum ptp_port_state)value;
	return r;
}

char *ptp_clock_identity_format(const struct ptp_clock_identity *id,
				char buf[PTP_CLOCK_IDENTITY_TEXT])
{
	const uint8_t *o = id->octet;

	(void)snprintf(buf, PTP_CLOCK_IDENTITY_TEXT, "%02x%02x%02x.%02x%02x.%02x%02x%02x", o[0],
		       o[1], o[2], o[3], o[4], o[5], o[6], o[7]);
	return buf;
}

char *ptp_port_identity_format(const struct ptp_port_identity *id, char buf[PTP_PORT_IDENTITY_TEXT])
{
	char clock[PTP_CLOCK_IDENTITY_TEXT];

	(void)snprintf(buf, PTP_PORT_IDENTITY_TEXT, "%s-%u",
		       ptp_clock_identity_format(&id->clock, clock), id->port);
	return buf;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) % 16 : -1;
}

/* Reads a clock identity from *text and moves it past; the dots have their fixed places. */
static int take_clock_identity(const char **text, struct ptp_clock_identity *out)
{
	const char *at = *text;

	for (size_t i = 0; i < sizeof(out->octet); i++) {
		int high, low;

		if ((i == 3 || i == 5) && *at++ != '.')
			return -EINVAL;
		high = hex_digit(at[0]);
		low = high < 0 ? -1 : hex_digit(at[1]);
		if (low < 0)
			return -EINVAL;
		out->octet[i] = (uint8_t)(high << 4 | low);
		at += 2;
	}
	*text = at;
	return 0;
}

int ptp_clock_identity_parse(const char *text, struct ptp_clock_identity *out)
{
	struct ptp_clock_identity id;

	if (take_clock_identity(&text, &id) < 0 || *text)
		return -EINVAL;
	*out = id;
	return 0;
}

int ptp_port_identity_parse(const char *text, struct ptp_port_identity *out)
{
	struct ptp_port_identity id;
	unsigned int port = 0;

	if (take_clock_identity(&text, &id.clock) < 0 || *text++ != '-' || !*text)
		return -EINVAL;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		port = port * 10 + (unsigned int)(*text - '0');
		if (port > UINT16_MAX)
			return -EINVAL;
	}
	id.port = (uint16_t)port;
	*out = id;
	return 0;
}
