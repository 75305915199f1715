/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/rivals.h: looks for programs that steer a clock of ours, and reads how
 * CLOCK_REALTIME is steered.
 *
 * A look reads the name of every process, and the command line of those that steer clocks: a
 * millisecond or two. Processes of another network namespace are not ours to judge; one whose
 * namespace may not be read counts as of this one.
 */
#pragma once
#include <stdint.h>
#include <sys/types.h>

#include "ptpmon/model/event.h"
#include "ptpmon/model/rivals.h"
#include "ptpmon/model/steering.h"

enum { RIVALS_MAX = 16 };

struct rivals {
	struct rivals_ours ours;
	pid_t parent; /* its children are ours */
	void (*on_event)(void *userdata, const struct event *e);
	void *userdata;
	size_t n;
	struct rival_found {
		pid_t pid;
		uint64_t start_ticks; /* a pid can be used again */
		char comm[16];
		bool seen; /* in this look */
	} found[RIVALS_MAX];
};

/* Looks now; tells what is new and what is gone. How many rivals there are; why is the newest's
 * line. */
size_t rivals_look(struct rivals *r, int64_t now_mono_ns, char why[static RIVAL_WHY_MAX]);

/* 0, or -errno. */
int steering_read(struct steering_reading *out);
