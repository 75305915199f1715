/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of a port: its link, its time stamps, its clock, and who else has a hand on it. */
#include <errno.h>
#include <inttypes.h>
#include <linux/net_tstamp.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/check/impl.h"
#include "ptpmon/model/timescale.h"

enum {
	FAST_MBIT = 100,
	FLAPS_MANY = 20, /* carrier losses since boot; one or two are a link that comes up */
	FLAPS_SOME = 3,
	COALESCE_US = 50,
	PHC_QUICK_NS = 10000,
	PHC_SLOW_NS = 50000,
	UTC_TEXT_SECONDS = 19, /* of "2026-03-01T22:00:00.5Z" */
};

static void judge_link(const struct check_facts *f, const struct check_port *p,
		       struct check_finding *out)
{
	if (!p->present)
		found(out, CHECK_FAIL, "no such interface");
	else
		found(out, p->carrier ? CHECK_PASS : CHECK_FAIL, "%s",
		      p->carrier ? "carrier" : "no carrier");
}

static void judge_speed(const struct check_facts *f, const struct check_port *p,
			struct check_finding *out)
{
	if (!p->carrier)
		found(out, CHECK_SKIP, "no carrier");
	else if (p->speed_mbit <= 0)
		found(out, CHECK_SKIP, "it does not tell");
	else
		found(out,
		      strcmp(p->duplex, "half") == 0 ? CHECK_FAIL
		      : p->speed_mbit < FAST_MBIT    ? CHECK_WARN
						     : CHECK_PASS,
		      "%d Mbit/s, %s duplex", p->speed_mbit, *p->duplex ? p->duplex : "unknown");
}

static void judge_driver(const struct check_facts *f, const struct check_port *p,
			 struct check_finding *out)
{
	if (*p->driver)
		found(out, CHECK_PASS, "%s", p->driver);
	else
		found(out, CHECK_WARN, "no device behind it: a virtual interface");
}

static void judge_flaps(const struct check_facts *f, const struct check_port *p,
			struct check_finding *out)
{
	if (p->carrier_losses < 0)
		found(out, CHECK_SKIP, "the kernel does not count");
	else
		found(out,
		      p->carrier_losses > FLAPS_MANY   ? CHECK_FAIL
		      : p->carrier_losses > FLAPS_SOME ? CHECK_WARN
						       : CHECK_PASS,
		      "carrier losses since boot: %" PRId64, p->carrier_losses);
}

/* -- time stamps ------------------------------------------------------------------------- */

static const struct {
	uint32_t bit;
	const char *name;
} needed[] = {
	{SOF_TIMESTAMPING_TX_HARDWARE, "hardware-transmit"},
	{SOF_TIMESTAMPING_RX_HARDWARE, "hardware-receive"},
	{SOF_TIMESTAMPING_RAW_HARDWARE, "hardware-raw-clock"},
};

static bool is_silent(const struct check_port *p, struct check_finding *out)
{
	if (p->timestamping_error)
		found(out, CHECK_SKIP, "it does not tell: %s", strerror(p->timestamping_error));
	return p->timestamping_error;
}

static void judge_timestamping(const struct check_facts *f, const struct check_port *p,
			       struct check_finding *out)
{
	char missing[CHECK_TEXT_MAX] = "";

	if (is_silent(p, out))
		return;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!(p->timestamping.so_timestamping & needed[i].bit))
			list_add(missing, sizeof(missing), "%s", needed[i].name);
	if (*missing)
		found(out, p->software ? CHECK_WARN : CHECK_FAIL, "without %s%s", missing,
		      p->software ? "; software, as configured" : "");
	else
		found(out, CHECK_PASS, "hardware: transmit, receive, raw clock");
}

/* ptp4l asks for one of these (sk.c: sk_ts_info, sk_timestamping_init), or takes all packets. */
static void judge_filters(const struct check_facts *f, const struct check_port *p,
			  struct check_finding *out)
{
	static const struct {
		unsigned filter;
		const char *name;
	} good[] = {
		{HWTSTAMP_FILTER_ALL, "all"},
		{HWTSTAMP_FILTER_PTP_V2_EVENT, "ptpv2-event"},
		{HWTSTAMP_FILTER_PTP_V2_L2_EVENT, "ptpv2-l2-event"},
		{HWTSTAMP_FILTER_PTP_V2_L4_EVENT, "ptpv2-l4-event"},
	};
	char filters[CHECK_TEXT_MAX] = "";
	bool sends =
		p->timestamping.tx_types & (1U << HWTSTAMP_TX_ON | 1U << HWTSTAMP_TX_ONESTEP_SYNC);

	if (is_silent(p, out))
		return;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (p->timestamping.rx_filters >> good[i].filter & 1)
			list_add(filters, sizeof(filters), "%s", good[i].name);
	if (p->software)
		found(out, CHECK_SKIP, "software time stamps are configured");
	else if (!*filters || !sends)
		found(out, CHECK_FAIL, "%s%s%s", sends ? "" : "none for what is sent",
		      sends || *filters ? "" : "; ", *filters ? "" : "no filter for PTP version 2");
	else
		found(out, CHECK_PASS, "%s", filters);
}

static void judge_phc(const struct check_facts *f, const struct check_port *p,
		      struct check_finding *out)
{
	char device[ETHTOOL_DEVICE_MAX];

	if (is_silent(p, out))
		return;
	if (p->timestamping.phc_index < 0) {
		found(out, p->software ? CHECK_SKIP : CHECK_FAIL, "none");
		return;
	}
	(void)ethtool_phc_device(p->timestamping.phc_index, device);
	if (p->phc_access == ENODATA)
		found(out, CHECK_PASS, "%s", device);
	else if (p->phc_access == EACCES)
		found(out, CHECK_WARN, "%s: not for this user", device);
	else if (p->phc_access)
		found(out, CHECK_FAIL, "%s: %s", device, strerror(p->phc_access));
	else
		found(out, CHECK_PASS, "%s, readable and writable", device);
}

/* A ptp4l that runs is judged by what it has complained of: nothing may be sent beside it. */
static void judge_beside_ptp4l(const struct check_facts *f, struct check_finding *out)
{
	int64_t late = f->software.late_stamps;

	if (late < 0)
		found(out, CHECK_SKIP,
		      "ptp4l or ptpmon runs here, and nothing records its complaints");
	else
		found(out, late ? CHECK_FAIL : CHECK_PASS,
		      "ptp4l runs, %" PRId64 " complaints about time stamps in run %" PRId64, late,
		      f->software.disk.run);
}

static void judge_probe(const struct check_facts *f, const struct check_port *p,
			struct check_finding *out)
{
	const struct probe_result *r = &p->probe;

	if (p->probe_error == EBUSY || (p->probe_error == ENODATA && f->software.late_stamps >= 0))
		judge_beside_ptp4l(f, out);
	else if (p->probe_error == ENODATA)
		found(out, CHECK_SKIP, "sends a packet: only with --probe");
	else if (p->probe_error == EREMCHG)
		found(out, CHECK_FAIL, "the old setting of time stamps could not be restored");
	else if (p->probe_error)
		found(out, CHECK_SKIP, "not possible: %s", strerror(p->probe_error));
	else if (r->stamped[0] && r->stamped[1])
		found(out, CHECK_PASS, "stamps back in %.3f and %.3f ms",
		      (double)r->took_ns[0] / NSEC_PER_MSEC, (double)r->took_ns[1] / NSEC_PER_MSEC);
	else if (r->stamped[0])
		found(out, CHECK_FAIL,
		      "no time stamp of PTP 2.1, which linuxptp 4 sends; of 2.0 there is");
	else
		found(out, CHECK_FAIL, "no time stamp of %s came back",
		      r->stamped[1] ? "PTP 2.0" : "what was sent");
}

/* -- its clock --------------------------------------------------------------------------- */

static bool is_unread(const struct check_port *p, struct check_finding *out)
{
	if (p->timestamping.phc_index < 0)
		found(out, CHECK_SKIP, "no PHC");
	else if (p->phc_error)
		found(out, CHECK_SKIP, "not read: %s", strerror(p->phc_error));
	return p->timestamping.phc_index < 0 || p->phc_error;
}

/* Whichever time scale it is nearer to: a PHC does not say. */
static void judge_epoch(const struct check_facts *f, const struct check_port *p,
			struct check_finding *out)
{
	int64_t to_utc_ns = p->phc.phc_ns - p->phc.system_ns;
	int64_t to_tai_ns = to_utc_ns - f->clock.expected_tai_s * NSEC_PER_SEC;
	bool tai = llabs(to_tai_ns) < llabs(to_utc_ns);
	int64_t distance_ns = tai ? to_tai_ns : to_utc_ns;
	char text[NSEC_TEXT_MAX];

	if (is_unread(p, out))
		return;
	if (p->phc.frozen)
		found(out, CHECK_FAIL, "it does not run");
	else if (p->phc.phc_ns < timescale_build_utc_ns())
		found(out, CHECK_FAIL, "%.*sZ, before ptpmon was built", UTC_TEXT_SECONDS,
		      nsec_format_utc(p->phc.phc_ns, text));
	else if (llabs(distance_ns) < NSEC_PER_SEC)
		found(out, CHECK_PASS, "%s, %+" PRId64 " ns from the system clock",
		      tai ? "TAI" : "UTC", distance_ns);
	else
		found(out, CHECK_WARN, "%+.3f s from UTC, %+.3f s from TAI by the system clock",
		      (double)to_utc_ns / NSEC_PER_SEC, (double)to_tai_ns / NSEC_PER_SEC);
}

static void judge_read_delay(const struct check_facts *f, const struct check_port *p,
			     struct check_finding *out)
{
	if (is_unread(p, out))
		return;
	found(out,
	      p->phc.delay_ns <= PHC_QUICK_NS  ? CHECK_PASS
	      : p->phc.delay_ns <= PHC_SLOW_NS ? CHECK_WARN
					       : CHECK_FAIL,
	      "%" PRId64 " ns by %s", p->phc.delay_ns, phc_method_name(p->phc.method));
}

/* -- what delays or takes its packets ---------------------------------------------------- */

static void judge_eee(const struct check_facts *f, const struct check_port *p,
		      struct check_finding *out)
{
	if (p->eee_error == EOPNOTSUPP)
		found(out, CHECK_PASS, "not supported");
	else if (p->eee_error)
		found(out, CHECK_SKIP, "it does not tell: %s", strerror(p->eee_error));
	else
		found(out,
		      p->eee_active    ? CHECK_FAIL
		      : p->eee_enabled ? CHECK_WARN
				       : CHECK_PASS,
		      "%s",
		      p->eee_active    ? "active"
		      : p->eee_enabled ? "on, not active with this link"
				       : "off");
}

static void judge_coalescing(const struct check_facts *f, const struct check_port *p,
			     struct check_finding *out)
{
	if (p->coalescing_error == EOPNOTSUPP)
		found(out, CHECK_PASS, "not supported");
	else if (p->coalescing_error)
		found(out, CHECK_SKIP, "it does not tell: %s", strerror(p->coalescing_error));
	else
		found(out,
		      p->adaptive || p->rx_usecs > COALESCE_US || p->tx_usecs > COALESCE_US
			      ? CHECK_WARN
			      : CHECK_PASS,
		      "%sreceive %u us, transmit %u us", p->adaptive ? "adaptive, " : "",
		      p->rx_usecs, p->tx_usecs);
}

static void judge_stack(const struct check_facts *f, const struct check_port *p,
			struct check_finding *out)
{
	if (*p->bridge)
		found(out, CHECK_FAIL, "part of bridge %s", p->bridge);
	else if (*p->bond)
		found(out, CHECK_WARN, "part of %s", p->bond);
	else if (*p->vlans)
		found(out, CHECK_WARN, "%s on top of it", p->vlans);
	else
		found(out, CHECK_PASS, "nothing on top of it");
}

/* Those that hold packets back until their time, or drop them. */
static void judge_qdisc(const struct check_facts *f, const struct check_port *p,
			struct check_finding *out)
{
	static const char *const shaping[] = {"taprio", "etf", "cbs", "tbf",
					      "netem",  "htb", "hfsc"};
	bool shapes = false;

	for (size_t i = 0; i < sizeof(shaping) / sizeof(shaping[0]); i++)
		shapes |= strstr(p->qdiscs, shaping[i]) != NULL;
	if (p->qdisc_error)
		found(out, CHECK_SKIP, "not known: %s", strerror(p->qdisc_error));
	else
		found(out, shapes ? CHECK_WARN : CHECK_PASS, "%s", *p->qdiscs ? p->qdiscs : "none");
}

static void judge_ethercat(const struct check_facts *f, const struct check_port *p,
			   struct check_finding *out)
{
	if (p->ethercat)
		found(out, CHECK_FAIL, "an EtherCAT master has it");
	else
		found(out, CHECK_PASS, "no EtherCAT master has it");
}

static void judge_network_manager(const struct check_facts *f, const struct check_port *p,
				  struct check_finding *out)
{
	if (!f->software.network_manager)
		found(out, CHECK_PASS, "NetworkManager does not run");
	else if (!p->managed)
		found(out, CHECK_PASS, "NetworkManager leaves it alone");
	else if (p->lease)
		found(out, CHECK_PASS, "NetworkManager has it, with a lease");
	else
		found(out, CHECK_WARN,
		      "NetworkManager has it, and removes its addresses if it waits for DHCP in "
		      "vain");
}

/* clang-format off */
static const struct check rows[] = {
	{"port-link", judge_link, "the interface is there and has a carrier",
	 "see to the cable and the other end; ip link set IF up", SECTION_PORT},
	{"port-speed", judge_speed, "100 Mbit/s or more, full duplex",
	 "see to the cable, and to autonegotiation at both ends", SECTION_PORT},
	{"port-driver", judge_driver, "a driver of a device serves it",
	 "use a port with a device behind it; a virtual one has software time stamps", SECTION_PORT},
	{"port-flaps", judge_flaps, "its carrier was lost three times or less since boot",
	 "see to cable, connector and power saving of both ends", SECTION_PORT},
	{"port-timestamping", judge_timestamping, "it takes time stamps in hardware of what is sent and received",
	 "a driver and kernel with PTP support (CONFIG_PTP_1588_CLOCK); or [ptp4l] timestamping = software", SECTION_PORT},
	{"port-filters", judge_filters, "it takes time stamps of packets sent, and of PTP version 2 received",
	 "another driver or firmware: this one cannot stamp what ptp4l needs", SECTION_PORT},
	{"port-probe", judge_probe, "a packet's time stamp comes back (--probe); or the ptp4l that is recorded had no trouble with its own",
	 "another driver, kernel or firmware; for PTP 2.1 alone: ptp_minor_version 0 in ptp4l's configuration", SECTION_PORT},
	{"port-phc", judge_phc, "it has a PHC, which this user may read and write",
	 "the udev rule that ptpmon installs, and the group ptpmon", SECTION_PORT},
	{"port-phc-epoch", judge_epoch, "its PHC runs, was set, and is within a second of TAI or UTC",
	 "ptpmon run sets a grandmaster's; a slave's is set by ptp4l", SECTION_PORT},
	{"port-phc-delay", judge_read_delay, "its PHC is read within 10 us, or 50 us with a warning",
	 "a PHC behind a slow bus: judge the system clock's offset by that", SECTION_PORT},
	{"port-eee", judge_eee, "Energy-Efficient Ethernet is off",
	 "ethtool --set-eee IF eee off", SECTION_PORT},
	{"port-coalescing", judge_coalescing, "interrupts wait for more packets 50 us or less, and always as long",
	 "ethtool -C IF adaptive-rx off adaptive-tx off rx-usecs 0", SECTION_PORT},
	{"port-stack", judge_stack, "no bridge or bond has it, and no VLAN is on it",
	 "give PTP a port of its own, or say what runs there in ptp4l's configuration", SECTION_PORT},
	{"port-qdisc", judge_qdisc, "no queueing discipline holds packets back or drops them",
	 "see that PTP has a queue and a gate of its own: tc qdisc show dev IF", SECTION_PORT},
	{"port-ethercat", judge_ethercat, "no EtherCAT master has it",
	 "give the master another port: MASTER0_DEVICE in ethercat.conf", SECTION_PORT},
	{"port-networkmanager", judge_network_manager, "NetworkManager will not remove its addresses",
	 "nmcli device set IF managed no, or a profile with a static address", SECTION_PORT},
};
/* clang-format on */

CHECK_TABLE(checks_port, rows);
