/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/parent/parent.h: the small process that everything else hangs from.
 *
 * It launches, schedules, watches and restarts the recorder, ptp4l and the latency sampler, and
 * stops them in order. It opens no file but the configuration, parses nothing foreign and waits
 * for no disk, so that only its own life matters to PTP.
 */
#pragma once
#include "ptpmon/conf/conf.h"

/*
 * Runs the service until SIGTERM or SIGINT; SIGHUP reads path (NULL: the default configuration)
 * again, unless the terminal that it was started from has gone: that ends it. All signals that it
 * handles must be blocked.
 * Returns an exit status: 0, 1 if a child was given up, 2 if it cannot run (one line on stderr
 * says why).
 */
int parent_run(const struct config *config, const char *path);
