/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes in: ptp4l's answers, latency windows, links, and what children print. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/recorder_state.h"

#define RESUMED_MARGIN_NS NSEC_PER_MSEC /* the same update maps to the axis this exactly */

enum {
	PMC_TURNS = 8,    /* questions in one wake-up */
	FORWARD_MAX = 20, /* lines of a child's output forwarded in ten seconds */
	FORWARD_TICKS = 10,
	MALFORMED_TICKS = 60,
};

static void note_first_data(struct recorder *rec)
{
	if (rec->first_data)
		return;
	rec->first_data = true;
	(void)message_tell(rec->options->parent_fd, MESSAGE_FIRST_DATA, "");
}

static void on_sample(void *userdata, const struct sample *sample)
{
	struct recorder *rec = userdata;

	record_sample(&rec->record, sample);
	note_first_data(rec);
}

static void on_window(void *userdata, const struct latency_window *w)
{
	struct recorder *rec = userdata;

	live_window(&rec->live, w);
	record_window(&rec->record, w);
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

/* ptp4l */

static int on_pmc_timer(sd_event_source *source, uint64_t usec, void *userdata);
static int on_pmc_readable(sd_event_source *source, int fd, uint32_t revents, void *userdata);

static void watch_pmc_fd(struct recorder *rec)
{
	int fd = pmc_source_fd(rec->pmc);

	if (fd == rec->pmc_fd)
		return;
	rec->pmc_io = sd_event_source_disable_unref(rec->pmc_io);
	rec->pmc_fd = fd;
	if (fd < 0)
		return;
	if (sd_event_add_io(rec->event, &rec->pmc_io, fd, EPOLLIN, on_pmc_readable, rec) < 0)
		rec->pmc_fd = -1; /* tried again at the next turn */
	else
		(void)sd_event_source_set_priority(rec->pmc_io, SD_EVENT_PRIORITY_NORMAL - 10);
}

/* Everything due now, then the descriptor and the deadline for what comes next. */
static void advance_pmc(struct recorder *rec)
{
	int64_t due_ns = 0;

	for (int i = 0; i < PMC_TURNS; i++) {
		int64_t now_ns = nsec_now(CLOCK_MONOTONIC);

		pmc_source_advance(rec->pmc, now_ns);
		due_ns = pmc_source_deadline_ns(rec->pmc);
		if (due_ns > now_ns)
			break;
	}
	watch_pmc_fd(rec);
	(void)sd_event_source_set_time(rec->pmc_timer, (uint64_t)(due_ns / NSEC_PER_USEC));
	(void)sd_event_source_set_enabled(rec->pmc_timer, SD_EVENT_ONESHOT);
}

static int on_pmc_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	advance_pmc(userdata);
	return 0;
}

static int on_pmc_readable(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	advance_pmc(userdata);
	return 0;
}

static void on_pmc_event(void *userdata, const struct event *e)
{
	struct recorder *rec = userdata;

	record_event(&rec->record, e);
	if (e->code == EVENT_PORT_STATE)
		note_first_data(rec);
}

/* What children print, and links */

static void on_log_line(void *userdata, enum log_kind kind, const char *text)
{
	struct child_log *log = userdata;

	if (kind == LOG_SAMPLE)
		return;
	(void)snprintf(log->last, sizeof(log->last), "%s", text);
	if (log_level() < LOG_LEVEL_INFO)
		return;
	if (++log->forwarded > FORWARD_MAX)
		log->suppressed++;
	else
		log_info("%s: %s", log->name, text);
}

static int on_log_readable(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct child_log *log = userdata;

	(void)log_source_receive(&log->source);
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
		record_event(log->record, &e);
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

static void on_link_event(void *userdata, const struct event *e)
{
	struct recorder *rec = userdata;
	struct message m = {.kind = MESSAGE_RESTART, .mono_ns = e->mono_ns};

	record_event(&rec->record, e);
	if (e->code != EVENT_LINK_BACK)
		return;
	/* a ptp4l that waits for the interface need not wait out its backoff */
	for (size_t i = 0; i < rec->live.n_children; i++) {
		if (strcmp(rec->live.children[i].name, "ptp4l") != 0 ||
		    rec->live.children[i].state != CHILD_WAITING)
			continue;
		(void)strcpy(m.child.name, "ptp4l");
		(void)snprintf(m.text, sizeof(m.text), "%s is there", e->subject);
		(void)message_send(rec->options->parent_fd, &m);
	}
}

static void tell_malformed(struct recorder *rec)
{
	uint64_t n = pmc_source_port(rec->pmc, 0)->malformed;
	struct event e;

	if (n == rec->malformed_told)
		return;
	e = event_make(EVENT_MALFORMED, nsec_now(CLOCK_MONOTONIC), rec->ports[0],
		       "%s: ignored %" PRIu64 " malformed datagrams on the management socket",
		       rec->ports[0], n - rec->malformed_told);
	rec->malformed_told = n;
	record_event(&rec->record, &e);
}

void recorder_ptp4l_started(struct recorder *rec, int64_t mono_ns)
{
	rec->ptp4l_log.last[0] = '\0';
	pmc_source_restarted(rec->pmc, mono_ns);
	advance_pmc(rec);
}

const char *recorder_child_ended(struct recorder *rec, const char *name)
{
	struct child_log *log = strcmp(name, rec->ptp4l_log.name) == 0     ? &rec->ptp4l_log
				: strcmp(name, rec->latency_log.name) == 0 ? &rec->latency_log
									   : NULL;

	if (!log)
		return "";
	if (log == &rec->ptp4l_log)
		pmc_source_ended(rec->pmc);
	(void)log_source_receive(&log->source); /* its last words may still be in the pipe */
	return log->last;
}

void recorder_tick_sources(struct recorder *rec)
{
	if (rec->ticks % FORWARD_TICKS == 0) {
		tick_log(&rec->ptp4l_log);
		tick_log(&rec->latency_log);
	}
	if (rec->ticks % MALFORMED_TICKS == 0)
		tell_malformed(rec);
}

int recorder_open_sources(struct recorder *rec)
{
	const struct config *c = rec->config;
	const struct interface_list *ports = &c->ptpmon.interfaces;
	int r;

	rec->windows = (struct latency_source){
		.fd = rec->options->window_fd,
		.on_window = on_window,
		.on_conditions = on_conditions,
		.userdata = rec,
	};
	for (size_t i = 0; i < ports->n; i++)
		rec->ports[i] = ports->name[i];
	config_ptp4l_socket(c, rec->socket);
	config_recorder_socket(c, rec->own_path);
	(void)unlink(rec->own_path); /* of a recorder that was killed: the directory is locked */
	r = pmc_source_new(
		&rec->pmc,
		&(struct pmc_source_options){
			.server_path = rec->socket,
			.own_path = rec->own_path,
			.port_names = rec->ports,
			.n_ports = ports->n,
			.slave = c->ptpmon.role == ROLE_SLAVE,
			.real_time_stamps = c->ptp4l.timestamping == TIMESTAMPING_SOFTWARE,
			.stale_after_ns = c->monitor.stale_after_ns,
			.not_before_mono_ns =
				rec->record.resumed_from_mono_ns == TIME_UNKNOWN
					? INT64_MIN
					: rec->record.resumed_from_mono_ns + RESUMED_MARGIN_NS,
			.on_sample = on_sample,
			.on_event = on_pmc_event,
			.userdata = rec,
		});
	if (r < 0)
		return r;
	r = link_source_new(&rec->links, rec->ports, ports->n, on_link_event, rec);
	if (r < 0) {
		log_warning("rtnetlink: %s: changes of the link are not recorded", strerror(-r));
		rec->links = NULL;
	}
	return 0;
}

static int add_log(struct recorder *rec, struct child_log *log, const char *name, int fd)
{
	*log = (struct child_log){
		.source = {.fd = fd, .on_line = on_log_line, .userdata = log},
		.record = &rec->record,
		.name = name,
	};
	return sd_event_add_io(rec->event, NULL, fd, EPOLLIN, on_log_readable, log);
}

int recorder_watch_sources(struct recorder *rec)
{
	const struct recorder_options *o = rec->options;
	/* accuracy 1 us: an update waits for nobody */
	int r = sd_event_add_time(rec->event, &rec->pmc_timer, CLOCK_MONOTONIC, 0, 1, on_pmc_timer,
				  rec);

	if (r >= 0)
		r = sd_event_source_set_priority(rec->pmc_timer, SD_EVENT_PRIORITY_NORMAL - 10);
	if (r >= 0)
		r = sd_event_add_io(rec->event, NULL, o->window_fd, EPOLLIN, on_windows, rec);
	if (r >= 0)
		r = add_log(rec, &rec->ptp4l_log, "ptp4l", o->ptp4l_log_fd);
	if (r >= 0)
		r = add_log(rec, &rec->latency_log, "latency", o->latency_log_fd);
	if (r >= 0 && rec->links)
		r = sd_event_add_io(rec->event, NULL, link_source_fd(rec->links), EPOLLIN, on_link,
				    rec);
	return r < 0 ? r : 0;
}

void recorder_close_sources(struct recorder *rec)
{
	rec->pmc_io = sd_event_source_disable_unref(rec->pmc_io);
	rec->pmc_timer = sd_event_source_disable_unref(rec->pmc_timer);
	rec->pmc = pmc_source_free(rec->pmc);
	rec->links = link_source_free(rec->links);
}
