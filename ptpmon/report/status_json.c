// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/report/status_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/report/clean.h"
#include "ptpmon/report/status_rows.h"

enum { TEXT_MAX = 256 }; /* more than any member holds */

static json_t *encode_rows(const struct status_row *rows, size_t n, const void *base,
			   int64_t taken_mono_ns);

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

static json_t *encode_array(const struct status_row *row, const char *base, int64_t taken_mono_ns)
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

static json_t *encode(const struct status_row *row, const char *base, int64_t taken_mono_ns)
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

static json_t *encode_rows(const struct status_row *rows, size_t n, const void *base,
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
	json_auto_t *rows = encode_rows(status_rows, status_n_rows, s, s->taken_mono_ns);
	json_t *j = json_pack("{ss ss so}", "schema", STATUS_SCHEMA, "verdict",
			      status_verdict_name(verdict), "reason", encode_text(why));

	if (!rows || json_object_update(j, rows) < 0) {
		json_decref(j);
		return NULL;
	}
	return j;
}
