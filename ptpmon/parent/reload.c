/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGHUP: the configuration is read again. What changed is restarted, what did not keeps running;
 * one that is wrong changes nothing. Everything that can fail is tried before anything is touched.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/parent/state.h"

/* The next configuration, and the children as it wants them, none of which runs. */
struct reload {
	struct parent *p;
	struct config now, next;
	struct parent shadow; /* holds those children */
	struct strbuf done;   /* what was done, for people */
	bool changed;
};

static struct reload *reload_free(struct reload *r)
{
	if (!r)
		return NULL;
	parent_free_children(&r->shadow);
	strbuf_clear(&r->done);
	free(r);
	return NULL;
}

DEFINE_FREEP(struct reload, reload_free)

/* What is made once, when the service starts. */
static const struct {
	const char *section, *key;
} kept[] = {
	{"ptpmon", "runtime_directory"},
	{"store", "directory"},
	{"realtime", "on_refusal"},
};

static void keep(struct reload *r)
{
	char text[STATUS_TEXT_MAX] = "";
	size_t at = 0;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (config_keep(&r->next, &r->now, kept[i].section, kept[i].key))
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s[%s]%s%s",
					       at ? ", " : "", kept[i].section,
					       kept[i].key ? " " : "", kept[i].key ?: "");
	if (!at)
		return;
	(void)snprintf(text + at, sizeof(text) - at,
		       ": changed, and not applied before ptpmon is restarted");
	parent_tell_event(r->p, EVENT_CONFIG_KEPT, "configuration", text);
}

/* Children */

static const char *command_text(const struct config *c, const struct supervised *s,
				struct command *out)
{
	out->n = out->used = 0;
	(void)command_ptp4l(out, c, s->instance, s->program, &s->version);
	for (size_t i = 0; i + 1 < out->used; i++) /* one line of it */
		if (!out->text[i])
			out->text[i] = '\n';
	return out->text;
}

static bool same_ptp4l(const struct reload *r, const struct supervised *was,
		       const struct supervised *wanted)
{
	CLEANUP(freep) struct command *a = calloc(1, sizeof(*a));
	CLEANUP(freep) struct command *b = calloc(1, sizeof(*b));
	const struct config_ptp4l *old = &r->now.ptp4l[was->instance];
	const struct config_ptp4l *new = &r->next.ptp4l[wanted->instance];

	if (!a || !b || strcmp(was->program, wanted->program) != 0 ||
	    old->config_file_hash != new->config_file_hash ||
	    old->fifo_priority != new->fifo_priority ||
	    memcmp(&old->cpus, &new->cpus, sizeof(old->cpus)) != 0)
		return false;
	return strcmp(command_text(&r->now, was, a), command_text(&r->next, wanted, b)) == 0;
}

static bool same(const struct reload *r, const struct supervised *was,
		 const struct supervised *wanted)
{
	if (!was->kind->section)
		return same_ptp4l(r, was, wanted);
	return strcmp(was->program, wanted->program) == 0 &&
	       !config_section_differs(&r->now, &r->next, was->kind->section);
}

static struct supervised *find(const struct parent *p, const struct supervised *like)
{
	for (size_t i = 1; i < p->n_children; i++)
		if (p->children[i]->kind == like->kind &&
		    strcmp(p->children[i]->name, like->name) == 0)
			return p->children[i];
	return NULL;
}

static void say(struct reload *r, const struct supervised *s, const char *what)
{
	strbuf_addf(&r->done, "%s%s %s",
		    strbuf_text(&r->done) && *strbuf_text(&r->done) ? ", " : "", s->name, what);
}

static void start(struct supervised *s)
{
	if (s->parent->others_started && !s->kind->on_request)
		child_start(s->child);
}

static void update(struct reload *r, struct supervised *was, const struct supervised *wanted)
{
	bool failed = child_status(was->child)->state == CHILD_FAILED;
	bool unchanged = same(r, was, wanted) && !was->leaving;

	was->leaving = false;
	was->instance = wanted->instance;
	was->version = wanted->version;
	(void)strcpy(was->program, wanted->program);
	if (unchanged && !failed)
		return;
	say(r, was, "restarted");
	if (!was->kind->on_request || child_status(was->child)->state != CHILD_STOPPED)
		child_restart(was->child);
}

/* Its child object and its log are ready; only whose they are changes. */
static void adopt(struct reload *r, size_t i)
{
	struct parent *p = r->p;
	struct supervised *s = r->shadow.children[i];

	if (p->n_children == PARENT_CHILDREN_MAX) {
		say(r, s, "left out: too many children");
		return;
	}
	r->shadow.children[i] = NULL;
	s->parent = p;
	p->children[p->n_children++] = s;
	say(r, s, "started");
	start(s);
}

static void apply_children(struct reload *r)
{
	struct parent *p = r->p;

	for (size_t i = 1; i < p->n_children; i++)
		if (!find(&r->shadow, p->children[i]) && !p->children[i]->leaving) {
			p->children[i]->leaving = true;
			recorder_link_child_left(&p->link, p->children[i]->name);
			say(r, p->children[i], "stopped");
			child_stop(p->children[i]->child);
		}
	for (size_t i = 1; i < r->shadow.n_children; i++) {
		struct supervised *was = find(p, r->shadow.children[i]);

		if (was)
			update(r, was, r->shadow.children[i]);
		else
			adopt(r, i);
	}
}

/* The recorder has its configuration from its start: another one goes on with the run. */
static void renew_recorder(struct reload *r)
{
	struct parent *p = r->p;
	struct message leave = {.kind = MESSAGE_LEAVE, .mono_ns = nsec_now(CLOCK_MONOTONIC)};

	if (parent_make_config_fd(p) < 0)
		return; /* the old one is as good as none */
	(void)recorder_link_send(&p->link, &leave);
	child_restart(parent_recorder(p)->child);
}

/* Trying */

static int load(struct reload *r, char *why)
{
	int ret = config_load(&r->next, r->p->config_path, why);

	if (ret == 0)
		ret = config_read_ptp4l_files(&r->next, why);
	return ret;
}

static bool texts_differ(const struct reload *r)
{
	CLEANUP(freep) char *a = config_to_text(&r->now);
	CLEANUP(freep) char *b = config_to_text(&r->next);
	bool differ = !a || !b || strcmp(a, b) != 0;

	for (size_t i = 0; i < r->now.n_ptp4l && !differ; i++)
		differ = r->now.ptp4l[i].config_file_hash != r->next.ptp4l[i].config_file_hash;
	return differ;
}

static bool one_failed(const struct parent *p)
{
	for (size_t i = 1; i < p->n_children; i++)
		if (child_status(p->children[i]->child)->state == CHILD_FAILED)
			return true;
	return false;
}

static int make_shadow(struct reload *r, char *why)
{
	struct parent *s = &r->shadow;

	*s = (struct parent){
		.config = &r->next,
		.event = r->p->event,
		.ops = r->p->ops,
		.environment = r->p->environment,
	};
	return parent_make_children(s, why);
}

static int try_all(struct reload *r, char *why)
{
	char text[PORT_LOCKS_WHY_MAX];
	int ret = load(r, why);

	if (ret < 0)
		return ret;
	keep(r);
	r->changed = texts_differ(r) || one_failed(r->p);
	if (!r->changed)
		return 0;
	ret = make_shadow(r, why);
	if (ret < 0)
		return ret;
	ret = port_locks_move(&r->p->locks, &r->next, why);
	if (ret < 0)
		return ret;
	ret = parent_move_places(r->p, &r->next, why);
	if (ret < 0) /* back to what runs, which nobody can have taken meanwhile */
		(void)port_locks_move(&r->p->locks, &r->now, text);
	return ret;
}

static void apply(struct reload *r)
{
	char text[STATUS_TEXT_MAX];

	if (!r->changed) {
		parent_tell_event(r->p, EVENT_CONFIG_RELOADED, "configuration",
				  "configuration: read again, nothing has changed");
		return;
	}
	*r->p->own_config = r->next;
	(void)parent_set_priorities(r->p, NULL);
	apply_children(r);
	(void)snprintf(text, sizeof(text), "configuration: read again: %.200s",
		       strbuf_text(&r->done) && *strbuf_text(&r->done) ? strbuf_text(&r->done)
								       : "nothing to restart");
	parent_tell_event(r->p, EVENT_CONFIG_RELOADED, "configuration", text);
	renew_recorder(r);
}

void parent_reload(struct parent *p)
{
	CLEANUP(reload_freep) struct reload *r = calloc(1, sizeof(*r));
	char why[CONFIG_ERROR_MAX] = "out of memory";
	char text[STATUS_TEXT_MAX];

	(void)sd_notifyf(false, "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
			 nsec_now(CLOCK_MONOTONIC) / NSEC_PER_USEC);
	if (r) {
		r->p = p;
		r->now = *p->config;
	}
	if (r && try_all(r, why) == 0) {
		apply(r);
	} else {
		(void)snprintf(text, sizeof(text),
			       "configuration: the one before stays in force: %.200s", why);
		parent_tell_event(p, EVENT_CONFIG_REFUSED, "configuration", text);
	}
	(void)sd_notify(false, "READY=1");
}
