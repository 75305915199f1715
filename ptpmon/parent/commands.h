/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/parent/commands.h: the command line and schedule that the configuration makes of each
 * child.
 *
 * Pure but for looking at which CPUs exist; nothing is started here.
 */
#pragma once
#include "ptpmon/conf/conf.h"
#include "ptpmon/supervise/spawn.h"

enum { COMMAND_TEXT_MAX = 8192, COMMAND_ARGUMENTS_MAX = 256 };

/* An argument vector and its text, in one piece. What does not fit any more sets too_long. */
struct command {
	bool too_long;
	size_t n, used;
	char *argv[COMMAND_ARGUMENTS_MAX + 1];
	char text[COMMAND_TEXT_MAX];
};

__attribute__((format(printf, 2, 3))) void command_add(struct command *c, const char *fmt, ...);

/* The version of linuxptp: 3.1.1 is {3, 1}. Options differ. */
struct ptp4l_version {
	unsigned major, minor;
	char text[32]; /* "" if it could not be told */
};

/* "3.1.1-4", "4.2" … as `ptp4l -v` prints it; what cannot be read is {0, 0}. */
struct ptp4l_version ptp4l_version_parse(const char *text);

/* Instance i of ptp4l, on its ports. 0, or -E2BIG. */
int command_ptp4l(struct command *out, const struct config *c, size_t i, const char *program,
		  const struct ptp4l_version *version);

/* The sampler, writing its windows to window_fd. 0, -E2BIG, or -ENODEV: no such CPU is there. */
int command_sampler(struct command *out, const struct config *c, const char *program,
		    int window_fd);

/*
 * phc2sys, steering CLOCK_REALTIME by a PHC that is utc_offset_s ahead of UTC. Source, sink and
 * offset are named, so that it asks no ptp4l and waits for none. 0, or -E2BIG.
 */
int command_phc2sys(struct command *out, const struct config *c, const char *program, int phc_index,
		    int utc_offset_s);

/*
 * phc2sys, steering a grandmaster's PHC by CLOCK_REALTIME, from which it is utc_offset_s ahead.
 * Where CLOCK_REALTIME is stepped by more than a second, it is as well. 0, or -E2BIG.
 */
int command_feeder(struct command *out, const struct config *c, const char *program, int phc_index,
		   int utc_offset_s);

/*
 * phc2sys, steering the PHC of a port by that of another, both of which show the same time. It
 * steps it as it would the system clock, but for being far off, which no slew ends. 0, or -E2BIG.
 */
int command_joiner(struct command *out, const struct config *c, const char *program, int phc_index,
		   int sink_index);

/* The CPUs of a choice on this machine. 0, or -errno of reading /sys. */
int cpu_choice_resolve(const struct cpu_choice *choice, struct cpulist *out);

/* The schedule of a ptp4l. 0, or -errno. */
int schedule_ptp4l(const struct config_ptp4l *p, struct schedule *out);
int schedule_phc2sys(const struct config *c, struct schedule *out);

/* What the sampler's threads give themselves, and how many they are; 0: not known. */
unsigned schedule_sampler(const struct config *c, struct schedule *out);
