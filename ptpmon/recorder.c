/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "config.h"
#include "pmc-client/pmc-client.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/exit_status.h"
#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/latency.h"
#include "ptpmon/collect/link.h"
#include "ptpmon/collect/log.h"
#include "ptpmon/collect/pmc.h"
#include "ptpmon/live.h"
#include "ptpmon/model/timemap.h"
#include "ptpmon/report/status_json.h"
#include "ptpmon/serve/control.h"
#include "ptpmon/serve/listener.h"
#include "ptpmon/store/store.h"
#include "ptpmon/supervise/message.h"

#define TICK_NS           NSEC_PER_SEC
#define MINUTE_NS         (60 * NSEC_PER_SEC)
#define STEP_LIMIT_NS     NSEC_PER_MSEC       /* a step of CLOCK_REALTIME is more than this */
#define CLOSE_NS          (10 * NSEC_PER_SEC) /* less than the parent's patience */
#define RESUMED_MARGIN_NS NSEC_PER_MSEC       /* the same update maps to the axis this exactly */

enum {
	NO_SERIES = -1,
	PMC_TURNS = 8,    /* questions in one wake-up */
	FORWARD_MAX = 20, /* lines of a child's output forwarded in ten seconds */
	FORWARD_TICKS = 10,
	MALFORMED_TICKS = 60,
};

struct child_log {
	struct log_source source;
	struct recorder *recorder;
	const char *name;
	unsigned forwarded, suppressed; /* in these ten seconds */
	uint64_t holes_told;
};

struct recorder {
	const struct recorder_options *options;
	const struct config *config;
	sd_event *event;
	struct store *store;
	struct pmc_source *pmc;
	struct link_source *links;
	struct latency_source windows;
	struct child_log ptp4l_log, latency_log;
	struct listener listener;
	struct control *control;
	struct live live;
	struct status status; /* the one being asked for */
	sd_event_source *pmc_io, *pmc_timer;
	int pmc_fd; /* what pmc_io watches */
	int notify_fd, cancel_fd;
	const char *ports[CONFIG_INTERFACES_MAX];
	char socket[CONFIG_PATH_MAX], own_path[CONFIG_PATH_MAX];
	char host[65];

	unsigned n_series;
	int offset_series;
	int cpu_series[CPULIST_MAX];
	struct clock_anchor anchor; /* the newest */
	int64_t started_mono_ns, resumed_from_mono_ns;
	bool gap_open; /* a resumed run has no offset yet */
	bool store_ok, first_data;
	char phase[CONTROL_PHASE_MAX + 1];
	int64_t phase_since_mono_ns;
	uint64_t malformed_told;
	unsigned ticks;
	const char *how; /* it ended */
	int status_code;
};

/* Recording */

static enum log_level level_of(enum severity severity)
{
	static const enum log_level levels[SEVERITY_MAX] = {
		[SEVERITY_INFO] = LOG_LEVEL_INFO,
		[SEVERITY_NOTICE] = LOG_LEVEL_NOTICE,
		[SEVERITY_WARNING] = LOG_LEVEL_WARNING,
		[SEVERITY_ERROR] = LOG_LEVEL_ERROR,
	};

	return levels[severity];
}

/* An event that is not yet in anybody's log. */
static void record_event(void *userdata, const struct event *e)
{
	struct recorder *rec = userdata;

	log_line(level_of(e->severity), "%s", e->text);
	(void)store_put_event(rec->store, e);
	if (e->severity >= SEVERITY_NOTICE)
		store_kick(rec->store);
}

static int declare_series(struct recorder *rec, enum series_kind kind, const char *source,
			  const char *subject)
{
	struct series series = {.kind = kind, .unit = "ns"};

	(void)snprintf(series.source, sizeof(series.source), "%s", source);
	(void)snprintf(series.subject, sizeof(series.subject), "%s", subject);
	if (store_put_series(rec->store, &series) < 0)
		return NO_SERIES;
	return (int)rec->n_series++;
}

static void tell_parent(struct recorder *rec, enum message_kind kind, const char *text)
{
	struct message m = {.kind = kind, .mono_ns = nsec_now(CLOCK_MONOTONIC)};

	(void)snprintf(m.text, sizeof(m.text), "%s", text);
	(void)message_send(rec->options->parent_fd, &m);
}

static void note_first_data(struct recorder *rec)
{
	if (rec->first_data)
		return;
	rec->first_data = true;
	tell_parent(rec, MESSAGE_FIRST_DATA, "");
}

/* What a recorder that was killed left open ends with the first offset, or with the run. */
static void close_gap(struct recorder *rec, int64_t to_mono_ns)
{
	struct event e;

	if (!rec->gap_open)
		return;
	rec->gap_open = false;
	e = event_make(EVENT_GAP, to_mono_ns, rec->ports[0],
		       "%s: no offsets for %.1f s: the recorder was started again", rec->ports[0],
		       (double)(to_mono_ns - rec->resumed_from_mono_ns) / 1e9);
	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"from_mono_ns\":\"%" PRId64 "\",\"to_mono_ns\":\"%" PRId64 "\"}",
		       rec->resumed_from_mono_ns, to_mono_ns);
	record_event(rec, &e);
}

static void on_sample(void *userdata, const struct sample *sample)
{
	struct recorder *rec = userdata;
	struct sample s = *sample;

	if (rec->offset_series == NO_SERIES)
		return;
	close_gap(rec, s.mono_ns);
	s.series = (unsigned)rec->offset_series;
	(void)store_put_sample(rec->store, &s);
	note_first_data(rec);
}

static void on_window(void *userdata, const struct latency_window *w)
{
	struct recorder *rec = userdata;
	char subject[32];
	int *series;

	if (w->cpu >= CPULIST_MAX)
		return;
	series = &rec->cpu_series[w->cpu];
	if (*series == NO_SERIES) {
		(void)snprintf(subject, sizeof(subject), "cpu %u", w->cpu);
		*series = declare_series(rec, SERIES_LATENCY, "latency", subject);
	}
	live_window(&rec->live, w);
	if (*series != NO_SERIES)
		(void)store_put_window(rec->store, (unsigned)*series, w);
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
	record_event(rec, &e);
}

/* The clocks */

static void take_anchor(struct recorder *rec, enum anchor_reason reason)
{
	rec->anchor = clock_anchor_take(reason);
	(void)store_put_anchor(rec->store, &rec->anchor);
}

static void look_for_step(struct recorder *rec)
{
	struct clock_anchor now = clock_anchor_take(ANCHOR_STEP);
	int64_t step_ns;
	struct event e;

	if (!clock_anchor_stepped(&rec->anchor, &now, STEP_LIMIT_NS, &step_ns))
		return;
	rec->anchor = now;
	(void)store_put_anchor(rec->store, &now);
	e = event_make(EVENT_CLOCK_STEPPED, now.mono_ns, "CLOCK_REALTIME",
		       "CLOCK_REALTIME: stepped by %+.6f s", (double)step_ns / 1e9);
	(void)snprintf(e.detail, sizeof(e.detail), "{\"step_ns\":%" PRId64 "}", step_ns);
	record_event(rec, &e);
}

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
	look_for_step(rec);
	return 0;
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

	record_event(rec, e);
	if (e->code == EVENT_PORT_STATE)
		note_first_data(rec);
}

/* Children: what the parent tells, and what they print */

static void on_child(struct recorder *rec, const struct message *m)
{
	struct event e;

	live_child(&rec->live, &m->child);
	if (m->code == EVENT_CHILD_STARTED && m->happened && strcmp(m->child.name, "ptp4l") == 0) {
		pmc_source_restarted(rec->pmc, m->mono_ns);
		advance_pmc(rec);
	}
	if (!m->happened)
		return;
	e = event_make(m->code, m->mono_ns, m->child.name, "%s", m->text);
	(void)snprintf(e.detail, sizeof(e.detail), "{\"pid\":%" PRId64 ",\"starts\":%u}",
		       m->child.pid, m->child.starts);
	(void)store_put_event(rec->store, &e); /* the parent has logged it */
	if (e.severity >= SEVERITY_NOTICE)
		store_kick(rec->store);
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

	while ((r = message_receive(fd, &m)) > 0)
		if (m.kind == MESSAGE_CHILD)
			on_child(rec, &m);
	if (r == 0) {
		(void)alarm(CLOSE_NS / NSEC_PER_SEC + 5); /* nobody is left to end a hang */
		finish(rec, "parent-died");
	} else if (r != -EAGAIN) {
		log_error("recorder: the parent speaks another version: was ptpmon upgraded "
			  "while it runs?");
		rec->status_code = EXIT_BAD;
		finish(rec, "parent-died");
	}
	return 0;
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *si, void *userdata)
{
	finish(userdata, "stopped");
	return 0;
}

static void on_log_line(void *userdata, enum log_kind kind, const char *text)
{
	struct child_log *log = userdata;

	if (kind == LOG_SAMPLE)
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
		log_notice("%s: %u more lines in ten seconds", log->name, log->suppressed);
	log->forwarded = log->suppressed = 0;
	if (log->source.holes > log->holes_told) {
		struct event e = event_make(EVENT_LOG_HOLE, nsec_now(CLOCK_MONOTONIC), log->name,
					    "%s: output was lost in %" PRIu64 " places", log->name,
					    log->source.holes - log->holes_told);

		log->holes_told = log->source.holes;
		record_event(log->recorder, &e);
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

	record_event(rec, e);
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

/* The store */

static int on_flushed(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct recorder *rec = userdata;
	struct store_health h = store_health(rec->store);
	uint64_t n;

	(void)!read(fd, &n, sizeof(n));
	if (rec->store_ok && !h.ok) /* the record says so itself when it can be written again */
		log_error("%s: %s: recording goes on in memory", store_path(rec->store), h.problem);
	if (!rec->store_ok && h.ok)
		log_notice("%s: can be written again, dropped=%" PRIu64, store_path(rec->store),
			   h.dropped);
	rec->store_ok = h.ok;
	return 0;
}

/* Serving */

static void fill_cost(const struct recorder *rec, struct status_cost *cost)
{
	CLEANUP(fclosep) FILE *f = fopen("/proc/self/statm", "re");
	struct rusage usage;
	long pages;

	if (getrusage(RUSAGE_SELF, &usage) == 0)
		cost->cpu_ns = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NSEC_PER_SEC +
			       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NSEC_PER_USEC;
	if (f && fscanf(f, "%*d %ld", &pages) == 1)
		cost->rss_bytes = (int64_t)pages * sysconf(_SC_PAGESIZE);
	cost->requests = pmc_source_requests(rec->pmc);
}

static void fill_record(struct recorder *rec, struct status_record *out)
{
	struct store_health h = store_health(rec->store);

	(void)snprintf(out->path, sizeof(out->path), "%.*s", (int)sizeof(out->path) - 1,
		       store_path(rec->store));
	out->run = store_run_id(rec->store);
	out->ok = h.ok;
	(void)snprintf(out->problem, sizeof(out->problem), "%.*s", (int)sizeof(out->problem) - 1,
		       h.problem);
	out->flushed_mono_ns = h.flushed_mono_ns;
	out->samples = h.samples;
	out->queued = h.queued;
	out->dropped = h.dropped;
}

static void fill_status(struct recorder *rec, struct status *s)
{
	const struct config *c = rec->config;

	*s = (struct status){
		.taken_mono_ns = nsec_now(CLOCK_MONOTONIC),
		.taken_utc_ns = nsec_now(CLOCK_REALTIME),
		.started_mono_ns = rec->started_mono_ns,
		.version = PTPMON_VERSION,
		.stale_after_ns = c->monitor.stale_after_ns,
		.phase_since_mono_ns = rec->phase_since_mono_ns,
		.n_ports = pmc_source_ports(rec->pmc),
	};
	(void)strcpy(s->host, rec->host);
	(void)strcpy(s->label, c->ptpmon.label);
	(void)strcpy(s->phase, rec->phase);
	(void)snprintf(s->role, sizeof(s->role), "%s", role_name(c->ptpmon.role));
	for (size_t i = 0; i < s->n_ports; i++) {
		s->ports[i] = *pmc_source_port(rec->pmc, i);
		if (!rec->links)
			continue;
		s->ports[i].carrier_known = true;
		s->ports[i].carrier = link_source_state(rec->links, i).carrier;
	}
	live_fill(&rec->live, s);
	fill_record(rec, &s->record);
	fill_cost(rec, &s->cost);
	status_expire(s, s->taken_mono_ns);
}

static json_t *serve_status(void *userdata)
{
	struct recorder *rec = userdata;

	fill_status(rec, &rec->status);
	return status_to_json(&rec->status);
}

static int serve_mark(void *userdata, const char *text, const char *who)
{
	struct recorder *rec = userdata;

	if (!store_put_mark(rec->store, nsec_now(CLOCK_MONOTONIC), text, who))
		return -ENOBUFS;
	store_kick(rec->store);
	log_notice("mark: %s, by %s", text, who);
	return 0;
}

static int serve_begin_phase(void *userdata, const char *name, const char *who)
{
	struct recorder *rec = userdata;
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);

	if (!store_begin_phase(rec->store, now_ns, name))
		return -ENOBUFS;
	store_kick(rec->store);
	(void)snprintf(rec->phase, sizeof(rec->phase), "%s", name);
	rec->phase_since_mono_ns = now_ns;
	log_notice("phase %s: begins, by %s", name, who);
	return 0;
}

static int serve_end_phase(void *userdata, const char *who)
{
	struct recorder *rec = userdata;

	if (!*rec->phase)
		return -ENOENT;
	if (!store_end_phase(rec->store, nsec_now(CLOCK_MONOTONIC)))
		return -ENOBUFS;
	store_kick(rec->store);
	log_notice("phase %s: ends, by %s", rec->phase, who);
	rec->phase[0] = '\0';
	rec->phase_since_mono_ns = 0;
	return 0;
}

static const struct control_ops control_ops = {
	.status = serve_status,
	.mark = serve_mark,
	.begin_phase = serve_begin_phase,
	.end_phase = serve_end_phase,
};

/* Once a second */

static void beat(struct recorder *rec)
{
	char why[STATUS_TEXT_MAX];
	char text[STATUS_TEXT_MAX * 2];
	enum status_verdict verdict;

	fill_status(rec, &rec->status);
	verdict = status_judge(&rec->status, why);
	(void)snprintf(text, sizeof(text), "%s: %s", status_verdict_name(verdict), why);
	tell_parent(rec, MESSAGE_BEAT, text);
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
	record_event(rec, &e);
}

static int on_tick(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct recorder *rec = userdata;

	look_for_step(rec);
	if (nsec_now(CLOCK_MONOTONIC) - rec->anchor.mono_ns >= MINUTE_NS)
		take_anchor(rec, ANCHOR_PERIODIC);
	if (rec->ticks % FORWARD_TICKS == 0) {
		tick_log(&rec->ptp4l_log);
		tick_log(&rec->latency_log);
	}
	if (rec->ticks % MALFORMED_TICKS == 0)
		tell_malformed(rec);
	rec->ticks++;
	beat(rec);
	(void)sd_event_source_set_time(source, usec + TICK_NS / NSEC_PER_USEC);
	return 0;
}

/* Beginning and end */

static int open_store(struct recorder *rec)
{
	CLEANUP(freep) char *configuration = config_to_text(rec->config);
	CLEANUP(fclosep) FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	char boot_id[40] = "unknown";
	char kernel[sizeof(struct utsname)];
	char why[STORE_ERROR_MAX];
	struct utsname u;
	int r;

	if (f && fscanf(f, "%39s", boot_id) != 1)
		(void)strcpy(boot_id, "unknown");
	(void)uname(&u);
	(void)snprintf(kernel, sizeof(kernel), "%s %s", u.release, u.version);
	(void)snprintf(rec->host, sizeof(rec->host), "%.64s", u.nodename);
	r = store_open(
		&rec->store, rec->config->store.directory,
		&(struct store_run){
			.token = rec->options->token,
			.boot_id = boot_id,
			.host = u.nodename,
			.kernel = kernel,
			.machine = u.machine,
			.version = PTPMON_VERSION,
			.ptp4l_version =
				*rec->options->ptp4l_version ? rec->options->ptp4l_version : NULL,
			.configuration = configuration,
			.label = *rec->config->ptpmon.label ? rec->config->ptpmon.label : NULL,
		},
		&rec->resumed_from_mono_ns, why);
	if (r < 0)
		tell_parent(rec, MESSAGE_CANNOT_RUN, why);
	return r;
}

static void begin_record(struct recorder *rec)
{
	bool resumed = rec->resumed_from_mono_ns != TIME_UNKNOWN;
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	struct event e;

	take_anchor(rec, ANCHOR_START);
	if (rec->config->ptpmon.role == ROLE_SLAVE)
		rec->offset_series = declare_series(rec, SERIES_OFFSET, "pmc", rec->ports[0]);
	if (resumed) {
		(void)snprintf(rec->phase, sizeof(rec->phase), "%.*s", CONTROL_PHASE_MAX,
			       store_resumed_phase(rec->store, &rec->phase_since_mono_ns));
		rec->gap_open = rec->offset_series != NO_SERIES;
		e = event_make(EVENT_RECORDER_RESUMED, now_ns, "recorder",
			       "recorder: goes on in run %" PRId64 ", %.1f s after its last row",
			       store_run_id(rec->store),
			       (double)(now_ns - rec->resumed_from_mono_ns) / 1e9);
	} else {
		e = event_make(EVENT_RUN_STARTED, now_ns, "run", "run %" PRId64 ": begins in %s",
			       store_run_id(rec->store), store_path(rec->store));
	}
	record_event(rec, &e);
}

static int open_sources(struct recorder *rec)
{
	const struct config *c = rec->config;
	const struct interface_list *ports = &c->ptpmon.interfaces;
	int r;

	for (size_t i = 0; i < ports->n; i++)
		rec->ports[i] = ports->name[i];
	config_ptp4l_socket(c, rec->socket);
	(void)snprintf(rec->own_path, sizeof(rec->own_path), "%s/%s/recorder.%d",
		       c->ptpmon.runtime_directory, ports->name[0], (int)getpid());
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
				rec->resumed_from_mono_ns == TIME_UNKNOWN
					? INT64_MIN
					: rec->resumed_from_mono_ns + RESUMED_MARGIN_NS,
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
		.recorder = rec,
		.name = name,
	};
	return sd_event_add_io(rec->event, NULL, fd, EPOLLIN, on_log_readable, log);
}

static int add_timers(struct recorder *rec)
{
	sd_event_source *tick;
	int r = sd_event_add_time_relative(rec->event, &tick, CLOCK_MONOTONIC,
					   TICK_NS / NSEC_PER_USEC, 0, on_tick, rec);

	if (r >= 0)
		r = sd_event_source_set_enabled(tick, SD_EVENT_ON);
	if (r >= 0)
		r = sd_event_source_set_floating(tick, true);
	if (r >= 0)
		(void)sd_event_source_unref(tick);
	if (r >= 0) /* accuracy 1 us: an update waits for nobody */
		r = sd_event_add_time(rec->event, &rec->pmc_timer, CLOCK_MONOTONIC, 0, 1,
				      on_pmc_timer, rec);
	if (r >= 0)
		r = sd_event_source_set_priority(rec->pmc_timer, SD_EVENT_PRIORITY_NORMAL - 10);
	return r;
}

static int watch(struct recorder *rec)
{
	const struct recorder_options *o = rec->options;
	int r = sd_event_default(&rec->event);

	if (r >= 0)
		r = sd_event_add_signal(rec->event, NULL, SIGTERM, on_signal, rec);
	if (r >= 0)
		r = sd_event_add_signal(rec->event, NULL, SIGINT, on_signal, rec);
	if (r >= 0)
		r = sd_event_add_io(rec->event, NULL, o->parent_fd, EPOLLIN, on_parent, rec);
	if (r >= 0)
		r = sd_event_add_io(rec->event, NULL, o->window_fd, EPOLLIN, on_windows, rec);
	if (r >= 0)
		r = add_log(rec, &rec->ptp4l_log, "ptp4l", o->ptp4l_log_fd);
	if (r >= 0)
		r = add_log(rec, &rec->latency_log, "latency", o->latency_log_fd);
	if (r >= 0)
		r = sd_event_add_io(rec->event, NULL, rec->notify_fd, EPOLLIN, on_flushed, rec);
	if (r >= 0)
		r = sd_event_add_io(rec->event, NULL, rec->cancel_fd, EPOLLIN, on_clock_set, rec);
	if (r >= 0 && rec->links)
		r = sd_event_add_io(rec->event, NULL, link_source_fd(rec->links), EPOLLIN, on_link,
				    rec);
	return r >= 0 ? add_timers(rec) : r;
}

static int serve(struct recorder *rec)
{
	char path[CONFIG_PATH_MAX];
	char why[LISTENER_WHY_MAX];
	int r = listener_open(&rec->listener, config_control_path(rec->config, path), 0660, why);

	if (r < 0) {
		tell_parent(rec, MESSAGE_CANNOT_RUN, why);
		return r;
	}
	return control_new(&rec->control, rec->event, rec->listener.fd, &control_ops, rec);
}

static int begin(struct recorder *rec)
{
	int r = open_store(rec);

	if (r == 0)
		r = open_sources(rec);
	if (r < 0)
		return r;
	rec->notify_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rec->cancel_fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (rec->notify_fd < 0 || rec->cancel_fd < 0)
		return -errno;
	arm_cancel(rec);
	r = watch(rec);
	if (r >= 0)
		r = serve(rec);
	if (r >= 0)
		r = store_start(rec->store, rec->config->store.flush_interval_ns, rec->notify_fd);
	if (r < 0)
		return r;
	begin_record(rec);
	tell_parent(rec, MESSAGE_READY, "");
	return 0;
}

static void end(struct recorder *rec)
{
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	struct event e;

	if (rec->store && rec->how) {
		close_gap(rec, now_ns);
		e = event_make(EVENT_RUN_ENDED, now_ns, "run", "run %" PRId64 ": ends: %s",
			       store_run_id(rec->store), rec->how);
		record_event(rec, &e);
	}
	(void)control_free(rec->control);
	listener_close(&rec->listener);
	(void)pmc_source_free(rec->pmc);
	(void)link_source_free(rec->links);
	(void)store_close(rec->store, rec->how ?: "failed", CLOSE_NS);
	sd_event_source_unref(rec->pmc_io);
	sd_event_source_unref(rec->pmc_timer);
	sd_event_unref(rec->event);
	close_fdp(&rec->notify_fd);
	close_fdp(&rec->cancel_fd);
	free(rec);
}

int recorder_run(const struct recorder_options *options)
{
	struct recorder *rec = calloc(1, sizeof(*rec));
	int status = EXIT_USAGE;
	int r;

	if (!rec)
		return EXIT_USAGE;
	*rec = (struct recorder){
		.options = options,
		.config = options->config,
		.windows = {.fd = options->window_fd,
			    .on_window = on_window,
			    .on_conditions = on_conditions,
			    .userdata = rec},
		.listener = {.fd = -1},
		.pmc_fd = -1,
		.notify_fd = -1,
		.cancel_fd = -1,
		.offset_series = NO_SERIES,
		.started_mono_ns = nsec_now(CLOCK_MONOTONIC),
		.store_ok = true,
		.status_code = EXIT_GOOD,
	};
	for (size_t i = 0; i < CPULIST_MAX; i++)
		rec->cpu_series[i] = NO_SERIES;
	r = begin(rec);
	if (r < 0) {
		log_error("recorder: cannot begin: %s", strerror(-r));
	} else {
		(void)sd_event_loop(rec->event);
		status = rec->status_code;
	}
	end(rec);
	return status;
}
