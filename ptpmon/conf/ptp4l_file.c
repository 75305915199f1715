/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/conf/ptp4l_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/conf/file.h"
#include "ptpmon/conf/reading.h"

struct parsing {
	struct ptp4l_file *out;
	const char *name;
	unsigned line;
	char *error;
};

__attribute__((format(printf, 2, 3))) static int wrong(const struct parsing *p, const char *fmt,
						       ...)
{
	char what[128];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	(void)snprintf(p->error, CONFIG_ERROR_MAX, "%.200s:%u: %s", p->name, p->line, what);
	return -EINVAL;
}

typedef int take_fn(const struct parsing *p, const char *key, const char *value);

static int take_path(const struct parsing *p, const char *key, const char *value, char *out)
{
	if (*value != '/' || strlen(value) >= CONFIG_SOCKET_MAX)
		return wrong(p, "%s: not an absolute path of a socket", key);
	(void)strcpy(out, value);
	return 0;
}

static int take_uds(const struct parsing *p, const char *key, const char *value)
{
	return take_path(p, key, value, p->out->uds_address);
}

static int take_uds_ro(const struct parsing *p, const char *key, const char *value)
{
	return take_path(p, key, value, p->out->uds_ro_address);
}

static int take_number(const struct parsing *p, const char *key, const char *value, long max,
		       long *out)
{
	char *end;

	*out = strtol(value, &end, 0);
	if (end == value || *end || *out < 0 || *out > max)
		return wrong(p, "%s: not a number from 0 to %ld", key, max);
	return 0;
}

static int take_domain(const struct parsing *p, const char *key, const char *value)
{
	long n;
	int r = take_number(p, key, value, 127, &n);

	if (r == 0)
		p->out->domain = n;
	return r;
}

static int take_transport_specific(const struct parsing *p, const char *key, const char *value)
{
	long n;
	int r = take_number(p, key, value, 15, &n);

	if (r == 0)
		p->out->transport_specific = n;
	return r;
}

static int take_slave_only(const struct parsing *p, const char *key, const char *value)
{
	long n;
	int r = take_number(p, key, value, 1, &n);

	if (r == 0)
		p->out->slave_only = n;
	return r;
}

static int take_timestamping(const struct parsing *p, const char *key, const char *value)
{
	enum timestamping t = 0;

	while (t < TIMESTAMPING_MAX && strcasecmp(value, timestamping_name(t)) != 0)
		t++;
	if (t == TIMESTAMPING_MAX)
		return wrong(p, "%s: none that ptpmon knows", key);
	p->out->timestamping = t;
	return 0;
}

static const struct {
	const char *key;
	take_fn *take;
} keys[] = {
	{"uds_address", take_uds},
	{"uds_ro_address", take_uds_ro},
	{"domainNumber", take_domain},
	{"transportSpecific", take_transport_specific},
	{"slaveOnly", take_slave_only},
	{"clientOnly", take_slave_only}, /* its name from linuxptp 4.0 on */
	{"time_stamping", take_timestamping},
};

/* Sections that are no interface. */
static bool is_interface(const char *section)
{
	static const char *const others[] = {"global", "unicast_master_table"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcasecmp(section, others[i]) == 0)
			return false;
	return true;
}

static int take_section(const struct parsing *p, char *line)
{
	struct interface_list *list = &p->out->interfaces;
	char *end = strchr(line, ']');

	if (!end)
		return wrong(p, "a section header ends in ']'");
	*end = '\0';
	line++;
	if (!is_interface(line))
		return 0;
	if (strlen(line) >= IF_NAMESIZE || !*line || strchr(line, '/'))
		return wrong(p, "[%.40s]: cannot be the name of an interface", line);
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->name[i], line) == 0)
			return 0;
	if (list->n == CONFIG_INTERFACES_MAX)
		return wrong(p, "more than %d interfaces", CONFIG_INTERFACES_MAX);
	(void)strcpy(list->name[list->n++], line);
	return 0;
}

static int take_line(const struct parsing *p, char *line)
{
	static const char blanks[] = " \t\r\n\v\f";
	char *rest;
	char *key;
	char *value;

	line += strspn(line, blanks);
	if (!*line || *line == '#')
		return 0;
	if (*line == '[')
		return take_section(p, line);
	key = strtok_r(line, blanks, &rest);
	value = strtok_r(NULL, blanks, &rest);
	for (size_t i = 0; value && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcasecmp(key, keys[i].key) == 0)
			return keys[i].take(p, key, value);
	return 0;
}

/* FNV-1a: two versions of one file, not an enemy's. */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	while (*text)
		hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
	return hash;
}

int ptp4l_file_parse(struct ptp4l_file *out, const char *text, const char *name,
		     char error[static CONFIG_ERROR_MAX])
{
	CLEANUP(freep) char *copy = strdup(text);
	struct ptp4l_file file = {.timestamping = TIMESTAMPING_HARDWARE, .hash = hash_of(text)};
	struct parsing p = {.out = &file, .name = name, .error = error};
	char *rest = copy;
	int r = 0;

	if (!copy) {
		(void)snprintf(error, CONFIG_ERROR_MAX, "out of memory");
		return -ENOMEM;
	}
	for (char *line = strsep(&rest, "\n"); r == 0 && line; line = strsep(&rest, "\n")) {
		p.line++;
		r = take_line(&p, line);
	}
	if (r == 0)
		*out = file;
	return r;
}

int ptp4l_file_read(struct ptp4l_file *out, const char *path, char error[static CONFIG_ERROR_MAX])
{
	CLEANUP(freep) char *text = NULL;
	size_t len;
	int r = file_read_text(path, &text, &len);

	if (r == 0 && strlen(text) == len)
		return ptp4l_file_parse(out, text, path, error);
	if (r == 0) {
		(void)snprintf(error, CONFIG_ERROR_MAX,
			       "%s: has a NUL in it, so no text: config_file names it", path);
		return -EINVAL;
	}
	(void)snprintf(error, CONFIG_ERROR_MAX, "%s: %s: config_file names it", path,
		       file_read_why(r));
	return r;
}

/* Whose names come first on the command line are the first ports. */
static int add_ports(struct config_ptp4l *p, const struct ptp4l_file *file, char *error)
{
	struct interface_list *list = &p->interfaces;

	for (size_t i = 0; i < file->interfaces.n; i++) {
		size_t at = 0;

		while (at < list->n && strcmp(list->name[at], file->interfaces.name[i]) != 0)
			at++;
		if (at == CONFIG_INTERFACES_MAX) {
			(void)snprintf(error, CONFIG_ERROR_MAX, "%s: more than %d interfaces",
				       p->config_file, CONFIG_INTERFACES_MAX);
			return -EINVAL;
		}
		if (at == list->n)
			(void)strcpy(list->name[list->n++], file->interfaces.name[i]);
	}
	return 0;
}

static int take_file(struct config_ptp4l *p, char *error)
{
	struct ptp4l_file file;
	int r = ptp4l_file_read(&file, p->config_file, error);

	if (r < 0)
		return r;
	if (file.slave_only && (p->role == ROLE_GRANDMASTER || p->role == ROLE_BOUNDARY)) {
		(void)snprintf(error, CONFIG_ERROR_MAX, "%s: slaveOnly, and [%s] is a %s",
			       p->config_file, p->child, role_name(p->role));
		return -EINVAL;
	}
	r = add_ports(p, &file, error);
	if (r < 0)
		return r;
	if (!*p->socket)
		(void)strcpy(p->socket, file.uds_address);
	if (!*p->socket && !p->manage)
		(void)strcpy(p->socket, CONFIG_FOREIGN_SOCKET);
	(void)strcpy(p->ro_socket, file.uds_ro_address);
	p->config_file_hash = file.hash;
	p->domain = file.domain;
	p->transport_specific = file.transport_specific;
	p->timestamping = file.timestamping;
	return 0;
}

int config_read_ptp4l_files(struct config *c, char error[static CONFIG_ERROR_MAX])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->n_ptp4l; i++) {
		struct config_ptp4l *p = &c->ptp4l[i];

		if (!*p->config_file)
			continue;
		r = take_file(p, error);
		if (r == 0 && !*p->name)
			(void)strcpy(p->name, p->interfaces.name[0]);
		if (r == 0 && strcmp(p->child, "ptp4l") == 0)
			c->ptpmon.interfaces = p->interfaces; /* whose they are */
	}
	return r < 0 ? r : reading_check_instances(c, NULL, "ptpmon", error);
}
