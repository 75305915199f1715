/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/serve/varlink_client.h: one call of one method, for a command that waits for it. */
#pragma once
#include <jansson.h>
#include <stdint.h>

enum {
	VARLINK_WHY_MAX = 256,
	VARLINK_REPLY_MAX = 4 * 1024 * 1024, /* octets, with its NUL */
};

enum { VARLINK_ERROR = 1 }; /* the service answered with an error */

/*
 * Connects to path, calls method ("io.ptpmon.Mark") with parameters (an object, borrowed; NULL:
 * an empty one) and waits for the answer, all within timeout_ns.
 *
 * 0: *reply has the answer's parameters, a new reference.
 * VARLINK_ERROR: *reply has the error's, and why its name ("io.ptpmon.NoPhase").
 * -errno: why says in words what failed: -ENOENT or -ECONNREFUSED if nobody listens there, -EACCES,
 * -ETIMEDOUT, -ECONNRESET if it hung up, -EBADMSG if it does not speak Varlink, -ENAMETOOLONG.
 */
int varlink_call(const char *path, const char *method, json_t *parameters, int64_t timeout_ns,
		 json_t **reply, char why[static VARLINK_WHY_MAX]);
