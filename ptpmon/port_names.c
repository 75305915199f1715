/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/port_names.h"

#include <net/if.h>
#include <stdio.h>

#include "ptpmon/collect/ethtool.h"
#include "ptpmon/collect/napi.h"

static void read_port(const char *interface, struct port_name *out)
{
	struct ethtool_timestamping t = {.phc_index = ETHTOOL_NO_PHC};
	unsigned index = if_nametoindex(interface);
	int n;

	*out = (struct port_name){.phc_index = -1};
	(void)snprintf(out->interface, sizeof(out->interface), "%s", interface);
	if (!index)
		return;
	if (ethtool_timestamping_get(interface, &t) == 0)
		out->phc_index = t.phc_index;
	n = napi_ids_get(index, out->napi, PORT_NAPI_MAX);
	out->napi_known = n >= 0;
	out->n_napi = n < 0 ? 0 : (size_t)n;
}

size_t port_names_read(const struct config *c, struct port_name out[static PORT_THREADS_PORTS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_ptp4l; i++)
		for (size_t j = 0; j < c->ptp4l[i].interfaces.n && n < PORT_THREADS_PORTS_MAX; j++)
			read_port(c->ptp4l[i].interfaces.name[j], &out[n++]);
	return n;
}
