// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/report/status_json.h"
#include "ptpmon/report/status_rows.h"

static int decode_rows(const struct status_row *rows, size_t n, const json_t *object, void *base,
		       const int64_t *taken_mono_ns);

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

static int decode_array(const struct status_row *row, const json_t *array, char *base,
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

static int decode(const struct status_row *row, const json_t *value, char *base,
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

static int decode_rows(const struct status_row *rows, size_t n, const json_t *object, void *base,
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
	r = decode_rows(status_rows, status_n_rows, json, s, &s->taken_mono_ns);
	if (r == 0)
		*out = *s;
	return r;
}
