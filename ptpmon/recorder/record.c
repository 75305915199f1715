/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/recorder/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "config.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/board.h"
#include "ptpmon/store/query.h"

DEFINE_FREEP(struct query, query_free)

#define MINUTE_NS (60 * NSEC_PER_SEC)
#define CLOSE_NS  (10 * NSEC_PER_SEC) /* less than the parent's patience */

static void put_event(struct record *r, const struct event *e)
{
	(void)store_put_event(r->store, e);
	if (r->on_event)
		r->on_event(r->userdata, e);
	if (e->severity >= SEVERITY_NOTICE)
		store_kick(r->store);
}

void record_event(struct record *r, const struct event *e)
{
	log_line(severity_log_level(e->severity), "%s", e->text);
	put_event(r, e);
}

void record_child_event(struct record *r, const struct event *e)
{
	if (e->mono_ns <= r->put_mono_ns)
		return;
	r->put_mono_ns = e->mono_ns;
	put_event(r, e);
}

static int declare_series(struct record *r, enum series_kind kind, const char *source,
			  const char *subject)
{
	struct series series = {.kind = kind, .unit = "ns"};

	(void)snprintf(series.source, sizeof(series.source), "%s", source);
	(void)snprintf(series.subject, sizeof(series.subject), "%s", subject);
	if (store_put_series(r->store, &series) < 0)
		return RECORD_NO_SERIES;
	return (int)r->n_series++;
}

/* What a recorder that was killed left open ends with the first offset, or with the run. */
static void close_gap(struct record *r, struct record_port *p, int64_t to_mono_ns)
{
	struct event e;

	if (!p->gap_open)
		return;
	p->gap_open = false;
	e = event_make(EVENT_GAP, to_mono_ns, p->name,
		       "%s: no offsets for %.1f s: the recorder was started again", p->name,
		       (double)(to_mono_ns - r->resumed_from_mono_ns) / 1e9);
	(void)snprintf(e.detail, sizeof(e.detail),
		       "{\"from_mono_ns\":\"%" PRId64 "\",\"to_mono_ns\":\"%" PRId64 "\"}",
		       r->resumed_from_mono_ns, to_mono_ns);
	record_event(r, &e);
}

void record_sample(struct record *r, size_t port, const struct sample *sample)
{
	struct record_port *p = &r->ports[port];
	struct sample s = *sample;

	if (p->series == RECORD_NO_SERIES)
		p->series = declare_series(r, SERIES_OFFSET, "pmc", p->name);
	if (p->series == RECORD_NO_SERIES)
		return;
	close_gap(r, p, s.mono_ns);
	s.series = (unsigned)p->series;
	(void)store_put_sample(r->store, &s);
}

void record_other(struct record *r, int *series, enum series_kind kind, const char *source,
		  const char *subject, const struct sample *sample)
{
	struct sample s = *sample;

	if (*series == RECORD_NO_SERIES)
		*series = declare_series(r, kind, source, subject);
	if (*series == RECORD_NO_SERIES)
		return;
	s.series = (unsigned)*series;
	(void)store_put_sample(r->store, &s);
}

void record_window(struct record *r, const struct latency_window *w)
{
	char subject[32];
	int *series;

	if (w->cpu >= CPULIST_MAX)
		return;
	series = &r->cpu_series[w->cpu];
	if (*series == RECORD_NO_SERIES) {
		(void)snprintf(subject, sizeof(subject), "cpu %u", w->cpu);
		*series = declare_series(r, SERIES_LATENCY, "latency", subject);
	}
	if (*series != RECORD_NO_SERIES)
		(void)store_put_window(r->store, (unsigned)*series, w);
}

static void take_anchor(struct record *r, enum anchor_reason reason)
{
	r->anchor = clock_anchor_take(reason);
	(void)store_put_anchor(r->store, &r->anchor);
}

int64_t record_clocks(struct record *r, bool was_set)
{
	struct clock_anchor now = clock_anchor_take(ANCHOR_STEP);
	int64_t step_ns = step_watch_feed(&r->steps, &(struct step_reading){
							     .mono_ns = now.mono_ns,
							     .utc_ns = now.utc_ns,
							     .uncertainty_ns = now.uncertainty_ns,
							     .was_set = was_set,
						     });
	int64_t moved_ns;
	struct event e;

	if (!step_ns) { /* one that is slewed fast soon leaves its anchor behind */
		if (now.mono_ns - r->anchor.mono_ns >= MINUTE_NS ||
		    (!r->steps.pending_ns &&
		     clock_anchor_stepped(&r->anchor, &now, STEP_LIMIT_NS, &moved_ns)))
			take_anchor(r, ANCHOR_PERIODIC);
		return 0;
	}
	r->anchor = now;
	(void)store_put_anchor(r->store, &now);
	e = event_make(EVENT_CLOCK_STEPPED, now.mono_ns, "CLOCK_REALTIME",
		       "CLOCK_REALTIME: stepped by %+.6f s", (double)step_ns / 1e9);
	(void)snprintf(e.detail, sizeof(e.detail), "{\"step_ns\":%" PRId64 "}", step_ns);
	record_event(r, &e);
	return step_ns;
}

int record_mark(struct record *r, const char *text, const char *who)
{
	if (!store_put_mark(r->store, nsec_now(CLOCK_MONOTONIC), text, who))
		return -ENOBUFS;
	store_kick(r->store);
	log_notice("mark: %s, by %s", text, who);
	return 0;
}

int record_verdict(struct record *r, const struct verdict *v, const char *who)
{
	static const char *const outcomes[] = {
		[VERDICT_FAILED] = "failed",
		[VERDICT_PASSED] = "passed",
		[VERDICT_INCONCLUSIVE] = "inconclusive",
	};

	if (!store_put_verdict(r->store, nsec_now(CLOCK_MONOTONIC), v, who))
		return -ENOBUFS;
	store_kick(r->store);
	log_notice("verdict: %s: %s: %s, by %s", v->plan, v->criterion, outcomes[v->pass], who);
	return 0;
}

int record_begin_phase(struct record *r, const char *name, const char *who)
{
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);

	if (!store_begin_phase(r->store, now_ns, name))
		return -ENOBUFS;
	store_kick(r->store);
	(void)snprintf(r->phase, sizeof(r->phase), "%s", name);
	r->phase_since_mono_ns = now_ns;
	log_notice("phase %s: begins, by %s", name, who);
	return 0;
}

int record_end_phase(struct record *r, const char *who)
{
	if (!*r->phase)
		return -ENOENT;
	if (!store_end_phase(r->store, nsec_now(CLOCK_MONOTONIC)))
		return -ENOBUFS;
	store_kick(r->store);
	log_notice("phase %s: ends, by %s", r->phase, who);
	r->phase[0] = '\0';
	r->phase_since_mono_ns = 0;
	return 0;
}

/* For who listens, in the record's own words: it tells this itself when it can be written again. */
static void tell_store(struct record *r, enum event_code code, const char *what, const char *more)
{
	struct event e =
		event_make(code, nsec_now(CLOCK_MONOTONIC), "record", "record: %s%s", what, more);

	if (r->on_event)
		r->on_event(r->userdata, &e);
}

static void store_failed(struct record *r, const struct store_health *h)
{
	log_error("%s: recording goes on in memory", h->problem);
	r->store_failing_since_mono_ns = nsec_now(CLOCK_MONOTONIC);
	tell_store(r, EVENT_STORE_FAILED, "not written: ", h->problem);
}

static void store_recovered(struct record *r, const struct store_health *h)
{
	int64_t failed_ns = nsec_now(CLOCK_MONOTONIC) - r->store_failing_since_mono_ns;
	char lasted[NSEC_TEXT_MAX];

	log_notice("%s: can be written again, dropped=%" PRIu64, store_path(r->store), h->dropped);
	tell_store(r, EVENT_STORE_RECOVERED, "written again after ",
		   nsec_format_age(failed_ns, lasted));
}

void record_flushed(struct record *r)
{
	struct store_health h = store_health(r->store);

	if (h.set_asides != r->set_asides) {
		log_error("%s: %s", store_path(r->store), h.set_aside);
		tell_store(r, EVENT_STORE_SET_ASIDE, h.set_aside, "");
	}
	r->set_asides = h.set_asides;
	if (r->store_ok && !h.ok)
		store_failed(r, &h);
	if (!r->store_ok && h.ok)
		store_recovered(r, &h);
	r->store_ok = h.ok;
	if (!h.ok)
		return;
	/* what was put while this flush ran may be in the next */
	r->durable_mono_ns = r->flushing_mono_ns;
	r->flushing_mono_ns = r->put_mono_ns;
}

static void read_boot_id(char out[static 40])
{
	CLEANUP(fclosep) FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f || fscanf(f, "%39s", out) != 1)
		(void)strcpy(out, "unknown");
}

static void name_ports(struct record *r, const struct config *config)
{
	for (size_t i = 0; i < config->n_ptp4l; i++)
		for (size_t j = 0; j < config->ptp4l[i].interfaces.n; j++)
			r->ports[r->n_ports++] = (struct record_port){
				.name = config->ptp4l[i].interfaces.name[j],
				.expected = config->ptp4l[i].role == ROLE_SLAVE,
				.series = RECORD_NO_SERIES,
			};
}

int record_open(struct record *r, const struct config *config, const char *token,
		const char *ptp4l_version, char why[static STORE_ERROR_MAX])
{
	CLEANUP(freep) char *configuration = config_to_text(config);
	CLEANUP(freep) char *board = board_facts("");
	const char *label = config->ptpmon.label;
	char kernel[sizeof(struct utsname)];
	char boot_id[40];
	struct utsname u;
	int ret;

	*r = (struct record){
		.resumed_from_mono_ns = TIME_UNKNOWN,
		.durable_mono_ns = INT64_MIN,
		.flushing_mono_ns = INT64_MIN,
		.put_mono_ns = INT64_MIN,
		.store_ok = true,
	};
	for (size_t i = 0; i < CPULIST_MAX; i++)
		r->cpu_series[i] = RECORD_NO_SERIES;
	name_ports(r, config);
	read_boot_id(boot_id);
	(void)uname(&u);
	(void)snprintf(kernel, sizeof(kernel), "%s %s", u.release, u.version);
	ret = store_open(&r->store, config->store.directory,
			 &(struct store_run){
				 .token = token,
				 .boot_id = boot_id,
				 .host = u.nodename,
				 .kernel = kernel,
				 .machine = u.machine,
				 .version = PTPMON_VERSION,
				 .ptp4l_version = *ptp4l_version ? ptp4l_version : NULL,
				 .configuration = configuration,
				 .label = *label ? label : NULL,
				 .board = board,
			 },
			 &r->resumed_from_mono_ns, why);
	if (ret == 0)
		store_set_retention(r->store,
				    &(struct store_retention){
					    .raw_ns = config->store.raw_retention_ns,
					    .rollup_ns = config->store.rollup_retention_ns,
					    .cap_bytes = config->store.size_cap_bytes,
				    });
	return ret;
}

static int find_newest(void *userdata, const struct query_event *e)
{
	int64_t *newest_ns = userdata;

	if (event_is_of_child(e->code) && e->mono_ns > *newest_ns)
		*newest_ns = e->mono_ns;
	return 0;
}

/* What the recorder before this one has written of children. */
static int64_t newest_child_event(const struct record *r)
{
	CLEANUP(query_freep) struct query *q = NULL;
	char run[24];
	char why[QUERY_ERROR_MAX];
	int64_t newest_ns = INT64_MIN;

	(void)snprintf(run, sizeof(run), "%" PRId64, store_run_id(r->store));
	if (query_open(&q, store_path(r->store), run, why) == 0)
		(void)query_visit_events(q, INT64_MIN, INT64_MAX, find_newest, &newest_ns);
	return newest_ns;
}

static struct event how_it_begins(struct record *r)
{
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);

	if (r->resumed_from_mono_ns == TIME_UNKNOWN)
		return event_make(EVENT_RUN_STARTED, now_ns, "run", "run %" PRId64 ": begins in %s",
				  store_run_id(r->store), store_path(r->store));
	return event_make(EVENT_RECORDER_RESUMED, now_ns, "recorder",
			  "recorder: goes on in run %" PRId64 ", %.1f s after its last row",
			  store_run_id(r->store), (double)(now_ns - r->resumed_from_mono_ns) / 1e9);
}

int record_start(struct record *r, int64_t flush_interval_ns, int notify_fd)
{
	int ret = store_start(r->store, flush_interval_ns, notify_fd);
	struct event e;

	if (ret < 0)
		return ret;
	take_anchor(r, ANCHOR_START);
	for (size_t i = 0; i < r->n_ports; i++)
		if (r->ports[i].expected)
			r->ports[i].series =
				declare_series(r, SERIES_OFFSET, "pmc", r->ports[i].name);
	if (r->resumed_from_mono_ns != TIME_UNKNOWN) {
		r->put_mono_ns = newest_child_event(r);
		r->durable_mono_ns = r->flushing_mono_ns = r->put_mono_ns;
		(void)snprintf(r->phase, sizeof(r->phase), "%.*s", RECORD_PHASE_MAX - 1,
			       store_resumed_phase(r->store, &r->phase_since_mono_ns));
		for (size_t i = 0; i < r->n_ports; i++)
			r->ports[i].gap_open = r->ports[i].series != RECORD_NO_SERIES;
	}
	e = how_it_begins(r);
	record_event(r, &e);
	return 0;
}

void record_close(struct record *r, const char *how)
{
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	struct event e;

	if (r->store && how) {
		for (size_t i = 0; i < r->n_ports; i++)
			close_gap(r, &r->ports[i], now_ns);
		e = event_make(EVENT_RUN_ENDED, now_ns, "run", "run %" PRId64 ": ends: %s",
			       store_run_id(r->store), how);
		record_event(r, &e);
	}
	r->store = store_close(r->store, how ?: "failed", CLOSE_NS);
}

void record_leave(struct record *r)
{
	r->store = store_close(r->store, NULL, CLOSE_NS);
}
