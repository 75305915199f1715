/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/conf/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/conf/ini.h"
#include "ptpmon/conf/kind.h"

enum { FILE_MAX = 1 << 20 };

#define OPT(SECTION, KEY, MEMBER, KIND, MIN, MAX, FALLBACK, HELP)                                  \
	{                                                                                          \
		.section = (SECTION), .key = (KEY), .kind = &kind_##KIND,                          \
		.offset = offsetof(struct config, MEMBER),                                         \
		.size = sizeof(((struct config *)0)->MEMBER), .min = (MIN), .max = (MAX),          \
		.fallback = (FALLBACK), .help = (HELP),                                            \
	}

/* clang-format off */
static const struct config_row rows[] = {
	OPT("ptpmon", "role", ptpmon.role, role, NULL, NULL, NULL,
	    "grandmaster or slave (master, time transmitter, time receiver are understood)"),
	OPT("ptpmon", "interfaces", ptpmon.interfaces, interfaces, NULL, NULL, NULL,
	    "the ports, by the name of their network interface"),
	OPT("ptpmon", "label", ptpmon.label, text, NULL, NULL, "",
	    "a name for what is recorded; *ptpmon report* finds it by this"),
	OPT("ptpmon", "runtime_directory", ptpmon.runtime_directory, path, NULL, NULL, "/run/ptpmon",
	    "holds the control socket, and ptp4l's sockets in a directory for each port"),
	OPT("ptp4l", "program", ptp4l.program, text, NULL, NULL, "ptp4l",
	    "a path, or a name looked up in PATH"),
	OPT("ptp4l", "socket", ptp4l.socket, path, NULL, NULL, "",
	    "management socket; empty: RUNTIME_DIRECTORY/INTERFACE/ptp4l"),
	OPT("ptp4l", "timestamping", ptp4l.timestamping, timestamping, NULL, NULL, "hardware",
	    "hardware, software, onestep or p2p1step"),
	OPT("ptp4l", "transport", ptp4l.transport, transport, NULL, NULL, "L2",
	    "L2, UDPv4 or UDPv6"),
	OPT("ptp4l", "log_sync_interval", ptp4l.log_sync_interval, number, "-7", "7", "0",
	    "Syncs of a grandmaster every 2^N seconds: 0 is one a second, -3 eight"),
	OPT("ptp4l", "tx_timestamp_timeout", ptp4l.tx_timestamp_timeout_ns, duration, "1 ms", "10 s", "20 ms",
	    "how long ptp4l waits for a transmit timestamp, in whole milliseconds"),
	OPT("ptp4l", "priority1", ptp4l.priority1, number, "-1", "255", "-1",
	    "of the clock; -1 is 100 for a grandmaster and ptp4l's own for a slave"),
	OPT("ptp4l", "fifo_priority", ptp4l.fifo_priority, number, "0", "99", "70",
	    "SCHED_FIFO priority; 0 leaves ptp4l at ordinary priority"),
	OPT("ptp4l", "cpus", ptp4l.cpus, cpus, NULL, NULL, "all",
	    "the CPUs it may run on: a list, all, isolated or not-isolated"),
	OPT("ptp4l", "extra_arguments", ptp4l.extra_arguments, text, NULL, NULL, "",
	    "more arguments for ptp4l, split at blanks; no shell"),
	OPT("realtime", "on_refusal", realtime.on_refusal, on_refusal, NULL, NULL, "warn",
	    "when the kernel refuses SCHED_FIFO: warn and go on, or fail"),
	OPT("monitor", "stale_after", monitor.stale_after_ns, duration, "1 ms", "1 h", "1 s",
	    "data older than this, and than three of their intervals, are unknown"),
	OPT("latency", "on", latency.on, bool, NULL, NULL, "yes",
	    "measure wake-up latency"),
	OPT("latency", "priority", latency.priority, number, "0", "99", "98",
	    "SCHED_FIFO priority of the sampler's threads; 0 is ordinary"),
	OPT("latency", "interval", latency.interval_ns, duration, "50 us", "1 s", "1 ms",
	    "from wake-up to wake-up"),
	OPT("latency", "cpus", latency.cpus, cpus, NULL, NULL, "not-isolated",
	    "one thread on each of these CPUs; isolated ones only when named"),
	OPT("latency", "idle_states", latency.idle_states, idle_states, NULL, NULL, "allow",
	    "allow leaves idle states alone; hold keeps CPUs out of them (/dev/cpu_dma_latency)"),
	OPT("store", "directory", store.directory, path, NULL, NULL, "/var/lib/ptpmon",
	    "holds the database, ptpmon.db"),
	OPT("store", "flush_interval", store.flush_interval_ns, duration, "100 ms", "10 min", "5 s",
	    "at most this much is lost in a power cut"),
	OPT("store", "raw_retention", store.raw_retention_ns, duration, "0", "36500 d", "14 d",
	    "samples and windows become hourly histograms when so much has been recorded since; 0: never"),
	OPT("store", "rollup_retention", store.rollup_retention_ns, duration, "0", "36500 d", "400 d",
	    "hourly histograms and events are removed when so much has been recorded since; 0: never"),
	OPT("store", "size_cap", store.size_cap_bytes, size, "32 MiB", "8 TiB", "1 GiB",
	    "the database with its log gets no larger: the oldest makes room before its time; 0: no cap"),
};
/* clang-format on */

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* A configuration being read: the values so far, and where each came from. */
struct reading {
	struct config *config;
	const char *file;
	struct origin {
		char file[CONFIG_PATH_MAX];
		unsigned line; /* 0: the default */
		bool in_this_file;
	} origins[N_ROWS];
};

static void *member_of(struct config *c, const struct config_row *row)
{
	return (char *)c + row->offset;
}

static const void *member_of_const(const struct config *c, const struct config_row *row)
{
	return (const char *)c + row->offset;
}

/* Edit distance, cut off: good enough to offer the key that was meant. */
static size_t distance(const char *a, const char *b)
{
	size_t row[64];
	size_t n = strlen(b);

	if (n >= 64 || strlen(a) >= 64)
		return 64;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			size_t best = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j + 1] + 1 < best)
				best = row[j + 1] + 1;
			row[j + 1] = best;
		}
	}
	return row[n];
}

static int unknown_section(const char *section, char *why)
{
	const char *nearest = rows[0].section;

	for (size_t i = 1; i < N_ROWS; i++)
		if (distance(section, rows[i].section) < distance(section, nearest))
			nearest = rows[i].section;
	(void)snprintf(why, INI_ERROR_MAX, "no such section%s%s%s",
		       distance(section, nearest) <= 3 ? "; is [" : "",
		       distance(section, nearest) <= 3 ? nearest : "",
		       distance(section, nearest) <= 3 ? "] meant?" : "");
	return -EINVAL;
}

static int unknown_key(const struct ini_place *place, char *why)
{
	const char *nearest = NULL;
	const char *elsewhere = NULL;

	for (size_t i = 0; i < N_ROWS; i++) {
		if (strcmp(rows[i].key, place->key) == 0)
			elsewhere = rows[i].section;
		if (strcmp(rows[i].section, place->section) == 0 &&
		    (!nearest || distance(place->key, rows[i].key) < distance(place->key, nearest)))
			nearest = rows[i].key;
	}
	if (elsewhere)
		(void)snprintf(why, INI_ERROR_MAX, "no such key here; it belongs to [%s]",
			       elsewhere);
	else if (nearest && distance(place->key, nearest) <= 3)
		(void)snprintf(why, INI_ERROR_MAX, "no such key; is %s meant?", nearest);
	else
		(void)snprintf(why, INI_ERROR_MAX, "no such key");
	return -EINVAL;
}

static bool section_exists(const char *section)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (strcmp(rows[i].section, section) == 0)
			return true;
	return false;
}

static int set_value(struct reading *rd, size_t i, const struct ini_place *place, char *why)
{
	struct origin *origin = &rd->origins[i];
	char problem[KIND_ERROR_MAX];

	if (origin->in_this_file) {
		(void)snprintf(why, INI_ERROR_MAX, "given twice, first in line %u", origin->line);
		return -EINVAL;
	}
	if (rows[i].kind->parse(&rows[i], place->value, member_of(rd->config, &rows[i]), problem) <
	    0) {
		(void)snprintf(why, INI_ERROR_MAX, "%s", problem);
		return -EINVAL;
	}
	(void)snprintf(origin->file, sizeof(origin->file), "%s", rd->file);
	origin->line = place->line;
	origin->in_this_file = true;
	return 0;
}

/* Puts section and key in front of what is wrong. */
static int at_key(int r, const struct ini_place *place, char *why)
{
	char what[INI_ERROR_MAX];

	if (r == 0)
		return 0;
	(void)snprintf(what, sizeof(what), "%s", why);
	(void)snprintf(why, INI_ERROR_MAX, "[%.32s]%s%.40s: %.160s", place->section,
		       place->key ? " " : "", place->key ? place->key : "", what);
	return r;
}

static int on_line(void *userdata, const struct ini_place *place, char *why)
{
	struct reading *rd = userdata;

	if (!place->key)
		return section_exists(place->section)
			       ? 0
			       : at_key(unknown_section(place->section, why), place, why);
	if (!*place->section) {
		(void)snprintf(why, INI_ERROR_MAX, "%.40s: a key before the first [section]",
			       place->key);
		return -EINVAL;
	}
	for (size_t i = 0; i < N_ROWS; i++)
		if (strcmp(rows[i].section, place->section) == 0 &&
		    strcmp(rows[i].key, place->key) == 0)
			return at_key(set_value(rd, i, place, why), place, why);
	return at_key(unknown_key(place, why), place, why);
}

static void set_defaults(struct reading *rd)
{
	char why[KIND_ERROR_MAX];

	*rd->config = (struct config){0};
	for (size_t i = 0; i < N_ROWS; i++)
		if (rows[i].fallback)
			(void)rows[i].kind->parse(&rows[i], rows[i].fallback,
						  member_of(rd->config, &rows[i]), why);
}

static int read_text(struct reading *rd, const char *name, const char *text, size_t len,
		     char *error)
{
	char why[INI_ERROR_MAX] = "out of memory";
	unsigned line;
	int r;

	rd->file = name;
	for (size_t i = 0; i < N_ROWS; i++)
		rd->origins[i].in_this_file = false;
	r = ini_read(text, len, on_line, rd, &line, why);
	if (r < 0)
		(void)snprintf(error, CONFIG_ERROR_MAX, "%s:%u: %s", name, line, why);
	return r;
}

static int read_file(struct reading *rd, const char *path, char *error)
{
	CLEANUP(close_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	CLEANUP(freep) char *text = malloc(FILE_MAX + 1);
	struct stat st;
	ssize_t n = -1;
	size_t len = 0;
	int r = 0;

	if (!text)
		r = -ENOMEM;
	else if (fd < 0 || fstat(fd, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode))
		r = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	while (r == 0 && len <= FILE_MAX && (n = read(fd, text + len, FILE_MAX + 1 - len)) > 0)
		len += (size_t)n;
	if (r == 0 && n < 0)
		r = -errno;
	if (r == 0 && len > FILE_MAX)
		r = -EFBIG;
	if (r < 0) {
		(void)snprintf(error, CONFIG_ERROR_MAX, "%s: %s", path, strerror(-r));
		return r;
	}
	return read_text(rd, path, text, len, error);
}

/* What only the whole can tell. */
static int check_whole(const struct reading *rd, const char *name, char *error)
{
	const struct config *c = rd->config;
	char path[CONFIG_PATH_MAX];

	for (size_t i = 0; i < N_ROWS; i++) {
		if (rows[i].fallback || rd->origins[i].line)
			continue;
		(void)snprintf(error, CONFIG_ERROR_MAX, "%s: [%s] %s: missing: %s", name,
			       rows[i].section, rows[i].key, rows[i].help);
		return -EINVAL;
	}
	if (c->ptpmon.role == ROLE_SLAVE && c->ptpmon.interfaces.n > 1) {
		(void)snprintf(error, CONFIG_ERROR_MAX,
			       "%s: [ptpmon] interfaces: a slave has one port, these are %zu", name,
			       c->ptpmon.interfaces.n);
		return -EINVAL;
	}
	if (strlen(config_ptp4l_socket(c, path)) >= CONFIG_SOCKET_MAX - 1 ||
	    strlen(config_recorder_socket(c, path)) >= CONFIG_SOCKET_MAX ||
	    strlen(config_control_path(c, path)) >= CONFIG_SOCKET_MAX) {
		(void)snprintf(error, CONFIG_ERROR_MAX,
			       "%s: [ptpmon] runtime_directory: too long for the path of a socket, "
			       "which has %d characters at most",
			       name, CONFIG_SOCKET_MAX - 2);
		return -EINVAL;
	}
	return 0;
}

static int read_all(struct reading *rd, const char *path, char *error)
{
	char pattern[CONFIG_PATH_MAX + 16];
	glob_t found = {0};
	int r;

	set_defaults(rd);
	r = read_file(rd, path, error);
	if (r < 0)
		return r;
	if (snprintf(pattern, sizeof(pattern), "%s.d/*.conf", path) < (int)sizeof(pattern) &&
	    glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; r == 0 && i < found.gl_pathc; i++)
			r = read_file(rd, found.gl_pathv[i], error);
	globfree(&found);
	return r < 0 ? r : check_whole(rd, path, error);
}

static const char *default_path(const char *path)
{
	return path ? path : PTPMON_SYSCONFDIR "/ptpmon.conf";
}

int config_load(struct config *out, const char *path, char error[static CONFIG_ERROR_MAX])
{
	CLEANUP(freep) struct reading *rd = calloc(1, sizeof(*rd));
	struct config c;
	int r;

	if (!rd) {
		(void)snprintf(error, CONFIG_ERROR_MAX, "out of memory");
		return -ENOMEM;
	}
	rd->config = &c;
	r = read_all(rd, default_path(path), error);
	if (r == 0)
		*out = c;
	return r;
}

int config_parse(struct config *out, const char *text, const char *name,
		 char error[static CONFIG_ERROR_MAX])
{
	CLEANUP(freep) struct reading *rd = calloc(1, sizeof(*rd));
	struct config c;
	int r;

	if (!rd) {
		(void)snprintf(error, CONFIG_ERROR_MAX, "out of memory");
		return -ENOMEM;
	}
	rd->config = &c;
	set_defaults(rd);
	r = read_text(rd, name, text, strlen(text), error);
	if (r == 0)
		r = check_whole(rd, name, error);
	if (r == 0)
		*out = c;
	return r;
}

/* Sections and keys with their values; origins NULL leaves the comments out. */
static void print_config(const struct config *c, const struct origin *origins, struct strbuf *out)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		if (i == 0 || strcmp(rows[i].section, rows[i - 1].section) != 0)
			strbuf_addf(out, "%s[%s]\n", i ? "\n" : "", rows[i].section);
		if (origins && origins[i].line)
			strbuf_addf(out, "# %s:%u\n", origins[i].file, origins[i].line);
		else if (origins)
			strbuf_add(out, "# default\n");
		strbuf_addf(out, "%s = ", rows[i].key);
		rows[i].kind->format(&rows[i], member_of_const(c, &rows[i]), out);
		strbuf_add(out, "\n");
	}
}

int config_dump(const char *path, FILE *out, char error[static CONFIG_ERROR_MAX])
{
	CLEANUP(freep) struct reading *rd = calloc(1, sizeof(*rd));
	CLEANUP(strbuf_clear) struct strbuf text = {0};
	struct config c;
	int r;

	if (!rd) {
		(void)snprintf(error, CONFIG_ERROR_MAX, "out of memory");
		return -ENOMEM;
	}
	rd->config = &c;
	r = read_all(rd, default_path(path), error);
	if (r < 0)
		return r;
	print_config(&c, rd->origins, &text);
	if (!strbuf_text(&text)) {
		(void)snprintf(error, CONFIG_ERROR_MAX, "out of memory");
		return -ENOMEM;
	}
	(void)fputs(strbuf_text(&text), out);
	return 0;
}

char *config_to_text(const struct config *c)
{
	struct strbuf text = {0};

	print_config(c, NULL, &text);
	return strbuf_steal(&text);
}

void config_print_manual(FILE *out)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		if (i == 0 || strcmp(rows[i].section, rows[i - 1].section) != 0)
			(void)fprintf(out, "## [%s]\n\n", rows[i].section);
		(void)fprintf(out, "*%s* = _%s_\n", rows[i].key, rows[i].kind->name);
		(void)fprintf(out, "\t%s.", rows[i].help);
		if (rows[i].min || rows[i].max)
			(void)fprintf(out, " From %s to %s.", rows[i].min, rows[i].max);
		if (!rows[i].fallback)
			(void)fprintf(out, " Must be given.");
		else if (*rows[i].fallback)
			(void)fprintf(out, " Default: %s.", rows[i].fallback);
		(void)fprintf(out, "\n\n");
	}
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

const char *config_ptp4l_socket(const struct config *c, char out[static CONFIG_PATH_MAX])
{
	if (*c->ptp4l.socket)
		(void)snprintf(out, CONFIG_PATH_MAX, "%s", c->ptp4l.socket);
	else
		(void)snprintf(out, CONFIG_PATH_MAX, "%s/%s/ptp4l", c->ptpmon.runtime_directory,
			       c->ptpmon.interfaces.name[0]);
	return out;
}

const char *config_recorder_socket(const struct config *c, char out[static CONFIG_PATH_MAX])
{
	(void)snprintf(out, CONFIG_PATH_MAX, "%s/%s/recorder", c->ptpmon.runtime_directory,
		       c->ptpmon.interfaces.name[0]);
	return out;
}
