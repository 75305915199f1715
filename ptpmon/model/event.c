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
	[EVENT_CHILD_WAITING]       = { "child-waiting", SEVERITY_WARNING, "a program is not started until what it needs is there" },
	[EVENT_SCHEDULE_MISMATCH]   = { "schedule-mismatch", SEVERITY_WARNING, "policy, priority or CPUs read back are not what was asked" },
	[EVENT_SCHEDULE_PROVEN]     = { "schedule-proven", SEVERITY_INFO, "policy, priority and CPUs read back are what was asked" },
	[EVENT_RECORDER_RESUMED]    = { "recorder-resumed", SEVERITY_WARNING, "the recorder was started again and goes on in the same run" },
	[EVENT_PORT_STATE]          = { "port-state", SEVERITY_NOTICE, "a PTP port changed its state" },
	[EVENT_MASTER_LOST]         = { "master-lost", SEVERITY_WARNING, "the port has no master any more" },
	[EVENT_GRANDMASTER_CHANGED] = { "grandmaster-changed", SEVERITY_NOTICE, "another grandmaster was selected" },
	[EVENT_CLOCK_STEPPED]       = { "clock-stepped", SEVERITY_WARNING, "CLOCK_REALTIME was stepped" },
	[EVENT_SOURCE_SILENT]       = { "source-silent", SEVERITY_WARNING, "a source has given nothing new for longer than stale_after" },
	[EVENT_SOURCE_BACK]         = { "source-back", SEVERITY_NOTICE, "a silent source gives data again" },
	[EVENT_LINK_UP]             = { "link-up", SEVERITY_NOTICE, "the interface has carrier" },
	[EVENT_LINK_DOWN]           = { "link-down", SEVERITY_WARNING, "the interface lost its carrier" },
	[EVENT_LINK_GONE]           = { "link-gone", SEVERITY_WARNING, "the interface does not exist any more" },
	[EVENT_LINK_BACK]           = { "link-back", SEVERITY_NOTICE, "the interface exists again" },
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
	return code >= EVENT_CHILD_STARTED && code <= EVENT_SCHEDULE_PROVEN;
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
