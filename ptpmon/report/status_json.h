/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/status_json.h: struct status as JSON, schema "ptpmon.status/1", and back.
 *
 * One table of rows serves both ways, so that the command which asked draws the very struct that
 * the service filled. Names are those of the members (taken_utc_ns is "taken_utc"). A reading is
 * {"value", "age_ns"}, its value null while unknown and its age null if there never was one; what
 * is unknown otherwise, or empty, is null; moments on CLOCK_MONOTONIC are decimal strings. Beside
 * the members stand "schema", "verdict" and "reason" (status_judge()).
 */
#pragma once
#include <jansson.h>

#include "ptpmon/model/status.h"

#define STATUS_SCHEMA "ptpmon.status/1"

/* A new reference, or NULL without memory. Of an expired status. */
json_t *status_to_json(const struct status *s);

/*
 * 0, -EPROTO for another schema, or -EBADMSG. A name that is missing reads as null; one that is
 * not known is passed over. *out changes only on success.
 */
int status_from_json(struct status *out, const json_t *json);
