/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/conf/conf.h"

#include <errno.h>
#include <glob.h>
#include <string.h>

#include "config.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/conf/print.h"

/* The default file, and what stands beside it. */
static int read_all(struct reading **out, const char *path, char *error)
{
	CLEANUP(freep) struct reading *rd = reading_new();
	char pattern[CONFIG_PATH_MAX + 16];
	glob_t found = {0};
	int r;

	if (!path)
		path = PTPMON_SYSCONFDIR "/ptpmon.conf";
	if (!rd) {
		(void)snprintf(error, CONFIG_ERROR_MAX, "out of memory");
		return -ENOMEM;
	}
	r = reading_take_file(rd, path, error);
	if (r < 0)
		return r;
	if (snprintf(pattern, sizeof(pattern), "%s.d/*.conf", path) < (int)sizeof(pattern) &&
	    glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; r == 0 && i < found.gl_pathc; i++)
			r = reading_take_file(rd, found.gl_pathv[i], error);
	globfree(&found);
	if (r == 0)
		r = reading_finish(rd, path, error);
	if (r == 0)
		r = reading_check_given(rd, path, error);
	if (r == 0)
		*out = steal(&rd);
	return r;
}

int config_load(struct config *out, const char *path, char error[static CONFIG_ERROR_MAX])
{
	CLEANUP(freep) struct reading *rd = NULL;
	int r = read_all(&rd, path, error);

	if (r == 0)
		*out = rd->config;
	return r;
}

int config_parse(struct config *out, const char *text, const char *name,
		 char error[static CONFIG_ERROR_MAX])
{
	CLEANUP(freep) struct reading *rd = reading_new();
	int r;

	if (!rd) {
		(void)snprintf(error, CONFIG_ERROR_MAX, "out of memory");
		return -ENOMEM;
	}
	r = reading_take_text(rd, name, text, strlen(text), error);
	if (r == 0)
		r = reading_finish(rd, name, error);
	if (r == 0)
		*out = rd->config;
	return r;
}

int config_dump(const char *path, FILE *out, char error[static CONFIG_ERROR_MAX])
{
	CLEANUP(freep) struct reading *rd = NULL;
	CLEANUP(strbuf_clear) struct strbuf text = {0};
	int r = read_all(&rd, path, error);

	if (r < 0)
		return r;
	config_print(&rd->config, rd, &text);
	if (!strbuf_text(&text)) {
		(void)snprintf(error, CONFIG_ERROR_MAX, "out of memory");
		return -ENOMEM;
	}
	(void)fputs(strbuf_text(&text), out);
	return 0;
}

bool config_wants_phc2sys(const struct config *c)
{
	for (size_t i = 0; i < c->n_ptp4l; i++)
		if (config_phc2sys_may_follow(c, &c->ptp4l[i]))
			return true;
	return false;
}

bool config_phc2sys_may_follow(const struct config *c, const struct config_ptp4l *p)
{
	if (p->role == ROLE_GRANDMASTER || p->timestamping == TIMESTAMPING_SOFTWARE)
		return false;
	/* what started a ptp4l may have started a phc2sys */
	return c->phc2sys.on == WHEN_YES ||
	       (c->phc2sys.on == WHEN_AUTO && config_ptp4l_steers(p) && p->manage);
}

bool config_phc2sys_joins(const struct config *c, const struct config_ptp4l *p)
{
	return config_phc2sys_may_follow(c, p) && p->manage && p->interfaces.n > 1;
}

const char *config_joiner_child(const char *port, char out[static CONFIG_CHILD_MAX])
{
	(void)snprintf(out, CONFIG_CHILD_MAX, "phc2sys for %.*s", IF_NAMESIZE - 1, port);
	return out;
}

bool config_ptp4l_steers(const struct config_ptp4l *p)
{
	return p->role != ROLE_GRANDMASTER && p->role != ROLE_MONITOR;
}

const char *config_control_path(const struct config *c, char out[static CONFIG_PATH_MAX])
{
	(void)snprintf(out, CONFIG_PATH_MAX, "%s/control", c->ptpmon.runtime_directory);
	return out;
}

const char *config_database_path(const struct config *c, char out[static CONFIG_PATH_MAX])
{
	(void)snprintf(out, CONFIG_PATH_MAX, "%s/ptpmon.db", c->store.directory);
	return out;
}

bool config_ptp4l_announces(const struct config_ptp4l *p)
{
	return p->role == ROLE_GRANDMASTER && p->manage;
}

bool config_ptp4l_feeds(const struct config *c, const struct config_ptp4l *p)
{
	return config_ptp4l_announces(p) && p->timestamping != TIMESTAMPING_SOFTWARE &&
	       c->phc2sys.feed != FEED_NONE;
}

const char *config_feeder_child(const struct config_ptp4l *p, char out[static CONFIG_CHILD_MAX])
{
	(void)snprintf(out, CONFIG_CHILD_MAX, "phc2sys to %s", p->name);
	return out;
}

const char *config_ptp4l_directory(const struct config *c, size_t i,
				   char out[static CONFIG_PATH_MAX])
{
	(void)snprintf(out, CONFIG_PATH_MAX, "%s/%s", c->ptpmon.runtime_directory,
		       c->ptp4l[i].name);
	return out;
}

const char *config_ptp4l_socket(const struct config *c, size_t i, char out[static CONFIG_PATH_MAX])
{
	if (*c->ptp4l[i].socket)
		(void)snprintf(out, CONFIG_PATH_MAX, "%s", c->ptp4l[i].socket);
	else
		(void)snprintf(out, CONFIG_PATH_MAX, "%s/%s/ptp4l", c->ptpmon.runtime_directory,
			       c->ptp4l[i].name);
	return out;
}

const char *config_recorder_socket(const struct config *c, size_t i,
				   char out[static CONFIG_PATH_MAX])
{
	(void)snprintf(out, CONFIG_PATH_MAX, "%s/%s/recorder", c->ptpmon.runtime_directory,
		       c->ptp4l[i].name);
	return out;
}
