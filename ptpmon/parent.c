/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/parent.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/exit_status.h"
#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/base/program.h"
#include "ptpmon/child.h"
#include "ptpmon/commands.h"
#include "ptpmon/recorder_link.h"
#include "ptpmon/runtime.h"
#include "ptpmon/supervise/probe.h"

enum {
	PIPE_BYTES = 1 << 20, /* 60 s of a stopped recorder at 128 lines a second */
	WINDOW_BYTES = 1 << 20,
	VERIFY_TICKS = 10, /* seconds between two readings of the schedules */
};

#define TICK_NS            NSEC_PER_SEC
#define READY_GRACE_NS     (10 * NSEC_PER_SEC) /* PTP does not wait longer for a slow disk */
#define RECORDER_SILENT_NS (90 * NSEC_PER_SEC) /* more than the minute that a disk may stall */
#define PROBE_NS           (3 * NSEC_PER_SEC)

/* The recorder is never given up: PTP goes on without it, but not the record. */
static const struct restart_policy recorder_policy = {
	.first_wait_ns = 500 * NSEC_PER_MSEC,
	.longest_wait_ns = 30 * NSEC_PER_SEC,
	.healthy_ns = 10 * NSEC_PER_SEC,
	.stop_timeout_ns = 15 * NSEC_PER_SEC, /* its last flush may wait for the disk */
};

enum which { RECORDER, PTP4L, SAMPLER, CHILDREN };

static const char *const names[CHILDREN] = {
	[RECORDER] = "recorder",
	[PTP4L] = "ptp4l",
	[SAMPLER] = "latency",
};

struct parent {
	const struct config *config;
	struct runtime runtime;
	sd_event *event;
	struct child *children[CHILDREN];
	struct recorder_link link;
	sd_event_source *link_source, *tick_source;
	char **environment;
	char ptp4l_program[CONFIG_PATH_MAX], sampler_program[CONFIG_PATH_MAX];
	struct ptp4l_version ptp4l_version;
	char token[33];           /* names this run for every recorder of it */
	int config_fd;            /* what the recorder reads: the configuration as it is in force */
	int log_fds[CHILDREN][2]; /* children's output: [0] is inherited by each recorder */
	int window_fds[2];        /* latency windows: [0] is inherited by each recorder */
	struct command command;   /* of the child being started */
	int64_t started_mono_ns, beat_mono_ns;
	unsigned ticks;
	bool others_started, first_data, stopping;
	int status; /* exit status */
};

/* Telling */

static void tell_recorder(struct parent *p, const struct child *c, enum event_code code,
			  const char *text)
{
	struct message m = {
		.kind = MESSAGE_CHILD,
		.mono_ns = nsec_now(CLOCK_MONOTONIC),
		.happened = code != EVENT_CODE_MAX,
		.code = code == EVENT_CODE_MAX ? 0 : code,
		.child = *child_status(c),
	};

	(void)snprintf(m.text, sizeof(m.text), "%s", text);
	if (!recorder_link_send(&p->link, &m))
		log_warning("recorder: does not take what happens; not recorded: %s", text);
}

static void introduce_children(struct parent *p)
{
	for (size_t i = 0; i < CHILDREN; i++)
		if (p->children[i])
			tell_recorder(p, p->children[i], EVENT_CODE_MAX, "");
}

/* Stopping */

static void stop_others(struct parent *p)
{
	p->stopping = true;
	child_stop(p->children[PTP4L]);
	if (p->children[SAMPLER])
		child_stop(p->children[SAMPLER]);
}

/* The first reason counts. */
static void stop(struct parent *p, int status)
{
	if (p->stopping)
		return;
	p->status = status;
	(void)sd_notify(false, "STOPPING=1");
	stop_others(p);
}

static void cannot_run(struct parent *p, const char *why)
{
	if (!p->stopping)
		log_error("%s", why);
	stop(p, EXIT_USAGE);
}

static bool is_down(const struct child *c)
{
	return !c || child_status(c)->state == CHILD_STOPPED;
}

/* The recorder last: it records how the others ended. */
static void on_down(void *userdata, struct child *c)
{
	struct parent *p = userdata;

	if (!p->stopping)
		return;
	if (c == p->children[RECORDER])
		(void)sd_event_exit(p->event, 0);
	else if (is_down(p->children[PTP4L]) && is_down(p->children[SAMPLER]))
		child_stop(p->children[RECORDER]);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *si, void *userdata)
{
	struct parent *p = userdata;

	if (p->stopping) { /* asked twice: no more patience */
		for (size_t i = 0; i < CHILDREN; i++)
			if (p->children[i])
				child_signal(p->children[i], SIGKILL);
		return 0;
	}
	log_notice("stopping on SIG%s", sigabbrev_np((int)si->ssi_signo));
	stop(p, child_status(p->children[PTP4L])->state == CHILD_FAILED ? EXIT_BAD : EXIT_GOOD);
	return 0;
}

/* Starting */

static void start_others(struct parent *p)
{
	if (p->others_started || p->stopping)
		return;
	p->others_started = true;
	child_start(p->children[PTP4L]);
	if (p->children[SAMPLER])
		child_start(p->children[SAMPLER]);
}

static void on_changed(void *userdata, struct child *c, enum event_code code, const char *text)
{
	struct parent *p = userdata;

	if (c == p->children[RECORDER] && code != EVENT_CODE_MAX)
		recorder_link_forget_remote(&p->link);
	if (code == EVENT_CHILD_STARTED && c == p->children[RECORDER]) {
		p->beat_mono_ns = nsec_now(CLOCK_MONOTONIC);
		introduce_children(p);
	}
	if (code == EVENT_CHILD_EXEC_FAILED && child_first_start_error(c)) {
		cannot_run(p, text);
		return;
	}
	tell_recorder(p, c, code, text);
	if (code == EVENT_CODE_MAX || (p->stopping && p->status == EXIT_USAGE))
		return; /* the one line that says why it cannot run is out */
	if (c == p->children[RECORDER] && code == EVENT_CHILD_STARTED)
		log_info("%s", text);
	else
		log_line(severity_log_level(event_code_severity(code)), "%s", text);
}

static void on_message(struct parent *p, const struct message *m)
{
	char status[sizeof(m->text) + 16];

	switch (m->kind) {
	case MESSAGE_READY:
		start_others(p);
		break;
	case MESSAGE_CANNOT_RUN:
		if (p->others_started)
			log_error("recorder: %s", m->text);
		else
			cannot_run(p, m->text);
		break;
	case MESSAGE_FIRST_DATA:
		p->first_data = true;
		(void)sd_notify(false, "READY=1");
		break;
	case MESSAGE_BEAT:
		p->beat_mono_ns = nsec_now(CLOCK_MONOTONIC);
		recorder_link_acknowledge(&p->link, m->mono_ns);
		(void)snprintf(status, sizeof(status), "STATUS=%s", m->text);
		(void)sd_notify(false, status);
		break;
	case MESSAGE_RESTART:
		for (size_t i = 0; i < CHILDREN && !p->stopping; i++)
			if (p->children[i] && strcmp(names[i], m->child.name) == 0) {
				log_notice("%s: restart: %s", names[i], m->text);
				child_restart(p->children[i]);
			}
		break;
	case MESSAGE_CHILD:
	case MESSAGE_KIND_MAX:
		break;
	}
}

static int on_link(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct parent *p = userdata;
	struct message m;
	int r;

	while ((r = message_receive(fd, &m)) > 0)
		on_message(p, &m);
	if (r == -EAGAIN) {
		recorder_link_flush(&p->link);
		return 0;
	}
	/* it ended, or it talks nonsense: its exit, or its silence, will be noticed */
	p->link_source = sd_event_source_unref(p->link_source);
	recorder_link_close(&p->link);
	return 0;
}

static int on_tick(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct parent *p = userdata;
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);

	recorder_link_flush(&p->link);
	if (now_ns - p->started_mono_ns > READY_GRACE_NS) {
		start_others(p);
		if (!p->first_data)
			on_message(p, &(struct message){.kind = MESSAGE_FIRST_DATA});
	}
	if (child_status(p->children[RECORDER])->state == CHILD_UP &&
	    now_ns - p->beat_mono_ns > RECORDER_SILENT_NS) {
		log_error("recorder: silent for 90 s: it is killed and started again");
		p->beat_mono_ns = now_ns;
		child_signal(p->children[RECORDER], SIGKILL);
	}
	if (p->ticks++ % VERIFY_TICKS == 0) {
		child_verify(p->children[PTP4L]);
		introduce_children(p); /* that we are heard from tells the recorder that it is so */
	}
	(void)sd_event_source_set_time_relative(source, TICK_NS / NSEC_PER_USEC);
	return 0;
}

static int pass_fd(struct spawn_plan *plan, int fd)
{
	plan->fds[plan->n_fds++] = fd;
	return fd;
}

static int plan_recorder(struct parent *p, struct spawn_plan *plan)
{
	int r = recorder_link_renew(&p->link);

	if (r < 0)
		return r;
	p->link_source = sd_event_source_unref(p->link_source);
	r = sd_event_add_io(p->event, &p->link_source, p->link.fd, EPOLLIN, on_link, p);
	if (r >= 0) /* before its exit: the last thing it says tells what that means */
		r = sd_event_source_set_priority(p->link_source, SD_EVENT_PRIORITY_IMPORTANT - 1);
	if (r < 0)
		return r;
	command_add(&p->command, "ptpmon");
	command_add(&p->command, "recorder");
	if (log_level() >= LOG_LEVEL_INFO)
		command_add(&p->command, "--verbose");
	command_add(&p->command, "--token=%s", p->token);
	command_add(&p->command, "--ptp4l-version=%s", p->ptp4l_version.text);
	command_add(&p->command, "--started-ns=%" PRId64, p->started_mono_ns);
	command_add(&p->command, "--parent-fd=%d", pass_fd(plan, p->link.remote_fd));
	command_add(&p->command, "--config-fd=%d", pass_fd(plan, p->config_fd));
	command_add(&p->command, "--ptp4l-log-fd=%d", pass_fd(plan, p->log_fds[PTP4L][0]));
	command_add(&p->command, "--latency-log-fd=%d", pass_fd(plan, p->log_fds[SAMPLER][0]));
	command_add(&p->command, "--window-fd=%d", pass_fd(plan, p->window_fds[0]));
	plan->program = "/proc/self/exe";
	plan->drop_privileges = true;
	return 0;
}

static int plan_ptp4l(struct parent *p, struct spawn_plan *plan, char *why)
{
	const struct interface_list *ports = &p->config->ptpmon.interfaces;
	char problem[RUNTIME_WHY_MAX];

	for (size_t i = 0; i < ports->n; i++) {
		if (if_nametoindex(ports->name[i]))
			continue;
		(void)snprintf(why, STATUS_TEXT_MAX, "%s: no such interface: ptp4l waits for it",
			       ports->name[i]);
		return -EAGAIN;
	}
	if (runtime_check_socket(&p->runtime, problem) < 0) {
		(void)snprintf(why, STATUS_TEXT_MAX, "%.*s", STATUS_TEXT_MAX - 1, problem);
		return -EAGAIN;
	}
	plan->program = p->ptp4l_program;
	plan->output_fd = p->log_fds[PTP4L][1];
	plan->must_schedule = p->config->realtime.on_refusal == ON_REFUSAL_FAIL;
	plan->death_signal = SIGKILL;
	if (schedule_ptp4l(p->config, &plan->schedule) < 0)
		return -ENODEV;
	return command_ptp4l(&p->command, p->config, p->ptp4l_program, &p->ptp4l_version);
}

static int plan_sampler(struct parent *p, struct spawn_plan *plan)
{
	plan->program = p->sampler_program;
	plan->output_fd = p->log_fds[SAMPLER][1];
	plan->schedules_itself = true; /* and tells the recorder what its threads read back */
	return command_sampler(&p->command, p->config, p->sampler_program,
			       pass_fd(plan, p->window_fds[1]));
}

static int on_plan(void *userdata, struct child *c, struct spawn_plan *plan,
		   char why[static STATUS_TEXT_MAX])
{
	struct parent *p = userdata;
	int r;

	p->command.n = p->command.used = 0;
	p->command.too_long = false;
	plan->argv = p->command.argv;
	plan->envp = p->environment;
	if (c == p->children[RECORDER])
		r = plan_recorder(p, plan);
	else if (c == p->children[PTP4L])
		r = plan_ptp4l(p, plan, why);
	else
		r = plan_sampler(p, plan);
	return r;
}

static const struct child_ops ops = {.plan = on_plan, .changed = on_changed, .down = on_down};

/* What is made once, before anything runs */

static int find_programs(struct parent *p, char *why)
{
	char *const version_argv[] = {p->ptp4l_program, "-v", NULL};
	char version[64] = "";
	int r = spawn_find_program(p->config->ptp4l.program, p->ptp4l_program,
				   sizeof(p->ptp4l_program));

	if (r < 0) {
		(void)snprintf(why, RUNTIME_WHY_MAX,
			       "%s: %s: install linuxptp, or set [ptp4l] program",
			       p->config->ptp4l.program, strerror(-r));
		return r;
	}
	(void)probe_first_line(version_argv, PROBE_NS, version, sizeof(version));
	p->ptp4l_version = ptp4l_version_parse(version);
	if (!p->config->latency.on)
		return 0;
	r = program_find("ptpmon-sampler", "ptpmon/latency", p->sampler_program,
			 sizeof(p->sampler_program));
	if (r < 0)
		(void)snprintf(why, RUNTIME_WHY_MAX,
			       "%s: %s: install ptpmon whole, or set "
			       "[latency] on = no",
			       p->sampler_program, strerror(-r));
	return r;
}

/* With on_refusal = fail a refused priority is known before anything runs. */
static int try_schedule(const struct parent *p, char *why)
{
	char cause[SCHEDULE_WHY_MAX];
	struct schedule s = {0};
	int r;

	if (p->config->realtime.on_refusal != ON_REFUSAL_FAIL)
		return 0;
	r = schedule_ptp4l(p->config, &s);
	if (r == 0)
		r = schedule_try(&s);
	if (r == 0)
		return 0;
	schedule_explain_refusal(-r, cause);
	(void)snprintf(why, RUNTIME_WHY_MAX,
		       "ptp4l: cannot run %s %d: %s; [realtime] on_refusal = warn goes on without",
		       schedule_policy_name(s.policy), s.priority, cause);
	return r;
}

/* The configuration as the recorder reads it: the text cannot change under it. */
static int make_config_fd(struct parent *p)
{
	CLEANUP(freep) char *text = config_to_text(p->config);
	CLEANUP(close_fdp) int fd = memfd_create("ptpmon.conf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t len = text ? strlen(text) : 0;

	if (!text)
		return -ENOMEM;
	if (fd < 0 || write(fd, text, len) != (ssize_t)len ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return -errno;
	p->config_fd = steal_fd(&fd);
	return 0;
}

/* Neither end ever blocks anybody: what does not fit is lost, and the reader sees the hole. */
static int make_channels(struct parent *p)
{
	int bytes = WINDOW_BYTES;

	for (size_t i = PTP4L; i < CHILDREN; i++) {
		if (pipe2(p->log_fds[i], O_CLOEXEC | O_NONBLOCK) < 0)
			return -errno;
		(void)fcntl(p->log_fds[i][1], F_SETPIPE_SZ, PIPE_BYTES);
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, p->window_fds) <
	    0)
		return -errno;
	(void)setsockopt(p->window_fds[1], SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
	return 0;
}

static int make_token(struct parent *p)
{
	uint8_t random[16];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -errno;
	for (size_t i = 0; i < sizeof(random); i++)
		(void)snprintf(p->token + 2 * i, 3, "%02x", random[i]);
	return 0;
}

static bool is_ignored(int signal)
{
	struct sigaction now;

	return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static int watch(struct parent *p)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
	int r = sd_event_default(&p->event);

	for (size_t i = 0; r >= 0 && i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!is_ignored(signals[i])) /* as nohup does, for one who logs out */
			r = sd_event_add_signal(p->event, NULL, signals[i], on_signal, p);
	if (r >= 0)
		r = sd_event_add_time_relative(p->event, &p->tick_source, CLOCK_MONOTONIC,
					       TICK_NS / NSEC_PER_USEC, 0, on_tick, p);
	if (r >= 0)
		r = sd_event_source_set_enabled(p->tick_source, SD_EVENT_ON);
	if (r >= 0)
		r = sd_event_set_watchdog(p->event, true);
	for (size_t i = 0; r >= 0 && i < CHILDREN; i++)
		if (i != SAMPLER || p->config->latency.on)
			r = child_new(&p->children[i], p->event, names[i],
				      i == RECORDER ? &recorder_policy : &restart_default_policy,
				      &ops, p);
	return r < 0 ? r : 0;
}

static int make_all(struct parent *p, char *why)
{
	int r = make_token(p);

	if (r == 0)
		r = make_config_fd(p);
	if (r == 0)
		r = make_channels(p);
	p->environment = spawn_environment();
	if (r == 0 && !p->environment)
		r = -ENOMEM;
	if (r == 0)
		r = watch(p);
	if (r < 0)
		(void)snprintf(why, RUNTIME_WHY_MAX, "cannot start: %s", strerror(-r));
	return r;
}

static void free_all(struct parent *p)
{
	for (size_t i = 0; i < CHILDREN; i++) {
		p->children[i] = child_free(p->children[i]);
		close_fdp(&p->log_fds[i][0]);
		close_fdp(&p->log_fds[i][1]);
	}
	sd_event_source_unref(p->link_source);
	sd_event_source_unref(p->tick_source);
	recorder_link_close(&p->link);
	sd_event_unref(p->event);
	close_fdp(&p->window_fds[0]);
	close_fdp(&p->window_fds[1]);
	close_fdp(&p->config_fd);
	free(p->environment);
	free(p);
}

static struct parent *parent_new(const struct config *config)
{
	struct parent *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->config = config;
	p->started_mono_ns = nsec_now(CLOCK_MONOTONIC);
	p->runtime.lock_fd = p->config_fd = p->link.fd = p->link.remote_fd = -1;
	p->window_fds[0] = p->window_fds[1] = -1;
	for (size_t i = 0; i < CHILDREN; i++)
		p->log_fds[i][0] = p->log_fds[i][1] = -1;
	return p;
}

int parent_run(const struct config *config)
{
	struct parent *p = parent_new(config);
	char why[RUNTIME_WHY_MAX] = "out of memory";
	int status;

	if (!p || find_programs(p, why) < 0 || try_schedule(p, why) < 0 ||
	    runtime_prepare(&p->runtime, config, why) < 0 || make_all(p, why) < 0) {
		log_error("%s", why);
		status = EXIT_USAGE;
	} else {
		child_start(p->children[RECORDER]);
		(void)sd_event_loop(p->event);
		status = p->status;
	}
	if (p) {
		runtime_remove(&p->runtime);
		free_all(p);
	}
	return status;
}
