/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The priorities of the ports' kernel threads, and what the recorder may not open itself. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/collect/kmsg.h"
#include "ptpmon/parent/state.h"
#include "ptpmon/port_names.h"

static void on_told(void *userdata, enum event_code code, const char *subject, const char *text)
{
	struct parent *p = userdata;

	if (code == EVENT_PORT_THREADS_REFUSED && p->priorities_why)
		(void)snprintf(p->priorities_why, RUNTIME_WHY_MAX, "%.*s", RUNTIME_WHY_MAX - 1,
			       text);
	else
		parent_tell_event(p, code, subject, text);
}

static size_t on_ports(void *userdata, struct port_name out[static PORT_THREADS_PORTS_MAX])
{
	const struct parent *p = userdata;

	return port_names_read(p->config, out);
}

int parent_open_realtime(struct parent *p)
{
	char memory[CONFIG_PATH_MAX + 32];

	(void)snprintf(memory, sizeof(memory), "%s/kernel-threads", p->runtime.directory);
	p->priorities_ops = (struct port_priorities_ops){
		.root = "",
		.get = port_priorities_get,
		.set = port_priorities_set,
		.ports = on_ports,
		.tell = on_told,
		.userdata = p,
	};
	p->kmsg_fd = kmsg_open();
	return port_priorities_new(&p->priorities, &p->priorities_ops, memory);
}

void parent_close_realtime(struct parent *p)
{
	if (p->priorities)
		port_priorities_restore(p->priorities);
	p->priorities = port_priorities_free(p->priorities);
	close_fdp(&p->kmsg_fd);
}

int parent_set_priorities(struct parent *p, char *why)
{
	const struct config *c = p->config;
	struct port_priorities_wish wish = {
		.priority =
			{
				[PORT_THREAD_IRQ] = c->realtime.irq_priority,
				[PORT_THREAD_NAPI] = c->realtime.napi_priority,
				[PORT_THREAD_PTP] = c->realtime.ptp_priority,
			},
	};
	int r;

	p->priorities_why = c->realtime.on_refusal == ON_REFUSAL_FAIL ? why : NULL;
	r = port_priorities_want(p->priorities, &wish);
	if (!p->priorities_why)
		return 0;
	p->priorities_why = NULL;
	return r;
}

void parent_look_for_threads(struct parent *p)
{
	port_priorities_look(p->priorities);
}
