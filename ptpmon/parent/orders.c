/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the recorder may ask for: start, stop and restart of children. It has no privileges and
 * reads what strangers send, so an order is taken within bounds, and no PHC ever gets two writers
 * by one.
 */
#include <string.h>

#include "ptpmon/base/log.h"
#include "ptpmon/parent/state.h"

static struct supervised *find_child(struct parent *p, const char *name)
{
	for (size_t i = 0; i < p->n_children; i++)
		if (strcmp(p->children[i]->name, name) == 0)
			return p->children[i];
	return NULL;
}

/* Only what has been started is started again. */
static void restart_child(struct supervised *s, const char *why)
{
	if (s->kind->on_request && child_status(s->child)->state == CHILD_STOPPED)
		return;
	log_info("%s: restart: %s", s->name, why); /* who asked has told why */
	child_restart(s->child);
}

static bool is_within_bounds(const struct message_steer *steer)
{
	return steer->phc_index >= 0 && steer->phc_index < PARENT_PHC_INDEX_MAX &&
	       steer->sink_index >= 0 && steer->sink_index < PARENT_PHC_INDEX_MAX &&
	       steer->utc_offset_s >= -PARENT_UTC_OFFSET_MAX &&
	       steer->utc_offset_s <= PARENT_UTC_OFFSET_MAX;
}

/* Another child that steers the same PHC, or is still ending; NULL: none does. */
static const struct supervised *writer_beside(const struct supervised *s,
					      const struct message_steer *steer)
{
	const struct parent *p = s->parent;

	for (size_t i = 0; i < p->n_children && s->kind->sink; i++) {
		const struct supervised *other = p->children[i];

		if (other != s && other->kind->sink &&
		    child_status(other->child)->state != CHILD_STOPPED &&
		    other->kind->sink(&other->steer) == s->kind->sink(steer))
			return other;
	}
	return NULL;
}

static void steer(struct supervised *s, const struct message *m)
{
	const struct supervised *other;

	if (!s->kind->on_request || !is_within_bounds(&m->steer))
		return;
	other = writer_beside(s, &m->steer);
	if (other) { /* it will be asked again */
		log_warning("%s: not started: %s steers that PHC", s->name, other->name);
		return;
	}
	s->steer = m->steer;
	s->steer.given = true;
	log_info("%s: start: %s", s->name, m->text);
	if (child_status(s->child)->state == CHILD_STOPPED)
		child_start(s->child);
	else
		child_restart(s->child);
}

static void stop_on_request(struct supervised *s, const char *why)
{
	if (!s->kind->on_request)
		return;
	log_info("%s: stop: %s", s->name, why);
	s->steer.given = false;
	child_stop(s->child);
}

void parent_obey(struct parent *p, const struct message *m)
{
	struct supervised *s = find_child(p, m->child.name);

	if (!s || p->stopping)
		return;
	if (m->kind == MESSAGE_RESTART)
		restart_child(s, m->text);
	else if (m->kind == MESSAGE_STEER)
		steer(s, m);
	else
		stop_on_request(s, m->text);
}
