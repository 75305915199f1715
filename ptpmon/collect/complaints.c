/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/complaints.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"

enum { MINOR_ROUNDS = 3, MINOR_MAJOR = 4 };

/* A port that fell is tried again after 16 s (fault_reset_interval 4, the default). */
#define ROUND_MIN_NS (8 * NSEC_PER_SEC)
#define ROUND_MAX_NS (60 * NSEC_PER_SEC)

#define PTP4L   "ptp4l"
#define PHC2SYS "phc2sys"

/* Texts of print statements in linuxptp 3.1.1 to 4.4; the first row that fits counts. */
/* clang-format off */
static const struct complaint table[] = {
	{ PTP4L, "timed out while polling for tx timestamp", NULL, EVENT_TX_TIMESTAMP_TIMEOUT,
	  "raise [ptp4l] tx_timestamp_timeout; see who runs above the kernel's timestamp worker" },
	{ PTP4L, "poll for tx timestamp", NULL, EVENT_TX_TIMESTAMP_TIMEOUT,
	  "the driver gave something else than the timestamp: look at the kernel's log" },
	{ PTP4L, "missing timestamp on transmitted", NULL, EVENT_TIMESTAMP_MISSING,
	  "the driver sent the message without a timestamp: does the PHY stamp this kind?" },
	{ PTP4L, " without timestamp", NULL, EVENT_TIMESTAMP_MISSING,
	  "the driver's receive filter does not cover this message: see ethtool -T" },
	{ PTP4L, "does not support requested timestamping mode", NULL, EVENT_TIMESTAMPING_REFUSED,
	  "ethtool -T shows what it has; [ptp4l] timestamping = software works anywhere" },
	{ PTP4L, "driver rejected most general HWTSTAMP filter", NULL, EVENT_TIMESTAMPING_REFUSED,
	  "the driver has no receive filter for PTP: see ethtool -T" },
	{ PTP4L, "The current filter does not match the required", NULL, EVENT_TIMESTAMPING_REFUSED,
	  "another program set the receive filter: see hwstamp_ctl -i INTERFACE" },
	{ PTP4L, "driver changed our HWTSTAMP options", NULL, EVENT_TIMESTAMPING_REFUSED,
	  "the driver stamps another set of messages than asked: see ethtool -T" },
	{ PTP4L, "ioctl SIOCSHWTSTAMP failed", NULL, EVENT_TIMESTAMPING_REFUSED,
	  "the driver refuses hardware timestamping: see ethtool -T and the kernel's log" },
	{ NULL, "does not have a PHC", NULL, EVENT_TIMESTAMPING_REFUSED,
	  "no hardware clock: [ptp4l] timestamping = software works anywhere" },
	{ PTP4L, "PTP device not specified and automatic determination", NULL, EVENT_TIMESTAMPING_REFUSED,
	  "the driver does not say which hardware clock it has: give phc_index or -p" },
	{ NULL, "clockcheck: clock frequency changed unexpectedly", NULL, EVENT_CLOCKCHECK,
	  "another program steers this clock: see the events named rival" },
	{ NULL, "clockcheck: ", NULL, EVENT_CLOCKCHECK,
	  "another program sets this clock, or this one got no CPU for a while" },
	{ NULL, "failed to step clock", NULL, EVENT_CLOCK_REFUSED,
	  "setting a clock takes CAP_SYS_TIME, and a /dev/ptp* that may be written" },
	{ NULL, "failed to adjust the clock", NULL, EVENT_CLOCK_REFUSED,
	  "setting a clock takes CAP_SYS_TIME, and a /dev/ptp* that may be written" },
	{ NULL, "failed to set the clock", NULL, EVENT_CLOCK_REFUSED,
	  "setting a clock takes CAP_SYS_TIME, and a /dev/ptp* that may be written" },
	{ NULL, "failed to set clock status", NULL, EVENT_CLOCK_REFUSED,
	  "setting a clock takes CAP_SYS_TIME" },
	{ NULL, "failed to set TAI offset", NULL, EVENT_CLOCK_REFUSED,
	  "setting a clock takes CAP_SYS_TIME" },
	{ NULL, "failed to read clock", NULL, EVENT_CLOCK_REFUSED,
	  "the hardware clock is gone or its bus fails: look at the kernel's log" },
	{ NULL, "clock is not adjustable", NULL, EVENT_CLOCK_REFUSED,
	  "its driver cannot change the frequency: choose another clock" },
	{ PTP4L, "on SYNCHRONIZATION_FAULT", NULL, EVENT_SYNCHRONIZATION_FAULT,
	  "held up, or the clock was set: see latency and steps at this moment" },
	{ PTP4L, " on FAULT_DETECTED", "FT_BAD_PEER_NETWORK", EVENT_ROGUE_RESPONDER,
	  "a bridge that forwards peer delay messages, or two clocks on the wire" },
	{ PTP4L, " on FAULT_DETECTED", NULL, EVENT_PORT_FAULT,
	  "the line before it says why; without one, sending failed or the link went" },
	{ PTP4L, "multiple peer responses", NULL, EVENT_ROGUE_RESPONDER,
	  "a bridge that forwards peer delay messages, or two clocks on the wire" },
	{ PTP4L, "multiple sequential peer delay resp", NULL, EVENT_ROGUE_RESPONDER,
	  "a bridge that forwards peer delay messages, or two clocks on the wire" },
	{ PTP4L, "rogue peer delay response", NULL, EVENT_ROGUE_RESPONDER,
	  "a bridge that forwards peer delay messages, or two clocks on the wire" },
	{ PTP4L, "neighborPropDelayThresh", NULL, EVENT_NOT_AS_CAPABLE,
	  "the cable's delay is above the limit: raise neighborPropDelayThresh" },
	{ PTP4L, "resetting asCapable", NULL, EVENT_NOT_AS_CAPABLE,
	  "the neighbour answers peer delay requests badly or not at all" },
	{ PTP4L, "assuming the grand master role", NULL, EVENT_GRANDMASTER_ROLE,
	  "no better master is heard" },
	{ PTP4L, "ignoring master!", NULL, EVENT_MASTER_REFUSED,
	  "the master's clock quality is not what is configured for it" },
	{ PTP4L, "not in unicast master table", NULL, EVENT_MASTER_REFUSED,
	  "add it to the table, or leave it out of this network" },
	{ PTP4L, "foreign master not using PTP timescale", NULL, EVENT_FOREIGN_TIME_SCALE,
	  "its time is no TAI: UTC taken from it is wrong by the leap seconds, or arbitrary" },
	{ PTP4L, "running in a temporal vortex", NULL, EVENT_FOREIGN_TIME_SCALE,
	  "this clock's own time scale is arbitrary while the UTC offset is not" },
	{ NULL, "suspended due to leap second", NULL, EVENT_LEAP_SECOND,
	  "around the leap second the servo holds still" },
	{ NULL, " leap second at midnight", NULL, EVENT_LEAP_SECOND,
	  "announced by the master: is there one at this date?" },
	{ PTP4L, ": bad message", NULL, EVENT_BAD_MESSAGE,
	  "a device sends what is no PTP, or the network damages it" },
	{ PTP4L, "TLV on ", " not allowed", EVENT_BAD_MESSAGE,
	  "a device sends what is no PTP, or the network damages it" },
	{ PTP4L, ": send ", " failed", EVENT_SEND_FAILED,
	  "the link is down, or its queue full: see link events and the qdisc" },
	{ PTP4L, "sendto failed", NULL, EVENT_SEND_FAILED,
	  "no link, no route or no address: see link and address events" },
	{ PTP4L, ": error on fda[", NULL, EVENT_SOCKET_TROUBLE,
	  "the interface went down or away: see link events" },
	{ PTP4L, "unexpected socket error", NULL, EVENT_SOCKET_TROUBLE,
	  "the interface went down or away: see link events" },
	{ PTP4L, "recv message failed", NULL, EVENT_SOCKET_TROUBLE,
	  "the interface went down or away: see link events" },
	{ PTP4L, "rtnl: recvmsg", NULL, EVENT_SOCKET_TROUBLE,
	  "news of links were lost: a port can stay FAULTY though its link is up" },
	{ PTP4L, "setsockopt ", "MEMBERSHIP failed", EVENT_SOCKET_TROUBLE,
	  "the interface has no address for this transport: see address events" },
	{ PTP4L, "uds: bind failed", NULL, EVENT_SOCKET_TROUBLE,
	  "the directory of the management socket cannot be written, or is gone" },
	{ PTP4L, "socket failed: ", "not permitted", EVENT_SOCKET_TROUBLE,
	  "raw Ethernet takes CAP_NET_RAW: run as root, or with AmbientCapabilities=CAP_NET_RAW" },
	{ PTP4L, "SO_BINDTODEVICE failed: ", "not permitted", EVENT_SOCKET_TROUBLE,
	  "that takes CAP_NET_RAW: run as root, or with AmbientCapabilities=CAP_NET_RAW" },
	{ PTP4L, "bind failed: ", "denied", EVENT_SOCKET_TROUBLE,
	  "UDP ports 319 and 320 take CAP_NET_BIND_SERVICE: run as root, or with that capability" },
	{ PTP4L, "bind failed: ", "in use", EVENT_SOCKET_TROUBLE,
	  "another program has UDP port 319 or 320: `ss -ulpn` names it" },
	{ NULL, "failed to open the UDS", NULL, EVENT_SOCKET_TROUBLE,
	  "the directory of the management socket cannot be written, or is gone" },
	{ PTP4L, "delay response timeout", NULL, EVENT_DELAY_UNANSWERED,
	  "the master does not answer: E2E against P2P, or another domain?" },
	{ PTP4L, "delay request on P2P port", NULL, EVENT_DELAY_UNANSWERED,
	  "the other side measures end to end: set the same delay mechanism" },
	{ PTP4L, "pdelay_req on E2E port", NULL, EVENT_DELAY_UNANSWERED,
	  "the other side measures peer to peer: set the same delay mechanism" },
	{ PTP4L, "rogue unicast grant or cancel", NULL, EVENT_UNICAST_REFUSED,
	  "a clock that was not asked answers" },
	{ PTP4L, "unicast grant of", "rejected", EVENT_UNICAST_REFUSED,
	  "the master has no room, or does not know this slave" },
	{ PTP4L, "unilaterally canceled unicast", NULL, EVENT_UNICAST_REFUSED,
	  "the master ended its service" },
	{ PTP4L, ": link down", NULL, EVENT_PORT_LINK_DOWN,
	  "a cable, the other side, or a driver that resets" },
	{ PTP4L, "PHC device mismatch", NULL, EVENT_PHC_MISMATCH,
	  "ports of a boundary clock share one hardware clock, or need boundary_clock_jbod" },
	{ PTP4L, "just a bunch of devices", NULL, EVENT_PHC_MISMATCH,
	  "each port has a clock of its own: phc2sys has to join them" },
	{ PTP4L, "Switching PHC, ", NULL, EVENT_PHC_MISMATCH,
	  "the bond's other interface has a clock that cannot be used" },
	{ NULL, "unknown option ", NULL, EVENT_PROGRAM_OPTION,
	  "this version does not know it: remove it, or install another linuxptp" },
	{ NULL, " value for option ", NULL, EVENT_PROGRAM_OPTION,
	  "see the program's manual for what it takes" },
	{ NULL, "failed to parse configuration file", NULL, EVENT_PROGRAM_OPTION,
	  "the line before it names the place" },
	{ NULL, "failed to open configuration file", NULL, EVENT_PROGRAM_OPTION,
	  "is it there, and may it be read?" },
	{ NULL, "could not parse ", " on line ", EVENT_PROGRAM_OPTION, "mend that line" },
	{ NULL, "could not parse line ", NULL, EVENT_PROGRAM_OPTION, "mend that line" },
	{ NULL, "is deprecated, please use", NULL, EVENT_PROGRAM_OPTION, "use the newer name" },
	{ PHC2SYS, "Waiting for ptp4l", NULL, EVENT_CLOCK_WAITS,
	  "is its socket, domain and transportSpecific ptp4l's? with -w it waits for ever" },
	{ PHC2SYS, "clock not ready, waiting", NULL, EVENT_CLOCK_WAITS,
	  "no port is SLAVE or MASTER yet" },
	{ PHC2SYS, "no PHC ready, waiting", NULL, EVENT_CLOCK_WAITS,
	  "no port with a hardware clock is up yet" },
	{ PHC2SYS, "postponing sync", NULL, EVENT_CLOCK_WAITS,
	  "several clocks could be the source" },
	{ PHC2SYS, "no suitable ports available", NULL, EVENT_CLOCK_WAITS,
	  "no port of ptp4l has a hardware clock" },
	{ PHC2SYS, "nothing to synchronize", NULL, EVENT_CLOCK_WAITS,
	  "no port is SLAVE: nothing says which clock is right" },
	{ PHC2SYS, "Lost connection to ptp4l", NULL, EVENT_CLOCK_WAITS,
	  "ptp4l ended or hangs: see the events of ptp4l" },
};
/* clang-format on */

const struct complaint *complaint_find(const char *program, const char *text)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct complaint *row = &table[i];

		if (row->program && strcmp(row->program, program) != 0)
			continue;
		if (strstr(text, row->part) && (!row->also || strstr(text, row->also)))
			return row;
	}
	return NULL;
}

/* NULL if there is no room for one more code. */
static struct complaint_count *count_of(struct complaints *c, enum event_code code)
{
	size_t i = 0;

	while (i < c->n && c->counts[i].code != code)
		i++;
	if (i == COMPLAINT_CODES_MAX)
		return NULL;
	if (i == c->n)
		c->counts[c->n++] = (struct complaint_count){.code = code};
	return &c->counts[i];
}

static struct event tell(const struct complaints *c, struct complaint_count *count,
			 const char *text, int64_t now_mono_ns)
{
	char more[48] = "";
	struct event e;

	if (count->untold > 1)
		(void)snprintf(more, sizeof(more), " (%" PRIu64 " times)", count->untold);
	e = event_make(count->code, now_mono_ns, c->name, "%s: %.120s%s: %s", c->name, text, more,
		       count->hint);
	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"count\":%" PRIu64 ",\"since_told\":%" PRIu64 "}", count->count,
		       count->untold);
	count->untold = 0;
	count->told_mono_ns = now_mono_ns;
	return e;
}

static void watch_tx(struct complaints *c, int64_t now_mono_ns)
{
	int64_t since_ns = now_mono_ns - c->tx_round_mono_ns;

	if (c->tx_rounds && since_ns < ROUND_MIN_NS)
		return;
	c->tx_rounds = c->tx_rounds && since_ns <= ROUND_MAX_NS ? c->tx_rounds + 1 : 1;
	c->tx_round_mono_ns = now_mono_ns;
}

bool complaints_feed(struct complaints *c, const char *text, int64_t now_mono_ns, struct event *out)
{
	const struct complaint *row = complaint_find(c->program, text);
	struct complaint_count *count = row ? count_of(c, row->code) : NULL;

	if (!count)
		return false;
	if (row->code == EVENT_TX_TIMESTAMP_TIMEOUT)
		watch_tx(c, now_mono_ns);
	count->hint = row->hint;
	count->mono_ns = now_mono_ns;
	count->untold++;
	if (count->count++ && now_mono_ns - count->told_mono_ns < COMPLAINTS_EVERY_NS)
		return false;
	*out = tell(c, count, text, now_mono_ns);
	return true;
}

static bool suspect_minor_version(struct complaints *c, int64_t now_mono_ns, struct event *out)
{
	if (c->minor_told || c->tx_rounds < MINOR_ROUNDS || c->major < MINOR_MAJOR)
		return false;
	c->minor_told = true;
	*out = event_make(
		EVENT_PTP_MINOR_VERSION, now_mono_ns, c->name,
		"%s: no transmit timestamp at every new try: does the PHY match PTP minor "
		"version 1? try [ptp4l] extra_arguments = --ptp_minor_version=0",
		c->program);
	return true;
}

bool complaints_due(struct complaints *c, int64_t now_mono_ns, struct event *out)
{
	if (suspect_minor_version(c, now_mono_ns, out))
		return true;
	for (size_t i = 0; i < c->n; i++) {
		struct complaint_count *count = &c->counts[i];

		if (!count->untold || now_mono_ns - count->told_mono_ns < COMPLAINTS_EVERY_NS)
			continue;
		*out = tell(c, count, event_code_meaning(count->code), now_mono_ns);
		return true;
	}
	return false;
}
