/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/cmd/load.h: runs a load command so that it can harm what is measured only as a load.
 *
 * The command has ordinary priority, is the first that the OOM killer takes, and ends when we
 * end; started by root it has no capabilities and cannot get any. It is a process group of its
 * own, which signals reach as a whole; a terminal as standard input is replaced by /dev/null.
 */
#pragma once
#include <stdbool.h>

struct load_result {
	int status;       /* the command's exit status; 128 + the signal that killed it */
	bool interrupted; /* we were told to end, and passed it on */
};

/*
 * Blocks the signals that load_run() waits for (SIGINT, SIGTERM, SIGHUP, SIGCHLD), so that one
 * which comes before it is not lost.
 */
void load_block_signals(void);

/*
 * Looks program up as load_run() will. 0, or -errno of why it cannot be executed; what only exec
 * can tell (a missing interpreter) is left to load_run().
 */
int load_check(const char *program);

/*
 * Runs argv (looked up in PATH) to its end. SIGINT, SIGTERM and SIGHUP are passed on; a command
 * that does not end within ten seconds after the first is killed. What it leaves behind in its
 * group gets SIGTERM.
 *
 * 0, or -errno if it could not be started.
 */
int load_run(char *const *argv, struct load_result *out);
