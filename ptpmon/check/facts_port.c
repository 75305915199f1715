/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /sys and its neighbours say of the ports. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/procstat.h"
#include "ptpmon/check/impl.h"

#define NET "/sys/class/net/%s"

enum { ARPHRD_ETHERNET = 1, MODULE_MAX = 1024 };

static void add_port(struct check_facts *f, const char *name)
{
	struct check_port *p = &f->ports[f->n_ports];

	if (f->n_ports == CHECK_PORTS_MAX || strlen(name) >= sizeof(p->name))
		return;
	(void)snprintf(p->name, sizeof(p->name), "%s", name);
	f->n_ports++;
}

static bool is_software(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->n_ptp4l; i++)
		for (size_t k = 0; k < c->ptp4l[i].interfaces.n; k++)
			if (strcmp(c->ptp4l[i].interfaces.name[k], name) == 0)
				return c->ptp4l[i].timestamping == TIMESTAMPING_SOFTWARE;
	return false;
}

/* Cables only: what has a device behind it, and is no radio. */
static void add_device(void *userdata, const char *root, const char *name)
{
	char text[8];

	if (number_in(root, 0, NET "/type", name) == ARPHRD_ETHERNET &&
	    link_name(root, text, sizeof(text), NET "/device", name) &&
	    !link_name(root, text, sizeof(text), NET "/phy80211", name))
		add_port(userdata, name);
}

static void add_upper(void *userdata, const char *root, const char *name)
{
	struct check_port *p = userdata;

	(void)root;
	name += strlen("upper_");
	if (strcmp(name, p->bridge) != 0 && strcmp(name, p->bond) != 0)
		list_add(p->vlans, sizeof(p->vlans), "%s", name);
}

static void read_stack(struct check_port *p, const char *root)
{
	char directory[CHECK_NAME_MAX];
	char master[IF_NAMESIZE];

	if (link_name(root, master, sizeof(master), NET "/master", p->name)) {
		bool bridged = number_in(root, CHECK_UNKNOWN, NET "/brport/state", p->name) >= 0;

		(void)snprintf(bridged ? p->bridge : p->bond, IF_NAMESIZE, "%s", master);
	}
	(void)snprintf(directory, sizeof(directory), NET, p->name);
	each_entry(root, directory, "upper_*", add_upper, p);
}

/* An EtherCAT master has the ports whose driver is one of its own, or whose address it was given.
 */
static void read_ethercat(struct check_port *p, const char *root)
{
	char devices[MODULE_MAX];
	char address[32];

	p->ethercat = strncmp(p->driver, "ec_", strlen("ec_")) == 0;
	if (procstat_text(root, address, sizeof(address), NET "/address", p->name) > 0 &&
	    procstat_text(root, devices, sizeof(devices),
			  "/sys/module/ec_master/parameters/main_devices") > 0)
		p->ethercat |= strcasestr(devices, address) != NULL;
}

/* NetworkManager's own file of a device, which outlives it: [device] managed, [dhcp4] with a lease.
 */
static void read_network_manager(struct check_port *p, const char *root)
{
	char text[MODULE_MAX];
	int64_t index = number_in(root, 0, NET "/ifindex", p->name);

	if (procstat_text(root, text, sizeof(text), "/run/NetworkManager/devices/%" PRId64,
			  index) <= 0)
		return;
	p->managed = strstr(text, "managed=true") != NULL;
	p->lease = strstr(text, "dhcp4") != NULL;
}

static void read_port(struct check_port *p, const char *root)
{
	char type[16];

	p->timestamping_error = p->eee_error = p->coalescing_error = p->qdisc_error = ENODATA;
	p->phc_error = p->phc_access = p->probe_error = ENODATA;
	p->timestamping.phc_index = ETHTOOL_NO_PHC;
	p->present = procstat_text(root, type, sizeof(type), NET "/type", p->name) > 0;
	p->carrier = number_in(root, 0, NET "/carrier", p->name) == 1;
	p->speed_mbit = (int)number_in(root, CHECK_UNKNOWN, NET "/speed", p->name);
	p->carrier_losses = number_in(root, CHECK_UNKNOWN, NET "/carrier_down_count", p->name);
	(void)procstat_text(root, p->duplex, sizeof(p->duplex), NET "/duplex", p->name);
	(void)link_name(root, p->driver, sizeof(p->driver), NET "/device/driver", p->name);
	read_stack(p, root);
	read_ethercat(p, root);
	read_network_manager(p, root);
}

void facts_read_ports(struct check_facts *f, const struct check_request *rq)
{
	const struct config *c = rq->config;

	for (size_t i = 0; i < rq->n_ports; i++)
		add_port(f, rq->ports[i]);
	for (size_t i = 0; c && !rq->n_ports && i < c->n_ptp4l; i++)
		for (size_t k = 0; k < c->ptp4l[i].interfaces.n; k++)
			add_port(f, c->ptp4l[i].interfaces.name[k]);
	if (!c && !rq->n_ports)
		each_entry(rq->root, "/sys/class/net", "*", add_device, f);
	for (size_t i = 0; i < f->n_ports; i++) {
		f->ports[i].software = c && is_software(c, f->ports[i].name);
		read_port(&f->ports[i], rq->root);
	}
}
