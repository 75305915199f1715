/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/event.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct code_row {
	const char *name;
	enum severity severity;
	const char *meaning;
};

/* clang-format off */
static const struct code_row codes[] = {
	[EVENT_RUN_STARTED]         = { "run-started", SEVERITY_NOTICE, "a recording began" },
	[EVENT_RUN_ENDED]           = { "run-ended", SEVERITY_NOTICE, "a recording ended in order" },
	[EVENT_CHILD_STARTED]       = { "child-started", SEVERITY_NOTICE, "a supervised program was started" },
	[EVENT_CHILD_EXITED]        = { "child-exited", SEVERITY_WARNING, "a supervised program ended by itself" },
	[EVENT_CHILD_STOPPED]       = { "child-stopped", SEVERITY_NOTICE, "a supervised program ended as it was asked to" },
	[EVENT_CHILD_EXEC_FAILED]   = { "child-exec-failed", SEVERITY_ERROR, "a program could not be executed" },
	[EVENT_CHILD_GIVEN_UP]      = { "child-given-up", SEVERITY_ERROR, "a program failed too often and is no longer started" },
	[EVENT_CHILD_MISCONFIGURED] = { "child-misconfigured", SEVERITY_ERROR, "a program does not take its configuration: it is started again when that changes (SIGHUP)" },
	[EVENT_CHILD_WAITING]       = { "child-waiting", SEVERITY_WARNING, "a program is not started until what it needs is there" },
	[EVENT_SCHEDULE_MISMATCH]   = { "schedule-mismatch", SEVERITY_WARNING, "policy, priority or CPUs read back are not what was asked" },
	[EVENT_SCHEDULE_PROVEN]     = { "schedule-proven", SEVERITY_INFO, "policy, priority and CPUs read back are what was asked" },
	[EVENT_PHC_SET]             = { "phc-set", SEVERITY_NOTICE, "a grandmaster's PHC was far off and was set before ptp4l started: feed" },
	[EVENT_PHC_LEFT_ALONE]      = { "phc-left-alone", SEVERITY_INFO, "a grandmaster's PHC was within a second of what it should be" },
	[EVENT_PHC_NOT_SET]         = { "phc-not-set", SEVERITY_WARNING, "a grandmaster's PHC could not be set; ptp4l serves what it holds" },
	[EVENT_CONFIG_RELOADED]     = { "config-reloaded", SEVERITY_NOTICE, "the configuration was read again (SIGHUP): what changed was restarted" },
	[EVENT_CONFIG_REFUSED]      = { "config-refused", SEVERITY_ERROR, "the configuration was read again and is wrong: the one before stays in force" },
	[EVENT_CONFIG_KEPT]         = { "config-kept", SEVERITY_WARNING, "keys that changed and count only after a restart of the service" },
	[EVENT_RECORDER_RESUMED]    = { "recorder-resumed", SEVERITY_WARNING, "the recorder was started again and goes on in the same run" },
	[EVENT_PORT_STATE]          = { "port-state", SEVERITY_NOTICE, "a PTP port changed its state" },
	[EVENT_MASTER_LOST]         = { "master-lost", SEVERITY_WARNING, "the port has no master any more" },
	[EVENT_GRANDMASTER_CHANGED] = { "grandmaster-changed", SEVERITY_NOTICE, "another grandmaster was selected" },
	[EVENT_CLOCK_STEPPED]       = { "clock-stepped", SEVERITY_WARNING, "CLOCK_REALTIME was stepped" },
	[EVENT_REALTIME_GOOD]       = { "realtime-good", SEVERITY_NOTICE, "CLOCK_REALTIME is known to be good" },
	[EVENT_REALTIME_DOUBTFUL]   = { "realtime-doubtful", SEVERITY_WARNING, "CLOCK_REALTIME is not known to be good: a grandmaster says so" },
	[EVENT_UTC_OFFSET_SOURCE]   = { "utc-offset-source", SEVERITY_INFO, "TAI - UTC, and where it comes from" },
	[EVENT_UTC_TABLE_EXPIRED]   = { "utc-table-expired", SEVERITY_WARNING, "the table of leap seconds has expired: update tzdata, or set [phc2sys] utc_offset" },
	[EVENT_PHC_FAR]             = { "phc-far", SEVERITY_WARNING, "a grandmaster's PHC is more than a second from CLOCK_REALTIME + TAI - UTC" },
	[EVENT_EPOCH_HELD]          = { "epoch-held", SEVERITY_WARNING, "phc2sys is held back from a PHC that shows a time before ptpmon was built" },
	[EVENT_TIME_SCALE_SET]      = { "time-scale-set", SEVERITY_NOTICE, "a grandmaster announces what it should, read back from ptp4l" },
	[EVENT_TIME_SCALE_FELL_BACK] = { "time-scale-fell-back", SEVERITY_WARNING, "a grandmaster's announced time scale was changed by something else: it is set again" },
	[EVENT_TIME_SCALE_REFUSED]  = { "time-scale-refused", SEVERITY_WARNING, "ptp4l does not take what a grandmaster should announce" },
	[EVENT_TIME_SCALE_ARBITRARY] = { "time-scale-arbitrary", SEVERITY_NOTICE, "the grandmaster does not announce the PTP time scale: its time is not known to be TAI" },
	[EVENT_UTC_OFFSET_INVALID]  = { "utc-offset-invalid", SEVERITY_WARNING, "the grandmaster does not vouch for its UTC offset" },
	[EVENT_UTC_OFFSET_MISMATCH] = { "utc-offset-mismatch", SEVERITY_WARNING, "the grandmaster's UTC offset is not the table's: a constant error of whole seconds" },
	[EVENT_UTC_SLIP]            = { "utc-slip", SEVERITY_WARNING, "PHC and CLOCK_REALTIME differ by TAI - UTC: one is taken for the other" },
	[EVENT_TIME_SCALE_GOOD]     = { "time-scale-good", SEVERITY_NOTICE, "the grandmaster's time scale and UTC offset are as they should be" },
	[EVENT_SOURCE_SILENT]       = { "source-silent", SEVERITY_WARNING, "a source has given nothing new for longer than stale_after" },
	[EVENT_SOURCE_BACK]         = { "source-back", SEVERITY_NOTICE, "a silent source gives data again" },
	[EVENT_LINK_UP]             = { "link-up", SEVERITY_NOTICE, "the interface has carrier" },
	[EVENT_LINK_DOWN]           = { "link-down", SEVERITY_WARNING, "the interface lost its carrier" },
	[EVENT_LINK_GONE]           = { "link-gone", SEVERITY_WARNING, "the interface does not exist any more" },
	[EVENT_LINK_BACK]           = { "link-back", SEVERITY_NOTICE, "the interface exists again" },
	[EVENT_LINK_SPEED]            = { "link-speed", SEVERITY_NOTICE, "the link came up at another speed than before" },
	[EVENT_ADDRESS_LOST]          = { "address-lost", SEVERITY_NOTICE, "the interface lost its last address of a family; a warning where PTP needs it" },
	[EVENT_ADDRESS_BACK]          = { "address-back", SEVERITY_NOTICE, "the interface has an address of that family again" },
	[EVENT_GAP]                 = { "gap", SEVERITY_WARNING, "nothing was recorded between two moments" },
	[EVENT_SAMPLES_DROPPED]     = { "samples-dropped", SEVERITY_WARNING, "the queue to the disk was full: the newest were dropped" },
	[EVENT_STORE_FAILED]        = { "store-failed", SEVERITY_ERROR, "the database could not be written" },
	[EVENT_STORE_RECOVERED]     = { "store-recovered", SEVERITY_NOTICE, "the database can be written again" },
	[EVENT_STORE_SET_ASIDE]     = { "store-set-aside", SEVERITY_ERROR, "a damaged database was set aside and a new one begun" },
	[EVENT_STORE_TRIMMED]       = { "store-trimmed", SEVERITY_NOTICE, "the oldest data made room before their time: [store] size_cap" },
	[EVENT_NOT_REALTIME]        = { "not-real-time", SEVERITY_WARNING, "the latency sampler runs without real-time priority or locked memory" },
	[EVENT_SAMPLER_CONDITIONS]  = { "sampler-conditions", SEVERITY_INFO, "how the latency sampler measures" },
	[EVENT_LOG_HOLE]            = { "log-hole", SEVERITY_WARNING, "part of a program's output was lost" },
	[EVENT_LOG_LINE]            = { "log-line", SEVERITY_INFO, "a line of an imported log that tells something" },
	[EVENT_MALFORMED]           = { "malformed", SEVERITY_WARNING, "a datagram that is no management message was ignored" },
	[EVENT_PORT_THREADS_SET]    = { "port-threads-set", SEVERITY_NOTICE, "kernel threads of a port have the priority asked, as read back" },
	[EVENT_PORT_THREADS_REFUSED]  = { "port-threads-refused", SEVERITY_WARNING, "a kernel thread of a port could not be given its priority" },
	[EVENT_PORT_THREADS_CHANGED]  = { "port-threads-changed", SEVERITY_WARNING, "somebody else changed the priority of a port's kernel thread" },
	[EVENT_PORT_THREADS_ABSENT]   = { "port-threads-absent", SEVERITY_WARNING, "a priority is configured for kernel threads that the port does not have" },
	[EVENT_PORT_THREADS_RESTORED] = { "port-threads-restored", SEVERITY_NOTICE, "kernel threads of a port have the priority back that they had before" },
	[EVENT_PRIORITY_AUDIT]      = { "priority-audit", SEVERITY_WARNING, "threads above ptp4l on its CPUs, or kernel workers kept waiting there" },
	[EVENT_PRIORITY_AUDIT_CLEAN] = { "priority-audit-clean", SEVERITY_NOTICE, "no foreign thread is above ptp4l on its CPUs any more" },
	[EVENT_RT_THROTTLED]        = { "rt-throttled", SEVERITY_WARNING, "the kernel stopped real-time threads that used up their share of a CPU" },
	[EVENT_TX_TIMESTAMP_TIMEOUT]  = { "tx-timestamp-timeout", SEVERITY_WARNING, "ptp4l waited in vain for the timestamp of a message that it sent" },
	[EVENT_PTP_MINOR_VERSION]     = { "ptp-minor-version", SEVERITY_WARNING, "no transmit timestamps with linuxptp 4: the PHY may not know PTP minor version 1" },
	[EVENT_TIMESTAMP_MISSING]     = { "timestamp-missing", SEVERITY_WARNING, "a message came or went without a timestamp" },
	[EVENT_TIMESTAMPING_REFUSED]  = { "timestamping-refused", SEVERITY_ERROR, "the interface or its driver lacks the timestamping that was asked for" },
	[EVENT_CLOCKCHECK]            = { "clockcheck", SEVERITY_WARNING, "a clock jumped or ran at a wrong rate, or the program that watches it was held up" },
	[EVENT_CLOCK_REFUSED]         = { "clock-refused", SEVERITY_ERROR, "a clock could not be read or set" },
	[EVENT_SYNCHRONIZATION_FAULT] = { "synchronization-fault", SEVERITY_WARNING, "the port lost its lock: the offset left the servo's bounds" },
	[EVENT_PORT_FAULT]            = { "port-fault", SEVERITY_WARNING, "the port became FAULTY" },
	[EVENT_ROGUE_RESPONDER]       = { "rogue-responder", SEVERITY_WARNING, "more than one clock answers the peer delay requests" },
	[EVENT_NOT_AS_CAPABLE]        = { "not-as-capable", SEVERITY_WARNING, "the neighbour is not fit for 802.1AS: nothing is synchronised over the port" },
	[EVENT_GRANDMASTER_ROLE]      = { "grandmaster-role", SEVERITY_NOTICE, "a port took the grandmaster's role: no better clock is heard" },
	[EVENT_MASTER_REFUSED]        = { "master-refused", SEVERITY_WARNING, "a master is heard and not followed" },
	[EVENT_FOREIGN_TIME_SCALE]    = { "foreign-time-scale", SEVERITY_WARNING, "the master does not announce the PTP time scale, or no valid UTC offset" },
	[EVENT_LEAP_SECOND]           = { "leap-second", SEVERITY_NOTICE, "a leap second is armed, or held the servo up" },
	[EVENT_BAD_MESSAGE]           = { "bad-message", SEVERITY_WARNING, "a PTP message was malformed" },
	[EVENT_SEND_FAILED]           = { "send-failed", SEVERITY_WARNING, "a PTP message could not be sent" },
	[EVENT_SOCKET_TROUBLE]        = { "socket-trouble", SEVERITY_WARNING, "a socket of the program failed" },
	[EVENT_DELAY_UNANSWERED]      = { "delay-unanswered", SEVERITY_WARNING, "delay requests get no answer" },
	[EVENT_UNICAST_REFUSED]       = { "unicast-refused", SEVERITY_WARNING, "a unicast master refused or cancelled its service" },
	[EVENT_PORT_LINK_DOWN]        = { "port-link-down", SEVERITY_INFO, "ptp4l saw its link go down" },
	[EVENT_PHC_MISMATCH]          = { "phc-mismatch", SEVERITY_ERROR, "the ports have different hardware clocks, or none" },
	[EVENT_PROGRAM_OPTION]        = { "program-option", SEVERITY_ERROR, "the program does not take its configuration" },
	[EVENT_CLOCK_WAITS]           = { "clock-waits", SEVERITY_WARNING, "phc2sys waits for ptp4l or for a clock that is ready" },
	[EVENT_MANAGEMENT_SILENT]     = { "management-silent", SEVERITY_ERROR, "ptp4l does not answer on its management socket: it hangs; one that something else started may have ended" },
	[EVENT_SOCKET_GONE]           = { "socket-gone", SEVERITY_ERROR, "the file of ptp4l's management socket is gone or somebody else's" },
	[EVENT_SYNC_STALE]            = { "sync-stale", SEVERITY_WARNING, "the port claims SLAVE, but nothing new came from its master" },
	[EVENT_PORT_STUCK]            = { "port-stuck", SEVERITY_WARNING, "the port is FAULTY although its link is up" },
	[EVENT_PORT_UNSETTLED]        = { "port-unsettled", SEVERITY_WARNING, "the link is up, but the port became neither SLAVE nor MASTER in time" },
	[EVENT_PHC2SYS_SILENT]        = { "phc2sys-silent", SEVERITY_ERROR, "phc2sys runs, but prints no offsets: it hangs, is starved, or waits" },
	[EVENT_RECOVERED]             = { "recovered", SEVERITY_NOTICE, "what had failed works again; how long that took is in the detail" },
	[EVENT_PHC_METHOD]            = { "phc-method", SEVERITY_INFO, "how a PHC is read beside the system clock" },
	[EVENT_PHC_FAILED]            = { "phc-failed", SEVERITY_WARNING, "a PHC cannot be read" },
	[EVENT_PHC_SLOW]              = { "phc-slow", SEVERITY_WARNING, "reading a PHC takes long, or has not ended" },
	[EVENT_PHC_STUCK]             = { "phc-stuck", SEVERITY_ERROR, "a PHC stands still" },
	[EVENT_PHC_JUMPED]            = { "phc-jumped", SEVERITY_WARNING, "a PHC was moved: stepped by its servo, or loaded anew by its driver" },
	[EVENT_PHC_BACK]              = { "phc-back", SEVERITY_NOTICE, "a PHC can be read, runs, or is quick again" },
	[EVENT_GATE_OPENED]           = { "gate-opened", SEVERITY_NOTICE, "phc2sys may steer the system clock, or a PHC" },
	[EVENT_GATE_CHANGED]          = { "gate-changed", SEVERITY_NOTICE, "phc2sys is started anew on another PHC or UTC offset" },
	[EVENT_GATE_CLOSED]           = { "gate-closed", SEVERITY_WARNING, "phc2sys is held back from the clock that it would steer" },
	[EVENT_RIVAL]                 = { "rival", SEVERITY_WARNING, "another program steers a clock that is ours to steer" },
	[EVENT_RIVAL_GONE]            = { "rival-gone", SEVERITY_NOTICE, "a program that steered, or waited, beside ours has ended" },
	[EVENT_CLOCK_DISTURBED]       = { "clock-disturbed", SEVERITY_WARNING, "CLOCK_REALTIME was steered or stepped, and not by a program of ours" },
	[EVENT_ALARM_RAISED]        = { "alarm-raised", SEVERITY_ERROR, "a limit was reached, or a condition holds, for long enough to be an alarm" },
	[EVENT_ALARM_CLEARED]       = { "alarm-cleared", SEVERITY_NOTICE, "what an alarm was raised for has been good for its hold time" },
	[EVENT_ALARM_READ]          = { "alarm-read", SEVERITY_INFO, "somebody acknowledged the alarms shown" },
};
/* clang-format on */

_Static_assert(sizeof(codes) / sizeof(codes[0]) == EVENT_CODE_MAX, "a code lacks its row");

static const char *const severity_names[] = {
	[SEVERITY_INFO] = "info",
	[SEVERITY_NOTICE] = "notice",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_ERROR] = "error",
};

const char *event_code_name(enum event_code code)
{
	return codes[code].name;
}

enum severity event_code_severity(enum event_code code)
{
	return codes[code].severity;
}

const char *event_code_meaning(enum event_code code)
{
	return codes[code].meaning;
}

bool event_is_of_child(enum event_code code)
{
	return code >= EVENT_CHILD_STARTED && code <= EVENT_PHC_NOT_SET;
}

enum event_code event_code_parse(const char *name)
{
	enum event_code code = 0;

	while (code < EVENT_CODE_MAX && strcmp(codes[code].name, name) != 0)
		code++;
	return code;
}

const char *severity_name(enum severity severity)
{
	return severity_names[severity];
}

enum log_level severity_log_level(enum severity severity)
{
	static const enum log_level levels[] = {
		[SEVERITY_INFO] = LOG_LEVEL_INFO,
		[SEVERITY_NOTICE] = LOG_LEVEL_NOTICE,
		[SEVERITY_WARNING] = LOG_LEVEL_WARNING,
		[SEVERITY_ERROR] = LOG_LEVEL_ERROR,
	};

	return levels[severity];
}

struct event event_make(enum event_code code, int64_t mono_ns, const char *subject, const char *fmt,
			...)
{
	struct event e = {
		.mono_ns = mono_ns,
		.code = code,
		.severity = codes[code].severity,
	};
	va_list ap;

	(void)snprintf(e.subject, sizeof(e.subject), "%s", subject);
	va_start(ap, fmt);
	(void)vsnprintf(e.text, sizeof(e.text), fmt, ap);
	va_end(ap);
	return e;
}
