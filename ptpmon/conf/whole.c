/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only the whole of a configuration can tell, once all of its files are read. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "ptpmon/conf/reading.h"

enum { GPTP_LOG_SYNC_INTERVAL = -3 };

/* What is being looked at, and where its complaints go. */
struct whole {
	const struct config *c;
	const struct reading *rd; /* NULL: its lines are not known any more */
	const char *name;         /* of the configuration */
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

static const struct origin *origin_of(const struct whole *w, size_t i, const char *key)
{
	return w->rd ? &w->rd->instances[i].origins[row_of("ptp4l", key)] : NULL;
}

/* The section and key that say which ports instance i has; *origin is where. */
static const char *ports_of(const struct whole *w, size_t i, const char **section,
			    const struct origin **origin)
{
	const char *child = w->c->ptp4l[i].child;
	bool named = strcmp(child, "ptp4l") != 0;

	*section = named ? child : "ptpmon";
	*origin = named   ? origin_of(w, i, "interfaces")
		  : w->rd ? &w->rd->origins[row_of("ptpmon", "interfaces")]
			  : NULL;
	return "interfaces";
}

static int complain_of_ports(const struct whole *w, size_t i, const char *what)
{
	const struct origin *origin;
	const char *section;
	const char *key = ports_of(w, i, &section, &origin);

	return complain(w, origin, section, key, "%s", what);
}

/* A row's help is written for the manual, which has *words* in bold. */
static const char *plain(const char *help, char out[static CONFIG_ERROR_MAX])
{
	size_t n = 0;

	for (; *help && n + 1 < CONFIG_ERROR_MAX; help++)
		if (*help != '*')
			out[n++] = *help;
	out[n] = '\0';
	return out;
}

static int check_required(const struct whole *w)
{
	char help[CONFIG_ERROR_MAX];

	for (size_t i = 0; i < config_n_rows; i++) {
		const struct config_row *row = &config_rows[i];

		if (row->fallback || row->instance || w->rd->origins[i].line)
			continue;
		if (strcmp(row->key, "interfaces") == 0 &&
		    (w->rd->n_instances > 1 || *w->rd->instances[0].values.config_file))
			continue; /* whether each of those has its own is checked with them */
		return complain(w, NULL, row->section, row->key, "missing: %s",
				plain(row->help, help));
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

/* What a key that was not given means with this profile and role. */
static void apply_profile(struct instance_reading *instance)
{
	struct config_ptp4l *p = &instance->values;
	bool gptp = p->profile == PROFILE_GPTP;

	if (p->transport_specific < 0)
		p->transport_specific = gptp ? 1 : 0;
	if (gptp && !instance->origins[row_of("ptp4l", "log_sync_interval")].line)
		p->log_sync_interval = GPTP_LOG_SYNC_INTERVAL;
	if (p->role == ROLE_MONITOR)
		p->manage = false;
	if (!p->manage && !*p->socket && !*p->config_file)
		(void)strcpy(p->socket, CONFIG_FOREIGN_SOCKET);
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
	if (!first->interfaces.n && !*first->config_file) {
		rd->n_instances--;
		memmove(rd->instances, rd->instances + 1,
			rd->n_instances * sizeof(rd->instances[0]));
	}
	for (size_t i = 0; i < rd->n_instances; i++)
		apply_profile(&rd->instances[i]);
	for (size_t i = 0; i < rd->n_instances && i < CONFIG_PTP4L_MAX; i++)
		c->ptp4l[i] = rd->instances[i].values;
	c->n_ptp4l = rd->n_instances;
}

static int check_ports(const struct whole *w, size_t i)
{
	const struct config_ptp4l *p = &w->c->ptp4l[i];
	char what[64];

	if (!p->interfaces.n && (!*p->config_file || !w->rd))
		return complain_of_ports(w, i, "missing: the ports of this ptp4l");
	if (p->profile == PROFILE_GPTP && p->transport != TRANSPORT_L2)
		return complain(w, origin_of(w, i, "transport"), p->child, "transport",
				"gptp is spoken over L2 only");
	if (p->role == ROLE_BOUNDARY && p->interfaces.n == 1)
		return complain_of_ports(w, i, "a boundary clock has two ports or more");
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
	const struct config *c = w->c;
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
		return complain(w, origin_of(w, b, "socket"), c->ptp4l[b].child, "socket",
				"%s is that of [%s]", other, c->ptp4l[a].child);
	if (config_ptp4l_steers(&c->ptp4l[a]) && config_ptp4l_steers(&c->ptp4l[b]) &&
	    c->ptp4l[a].timestamping == TIMESTAMPING_SOFTWARE &&
	    c->ptp4l[b].timestamping == TIMESTAMPING_SOFTWARE)
		return complain(
			w, origin_of(w, b, "timestamping"), c->ptp4l[b].child, "timestamping",
			"[%s] steers CLOCK_REALTIME already, and only one may", c->ptp4l[a].child);
	return 0;
}

static int check_paths(const struct whole *w)
{
	const struct config *c = w->c;
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

int reading_check_instances(const struct config *c, const struct reading *rd, const char *name,
			    char error[static CONFIG_ERROR_MAX])
{
	const struct whole w = {c, rd, name, error};
	size_t n_ports = 0;
	int r = 0;

	if (c->n_ptp4l > CONFIG_PTP4L_MAX)
		return complain(&w, NULL, "ptp4l", "", "more than %d of them", CONFIG_PTP4L_MAX);
	for (size_t i = 0; r == 0 && i < c->n_ptp4l; i++) {
		r = check_ports(&w, i);
		n_ports += c->ptp4l[i].interfaces.n;
		for (size_t j = 0; r == 0 && j < i; j++)
			r = check_pair(&w, j, i);
	}
	if (r == 0 && n_ports > CONFIG_PORTS_MAX)
		r = complain(&w, NULL, "ptp4l", "", "more than %d ports in all", CONFIG_PORTS_MAX);
	return r < 0 ? r : check_paths(&w);
}

/* What ptp4l's own file says, where there is one. */
static const char *const in_config_file[] = {
	"profile",
	"domain",
	"transport_specific",
	"timestamping",
	"transport",
	"log_sync_interval",
	"tx_timestamp_timeout",
	"step_threshold",
	"priority1",
};

enum { N_IN_CONFIG_FILE = sizeof(in_config_file) / sizeof(in_config_file[0]) };

int reading_check_given(const struct reading *rd, const char *name,
			char error[static CONFIG_ERROR_MAX])
{
	const struct whole w = {&rd->config, rd, name, error};

	for (size_t i = 0; i < rd->config.n_ptp4l; i++) {
		const struct config_ptp4l *p = &rd->config.ptp4l[i];

		for (size_t k = 0; *p->config_file && k < N_IN_CONFIG_FILE; k++)
			if (origin_of(&w, i, in_config_file[k])->line)
				return complain(&w, origin_of(&w, i, in_config_file[k]), p->child,
						in_config_file[k],
						"does not count beside config_file: say it in %s",
						p->config_file);
	}
	return 0;
}

static int check_limits(const struct whole *w)
{
	const struct config_limits *l = &w->c->limits;
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
	const struct whole w = {&rd->config, rd, name, error};
	int r = check_required(&w);

	if (r < 0)
		return r;
	resolve(rd);
	r = reading_check_instances(&rd->config, rd, name, error);
	return r < 0 ? r : check_limits(&w);
}
