/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/recorder/recorder.h: the unprivileged process that joins sources, record and control
 * socket.
 *
 * Whatever eats foreign bytes or waits for a disk happens here or in its writer thread; it can
 * crash, hang or be stopped without PTP noticing.
 */
#pragma once
#include "ptpmon/conf/conf.h"
#include "ptpmon/model/status.h"

enum { RECORDER_LOGS_MAX = STATUS_CHILDREN_MAX };

/* What the parent hands over; descriptors are inherited and stay the parent's to make. */
struct recorder_options {
	const struct config *config;
	const char *token;         /* of the run */
	const char *ptp4l_version; /* "" if unknown */
	int64_t started_mono_ns;   /* of the service; a recorder may be a later one */
	bool first;                /* nothing is started yet that it would be alone with */
	int parent_fd, window_fd;
	int kmsg_fd; /* the kernel's log; -1: none */
	struct {
		const char *name; /* of the child that prints into it */
		int fd;
	} logs[RECORDER_LOGS_MAX];
	size_t n_logs;
};

/* Until the parent asks it to end, or is gone. SIGTERM and SIGINT must be blocked. An exit status.
 */
int recorder_run(const struct recorder_options *options);
