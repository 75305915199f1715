/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only system calls tell of a port: ethtool, its queueing disciplines, its PHC. */
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netlink/route/qdisc.h>
#include <netlink/route/tc.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/check/impl.h"

#define PROBE_NS (200 * NSEC_PER_MSEC) /* drivers that sleep for a stamp take some milliseconds */

enum { PHC_READINGS = 9 };

/* 0, or the errno. */
static int ask_ethtool(const char *interface, void *command)
{
	CLEANUP(close_fdp) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {.ifr_data = command};

	(void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	return fd < 0 || ioctl(fd, SIOCETHTOOL, &request) < 0 ? errno : 0;
}

static void ask_eee(struct check_port *p)
{
	struct ethtool_eee eee = {.cmd = ETHTOOL_GEEE};

	p->eee_error = ask_ethtool(p->name, &eee);
	p->eee_enabled = eee.eee_enabled;
	p->eee_active = eee.eee_active;
}

static void ask_coalescing(struct check_port *p)
{
	struct ethtool_coalesce coalesce = {.cmd = ETHTOOL_GCOALESCE};

	p->coalescing_error = ask_ethtool(p->name, &coalesce);
	p->rx_usecs = coalesce.rx_coalesce_usecs;
	p->tx_usecs = coalesce.tx_coalesce_usecs;
	p->adaptive = coalesce.use_adaptive_rx_coalesce || coalesce.use_adaptive_tx_coalesce;
}

static int list_qdiscs(struct nl_sock *socket, struct check_port *p)
{
	struct nl_cache *cache = NULL;
	int index = (int)if_nametoindex(p->name);

	if (index <= 0)
		return ENODEV;
	if (nl_connect(socket, NETLINK_ROUTE) < 0 || rtnl_qdisc_alloc_cache(socket, &cache) < 0)
		return EOPNOTSUPP;
	for (struct nl_object *o = nl_cache_get_first(cache); o; o = nl_cache_get_next(o)) {
		const char *kind = rtnl_tc_get_kind((struct rtnl_tc *)o);

		if (rtnl_tc_get_ifindex((struct rtnl_tc *)o) == index && kind &&
		    !strstr(p->qdiscs, kind))
			list_add(p->qdiscs, sizeof(p->qdiscs), "%s", kind);
	}
	nl_cache_free(cache);
	return 0;
}

static void ask_qdiscs(struct check_port *p)
{
	struct nl_sock *socket = nl_socket_alloc();

	p->qdisc_error = socket ? list_qdiscs(socket, p) : ENOMEM;
	nl_socket_free(socket);
}

/* A reading takes one ioctl, as everybody's who measures; opening it for writing changes nothing.
 */
static void ask_phc(struct check_port *p)
{
	CLEANUP(close_fdp) int fd = -1;
	enum phc_method method = PHC_METHOD_PRECISE;
	char path[ETHTOOL_DEVICE_MAX];

	if (p->timestamping_error || p->timestamping.phc_index < 0)
		return;
	(void)ethtool_phc_device(p->timestamping.phc_index, path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	p->phc_access = fd < 0 ? errno : 0;
	close_fdp(&fd);
	fd = phc_device_open(path);
	p->phc_error = fd < 0 ? -fd : -phc_device_read(fd, PHC_READINGS, &method, &p->phc);
}

void facts_ask_port(struct check_port *p)
{
	p->timestamping_error = -ethtool_timestamping_get(p->name, &p->timestamping);
	ask_eee(p);
	ask_coalescing(p);
	ask_qdiscs(p);
	ask_phc(p);
}

/* Never beside a ptp4l, nor beside a service that may start one at any moment. */
void facts_probe_port(struct check_facts *f, struct check_port *p)
{
	if (f->software.n_ptp4l || f->software.rights.service)
		p->probe_error = EBUSY;
	else
		p->probe_error = -probe_port(p->name, PROBE_NS, &p->probe);
}
