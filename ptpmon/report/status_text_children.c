// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/report/status_sheet.h"

enum { LINE_PROBLEM_MAX = 64 }; /* what a child's line or two have room for */

static bool is_troubled(const struct status_child *c)
{
	return c->state != CHILD_UP || !c->schedule_ok || c->problem[0];
}

static void put_child(struct sheet *p, const char *label, const struct status_child *c)
{
	/* a long story is told once */
	bool told = strlen(c->problem) > LINE_PROBLEM_MAX && strstr(p->why, c->problem);
	char since[NSEC_TEXT_MAX] = "";
	char priority[24] = "";

	if (c->started_mono_ns && c->pid)
		(void)sheet_age(p, c->started_mono_ns, since);
	if (c->priority && c->policy[0])
		(void)snprintf(priority, sizeof(priority), " %" PRId64, c->priority);
	page_put(&p->page, label, "%-10s %s%s%s, %s%s%s%s, %" PRIu32 " start%s%s%s", c->name,
		 child_state_name(c->state), since[0] ? " " : "", since,
		 c->policy[0] ? c->policy : "schedule unknown", priority,
		 c->cpus[0] ? ", cpus " : "", c->cpus, c->starts, c->starts == 1 ? "" : "s",
		 c->problem[0] ? ": " : "", told ? "see above" : c->problem);
}

/* Lines that put_audit() takes: none while there is nothing wrong. */
static size_t audit_lines(const struct status *s)
{
	size_t trouble = s->audit.findings[0].kind == AUDIT_STARVED ? 2 : 1;

	return (audit_has_trouble(&s->audit) ? trouble : 0) + (s->audit.problem[0] ? 2 : 0) +
	       s->rt_throttling.fired;
}

static void put_outranked(struct sheet *p, const struct audit *a)
{
	const struct audit_finding *f = &a->findings[0]; /* the gravest */
	size_t n = audit_count(a, AUDIT_ABOVE) + audit_count(a, AUDIT_STARVED);
	char more[48] = "";

	if (n > 1)
		(void)snprintf(more, sizeof(more), "; %zu more", n - 1);
	if (f->kind == AUDIT_ABOVE)
		page_put(&p->page, "audit",
			 "%.15s/%" PRId64 " %s %" PRId64 " on CPU %" PRId64 " is above %s%s",
			 f->name, f->tid, f->policy, f->priority, f->last_cpu, a->subject, more);
	else
		page_put(&p->page, "audit", "%.15s %s%s", f->name, f->text, more);
}

/* What the audit and the kernel's throttling have to say. */
void sheet_put_audit(struct sheet *p)
{
	const struct status *s = p->s;

	if (audit_has_trouble(&s->audit))
		put_outranked(p, &s->audit);
	if (s->audit.problem[0])
		page_put(&p->page, "audit", "%s", s->audit.problem);
	if (s->rt_throttling.fired)
		page_put(&p->page, "throttled",
			 "the kernel stopped real-time threads: over %.0f %% of a CPU",
			 100 * (double)s->rt_throttling.runtime_us /
				 (double)s->rt_throttling.period_us);
}

/* The phc2sys that is held back: what that is for stands beside the PHC. */
static bool has_own_line(const struct status *s, const struct status_child *c)
{
	bool own = strcmp(c->name, "phc2sys") == 0;

	for (size_t i = 0; i < s->n_joiners; i++)
		own = own || strcmp(c->name, s->joiners[i].name) == 0;
	return own && status_child_is_held(s, c);
}

void sheet_put_children(struct sheet *p)
{
	const struct status *s = p->s;
	size_t used = p->page.lines + SHEET_TAIL_ROWS + audit_lines(s) +
		      1; /* the shell's prompt has the last row */
	size_t room = p->rows > used ? p->rows - used : 0;
	size_t left = 0;
	size_t first_line = p->page.lines;
	const char *label = "children";
	char age[NSEC_TEXT_MAX];

	if (status_parent_is_silent(s)) {
		page_put(&p->page, label, "as the parent said, which was last heard %s ago:",
			 sheet_age(p, s->parent_mono_ns, age));
		label = "";
	}
	if (!s->n_children)
		page_put(&p->page, label, "none");
	for (size_t i = 0; i < s->n_children; i++)
		left += !has_own_line(s, &s->children[i]);
	/* where not all fit, those in trouble come first and the others become a number */
	for (int troubled = 1; troubled >= 0; troubled--)
		for (size_t i = 0; i < s->n_children; i++) {
			bool cut = s->n_children > room && p->page.lines - first_line + 1 >= room;

			if (is_troubled(&s->children[i]) != troubled || (cut && !troubled) ||
			    has_own_line(s, &s->children[i]))
				continue;
			put_child(p, label, &s->children[i]);
			label = "";
			left--;
		}
	if (left)
		page_put(&p->page, label, "%zu%s up and scheduled as asked", left,
			 left == s->n_children ? "" : " more");
}

/* What programs complained of, where there is room; what to do stands in the event. */
void sheet_put_complaints(struct sheet *p)
{
	const struct status *s = p->s;
	size_t room = p->rows > SHEET_FULL_ROWS ? p->rows - SHEET_FULL_ROWS : 0;
	size_t shown;
	char age[NSEC_TEXT_MAX];

	if (room == 0)
		return;
	shown = s->n_complaints > room ? room - 1 : s->n_complaints;
	for (size_t i = 0; i < shown; i++) {
		const struct status_complaint *c = &s->complaints[i];

		page_put(&p->page, i ? "" : "told", "%s: %s, %" PRIu64 " time%s, last %s ago",
			 c->name, c->code, c->count, c->count == 1 ? "" : "s",
			 sheet_age(p, c->mono_ns, age));
	}
	if (shown < s->n_complaints)
		page_put(&p->page, "", "and %zu more: see --json", s->n_complaints - shown);
}
