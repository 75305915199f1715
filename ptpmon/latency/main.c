/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon-sampler: measures wake-up latency for `ptpmon run` and `ptpmon latency`. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/latency/sampler.h"

enum { EXIT_GOOD = 0, EXIT_USAGE = 2 }; /* as ptpmon's own */

/* 0, or -errno of a value that is none. */
typedef int (*option_take)(const char *text, struct sampler_options *o);

struct row {
	const char *name, *argument, *help;
	option_take take;
};

static int take_number(const char *text, int64_t min, int64_t max, int64_t *out)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text, &end, 10);
	if (end == text || *end)
		return -EINVAL;
	if (errno || v < min || v > max)
		return -ERANGE;
	*out = v;
	return 0;
}

static int take_duration(const char *text, int64_t min_ns, int64_t max_ns, int64_t *out_ns)
{
	int64_t ns;
	int r = nsec_parse_duration(text, &ns);

	if (r < 0)
		return r;
	if (ns < min_ns || ns > max_ns)
		return -ERANGE;
	*out_ns = ns;
	return 0;
}

static int take_either(const char *text, const char *no, const char *yes, bool *out)
{
	bool is_yes = strcmp(text, yes) == 0;

	if (!is_yes && strcmp(text, no) != 0)
		return -EINVAL;
	*out = is_yes;
	return 0;
}

static int take_cpus(const char *text, struct sampler_options *o)
{
	return cpulist_select(text, &o->cpus);
}

static int take_priority(const char *text, struct sampler_options *o)
{
	return take_number(text, 0, 99, &o->priority);
}

static int take_interval(const char *text, struct sampler_options *o)
{
	return take_duration(text, 10 * NSEC_PER_USEC, NSEC_PER_SEC, &o->interval_ns);
}

static int take_window(const char *text, struct sampler_options *o)
{
	return take_duration(text, 10 * NSEC_PER_MSEC, 60 * NSEC_PER_SEC, &o->window_ns);
}

static int take_length(const char *text, struct sampler_options *o)
{
	return take_duration(text, 0, INT64_MAX / 2, &o->duration_ns);
}

static int take_idle_states(const char *text, struct sampler_options *o)
{
	return take_either(text, "allow", "hold", &o->hold_idle_states);
}

static int take_on_refusal(const char *text, struct sampler_options *o)
{
	return take_either(text, "warn", "fail", &o->fail_on_refusal);
}

static int take_name(const char *text, struct sampler_options *o)
{
	o->name = text;
	return 0;
}

static int take_fd(const char *text, struct sampler_options *o)
{
	int64_t fd;
	int type;
	socklen_t len = sizeof(type);
	int r = take_number(text, 0, INT32_MAX, &fd);

	if (r < 0)
		return r;
	if (getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0)
		return -errno;
	if (type != SOCK_SEQPACKET)
		return -EPROTOTYPE;
	o->fd = (int)fd;
	return 0;
}

/* clang-format off */
static const struct row rows[] = {
	{"cpus",        "LIST",       "all, isolated, not-isolated (default), or as 0-3,5", take_cpus},
	{"priority",    "N",          "SCHED_FIFO priority 1 to 99 (98); 0: ordinary",      take_priority},
	{"interval",    "DURATION",   "from wake-up to wake-up, 10us to 1s (1ms)",          take_interval},
	{"window",      "DURATION",   "what one message covers, 10ms to 60s (1s)",          take_window},
	{"duration",    "DURATION",   "how long; 0 (default): until a signal",              take_length},
	{"idle-states", "allow|hold", "leave the CPUs' idle states alone (default) or off", take_idle_states},
	{"on-refusal",  "warn|fail",  "when priority or locked memory is refused (warn)",   take_on_refusal},
	{"name",        "TEXT",       "what begins each line on stderr (nothing)",          take_name},
	{"fd",          "N",          "SOCK_SEQPACKET socket that takes the windows",       take_fd},
};
/* clang-format on */

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]), HELP = N_ROWS };

static int print_help(void)
{
	printf("usage: ptpmon-sampler --fd N [OPTION]...\n\n"
	       "Measures wake-up latency; started by `ptpmon run` and `ptpmon latency`.\n\n");
	for (size_t i = 0; i < N_ROWS; i++) {
		char left[40];

		(void)snprintf(left, sizeof(left), "--%s %s", rows[i].name, rows[i].argument);
		printf("  %-26s%s\n", left, rows[i].help);
	}
	return EXIT_GOOD;
}

/* True: go on. False: leave with *status. */
static bool parse(int argc, char **argv, struct sampler_options *o, int *status)
{
	struct option names[N_ROWS + 2] = {[HELP] = {"help", no_argument, NULL, HELP}};
	int i;

	*status = EXIT_USAGE;
	for (i = 0; i < N_ROWS; i++)
		names[i] = (struct option){rows[i].name, required_argument, NULL, i};
	opterr = 0;
	while ((i = getopt_long(argc, argv, ":", names, NULL)) != -1) {
		int r;

		if (i == HELP) {
			*status = print_help();
			return false;
		}
		if (i < 0 || i >= N_ROWS) {
			log_error("%s: %s", argv[optind - 1],
				  i == ':' ? "needs a value" : "unknown option");
			return false;
		}
		r = rows[i].take(optarg, o);
		if (r < 0) {
			log_error("--%s %s: %s", rows[i].name, optarg, strerror(-r));
			return false;
		}
	}
	if (optind < argc)
		log_error("%s: not an option", argv[optind]);
	else if (o->fd < 0)
		log_error("--fd is needed: this program is started by ptpmon");
	else if (o->window_ns < o->interval_ns)
		log_error("--window must be at least --interval");
	else
		return true;
	return false;
}

int main(int argc, char **argv)
{
	struct sampler_options o = {
		.priority = 98,
		.interval_ns = NSEC_PER_MSEC,
		.window_ns = NSEC_PER_SEC,
		.fd = -1,
	};
	sigset_t blocked;
	int status;

	log_setup("ptpmon-sampler", LOG_LEVEL_NOTICE);
	(void)sigfillset(&blocked);
	(void)sigprocmask(SIG_SETMASK, &blocked, NULL);
	(void)cpulist_select("not-isolated", &o.cpus);
	if (!parse(argc, argv, &o, &status))
		return status;
	log_setup(o.name, LOG_LEVEL_NOTICE); /* whoever reads it may know who we are */
	return sampler_run(&o) < 0 ? EXIT_USAGE : EXIT_GOOD;
}
