/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each child is: its row, its program, its log, and how it is started. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/base/program.h"
#include "ptpmon/collect/ethtool.h"
#include "ptpmon/parent/dry_run.h"
#include "ptpmon/parent/state.h"

enum { PIPE_BYTES = 1 << 20 }; /* 60 s of a stopped recorder at 128 lines a second */

/* The recorder is never given up: PTP goes on without it, but not the record. */
static const struct restart_policy recorder_policy = {
	.first_wait_ns = 500 * NSEC_PER_MSEC,
	.longest_wait_ns = 30 * NSEC_PER_SEC,
	.healthy_ns = 10 * NSEC_PER_SEC,
	.stop_timeout_ns = 15 * NSEC_PER_SEC, /* its last flush may wait for the disk */
};

static int pass_fd(struct spawn_plan *plan, int fd)
{
	plan->fds[plan->n_fds++] = fd;
	return fd;
}

/* The recorder */

static int plan_recorder(struct supervised *s, struct spawn_plan *plan,
			 char why[static STATUS_TEXT_MAX])
{
	struct parent *p = s->parent;
	const char *version = "";
	int r = recorder_link_renew(&p->link);

	if (r < 0)
		return r;
	p->link_source = sd_event_source_unref(p->link_source);
	r = sd_event_add_io(p->event, &p->link_source, p->link.fd, EPOLLIN, parent_on_link, p);
	if (r >= 0) /* before its exit: the last thing it says tells what that means */
		r = sd_event_source_set_priority(p->link_source, SD_EVENT_PRIORITY_IMPORTANT - 1);
	if (r < 0)
		return r;
	for (size_t i = p->n_children; i-- > 0;)
		if (*p->children[i]->version.text)
			version = p->children[i]->version.text;
	command_add(&p->command, "ptpmon");
	command_add(&p->command, "recorder");
	if (log_level() >= LOG_LEVEL_INFO)
		command_add(&p->command, "--verbose");
	command_add(&p->command, "--token=%s", p->token);
	command_add(&p->command, "--ptp4l-version=%s", version);
	command_add(&p->command, "--started-ns=%" PRId64, p->started_mono_ns);
	if (!p->others_started)
		command_add(&p->command, "--first");
	command_add(&p->command, "--parent-fd=%d", pass_fd(plan, p->link.remote_fd));
	command_add(&p->command, "--config-fd=%d", pass_fd(plan, p->config_fd));
	for (size_t i = 0; i < p->n_children; i++)
		if (p->children[i]->log_fds[0] >= 0)
			command_add(&p->command, "--log-fd=%d:%s",
				    pass_fd(plan, p->children[i]->log_fds[0]),
				    p->children[i]->name);
	if (p->kmsg_fd >= 0)
		command_add(&p->command, "--kmsg-fd=%d", pass_fd(plan, p->kmsg_fd));
	command_add(&p->command, "--window-fd=%d", pass_fd(plan, p->window_fds[0]));
	plan->program = s->program;
	plan->drop_privileges = true;
	return 0;
}

static const struct child_kind recorder_kind = {.policy = &recorder_policy, .plan = plan_recorder};

/* ptp4l */

static int phc_index_of(const char *interface)
{
	struct ethtool_timestamping t;

	return ethtool_timestamping_get(interface, &t) == 0 ? t.phc_index : ETHTOOL_NO_PHC;
}

/* The ptp4l that come before this one where two may not both run: those that do, and earlier ones.
 */
static unsigned those_before(const struct supervised *s)
{
	const struct parent *p = s->parent;
	unsigned before = (1u << s->instance) - 1;

	for (size_t i = 0; i < p->n_children; i++) {
		const struct supervised *other = p->children[i];

		if (other->kind == s->kind && child_status(other->child)->pid)
			before |= 1u << other->instance;
	}
	for (size_t i = 0; i < p->config->n_ptp4l; i++)
		if (!p->config->ptp4l[i].manage)
			before |= 1u << i;
	return before;
}

/* Of a grandmaster each would have a time of its own. */
static bool may_have_several_phcs(const struct config_ptp4l *p)
{
	return config_ptp4l_steers(p) && p->timestamping != TIMESTAMPING_SOFTWARE;
}

static int plan_ptp4l(struct supervised *s, struct spawn_plan *plan,
		      char why[static STATUS_TEXT_MAX])
{
	const struct config *c = s->parent->config;
	const struct config_ptp4l *ptp4l = &c->ptp4l[s->instance];
	char problem[RUNTIME_WHY_MAX];
	int r;

	for (size_t i = 0; i < ptp4l->interfaces.n; i++) {
		if (if_nametoindex(ptp4l->interfaces.name[i]))
			continue;
		(void)snprintf(why, STATUS_TEXT_MAX, "%s: no such interface: %s waits for it",
			       ptp4l->interfaces.name[i], s->name);
		return -EAGAIN;
	}
	if (runtime_check_socket(&s->parent->places[s->instance], problem) < 0) {
		(void)snprintf(why, STATUS_TEXT_MAX, "%.*s", STATUS_TEXT_MAX - 1, problem);
		return -EAGAIN;
	}
	if (phc_is_shared(c, s->instance, those_before(s), phc_index_of, problem) < 0) {
		(void)snprintf(why, STATUS_TEXT_MAX, "%.*s", STATUS_TEXT_MAX - 1, problem);
		return -EAGAIN;
	}
	plan->program = s->program;
	plan->output_fd = s->log_fds[1];
	plan->must_schedule = c->realtime.on_refusal == ON_REFUSAL_FAIL;
	plan->death_signal = SIGKILL;
	if (schedule_ptp4l(ptp4l, &plan->schedule) < 0)
		return -ENODEV;
	parent_feed_phc(s);
	r = command_ptp4l(&s->parent->command, c, s->instance, s->program, &s->version);
	if (r == 0 && may_have_several_phcs(ptp4l) && phc_are_several(ptp4l, phc_index_of))
		command_add(&s->parent->command, "--boundary_clock_jbod=1");
	return s->parent->command.too_long ? -E2BIG : r;
}

static const struct child_kind ptp4l_kind = {.policy = &restart_default_policy, .plan = plan_ptp4l};

/* The sampler */

static int plan_sampler(struct supervised *s, struct spawn_plan *plan,
			char why[static STATUS_TEXT_MAX])
{
	struct parent *p = s->parent;

	plan->program = s->program;
	plan->output_fd = s->log_fds[1];
	plan->schedules_itself = true; /* and tells the recorder why, if one is refused */
	plan->workers = schedule_sampler(p->config, &plan->schedule);
	return command_sampler(&p->command, p->config, s->program, pass_fd(plan, p->window_fds[1]));
}

static const struct child_kind sampler_kind = {
	.policy = &restart_default_policy, .plan = plan_sampler, .section = "latency"};

/* phc2sys, three ways: which clock it steers, and by which, is what the recorder asked for. */

static int plan_phc2sys(struct supervised *s, struct spawn_plan *plan,
			char why[static STATUS_TEXT_MAX])
{
	struct parent *p = s->parent;

	plan->program = s->program;
	plan->output_fd = s->log_fds[1];
	plan->must_schedule = p->config->realtime.on_refusal == ON_REFUSAL_FAIL;
	plan->death_signal = SIGKILL;
	if (schedule_phc2sys(p->config, &plan->schedule) < 0)
		return -ENODEV;
	return s->kind->command(&p->command, p->config, s->program, &s->steer);
}

static int command_to_system(struct command *out, const struct config *c, const char *program,
			     const struct message_steer *steer)
{
	return command_phc2sys(out, c, program, steer->phc_index, steer->utc_offset_s);
}

static int command_from_system(struct command *out, const struct config *c, const char *program,
			       const struct message_steer *steer)
{
	return command_feeder(out, c, program, steer->phc_index, steer->utc_offset_s);
}

static int command_from_phc(struct command *out, const struct config *c, const char *program,
			    const struct message_steer *steer)
{
	return command_joiner(out, c, program, steer->phc_index, steer->sink_index);
}

static int sink_of_feeder(const struct message_steer *steer)
{
	return steer->phc_index;
}

static int sink_of_joiner(const struct message_steer *steer)
{
	return steer->sink_index;
}

#define PHC2SYS                                                                                    \
	.policy = &restart_default_policy, .plan = plan_phc2sys, .section = "phc2sys",             \
	.on_request = true

static const struct child_kind phc2sys_kind = {PHC2SYS, .command = command_to_system};

/* A grandmaster's PHC by CLOCK_REALTIME. */
static const struct child_kind feeder_kind = {
	PHC2SYS,
	.command = command_from_system,
	.sink = sink_of_feeder,
};

/* PHC by PHC, where the ports of a ptp4l have several. */
static const struct child_kind joiner_kind = {
	PHC2SYS,
	.command = command_from_phc,
	.sink = sink_of_joiner,
};

int parent_plan(void *userdata, struct child *c, struct spawn_plan *plan,
		char why[static STATUS_TEXT_MAX])
{
	struct supervised *s = userdata;
	struct parent *p = s->parent;

	p->command.n = p->command.used = 0;
	p->command.too_long = false;
	plan->argv = p->command.argv;
	plan->envp = p->environment;
	return s->kind->plan(s, plan, why);
}

/* Making them */

static struct supervised *supervised_free(struct supervised *s)
{
	if (!s)
		return NULL;
	(void)child_free(s->child);
	close_fdp(&s->log_fds[0]);
	close_fdp(&s->log_fds[1]);
	free(s);
	return NULL;
}

DEFINE_FREEP(struct supervised, supervised_free)

static int make_log(struct supervised *s)
{
	if (pipe2(s->log_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	(void)fcntl(s->log_fds[1], F_SETPIPE_SZ, PIPE_BYTES);
	return 0;
}

static int no_memory(int r, char *why)
{
	(void)snprintf(why, RUNTIME_WHY_MAX, "cannot start: %s", strerror(-r));
	return r;
}

/* One more, which has a log of its own if it is given one. 0, or -errno and why. */
static int add_child(struct parent *p, const struct child_kind *kind, const char *name,
		     struct supervised **out, char *why)
{
	CLEANUP(supervised_freep) struct supervised *s = calloc(1, sizeof(*s));
	int r;

	if (!s || p->n_children == PARENT_CHILDREN_MAX)
		return no_memory(-ENOMEM, why);
	s->parent = p;
	s->kind = kind;
	s->log_fds[0] = s->log_fds[1] = -1;
	(void)snprintf(s->name, sizeof(s->name), "%s", name);
	r = child_new(&s->child, p->event, s->name, kind->policy, p->ops, s);
	if (r == 0 && kind != &recorder_kind)
		r = make_log(s);
	if (r < 0)
		return no_memory(r, why);
	*out = p->children[p->n_children++] = steal(&s);
	return 0;
}

static int add_recorder(struct parent *p, char *why)
{
	struct supervised *s;
	int r = add_child(p, &recorder_kind, "recorder", &s, why);

	if (r == 0)
		(void)strcpy(s->program, "/proc/self/exe");
	return r;
}

static int add_ptp4l(struct parent *p, size_t i, char *why)
{
	const struct config_ptp4l *ptp4l = &p->config->ptp4l[i];
	struct supervised *s;
	int r = add_child(p, &ptp4l_kind, ptp4l->child, &s, why);

	if (r < 0)
		return r;
	s->instance = i;
	r = phc_is_shared(p->config, i, PHC_ANY_OTHER, phc_index_of, why);
	if (r < 0)
		return r;
	r = dry_run_find(ptp4l, s->program, &s->version, why);
	return r < 0 ? r : dry_run_options(p->config, i, s->program, &s->version, why);
}

static int add_sampler(struct parent *p, char *why)
{
	struct supervised *s;
	int r = add_child(p, &sampler_kind, "latency", &s, why);

	if (r < 0)
		return r;
	r = program_find("ptpmon-sampler", "ptpmon/latency", s->program, sizeof(s->program));
	if (r < 0)
		(void)snprintf(why, RUNTIME_WHY_MAX,
			       "%s: %s: install ptpmon whole, or set [latency] on = no", s->program,
			       strerror(-r));
	return r;
}

static int add_phc2sys(struct parent *p, const struct child_kind *kind, const char *name, char *why)
{
	const char *program = p->config->phc2sys.program;
	struct supervised *s;
	int r = add_child(p, kind, name, &s, why);

	if (r < 0)
		return r;
	r = spawn_find_program(program, s->program, sizeof(s->program));
	if (r < 0)
		(void)snprintf(why, RUNTIME_WHY_MAX,
			       "%s: %s: install linuxptp, or set [phc2sys] program or on = no",
			       program, strerror(-r));
	return r;
}

static int add_feeders(struct parent *p, char *why)
{
	const struct config *c = p->config;
	char name[CONFIG_CHILD_MAX];
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->n_ptp4l; i++)
		if (c->phc2sys.feed == FEED_FOLLOW && config_ptp4l_feeds(c, &c->ptp4l[i]))
			r = add_phc2sys(p, &feeder_kind, config_feeder_child(&c->ptp4l[i], name),
					why);
	return r;
}

/* One for each PHC: which of them ptp4l steers changes with the port that is SLAVE. */
static int add_joiners(struct parent *p, const struct config_ptp4l *ptp4l, char *why)
{
	size_t ports[CONFIG_INTERFACES_MAX];
	size_t n = phc_first_ports(ptp4l, phc_index_of, ports);
	char name[CONFIG_CHILD_MAX];
	int r = 0;

	for (size_t i = 0; r == 0 && n > 1 && i < n; i++)
		r = add_phc2sys(p, &joiner_kind,
				config_joiner_child(ptp4l->interfaces.name[ports[i]], name), why);
	return r;
}

int parent_make_children(struct parent *p, char why[static RUNTIME_WHY_MAX])
{
	int r = add_recorder(p, why);

	for (size_t i = 0; r == 0 && i < p->config->n_ptp4l; i++)
		if (p->config->ptp4l[i].manage)
			r = add_ptp4l(p, i, why);
	if (r == 0 && config_wants_phc2sys(p->config))
		r = add_phc2sys(p, &phc2sys_kind, "phc2sys", why);
	if (r == 0)
		r = add_feeders(p, why);
	for (size_t i = 0; r == 0 && i < p->config->n_ptp4l; i++)
		if (config_phc2sys_joins(p->config, &p->config->ptp4l[i]))
			r = add_joiners(p, &p->config->ptp4l[i], why);
	if (r == 0 && p->config->latency.on)
		r = add_sampler(p, why);
	return r;
}

static struct runtime_place *find_place(struct runtime_place *places, const char *directory)
{
	for (size_t i = 0; i < CONFIG_PTP4L_MAX; i++)
		if (places[i].open && strcmp(places[i].directory, directory) == 0)
			return &places[i];
	return NULL;
}

int parent_move_places(struct parent *p, const struct config *next,
		       char why[static RUNTIME_WHY_MAX])
{
	struct runtime_place places[CONFIG_PTP4L_MAX] = {0};
	char directory[CONFIG_PATH_MAX];
	int r = 0;

	for (size_t i = 0; r == 0 && i < next->n_ptp4l; i++)
		if (!find_place(p->places, config_ptp4l_directory(next, i, directory)))
			r = runtime_open_place(&places[i], next, i, why);
	for (size_t i = 0; r < 0 && i < next->n_ptp4l; i++)
		runtime_close_place(&places[i]);
	if (r < 0)
		return r;
	for (size_t i = 0; i < next->n_ptp4l; i++) {
		struct runtime_place *was =
			find_place(p->places, config_ptp4l_directory(next, i, directory));

		if (!was)
			continue;
		places[i] = *was;
		was->open = false;
		runtime_rename_place(&places[i], next, i);
	}
	for (size_t i = 0; i < CONFIG_PTP4L_MAX; i++)
		runtime_close_place(&p->places[i]);
	memcpy(p->places, places, sizeof(places));
	return 0;
}

void parent_forget_children(struct parent *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_children; i++) {
		struct supervised *s = p->children[i];

		if (s->leaving && child_status(s->child)->state == CHILD_STOPPED)
			(void)supervised_free(s);
		else
			p->children[n++] = s;
	}
	p->n_children = n;
}

void parent_free_children(struct parent *p)
{
	while (p->n_children > 0)
		(void)supervised_free(p->children[--p->n_children]);
	for (size_t i = 0; i < CONFIG_PTP4L_MAX; i++)
		runtime_close_place(&p->places[i]);
}
