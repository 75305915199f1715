/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/parent/runtime.h: the runtime directory: made, locked, and left as it was found.
 *
 * RUNTIME/control is the control socket; RUNTIME/NAME/ holds the sockets of one ptp4l and those of
 * its clients. The lock is on the directory itself, so no file is left behind.
 */
#pragma once
#include <stdbool.h>

#include "ptpmon/conf/conf.h"

enum { RUNTIME_WHY_MAX = 512 };

struct runtime {
	int lock_fd;
	bool made; /* the directory is ours to remove */
	char directory[CONFIG_PATH_MAX];
	char control[CONFIG_PATH_MAX];
};

/* The place of one ptp4l in it. */
struct runtime_place {
	bool open, made; /* made: the directory is ours to remove */
	bool foreign;    /* ptp4l and its socket are somebody else's */
	char section[CONFIG_CHILD_MAX];
	char directory[CONFIG_PATH_MAX];
	char socket[CONFIG_PATH_MAX];
};

/*
 * Makes and locks the directory. 0, or -errno with one line in why: -EBUSY if another ptpmon has
 * the directory, -EADDRINUSE if a living process has the control socket.
 */
int runtime_prepare(struct runtime *rt, const struct config *config,
		    char why[static RUNTIME_WHY_MAX]);

/*
 * Somebody removed the directory, or a place's, under us? 0: no; 1: they are made again, and ptp4l
 * and the recorder can bind there; -errno and why.
 */
int runtime_keep(struct runtime *rt, struct runtime_place *places, size_t n,
		 char why[static RUNTIME_WHY_MAX]);

/* Removes what is left of sockets, and the directory if runtime_prepare() made it. */
void runtime_remove(struct runtime *rt);

/*
 * Makes the directory of instance i and removes what a killed service left there. 0, or -errno and
 * why: -EADDRINUSE if a living process has ptp4l's socket.
 */
int runtime_open_place(struct runtime_place *place, const struct config *config, size_t i,
		       char why[static RUNTIME_WHY_MAX]);

/* The directory stays that of instance i, whose socket may be another now. */
void runtime_rename_place(struct runtime_place *place, const struct config *config, size_t i);

/* Removes sockets that killed children left, and the directory if it was made. */
void runtime_close_place(struct runtime_place *place);

/* Somebody listens on ptp4l's socket? A stale one is removed. 0, or -EADDRINUSE and why. */
int runtime_check_socket(const struct runtime_place *place, char why[static RUNTIME_WHY_MAX]);
