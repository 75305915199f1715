// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/report/status_rows.h"

/* clang-format off */
#define CTYPE_TEXT        char *
#define CTYPE_BOOL        bool
#define CTYPE_KNOWN_BOOL  bool
#define CTYPE_I64         int64_t
#define CTYPE_NONZERO     int64_t
#define CTYPE_U32         uint32_t
#define CTYPE_U64         uint64_t
#define CTYPE_OPTIONAL    int64_t
#define CTYPE_MONO        int64_t
#define CTYPE_UTC         int64_t
#define CTYPE_READING     struct reading
#define CTYPE_FLAG        struct reading
#define CTYPE_PORT_STATE  struct reading
#define CTYPE_TIME_SOURCE struct reading
#define CTYPE_CHILD_STATE enum child_state
#define CTYPE_ALARM_CODE  enum alarm_code
#define CTYPE_ALARM_UNIT  enum alarm_code
#define CTYPE_AUDIT_KIND  enum audit_kind

#define MEMBER(T, m) (((T *)0)->m)
/* A row whose kind disagrees with the member's type does not compile. */
#define NAMED(T, m, K, N)                                                                          \
	.name = (N), .kind = KIND_##K, .size = sizeof(MEMBER(T, m)),                               \
	.offset = offsetof(T, m) +                                                                 \
	  0 * sizeof(char[_Generic(MEMBER(T, m), CTYPE_##K: 1, default: -1)])
#define ROW(T, m, K)      {NAMED(T, m, K, #m)}
#define ROWS_OF(table)    .rows = (table), .n_rows = sizeof(table) / sizeof((table)[0])
#define NESTED(T, m, table) {.name = #m, .kind = KIND_OBJECT, .offset = offsetof(T, m), ROWS_OF(table)}
#define ARRAY(T, m, n, table)                                                                      \
	{.name = #m, .kind = KIND_ARRAY, .offset = offsetof(T, m), .other = offsetof(T, n),        \
	 .size = sizeof(MEMBER(T, m)[0]),                                                          \
	 .max = sizeof(MEMBER(T, m)) / sizeof(MEMBER(T, m)[0]), ROWS_OF(table)}

static const struct status_row window_rows[] = {
	ROW(struct status_window, count,  U64),
	ROW(struct status_window, p50_ns, OPTIONAL),
	ROW(struct status_window, p99_ns, OPTIONAL),
	ROW(struct status_window, max_ns, OPTIONAL),
};

static const struct status_row scale_rows[] = {
	ROW(struct status_scale, utc_offset_s,        READING),
	ROW(struct status_scale, utc_offset_valid,    FLAG),
	ROW(struct status_scale, ptp_timescale,       FLAG),
	ROW(struct status_scale, time_traceable,      FLAG),
	ROW(struct status_scale, frequency_traceable, FLAG),
	ROW(struct status_scale, utc_offset_source,   TEXT),
	ROW(struct status_scale, realtime,            TEXT),
	ROW(struct status_scale, phc_error_ns,        READING),
};

static const struct status_row port_rows[] = {
	ROW(struct status_port, name,                TEXT),
	ROW(struct status_port, role,                TEXT),
	ROW(struct status_port, socket,              TEXT),
	ROW(struct status_port, problem,             TEXT),
	ROW(struct status_port, state,               PORT_STATE),
	ROW(struct status_port, state_since_mono_ns, MONO),
	ROW(struct status_port, absent,              BOOL),
	{NAMED(struct status_port, carrier_known, KNOWN_BOOL, "carrier"),
	 .other = offsetof(struct status_port, carrier)},
	ROW(struct status_port, clock_identity,      TEXT),
	ROW(struct status_port, grandmaster,         TEXT),
	ROW(struct status_port, clock_class,         READING),
	ROW(struct status_port, clock_accuracy,      READING),
	ROW(struct status_port, time_source,         TIME_SOURCE),
	ROW(struct status_port, steps_removed,       READING),
	NESTED(struct status_port, scale,            scale_rows),
	ROW(struct status_port, offset_ns,           READING),
	ROW(struct status_port, mean_path_delay_ns,  READING),
	ROW(struct status_port, sync_interval_ns,    READING),
	NESTED(struct status_port, last_minute,      window_rows),
	ROW(struct status_port, updates,             U64),
	ROW(struct status_port, missed,              U64),
	ROW(struct status_port, malformed,           U64),
};

static const struct status_row phc_rows[] = {
	ROW(struct status_phc, name,              TEXT),
	ROW(struct status_phc, method,            TEXT),
	ROW(struct status_phc, sys_minus_phc_ns,  READING),
	ROW(struct status_phc, delay_ns,          READING),
	ROW(struct status_phc, interval_ns,       NONZERO),
	ROW(struct status_phc, utc_offset_s,      I64),
	ROW(struct status_phc, utc_offset_source, TEXT),
	ROW(struct status_phc, problem,           TEXT),
};

static const struct status_row phc2sys_rows[] = {
	ROW(struct status_phc2sys, name,         TEXT),
	ROW(struct status_phc2sys, wanted,       BOOL),
	ROW(struct status_phc2sys, open,         BOOL),
	ROW(struct status_phc2sys, reason,       TEXT),
	ROW(struct status_phc2sys, needless,     BOOL),
	ROW(struct status_phc2sys, sink,         TEXT),
	ROW(struct status_phc2sys, phc,          TEXT),
	ROW(struct status_phc2sys, utc_offset_s, I64),
	ROW(struct status_phc2sys, offset_ns,    READING),
	ROW(struct status_phc2sys, delay_ns,     READING),
	ROW(struct status_phc2sys, interval_ns,  READING),
};

static const struct status_row child_rows[] = {
	ROW(struct status_child, name,            TEXT),
	ROW(struct status_child, state,           CHILD_STATE),
	ROW(struct status_child, pid,             NONZERO),
	ROW(struct status_child, started_mono_ns, MONO),
	ROW(struct status_child, starts,          U32),
	ROW(struct status_child, held,            BOOL),
	ROW(struct status_child, policy,          TEXT),
	ROW(struct status_child, priority,        I64),
	ROW(struct status_child, cpus,            TEXT),
	ROW(struct status_child, schedule_ok,     BOOL),
	ROW(struct status_child, threads,         NONZERO),
	ROW(struct status_child, locked_bytes,    I64),
	ROW(struct status_child, lock_limit_bytes, I64),
	ROW(struct status_child, problem,         TEXT),
};

static const struct status_row cpu_rows[] = {
	ROW(struct status_cpu, cpu,         U32),
	ROW(struct status_cpu, mono_ns,     MONO),
	ROW(struct status_cpu, count,       U64),
	ROW(struct status_cpu, min_ns,      OPTIONAL),
	ROW(struct status_cpu, avg_ns,      OPTIONAL),
	ROW(struct status_cpu, max_ns,      OPTIONAL),
	ROW(struct status_cpu, last_max_ns, OPTIONAL),
	ROW(struct status_cpu, overflow,    U64),
	ROW(struct status_cpu, missed,      U64),
};

static const struct status_row record_rows[] = {
	ROW(struct status_record, path,            TEXT),
	ROW(struct status_record, run,             I64),
	ROW(struct status_record, ok,              BOOL),
	ROW(struct status_record, problem,         TEXT),
	ROW(struct status_record, flushed_mono_ns, MONO),
	ROW(struct status_record, samples,         U64),
	ROW(struct status_record, queued,          U64),
	ROW(struct status_record, dropped,         U64),
};

static const struct status_row cost_rows[] = {
	ROW(struct status_cost, cpu_ns,    I64),
	ROW(struct status_cost, rss_bytes, I64),
	ROW(struct status_cost, requests,  U64),
};

static const struct status_row limit_rows[] = {
	ROW(struct status_limits, offset_ns,       NONZERO),
	ROW(struct status_limits, phc_ns,          NONZERO),
	ROW(struct status_limits, latency_ns,      NONZERO),
	ROW(struct status_limits, gap_ns,          NONZERO),
	ROW(struct status_limits, port_state_ns,   NONZERO),
	ROW(struct status_limits, ready_offset_ns, NONZERO),
	ROW(struct status_limits, ready_hold_ns,   I64),
};

static const struct status_row readiness_rows[] = {
	ROW(struct status_readiness, ready,         BOOL),
	ROW(struct status_readiness, since_mono_ns, MONO),
	ROW(struct status_readiness, reason,        TEXT),
};

static const struct status_row alarm_rows[] = {
	ROW(struct alarm, code,          ALARM_CODE),
	ROW(struct alarm, subject,       TEXT),
	ROW(struct alarm, raised,        BOOL),
	ROW(struct alarm, since_mono_ns, MONO),
	ROW(struct alarm, count,         U32),
	ROW(struct alarm, last_mono_ns,  MONO),
	{NAMED(struct alarm, code, ALARM_UNIT, "unit")},
	ROW(struct alarm, value,         I64),
	ROW(struct alarm, worst,         I64),
	ROW(struct alarm, limit,         I64),
};

static const struct status_row complaint_rows[] = {
	ROW(struct status_complaint, name,    TEXT),
	ROW(struct status_complaint, code,    TEXT),
	ROW(struct status_complaint, count,   U64),
	ROW(struct status_complaint, mono_ns, MONO),
	ROW(struct status_complaint, hint,    TEXT),
};

static const struct status_row throttling_rows[] = {
	ROW(struct status_throttling, runtime_us,    I64),
	ROW(struct status_throttling, period_us,     NONZERO),
	{NAMED(struct status_throttling, fired_known, KNOWN_BOOL, "fired"),
	 .other = offsetof(struct status_throttling, fired)},
	ROW(struct status_throttling, fired_mono_ns, MONO),
	ROW(struct status_throttling, problem,       TEXT),
};

static const struct status_row finding_rows[] = {
	ROW(struct audit_finding, kind,     AUDIT_KIND),
	ROW(struct audit_finding, name,     TEXT),
	ROW(struct audit_finding, pid,      I64),
	ROW(struct audit_finding, tid,      I64),
	ROW(struct audit_finding, policy,   TEXT),
	ROW(struct audit_finding, priority, I64),
	ROW(struct audit_finding, cpus,     TEXT),
	ROW(struct audit_finding, last_cpu, I64),
	ROW(struct audit_finding, text,     TEXT),
};

static const struct status_row audit_rows[] = {
	ROW(struct audit, mono_ns,  MONO),
	ROW(struct audit, cost_ns,  I64),
	ROW(struct audit, threads,  U64),
	ROW(struct audit, subject,  TEXT),
	ROW(struct audit, subjects, U64),
	ROW(struct audit, policy,   TEXT),
	ROW(struct audit, priority, I64),
	ROW(struct audit, cpus,     TEXT),
	ROW(struct audit, problem,  TEXT),
	ROW(struct audit, more,     U64),
	ARRAY(struct audit, findings, n_findings, finding_rows),
};

const struct status_row status_rows[] = {
	ROW(struct status, taken_mono_ns,       MONO), /* first: ages are relative to it */
	{NAMED(struct status, taken_utc_ns, UTC, "taken_utc")},
	ROW(struct status, started_mono_ns,     MONO),
	ROW(struct status, parent_mono_ns,      MONO),
	ROW(struct status, version,             TEXT),
	ROW(struct status, host,                TEXT),
	ROW(struct status, label,               TEXT),
	ROW(struct status, role,                TEXT),
	ROW(struct status, stale_after_ns,      I64),
	ROW(struct status, phase,               TEXT),
	ROW(struct status, phase_since_mono_ns, MONO),
	ROW(struct status, realtime_problem,    TEXT),
	ROW(struct status, idle_states,         TEXT),
	NESTED(struct status, record,           record_rows),
	NESTED(struct status, cost,             cost_rows),
	NESTED(struct status, limits,           limit_rows),
	NESTED(struct status, readiness,        readiness_rows),
	ARRAY(struct status, alarms,   n_alarms,   alarm_rows),
	NESTED(struct status, rt_throttling,    throttling_rows),
	NESTED(struct status, audit,            audit_rows),
	ARRAY(struct status, ports,    n_ports,    port_rows),
	ARRAY(struct status, phcs,     n_phcs,     phc_rows),
	NESTED(struct status, phc2sys,          phc2sys_rows),
	ARRAY(struct status, joiners,  n_joiners,  phc2sys_rows),
	ARRAY(struct status, children, n_children, child_rows),
	ARRAY(struct status, complaints, n_complaints, complaint_rows),
	ARRAY(struct status, cpus,     n_cpus,     cpu_rows),
};
/* clang-format on */

const size_t status_n_rows = sizeof(status_rows) / sizeof(status_rows[0]);
