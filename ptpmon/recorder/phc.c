/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PHCs of the ports, measured against CLOCK_REALTIME. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/base/realtime.h"
#include "ptpmon/model/timescale.h"
#include "ptpmon/recorder/state.h"

enum {
	READINGS = 5,    /* as phc2sys takes */
	LOOK_TICKS = 10, /* an interface may come back with another PHC */
	INDEX_MAX = 1024,
};

/* Which PHC is whose */

/* "/dev/ptp0", or a link to it. */
static int index_of_device(const char *path)
{
	char resolved[PATH_MAX];
	char more;
	int index;

	if (sscanf(path, "/dev/ptp%d%c", &index, &more) != 1 &&
	    (!realpath(path, resolved) || sscanf(resolved, "/dev/ptp%d%c", &index, &more) != 1))
		return ETHTOOL_NO_PHC;
	return index >= 0 && index < INDEX_MAX ? index : ETHTOOL_NO_PHC;
}

static int index_of_port(const struct recorder *rec, const struct followed *f, size_t port)
{
	const char *configured = rec->config->monitor.phc;
	struct ethtool_timestamping t;

	if (strcmp(configured, "none") == 0 || f->config->timestamping == TIMESTAMPING_SOFTWARE)
		return ETHTOOL_NO_PHC;
	if (*configured == '/')
		return index_of_device(configured);
	if (ethtool_timestamping_get(rec->ports[port], &t) < 0)
		return ETHTOOL_NO_PHC;
	return t.phc_index;
}

struct measured_phc *recorder_phc(struct recorder *rec, int index)
{
	for (size_t i = 0; i < rec->n_phcs; i++)
		if (rec->phcs[i].index == index)
			return &rec->phcs[i];
	return NULL;
}

/* How far it is ahead of UTC */

/* A grandmaster's, which is ours to say. */
static struct phc_utc utc_of_board(const struct recorder *rec)
{
	const struct utc_offset *utc = &rec->time.utc;

	return rec->time.known
		       ? (struct phc_utc){true, utc->seconds, utc_source_name(utc->source)}
		       : (struct phc_utc){false, UTC_OFFSET_BUILD, utc_source_name(UTC_FROM_BUILD)};
}

/* A slave's, as its master announces it; what nobody vouches for is taken from this board. */
static struct phc_utc utc_of_master(const struct recorder *rec, const struct status_scale *scale)
{
	const struct utc_offset *expected = &rec->time.expected;

	if (expected->source == UTC_FROM_KEY)
		return (struct phc_utc){true, expected->seconds, utc_source_name(UTC_FROM_KEY)};
	if (!scale->ptp_timescale.known)
		return (struct phc_utc){false, expected->seconds, "not announced yet"};
	if (!scale->ptp_timescale.value)
		return (struct phc_utc){true, 0, "the grandmaster's time is not TAI"};
	if (scale->utc_offset_valid.value)
		return (struct phc_utc){true, scale->utc_offset_s.value, "the grandmaster"};
	return (struct phc_utc){true, expected->seconds, utc_source_name(expected->source)};
}

struct phc_utc recorder_phc_utc(const struct recorder *rec, size_t port)
{
	for (size_t i = 0; i < rec->n_ptp4l; i++) {
		const struct followed *f = &rec->ptp4l[i];
		size_t own = port - f->first_port;

		if (port < f->first_port || own >= f->config->interfaces.n)
			continue;
		if (f->config->role == ROLE_GRANDMASTER)
			break;
		return utc_of_master(rec, &pmc_source_port(f->pmc, own)->scale);
	}
	return utc_of_board(rec);
}

/* Measuring one */

/* What is to be steered, and is not (yet), is no figure of how well that is done. */
static void on_sample(void *userdata, const struct sample *sample)
{
	struct measured_phc *p = userdata;
	const char *name = phc_source_facts(p->source).name;
	struct sample s = *sample;

	if (!recorder_phc2sys_is_locked(p->rec, p->index))
		s.flags |= SAMPLE_UNLOCKED;
	record_other(&p->rec->record, &p->series, SERIES_SYS_MINUS_PHC, "phc", name, &s);
	recorder_judge_slip(p, name, s.value);
	if (!(s.flags & SAMPLE_UNLOCKED))
		recorder_judge_phc(p->rec, name, s.value);
}

static void on_event(void *userdata, const struct event *e)
{
	struct measured_phc *p = userdata;

	record_event(&p->rec->record, e);
}

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct measured_phc *p = userdata;

	phc_source_receive(p->source);
	return 0;
}

static int measure(struct measured_phc *p)
{
	const struct phc_source_options options = {
		.device = p->device,
		.interval_ns = p->rec->config->monitor.phc_interval_ns,
		.readings = READINGS,
		.on_sample = on_sample,
		.on_event = on_event,
		.userdata = p,
	};
	int r = phc_source_new(&p->source, &options);

	if (r < 0)
		return r;
	return sd_event_add_io(p->rec->event, &p->io, phc_source_fd(p->source), EPOLLIN,
			       on_readable, p);
}

/* Measures it, from now on or again. */
static void begin(struct recorder *rec, int index)
{
	struct measured_phc *p = index == ETHTOOL_NO_PHC ? NULL : recorder_phc(rec, index);
	int r;

	if (index == ETHTOOL_NO_PHC || (p && p->source) || (!p && rec->n_phcs == STATUS_PHCS_MAX))
		return;
	if (!p) {
		p = &rec->phcs[rec->n_phcs++];
		*p = (struct measured_phc){.rec = rec, .index = index, .series = RECORD_NO_SERIES};
		(void)ethtool_phc_device(index, p->device);
	}
	r = measure(p);
	if (r < 0)
		log_warning("%s: cannot be measured: %s", p->device, strerror(-r));
}

static void end(struct measured_phc *p)
{
	p->io = sd_event_source_disable_unref(p->io);
	p->source = phc_source_free(p->source);
}

static bool is_of_a_port(const struct recorder *rec, int index)
{
	for (size_t i = 0; i < rec->n_ports; i++)
		if (rec->port_phc[i] == index)
			return true;
	return false;
}

static void look(struct recorder *rec)
{
	for (size_t i = 0; i < rec->n_ptp4l; i++) {
		const struct followed *f = &rec->ptp4l[i];

		for (size_t j = 0; j < f->config->interfaces.n; j++) {
			size_t port = f->first_port + j;

			rec->port_phc[port] = index_of_port(rec, f, port);
			begin(rec, rec->port_phc[port]);
		}
	}
	for (size_t i = 0; i < rec->n_phcs; i++)
		if (!is_of_a_port(rec, rec->phcs[i].index))
			end(&rec->phcs[i]);
}

/* What it is ahead of UTC by, according to the first of its ports that knows. */
static void take_utc(struct recorder *rec, struct measured_phc *p)
{
	p->utc.known = false;
	for (size_t port = 0; port < rec->n_ports && !p->utc.known; port++)
		if (rec->port_phc[port] == p->index)
			p->utc = recorder_phc_utc(rec, port);
	phc_source_set_utc_offset(p->source, p->utc.seconds);
}

void recorder_open_phcs(struct recorder *rec)
{
	for (size_t i = 0; i < CONFIG_PORTS_MAX; i++)
		rec->port_phc[i] = ETHTOOL_NO_PHC;
	look(rec);
	for (size_t i = 0; i < rec->n_phcs; i++)
		if (rec->phcs[i].source)
			take_utc(rec, &rec->phcs[i]);
}

void recorder_tick_phcs(struct recorder *rec)
{
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);

	if (rec->ticks % LOOK_TICKS == 0)
		look(rec);
	for (size_t i = 0; i < rec->n_phcs; i++) {
		if (!rec->phcs[i].source)
			continue;
		take_utc(rec, &rec->phcs[i]);
		phc_source_tick(rec->phcs[i].source, now_ns);
	}
}

void recorder_close_phcs(struct recorder *rec)
{
	for (size_t i = 0; i < rec->n_phcs; i++)
		end(&rec->phcs[i]);
	rec->n_phcs = 0;
}

void recorder_phc_was_set(struct recorder *rec, const char *child, int64_t mono_ns)
{
	const struct followed *f = recorder_followed(rec, child);
	struct measured_phc *p = f ? recorder_phc(rec, rec->port_phc[f->first_port]) : NULL;

	if (p && p->source)
		phc_source_was_set(p->source, mono_ns);
}

static void describe(const struct phc_facts *f, int64_t now_ns, char out[static STATUS_TEXT_MAX])
{
	char age[NSEC_TEXT_MAX];

	if (f->error)
		(void)snprintf(out, STATUS_TEXT_MAX, "cannot be read: %s",
			       strerrorname_np(f->error) ?: "?");
	else if (f->silent_since && now_ns - f->silent_since > STATUS_STATE_STALE_NS)
		(void)snprintf(out, STATUS_TEXT_MAX, "a reading has not ended for %s",
			       nsec_format_age(now_ns - f->silent_since, age));
	else if (f->stuck)
		(void)snprintf(out, STATUS_TEXT_MAX, "stands still");
}

void recorder_fill_phcs(struct recorder *rec)
{
	struct status *s = &rec->status;

	for (size_t i = 0; i < rec->n_phcs; i++) {
		const struct measured_phc *p = &rec->phcs[i];
		struct status_phc *out = &s->phcs[s->n_phcs];
		struct phc_facts f;

		if (!p->source)
			continue;
		f = phc_source_facts(p->source);
		*out = (struct status_phc){
			.interval_ns = rec->config->monitor.phc_interval_ns,
			.utc_offset_s = f.known ? f.utc_offset_s : p->utc.seconds,
		};
		(void)snprintf(out->name, sizeof(out->name), "%s", f.name);
		(void)snprintf(out->utc_offset_source, sizeof(out->utc_offset_source), "%s",
			       p->utc.source);
		describe(&f, s->taken_mono_ns, out->problem);
		if (f.known) {
			(void)strcpy(out->method, phc_method_name(f.reading.method));
			out->sys_minus_phc_ns =
				(struct reading){true, f.sys_minus_phc_ns, f.reading.mono_ns};
			out->delay_ns =
				(struct reading){true, f.reading.delay_ns, f.reading.mono_ns};
		}
		s->n_phcs++;
	}
}
