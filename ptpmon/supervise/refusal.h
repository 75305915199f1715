/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/supervise/refusal.h: why the kernel refuses a schedule, and what to do about it.
 *
 * The error alone says little: EPERM is a missing capability, a limit, or a control group without
 * real-time time; CPUs are dropped without a word. What is asked here tells them apart.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/base/cpulist.h"

enum { REFUSAL_WHY_MAX = 256, REFUSAL_PATH_MAX = 256 };

struct refusal_facts {
	bool cap_sys_nice;
	int64_t rtprio_limit; /* RLIMIT_RTPRIO; INT64_MAX: none */
	/* RT group scheduling gives our control group no time: the file that says so, or "" */
	char no_budget_file[REFUSAL_PATH_MAX];
	bool unified_cpu; /* in a version 2 group with the cpu controller, which has no such file */
	/* CPUs: those of the machine, running, set apart at boot, and those our cpuset allows */
	struct cpulist present, online, isolated, allowed;
	char cpuset[REFUSAL_PATH_MAX]; /* the group that allows no others, or "" */
};

/* What this process may and where it is; root: "" for this machine, another for a test. */
void refusal_read(struct refusal_facts *out, const char *root);

/* Why a real-time priority was refused with this errno. */
void refusal_explain_priority(const struct refusal_facts *f, int error, int priority,
			      char why[static REFUSAL_WHY_MAX]);

/* Why not all of these CPUs can be had: "" if they could. */
void refusal_explain_cpus(const struct refusal_facts *f, const struct cpulist *cpus,
			  char why[static REFUSAL_WHY_MAX]);
