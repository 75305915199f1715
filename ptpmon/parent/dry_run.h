/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/parent/dry_run.h: the ptp4l that would be launched: found, its version asked for, and
 * whether it takes its options. Nothing is sent to a network: without a port ptp4l reads its
 * options, says that it has none, and ends. Blocks for a bounded time.
 */
#pragma once
#include "ptpmon/parent/commands.h"

enum { DRY_RUN_WHY_MAX = 512 };

/* 0, or -errno and why: there is no such program. An unknown version is none. */
int dry_run_find(const struct config_ptp4l *p, char program[static CONFIG_PATH_MAX],
		 struct ptp4l_version *version, char why[static DRY_RUN_WHY_MAX]);

/* 0, or -EINVAL and in why what this ptp4l says of an option; what cannot be told is 0. */
int dry_run_options(const struct config *c, size_t i, const char *program,
		    const struct ptp4l_version *version, char why[static DRY_RUN_WHY_MAX]);
