/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/napi.h: which NAPI instances an interface of this network namespace has.
 *
 * Their numbers are the kernel's own and stand in the names of its threads, napi/IF-N, where the
 * interface's name alone may be that of a port in another namespace. Asked through the generic
 * netlink family "netdev", from Linux 6.8 on.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* How many were written to ids, or -errno: -EOPNOTSUPP if the kernel does not tell. */
int napi_ids_get(unsigned ifindex, uint32_t *ids, size_t max);

/*
 * The number in one NETDEV_CMD_NAPI_GET reply (linux/netdev.h), from its genlmsghdr on. 0, or
 * -EBADMSG.
 */
int napi_id_parse(const void *message, size_t len, uint32_t *id);
