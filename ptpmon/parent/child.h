/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/parent/child.h: one supervised process on the parent's event loop.
 *
 * Feeds the restart table with what happens (started, refused, exited, time passed) and does what
 * the table answers. Whoever owns the child says how it is started and hears what became of it.
 */
#pragma once
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "ptpmon/model/event.h"
#include "ptpmon/model/status.h"
#include "ptpmon/supervise/restart.h"
#include "ptpmon/supervise/spawn.h"

struct child;

struct child_ops {
	/*
	 * How to start it now. 0, or -EAGAIN: what it needs is not there yet (why says what; it
	 * is asked again later), or another -errno: it cannot be started.
	 */
	int (*plan)(void *userdata, struct child *c, struct spawn_plan *plan,
		    char why[static STATUS_TEXT_MAX]);
	/* Something happened to it; code EVENT_CODE_MAX: only its state changed. */
	void (*changed)(void *userdata, struct child *c, enum event_code code, const char *text);
	/* It is down, as wanted. */
	void (*down)(void *userdata, struct child *c);
};

/* The policy and the ops must outlive the child. 0, or -errno. */
int child_new(struct child **out, sd_event *event, const char *name,
	      const struct restart_policy *policy, const struct child_ops *ops, void *userdata);

/* Does not stop it: a child that is still running is only forgotten. */
struct child *child_free(struct child *c);

void child_start(struct child *c);
void child_stop(struct child *c);
void child_restart(struct child *c);
void child_signal(struct child *c, int signal);

/* Reads its schedule back once more; a change is reported. */
void child_verify(struct child *c);

const char *child_name(const struct child *c);
const struct status_child *child_status(const struct child *c);

/* It was never executed, and the last try ended with this errno (0: none). */
int child_first_start_error(const struct child *c);

/* The exit status of the last process, as exit() was given it; -1 if there is none or it was
 * killed. */
int child_exit_status(const struct child *c);
