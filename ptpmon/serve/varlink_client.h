/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/serve/varlink_client.h: calls of a method, for a command that waits for the answer, or for
 * one after the other.
 */
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

struct varlink_stream;

/*
 * Connects and sends the same with `more`: the answers are taken one by one. 0, or -errno and why,
 * as varlink_call().
 */
int varlink_stream_open(struct varlink_stream **out, const char *path, const char *method,
			json_t *parameters, int64_t timeout_ns, char why[static VARLINK_WHY_MAX]);

/* The next answer within timeout_ns, as varlink_call(); after -ETIMEDOUT it may still come. */
int varlink_stream_next(struct varlink_stream *s, int64_t timeout_ns, json_t **reply,
			char why[static VARLINK_WHY_MAX]);

/* Hangs up. NULL is fine. */
struct varlink_stream *varlink_stream_free(struct varlink_stream *s);
