// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/report/status_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/report/clean.h"

enum { TEXT_MAX = 256 }; /* more than any member holds */

enum kind {
	KIND_TEXT,
	KIND_BOOL,
	KIND_KNOWN_BOOL, /* and its value in the bool at row.other */
	KIND_I64,
	KIND_NONZERO, /* 0: null */
	KIND_U32,
	KIND_U64,
	KIND_OPTIONAL, /* SAMPLE_UNKNOWN: null */
	KIND_MONO,     /* 0: null */
	KIND_UTC,      /* 0: null */
	KIND_READING,
	KIND_FLAG, /* a reading that is 0 or 1: false or true */
	KIND_PORT_STATE,
	KIND_TIME_SOURCE,
	KIND_CHILD_STATE,
	KIND_ALARM_CODE,
	KIND_ALARM_UNIT, /* follows from the code: not read back */
	KIND_AUDIT_KIND,
	KIND_OBJECT,
	KIND_ARRAY, /* and how many are in use in the size_t at row.other */
	KIND_MAX
};

struct row {
	const char *name;
	enum kind kind;
	size_t offset;
	size_t size; /* of the member; of one element of an array */
	size_t other;
	size_t max; /* elements */
	const struct row *rows;
	size_t n_rows;
};

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

static const struct row window_rows[] = {
	ROW(struct status_window, count,  U64),
	ROW(struct status_window, p50_ns, OPTIONAL),
	ROW(struct status_window, p99_ns, OPTIONAL),
	ROW(struct status_window, max_ns, OPTIONAL),
};

static const struct row scale_rows[] = {
	ROW(struct status_scale, utc_offset_s,        READING),
	ROW(struct status_scale, utc_offset_valid,    FLAG),
	ROW(struct status_scale, ptp_timescale,       FLAG),
	ROW(struct status_scale, time_traceable,      FLAG),
	ROW(struct status_scale, frequency_traceable, FLAG),
	ROW(struct status_scale, utc_offset_source,   TEXT),
	ROW(struct status_scale, realtime,            TEXT),
	ROW(struct status_scale, phc_error_ns,        READING),
};

static const struct row port_rows[] = {
	ROW(struct status_port, name,                TEXT),
	ROW(struct status_port, role,                TEXT),
	ROW(struct status_port, socket,              TEXT),
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

static const struct row phc_rows[] = {
	ROW(struct status_phc, name,              TEXT),
	ROW(struct status_phc, method,            TEXT),
	ROW(struct status_phc, sys_minus_phc_ns,  READING),
	ROW(struct status_phc, delay_ns,          READING),
	ROW(struct status_phc, interval_ns,       NONZERO),
	ROW(struct status_phc, utc_offset_s,      I64),
	ROW(struct status_phc, utc_offset_source, TEXT),
	ROW(struct status_phc, problem,           TEXT),
};

static const struct row phc2sys_rows[] = {
	ROW(struct status_phc2sys, wanted,       BOOL),
	ROW(struct status_phc2sys, open,         BOOL),
	ROW(struct status_phc2sys, reason,       TEXT),
	ROW(struct status_phc2sys, phc,          TEXT),
	ROW(struct status_phc2sys, utc_offset_s, I64),
	ROW(struct status_phc2sys, offset_ns,    READING),
	ROW(struct status_phc2sys, delay_ns,     READING),
	ROW(struct status_phc2sys, interval_ns,  READING),
};

static const struct row child_rows[] = {
	ROW(struct status_child, name,            TEXT),
	ROW(struct status_child, state,           CHILD_STATE),
	ROW(struct status_child, pid,             NONZERO),
	ROW(struct status_child, started_mono_ns, MONO),
	ROW(struct status_child, starts,          U32),
	ROW(struct status_child, policy,          TEXT),
	ROW(struct status_child, priority,        I64),
	ROW(struct status_child, cpus,            TEXT),
	ROW(struct status_child, schedule_ok,     BOOL),
	ROW(struct status_child, threads,         NONZERO),
	ROW(struct status_child, locked_bytes,    I64),
	ROW(struct status_child, lock_limit_bytes, I64),
	ROW(struct status_child, problem,         TEXT),
};

static const struct row cpu_rows[] = {
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

static const struct row record_rows[] = {
	ROW(struct status_record, path,            TEXT),
	ROW(struct status_record, run,             I64),
	ROW(struct status_record, ok,              BOOL),
	ROW(struct status_record, problem,         TEXT),
	ROW(struct status_record, flushed_mono_ns, MONO),
	ROW(struct status_record, samples,         U64),
	ROW(struct status_record, queued,          U64),
	ROW(struct status_record, dropped,         U64),
};

static const struct row cost_rows[] = {
	ROW(struct status_cost, cpu_ns,    I64),
	ROW(struct status_cost, rss_bytes, I64),
	ROW(struct status_cost, requests,  U64),
};

static const struct row limit_rows[] = {
	ROW(struct status_limits, offset_ns,       NONZERO),
	ROW(struct status_limits, phc_ns,          NONZERO),
	ROW(struct status_limits, latency_ns,      NONZERO),
	ROW(struct status_limits, gap_ns,          NONZERO),
	ROW(struct status_limits, port_state_ns,   NONZERO),
	ROW(struct status_limits, ready_offset_ns, NONZERO),
	ROW(struct status_limits, ready_hold_ns,   I64),
};

static const struct row readiness_rows[] = {
	ROW(struct status_readiness, ready,         BOOL),
	ROW(struct status_readiness, since_mono_ns, MONO),
	ROW(struct status_readiness, reason,        TEXT),
};

static const struct row alarm_rows[] = {
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

static const struct row complaint_rows[] = {
	ROW(struct status_complaint, name,    TEXT),
	ROW(struct status_complaint, code,    TEXT),
	ROW(struct status_complaint, count,   U64),
	ROW(struct status_complaint, mono_ns, MONO),
	ROW(struct status_complaint, hint,    TEXT),
};

static const struct row throttling_rows[] = {
	ROW(struct status_throttling, runtime_us,    I64),
	ROW(struct status_throttling, period_us,     NONZERO),
	{NAMED(struct status_throttling, fired_known, KNOWN_BOOL, "fired"),
	 .other = offsetof(struct status_throttling, fired)},
	ROW(struct status_throttling, fired_mono_ns, MONO),
	ROW(struct status_throttling, problem,       TEXT),
};

static const struct row finding_rows[] = {
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

static const struct row audit_rows[] = {
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

static const struct row status_rows[] = {
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
	ARRAY(struct status, children, n_children, child_rows),
	ARRAY(struct status, complaints, n_complaints, complaint_rows),
	ARRAY(struct status, cpus,     n_cpus,     cpu_rows),
};
/* clang-format on */

enum { N_STATUS_ROWS = sizeof(status_rows) / sizeof(status_rows[0]) };

/* -- one value each way ------------------------------------------------------------------ */

static json_t *encode_rows(const struct row *rows, size_t n, const void *base,
			   int64_t taken_mono_ns);
static int decode_rows(const struct row *rows, size_t n, const json_t *object, void *base,
		       const int64_t *taken_mono_ns);

/* A text that was cut inside a character is still worth showing. */
static json_t *encode_text(const char *text)
{
	char clean[TEXT_MAX];

	CLEAN(clean, text);
	return json_string(clean);
}

static json_t *encode_moment(int64_t mono_ns)
{
	char text[24];

	if (!mono_ns)
		return json_null();
	(void)snprintf(text, sizeof(text), "%" PRId64, mono_ns);
	return json_string(text);
}

static json_t *encode_utc(int64_t utc_ns)
{
	char text[NSEC_TEXT_MAX];

	return utc_ns ? json_string(nsec_format_utc(utc_ns, text)) : json_null();
}

/* names NULL: a plain number. A value without a name stands as its number. */
static json_t *encode_reading(const struct reading *r, const struct ptp_name *names,
			      int64_t taken_mono_ns)
{
	const char *name = names && r->known ? ptp_name_of(names, (unsigned)r->value) : NULL;
	json_t *value = !r->known ? json_null() : name ? json_string(name) : json_integer(r->value);
	json_t *age = r->mono_ns ? json_integer(taken_mono_ns - r->mono_ns) : json_null();

	return json_pack("{so so}", "value", value, "age_ns", age);
}

static json_t *encode_flag(const struct reading *r, int64_t taken_mono_ns)
{
	json_t *object = encode_reading(r, NULL, taken_mono_ns);

	if (r->known && json_object_set_new(object, "value", json_boolean(r->value)) < 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *encode_array(const struct row *row, const char *base, int64_t taken_mono_ns)
{
	size_t n = *(const size_t *)(const void *)(base + row->other);
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		if (json_array_append_new(array, encode_rows(row->rows, row->n_rows,
							     base + row->offset + i * row->size,
							     taken_mono_ns)) < 0) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *encode_alarm_unit(enum alarm_code code)
{
	static const char *const units[] = {
		[ALARM_NS] = "ns", [ALARM_BYTES] = "bytes", [ALARM_COUNT] = "count"};
	enum alarm_unit unit = alarm_code_unit(code);

	return unit == ALARM_YES_NO ? json_null() : json_string(units[unit]);
}

static json_t *encode(const struct row *row, const char *base, int64_t taken_mono_ns)
{
	const void *m = base + row->offset;

	switch (row->kind) {
	case KIND_TEXT:
		return *(const char *)m ? encode_text(m) : json_null();
	case KIND_BOOL:
		return json_boolean(*(const bool *)m);
	case KIND_KNOWN_BOOL:
		return *(const bool *)m ? json_boolean(*(const bool *)(base + row->other))
					: json_null();
	case KIND_I64:
		return json_integer(*(const int64_t *)m);
	case KIND_NONZERO:
		return *(const int64_t *)m ? json_integer(*(const int64_t *)m) : json_null();
	case KIND_U32:
		return json_integer(*(const uint32_t *)m);
	case KIND_U64:
		return json_integer((json_int_t) * (const uint64_t *)m);
	case KIND_OPTIONAL:
		return *(const int64_t *)m == SAMPLE_UNKNOWN ? json_null()
							     : json_integer(*(const int64_t *)m);
	case KIND_MONO:
		return encode_moment(*(const int64_t *)m);
	case KIND_UTC:
		return encode_utc(*(const int64_t *)m);
	case KIND_READING:
		return encode_reading(m, NULL, taken_mono_ns);
	case KIND_FLAG:
		return encode_flag(m, taken_mono_ns);
	case KIND_PORT_STATE:
		return encode_reading(m, ptp_port_states, taken_mono_ns);
	case KIND_TIME_SOURCE:
		return encode_reading(m, ptp_time_sources, taken_mono_ns);
	case KIND_CHILD_STATE:
		return json_string(child_state_name(*(const enum child_state *)m));
	case KIND_ALARM_CODE:
		return json_string(alarm_code_name(*(const enum alarm_code *)m));
	case KIND_ALARM_UNIT:
		return encode_alarm_unit(*(const enum alarm_code *)m);
	case KIND_AUDIT_KIND:
		return json_string(audit_kind_name(*(const enum audit_kind *)m));
	case KIND_OBJECT:
		return encode_rows(row->rows, row->n_rows, m, taken_mono_ns);
	case KIND_ARRAY:
		return encode_array(row, base, taken_mono_ns);
	case KIND_MAX:
		break;
	}
	return NULL;
}

static json_t *encode_rows(const struct row *rows, size_t n, const void *base,
			   int64_t taken_mono_ns)
{
	json_t *object = json_object();

	for (size_t i = 0; i < n; i++)
		if (json_object_set_new(object, rows[i].name,
					encode(&rows[i], base, taken_mono_ns)) < 0) {
			json_decref(object);
			return NULL;
		}
	return object;
}

json_t *status_to_json(const struct status *s)
{
	char why[STATUS_TEXT_MAX];
	enum status_verdict verdict = status_judge(s, why);
	json_auto_t *rows = encode_rows(status_rows, N_STATUS_ROWS, s, s->taken_mono_ns);
	json_t *j = json_pack("{ss ss so}", "schema", STATUS_SCHEMA, "verdict",
			      status_verdict_name(verdict), "reason", encode_text(why));

	if (!rows || json_object_update(j, rows) < 0) {
		json_decref(j);
		return NULL;
	}
	return j;
}

/* -- and back ---------------------------------------------------------------------------- */

static bool is_null(const json_t *value)
{
	return !value || json_is_null(value);
}

static int decode_text(const json_t *value, char *out, size_t size)
{
	if (!is_null(value) && !json_is_string(value))
		return -EBADMSG;
	if (is_null(value))
		out[0] = '\0';
	else
		(void)snprintf(out, size, "%s", json_string_value(value));
	return 0;
}

static int decode_bool(const json_t *value, bool *out)
{
	*out = json_is_true(value);
	return is_null(value) || json_is_boolean(value) ? 0 : -EBADMSG;
}

/* null reads as otherwise. */
static int decode_integer(const json_t *value, int64_t min, int64_t max, int64_t otherwise,
			  int64_t *out)
{
	int64_t v = is_null(value) ? otherwise : json_integer_value(value);

	if ((!is_null(value) && (!json_is_integer(value) || v < min || v > max)))
		return -EBADMSG;
	*out = v;
	return 0;
}

static int decode_u32(const json_t *value, uint32_t *out)
{
	int64_t v;
	int r = decode_integer(value, 0, UINT32_MAX, 0, &v);

	if (r == 0)
		*out = (uint32_t)v;
	return r;
}

static int decode_moment(const json_t *value, int64_t *out)
{
	const char *text = json_string_value(value);
	char *end = NULL;

	*out = 0;
	if (is_null(value))
		return 0;
	if (!text || !*text)
		return -EBADMSG;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return *end || errno ? -EBADMSG : 0;
}

/* As nsec_format_utc() writes it. */
static int decode_utc(const json_t *value, int64_t *out)
{
	const char *text = json_string_value(value);
	const char *rest;
	int64_t ns = 0;
	struct tm tm = {0};

	*out = 0;
	if (is_null(value))
		return 0;
	rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S.", &tm) : NULL;
	if (!rest || strlen(rest) != 10 || strspn(rest, "0123456789") != 9 || rest[9] != 'Z')
		return -EBADMSG;
	for (int i = 0; i < 9; i++)
		ns = ns * 10 + (rest[i] - '0');
	if (__builtin_mul_overflow((int64_t)timegm(&tm), NSEC_PER_SEC, out) ||
	    __builtin_add_overflow(*out, ns, out))
		return -EBADMSG;
	return 0;
}

static int decode_reading(const json_t *object, const struct ptp_name *names, struct reading *out,
			  int64_t taken_mono_ns)
{
	const json_t *value = json_object_get(object, "value");
	const json_t *age = json_object_get(object, "age_ns");
	struct reading r = {0};
	unsigned number;
	int64_t age_ns;

	if (!is_null(object) && !json_is_object(object))
		return -EBADMSG;
	if (decode_integer(age, INT64_MIN, INT64_MAX, 0, &age_ns) < 0)
		return -EBADMSG;
	if (!is_null(age) && __builtin_sub_overflow(taken_mono_ns, age_ns, &r.mono_ns))
		return -EBADMSG;
	r.known = !is_null(value);
	if (names && json_is_string(value)) {
		if (ptp_name_parse(names, json_string_value(value), &number) < 0)
			return -EBADMSG;
		r.value = number;
	} else if (json_is_boolean(value)) {
		r.value = json_is_true(value);
	} else if (decode_integer(value, INT64_MIN, INT64_MAX, 0, &r.value) < 0) {
		return -EBADMSG;
	}
	*out = r;
	return 0;
}

static int decode_child_state(const json_t *value, enum child_state *out)
{
	const char *name = json_string_value(value);

	for (enum child_state s = 0; name && s < CHILD_STATE_MAX; s++)
		if (strcmp(name, child_state_name(s)) == 0) {
			*out = s;
			return 0;
		}
	return -EBADMSG;
}

static int decode_alarm_code(const json_t *value, enum alarm_code *out)
{
	const char *name = json_string_value(value);
	enum alarm_code code = name ? alarm_code_parse(name) : ALARM_CODE_MAX;

	if (code == ALARM_CODE_MAX)
		return -EBADMSG;
	*out = code;
	return 0;
}

static int decode_audit_kind(const json_t *value, enum audit_kind *out)
{
	const char *name = json_string_value(value);

	for (enum audit_kind k = 0; name && k < AUDIT_KIND_MAX; k++)
		if (strcmp(name, audit_kind_name(k)) == 0) {
			*out = k;
			return 0;
		}
	return -EBADMSG;
}

static int decode_array(const struct row *row, const json_t *array, char *base,
			const int64_t *taken_mono_ns)
{
	size_t n = json_array_size(array);

	if (!is_null(array) && (!json_is_array(array) || n > row->max))
		return -EBADMSG;
	*(size_t *)(void *)(base + row->other) = n;
	for (size_t i = 0; i < n; i++) {
		int r = decode_rows(row->rows, row->n_rows, json_array_get(array, i),
				    base + row->offset + i * row->size, taken_mono_ns);

		if (r < 0)
			return r;
	}
	return 0;
}

static int decode(const struct row *row, const json_t *value, char *base,
		  const int64_t *taken_mono_ns)
{
	void *m = base + row->offset;

	switch (row->kind) {
	case KIND_TEXT:
		return decode_text(value, m, row->size);
	case KIND_BOOL:
		return decode_bool(value, m);
	case KIND_KNOWN_BOOL:
		*(bool *)m = !is_null(value);
		return decode_bool(value, (bool *)(base + row->other));
	case KIND_I64:
	case KIND_NONZERO:
		return decode_integer(value, INT64_MIN, INT64_MAX, 0, m);
	case KIND_U32:
		return decode_u32(value, m);
	case KIND_U64:
		return decode_integer(value, 0, INT64_MAX, 0, m);
	case KIND_OPTIONAL:
		return decode_integer(value, INT64_MIN, INT64_MAX, SAMPLE_UNKNOWN, m);
	case KIND_MONO:
		return decode_moment(value, m);
	case KIND_UTC:
		return decode_utc(value, m);
	case KIND_READING:
	case KIND_FLAG:
		return decode_reading(value, NULL, m, *taken_mono_ns);
	case KIND_PORT_STATE:
		return decode_reading(value, ptp_port_states, m, *taken_mono_ns);
	case KIND_TIME_SOURCE:
		return decode_reading(value, ptp_time_sources, m, *taken_mono_ns);
	case KIND_CHILD_STATE:
		return decode_child_state(value, m);
	case KIND_ALARM_CODE:
		return decode_alarm_code(value, m);
	case KIND_ALARM_UNIT:
		return 0;
	case KIND_AUDIT_KIND:
		return decode_audit_kind(value, m);
	case KIND_OBJECT:
		return decode_rows(row->rows, row->n_rows, value, m, taken_mono_ns);
	case KIND_ARRAY:
		return decode_array(row, value, base, taken_mono_ns);
	case KIND_MAX:
		break;
	}
	return -EBADMSG;
}

static int decode_rows(const struct row *rows, size_t n, const json_t *object, void *base,
		       const int64_t *taken_mono_ns)
{
	if (!is_null(object) && !json_is_object(object))
		return -EBADMSG;
	for (size_t i = 0; i < n; i++) {
		int r = decode(&rows[i], json_object_get(object, rows[i].name), base,
			       taken_mono_ns);

		if (r < 0)
			return r;
	}
	return 0;
}

int status_from_json(struct status *out, const json_t *json)
{
	const char *schema = json_string_value(json_object_get(json, "schema"));
	CLEANUP(freep) struct status *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	if (!schema)
		return -EBADMSG;
	if (strcmp(schema, STATUS_SCHEMA) != 0)
		return -EPROTO;
	r = decode_rows(status_rows, N_STATUS_ROWS, json, s, &s->taken_mono_ns);
	if (r == 0)
		*out = *s;
	return r;
}
