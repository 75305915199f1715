// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/report/status_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/report/status_sheet.h"

enum { ALARM_ROWS = 3 };

/* "raised 12 s ago" or "cleared 5 min ago": the moment that its since is. */
static void put_alarm(struct sheet *p, const char *label, const struct alarm *a)
{
	char worst[ALARM_TEXT_MAX];
	char limit[ALARM_TEXT_MAX];
	char numbers[2 * ALARM_TEXT_MAX + 24] = "";
	char age[NSEC_TEXT_MAX];
	char times[32] = "";

	if (alarm_code_unit(a->code) != ALARM_YES_NO)
		(void)snprintf(numbers, sizeof(numbers), ", worst %s, limit %s",
			       alarm_format_value(a->code, a->worst, worst),
			       alarm_format_value(a->code, a->limit, limit));
	if (a->count > 1)
		(void)snprintf(times, sizeof(times), ", %" PRIu32 " times", a->count);
	page_put(&p->page, label, "%s %s: %s %s ago%s%s", a->subject, alarm_code_name(a->code),
		 a->raised ? "raised" : "cleared", sheet_age(p, a->since_mono_ns, age), numbers,
		 times);
}

static void put_alarms(struct sheet *p)
{
	const struct status *s = p->s;
	size_t room = ALARM_ROWS + (p->rows > SHEET_FULL_ROWS ? p->rows - SHEET_FULL_ROWS : 0);
	size_t shown = s->n_alarms > room ? room - 1 : s->n_alarms;

	for (size_t i = 0; i < shown; i++)
		put_alarm(p, i ? "" : "alarms", &s->alarms[i]);
	if (shown < s->n_alarms)
		page_put(&p->page, "", "and %zu more: see --json", s->n_alarms - shown);
}

static void put_phc(struct sheet *p, const struct status_phc *phc)
{
	char value[SHEET_VALUE_MAX];
	char delay[NSEC_TEXT_MAX] = "unknown";

	if (phc->delay_ns.known)
		(void)nsec_format_offset(phc->delay_ns.value / 2, delay);
	page_put(&p->page, phc->name, "system clock minus this: %s; right within %s",
		 sheet_reading_ns(p, &phc->sys_minus_phc_ns, value), delay);
	if (phc->problem[0])
		page_put(&p->page, "", "%s", phc->problem);
}

/* "for eth1" of "phc2sys for eth1". */
static const char *joined_port(const struct status_phc2sys *s)
{
	const char *blank = strchr(s->name, ' ');

	return blank ? blank + 1 : s->name;
}

/* Whose own word it is stands beside what was measured. */
static void put_phc2sys(struct sheet *p)
{
	const struct status_phc2sys *s = &p->s->phc2sys;
	char value[SHEET_VALUE_MAX];

	if (!s->wanted)
		return;
	if (!s->open)
		page_put(&p->page, "  phc2sys", "held back: %s", s->reason);
	else
		page_put(&p->page, "  phc2sys", "claims %s; %s is %" PRId64 " s ahead of UTC%s%s",
			 sheet_reading_ns(p, &s->offset_ns, value), s->phc, s->utc_offset_s,
			 s->reason[0] ? "; now " : "", s->reason);
}

/* From PHC to PHC; those that ptp4l steers itself are the other end of these. */
static void put_joiner(struct sheet *p, const struct status_phc2sys *s)
{
	char value[SHEET_VALUE_MAX];

	if (s->needless)
		return;
	if (!s->open)
		page_put(&p->page, "  phc2sys", "%s held back: %s", joined_port(s), s->reason);
	else
		page_put(&p->page, "  phc2sys", "%s claims %s, of %s against %s%s%s",
			 joined_port(s), sheet_reading_ns(p, &s->offset_ns, value), s->sink, s->phc,
			 s->reason[0] ? "; now " : "", s->reason);
}

static void put_record(struct sheet *p)
{
	const struct status_record *r = &p->s->record;
	char flushed[64] = "no flush yet";
	char age[NSEC_TEXT_MAX];

	if (r->flushed_mono_ns)
		(void)snprintf(flushed, sizeof(flushed), "flushed %s ago",
			       sheet_age(p, r->flushed_mono_ns, age));
	page_put(&p->page, "record",
		 "run %" PRId64 ", %" PRIu64 " rows, %s, %" PRIu64 " queued, %" PRIu64 " dropped",
		 r->run, r->samples, flushed, r->queued, r->dropped);
	page_put(&p->page, "", "%s", r->path[0] ? r->path : "no database");
}

static void put_phase(struct sheet *p)
{
	const struct status *s = p->s;
	char age[NSEC_TEXT_MAX];

	if (!s->phase[0])
		page_put(&p->page, "phase", "none");
	else if (s->phase_since_mono_ns)
		page_put(&p->page, "phase", "%s for %s", s->phase,
			 sheet_age(p, s->phase_since_mono_ns, age));
	else
		page_put(&p->page, "phase", "%s", s->phase);
}

static void put_cost(struct sheet *p)
{
	const struct status *s = p->s;
	int64_t up_ns = s->taken_mono_ns - s->started_mono_ns;
	double percent = up_ns > 0 ? 100 * (double)s->cost.cpu_ns / (double)up_ns : 0;

	page_put(&p->page, "cost", "%.1f %% of one CPU, %.1f MiB, %" PRIu64 " requests to ptp4l",
		 percent, (double)s->cost.rss_bytes / (1024 * 1024), s->cost.requests);
}

static void put_verdict(struct sheet *p, bool colour)
{
	static const struct {
		const char *word, *colour;
	} looks[STATUS_VERDICT_MAX] = {
		[STATUS_GOOD] = {"GOOD", "\033[1;32m"},
		[STATUS_BAD] = {"BAD", "\033[1;31m"},
		[STATUS_UNKNOWN] = {"UNKNOWN", "\033[1;33m"},
	};
	const struct status *s = p->s;
	char up[NSEC_TEXT_MAX];
	char utc[NSEC_TEXT_MAX];

	strbuf_addf(&p->page.out, "%s%s%s%*s", colour ? looks[p->verdict].colour : "",
		    looks[p->verdict].word, colour ? "\033[0m" : "",
		    PAGE_LABEL_COLUMNS - (int)strlen(looks[p->verdict].word), "");
	page_put_words(&p->page, p->why);
	/* the time is one word, so that it is not torn */
	page_put(&p->page, "", "host %s, role %s%s%s, up %s, %.19sZ", s->host, s->role,
		 s->label[0] ? ", label " : "", s->label, sheet_age(p, s->started_mono_ns, up),
		 nsec_format_utc(s->taken_utc_ns, utc));
}

char *status_to_text(const struct status *s, const struct status_screen *screen)
{
	struct sheet p = {.page.columns = screen->columns, .s = s, .rows = screen->rows};

	p.verdict = status_judge(s, p.why);
	put_verdict(&p, screen->colour);
	page_end_line(&p.page);
	put_alarms(&p);
	sheet_put_ports(&p);
	for (size_t i = 0; i < s->n_phcs; i++)
		put_phc(&p, &s->phcs[i]);
	put_phc2sys(&p);
	for (size_t i = 0; i < s->n_joiners; i++)
		put_joiner(&p, &s->joiners[i]);
	sheet_put_latency(&p);
	sheet_put_children(&p);
	sheet_put_complaints(&p);
	sheet_put_audit(&p);
	put_record(&p);
	put_phase(&p);
	put_cost(&p);
	return strbuf_steal(&p.page.out);
}
