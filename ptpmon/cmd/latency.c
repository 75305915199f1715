/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon latency: runs the sampler by itself and prints what it measured.
 *
 * The sampler is the same program that the service starts. It ends when the duration is over,
 * when a signal says so, or when this process does; what it had counted until then still arrives.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/base/program.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/latency_result.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/collect/latency.h"

enum { SAMPLER_FD = 3 }; /* its end of the socket */

/* From here on it is worth saying first what is measured until when. */
#define LONG_NS (10 * NSEC_PER_SEC)

struct settings {
	int64_t duration_ns, interval_ns, priority;
	const char *cpus, *idle_states, *on_refusal;
	bool json;
};

/* The sampler as a child, and what came from it. */
struct session {
	const struct settings *settings;
	struct latency_source source;
	struct latency_result result;
	pid_t pid;
	int signal_fd;
	bool live;  /* a line of progress on the terminal */
	bool begun; /* the first window came; what is measured how was said */
	int64_t end_utc_ns;
};

/* A duration; a plain number is in the unit that cyclictest gives it. */
static int take_scaled(const struct option_row *row, const char *text, const char *unit, char *why)
{
	char with_unit[NSEC_TEXT_MAX];

	if (!*text || text[strspn(text, "0123456789")] ||
	    snprintf(with_unit, sizeof(with_unit), "%s%s", text, unit) >= (int)sizeof(with_unit))
		return take_duration(row, text, why);
	return take_duration(row, with_unit, why);
}

static int take_seconds(const struct option_row *row, const char *text,
			char why[static OPTION_WHY_MAX])
{
	return take_scaled(row, text, "s", why);
}

static int take_microseconds(const struct option_row *row, const char *text,
			     char why[static OPTION_WHY_MAX])
{
	return take_scaled(row, text, "us", why);
}

static int take_cpus(const struct option_row *row, const char *text,
		     char why[static OPTION_WHY_MAX])
{
	struct cpulist cpus;

	if (cpulist_select(text, &cpus) < 0) {
		(void)snprintf(why, OPTION_WHY_MAX,
			       "neither a list such as 0-3,5 nor all, isolated, not-isolated");
		return -EINVAL;
	}
	if (cpulist_count(&cpus) == 0) {
		(void)snprintf(why, OPTION_WHY_MAX, "there is no such CPU here");
		return -EINVAL;
	}
	*(const char **)row->into = text;
	return 0;
}

/* One of the words of row->argument, "allow|hold". */
static int take_word(const struct option_row *row, const char *text,
		     char why[static OPTION_WHY_MAX])
{
	const char *words = row->argument;
	size_t len = strlen(text);

	for (;;) {
		size_t n = strcspn(words, "|");

		if (n == len && strncmp(words, text, n) == 0) {
			*(const char **)row->into = text;
			return 0;
		}
		if (!words[n])
			break;
		words += n + 1;
	}
	(void)snprintf(why, OPTION_WHY_MAX, "not one of %s", row->argument);
	return -EINVAL;
}

static bool parse(int argc, char **argv, struct settings *s, int *status)
{
	/* clang-format off */
	const struct option_row rows[] = {
		{"duration", 'D', "TIME", "how long: 10s, 15m, 8h; a plain number is seconds\n"
		 "(default: until Ctrl-C)", take_seconds, &s->duration_ns, NSEC_PER_MSEC, INT64_C(366) * 86400 * NSEC_PER_SEC},
		{"priority", 'p', "N", "SCHED_FIFO priority (98); 0: ordinary scheduling",
		 take_integer, &s->priority, 0, 99},
		{"interval", 'i', "TIME", "from wake-up to wake-up (1ms); a plain number is us",
		 take_microseconds, &s->interval_ns, 10 * NSEC_PER_USEC, NSEC_PER_SEC},
		{"cpus", 'a', "CPUS", "a list such as 0-3,5; all; isolated;\n"
		 "not-isolated (default)",
		 take_cpus, &s->cpus, 0, 0},
		{"idle-states", 0, "allow|hold", "leave the CPUs' idle states alone (default), or hold\n"
		 "them off as cyclictest does", take_word, &s->idle_states, 0, 0},
		{"on-refusal", 0, "warn|fail", "when priority or locked memory is refused (warn)",
		 take_word, &s->on_refusal, 0, 0},
		OPTION_JSON(&s->json),
	};
	/* clang-format on */
	const struct usage usage = {
		.synopsis = "latency [OPTION]...",
		.about = "Measure how late this board's CPUs wake up: one real-time thread a CPU "
			 "sleeps\nuntil a deadline and reads the clock.",
		ROWS(rows),
		.epilogue = "Exit status: 0 measured, 2 usage or cannot run, 4 interrupted (what "
			    "there was\nis printed).",
	};
	int first;

	return options_parse(&usage, argc, argv, &first, status);
}

static int start_sampler(struct session *s, int fd)
{
	char path[PATH_MAX];
	char duration[NSEC_TEXT_MAX];
	char interval[NSEC_TEXT_MAX];
	char priority[16];
	char number[16];
	/* clang-format off */
	const char *argv[] = {
		"ptpmon-sampler", "--fd", number, "--cpus", s->settings->cpus,
		"--priority", priority, "--interval", interval, "--duration", duration,
		"--idle-states", s->settings->idle_states, "--on-refusal", s->settings->on_refusal,
		"--name", "ptpmon latency", NULL,
	};
	/* clang-format on */
	posix_spawn_file_actions_t actions;
	int r = program_find("ptpmon-sampler", "ptpmon/latency", path, sizeof(path));

	if (r == 0) {
		(void)snprintf(number, sizeof(number), "%d", SAMPLER_FD);
		(void)snprintf(priority, sizeof(priority), "%" PRId64, s->settings->priority);
		(void)nsec_format_duration(s->settings->interval_ns, interval);
		(void)nsec_format_duration(s->settings->duration_ns, duration);
		(void)posix_spawn_file_actions_init(&actions);
		r = -posix_spawn_file_actions_adddup2(&actions, fd, SAMPLER_FD);
		if (r == 0)
			r = -posix_spawn(&s->pid, path, &actions, NULL, (char **)argv, environ);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	if (r < 0)
		(void)options_complain("latency", "the sampler %s: %s%s", path, strerror(-r),
				       r == -ENOENT ? ": install it beside ptpmon" : "");
	return r;
}

/* "cpu 0-3: SCHED_FIFO 98 every 1 ms until 2026-12-02 06:00:00 CET", of what really runs. */
static void announce(const struct session *s)
{
	struct cpulist cpus = {0};
	char list[CPULIST_TEXT_MAX];
	char interval[NSEC_TEXT_MAX];
	char schedule[32] = "ordinary scheduling";
	char end[64] = "Ctrl-C";
	time_t end_s = (time_t)(s->end_utc_ns / NSEC_PER_SEC);
	struct tm tm;

	if (s->settings->duration_ns && s->settings->duration_ns < LONG_NS)
		return;
	for (size_t cpu = 0; cpu < CPULIST_MAX; cpu++) {
		const struct latency_cpu *c = s->result.cpus[cpu];

		if (!c)
			continue;
		cpulist_add(&cpus, cpu);
		if (c->conditions.policy == SCHED_FIFO)
			(void)snprintf(schedule, sizeof(schedule), "SCHED_FIFO %d",
				       c->conditions.priority);
	}
	if (s->settings->duration_ns && localtime_r(&end_s, &tm))
		(void)strftime(end, sizeof(end), "%F %T %Z", &tm);
	log_notice("ptpmon latency: cpu %s: %s every %s until %s", cpulist_format(&cpus, list),
		   schedule, nsec_format_duration(s->settings->interval_ns, interval), end);
}

static void show_progress(const struct session *s, const struct latency_window *w)
{
	const struct latency_summary *sum = &s->result.cpus[w->cpu]->summary;
	char age[NSEC_TEXT_MAX];
	int64_t max_ns = 0;
	unsigned cpu = 0;

	(void)latency_result_worst(&s->result, &max_ns, &cpu);
	(void)fprintf(stderr, "\r%s: worst %.1f us (cpu %u)\033[K",
		      nsec_format_age(sum->end_mono_ns - sum->start_mono_ns, age),
		      (double)max_ns / 1000, cpu);
}

static void on_window(void *userdata, const struct latency_window *w)
{
	struct session *s = userdata;

	if (!s->begun) {
		s->begun = true;
		announce(s);
		if (!s->settings->json)
			latency_result_print_conditions(&s->result, stdout);
		(void)fflush(stdout);
	}
	latency_result_add_window(&s->result, w);
	if (s->live && w->cpu < CPULIST_MAX && s->result.cpus[w->cpu])
		show_progress(s, w);
}

static void on_conditions(void *userdata, const struct latency_conditions *c)
{
	struct session *s = userdata;

	latency_result_add_conditions(&s->result, c);
}

/* The first signal asks the sampler for its last windows; the second does not wait for them. */
static void pass_signal(struct session *s)
{
	struct signalfd_siginfo info;

	if (read(s->signal_fd, &info, sizeof(info)) <= 0)
		return;
	(void)kill(s->pid, s->result.interrupted ? SIGKILL : SIGTERM);
	s->result.interrupted = true;
}

static int receive_all(struct session *s)
{
	int r = 0;

	while (r == 0) {
		struct pollfd fds[] = {
			{.fd = s->source.fd, .events = POLLIN},
			{.fd = s->signal_fd, .events = POLLIN},
		};

		if (poll(fds, 2, -1) < 0)
			return -errno;
		if (fds[1].revents)
			pass_signal(s);
		if (fds[0].revents)
			r = latency_receive(&s->source);
	}
	return r < 0 ? r : 0;
}

/* Waits for the sampler. 0, or -ECHILD after it failed (it, or this, has said why). */
static int reap(const struct session *s)
{
	int status;

	while (waitpid(s->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFSIGNALED(status) && !s->result.interrupted)
		(void)options_complain("latency", "the sampler was killed by signal %d (%s)",
				       WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_GOOD ? 0 : -ECHILD;
}

static int measure(struct session *s)
{
	CLEANUP(close_fdp) int ours = -1;
	CLEANUP(close_fdp) int theirs = -1;
	int pair[2];
	int r;
	int reaped;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -errno;
	ours = pair[0];
	theirs = pair[1];
	r = start_sampler(s, theirs);
	if (r < 0)
		return -ECHILD; /* said */
	s->end_utc_ns = nsec_now(CLOCK_REALTIME) + s->settings->duration_ns;
	close_fdp(&theirs);
	s->source = (struct latency_source){ours, on_window, on_conditions, s, 0};
	r = receive_all(s);
	close_fdp(&ours); /* a sampler that still runs ends now */
	s->result.malformed += s->source.malformed;
	reaped = reap(s);
	return r < 0 ? r : reaped;
}

static int print(struct session *s)
{
	if (s->live)
		(void)fputs("\r\033[K", stderr);
	if (s->settings->json) {
		if (latency_result_print_json(&s->result, stdout) < 0)
			return -ENOMEM;
		return 0;
	}
	if (!s->begun)
		latency_result_print_conditions(&s->result, stdout);
	latency_result_print_table(&s->result, stdout);
	return 0;
}

static int open_signals(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* After a failure there is only what was measured until then, if anything was. */
static int print_result(struct session *s, bool failed)
{
	int64_t max_ns;
	unsigned cpu;
	int r = 0;

	s->result.interrupted |= failed;
	if (s->result.no_memory)
		r = -ENOMEM;
	else if (!failed || latency_result_worst(&s->result, &max_ns, &cpu) > 0)
		r = print(s);
	if (r < 0)
		return options_complain("latency", "the result: %s", strerror(-r));
	return options_flush("latency");
}

static int run(struct session *s)
{
	bool told_to_end;
	int printed;
	int r;

	s->signal_fd = open_signals();
	if (s->signal_fd < 0)
		return options_complain("latency", "signals: %s", strerror(errno));
	s->live = !s->settings->json && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
	r = measure(s);
	if (r < 0 && r != -ECHILD)
		(void)options_complain("latency", "the sampler's windows: %s", strerror(-r));
	if (s->result.malformed > 0)
		log_warning("ptpmon latency: messages of the sampler that made no sense: %" PRIu64,
			    s->result.malformed);
	told_to_end = s->result.interrupted;
	printed = print_result(s, r < 0 && !told_to_end);
	close_fdp(&s->signal_fd);
	if (printed != EXIT_GOOD)
		return printed;
	if (told_to_end)
		return EXIT_INTERRUPTED;
	return r < 0 ? EXIT_USAGE : EXIT_GOOD;
}

int cmd_latency(int argc, char **argv)
{
	struct settings settings = {
		.interval_ns = NSEC_PER_MSEC,
		.priority = 98,
		.cpus = "not-isolated",
		.idle_states = "allow",
		.on_refusal = "warn",
	};
	struct session *s;
	int status;

	if (!parse(argc, argv, &settings, &status))
		return status;
	s = calloc(1, sizeof(*s));
	if (!s)
		return options_complain("latency", "%s", strerror(ENOMEM));
	s->settings = &settings;
	status = run(s);
	latency_result_clear(&s->result);
	free(s);
	return status;
}
