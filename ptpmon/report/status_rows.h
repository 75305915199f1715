/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/status_rows.h: the table of struct status's members as JSON has them, for the two
 * files that write it (status_json.c) and read it back (status_json_read.c).
 */
#pragma once
#include <stddef.h>

#include "ptpmon/model/status.h"

enum status_kind {
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

struct status_row {
	const char *name;
	enum status_kind kind;
	size_t offset;
	size_t size; /* of the member; of one element of an array */
	size_t other;
	size_t max; /* elements */
	const struct status_row *rows;
	size_t n_rows;
};

/* Those of struct status itself; taken_mono_ns is the first, since ages are relative to it. */
extern const struct status_row status_rows[];
extern const size_t status_n_rows;
