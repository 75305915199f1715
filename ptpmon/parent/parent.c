/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/parent/parent.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/exit_status.h"
#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/parent/state.h"

enum { VERIFY_TICKS = 10 }; /* seconds between two readings of the schedules */

#define TICK_NS            NSEC_PER_SEC
#define READY_GRACE_NS     (10 * NSEC_PER_SEC) /* PTP does not wait longer for a slow disk */
#define PATIENCE_NS        NSEC_PER_SEC        /* a wish to stop is told twice only after that */
#define RECORDER_SILENT_NS (90 * NSEC_PER_SEC) /* more than the minute that a disk may stall */

/* Telling */

static void send_to_recorder(struct parent *p, const struct message *m)
{
	if (!recorder_link_send(&p->link, m) && p->link.lost == 1)
		log_warning("recorder: takes no more of what happens: until it does, that is only "
			    "in this log");
}

/* Once it takes again: so that the record itself says what it does not have. */
static void tell_lost(struct parent *p)
{
	char text[STATUS_TEXT_MAX];

	if (!p->link.lost || p->link.n_kept > RECORDER_LINK_OUTBOX_MAX / 2)
		return;
	(void)snprintf(text, sizeof(text),
		       "recorder: %u event%s of children and configuration "
		       "not recorded: it took none",
		       p->link.lost, p->link.lost == 1 ? "" : "s");
	p->link.lost = 0;
	parent_tell_event(p, EVENT_SAMPLES_DROPPED, "recorder", text);
}

static void tell_recorder(struct supervised *s, enum event_code code, const char *text)
{
	struct message m = {
		.kind = MESSAGE_CHILD,
		.mono_ns = nsec_now(CLOCK_MONOTONIC),
		.happened = code != EVENT_CODE_MAX,
		.code = code == EVENT_CODE_MAX ? 0 : code,
		.child = *child_status(s->child),
		.leaving = s->leaving,
		.steer = s->steer,
	};

	m.child.held = s->kind->on_request && !s->steer.given;
	(void)snprintf(m.text, sizeof(m.text), "%s", text);
	send_to_recorder(s->parent, &m);
}

void parent_tell(struct supervised *s, const struct event *e)
{
	tell_recorder(s, e->code, e->text);
	log_line(severity_log_level(e->severity), "%s", e->text);
}

void parent_tell_event(struct parent *p, enum event_code code, const char *subject,
		       const char *text)
{
	struct message m = {
		.kind = MESSAGE_EVENT,
		.mono_ns = nsec_now(CLOCK_MONOTONIC),
		.happened = true,
		.code = code,
	};

	(void)snprintf(m.child.name, sizeof(m.child.name), "%s", subject);
	(void)snprintf(m.text, sizeof(m.text), "%s", text);
	send_to_recorder(p, &m);
	log_line(severity_log_level(event_code_severity(code)), "%s", text);
}

static void introduce_children(struct parent *p)
{
	for (size_t i = 0; i < p->n_children; i++)
		tell_recorder(p->children[i], EVENT_CODE_MAX, "");
}

/* Stopping */

static bool others_are_down(const struct parent *p)
{
	for (size_t i = 1; i < p->n_children; i++)
		if (child_status(p->children[i]->child)->state != CHILD_STOPPED)
			return false;
	return true;
}

static void stop_others(struct parent *p)
{
	p->stopping = true;
	for (size_t i = 1; i < p->n_children; i++)
		child_stop(p->children[i]->child);
	if (others_are_down(p)) /* a monitor without a sampler has none */
		child_stop(parent_recorder(p)->child);
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

/* The recorder last: it records how the others ended. */
static void on_down(void *userdata, struct child *c)
{
	struct supervised *s = userdata;
	struct parent *p = s->parent;

	if (!p->stopping)
		return;
	if (s == parent_recorder(p)) {
		(void)sd_event_exit(p->event, 0);
	} else if (others_are_down(p)) {
		port_priorities_restore(p->priorities);
		child_stop(parent_recorder(p)->child);
	}
}

static bool one_was_given_up(const struct parent *p)
{
	for (size_t i = 0; i < p->n_children; i++)
		if (child_status(p->children[i]->child)->state == CHILD_FAILED)
			return true;
	return false;
}

/* The controlling terminal, if it is still there: its end is a SIGHUP, too. */
static bool has_terminal(void)
{
	CLEANUP(close_fdp) int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0;
}

/*
 * Asked twice: no more patience. Not if both come at once, though: timeout(1) tells its command and
 * then the whole group, a terminal's end is a SIGHUP and a SIGTERM.
 */
static void stop_again(struct parent *p, int signal, int64_t now_ns)
{
	if (signal == SIGHUP)
		return;
	if (!p->asked_to_stop_ns)
		p->asked_to_stop_ns = now_ns;
	if (now_ns - p->asked_to_stop_ns < PATIENCE_NS)
		return;
	log_warning("asked again to stop: what still runs is killed");
	for (size_t i = 0; i < p->n_children; i++)
		child_signal(p->children[i]->child, SIGKILL);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *si, void *userdata)
{
	struct parent *p = userdata;
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);

	if (p->stopping) {
		stop_again(p, (int)si->ssi_signo, now_ns);
		return 0;
	}
	if (si->ssi_signo == SIGHUP && !(p->on_terminal && !has_terminal())) {
		parent_reload(p);
		return 0;
	}
	p->asked_to_stop_ns = now_ns;
	log_notice("stopping on SIG%s", sigabbrev_np((int)si->ssi_signo));
	stop(p, one_was_given_up(p) ? EXIT_BAD : EXIT_GOOD);
	return 0;
}

/* Starting */

static void start_others(struct parent *p)
{
	if (p->others_started || p->stopping)
		return;
	p->others_started = true;
	for (size_t i = 1; i < p->n_children; i++)
		if (!p->children[i]->kind->on_request)
			child_start(p->children[i]->child);
}

static void on_changed(void *userdata, struct child *c, enum event_code code, const char *text)
{
	struct supervised *s = userdata;
	struct parent *p = s->parent;
	bool is_recorder = s == parent_recorder(p);

	if (is_recorder && code != EVENT_CODE_MAX)
		recorder_link_forget_remote(&p->link);
	if (is_recorder && code == EVENT_CHILD_STARTED) {
		p->beat_mono_ns = nsec_now(CLOCK_MONOTONIC);
		introduce_children(p);
	}
	if (code == EVENT_CHILD_STARTED && !is_recorder)
		parent_look_for_threads(p);
	if (code == EVENT_CHILD_EXEC_FAILED && child_first_start_error(c)) {
		cannot_run(p, text);
		return;
	}
	tell_recorder(s, code, text);
	if (code == EVENT_CODE_MAX || (p->stopping && p->status == EXIT_USAGE))
		return; /* the one line that says why it cannot run is out */
	if (is_recorder && code == EVENT_CHILD_STARTED)
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
		tell_lost(p);
		(void)snprintf(status, sizeof(status), "STATUS=%s", m->text);
		(void)sd_notify(false, status);
		break;
	case MESSAGE_RESTART:
	case MESSAGE_STEER:
	case MESSAGE_STOP:
		parent_obey(p, m);
		break;
	case MESSAGE_CHILD:
	case MESSAGE_LEAVE:
	case MESSAGE_EVENT:
	case MESSAGE_KIND_MAX:
		break;
	}
}

int parent_on_link(sd_event_source *source, int fd, uint32_t revents, void *userdata)
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

static void watch_recorder(struct parent *p, int64_t now_ns)
{
	struct child *recorder = parent_recorder(p)->child;

	if (child_status(recorder)->state != CHILD_UP ||
	    now_ns - p->beat_mono_ns <= RECORDER_SILENT_NS)
		return;
	log_error("recorder: silent for 90 s: it is killed and started again");
	p->beat_mono_ns = now_ns;
	child_signal(recorder, SIGKILL);
}

/* What cannot be mended is told once. */
static void keep_runtime(struct parent *p)
{
	char why[RUNTIME_WHY_MAX];
	int r = runtime_keep(&p->runtime, p->places, CONFIG_PTP4L_MAX, why);

	if (r > 0 || (r < 0 && !p->runtime_lost))
		parent_tell_event(p, EVENT_SOCKET_TROUBLE, "runtime", why);
	p->runtime_lost = r < 0;
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
	watch_recorder(p, now_ns);
	if (!p->stopping)
		keep_runtime(p);
	parent_forget_children(p);
	for (size_t i = 0; i < p->n_children; i++)
		if (p->children[i]->kind->tick)
			p->children[i]->kind->tick(p->children[i]);
	if (p->ticks++ % VERIFY_TICKS == 0) {
		for (size_t i = 1; i < p->n_children; i++)
			child_verify(p->children[i]->child);
		port_priorities_check(p->priorities);
		introduce_children(p); /* that we are heard from tells the recorder that it is so */
	}
	(void)sd_event_source_set_time(
		source, (uint64_t)(nsec_next_due((int64_t)usec * NSEC_PER_USEC, TICK_NS,
						 nsec_now(CLOCK_MONOTONIC)) /
				   NSEC_PER_USEC));
	return 0;
}

static const struct child_ops ops = {.plan = parent_plan, .changed = on_changed, .down = on_down};

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
	return r < 0 ? r : 0;
}

static int make_loop(struct parent *p, char *why)
{
	int r = watch(p);

	if (r < 0)
		(void)snprintf(why, RUNTIME_WHY_MAX, "cannot start: %s", strerror(-r));
	return r;
}

static struct parent *parent_free(struct parent *p)
{
	if (!p)
		return NULL;
	parent_free_children(p);
	sd_event_source_unref(p->link_source);
	sd_event_source_unref(p->tick_source);
	recorder_link_close(&p->link);
	sd_event_unref(p->event);
	close_fdp(&p->window_fds[0]);
	close_fdp(&p->window_fds[1]);
	close_fdp(&p->config_fd);
	parent_close_realtime(p);
	port_locks_release(&p->locks);
	runtime_remove(&p->runtime);
	free(p->environment);
	free(p->own_config);
	free(p);
	return NULL;
}

DEFINE_FREEP(struct parent, parent_free)

static struct parent *parent_new(const struct config *config, const char *path)
{
	struct parent *p = calloc(1, sizeof(*p));
	struct config *own = malloc(sizeof(*own));

	if (!p || !own) {
		free(p);
		free(own);
		return NULL;
	}
	*own = *config;
	p->config = p->own_config = own;
	p->config_path = path;
	p->ops = &ops;
	p->on_terminal = has_terminal();
	p->started_mono_ns = nsec_now(CLOCK_MONOTONIC);
	p->runtime.lock_fd = p->config_fd = p->link.fd = p->link.remote_fd = -1;
	p->window_fds[0] = p->window_fds[1] = p->kmsg_fd = -1;
	return p;
}

int parent_run(const struct config *config, const char *path)
{
	CLEANUP(parent_freep) struct parent *p = parent_new(config, path);
	char why[RUNTIME_WHY_MAX] = "out of memory";

	if (!p || parent_set_up(p, why) < 0 || make_loop(p, why) < 0 ||
	    port_locks_move(&p->locks, p->config, why) < 0 || parent_make_children(p, why) < 0 ||
	    parent_move_places(p, p->config, why) < 0) {
		log_error("%s", why);
		return EXIT_USAGE;
	}
	child_start(parent_recorder(p)->child);
	(void)sd_event_loop(p->event);
	return p->status;
}
