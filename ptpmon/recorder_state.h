/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/recorder_state.h: the recorder's one struct, for its own files only: recorder.c (begins,
 * watches, ends), recorder_sources.c (what comes in), recorder_answers.c (what is asked).
 */
#pragma once
#include <systemd/sd-event.h>

#include "ptpmon/collect/latency.h"
#include "ptpmon/collect/link.h"
#include "ptpmon/collect/log.h"
#include "ptpmon/collect/pmc.h"
#include "ptpmon/live.h"
#include "ptpmon/record.h"
#include "ptpmon/recorder.h"
#include "ptpmon/serve/control.h"
#include "ptpmon/serve/listener.h"
#include "ptpmon/supervise/message.h"

/* A child's output: forwarded within limits, its holes told. */
struct child_log {
	struct log_source source;
	struct record *record;
	const char *name;
	unsigned forwarded, suppressed; /* in these ten seconds */
	uint64_t holes_told;
	char last[LOG_LINE_MAX]; /* the newest line that is news */
};

struct recorder {
	const struct recorder_options *options;
	const struct config *config;
	sd_event *event;
	struct record record;
	struct live live;

	struct pmc_source *pmc;
	sd_event_source *pmc_io, *pmc_timer;
	int pmc_fd; /* what pmc_io watches */
	struct link_source *links;
	struct latency_source windows;
	struct child_log ptp4l_log, latency_log;
	const char *ports[CONFIG_INTERFACES_MAX];
	char socket[CONFIG_PATH_MAX], own_path[CONFIG_PATH_MAX];

	struct listener listener;
	struct control *control;
	struct status status; /* the one being asked for */
	char host[65];

	int notify_fd, cancel_fd;
	int64_t parent_mono_ns; /* when it was last heard */
	uint64_t malformed_told;
	unsigned ticks;
	bool first_data;
	const char *how; /* it ended */
	int exit_status;
};

/* Opens ptp4l's socket, rtnetlink, logs and windows; watches them. 0, or -errno. */
int recorder_open_sources(struct recorder *rec);
int recorder_watch_sources(struct recorder *rec);
void recorder_close_sources(struct recorder *rec);

/* ptp4l was started (again). */
void recorder_ptp4l_started(struct recorder *rec, int64_t mono_ns);

/* A child has ended. Returns the last thing it said, "" if nothing is known of that. */
const char *recorder_child_ended(struct recorder *rec, const char *name);

/* Once a second: what a source has to say about itself. */
void recorder_tick_sources(struct recorder *rec);

/* Opens the control socket. 0, or -errno and why. */
int recorder_open_answers(struct recorder *rec, char why[static LISTENER_WHY_MAX]);
void recorder_close_answers(struct recorder *rec);

/* rec->status, as of now. */
void recorder_fill_status(struct recorder *rec);
