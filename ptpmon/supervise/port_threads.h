/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/supervise/port_threads.h: the kernel threads that serve a port.
 *
 * - `irq/N-NAME`, one for each of its interrupts where the kernel threads them (PREEMPT_RT, or
 *   threadirqs): N is one of the device's MSI interrupts (/sys/class/net/IF/device/msi_irqs), or
 *   its action in /proc/interrupts is named after the interface or its device;
 * - `napi/IF-N`, one for each queue where NAPI is threaded (/sys/class/net/IF/threaded): N is one
 * of the interface's, if those are known, else IF is its name;
 * - `ptpN`, the worker of its PTP clock where the driver has one.
 *
 * Only what the kernel marks as a thread of its own counts, whatever a program calls itself.
 * kworker and ksoftirqd threads serve everybody and are never among them.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ptpmon/base/procstat.h"

enum {
	PORT_THREADS_MAX = 128,
	PORT_THREADS_PORTS_MAX = 16,
	PORT_NAPI_MAX = 64,             /* of one port */
	PORT_MAP_INTERRUPTS_MAX = 4096, /* numbers beyond are not looked at */
	PORT_MAP_CLOCKS_MAX = 64,
};

enum port_thread_kind { PORT_THREAD_IRQ, PORT_THREAD_NAPI, PORT_THREAD_PTP, PORT_THREAD_KIND_MAX };

struct port_thread {
	enum port_thread_kind kind;
	pid_t tid;
	uint64_t started_ticks;
	char name[PROCSTAT_NAME_MAX];
	int policy, priority; /* as found */
};

struct port_name {
	char interface[16];
	int phc_index;   /* of its PTP clock; -1: what /sys/class/net/IF/device/ptp says */
	bool napi_known; /* else the interface's name in that of a thread has to do */
	size_t n_napi;
	uint32_t napi[PORT_NAPI_MAX]; /* the numbers of its NAPI instances */
};

/* What belongs to some ports: read once, then asked of many threads. */
struct port_map {
	const char *root;
	bool interrupts[PORT_MAP_INTERRUPTS_MAX];
	bool clocks[PORT_MAP_CLOCKS_MAX];
	size_t n_names, n_devices;
	struct port_name names[PORT_THREADS_PORTS_MAX]; /* those below them too */
	char devices[PORT_THREADS_PORTS_MAX][64];       /* "0000:01:00.0", "30bf0000.ethernet" */
};

/* root must outlive it. */
void port_map_read(struct port_map *out, const char *root, const struct port_name *ports,
		   size_t n_ports);

/* What a kernel thread of that name is to them; PORT_THREAD_KIND_MAX: nothing. */
enum port_thread_kind port_map_kind(const struct port_map *m, const char *name);

/*
 * Finds them below root ("" is this machine), in the order of their numbers. How many, at most
 * max; or -errno: /proc cannot be read. An interface that does not exist has none.
 */
ssize_t port_threads_find(const char *root, const struct port_name *ports, size_t n_ports,
			  struct port_thread *out, size_t max);

/* "irq", "napi", "ptp" */
const char *port_thread_kind_name(enum port_thread_kind kind);

/* Why a port has no thread of that kind, and what would give it one. */
const char *port_thread_kind_absence(enum port_thread_kind kind);
