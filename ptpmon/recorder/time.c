/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this board knows of the time, and what its grandmasters announce and its slaves expect. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/recorder/state.h"

enum {
	TABLE_TICKS = 24 * 60 * 60, /* tzdata may be updated under us */
	SLIPS = 10,                 /* in a row: not what a clock passes through as it is set */
};

static void load_table(struct recorder *rec)
{
	int r = leap_table_load(LEAP_SECONDS_FILE, &rec->time.table);

	if (r < 0 && rec->ticks == 0)
		log_info("%s: %s: TAI - UTC comes from elsewhere", LEAP_SECONDS_FILE, strerror(-r));
}

static bool has_grandmaster(const struct recorder *rec)
{
	for (size_t i = 0; i < rec->n_ptp4l; i++)
		if (config_ptp4l_announces(rec->ptp4l[i].config))
			return true;
	return false;
}

static void tell_trust(struct recorder *rec, enum realtime_trust trust, int64_t mono_ns)
{
	struct event e = event_make(
		trust == REALTIME_GOOD ? EVENT_REALTIME_GOOD : EVENT_REALTIME_DOUBTFUL, mono_ns,
		"CLOCK_REALTIME", "CLOCK_REALTIME: %s%s", realtime_trust_text(trust),
		trust == REALTIME_GOOD ? "" : ": neither UTC nor traceability is vouched for");

	record_event(&rec->record, &e);
}

static void tell_utc(struct recorder *rec, const struct utc_offset *utc, int64_t mono_ns)
{
	bool expired = utc->source == UTC_FROM_EXPIRED_TABLE;
	struct event e = event_make(expired ? EVENT_UTC_TABLE_EXPIRED : EVENT_UTC_OFFSET_SOURCE,
				    mono_ns, "TAI - UTC", "TAI - UTC: %" PRId64 " s, from: %s%s",
				    utc->seconds, utc_source_name(utc->source),
				    expired ? ": update tzdata, or set [phc2sys] utc_offset" : "");

	record_event(&rec->record, &e);
}

/* CLOCK_REALTIME and TAI - UTC as they are now; what is news of them is told where it matters. */
static void look(struct recorder *rec, int64_t mono_ns)
{
	struct time_knowledge *t = &rec->time;
	const struct realtime now = realtime_read();
	const int64_t build_utc_ns = timescale_build_utc_ns();
	const int64_t key_s = rec->config->phc2sys.utc_offset_s;
	const enum realtime_trust trust =
		realtime_judge(&now, build_utc_ns, t->known && t->trust == REALTIME_GOOD);
	const struct utc_offset utc =
		utc_offset_choose(key_s, now.tai_offset_s, &t->table, now.utc_ns, build_utc_ns);
	bool matters = has_grandmaster(rec);

	if (matters && (!t->known || trust != t->trust))
		tell_trust(rec, trust, mono_ns);
	if (matters && (!t->known || utc.seconds != t->utc.seconds || utc.source != t->utc.source))
		tell_utc(rec, &utc, mono_ns);
	t->trust = trust;
	t->utc = utc;
	/* what a slave is told is compared with: its ptp4l sets the kernel's itself */
	t->expected = utc_offset_choose(key_s, 0, &t->table, now.utc_ns, build_utc_ns);
	t->known = true;
}

/* The PHC of a grandmaster */

/* PHC - (CLOCK_REALTIME + TAI - UTC), as measured last; unknown when that is too long ago. */
static struct reading phc_error(struct recorder *rec, const struct followed *f, int64_t mono_ns)
{
	const struct measured_phc *p = recorder_phc(rec, rec->port_phc[f->first_port]);
	struct phc_facts facts;

	if (f->config->timestamping == TIMESTAMPING_SOFTWARE || !p || !p->source)
		return (struct reading){0};
	facts = phc_source_facts(p->source);
	if (!facts.known || mono_ns - facts.reading.mono_ns > STATUS_PROPERTIES_STALE_NS)
		return (struct reading){0};
	return (struct reading){
		.known = true,
		.value = (facts.utc_offset_s - rec->time.utc.seconds) * NSEC_PER_SEC -
			 facts.sys_minus_phc_ns,
		.mono_ns = facts.reading.mono_ns,
	};
}

static void tell_far(struct followed *f, const struct reading *error)
{
	static const char *const helps[FEED_MAX] = {
		[FEED_NONE] = "look at what feeds it",
		[FEED_ONCE] = "start ptpmon again to have it set",
		[FEED_FOLLOW] = "phc2sys is to bring it back",
	};
	bool far = error->known && llabs(error->value) > PHC_FAR_NS;
	const char *port = f->rec->ports[f->first_port];
	struct event e;

	if (far == f->phc_far)
		return;
	f->phc_far = far;
	if (!far)
		return;
	e = event_make(EVENT_PHC_FAR, error->mono_ns, port,
		       "%s: its PHC is %+.6f s from CLOCK_REALTIME + TAI - UTC, so neither UTC nor "
		       "traceability is vouched for: %s",
		       port, (double)error->value / 1e9, helps[f->rec->config->phc2sys.feed]);
	record_event(&f->rec->record, &e);
}

static void announce(struct followed *f, int64_t mono_ns)
{
	struct recorder *rec = f->rec;
	const struct reading error = phc_error(rec, f, mono_ns);
	const struct announcement wanted = announcement_make(&(struct timescale_facts){
		.hardware_stamps = f->config->timestamping != TIMESTAMPING_SOFTWARE,
		.feed = rec->config->phc2sys.feed,
		.utc = rec->time.utc,
		.trust = rec->time.trust,
		.phc_known = error.known,
		.phc_error_ns = error.value,
		.clock_class = f->config->clock_class,
	});

	if (rec->time.trust == REALTIME_GOOD)
		tell_far(f, &error);
	recorder_announce(f, &wanted, mono_ns);
}

void recorder_judge_slip(struct measured_phc *p, const char *name, int64_t sys_minus_phc_ns)
{
	int64_t slip_s = utc_offset_explains(sys_minus_phc_ns, p->rec->time.expected.seconds);
	struct event e;

	if (!slip_s || !p->rec->time.known) {
		p->slips = 0;
		return;
	}
	if (++p->slips != SLIPS)
		return;
	e = event_make(EVENT_UTC_SLIP, nsec_now(CLOCK_MONOTONIC), name,
		       "%s: CLOCK_REALTIME is %" PRId64
		       " s %s, which is TAI - UTC: UTC and TAI are "
		       "taken for each other; %s is held to be %" PRId64 " s ahead of UTC (%s)",
		       name, (int64_t)llabs(slip_s), slip_s > 0 ? "ahead of it" : "behind it", name,
		       p->utc.seconds, p->utc.source);
	record_event(&p->rec->record, &e);
}

/* Somebody else's to steer: another ptp4l's as a slave, or fed for an earlier one already. */
static bool is_taken(const struct recorder *rec, const struct followed *f, int index)
{
	for (size_t i = 0; i < rec->n_ptp4l; i++) {
		const struct followed *other = &rec->ptp4l[i];

		if (other != f && rec->port_phc[other->first_port] == index &&
		    (config_ptp4l_steers(other->config) || other < f))
			return true;
	}
	return false;
}

/* Starts, restarts or stops the phc2sys that steers it by CLOCK_REALTIME. */
static void feed(struct followed *f, int64_t mono_ns)
{
	const struct recorder *rec = f->rec;
	const int index = rec->port_phc[f->first_port];
	struct message_steer *is = &f->feeding.is;
	const struct message_steer wanted = {
		.given = index != ETHTOOL_NO_PHC && rec->time.trust != REALTIME_BEFORE_BUILD &&
			 !is_taken(rec, f, index),
		.phc_index = index,
		.utc_offset_s = (int32_t)rec->time.utc.seconds,
	};
	struct message m = {.mono_ns = mono_ns, .steer = wanted};

	if (!f->feeding.parent_told || (wanted.given == is->given &&
					(!is->given || (wanted.phc_index == is->phc_index &&
							wanted.utc_offset_s == is->utc_offset_s))))
		return;
	m.kind = wanted.given ? MESSAGE_STEER : MESSAGE_STOP;
	(void)config_feeder_child(f->config, m.child.name);
	(void)snprintf(m.text, sizeof(m.text), "CLOCK_REALTIME is %s",
		       realtime_trust_text(rec->time.trust));
	if (message_send(rec->options->parent_fd, &m) == 0)
		*is = wanted;
}

void recorder_feeder_child(struct recorder *rec, const struct message *m)
{
	char name[CONFIG_CHILD_MAX];

	for (size_t i = 0; i < rec->n_ptp4l; i++) {
		struct feeding *feeding = &rec->ptp4l[i].feeding;

		if (feeding->parent_told ||
		    strcmp(config_feeder_child(rec->ptp4l[i].config, name), m->child.name) != 0)
			continue;
		feeding->parent_told = true;
		feeding->is = m->steer;
	}
}

void recorder_tick_time(struct recorder *rec)
{
	int64_t mono_ns = nsec_now(CLOCK_MONOTONIC);

	if (rec->ticks % TABLE_TICKS == 0)
		load_table(rec);
	look(rec, mono_ns);
	for (size_t i = 0; i < rec->n_ptp4l; i++) {
		struct followed *f = &rec->ptp4l[i];

		if (config_ptp4l_announces(f->config)) {
			announce(f, mono_ns);
			feed(f, mono_ns);
		} else {
			pmc_source_expect_utc(f->pmc, &rec->time.expected);
		}
	}
}

void recorder_fill_scale(struct recorder *rec, const struct followed *f, struct status_scale *out)
{
	if (!config_ptp4l_announces(f->config) || !rec->time.known)
		return;
	(void)snprintf(out->utc_offset_source, sizeof(out->utc_offset_source), "%s",
		       utc_source_name(rec->time.utc.source));
	(void)snprintf(out->realtime, sizeof(out->realtime), "%s",
		       realtime_trust_text(rec->time.trust));
	out->phc_error_ns = phc_error(rec, f, rec->status.taken_mono_ns);
}
