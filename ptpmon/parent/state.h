/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/parent/state.h: the parent's structs, for its own files only: parent.c (loop and
 * lifecycle), children.c (what each child is, and how it is started), setup.c (what
 * is made once, before anything runs).
 */
#pragma once
#include <systemd/sd-event.h>

#include "ptpmon/parent/child.h"
#include "ptpmon/parent/commands.h"
#include "ptpmon/parent/port_locks.h"
#include "ptpmon/parent/recorder_link.h"
#include "ptpmon/parent/runtime.h"
#include "ptpmon/supervise/port_priorities.h"

enum {
	PARENT_CHILDREN_MAX = STATUS_CHILDREN_MAX,
	PARENT_PHC_INDEX_MAX = 1024,
	PARENT_UTC_OFFSET_MAX = 255,
};

struct supervised;

/* A kind of child. A new one is one row in children.c. */
struct child_kind {
	const struct restart_policy *policy;
	/* How to start it now, as child_ops.plan; argv and envp are filled in already. */
	int (*plan)(struct supervised *s, struct spawn_plan *plan,
		    char why[static STATUS_TEXT_MAX]);
	bool on_request; /* started and stopped by MESSAGE_STEER and MESSAGE_STOP alone */
	/* The command line of a phc2sys, steering as it was asked to. */
	int (*command)(struct command *out, const struct config *c, const char *program,
		       const struct message_steer *steer);
	/* The index of the PHC that it steers when told so; NULL: it steers none. */
	int (*sink)(const struct message_steer *steer);
	/* of the configuration, whose change restarts it; NULL: its command and schedule tell */
	const char *section;
	/* NULL, or once a tick while it is up. */
	void (*tick)(struct supervised *s);
};

/* One child, and what the parent has for it. */
struct supervised {
	struct parent *parent;
	const struct child_kind *kind;
	struct child *child;
	bool leaving; /* no longer wanted: forgotten when it is down */
	char name[sizeof(((struct status_child *)0)->name)];
	char program[CONFIG_PATH_MAX];
	int log_fds[2]; /* its output: [0] is inherited by each recorder; -1: it has the parent's */
	/* a ptp4l's only */
	size_t instance; /* of config->ptp4l */
	struct ptp4l_version version;
	bool phc_done; /* its PHC was given its time, or never will be */
	/* phc2sys's only */
	struct message_steer steer;
};

struct parent {
	const struct config *config; /* in force */
	struct config *own_config;   /* the same, to be replaced as a whole */
	const char *config_path;     /* NULL: the default one */
	const struct child_ops *ops;
	struct runtime runtime;
	struct port_locks locks;                       /* of the ports that we launch on */
	struct runtime_place places[CONFIG_PTP4L_MAX]; /* as config->ptp4l */
	sd_event *event;
	/* the recorder first; it is started first and stopped last */
	struct supervised *children[PARENT_CHILDREN_MAX];
	size_t n_children;
	struct recorder_link link;
	struct port_priorities *priorities; /* of the ports' kernel threads */
	struct port_priorities_ops priorities_ops;
	char *priorities_why; /* where a refusal goes while it keeps us from running, or NULL */
	int kmsg_fd;          /* the kernel's log, for the recorder; -1: it may not be read */
	sd_event_source *link_source, *tick_source;
	char **environment;
	char token[33];         /* names this run for every recorder of it */
	int config_fd;          /* what the recorder reads: the configuration as it is in force */
	int window_fds[2];      /* latency windows: [0] is inherited by each recorder */
	struct command command; /* of the child being started */
	int64_t started_mono_ns, beat_mono_ns;
	int64_t asked_to_stop_ns; /* by a signal; 0: not yet */
	unsigned ticks;
	bool others_started, first_data, stopping;
	bool on_terminal;  /* it was started from one */
	bool runtime_lost; /* its directory was removed, and cannot be made again */
	int status;        /* exit status */
};

/* parent.c: the recorder said something. An sd-event handler of the link's descriptor. */
int parent_on_link(sd_event_source *source, int fd, uint32_t revents, void *userdata);

/*
 * children.c: makes every child that the configuration wants, with its program and its log,
 * but starts none. 0, or -errno and why.
 */
int parent_make_children(struct parent *p, char why[static RUNTIME_WHY_MAX]);

/*
 * The places of the ptp4l of a configuration, which may be that in force or the next: what both
 * have stays. On failure all stays as it was. 0, or -errno and why.
 */
int parent_move_places(struct parent *p, const struct config *next,
		       char why[static RUNTIME_WHY_MAX]);
void parent_free_children(struct parent *p);

/* child_ops.plan of every child; userdata is its struct supervised. */
int parent_plan(void *userdata, struct child *c, struct spawn_plan *plan,
		char why[static STATUS_TEXT_MAX]);

static inline struct supervised *parent_recorder(const struct parent *p)
{
	return p->children[0];
}

/*
 * phc.c: gives the PHC of a grandmaster that is about to start its time, once; waits for
 * PHC_TIMEOUT at most. What came of it is told, and keeps no ptp4l from starting.
 */
void parent_feed_phc(struct supervised *s);

/* parent.c: to the recorder and the log, about a child. */
void parent_tell(struct supervised *s, const struct event *e);
/* parent.c: something happened that is not of a child: logged, and told to the recorder. */
void parent_tell_event(struct parent *p, enum event_code code, const char *subject,
		       const char *text);

/* orders.c: does what the recorder asks for with a MESSAGE_RESTART, _STEER or _STOP. */
void parent_obey(struct parent *p, const struct message *m);

/* realtime.c: takes over what a killed service left. 0, or -errno. */
int parent_open_realtime(struct parent *p);
void parent_close_realtime(struct parent *p);

/*
 * Gives the ports' kernel threads the priorities of the configuration in force: before ptp4l
 * starts, and whenever that configuration is another. 0, or -errno if on_refusal = fail says that
 * it cannot run, with why (RUNTIME_WHY_MAX octets). With why NULL a refusal is told and keeps
 * nobody from running.
 */
int parent_set_priorities(struct parent *p, char *why);

/* A link may be back with new threads. */
void parent_look_for_threads(struct parent *p);

/* setup.c: 0, or -errno and why. */
int parent_set_up(struct parent *p, char why[static RUNTIME_WHY_MAX]);

/* The configuration as the recorder reads it, in a file that cannot change under it. */
int parent_make_config_fd(struct parent *p);

/* reload.c: reads the configuration again, and restarts what changed. */
void parent_reload(struct parent *p);

/* children.c: forgets the children that were leaving and are down. */
void parent_forget_children(struct parent *p);
