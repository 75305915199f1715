/* SPDX-License-Identifier: GPL-2.0-or-later */
/* linuxptp, what it left behind, what ptpmon may, where the record goes, who writes to the console.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/procstat.h"
#include "ptpmon/check/impl.h"
#include "ptpmon/store/query.h"
#include "ptpmon/store/runs.h"
#include "ptpmon/supervise/probe.h"
#include "ptpmon/supervise/spawn.h"

#define PROBE_NS (INT64_C(2) * 1000000000)

enum { PROC_MAX = 4096, SOCKETS_MAX = 1 << 17 };

DEFINE_FREEP(struct query, query_free)

/* "Max locked memory         8388608              8388608              bytes", or unlimited. */
static int64_t limit_of(const char *limits, const char *name)
{
	const char *at = strstr(limits, name);
	int64_t value = INT64_MAX;

	if (at && sscanf(at + strlen(name), " %" SCNd64, &value) != 1)
		value = INT64_MAX;
	return value;
}

/* Of the service where it runs; of this process where it does not. */
void facts_read_rights(struct check_facts *f, const char *root, const char *pid)
{
	struct check_software *s = &f->software;
	char text[PROC_MAX];
	const char *at;

	if (s->rights.service)
		return;
	(void)procstat_text(root, text, sizeof(text), "/proc/%s/status", pid);
	at = procstat_value(text, "CapEff");
	if (!at)
		return;
	s->rights.known = true;
	s->rights.service = strcmp(pid, "self") != 0;
	s->rights.capabilities = strtoull(at, NULL, 16);
	(void)procstat_text(root, text, sizeof(text), "/proc/%s/limits", pid);
	s->rights.memlock_bytes = limit_of(text, "Max locked memory");
	s->rights.rtprio = limit_of(text, "Max realtime priority");
}

/* -- management sockets ------------------------------------------------------------------ */

struct sockets {
	struct check_software *s;
	const char *directory;
	const char *bound; /* /proc/net/unix */
	bool ours;
};

/* A path in /proc/net/unix ends its line. */
static bool is_bound(const char *bound, const char *path)
{
	size_t len = strlen(path);

	for (const char *at = strstr(bound, path); at; at = strstr(at + 1, path))
		if (at > bound && at[-1] == ' ' && (at[len] == '\n' || !at[len]))
			return true;
	return false;
}

static void judge_socket(void *userdata, const char *root, const char *name)
{
	struct sockets *k = userdata;
	struct check_software *s = k->s;
	char path[CHECK_TEXT_MAX];
	char other[CHECK_TEXT_MAX + 8];
	bool bound;

	(void)root;
	(void)snprintf(path, sizeof(path), "%s/%s", k->directory, name);
	(void)snprintf(other, sizeof(other), "/var%s", path); /* /var/run is /run */
	bound = is_bound(k->bound, path) || is_bound(k->bound, other);
	if (!bound) {
		s->stale_sockets++;
		list_add(s->stale, sizeof(s->stale), "%s", path);
	} else if (!k->ours) {
		s->foreign_sockets++;
		list_add(s->foreign, sizeof(s->foreign), "%s", path);
	}
}

static void read_sockets(struct check_facts *f, const char *root, const struct config *c)
{
	CLEANUP(freep) char *bound = malloc(SOCKETS_MAX);
	struct sockets k = {.s = &f->software, .directory = "/run", .bound = bound};
	char directory[CONFIG_PATH_MAX];

	/* without the list of bound ones nothing can be said of any */
	if (!bound || procstat_text(root, bound, SOCKETS_MAX, "/proc/net/unix") <= 0)
		return;
	each_entry(root, "/run", "ptp4l*", judge_socket, &k);
	for (size_t i = 0; c && i < c->n_ptp4l; i++) {
		k = (struct sockets){&f->software, directory, bound, true};
		(void)config_ptp4l_directory(c, i, directory);
		each_entry(root, directory, "ptp4l*", judge_socket, &k);
	}
}

/* -- the console ------------------------------------------------------------------------- */

/* The last of "tty0 ttyLP0" is the preferred one. */
static void read_console(struct check_software *s, const char *root)
{
	char text[CHECK_COMMAND_LINE_MAX];
	const char *last;

	s->console.loglevel = (int)number_in(root, CHECK_UNKNOWN, "/proc/sys/kernel/printk");
	if (procstat_text(root, text, sizeof(text), "/sys/class/tty/console/active") > 0) {
		last = strrchr(text, ' ');
		(void)snprintf(s->console.console, sizeof(s->console.console), "%.*s",
			       CHECK_NAME_MAX - 1, last ? last + 1 : text);
		/* tty and digits is a screen */
		s->console.serial = strncmp(s->console.console, "tty", 3) == 0 &&
				    !strchr("0123456789", s->console.console[3]);
	}
	(void)procstat_text(root, text, sizeof(text), "/etc/systemd/journald.conf");
	s->console.journal = strstr(text, "\nForwardToConsole=yes") != NULL;
}

void facts_read_software(struct check_facts *f, const struct check_request *rq)
{
	f->software.disk.error = f->software.disk.database_error = ENODATA;
	f->software.late_stamps = CHECK_UNKNOWN;
	facts_read_rights(f, rq->root, "self");
	read_sockets(f, rq->root, rq->config);
	read_console(&f->software, rq->root);
}

/* -- asked of this machine --------------------------------------------------------------- */

static void ask_linuxptp(struct check_software *s, const struct config *c)
{
	const char *name = c ? c->ptp4l[0].program : "ptp4l";
	char program[CONFIG_PATH_MAX];
	char *const argv[] = {program, "-v", NULL};
	int r = spawn_find_program(name, program, sizeof(program));

	s->linuxptp = r == 0;
	if (r < 0) {
		(void)snprintf(s->linuxptp_why, sizeof(s->linuxptp_why), "%.*s: %s", CHECK_NAME_MAX,
			       name, strerror(-r));
		return;
	}
	(void)probe_first_line(argv, PROBE_NS, s->version, sizeof(s->version));
	(void)sscanf(s->version, "%u.%u.%u", &s->major, &s->minor, &s->patch);
}

/* The nearest directory that exists is on the disk that it will be on. */
static void ask_disk(struct check_software *s, const char *database)
{
	struct statvfs disk;
	char *slash;

	(void)snprintf(s->disk.path, sizeof(s->disk.path), "%s", database);
	do {
		slash = strrchr(s->disk.path, '/');
		if (!slash)
			(void)strcpy(s->disk.path, ".");
		else
			slash[slash == s->disk.path] = '\0';
		s->disk.error = statvfs(s->disk.path, &disk) < 0 ? errno : 0;
	} while (s->disk.error == ENOENT && slash && slash != s->disk.path);
	if (!s->disk.error)
		s->disk.free_bytes = (int64_t)(disk.f_bavail * disk.f_frsize);
}

static int count_late_stamp(void *userdata, const struct query_event *e)
{
	int64_t *n = userdata;

	*n += e->code == EVENT_TX_TIMESTAMP_TIMEOUT || e->code == EVENT_PTP_MINOR_VERSION ||
	      e->code == EVENT_TIMESTAMP_MISSING;
	return 0;
}

/* The newest of another boot that noted its kernel: this one's has it by itself. */
struct earlier {
	struct check_kernel *kernel;
	char boot_id[CHECK_NAME_MAX];
};

static int note_earlier(void *userdata, const struct run_facts *run)
{
	struct earlier *e = userdata;

	if (!*run->kernel || strcmp(run->boot_id, e->boot_id) == 0)
		return 0;
	e->kernel->before.known = true;
	e->kernel->before.run = run->id;
	(void)snprintf(e->kernel->before.kernel, sizeof(e->kernel->before.kernel), "%s",
		       run->kernel);
	return 0;
}

static void ask_record(struct check_facts *f, const char *database)
{
	CLEANUP(query_freep) struct query *q = NULL;
	struct check_software *s = &f->software;
	struct earlier e = {.kernel = &f->kernel};
	char why[QUERY_ERROR_MAX] = "";
	struct runs_size size;

	s->disk.database_error = query_open(&q, database, NULL, why);
	(void)snprintf(s->disk.database_why, CHECK_TEXT_MAX, "%.*s", CHECK_TEXT_MAX - 1, why);
	if (!q)
		return;
	s->disk.run = query_run(q)->id;
	if (query_run(q)->being_written) {
		s->late_stamps = 0;
		(void)query_visit_events(q, INT64_MIN, INT64_MAX, count_late_stamp,
					 &s->late_stamps);
	}
	(void)procstat_text("", e.boot_id, sizeof(e.boot_id), "/proc/sys/kernel/random/boot_id");
	(void)runs_visit(database, note_earlier, &e, &size, why);
	if (!f->kernel.before.known)
		(void)snprintf(f->kernel.before.why, CHECK_TEXT_MAX, "only this boot is recorded");
}

void facts_ask_software(struct check_facts *f, const struct check_request *rq)
{
	struct check_software *s = &f->software;
	const char *own = ttyname(STDOUT_FILENO);

	ask_linuxptp(s, rq->config);
	if (rq->database) {
		ask_disk(s, rq->database);
		ask_record(f, rq->database);
	}
	s->console.ours = own && strncmp(own, "/dev/", strlen("/dev/")) == 0 &&
			  strcmp(own + strlen("/dev/"), s->console.console) == 0;
}
