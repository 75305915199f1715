/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the control socket answers: the status, and marks and phases to record. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "config.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/recorder/state.h"
#include "ptpmon/report/status_json.h"

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
	for (size_t i = 0; i < rec->n_ptp4l; i++)
		cost->requests += pmc_source_requests(rec->ptp4l[i].pmc);
}

static void fill_record(const struct recorder *rec, struct status_record *out)
{
	struct store_health h = store_health(rec->record.store);

	(void)snprintf(out->path, sizeof(out->path), "%.*s", (int)sizeof(out->path) - 1,
		       store_path(rec->record.store));
	out->run = store_run_id(rec->record.store);
	out->ok = h.ok;
	(void)snprintf(out->problem, sizeof(out->problem), "%.*s", (int)sizeof(out->problem) - 1,
		       h.problem);
	out->flushed_mono_ns = h.flushed_mono_ns;
	out->samples = h.samples;
	out->queued = h.queued;
	out->dropped = h.dropped;
}

static void fill_ports(struct recorder *rec, const struct followed *f, struct status *s)
{
	int error = pmc_source_connect_error(f->pmc);

	for (size_t i = 0; i < pmc_source_ports(f->pmc); i++) {
		struct status_port *p = &s->ports[s->n_ports++];

		*p = *pmc_source_port(f->pmc, i);
		(void)snprintf(p->role, sizeof(p->role), "%s", role_name(f->config->role));
		if (!f->config->manage && error) /* of one of ours, its child tells */
			(void)status_explain_socket(error, f->socket, f->config->child, p->problem);
		recorder_fill_scale(rec, f, &p->scale);
		if (!rec->links)
			continue;
		p->carrier_known = true;
		p->absent = !link_source_state(rec->links, f->first_port + i).present;
		p->carrier = link_source_state(rec->links, f->first_port + i).carrier;
	}
}

void recorder_fill_status(struct recorder *rec)
{
	const struct config *c = rec->config;
	struct status *s = &rec->status;

	*s = (struct status){
		.taken_mono_ns = nsec_now(CLOCK_MONOTONIC),
		.taken_utc_ns = nsec_now(CLOCK_REALTIME),
		.started_mono_ns = rec->options->started_mono_ns,
		.version = PTPMON_VERSION,
		.parent_mono_ns = rec->parent_mono_ns,
		.stale_after_ns = c->monitor.stale_after_ns,
		.phase_since_mono_ns = rec->record.phase_since_mono_ns,
	};
	(void)strcpy(s->host, rec->host);
	(void)strcpy(s->label, c->ptpmon.label);
	(void)strcpy(s->phase, rec->record.phase);
	(void)snprintf(s->role, sizeof(s->role), "%s", role_name(c->ptpmon.role));
	for (size_t i = 0; i < rec->n_ptp4l; i++)
		fill_ports(rec, &rec->ptp4l[i], s);
	recorder_fill_phcs(rec);
	recorder_fill_gate(rec);
	live_fill(&rec->live, s);
	recorder_fill_audit(rec);
	fill_record(rec, &s->record);
	fill_cost(rec, &s->cost);
	status_expire(s, s->taken_mono_ns);
	recorder_fill_alarms(rec);
	recorder_fill_complaints(rec);
}

static json_t *serve_status(void *userdata)
{
	struct recorder *rec = userdata;

	recorder_fill_status(rec);
	return status_to_json(&rec->status);
}

static int serve_mark(void *userdata, const char *text, const char *who)
{
	struct recorder *rec = userdata;

	return record_mark(&rec->record, text, who);
}

static int serve_begin_phase(void *userdata, const char *name, const char *who)
{
	struct recorder *rec = userdata;

	return record_begin_phase(&rec->record, name, who);
}

static int serve_end_phase(void *userdata, const char *who)
{
	struct recorder *rec = userdata;

	return record_end_phase(&rec->record, who);
}

static int serve_put_verdict(void *userdata, const struct verdict *verdict, const char *who)
{
	struct recorder *rec = userdata;

	return record_verdict(&rec->record, verdict, who);
}

static size_t serve_acknowledge(void *userdata, int64_t until_mono_ns, const char *who)
{
	struct recorder *rec = userdata;
	size_t n = alarms_acknowledge(&rec->alarms, until_mono_ns);
	struct event e;

	if (n) {
		e = event_make(EVENT_ALARM_READ, nsec_now(CLOCK_MONOTONIC), "alarms",
			       "alarms: %zu acknowledged by %s", n, who);
		record_event(&rec->record, &e);
	}
	return n;
}

static const struct control_ops control_ops = {
	.status = serve_status,
	.events = recorder_list_events,
	.mark = serve_mark,
	.begin_phase = serve_begin_phase,
	.end_phase = serve_end_phase,
	.put_verdict = serve_put_verdict,
	.acknowledge = serve_acknowledge,
};

enum { CONTROL_MODE = 0660 };

int recorder_open_answers(struct recorder *rec, char why[static LISTENER_WHY_MAX])
{
	char path[CONFIG_PATH_MAX];
	int r = listener_open(&rec->listener, config_control_path(rec->config, path), CONTROL_MODE,
			      why);

	if (r < 0)
		return r;
	r = control_new(&rec->control, rec->event, rec->listener.fd, &control_ops, rec);
	if (r < 0)
		(void)snprintf(why, LISTENER_WHY_MAX, "control socket: %s", strerror(-r));
	return r;
}

static int listen_again(struct recorder *rec, struct listener *next,
			char why[static LISTENER_WHY_MAX])
{
	int r = listener_open(next, rec->listener.path, CONTROL_MODE, why);

	if (r < 0)
		return r;
	r = control_listen(rec->control, next->fd);
	if (r == 0)
		return 0;
	(void)snprintf(why, LISTENER_WHY_MAX, "control socket: %s", strerror(-r));
	listener_close(next);
	return r;
}

void recorder_tick_answers(struct recorder *rec)
{
	struct listener next = {.fd = -1};
	char why[LISTENER_WHY_MAX] = "";
	struct event e;
	int r;

	if (listener_has_name(&rec->listener))
		return;
	r = listen_again(rec, &next, why);
	if (r < 0 && rec->control_lost)
		return; /* told once */
	rec->control_lost = r < 0;
	e = event_make(EVENT_SOCKET_TROUBLE, nsec_now(CLOCK_MONOTONIC), "control",
		       "%s: the control socket was removed: %s%s", rec->listener.path,
		       r < 0 ? "nobody can ask for the status until it can be made again: "
			     : "made again",
		       why);
	record_event(&rec->record, &e);
	if (r < 0)
		return;
	listener_close(&rec->listener);
	rec->listener = next;
}

void recorder_close_answers(struct recorder *rec)
{
	rec->control = control_free(rec->control);
	listener_close(&rec->listener);
}
