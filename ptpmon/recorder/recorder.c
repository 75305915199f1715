/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/recorder/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/exit_status.h"
#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/recorder/state.h"

#define TICK_NS NSEC_PER_SEC

_Static_assert((int)STORE_ERROR_MAX == (int)LISTENER_WHY_MAX, "begin() has one buffer for both");

enum { LAST_RESORT_S = 20 }; /* more than record_close() waits */

/* A timer that never fires, but is cancelled when CLOCK_REALTIME is set. */
static void arm_cancel(struct recorder *rec)
{
	const struct itimerspec never = {.it_value = {.tv_sec = INT32_MAX}};

	(void)timerfd_settime(rec->cancel_fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never,
			      NULL);
}

static int on_clock_set(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct recorder *rec = userdata;
	uint64_t expired;

	(void)!read(fd, &expired, sizeof(expired));
	arm_cancel(rec);
	recorder_clocks(rec, true);
	return 0;
}

static int on_flushed(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct recorder *rec = userdata;
	uint64_t n;

	(void)!read(fd, &n, sizeof(n));
	record_flushed(&rec->record);
	return 0;
}

static bool has_ended(enum event_code code)
{
	return code == EVENT_CHILD_EXITED || code == EVENT_CHILD_STOPPED;
}

static void on_child(struct recorder *rec, const struct message *m)
{
	const char *last_words = "";
	struct event e;

	if (m->leaving)
		recorder_forget_child(rec, m->child.name);
	else
		live_child(&rec->live, &m->child);
	recorder_phc2sys_child(rec, m);
	recorder_feeder_child(rec, m);
	if (!m->happened)
		return;
	if (m->code == EVENT_CHILD_STARTED)
		recorder_child_started(rec, m->child.name, m->mono_ns);
	if (m->code == EVENT_PHC_SET)
		recorder_phc_was_set(rec, m->child.name, m->mono_ns);
	if (m->code == EVENT_CHILD_EXITED)
		recorder_rules_ended(rec, m->child.name, m->mono_ns);
	if (m->code == EVENT_SCHEDULE_MISMATCH || m->code == EVENT_SCHEDULE_PROVEN)
		recorder_audit_soon(rec);
	if (has_ended(m->code))
		last_words = recorder_child_ended(rec, m->child.name);
	if (m->code == EVENT_CHILD_MISCONFIGURED || m->code == EVENT_CHILD_GIVEN_UP)
		last_words = recorder_last_words(rec, m->child.name);
	if (m->code == EVENT_CHILD_STOPPED)
		last_words = ""; /* it was asked to */
	live_said(&rec->live, m->child.name, last_words);
	if (*last_words)
		log_warning("%s: its last words: %s", m->child.name, last_words);
	e = event_make(m->code, m->mono_ns, m->child.name, "%s%s%s", m->text,
		       *last_words ? "; its last words: " : "", last_words);
	(void)snprintf(e.detail, sizeof(e.detail), "{\"pid\":%" PRId64 ",\"starts\":%u}",
		       m->child.pid, m->child.starts);
	record_child_event(&rec->record, &e);
}

static void on_parents_event(struct recorder *rec, const struct message *m)
{
	struct event e = event_make(m->code, m->mono_ns, m->child.name, "%s", m->text);

	record_child_event(&rec->record, &e);
}

static void finish(struct recorder *rec, const char *how)
{
	if (!rec->how)
		rec->how = how;
	(void)sd_event_exit(rec->event, 0);
}

static int on_parent(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct recorder *rec = userdata;
	struct message m;
	int r;

	while ((r = message_receive(fd, &m)) > 0) {
		rec->parent_mono_ns = nsec_now(CLOCK_MONOTONIC);
		if (m.kind == MESSAGE_CHILD)
			on_child(rec, &m);
		else if (m.kind == MESSAGE_LEAVE)
			rec->leaving = true;
		else if (m.kind == MESSAGE_EVENT)
			on_parents_event(rec, &m);
	}
	if (r == 0) {
		(void)alarm(LAST_RESORT_S); /* nobody is left to end a hang */
		finish(rec, "parent-died");
	} else if (r != -EAGAIN) {
		log_error("recorder: the parent speaks another version: was ptpmon upgraded "
			  "while it runs?");
		rec->exit_status = EXIT_BAD;
		finish(rec, "parent-died");
	}
	return 0;
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *si, void *userdata)
{
	struct recorder *rec = userdata;

	(void)on_parent(NULL, rec->options->parent_fd, 0, rec); /* it may have said why */
	finish(rec, "stopped");
	return 0;
}

/* What rec->status says is what STATUS= says. */
static void beat(struct recorder *rec)
{
	struct message m = {.kind = MESSAGE_BEAT, .mono_ns = rec->record.durable_mono_ns};
	char why[STATUS_TEXT_MAX];
	enum status_verdict verdict;

	verdict = status_judge(&rec->status, why);
	(void)snprintf(m.text, sizeof(m.text), "%s: %s", status_verdict_name(verdict), why);
	(void)message_send(rec->options->parent_fd, &m);
}

static int on_tick(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct recorder *rec = userdata;

	recorder_clocks(rec, false);
	recorder_tick_sources(rec);
	recorder_tick_rules(rec);
	recorder_tick_time(rec);
	recorder_tick_phcs(rec);
	recorder_tick_audit(rec);
	rec->ticks++;
	recorder_fill_status(rec);
	recorder_tick_gate(rec);
	recorder_tick_alarms(rec);
	recorder_tick_answers(rec);
	beat(rec);
	control_tell_status(rec->control);
	/* not on a beat of its own: what steers a clock at a beat would always be looked at alike
	 */
	(void)sd_event_source_set_time_relative(source, TICK_NS / NSEC_PER_USEC);
	return 0;
}

static int add_tick(struct recorder *rec)
{
	sd_event_source *tick;
	int r = sd_event_add_time_relative(rec->event, &tick, CLOCK_MONOTONIC,
					   TICK_NS / NSEC_PER_USEC, 0, on_tick, rec);

	if (r < 0)
		return r;
	r = sd_event_source_set_enabled(tick, SD_EVENT_ON);
	if (r >= 0)
		r = sd_event_source_set_floating(tick, true);
	(void)sd_event_source_unref(tick);
	return r;
}

static int watch(struct recorder *rec)
{
	int r = sd_event_add_signal(rec->event, NULL, SIGTERM, on_signal, rec);

	if (r >= 0)
		r = sd_event_add_signal(rec->event, NULL, SIGINT, on_signal, rec);
	if (r >= 0)
		r = sd_event_add_io(rec->event, NULL, rec->options->parent_fd, EPOLLIN, on_parent,
				    rec);
	if (r >= 0)
		r = sd_event_add_io(rec->event, NULL, rec->notify_fd, EPOLLIN, on_flushed, rec);
	if (r >= 0)
		r = sd_event_add_io(rec->event, NULL, rec->cancel_fd, EPOLLIN, on_clock_set, rec);
	if (r >= 0)
		r = add_tick(rec);
	if (r >= 0)
		r = recorder_open_sources(rec);
	if (r >= 0)
		r = recorder_open_audit(rec);
	if (r >= 0)
		r = recorder_follow(rec);
	if (r < 0)
		return r;
	recorder_open_phcs(rec);
	recorder_open_gate(rec);
	return 0;
}

static int make_loop(struct recorder *rec)
{
	int r = sd_event_default(&rec->event);

	if (r < 0)
		return r;
	rec->notify_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rec->cancel_fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (rec->notify_fd < 0 || rec->cancel_fd < 0)
		return -errno;
	arm_cancel(rec);
	return watch(rec);
}

static void name_ports(struct recorder *rec)
{
	const struct config *c = rec->config;

	for (size_t i = 0; i < c->n_ptp4l; i++)
		for (size_t j = 0; j < c->ptp4l[i].interfaces.n; j++)
			rec->ports[rec->n_ports++] = c->ptp4l[i].interfaces.name[j];
}

static int begin(struct recorder *rec)
{
	const struct recorder_options *o = rec->options;
	char why[STORE_ERROR_MAX] = "";
	int r = recorder_look_for_rivals(rec, why, sizeof(why));

	if (r == 0)
		r = record_open(&rec->record, o->config, o->token, o->ptp4l_version, why);
	if (r == 0) {
		*why = '\0';
		rec->record.on_event = recorder_note_event;
		rec->record.userdata = rec;
		recorder_reload_events(rec);
		r = make_loop(rec);
	}
	if (r == 0)
		r = recorder_begin_rules(rec);
	if (r == 0)
		r = recorder_open_answers(rec, why);
	if (r == 0)
		r = record_start(&rec->record, o->config->store.flush_interval_ns, rec->notify_fd);
	if (r < 0 && !*why)
		(void)snprintf(why, sizeof(why), "recorder: cannot start: %s%s", strerror(-r),
			       r == -EAGAIN || r == -ENOMEM || r == -EMFILE
				       ? ": a limit on memory, tasks or files is too low"
				       : "");
	if (r < 0)
		(void)message_tell(rec->options->parent_fd, MESSAGE_CANNOT_RUN, why);
	else
		(void)message_tell(rec->options->parent_fd, MESSAGE_READY, "");
	return r;
}

static void end(struct recorder *rec)
{
	recorder_close_answers(rec);
	recorder_close_phcs(rec);
	recorder_unfollow(rec);
	recorder_close_sources(rec);
	recorder_close_audit(rec);
	recorder_end_rules(rec);
	if (rec->leaving)
		record_leave(&rec->record);
	else
		record_close(&rec->record, rec->how);
	sd_event_unref(rec->event);
	close_fdp(&rec->notify_fd);
	close_fdp(&rec->cancel_fd);
	free(rec);
}

int recorder_run(const struct recorder_options *options)
{
	struct recorder *rec = calloc(1, sizeof(*rec));
	int status = EXIT_USAGE;

	if (!rec)
		return EXIT_USAGE;
	*rec = (struct recorder){
		.options = options,
		.config = options->config,
		.listener = {.fd = -1},
		.notify_fd = -1,
		.cancel_fd = -1,
		.parent_mono_ns = nsec_now(CLOCK_MONOTONIC),
		.started_ns = nsec_now(CLOCK_MONOTONIC),
		.exit_status = EXIT_GOOD,
	};
	recorder_open_alarms(rec);
	(void)gethostname(rec->host, sizeof(rec->host) - 1);
	name_ports(rec);
	recorder_name_ptp4l(rec);
	if (begin(rec) == 0) {
		(void)sd_event_loop(rec->event);
		status = rec->exit_status;
	}
	end(rec);
	return status;
}
