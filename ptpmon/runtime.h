/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/runtime.h: the runtime directory: made, locked, and left as it was found.
 *
 * RUNTIME/control is the control socket, RUNTIME/INTERFACE/ holds ptp4l's sockets and those of its
 * clients. The lock is on the directory itself, so no file is left behind.
 */
#pragma once
#include <stdbool.h>

#include "ptpmon/conf/conf.h"

enum { RUNTIME_WHY_MAX = 512 };

struct runtime {
	int lock_fd;
	bool made, made_instance; /* the directories are ours to remove */
	char directory[CONFIG_PATH_MAX];
	char instance[CONFIG_PATH_MAX];
	char control[CONFIG_PATH_MAX];
	char socket[CONFIG_PATH_MAX]; /* ptp4l's */
};

/*
 * Makes and locks the directories and removes what a killed service left. 0, or -errno with one
 * line in why: -EBUSY if another ptpmon has the directory, -EADDRINUSE if a living process has one
 * of the sockets.
 */
int runtime_prepare(struct runtime *rt, const struct config *config,
		    char why[static RUNTIME_WHY_MAX]);

/* Somebody listens on ptp4l's socket? A stale one is removed. 0, or -EADDRINUSE and why. */
int runtime_check_socket(const struct runtime *rt, char why[static RUNTIME_WHY_MAX]);

/* Removes sockets that killed children left, and the directories that runtime_prepare() made. */
void runtime_remove(struct runtime *rt);
