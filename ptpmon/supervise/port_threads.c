/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/supervise/port_threads.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"

enum {
	LINE_MAX_OCTETS = 8192, /* a column for each of many CPUs */
	LOWER_DEPTH = 3,        /* a VLAN on a bond on a port */
};

const char *port_thread_kind_name(enum port_thread_kind kind)
{
	static const char *const names[] = {
		[PORT_THREAD_IRQ] = "irq", [PORT_THREAD_NAPI] = "napi", [PORT_THREAD_PTP] = "ptp"};

	return names[kind];
}

const char *port_thread_kind_absence(enum port_thread_kind kind)
{
	static const char *const reasons[] = {
		[PORT_THREAD_IRQ] = "its interrupts have no threads: use a PREEMPT_RT kernel, or "
				    "boot with threadirqs",
		[PORT_THREAD_NAPI] = "its NAPI is not threaded: write 1 to "
				     "/sys/class/net/INTERFACE/threaded",
		[PORT_THREAD_PTP] = "the driver of its PTP clock has no worker of its own",
	};

	return reasons[kind];
}

__attribute__((format(printf, 2, 3))) static DIR *open_directory(const char *root, const char *fmt,
								 ...)
{
	char path[PATH_MAX];
	size_t len = (size_t)snprintf(path, sizeof(path), "%s", root);
	va_list ap;
	int n;

	if (len >= sizeof(path))
		return NULL;
	va_start(ap, fmt);
	n = vsnprintf(path + len, sizeof(path) - len, fmt, ap);
	va_end(ap);
	return n >= 0 && (size_t)n < sizeof(path) - len ? opendir(path) : NULL;
}

/* A number that is the whole of text, below max; else max. */
static size_t number(const char *text, size_t max)
{
	char *end;
	unsigned long n;

	if (!isdigit((unsigned char)*text))
		return max;
	n = strtoul(text, &end, 10);
	return *end || n >= max ? max : n;
}

/* -- what belongs to a port -------------------------------------------------------------- */

static void add_msi_interrupts(struct port_map *m, const char *interface)
{
	CLEANUP(closedirp)
	DIR *d = open_directory(m->root, "/sys/class/net/%s/device/msi_irqs", interface);

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		size_t n = number(e->d_name, PORT_MAP_INTERRUPTS_MAX);

		if (n < PORT_MAP_INTERRUPTS_MAX)
			m->interrupts[n] = true;
	}
}

static void add_device_name(struct port_map *m, const char *interface)
{
	char path[PATH_MAX];
	char target[PATH_MAX];
	const char *base;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "%s/sys/class/net/%s/device", m->root, interface);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0 || m->n_devices == PORT_THREADS_PORTS_MAX)
		return;
	target[n] = '\0';
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (*base)
		(void)snprintf(m->devices[m->n_devices++], sizeof(m->devices[0]), "%.*s",
			       (int)sizeof(m->devices[0]) - 1, base);
}

static void add_clock(struct port_map *m, const struct port_name *port)
{
	CLEANUP(closedirp) DIR *d = NULL;

	if (port->phc_index >= 0) {
		if (port->phc_index < PORT_MAP_CLOCKS_MAX)
			m->clocks[port->phc_index] = true;
		return;
	}
	d = open_directory(m->root, "/sys/class/net/%s/device/ptp", port->interface);
	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		size_t n = strncmp(e->d_name, "ptp", 3) == 0
				   ? number(e->d_name + 3, PORT_MAP_CLOCKS_MAX)
				   : PORT_MAP_CLOCKS_MAX;

		if (n < PORT_MAP_CLOCKS_MAX)
			m->clocks[n] = true;
	}
}

/* The interface, and what it stands on: a VLAN's or a bridge's packets come in below it. */
static void add_port(struct port_map *m, const struct port_name *port, int depth)
{
	CLEANUP(closedirp) DIR *d = open_directory(m->root, "/sys/class/net/%s", port->interface);

	if (!d || m->n_names == PORT_THREADS_PORTS_MAX)
		return;
	m->names[m->n_names++] = *port;
	add_msi_interrupts(m, port->interface);
	add_device_name(m, port->interface);
	add_clock(m, port);
	for (struct dirent *e = readdir(d); e && depth < LOWER_DEPTH; e = readdir(d)) {
		struct port_name lower = {.phc_index = -1};

		if (strncmp(e->d_name, "lower_", 6) != 0 ||
		    strlen(e->d_name + 6) >= sizeof(lower.interface))
			continue;
		(void)strcpy(lower.interface, e->d_name + 6);
		add_port(m, &lower, depth + 1);
	}
}

/* "eth0", "eth0-rx-1", "eth0:tx", but not "eth01". */
static bool is_named_after(const char *action, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len >= n && strncmp(action, name, n) == 0 &&
	       (len == n || !isalnum((unsigned char)action[n]));
}

static bool is_of_port(const struct port_map *m, const char *action, size_t len)
{
	for (size_t i = 0; i < m->n_names; i++)
		if (is_named_after(action, len, m->names[i].interface))
			return true;
	for (size_t i = 0; i < m->n_devices; i++)
		if (is_named_after(action, len, m->devices[i]))
			return true;
	return false;
}

/* " 41:  12  0  GICv3 130 Level  30bf0000.ethernet, x": who shares the line stands at its end. */
static void add_line(struct port_map *m, char *line)
{
	char *rest = strchr(line, ':');
	size_t n;

	if (!rest)
		return;
	*rest++ = '\0';
	n = number(line + strspn(line, " "), PORT_MAP_INTERRUPTS_MAX);
	if (n == PORT_MAP_INTERRUPTS_MAX)
		return;
	for (char *word = strtok(rest, " ,\t\n"); word; word = strtok(NULL, " ,\t\n"))
		if (is_of_port(m, word, strlen(word)))
			m->interrupts[n] = true;
}

static void add_named_interrupts(struct port_map *m)
{
	CLEANUP(fclosep) FILE *f = NULL;
	char path[PATH_MAX];
	char line[LINE_MAX_OCTETS];

	(void)snprintf(path, sizeof(path), "%s/proc/interrupts", m->root);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		add_line(m, line);
}

void port_map_read(struct port_map *out, const char *root, const struct port_name *ports,
		   size_t n_ports)
{
	*out = (struct port_map){.root = root};
	for (size_t i = 0; i < n_ports; i++)
		add_port(out, &ports[i], 0);
	add_named_interrupts(out);
}

/* -- whose thread it is ------------------------------------------------------------------ */

/* "irq/41-eth0-rxtx-0": the number after the slash, a dash behind it. */
static bool is_its_interrupt(const struct port_map *m, const char *name)
{
	char *end;
	unsigned long n;

	if (strncmp(name, "irq/", 4) != 0 || !isdigit((unsigned char)name[4]))
		return false;
	n = strtoul(name + 4, &end, 10);
	return *end == '-' && n < PORT_MAP_INTERRUPTS_MAX && m->interrupts[n];
}

static bool has_napi(const struct port_name *port, const char *name, size_t len, unsigned long id)
{
	for (size_t i = 0; i < port->n_napi; i++)
		if (port->napi[i] == id)
			return true;
	return !port->napi_known && strlen(port->interface) == len &&
	       strncmp(port->interface, name, len) == 0;
}

/* "napi/eth0-8193": the interface may have dashes of its own. */
static bool is_its_napi(const struct port_map *m, const char *name)
{
	const char *dash = strrchr(name, '-');

	if (strncmp(name, "napi/", 5) != 0 || !dash || !isdigit((unsigned char)dash[1]))
		return false;
	for (size_t i = 0; i < m->n_names; i++)
		if (has_napi(&m->names[i], name + 5, (size_t)(dash - name - 5),
			     strtoul(dash + 1, NULL, 10)))
			return true;
	return false;
}

static bool is_its_clock(const struct port_map *m, const char *name)
{
	size_t n = strncmp(name, "ptp", 3) == 0 ? number(name + 3, PORT_MAP_CLOCKS_MAX)
						: PORT_MAP_CLOCKS_MAX;

	return n < PORT_MAP_CLOCKS_MAX && m->clocks[n];
}

enum port_thread_kind port_map_kind(const struct port_map *m, const char *name)
{
	if (is_its_interrupt(m, name))
		return PORT_THREAD_IRQ;
	if (is_its_napi(m, name))
		return PORT_THREAD_NAPI;
	return is_its_clock(m, name) ? PORT_THREAD_PTP : PORT_THREAD_KIND_MAX;
}

static int by_tid(const void *a, const void *b)
{
	const struct port_thread *x = a;
	const struct port_thread *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

ssize_t port_threads_find(const char *root, const struct port_name *ports, size_t n_ports,
			  struct port_thread *out, size_t max)
{
	struct port_map m;
	CLEANUP(closedirp) DIR *d = open_directory(root, "/proc");
	size_t n = 0;

	if (!d)
		return -errno;
	port_map_read(&m, root, ports, n_ports);
	for (struct dirent *e = readdir(d); e && n < max; e = readdir(d)) {
		pid_t pid = (pid_t)number(e->d_name, INT_MAX);
		enum port_thread_kind kind;
		struct procstat s;

		if (pid == INT_MAX || procstat_read(root, pid, 0, &s) < 0 || !s.kernel)
			continue;
		kind = port_map_kind(&m, s.name);
		if (kind == PORT_THREAD_KIND_MAX)
			continue;
		out[n] = (struct port_thread){
			.kind = kind,
			.tid = pid,
			.started_ticks = s.started_ticks,
			.policy = s.policy,
			.priority = s.rt_priority,
		};
		(void)strcpy(out[n++].name, s.name);
	}
	qsort(out, n, sizeof(*out), by_tid);
	return (ssize_t)n;
}
