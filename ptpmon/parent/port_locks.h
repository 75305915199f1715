/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/parent/port_locks.h: one ptpmon on one port, whatever their runtime directories are.
 *
 * A port is taken by a socket with an abstract name, which is, as the interface, one of this
 * network namespace, leaves no file behind and ends with its holder. Only ptp4l that are launched
 * count: who only watches takes nothing.
 */
#pragma once
#include "ptpmon/conf/conf.h"

enum { PORT_LOCKS_WHY_MAX = 512 };

struct port_locks {
	struct port_lock {
		char interface[IF_NAMESIZE];
		int fd;
	} taken[CONFIG_PORTS_MAX];
	size_t n;
};

/*
 * From what is taken to what this configuration launches on. 0, or -EBUSY with the other's process
 * id in why, or another -errno; then all stays as it was. A name that another user has, who is not
 * root, is no evidence and is passed over.
 */
int port_locks_move(struct port_locks *l, const struct config *config,
		    char why[static PORT_LOCKS_WHY_MAX]);

void port_locks_release(struct port_locks *l);

/* /dev/ptpN's N of an interface; negative: it has none, or nobody knows. */
typedef int phc_index_fn(const char *interface);

/*
 * The first port of each PHC that the ports of p have, by its place among them; a port of which
 * nobody knows counts as one with a PHC of its own. Their number.
 */
size_t phc_first_ports(const struct config_ptp4l *p, phc_index_fn *phc_index,
		       size_t out[static CONFIG_INTERFACES_MAX]);

/* Two ports of p are known to have different PHCs. */
bool phc_are_several(const struct config_ptp4l *p, phc_index_fn *phc_index);

enum { PHC_ANY_OTHER = (1 << CONFIG_PTP4L_MAX) - 1 };

/*
 * Does instance i steer a PHC that another one of those in others (bit j: instance j) steers, too?
 * -EBUSY and why, or 0. What cannot be told yet, since an interface is not there, is 0.
 */
int phc_is_shared(const struct config *config, size_t i, unsigned others, phc_index_fn *phc_index,
		  char why[static PORT_LOCKS_WHY_MAX]);
