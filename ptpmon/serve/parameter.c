/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/serve/parameter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/event.h"

/* C0, DEL, and C1 (in UTF-8: c2 80 to c2 9f): what could drive a terminal or forge a line. */
static bool has_control(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p < ' ' || *p == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0))
			return true;
	return false;
}

static bool is_utf8(const char *text)
{
	json_t *s = json_string(text);
	bool valid = s != NULL;

	json_decref(s);
	return valid;
}

const char *parameter_text_problem(const char *text, size_t max)
{
	if (strspn(text, " ") == strlen(text))
		return "is empty";
	if (strlen(text) > max)
		return "is too long";
	if (!is_utf8(text))
		return "is not UTF-8";
	if (has_control(text))
		return "has control characters";
	return NULL;
}

static bool take_text(const struct parameter *row, const char *text)
{
	if (!text || parameter_text_problem(text, (size_t)row->max))
		return false;
	*(const char **)row->into = text;
	return true;
}

static bool take_severity(const struct parameter *row, const char *text)
{
	for (enum severity s = 0; text && s < SEVERITY_MAX; s++)
		if (strcmp(severity_name(s), text) == 0) {
			*(enum severity *)row->into = s;
			return true;
		}
	return false;
}

static bool take_mono(const struct parameter *row, const char *text)
{
	char *end;
	int64_t value;

	if (!text || !*text || strspn(text, "0123456789") != strlen(text))
		return false;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (*end || errno)
		return false;
	*(int64_t *)row->into = value;
	return true;
}

static bool take_count(const struct parameter *row, const json_t *value)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    json_integer_value(value) > row->max)
		return false;
	*(int64_t *)row->into = json_integer_value(value);
	return true;
}

static bool take(const struct parameter *row, const json_t *value)
{
	const char *text = json_string_value(value);

	switch (row->kind) {
	case PARAMETER_TEXT:
		return take_text(row, text);
	case PARAMETER_SEVERITY:
		return take_severity(row, text);
	case PARAMETER_UTC:
		return text && nsec_parse_utc(text, row->into) == 0;
	case PARAMETER_MONO:
		return take_mono(row, text);
	case PARAMETER_COUNT:
		return take_count(row, value);
	case PARAMETER_NUMBER:
		*(double *)row->into = json_number_value(value);
		return json_is_number(value);
	case PARAMETER_BOOL:
		*(bool *)row->into = json_is_true(value);
		return json_is_boolean(value);
	case PARAMETER_TRISTATE:
		*(int *)row->into = json_is_true(value);
		return json_is_boolean(value);
	}
	return false;
}

bool parameters_take(struct varlink_call *call, json_t *parameters, const struct parameter *rows,
		     size_t n)
{
	const char *wrong = NULL;
	const char *key;
	json_t *value;

	json_object_foreach(parameters, key, value)
	{
		size_t i = 0;

		while (i < n && strcmp(rows[i].name, key) != 0)
			i++;
		if (i == n)
			wrong = key;
		if (wrong)
			break;
	}
	for (size_t i = 0; i < n && !wrong; i++) {
		value = json_object_get(parameters, rows[i].name);
		if (!value || json_is_null(value) ? rows[i].required : !take(&rows[i], value))
			wrong = rows[i].name;
	}
	if (wrong)
		varlink_invalid_parameter(call, wrong);
	return !wrong;
}
