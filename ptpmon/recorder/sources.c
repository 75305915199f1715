/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes in beside ptp4l's answers: latency windows, links, and what children print. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/recorder/state.h"

enum {
	FORWARD_MAX = 20, /* lines of a child's output forwarded in ten seconds */
	JOURNAL_MAX = 200,
	FORWARD_TICKS = 10,
	MALFORMED_TICKS = 60,
};

void recorder_note_data(struct recorder *rec)
{
	if (rec->first_data)
		return;
	rec->first_data = true;
	(void)message_tell(rec->options->parent_fd, MESSAGE_FIRST_DATA, "");
}

static void on_window(void *userdata, const struct latency_window *w)
{
	struct recorder *rec = userdata;

	live_window(&rec->live, w);
	record_window(&rec->record, w);
	recorder_judge_window(rec, w);
}

static void on_conditions(void *userdata, const struct latency_conditions *c)
{
	struct recorder *rec = userdata;
	char problem[CONDITIONS_TEXT_MAX];
	char subject[32];
	struct event e;

	if (!live_conditions(&rec->live, c))
		return;
	(void)snprintf(subject, sizeof(subject), "cpu %u", c->cpu);
	conditions_problem(c, problem);
	if (*problem)
		e = event_make(EVENT_NOT_REALTIME, nsec_now(CLOCK_MONOTONIC), subject,
			       "latency: %s: NOT REAL-TIME: %s", subject, problem);
	else
		e = event_make(EVENT_SAMPLER_CONDITIONS, nsec_now(CLOCK_MONOTONIC), subject,
			       "latency: %s: priority %d, memory locked, idle states %s, clock %s",
			       subject, c->priority, c->idle_states_held ? "held off" : "allowed",
			       c->clocksource);
	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"idle_states_held\":%s,\"interval_ns\":%" PRId64 "}",
		       c->idle_states_held ? "true" : "false", c->interval_ns);
	record_event(&rec->record, &e);
}

/* The journal has all of it, under the child's name; a terminal what was asked for. */
static void forward(struct child_log *log, const char *text)
{
	bool journal = log->journal.fd >= 0;

	if (!journal && log_level() < LOG_LEVEL_INFO)
		return;
	if (++log->forwarded > (journal ? JOURNAL_MAX : FORWARD_MAX))
		log->suppressed++;
	else if (!journal_stream_line(&log->journal, LOG_LEVEL_INFO, text))
		log_info("%s: %s", log->name, text);
}

static void on_log_line(void *userdata, enum log_kind kind, const char *text)
{
	struct child_log *log = userdata;

	recorder_rules_line(log, kind, text);
	if (kind == LOG_SAMPLE) {
		recorder_phc2sys_line(log->rec, log->name, log->source.line);
		return;
	}
	(void)snprintf(log->last, sizeof(log->last), "%s", text);
	forward(log, text);
}

static int on_log_readable(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct child_log *log = userdata;

	(void)log_source_receive(&log->source);
	/* the parent has let go of a child that is no longer configured: nothing comes any more */
	if ((revents & EPOLLHUP) && !(revents & EPOLLIN))
		(void)sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return 0;
}

static void tick_log(struct child_log *log)
{
	if (log->suppressed)
		log_info("%s: %u more lines in ten seconds", log->name, log->suppressed);
	log->forwarded = log->suppressed = 0;
	if (log->source.holes > log->holes_told) {
		struct event e = event_make(EVENT_LOG_HOLE, nsec_now(CLOCK_MONOTONIC), log->name,
					    "%s: output was lost in %" PRIu64 " places", log->name,
					    log->source.holes - log->holes_told);

		log->holes_told = log->source.holes;
		record_event(&log->rec->record, &e);
	}
}

static int on_windows(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct recorder *rec = userdata;

	if (latency_receive(&rec->windows) == LATENCY_SAMPLER_GONE)
		(void)sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return 0;
}

static int on_link(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct recorder *rec = userdata;

	(void)link_source_receive(rec->links);
	return 0;
}

/* The one that has that port. */
static struct followed *followed_on(struct recorder *rec, const char *port)
{
	for (size_t i = 0; i < rec->n_ptp4l; i++)
		for (size_t j = 0; j < rec->ptp4l[i].config->interfaces.n; j++)
			if (strcmp(rec->ptp4l[i].config->interfaces.name[j], port) == 0)
				return &rec->ptp4l[i];
	return NULL;
}

/* A ptp4l that waits for the interface need not wait out its backoff. */
static void wake_waiting(struct recorder *rec, const struct event *e)
{
	const struct followed *f = followed_on(rec, e->subject);
	struct message m = {.kind = MESSAGE_RESTART, .mono_ns = e->mono_ns};

	for (size_t i = 0; f && i < rec->live.n_children; i++) {
		if (strcmp(rec->live.children[i].name, f->config->child) != 0 ||
		    (rec->live.children[i].state != CHILD_WAITING &&
		     rec->live.children[i].state != CHILD_FAILED))
			continue;
		(void)strcpy(m.child.name, f->config->child);
		(void)snprintf(m.text, sizeof(m.text), "%s is there", e->subject);
		(void)message_send(rec->options->parent_fd, &m);
	}
}

static void on_link_event(void *userdata, const struct event *e)
{
	struct recorder *rec = userdata;
	struct followed *f;

	record_event(&rec->record, e);
	if (e->code == EVENT_LINK_BACK)
		wake_waiting(rec, e);
	f = followed_on(rec, e->subject);
	if (f)
		recorder_judge_ptp4l(f); /* it may be back before the next look */
}

static struct child_log *log_of(struct recorder *rec, const char *name)
{
	for (size_t i = 0; i < rec->n_logs; i++)
		if (strcmp(rec->logs[i].name, name) == 0)
			return &rec->logs[i];
	return NULL;
}

void recorder_child_started(struct recorder *rec, const char *name, int64_t mono_ns)
{
	struct followed *f = recorder_followed(rec, name);

	if (f)
		recorder_ptp4l_started(f, mono_ns);
	recorder_audit_soon(rec);
}

const char *recorder_child_ended(struct recorder *rec, const char *name)
{
	struct followed *f = recorder_followed(rec, name);
	struct child_log *log = log_of(rec, name);

	if (f)
		recorder_ptp4l_ended(f);
	if (!log)
		return "";
	(void)log_source_receive(&log->source); /* its last words may still be in the pipe */
	/* not at its start: a child that ends at once is read before its start is told */
	memcpy(log->last_words, log->last, sizeof(log->last));
	log->last[0] = '\0';
	return log->last_words;
}

const char *recorder_last_words(struct recorder *rec, const char *name)
{
	const struct child_log *log = log_of(rec, name);

	return log ? log->last_words : "";
}

void recorder_tick_sources(struct recorder *rec)
{
	for (size_t i = 0; i < rec->n_logs && rec->ticks % FORWARD_TICKS == 0; i++)
		tick_log(&rec->logs[i]);
	for (size_t i = 0; i < rec->n_ptp4l && rec->ticks % MALFORMED_TICKS == 0; i++)
		recorder_tick_ptp4l(&rec->ptp4l[i]);
}

/* "ptp4l" of "ptp4l backbone". */
static const char *program_of(const char *child)
{
	return strncmp(child, "phc2sys", 7) == 0 ? "phc2sys"
	       : strncmp(child, "ptp4l", 5) == 0 ? "ptp4l"
						 : child;
}

static int add_log(struct recorder *rec, const char *name, int fd)
{
	struct child_log *log = &rec->logs[rec->n_logs++];
	struct followed *f = recorder_followed(rec, name);

	if (f)
		f->log = log;
	*log = (struct child_log){
		.source = {.fd = fd, .on_line = on_log_line, .userdata = log},
		.rec = rec,
		.name = name,
		.steers = recorder_child_steers(rec, name),
		.complaints = {.program = program_of(name),
			       .name = name,
			       .major = (unsigned)strtoul(rec->options->ptp4l_version, NULL, 10)},
	};
	journal_stream_open(&log->journal, name);
	return sd_event_add_io(rec->event, NULL, fd, EPOLLIN, on_log_readable, log);
}

static int family_of(enum transport transport)
{
	return transport == TRANSPORT_UDPV4   ? AF_INET
	       : transport == TRANSPORT_UDPV6 ? AF_INET6
					      : AF_UNSPEC;
}

static int open_links(struct recorder *rec)
{
	size_t port = 0;
	int r = link_source_new(&rec->links, rec->ports, rec->n_ports, on_link_event, rec);

	for (size_t i = 0; r == 0 && i < rec->config->n_ptp4l; i++)
		for (size_t k = 0; k < rec->config->ptp4l[i].interfaces.n; k++)
			link_source_needs(rec->links, port++,
					  family_of(rec->config->ptp4l[i].transport));
	if (r == 0)
		return sd_event_add_io(rec->event, NULL, link_source_fd(rec->links), EPOLLIN,
				       on_link, rec);
	log_warning("rtnetlink: %s: changes of the link are not recorded", strerror(-r));
	rec->links = NULL;
	return 0;
}

int recorder_open_sources(struct recorder *rec)
{
	const struct recorder_options *o = rec->options;
	int r;

	rec->windows = (struct latency_source){
		.fd = o->window_fd,
		.on_window = on_window,
		.on_conditions = on_conditions,
		.userdata = rec,
	};
	r = sd_event_add_io(rec->event, NULL, o->window_fd, EPOLLIN, on_windows, rec);
	for (size_t i = 0; r >= 0 && i < o->n_logs; i++)
		r = add_log(rec, o->logs[i].name, o->logs[i].fd);
	return r < 0 ? r : open_links(rec);
}

void recorder_close_sources(struct recorder *rec)
{
	rec->links = link_source_free(rec->links);
	for (size_t i = 0; i < rec->n_logs; i++)
		journal_stream_close(&rec->logs[i].journal);
}
