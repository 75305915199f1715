/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/event.h: something happened; and the one table of codes for it.
 *
 * Log, record, JSON and manual use the names of this table. A code never changes its meaning.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/base/log.h"

enum severity { SEVERITY_INFO, SEVERITY_NOTICE, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_MAX };

enum event_code {
	EVENT_RUN_STARTED,
	EVENT_RUN_ENDED,
	EVENT_CHILD_STARTED,
	EVENT_CHILD_EXITED,
	EVENT_CHILD_STOPPED,
	EVENT_CHILD_EXEC_FAILED,
	EVENT_CHILD_GIVEN_UP,
	EVENT_CHILD_MISCONFIGURED,
	EVENT_CHILD_WAITING,
	EVENT_SCHEDULE_MISMATCH,
	EVENT_SCHEDULE_PROVEN,
	EVENT_PHC_SET,
	EVENT_PHC_LEFT_ALONE,
	EVENT_PHC_NOT_SET,
	EVENT_CONFIG_RELOADED,
	EVENT_CONFIG_REFUSED,
	EVENT_CONFIG_KEPT,
	EVENT_RECORDER_RESUMED,
	EVENT_PORT_STATE,
	EVENT_MASTER_LOST,
	EVENT_GRANDMASTER_CHANGED,
	EVENT_CLOCK_STEPPED,
	EVENT_REALTIME_GOOD,
	EVENT_REALTIME_DOUBTFUL,
	EVENT_UTC_OFFSET_SOURCE,
	EVENT_UTC_TABLE_EXPIRED,
	EVENT_PHC_FAR,
	EVENT_EPOCH_HELD,
	EVENT_TIME_SCALE_SET,
	EVENT_TIME_SCALE_FELL_BACK,
	EVENT_TIME_SCALE_REFUSED,
	EVENT_TIME_SCALE_ARBITRARY,
	EVENT_UTC_OFFSET_INVALID,
	EVENT_UTC_OFFSET_MISMATCH,
	EVENT_TIME_SCALE_GOOD,
	EVENT_UTC_SLIP,
	EVENT_SOURCE_SILENT,
	EVENT_SOURCE_BACK,
	EVENT_LINK_UP,
	EVENT_LINK_DOWN,
	EVENT_LINK_GONE,
	EVENT_LINK_BACK,
	EVENT_LINK_SPEED,
	EVENT_ADDRESS_LOST,
	EVENT_ADDRESS_BACK,
	EVENT_GAP,
	EVENT_SAMPLES_DROPPED,
	EVENT_STORE_FAILED,
	EVENT_STORE_RECOVERED,
	EVENT_STORE_SET_ASIDE,
	EVENT_STORE_TRIMMED,
	EVENT_NOT_REALTIME,
	EVENT_SAMPLER_CONDITIONS,
	EVENT_LOG_HOLE,
	EVENT_LOG_LINE,
	EVENT_MALFORMED,
	EVENT_PORT_THREADS_SET,
	EVENT_PORT_THREADS_REFUSED,
	EVENT_PORT_THREADS_CHANGED,
	EVENT_PORT_THREADS_ABSENT,
	EVENT_PORT_THREADS_RESTORED,
	EVENT_PRIORITY_AUDIT,
	EVENT_PRIORITY_AUDIT_CLEAN,
	EVENT_RT_THROTTLED,
	/* what a supervised program complained of: collect/complaints.c */
	EVENT_TX_TIMESTAMP_TIMEOUT,
	EVENT_PTP_MINOR_VERSION,
	EVENT_TIMESTAMP_MISSING,
	EVENT_TIMESTAMPING_REFUSED,
	EVENT_CLOCKCHECK,
	EVENT_CLOCK_REFUSED,
	EVENT_SYNCHRONIZATION_FAULT,
	EVENT_PORT_FAULT,
	EVENT_ROGUE_RESPONDER,
	EVENT_NOT_AS_CAPABLE,
	EVENT_GRANDMASTER_ROLE,
	EVENT_MASTER_REFUSED,
	EVENT_FOREIGN_TIME_SCALE,
	EVENT_LEAP_SECOND,
	EVENT_BAD_MESSAGE,
	EVENT_SEND_FAILED,
	EVENT_SOCKET_TROUBLE,
	EVENT_DELAY_UNANSWERED,
	EVENT_UNICAST_REFUSED,
	EVENT_PORT_LINK_DOWN,
	EVENT_PHC_MISMATCH,
	EVENT_PROGRAM_OPTION,
	EVENT_CLOCK_WAITS,
	/* alive but useless: model/useless.c */
	EVENT_MANAGEMENT_SILENT,
	EVENT_SOCKET_GONE,
	EVENT_SYNC_STALE,
	EVENT_PORT_STUCK,
	EVENT_PORT_UNSETTLED,
	EVENT_PHC2SYS_SILENT,
	EVENT_RECOVERED,
	EVENT_RIVAL,
	EVENT_RIVAL_GONE,
	EVENT_CLOCK_DISTURBED,
	EVENT_ALARM_RAISED,
	EVENT_ALARM_CLEARED,
	EVENT_ALARM_READ,
	/* a PHC as it is measured: collect/phc.c */
	EVENT_PHC_METHOD,
	EVENT_PHC_FAILED,
	EVENT_PHC_SLOW,
	EVENT_PHC_STUCK,
	EVENT_PHC_JUMPED,
	EVENT_PHC_BACK,
	/* whether phc2sys may steer: model/gate.c */
	EVENT_GATE_OPENED,
	EVENT_GATE_CHANGED,
	EVENT_GATE_CLOSED,
	EVENT_CODE_MAX
};

/* The stable name ("port-state"), how grave it is unless told otherwise, and what it means. */
const char *event_code_name(enum event_code code);
enum severity event_code_severity(enum event_code code);
const char *event_code_meaning(enum event_code code);

/* Told by the parent of one of its children, or of what it did for one? */
bool event_is_of_child(enum event_code code);

/* The code of that name, or EVENT_CODE_MAX. */
enum event_code event_code_parse(const char *name);

const char *severity_name(enum severity severity);

/* The level at which an event of that severity is logged. */
enum log_level severity_log_level(enum severity severity);

struct event {
	int64_t mono_ns;
	enum event_code code;
	enum severity severity;
	char subject[64]; /* port, child, CPU, file: what it happened to */
	char text[256];   /* one line for people: subject first, then key=value */
	char detail[256]; /* a JSON object, or "" */
};

/* An event of that code at its table's severity; the text is printf'd and cut to fit. */
__attribute__((format(printf, 4, 5))) struct event
event_make(enum event_code code, int64_t mono_ns, const char *subject, const char *fmt, ...);
