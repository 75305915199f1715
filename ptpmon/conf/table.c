/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every key that there is, in the order of the manual. */
#include "ptpmon/conf/table.h"

#define ROW(SECTION, KEY, TYPE, MEMBER, KIND, MIN, MAX, FALLBACK, HELP)                            \
	.section = (SECTION), .key = (KEY), .kind = (KIND), .offset = offsetof(TYPE, MEMBER),      \
	.size = sizeof(((TYPE *)0)->MEMBER), .min = (MIN), .max = (MAX), .fallback = (FALLBACK),   \
	.help = (HELP)

/* A member of struct config; one of each ptp4l; one that no two can share; and one that only
 * [ptp4l NAME] has. */
#define OPT(SECTION, KEY, MEMBER, KIND, ...)                                                       \
	{                                                                                          \
		ROW(SECTION, KEY, struct config, MEMBER, &kind_##KIND, __VA_ARGS__)                \
	}
#define PTP4L_ROW(KEY, MEMBER, KIND, ...)                                                          \
	ROW("ptp4l", KEY, struct config_ptp4l, MEMBER, KIND, __VA_ARGS__), .instance = true
#define PTP4L(KEY, MEMBER, KIND, ...)                                                              \
	{                                                                                          \
		PTP4L_ROW(KEY, MEMBER, &kind_##KIND, __VA_ARGS__)                                  \
	}
#define PTP4L_OWN(KEY, MEMBER, KIND, ...)                                                          \
	{                                                                                          \
		PTP4L_ROW(KEY, MEMBER, &kind_##KIND, __VA_ARGS__), .own = true                     \
	}
#define PTP4L_NAMED(KEY, MEMBER, KIND, ...)                                                        \
	{                                                                                          \
		PTP4L_ROW(KEY, MEMBER, &kind_##KIND, __VA_ARGS__), .own = true, .named = true      \
	}

/* clang-format off */
const struct config_row config_rows[] = {
	OPT("ptpmon", "role", ptpmon.role, role, NULL, NULL, NULL,
	    "grandmaster, slave, boundary, auto (as ptp4l decides) or monitor (launches no ptp4l); master, time transmitter and time receiver are understood"),
	OPT("ptpmon", "interfaces", ptpmon.interfaces, interfaces, NULL, NULL, NULL,
	    "the ports, by the name of their network interface; may be left out where each *[ptp4l NAME]* has its own"),
	OPT("ptpmon", "label", ptpmon.label, text, NULL, NULL, "",
	    "a name for what is recorded; *ptpmon report* finds it by this"),
	OPT("ptpmon", "runtime_directory", ptpmon.runtime_directory, path, NULL, NULL, "/run/ptpmon",
	    "holds the control socket, and in a directory for each ptp4l its sockets"),
	PTP4L_NAMED("interfaces", interfaces, interfaces, NULL, NULL, NULL,
	    "the ports of one more ptp4l, which no other has; only in *[ptp4l NAME]*"),
	PTP4L_NAMED("role", role, role, NULL, NULL, NULL,
	    "what this one is, if not what *[ptpmon]* says; only in *[ptp4l NAME]*"),
	PTP4L("manage", manage, bool, NULL, NULL, "yes",
	    "launch this ptp4l; no: something else does, and *socket* says where it is. A monitor launches none"),
	PTP4L("program", program, text, NULL, NULL, "ptp4l",
	    "a path, or a name looked up in PATH"),
	PTP4L_OWN("config_file", config_file, path, NULL, NULL, "",
	    "a configuration file of ptp4l, used as it is; its ports are added to *interfaces*, and keys about PTP itself stand there, not here"),
	PTP4L_OWN("socket", socket, path, NULL, NULL, "",
	    "management socket; empty: that of *config_file*, or else RUNTIME_DIRECTORY/NAME/ptp4l; where *manage* is no, /var/run/ptp4l"),
	PTP4L("profile", profile, profile, NULL, NULL, "default",
	    "default (IEEE 1588, end-to-end delay) or gptp (IEEE 802.1AS)"),
	PTP4L("domain", domain, number, "0", "127", "0",
	    "the PTP domain"),
	PTP4L("transport_specific", transport_specific, number, "-1", "15", "-1",
	    "of the PTP header; -1 is 1 for gptp, else 0"),
	PTP4L("timestamping", timestamping, timestamping, NULL, NULL, "hardware",
	    "hardware, software, onestep or p2p1step"),
	PTP4L("transport", transport, transport, NULL, NULL, "L2",
	    "L2, UDPv4 or UDPv6"),
	PTP4L("log_sync_interval", log_sync_interval, number, "-7", "7", "0",
	    "Syncs of a grandmaster every 2^N seconds: 0 is one a second, -3 eight, which is gptp's default"),
	PTP4L("tx_timestamp_timeout", tx_timestamp_timeout_ns, duration, "1 ms", "10 s", "20 ms",
	    "how long ptp4l waits for a transmit timestamp, in whole milliseconds"),
	PTP4L("step_threshold", step_threshold_ns, duration, "0", "1 h", "0",
	    "step the clock whenever the offset is larger; 0: only at the start"),
	PTP4L("priority1", priority1, number, "-1", "255", "-1",
	    "of the clock; -1 is 100 for a grandmaster, else ptp4l's own"),
	PTP4L("clock_class", clock_class, auto_number, "0", "255", "auto",
	    "the clockClass that a grandmaster announces; auto: as ptp4l has it, 248"),
	PTP4L("fifo_priority", fifo_priority, number, "0", "99", "70",
	    "SCHED_FIFO priority; 0 leaves ptp4l at ordinary priority"),
	PTP4L("cpus", cpus, cpus, NULL, NULL, "all",
	    "the CPUs it may run on: a list, all, isolated or not-isolated"),
	PTP4L("extra_arguments", extra_arguments, ptp4l_arguments, NULL, NULL, "",
	    "more arguments for ptp4l, split at blanks; no shell. What has a key that ptpmon goes by is said by that key"),
	OPT("phc2sys", "feed", phc2sys.feed, feed, NULL, NULL, "once",
	    "how a grandmaster's PHC gets its time: once sets it to CLOCK_REALTIME + TAI - UTC before ptp4l starts, if it is more than a second away; follow steers it by CLOCK_REALTIME as well; none leaves it to others"),
	OPT("phc2sys", "utc_offset", phc2sys.utc_offset_s, auto_number, "0", "255", "auto",
	    "TAI - UTC in seconds; auto: the kernel's, else that of leap-seconds.list, else 37"),
	OPT("phc2sys", "epoch", phc2sys.epoch, epoch, NULL, NULL, "guarded",
	    "guarded: no PHC that shows a time before ptpmon was built steers CLOCK_REALTIME; arbitrary: any does"),
	OPT("phc2sys", "on", phc2sys.on, config_when, NULL, NULL, "auto",
	    "start phc2sys while the PHC of a port may be followed; auto: of a slave with hardware timestamping; yes: also of a ptp4l that something else started"),
	OPT("phc2sys", "program", phc2sys.program, text, NULL, NULL, "phc2sys",
	    "a path, or a name looked up in PATH"),
	OPT("phc2sys", "fifo_priority", phc2sys.fifo_priority, number, "0", "99", "60",
	    "SCHED_FIFO priority; 0 leaves phc2sys at ordinary priority"),
	OPT("phc2sys", "cpus", phc2sys.cpus, cpus, NULL, NULL, "all",
	    "the CPUs it may run on: a list, all, isolated or not-isolated"),
	OPT("phc2sys", "max_offset", phc2sys.max_offset_ns, duration, "100 ns", "1 s", "1 ms",
	    "a PHC further than this from its master is not followed"),
	OPT("phc2sys", "on_loss", phc2sys.on_loss, on_loss, NULL, NULL, "stop",
	    "without a master for two seconds: stop phc2sys, or hold: go on following the PHC as it runs free"),
	OPT("phc2sys", "first_step", phc2sys.first_step_ns, duration, "0", "1 d", "20 us",
	    "an error of CLOCK_REALTIME beyond this is stepped away at each start; 0: slewed, whatever it is"),
	OPT("phc2sys", "step_threshold", phc2sys.step_threshold_ns, duration, "0", "1 d", "0",
	    "the same at any later time; 0: slewed"),
	OPT("phc2sys", "extra_arguments", phc2sys.extra_arguments, phc2sys_arguments, NULL, NULL, "",
	    "more arguments for phc2sys, split at blanks; no shell"),
	OPT("realtime", "on_refusal", realtime.on_refusal, on_refusal, NULL, NULL, "warn",
	    "when the kernel refuses SCHED_FIFO: warn and go on, or fail"),
	OPT("realtime", "irq_priority", realtime.irq_priority, number, "0", "99", "0",
	    "SCHED_FIFO priority of the ports' interrupt threads, irq/N-NAME; 0 leaves them alone"),
	OPT("realtime", "napi_priority", realtime.napi_priority, number, "0", "99", "0",
	    "of the ports' threaded NAPI, napi/INTERFACE-N; 0 leaves it alone"),
	OPT("realtime", "ptp_priority", realtime.ptp_priority, number, "0", "99", "0",
	    "of the worker of the ports' PTP clock, ptpN; 0 leaves it alone"),
	OPT("monitor", "stale_after", monitor.stale_after_ns, duration, "1 ms", "1 h", "1 s",
	    "data older than this, and than three of their intervals, are unknown"),
	OPT("monitor", "on_useless", monitor.on_useless, on_useless, NULL, NULL, "restart",
	    "a program that runs and is of no use: restart it, ever more rarely, or warn only"),
	OPT("monitor", "settle_within", monitor.settle_within_ns, duration, "1 s", "1 h", "60 s",
	    "from link-up, or start, until a port is SLAVE or MASTER; else it is named"),
	OPT("monitor", "rivals", monitor.rivals, on_rivals, NULL, NULL, "warn",
	    "other programs that steer our clocks: warn; refuse to start beside one; ignore them"),
	OPT("monitor", "phc", monitor.phc, phc, NULL, NULL, "auto",
	    "the PHC to measure CLOCK_REALTIME against: a device, none, or auto: that of each port with hardware timestamping"),
	OPT("monitor", "phc_interval", monitor.phc_interval_ns, duration, "100 ms", "1 h", "1 s",
	    "from one measurement of a PHC to the next; at least ten times as long as one takes"),
	OPT("latency", "on", latency.on, bool, NULL, NULL, "yes",
	    "measure wake-up latency"),
	OPT("latency", "priority", latency.priority, number, "0", "99", "98",
	    "SCHED_FIFO priority of the sampler's threads; 0 is ordinary"),
	OPT("latency", "interval", latency.interval_ns, duration, "50 us", "1 s", "1 ms",
	    "from wake-up to wake-up"),
	OPT("latency", "cpus", latency.cpus, cpus, NULL, NULL, "not-isolated",
	    "one thread on each of these CPUs; isolated ones only when named"),
	OPT("latency", "idle_states", latency.idle_states, idle_states, NULL, NULL, "allow",
	    "allow leaves idle states alone; hold keeps CPUs out of them (/dev/cpu_dma_latency)"),
	OPT("limits", "offset", limits.offset_ns, duration, "0", "1 h", "10 ms",
	    "alarm when 3 of 5 offsets of a locked port are so large; 0: no limit"),
	OPT("limits", "offset_clear", limits.offset_clear_ns, duration, "0", "1 h", "0",
	    "the alarm ends when none was larger than this for *hold*; 0: three quarters of *offset*"),
	OPT("limits", "phc", limits.phc_ns, duration, "0", "1 h", "0",
	    "the same for the system clock against the PHC; 0: no limit"),
	OPT("limits", "phc_clear", limits.phc_clear_ns, duration, "0", "1 h", "0",
	    "0: three quarters of *phc*"),
	OPT("limits", "latency", limits.latency_ns, duration, "0", "1 h", "0",
	    "alarm when a single wake-up is so late; 0: no limit"),
	OPT("limits", "latency_clear", limits.latency_clear_ns, duration, "0", "1 h", "0",
	    "0: three quarters of *latency*"),
	OPT("limits", "hold", limits.hold_ns, duration, "0", "1 d", "10 s",
	    "an alarm ends when its quantity was good for so long"),
	OPT("limits", "gap", limits.gap_ns, duration, "0", "1 d", "0",
	    "alarm when the newest offset is older; 0: as soon as it is unknown (*stale_after*)"),
	OPT("limits", "port_state", limits.port_state_ns, duration, "0", "1 d", "60 s",
	    "alarm when a port was not in the state of its role for so long; 0: no limit"),
	OPT("limits", "free_space", limits.free_space_bytes, size, "1 MiB", "8 TiB", "64 MiB",
	    "alarm when there is less beside the database; 0: no limit"),
	OPT("limits", "ready_offset", limits.ready_offset_ns, duration, "0", "1 h", "0",
	    "what *ptpmon wait-sync* takes for synchronised: no offset larger than this; 0: *offset*"),
	OPT("limits", "ready_hold", limits.ready_hold_ns, duration, "0", "1 h", "2 s",
	    "for so long"),
	OPT("store", "directory", store.directory, path, NULL, NULL, "/var/lib/ptpmon",
	    "holds the database, ptpmon.db"),
	OPT("store", "flush_interval", store.flush_interval_ns, duration, "100 ms", "10 min", "5 s",
	    "at most this much is lost in a power cut"),
	OPT("store", "raw_retention", store.raw_retention_ns, duration, "0", "36500 d", "14 d",
	    "samples and windows become hourly histograms when so much has been recorded since; 0: never"),
	OPT("store", "rollup_retention", store.rollup_retention_ns, duration, "0", "36500 d", "400 d",
	    "hourly histograms and events are removed when so much has been recorded since; 0: never"),
	OPT("store", "size_cap", store.size_cap_bytes, size, "32 MiB", "8 TiB", "1 GiB",
	    "the database with its log gets no larger: the oldest makes room before its time; 0: no cap"),
};
/* clang-format on */

const size_t config_n_rows = sizeof(config_rows) / sizeof(config_rows[0]);

_Static_assert(sizeof(config_rows) / sizeof(config_rows[0]) <= CONFIG_ROWS_MAX, "too many keys");
