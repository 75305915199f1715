/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/parent/dry_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/conf/file.h"
#include "ptpmon/supervise/probe.h"

#define PROBE_NS (3 * NSEC_PER_SEC)

int dry_run_find(const struct config_ptp4l *p, char program[static CONFIG_PATH_MAX],
		 struct ptp4l_version *version, char why[static DRY_RUN_WHY_MAX])
{
	char *const argv[] = {program, "-v", NULL};
	char text[64] = "";
	int r = spawn_find_program(p->program, program, CONFIG_PATH_MAX);

	if (r < 0) {
		(void)snprintf(why, DRY_RUN_WHY_MAX,
			       "%s: %s: install linuxptp, or set [%s] program", p->program,
			       strerror(-r), p->child);
		return r;
	}
	(void)probe_first_line(argv, PROBE_NS, text, sizeof(text));
	*version = ptp4l_version_parse(text);
	return 0;
}

/* How linuxptp complains of an option (3.1.1 to 4.4: config.c, util.c, and getopt_long()). */
static bool is_complaint(const char *line)
{
	static const char *const phrases[] = {
		"unrecognized option", "invalid option",     "requires an argument",
		"unknown option",      "out of range value", "bad value for option",
		"malformed value",     "could not parse",    "failed to parse",
	};

	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
		if (strstr(line, phrases[i]))
			return true;
	return false;
}

/* Lines outside of [global] become empty: with an interface in it ptp4l would begin to run. */
static void blank_ports(char *text)
{
	bool global = true;

	for (char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		const char *first = line + strspn(line, " \t");

		if (*first == '[')
			global = strncasecmp(first, "[global]", strlen("[global]")) == 0;
		if (!global)
			memset(line, ' ', len);
		line += len + (line[len] == '\n');
	}
}

/* A copy without ports that the child can open as /dev/fd/N; -1 without. */
static int copy_file(const char *path)
{
	CLEANUP(freep) char *text = NULL;
	CLEANUP(close_fdp) int fd = -1;
	size_t len;

	if (file_read_text(path, &text, &len) < 0)
		return -1;
	blank_ports(text);
	fd = memfd_create("ptp4l.conf", 0);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	return steal_fd(&fd);
}

/* The same command without what it would run on: "-i NAME", and the file's own place. */
static void take_ports_away(struct command *c, char *file)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		bool is_port = strcmp(c->argv[i], "-i") == 0;

		if (is_port && i + 1 < c->n) {
			i++;
			continue;
		}
		c->argv[n++] = c->argv[i];
		if (strcmp(c->argv[i], "-f") == 0 && i + 1 < c->n) {
			c->argv[n++] = file;
			i++;
		}
	}
	c->n = n;
	c->argv[n] = NULL;
}

int dry_run_options(const struct config *c, size_t i, const char *program,
		    const struct ptp4l_version *version, char why[static DRY_RUN_WHY_MAX])
{
	CLEANUP(freep) struct command *command = calloc(1, sizeof(*command));
	CLEANUP(close_fdp) int fd = -1;
	char file[32] = "/dev/null";
	char line[200] = "";

	if (!command || command_ptp4l(command, c, i, program, version) < 0)
		return 0;
	if (*c->ptp4l[i].config_file)
		fd = copy_file(c->ptp4l[i].config_file);
	if (fd >= 0)
		(void)snprintf(file, sizeof(file), "/dev/fd/%d", fd);
	take_ports_away(command, file);
	if (probe_first_output(command->argv, PROBE_NS, line, sizeof(line)) < 0 ||
	    !is_complaint(line))
		return 0;
	(void)snprintf(why, DRY_RUN_WHY_MAX, "[%s]: %s %s does not take it: %s", c->ptp4l[i].child,
		       *version->text ? "ptp4l" : "what it launches,",
		       *version->text ? version->text : program, line);
	return -EINVAL;
}
