/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/port_names.h: ports as their kernel threads know them: by interface, PTP clock and the
 * numbers of their NAPI.
 */
#pragma once
#include "ptpmon/conf/conf.h"
#include "ptpmon/supervise/port_threads.h"

/* Of every ptp4l, as they are now. How many. */
size_t port_names_read(const struct config *c, struct port_name out[static PORT_THREADS_PORTS_MAX]);
