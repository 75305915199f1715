/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each ptp4l, followed over its management socket. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/recorder/state.h"

#define RESUMED_MARGIN_NS NSEC_PER_MSEC /* the same update maps to the axis this exactly */

enum { PMC_TURNS = 8 }; /* questions in one wake-up */

static void on_sample(void *userdata, size_t port, const struct sample *sample)
{
	struct followed *f = userdata;
	struct sample joined = *sample;

	if (f->log) { /* ptp4l prints the update before it tells of it */
		(void)log_source_receive(&f->log->source);
		(void)servo_lines_join(&f->log->servo, &joined);
	}
	record_sample(&f->rec->record, f->first_port + port, &joined);
	recorder_judge_sample(f->rec, f->rec->ports[f->first_port + port], sample);
	recorder_note_data(f->rec);
}

static void on_event(void *userdata, const struct event *e)
{
	struct followed *f = userdata;

	if (e->code == EVENT_PORT_STATE)
		recorder_guard_phcs(f->rec);
	record_event(&f->rec->record, e);
	if (e->code == EVENT_PORT_STATE)
		recorder_note_data(f->rec);
}

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *userdata);

static void watch_fd(struct followed *f)
{
	int fd = pmc_source_fd(f->pmc);
	unsigned connection = pmc_source_connections(f->pmc);

	if (fd == f->fd && connection == f->connection)
		return;
	f->connection = connection;
	f->io = sd_event_source_disable_unref(f->io);
	f->fd = fd;
	if (fd < 0)
		return;
	if (sd_event_add_io(f->rec->event, &f->io, fd, EPOLLIN, on_readable, f) < 0)
		f->fd = -1; /* tried again at the next turn */
	else
		(void)sd_event_source_set_priority(f->io, SD_EVENT_PRIORITY_NORMAL - 10);
}

/* Everything due now, then the descriptor and the deadline for what comes next. */
static void advance(struct followed *f)
{
	int64_t due_ns = 0;

	for (int i = 0; i < PMC_TURNS; i++) {
		int64_t now_ns = nsec_now(CLOCK_MONOTONIC);

		pmc_source_advance(f->pmc, now_ns);
		due_ns = pmc_source_deadline_ns(f->pmc);
		if (due_ns > now_ns)
			break;
	}
	watch_fd(f);
	(void)sd_event_source_set_time(f->timer, (uint64_t)(due_ns / NSEC_PER_USEC));
	(void)sd_event_source_set_enabled(f->timer, SD_EVENT_ONESHOT);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	advance(userdata);
	return 0;
}

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	advance(userdata);
	return 0;
}

struct followed *recorder_followed(struct recorder *rec, const char *name)
{
	for (size_t i = 0; i < rec->n_ptp4l; i++)
		if (strcmp(rec->ptp4l[i].config->child, name) == 0)
			return &rec->ptp4l[i];
	return NULL;
}

void recorder_ptp4l_started(struct followed *f, int64_t mono_ns)
{
	pmc_source_restarted(f->pmc, mono_ns);
	advance(f);
}

void recorder_announce(struct followed *f, const struct announcement *wanted, int64_t mono_ns)
{
	if (pmc_source_announce(f->pmc, wanted, mono_ns))
		advance(f);
}

void recorder_ptp4l_ended(struct followed *f)
{
	pmc_source_ended(f->pmc);
}

void recorder_tick_ptp4l(struct followed *f)
{
	const char *port = f->rec->ports[f->first_port];
	uint64_t n = pmc_source_port(f->pmc, 0)->malformed;
	struct event e;

	if (n == f->malformed_told)
		return;
	e = event_make(EVENT_MALFORMED, nsec_now(CLOCK_MONOTONIC), port,
		       "%s: ignored %" PRIu64 " malformed datagrams on the management socket", port,
		       n - f->malformed_told);
	f->malformed_told = n;
	record_event(&f->rec->record, &e);
}

static int open_source(struct followed *f)
{
	const struct record *record = &f->rec->record;
	const struct pmc_source_options options = {
		.name = f->config->child,
		.server_path = f->socket,
		.own_path = f->own_path,
		.domain = (uint8_t)f->config->domain,
		.transport_specific = (uint8_t)f->config->transport_specific,
		.port_names = f->rec->ports + f->first_port,
		.n_ports = f->config->interfaces.n,
		.offsets = f->config->role != ROLE_GRANDMASTER,
		.may_set = config_ptp4l_announces(f->config),
		.real_time_stamps = f->config->timestamping == TIMESTAMPING_SOFTWARE,
		.stale_after_ns = f->rec->config->monitor.stale_after_ns,
		.not_before_mono_ns = record->resumed_from_mono_ns == TIME_UNKNOWN
					      ? INT64_MIN
					      : record->resumed_from_mono_ns + RESUMED_MARGIN_NS,
		.on_sample = on_sample,
		.on_event = on_event,
		.userdata = f,
	};

	(void)unlink(f->own_path); /* of a recorder that was killed: the directory is locked */
	return pmc_source_new(&f->pmc, &options);
}

static int follow(struct followed *f)
{
	int r = open_source(f);

	if (r < 0)
		return r;
	/* accuracy 1 us: an update waits for nobody */
	r = sd_event_add_time(f->rec->event, &f->timer, CLOCK_MONOTONIC, 0, 1, on_timer, f);
	if (r >= 0)
		r = sd_event_source_set_priority(f->timer, SD_EVENT_PRIORITY_NORMAL - 10);
	return r < 0 ? r : 0;
}

void recorder_name_ptp4l(struct recorder *rec)
{
	const struct config *c = rec->config;
	size_t port = 0;

	for (size_t i = 0; i < c->n_ptp4l; i++) {
		struct followed *f = &rec->ptp4l[rec->n_ptp4l++];

		f->rec = rec;
		f->config = &c->ptp4l[i];
		f->first_port = port;
		f->fd = -1;
		port += f->config->interfaces.n;
		config_ptp4l_socket(c, i, f->socket);
		config_recorder_socket(c, i, f->own_path);
	}
}

int recorder_follow(struct recorder *rec)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < rec->n_ptp4l; i++)
		r = follow(&rec->ptp4l[i]);
	return r;
}

void recorder_unfollow(struct recorder *rec)
{
	for (size_t i = 0; i < rec->n_ptp4l; i++) {
		struct followed *f = &rec->ptp4l[i];

		f->io = sd_event_source_disable_unref(f->io);
		f->timer = sd_event_source_disable_unref(f->timer);
		f->pmc = pmc_source_free(f->pmc);
	}
	rec->n_ptp4l = 0;
}
