/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/ethtool.h: what an interface says of its timestamps, and which PHC makes them.
 *
 * Asked through ethtool netlink, and through the older ioctl where a kernel has none.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ETHTOOL_NO_PHC = -1, ETHTOOL_DEVICE_MAX = 32 };

struct ethtool_timestamping {
	uint32_t so_timestamping; /* SOF_TIMESTAMPING_… */
	uint32_t tx_types;        /* 1 << HWTSTAMP_TX_… */
	uint32_t rx_filters;      /* 1 << HWTSTAMP_FILTER_… */
	int phc_index;            /* of /dev/ptpN, or ETHTOOL_NO_PHC */
};

/*
 * Waits for nobody but the kernel. 0, or -errno: -ENODEV if there is no such interface,
 * -EOPNOTSUPP if it does not tell.
 */
int ethtool_timestamping_get(const char *interface, struct ethtool_timestamping *out);

/*
 * The same from one ETHTOOL_MSG_TSINFO_GET_REPLY (linux/ethtool_netlink.h), from its genlmsghdr on,
 * with compact bit sets. What the message does not have is empty. 0, or -EBADMSG.
 */
int ethtool_timestamping_parse(const void *message, size_t len, struct ethtool_timestamping *out);

/* Whether ptp4l can run on it with hardware timestamps: sent, received, raw, and a PHC. */
bool ethtool_has_hardware(const struct ethtool_timestamping *t);

/* "/dev/ptp0" */
const char *ethtool_phc_device(int phc_index, char out[static ETHTOOL_DEVICE_MAX]);
