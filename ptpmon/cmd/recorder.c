/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon recorder: what the parent executes; not for people, and not listed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/log.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/recorder/recorder.h"

enum { FD_MAX = 1 << 20 };

/* The sealed file that the parent made of the configuration in force. */
static int load_config(struct config *out, int fd)
{
	CLEANUP(freep) char *text = NULL;
	char error[CONFIG_ERROR_MAX];
	struct stat st;

	if (fstat(fd, &st) < 0 || !(text = calloc(1, (size_t)st.st_size + 1)) ||
	    pread(fd, text, (size_t)st.st_size, 0) != st.st_size)
		return options_complain("recorder", "configuration: %s", strerror(errno));
	if (config_parse(out, text, "configuration", error) < 0)
		return options_complain("recorder", "%s", error);
	return 0;
}

/* FD:NAME, once for each child with an output of its own. */
static int take_log(const struct option_row *row, const char *text, char why[static OPTION_WHY_MAX])
{
	struct recorder_options *o = row->into;
	char *end;
	long fd = strtol(text, &end, 10);

	if (end == text || *end != ':' || fd < row->min || fd > row->max ||
	    o->n_logs == RECORDER_LOGS_MAX) {
		(void)snprintf(why, OPTION_WHY_MAX, "not a descriptor and a name");
		return -EINVAL;
	}
	o->logs[o->n_logs].name = end + 1;
	o->logs[o->n_logs++].fd = (int)fd;
	return 0;
}

int cmd_recorder(int argc, char **argv)
{
	struct config config;
	struct recorder_options o = {.config = &config, .token = "", .ptp4l_version = ""};
	int64_t parent_fd = -1;
	int64_t config_fd = -1;
	int64_t window_fd = -1;
	int64_t kmsg_fd = -1;
	bool verbose = false;
	const struct option_row rows[] = {
		{"token", 0, "TEXT", "the run", take_text, &o.token, 0, 0},
		{"ptp4l-version", 0, "TEXT", "linuxptp's", take_text, &o.ptp4l_version, 0, 0},
		{"started-ns", 0, "NS", "", take_integer, &o.started_mono_ns, 0, INT64_MAX},
		{"first", 0, NULL, "nothing is started yet", take_flag, &o.first, 0, 0},
		{"parent-fd", 0, "FD", "", take_integer, &parent_fd, 0, FD_MAX},
		{"config-fd", 0, "FD", "", take_integer, &config_fd, 0, FD_MAX},
		{"log-fd", 0, "FD:NAME", "", take_log, &o, 0, FD_MAX},
		{"window-fd", 0, "FD", "", take_integer, &window_fd, 0, FD_MAX},
		{"kmsg-fd", 0, "FD", "", take_integer, &kmsg_fd, 0, FD_MAX},
		{"verbose", 'v', NULL, "", take_flag, &verbose, 0, 0},
	};
	const struct usage usage = {"recorder", "Started by ptpmon run; not for people.",
				    ROWS(rows)};
	sigset_t set;
	int first;
	int status;

	if (!options_parse(&usage, argc, argv, &first, &status))
		return status;
	if (parent_fd < 0 || config_fd < 0 || window_fd < 0)
		return options_complain("recorder", "is started by ptpmon run");
	o.parent_fd = (int)parent_fd;
	o.window_fd = (int)window_fd;
	o.kmsg_fd = (int)kmsg_fd;
	if (load_config(&config, (int)config_fd) != 0)
		return EXIT_USAGE;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is the store's to tell */
	(void)prctl(PR_SET_NAME, "ptpmon-recorder", 0, 0, 0); /* /proc/self/exe made it "exe" */
	log_setup("ptpmon", verbose ? LOG_LEVEL_INFO : LOG_LEVEL_NOTICE);
	return recorder_run(&o);
}
