/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this board knows of the time, and what its grandmasters announce and its slaves expect. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/recorder_state.h"

enum { TABLE_TICKS = 24 * 60 * 60 }; /* tzdata may be updated under us */

static void tell(struct recorder *rec, const struct event *e)
{
	record_event(&rec->record, e);
}

static void load_table(struct recorder *rec)
{
	int r = leap_table_load(LEAP_SECONDS_FILE, &rec->time.table);

	if (r < 0 && rec->ticks == 0)
		log_info("%s: %s: TAI - UTC comes from elsewhere", LEAP_SECONDS_FILE, strerror(-r));
}

static bool has_grandmaster(const struct recorder *rec)
{
	for (size_t i = 0; i < rec->n_ptp4l; i++)
		if (rec->ptp4l[i].config->role == ROLE_GRANDMASTER)
			return true;
	return false;
}

static void tell_trust(struct recorder *rec, enum realtime_trust trust, int64_t mono_ns)
{
	struct event e = event_make(
		trust == REALTIME_GOOD ? EVENT_REALTIME_GOOD : EVENT_REALTIME_DOUBTFUL, mono_ns,
		"CLOCK_REALTIME", "CLOCK_REALTIME: %s%s", realtime_trust_text(trust),
		trust == REALTIME_GOOD ? "" : ": neither UTC nor traceability is vouched for");

	tell(rec, &e);
}

static void tell_utc(struct recorder *rec, const struct utc_offset *utc, int64_t mono_ns)
{
	bool expired = utc->source == UTC_FROM_EXPIRED_TABLE;
	struct event e = event_make(expired ? EVENT_UTC_TABLE_EXPIRED : EVENT_UTC_OFFSET_SOURCE,
				    mono_ns, "TAI - UTC", "TAI - UTC: %" PRId64 " s, from: %s%s",
				    utc->seconds, utc_source_name(utc->source),
				    expired ? ": update tzdata, or set [phc2sys] utc_offset" : "");

	tell(rec, &e);
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

static void announce(struct followed *f, int64_t mono_ns)
{
	const struct recorder *rec = f->rec;
	const struct announcement wanted = announcement_make(&(struct timescale_facts){
		.hardware_stamps = f->config->timestamping != TIMESTAMPING_SOFTWARE,
		.feed = rec->config->phc2sys.feed,
		.utc = rec->time.utc,
		.trust = rec->time.trust,
		.clock_class = f->config->clock_class,
	});

	recorder_announce(f, &wanted, mono_ns);
}

void recorder_tick_time(struct recorder *rec)
{
	int64_t mono_ns = nsec_now(CLOCK_MONOTONIC);

	if (rec->ticks % TABLE_TICKS == 0)
		load_table(rec);
	look(rec, mono_ns);
	for (size_t i = 0; i < rec->n_ptp4l; i++) {
		struct followed *f = &rec->ptp4l[i];

		if (f->config->role == ROLE_GRANDMASTER)
			announce(f, mono_ns);
		else
			pmc_source_expect_utc(f->pmc, &rec->time.expected);
	}
}

void recorder_fill_scale(const struct recorder *rec, const struct followed *f,
			 struct status_scale *out)
{
	if (f->config->role != ROLE_GRANDMASTER || !rec->time.known)
		return;
	(void)snprintf(out->utc_offset_source, sizeof(out->utc_offset_source), "%s",
		       utc_source_name(rec->time.utc.source));
	(void)snprintf(out->realtime, sizeof(out->realtime), "%s",
		       realtime_trust_text(rec->time.trust));
}
