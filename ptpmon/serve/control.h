/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/serve/control.h: the Varlink interface io.ptpmon over whoever knows and records.
 *
 * Nothing here changes a clock or starts a command. What a client sends is checked before it
 * reaches the operations: text is UTF-8 without control characters, of bounded length. What changes
 * the record is for root, the service's own user and its group, by the kernel's word.
 */
#pragma once
#include <jansson.h>

#include "ptpmon/model/event.h"
#include "ptpmon/model/verdict.h"
#include "ptpmon/serve/varlink.h"

enum {
	CONTROL_MARK_MAX = 1024,  /* octets of a mark's text */
	CONTROL_PHASE_MAX = 63,   /* octets of a phase's name */
	CONTROL_WHO_MAX = 64,     /* "root (pid 123)", with its NUL */
	CONTROL_EVENTS_MAX = 192, /* the newest that are listed: even long ones fit an answer */
	CONTROL_PAGE = 24,        /* events in one answer of many */
};

#define CONTROL_INTERFACE "io.ptpmon"
#define CONTROL_NO_PHASE  CONTROL_INTERFACE ".NoPhase"

/* Which events are asked for. */
struct control_filter {
	int64_t since_utc_ns, until_utc_ns; /* both included */
	enum severity severity;             /* and graver */
	size_t limit;                       /* the newest of them */
};

/* 0, or -errno, of which EndPhase's -ENOENT means that no phase is running. */
struct control_ops {
	json_t *(*status)(void *userdata); /* a new reference; NULL: cannot say */
	/* an array in the order in which they happened, a new reference; NULL without memory */
	json_t *(*events)(void *userdata, const struct control_filter *filter);
	int (*mark)(void *userdata, const char *text, const char *who);
	int (*begin_phase)(void *userdata, const char *name, const char *who);
	int (*end_phase)(void *userdata, const char *who);
	int (*put_verdict)(void *userdata, const struct verdict *verdict, const char *who);
	/* alarms of that moment or before; returns how many */
	size_t (*acknowledge)(void *userdata, int64_t until_mono_ns, const char *who);
};

struct control;

/* As varlink_server_new(), which this is; ops and userdata are borrowed too. */
int control_new(struct control **out, sd_event *loop, int listen_fd, const struct control_ops *ops,
		void *userdata);
/* As varlink_server_listen(). */
int control_listen(struct control *c, int listen_fd);
struct control *control_free(struct control *c);

/* Whoever watches gets the status as ops tell it now: to be called once a second. */
void control_tell_status(struct control *c);

/* Does anybody watch events? Then each goes to them as it happens; the reference is taken over. */
bool control_is_watched(const struct control *c);
void control_tell_event(struct control *c, json_t *event);
