/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only the whole of a configuration can tell, once all of its files are read. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "ptpmon/conf/reading.h"

/* What is being looked at, and where its complaints go. */
struct whole {
	struct reading *rd;
	const char *name; /* of the configuration */
	char *error;
};

static size_t row_of(const char *section, const char *key)
{
	size_t i = 0;

	while (strcmp(config_rows[i].section, section) != 0 || strcmp(config_rows[i].key, key) != 0)
		i++;
	return i;
}

/* The line where the value came from, if there is one; section, key, and what is wrong. */
__attribute__((format(printf, 5, 6))) static int complain(const struct whole *w,
							  const struct origin *origin,
							  const char *section, const char *key,
							  const char *fmt, ...)
{
	char what[CONFIG_ERROR_MAX / 2];
	char line[16] = "";
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (origin && origin->line)
		(void)snprintf(line, sizeof(line), ":%u", origin->line);
	(void)snprintf(w->error, CONFIG_ERROR_MAX, "%.200s%s: [%s]%s%s: %s",
		       *line ? origin->file : w->name, line, section, *key ? " " : "", key, what);
	return -EINVAL;
}

/* The section and key that say which ports instance i has; *origin is where. */
static const char *ports_of(const struct whole *w, size_t i, const char **section,
			    const struct origin **origin)
{
	const struct instance_reading *instance = &w->rd->instances[i];
	bool named = strcmp(instance->values.child, "ptp4l") != 0;

	*section = named ? instance->values.child : "ptpmon";
	*origin = named ? &instance->origins[row_of("ptp4l", "interfaces")]
			: &w->rd->origins[row_of("ptpmon", "interfaces")];
	return "interfaces";
}

static int complain_of_ports(const struct whole *w, size_t i, const char *what)
{
	const struct origin *origin;
	const char *section;
	const char *key = ports_of(w, i, &section, &origin);

	return complain(w, origin, section, key, "%s", what);
}

static int check_required(const struct whole *w)
{
	for (size_t i = 0; i < config_n_rows; i++) {
		const struct config_row *row = &config_rows[i];

		if (row->fallback || row->instance || w->rd->origins[i].line)
			continue;
		if (strcmp(row->key, "interfaces") == 0 && w->rd->n_instances > 1)
			continue; /* whether each of those has its own is checked with them */
		return complain(w, NULL, row->section, row->key, "missing: %s", row->help);
	}
	return 0;
}

/* What a [ptp4l NAME] does not say it has from [ptp4l], and its role from [ptpmon]. */
static void inherit(struct reading *rd, struct instance_reading *instance)
{
	for (size_t i = 0; i < config_n_rows; i++) {
		const struct config_row *row = &config_rows[i];

		if (!row->instance || row->own || instance->origins[i].line)
			continue;
		memcpy(reading_member(rd, i, instance), reading_member(rd, i, &rd->instances[0]),
		       row->size);
		instance->origins[i] = rd->instances[0].origins[i];
	}
	if (!instance->origins[row_of("ptp4l", "role")].line)
		instance->values.role = rd->config.ptpmon.role;
}

static void resolve(struct reading *rd)
{
	struct config *c = &rd->config;
	struct config_ptp4l *first = &rd->instances[0].values;

	for (size_t i = 1; i < rd->n_instances; i++)
		inherit(rd, &rd->instances[i]);
	first->role = c->ptpmon.role;
	first->interfaces = c->ptpmon.interfaces;
	(void)strcpy(first->name, first->interfaces.name[0]);
	if (!first->interfaces.n) {
		rd->n_instances--;
		memmove(rd->instances, rd->instances + 1,
			rd->n_instances * sizeof(rd->instances[0]));
	}
	for (size_t i = 0; i < rd->n_instances && i < CONFIG_PTP4L_MAX; i++)
		c->ptp4l[i] = rd->instances[i].values;
	c->n_ptp4l = rd->n_instances;
}

static int check_ports(const struct whole *w, size_t i)
{
	const struct config_ptp4l *p = &w->rd->config.ptp4l[i];
	char what[64];

	if (!p->interfaces.n)
		return complain_of_ports(w, i, "missing: the ports of this ptp4l");
	if (p->role == ROLE_SLAVE && p->interfaces.n > 1) {
		(void)snprintf(what, sizeof(what), "a slave has one port, these are %zu",
			       p->interfaces.n);
		return complain_of_ports(w, i, what);
	}
	return 0;
}

static const char *shared_port(const struct interface_list *a, const struct interface_list *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			if (strcmp(a->name[i], b->name[j]) == 0)
				return a->name[i];
	return NULL;
}

/* Two of them never have one port, one socket, one directory or one clock to steer. */
static int check_pair(const struct whole *w, size_t a, size_t b)
{
	const struct config *c = &w->rd->config;
	const char *port = shared_port(&c->ptp4l[a].interfaces, &c->ptp4l[b].interfaces);
	char one[CONFIG_PATH_MAX];
	char other[CONFIG_PATH_MAX];
	char what[96];

	if (port) {
		(void)snprintf(what, sizeof(what), "%s is a port of [%s]: two ptp4l on one port",
			       port, c->ptp4l[a].child);
		return complain_of_ports(w, b, what);
	}
	if (strcmp(c->ptp4l[a].name, c->ptp4l[b].name) == 0)
		return complain(
			w, NULL, c->ptp4l[b].child, "",
			"the first port of [%s] has that name: they would share a directory",
			c->ptp4l[a].child);
	if (strcmp(config_ptp4l_socket(c, a, one), config_ptp4l_socket(c, b, other)) == 0)
		return complain(w, &w->rd->instances[b].origins[row_of("ptp4l", "socket")],
				c->ptp4l[b].child, "socket", "%s is that of [%s]", other,
				c->ptp4l[a].child);
	if (config_ptp4l_steers(&c->ptp4l[a]) && config_ptp4l_steers(&c->ptp4l[b]) &&
	    c->ptp4l[a].timestamping == TIMESTAMPING_SOFTWARE &&
	    c->ptp4l[b].timestamping == TIMESTAMPING_SOFTWARE)
		return complain(w, &w->rd->instances[b].origins[row_of("ptp4l", "timestamping")],
				c->ptp4l[b].child, "timestamping",
				"[%s] steers CLOCK_REALTIME already, and only one may",
				c->ptp4l[a].child);
	return 0;
}

static int check_paths(const struct whole *w)
{
	const struct config *c = &w->rd->config;
	char path[CONFIG_PATH_MAX];
	bool fits = strlen(config_control_path(c, path)) < CONFIG_SOCKET_MAX;

	for (size_t i = 0; i < c->n_ptp4l; i++)
		fits = fits && strlen(config_ptp4l_socket(c, i, path)) < CONFIG_SOCKET_MAX - 1 &&
		       strlen(config_recorder_socket(c, i, path)) < CONFIG_SOCKET_MAX;
	if (fits)
		return 0;
	return complain(w, NULL, "ptpmon", "runtime_directory",
			"too long for the path of a socket, which has %d characters at most",
			CONFIG_SOCKET_MAX - 2);
}

static int check_instances(const struct whole *w)
{
	const struct config *c = &w->rd->config;
	size_t n_ports = 0;
	int r = 0;

	if (w->rd->n_instances > CONFIG_PTP4L_MAX)
		return complain(w, NULL, "ptp4l", "", "more than %d of them", CONFIG_PTP4L_MAX);
	for (size_t i = 0; r == 0 && i < c->n_ptp4l; i++) {
		r = check_ports(w, i);
		n_ports += c->ptp4l[i].interfaces.n;
		for (size_t j = 0; r == 0 && j < i; j++)
			r = check_pair(w, j, i);
	}
	if (r == 0 && n_ports > CONFIG_PORTS_MAX)
		r = complain(w, NULL, "ptp4l", "", "more than %d ports in all", CONFIG_PORTS_MAX);
	return r;
}

static int check_limits(const struct whole *w)
{
	const struct config_limits *l = &w->rd->config.limits;
	const struct {
		const char *limit, *clear;
		int64_t limit_ns, clear_ns;
	} pairs[] = {
		{"offset", "offset_clear", l->offset_ns, l->offset_clear_ns},
		{"phc", "phc_clear", l->phc_ns, l->phc_clear_ns},
		{"latency", "latency_clear", l->latency_ns, l->latency_clear_ns},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i].clear_ns > pairs[i].limit_ns)
			return complain(w, &w->rd->origins[row_of("limits", pairs[i].clear)],
					"limits", pairs[i].clear,
					"above %s: what clears an alarm must not raise it",
					pairs[i].limit);
	return 0;
}

int reading_finish(struct reading *rd, const char *name, char error[static CONFIG_ERROR_MAX])
{
	const struct whole w = {rd, name, error};
	int r = check_required(&w);

	if (r < 0)
		return r;
	resolve(rd);
	r = check_instances(&w);
	if (r == 0)
		r = check_limits(&w);
	return r < 0 ? r : check_paths(&w);
}
