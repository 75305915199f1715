/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/recorder/state.h: the recorder's one struct, for its own files only: recorder.c (begins,
 * watches, ends), ptp4l.c (each ptp4l, followed), time.c (its time scale),
 * phc.c (the PHCs), gate.c (phc2sys), sources.c (what else comes in),
 * rules.c (what is judged), answers.c (what is asked).
 */
#pragma once
#include <systemd/sd-event.h>

#include "ptpmon/collect/complaints.h"
#include "ptpmon/collect/ethtool.h"
#include "ptpmon/collect/kmsg.h"
#include "ptpmon/collect/latency.h"
#include "ptpmon/collect/link.h"
#include "ptpmon/collect/log.h"
#include "ptpmon/collect/phc.h"
#include "ptpmon/collect/pmc.h"
#include "ptpmon/collect/rivals.h"
#include "ptpmon/collect/threads.h"
#include "ptpmon/model/alarm.h"
#include "ptpmon/model/gate.h"
#include "ptpmon/model/servo_lines.h"
#include "ptpmon/model/steering.h"
#include "ptpmon/model/useless.h"
#include "ptpmon/recorder/journal.h"
#include "ptpmon/recorder/live.h"
#include "ptpmon/recorder/record.h"
#include "ptpmon/recorder/recorder.h"
#include "ptpmon/serve/control.h"
#include "ptpmon/serve/listener.h"
#include "ptpmon/supervise/message.h"

/* A child's output: forwarded within limits, its complaints and holes told. */
struct child_log {
	struct log_source source;
	struct recorder *rec;
	struct complaints complaints;
	struct journal_stream journal;
	int64_t said_mono_ns;     /* when its newest sample was read */
	bool steers;              /* it steers CLOCK_REALTIME, and prints how */
	struct servo_lines servo; /* what it printed of its servo */
	const char *name;
	unsigned forwarded, suppressed; /* in these ten seconds */
	uint64_t holes_told;
	char last[LOG_LINE_MAX];       /* the newest line that is news */
	char last_words[LOG_LINE_MAX]; /* what it was when the child ended */
};

/* What is known of the time here. */
struct time_knowledge {
	bool known;
	enum realtime_trust trust;
	struct utc_offset utc;      /* of a grandmaster */
	struct utc_offset expected; /* of the master of a slave */
	struct leap_table table;
};

/* One ptp4l, followed over its management socket. */
struct followed {
	struct recorder *rec;
	const struct config_ptp4l *config;
	size_t first_port; /* of rec->ports */
	struct pmc_source *pmc;
	struct child_log *log; /* its output; NULL: it is not our child */
	sd_event_source *io, *timer;
	int fd;              /* what io watches … */
	unsigned connection; /* … and of which connection it is */
	char socket[CONFIG_PATH_MAX], own_path[CONFIG_PATH_MAX];
	uint64_t malformed_told;
	int64_t ended_mono_ns;           /* when it last ended by itself */
	struct feeding {                 /* of a grandmaster's PHC, with feed = follow */
		bool parent_told;        /* once: what there is */
		struct message_steer is; /* given: phc2sys was started with this */
	} feeding;
	bool phc_far; /* told so */
};

/* What is judged beside what comes in. */
struct rules {
	struct useless useless[CONFIG_PORTS_MAX];
	struct useless_policy policy;
	struct rivals rivals;
	struct rivals_ptp4l ptp4l[CONFIG_PTP4L_MAX];
	const char *own_ports[CONFIG_PORTS_MAX]; /* of the ptp4l that are ours */
	struct steering steering;
	sd_event_source *steering_timer; /* of its next look */
	bool steers;                     /* a program of ours steers CLOCK_REALTIME */
};

struct recent_event {
	struct event event;
	int64_t utc_ns; /* as the wall clock stood to the axis then */
};

/* How far a PHC is ahead of UTC, and who says so. */
struct phc_utc {
	bool known;
	int64_t seconds;
	const char *source;
};

/* One PHC, measured against CLOCK_REALTIME. */
struct measured_phc {
	struct recorder *rec;
	int index;                       /* of /dev/ptpN */
	char device[ETHTOOL_DEVICE_MAX]; /* that */
	struct phc_source *source;
	sd_event_source *io;
	int series;
	struct phc_utc utc;
	unsigned slips; /* readings in a row that are off by TAI - UTC */
};

/*
 * A phc2sys that we gate: whether it may steer, and what it claims. One steers CLOCK_REALTIME, and
 * where the ports of a ptp4l have several PHCs, one each of those that ptp4l does not.
 */
struct phc2sys_state {
	char name[CONFIG_CHILD_MAX];
	const struct followed *joins; /* NULL: it steers CLOCK_REALTIME; else the PHC … */
	size_t port;                  /* … of this one of rec->ports */
	bool wanted;
	struct gate gate;
	struct gate_policy policy;
	bool parent_told;      /* once: what it was started with by the recorder before */
	bool parent_steers;    /* it was started, as far as the parent has told … */
	int64_t asked_mono_ns; /* … and asked to, or not to */
	bool down;             /* its process has ended, or never was */
	bool epoch_told;       /* that the guard of the epoch holds it back */
	int64_t up_mono_ns;
	int64_t said_mono_ns; /* its newest line, received; 0: none since it started */
	struct sample claim;  /* in it */
	int64_t interval_ns;  /* between the newest two */
	int series;
};

struct recorder {
	const struct recorder_options *options;
	const struct config *config;
	sd_event *event;
	struct record record;
	struct live live;

	struct followed ptp4l[CONFIG_PTP4L_MAX];
	size_t n_ptp4l;
	const char *ports[CONFIG_PORTS_MAX]; /* of all of them, in order */
	size_t n_ports;
	struct link_source *links; /* the same ports */
	struct latency_source windows;
	struct time_knowledge time;
	struct measured_phc phcs[STATUS_PHCS_MAX];
	size_t n_phcs;
	int port_phc[CONFIG_PORTS_MAX]; /* index of the PHC that stamps it, or ETHTOOL_NO_PHC */
	struct phc2sys_state phc2sys;
	struct phc2sys_state joiners[CONFIG_PORTS_MAX];
	size_t n_joiners;
	struct child_log logs[RECORDER_LOGS_MAX];
	size_t n_logs;
	struct rules rules;

	size_t n_events; /* so far; the newest are kept */
	struct recent_event events[CONTROL_EVENTS_MAX];

	struct alarms alarms;
	int64_t started_ns;                     /* this recorder */
	int64_t port_good_ns[STATUS_PORTS_MAX]; /* when it was last in the state of its role */
	int64_t within_since_ns;          /* ready_offset and all else is kept; 0: it is not */
	int64_t judged_ns;                /* when that was last looked at; 0: never */
	char not_within[STATUS_TEXT_MAX]; /* why not */
	uint64_t dropped_before;

	struct thread_scan *scan;
	struct kmsg kmsg;
	struct audit audit; /* the newest */
	struct audit told;  /* the one that an event told of */
	struct status_throttling throttling;
	int64_t audit_due_ns; /* the next scan */

	struct listener listener;
	struct control *control;
	bool control_lost;    /* its name was removed, and cannot be made again */
	struct status status; /* the one being asked for */
	char host[65];

	int notify_fd, cancel_fd;
	int64_t parent_mono_ns; /* when it was last heard */
	unsigned ticks;
	bool first_data;
	const char *how; /* it ended */
	bool leaving;    /* another recorder goes on with the run */
	int exit_status;
};

/* rec->ptp4l, as configured; then follows each of them. 0, or -errno. */
void recorder_name_ptp4l(struct recorder *rec);
int recorder_follow(struct recorder *rec);
void recorder_unfollow(struct recorder *rec);

/* NULL: none of them has that name. */
struct followed *recorder_followed(struct recorder *rec, const char *name);

/* It was started (again); it is to announce this; it has ended; once a minute. */
void recorder_ptp4l_started(struct followed *f, int64_t mono_ns);
void recorder_announce(struct followed *f, const struct announcement *wanted, int64_t mono_ns);
void recorder_ptp4l_ended(struct followed *f);
void recorder_tick_ptp4l(struct followed *f);

/* There are data: the first ones are told to the parent. */
void recorder_note_data(struct recorder *rec);

/* Once a second, and at the start: what grandmasters announce, and slaves are told. */
void recorder_tick_time(struct recorder *rec);
void recorder_fill_scale(struct recorder *rec, const struct followed *f, struct status_scale *out);

/* CLOCK_REALTIME - (PHC - what it should be ahead of UTC), and whether TAI - UTC explains it. */
void recorder_judge_slip(struct measured_phc *p, const char *name, int64_t sys_minus_phc_ns);

/* The parent tells of one of its children: is it the phc2sys that feeds a grandmaster's PHC? */
void recorder_feeder_child(struct recorder *rec, const struct message *m);

/* Opens rtnetlink, logs and windows; watches them. 0, or -errno. */
int recorder_open_sources(struct recorder *rec);
void recorder_close_sources(struct recorder *rec);

/* A child was started (again). */
void recorder_child_started(struct recorder *rec, const char *name, int64_t mono_ns);

/* A child has ended. Returns the last thing it said, "" if nothing is known of that. */
const char *recorder_child_ended(struct recorder *rec, const char *name);

/* The same again, of one that has ended before. */
const char *recorder_last_words(struct recorder *rec, const char *name);

/* Once a second: what a source has to say about itself. */
void recorder_tick_sources(struct recorder *rec);

/* An event that is being recorded. */
void recorder_note_event(void *userdata, const struct event *e);

/* Those that the recorder before this one has recorded. Reads the disk: before anything is due. */
void recorder_reload_events(struct recorder *rec);

/* A control_ops' events. */
json_t *recorder_list_events(void *userdata, const struct control_filter *filter);
/* phc.c: finds and measures the PHCs of the ports; once a second; their part of status. */
void recorder_open_phcs(struct recorder *rec);
void recorder_tick_phcs(struct recorder *rec);
void recorder_close_phcs(struct recorder *rec);
void recorder_fill_phcs(struct recorder *rec);

/* The parent has set the PHC of that ptp4l's ports. */
void recorder_phc_was_set(struct recorder *rec, const char *child, int64_t mono_ns);

/* NULL: that one is not measured. */
struct measured_phc *recorder_phc(struct recorder *rec, int index);

/* How far the PHC of a port is ahead of UTC; an offset that is not known is the likeliest one. */
struct phc_utc recorder_phc_utc(const struct recorder *rec, size_t port);

/* gate.c: the gate in front of phc2sys; once a second, on a rec->status as of now. */
void recorder_open_gate(struct recorder *rec);
void recorder_tick_gate(struct recorder *rec);
void recorder_fill_gate(struct recorder *rec);

/* At once, when a port is in another state: no PHC has two writers. */
void recorder_guard_phcs(struct recorder *rec);

/* The parent tells of a child; and a line with a figure of one. It may be none that is gated. */
void recorder_phc2sys_child(struct recorder *rec, const struct message *m);
void recorder_phc2sys_line(struct recorder *rec, const char *name, const char *text);

/*
 * What this PHC and CLOCK_REALTIME are steered by is locked, as far as it says; or nothing is to be
 * steered.
 */
bool recorder_phc2sys_is_locked(const struct recorder *rec, int phc_index);

/* The one that steers the PHC of a port by that of another, while it is up; NULL: none does. */
const char *recorder_joiner_of(const struct recorder *rec, size_t port);

/* The limits of the configuration; nothing is raised. */
void recorder_open_alarms(struct recorder *rec);

/* What has just come in. */
void recorder_judge_sample(struct recorder *rec, const char *port, const struct sample *sample);
void recorder_judge_window(struct recorder *rec, const struct latency_window *w);
void recorder_judge_phc(struct recorder *rec, const char *phc, int64_t sys_minus_phc_ns);

/* Once a second, on a rec->status that is as of now: all that is judged by its state. */
void recorder_tick_alarms(struct recorder *rec);

/* A child is no longer one of ours. */
void recorder_forget_child(struct recorder *rec, const char *name);

/* The alarms' part of rec->status. */
void recorder_fill_alarms(struct recorder *rec);

/* One line of a child's. */
void recorder_rules_line(struct child_log *log, enum log_kind kind, const char *text);

/*
 * Before anything is opened, and when nothing is started yet: 0, or -EBUSY and why: a rival, and
 * the configuration refuses.
 */
int recorder_look_for_rivals(struct recorder *rec, char *why, size_t size);
int recorder_begin_rules(struct recorder *rec);
void recorder_end_rules(struct recorder *rec);

/* That child steers CLOCK_REALTIME. */
bool recorder_child_steers(struct recorder *rec, const char *name);

/* Once a second: programs that are of no use, rivals, complaints that were held back. */
void recorder_tick_rules(struct recorder *rec);

/* The complaints' part of rec->status. */
void recorder_fill_complaints(struct recorder *rec);

/* Whether it is of use, now: something of it has just changed. */
void recorder_judge_ptp4l(struct followed *f);

/* A child ended by itself. */
void recorder_rules_ended(struct recorder *rec, const char *name, int64_t mono_ns);

/* Looks for a step of CLOCK_REALTIME, once a second and when the kernel says that it was set. */
void recorder_clocks(struct recorder *rec, bool was_set);
/* The priority audit: 0, or -ENOMEM. */
int recorder_open_audit(struct recorder *rec);
void recorder_close_audit(struct recorder *rec);

/* Once a second: looks a little further, and tells of what has changed. */
void recorder_tick_audit(struct recorder *rec);

/* A child was started, or runs at another schedule: who is above it may be others. */
void recorder_audit_soon(struct recorder *rec);

/* The audit's part of rec->status. */
void recorder_fill_audit(struct recorder *rec);

/* Opens the control socket. 0, or -errno and why. */
int recorder_open_answers(struct recorder *rec, char why[static LISTENER_WHY_MAX]);
void recorder_close_answers(struct recorder *rec);

/* Once a second: somebody who removed the control socket gets another one. */
void recorder_tick_answers(struct recorder *rec);

/* rec->status, as of now. */
void recorder_fill_status(struct recorder *rec);
