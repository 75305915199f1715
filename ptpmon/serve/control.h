/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/serve/control.h: the Varlink interface io.ptpmon over whoever knows and records.
 *
 * Nothing here changes a clock or starts a command. What a client sends is checked before it
 * reaches the operations: text is UTF-8 without control characters, of bounded length.
 */
#pragma once
#include <jansson.h>

#include "ptpmon/serve/varlink.h"

enum {
	CONTROL_MARK_MAX = 1024, /* octets of a mark's text */
	CONTROL_PHASE_MAX = 63,  /* octets of a phase's name */
	CONTROL_WHO_MAX = 64,    /* "root (pid 123)", with its NUL */
};

#define CONTROL_INTERFACE "io.ptpmon"
#define CONTROL_NO_PHASE  CONTROL_INTERFACE ".NoPhase"

/* 0, or -errno, of which EndPhase's -ENOENT means that no phase is running. */
struct control_ops {
	json_t *(*status)(void *userdata); /* a new reference; NULL: cannot say */
	int (*mark)(void *userdata, const char *text, const char *who);
	int (*begin_phase)(void *userdata, const char *name, const char *who);
	int (*end_phase)(void *userdata, const char *who);
};

struct control;

/* As varlink_server_new(), which this is; ops and userdata are borrowed too. */
int control_new(struct control **out, sd_event *loop, int listen_fd, const struct control_ops *ops,
		void *userdata);
struct control *control_free(struct control *c);

/* Is this text fit for a mark (max CONTROL_MARK_MAX) or a name? NULL, or why not. */
const char *control_text_problem(const char *text, size_t max);
