/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/parent/child.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"

struct child {
	sd_event *event;
	const struct child_ops *ops;
	void *userdata;
	const struct restart_policy *policy;
	struct restart restart;
	struct status_child status;
	struct schedule asked;
	bool schedules_itself;
	unsigned workers;                /* threads that it schedules */
	char mismatch[SCHEDULE_WHY_MAX]; /* what was told of last */
	int set_error;                   /* errno of a refused schedule, 0 */
	int start_error;                 /* errno of a start that did not get to exec, 0 */
	bool executed;                   /* ever */
	int exit_status;
	int report_fd;
	sd_event_source *report_source, *exit_source, *timer_source;
};

static void feed(struct child *c, enum restart_event event);

static void tell(struct child *c, enum event_code code, const char *text)
{
	c->status.state = c->restart.state;
	c->ops->changed(c->userdata, c, code, text);
}

/* The line for people, and the problem that status shows while it lasts. */
__attribute__((format(printf, 3, 4))) static void
tell_problem(struct child *c, enum event_code code, const char *fmt, ...)
{
	char text[STATUS_TEXT_MAX * 2];
	const char *problem = text;
	size_t name_len = strlen(c->status.name);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (strncmp(text, c->status.name, name_len) == 0 && strncmp(text + name_len, ": ", 2) == 0)
		problem += name_len + 2; /* it is shown beside the name */
	(void)snprintf(c->status.problem, sizeof(c->status.problem), "%.*s",
		       (int)sizeof(c->status.problem) - 1, problem);
	tell(c, code, text);
}

static void note_proof(struct status_child *s, const struct schedule_proof *proof)
{
	s->threads = proof->threads;
	s->locked_bytes = proof->locked_bytes;
	s->lock_limit_bytes = proof->lock_limit_bytes;
}

static void note_schedule(struct status_child *s, const struct schedule *is, bool ok)
{
	char cpus[CPULIST_TEXT_MAX];

	(void)snprintf(s->policy, sizeof(s->policy), "%s", schedule_policy_name(is->policy));
	(void)snprintf(s->cpus, sizeof(s->cpus), "%.*s", (int)sizeof(s->cpus) - 1,
		       cpulist_format(&is->cpus, cpus));
	s->priority = is->priority;
	s->schedule_ok = ok;
}

/* "memory not locked", "12.0 MiB of memory locked" */
static const char *describe_memory(const struct status_child *s, char out[static 48])
{
	if (s->locked_bytes)
		(void)snprintf(out, 48, "%.1f MiB of memory locked",
			       (double)s->locked_bytes / (1024 * 1024));
	else
		(void)strcpy(out, "memory not locked");
	return out;
}

static void tell_proven(struct child *c, const char *what)
{
	const struct status_child *s = &c->status;
	char text[STATUS_TEXT_MAX];
	char memory[48];

	c->status.problem[0] = '\0';
	(void)snprintf(text, sizeof(text),
		       "%s: %s %s %" PRId64 " on CPUs %.40s, as asked and read back; %s", s->name,
		       what, s->policy, s->priority, s->cpus, describe_memory(s, memory));
	tell(c, EVENT_SCHEDULE_PROVEN, text);
}

/* Tells of what has changed since the last time. */
static void tell_verified(struct child *c, bool was_known, bool was_ok, const char *what,
			  const char *why)
{
	bool same = c->status.schedule_ok || strcmp(c->mismatch, why) == 0;

	if (was_known && was_ok == c->status.schedule_ok && same)
		return;
	if (c->status.schedule_ok) {
		tell_proven(c, what);
		return;
	}
	(void)strcpy(c->mismatch, why);
	tell_problem(c, EVENT_SCHEDULE_MISMATCH, "%s: %s", c->status.name, why);
}

/*
 * A program that schedules its threads itself says what it was refused; what it once had and has
 * no more is told here.
 */
static void verify_workers(struct child *c)
{
	struct status_child *s = &c->status;
	bool was_known = *s->policy;
	bool was_ok = s->schedule_ok;
	struct schedule_proof proof;
	char why[SCHEDULE_WHY_MAX];
	char what[48];
	int r;

	if (!c->workers)
		return;
	r = schedule_verify_workers((pid_t)s->pid, &c->asked, c->workers, &proof, why);
	if (r < 0)
		return;
	note_proof(s, &proof);
	if (r > 0 && !was_known)
		return; /* not yet, or never */
	if (r == 0)
		note_schedule(s,
			      &(struct schedule){.policy = c->asked.policy,
						 .priority = c->asked.priority,
						 .cpus = proof.cpus},
			      true);
	else
		s->schedule_ok = false;
	(void)snprintf(what, sizeof(what), "%u thread%s run%s", proof.matching,
		       proof.matching == 1 ? "" : "s", proof.matching == 1 ? "s" : "");
	tell_verified(c, was_known, was_ok, what, why);
}

void child_verify(struct child *c)
{
	struct status_child *s = &c->status;
	bool was_known = *s->policy;
	bool was_ok = s->schedule_ok;
	struct schedule_proof proof;
	char why[SCHEDULE_WHY_MAX];
	int r;

	if (c->restart.state != CHILD_UP)
		return;
	if (c->schedules_itself) {
		verify_workers(c);
		return;
	}
	r = schedule_verify((pid_t)s->pid, &c->asked, c->set_error, &proof, why);
	if (r < 0)
		return; /* it has just ended: its exit says so */
	note_proof(s, &proof);
	note_schedule(s, &proof.main_thread, r == 0);
	tell_verified(c, was_known, was_ok, "runs", why);
}

static void on_executed(struct child *c)
{
	char text[STATUS_TEXT_MAX];

	c->executed = true;
	c->start_error = 0;
	c->status.problem[0] = '\0';
	feed(c, RESTART_EXECUTED);
	(void)snprintf(text, sizeof(text), "%s: started, pid=%" PRId64, c->status.name,
		       c->status.pid);
	tell(c, EVENT_CHILD_STARTED, text);
	child_verify(c);
}

/* Killed on its way to exec: the pipe ends then, too. */
static bool is_dead(pid_t pid)
{
	siginfo_t si = {0};

	return waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT) == 0 && si.si_pid == pid;
}

static void tell_fatal(struct child *c, const struct spawn_report *report)
{
	char why[SCHEDULE_WHY_MAX];

	if (report->step == SPAWN_AFFINITY || report->step == SPAWN_POLICY)
		schedule_explain(&c->asked, report->error, why);
	else
		(void)snprintf(why, sizeof(why), "%s", strerror(report->error));
	tell_problem(c, EVENT_CHILD_EXEC_FAILED, "%s: cannot %s: %s", c->status.name,
		     spawn_step_name(report->step), why);
}

/* Reads what the child reported on its way to exec; the end without a fatal one is the proof. */
static int on_report(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct child *c = userdata;
	struct spawn_report report;
	int r;

	while ((r = spawn_read_report(fd, &report)) > 0) {
		if (report.fatal)
			c->start_error = report.error;
		else if (report.step == SPAWN_POLICY)
			c->set_error = report.error;
		if (report.fatal)
			tell_fatal(c, &report);
	}
	if (r == -EAGAIN)
		return 0;
	c->report_source = sd_event_source_unref(c->report_source);
	close_fdp(&c->report_fd);
	if (r == 0 && !c->start_error && !is_dead((pid_t)c->status.pid))
		on_executed(c);
	return 0;
}

static void describe_end(const struct child *c, const siginfo_t *si, char *out, size_t size)
{
	char lasted[NSEC_TEXT_MAX];

	nsec_format_age(nsec_now(CLOCK_MONOTONIC) - c->status.started_mono_ns, lasted);
	if (si->si_code == CLD_EXITED)
		(void)snprintf(out, size, "%s: exited, status=%d after %s", c->status.name,
			       si->si_status, lasted);
	else
		(void)snprintf(out, size, "%s: killed by SIG%s%s after %s", c->status.name,
			       sigabbrev_np(si->si_status) ?: "?",
			       si->si_code == CLD_DUMPED ? " (core dumped)" : "", lasted);
}

/* "; next start in 2 s", if the table says so. */
static void add_next_start(const struct child *c, enum restart_event event, char *text, size_t size)
{
	struct restart next = c->restart;
	int64_t now_ns = nsec_now(CLOCK_MONOTONIC);
	size_t len = strlen(text);
	char wait[NSEC_TEXT_MAX];

	(void)restart_feed(&next, c->policy, event, now_ns);
	if (next.state == CHILD_WAITING)
		(void)snprintf(text + len, size - len, "; next start in %s",
			       nsec_format_age(next.deadline_ns - now_ns, wait));
}

/* What an end that nobody asked for was. */
static enum restart_event kind_of_end(const struct child *c, const siginfo_t *si)
{
	int64_t lasted_ns = nsec_now(CLOCK_MONOTONIC) - c->status.started_mono_ns;

	return si->si_code == CLD_EXITED && si->si_status != 0 && c->policy->refusals_max &&
			       lasted_ns < c->policy->at_once_ns
		       ? RESTART_REFUSED
		       : RESTART_EXITED;
}

static int on_exit_event(sd_event_source *source, const siginfo_t *si, void *userdata)
{
	struct child *c = userdata;
	char text[STATUS_TEXT_MAX];
	bool expected = c->restart.state == CHILD_STOPPING || c->restart.state == CHILD_KILLING;
	enum restart_event end = kind_of_end(c, si);

	(void)kill(-si->si_pid, SIGKILL); /* what it started does not outlive it */
	if (c->report_source) /* the report may still be unread: it came before the end */
		(void)on_report(c->report_source, c->report_fd, 0, c);
	describe_end(c, si, text, sizeof(text));
	c->exit_source = sd_event_source_unref(c->exit_source);
	c->exit_status = si->si_code == CLD_EXITED ? si->si_status : -1;
	c->status.pid = 0;
	c->status.policy[0] = c->status.cpus[0] = '\0';
	c->status.schedule_ok = false;
	c->status.threads = c->status.locked_bytes = c->status.lock_limit_bytes = 0;
	if (!c->start_error && !expected) {
		add_next_start(c, end, text, sizeof(text));
		tell_problem(c, EVENT_CHILD_EXITED, "%s", text);
	} else if (!c->start_error) {
		tell(c, EVENT_CHILD_STOPPED, text);
	}
	feed(c, c->start_error ? RESTART_EXEC_FAILED : end);
	return 0;
}

static int watch_process(struct child *c, pid_t pid)
{
	int r = sd_event_add_io(c->event, &c->report_source, c->report_fd, EPOLLIN, on_report, c);

	if (r >= 0)
		r = sd_event_add_child(c->event, &c->exit_source, pid, WEXITED, on_exit_event, c);
	/* the report first: it tells what an exit means */
	if (r >= 0)
		r = sd_event_source_set_priority(c->report_source, SD_EVENT_PRIORITY_IMPORTANT - 1);
	if (r >= 0)
		r = sd_event_source_set_priority(c->exit_source, SD_EVENT_PRIORITY_IMPORTANT);
	return r;
}

/* A process that cannot be watched must not run: no memory, or no descriptor. */
static void abandon(struct child *c, pid_t pid, int r)
{
	c->report_source = sd_event_source_disable_unref(c->report_source);
	c->exit_source = sd_event_source_disable_unref(c->exit_source);
	close_fdp(&c->report_fd);
	(void)kill(-pid, SIGKILL);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	c->status.pid = 0;
	c->start_error = -r;
	tell_problem(c, EVENT_CHILD_EXEC_FAILED, "%s: cannot watch it: %s", c->status.name,
		     strerror(-r));
	feed(c, RESTART_EXEC_FAILED);
}

static void launch(struct child *c)
{
	struct spawn_plan plan = {.output_fd = -1, .death_signal = SIGTERM};
	char why[STATUS_TEXT_MAX] = "";
	pid_t pid;
	int r = c->ops->plan(c->userdata, c, &plan, why);

	if (r == -EAGAIN) {
		bool new = strcmp(c->status.problem, why) != 0;

		feed(c, RESTART_BLOCKED);
		if (new)
			tell_problem(c, EVENT_CHILD_WAITING, "%s", why);
		return;
	}
	c->start_error = c->set_error = 0;
	c->exit_status = -1;
	c->asked = plan.schedule;
	c->schedules_itself = plan.schedules_itself;
	c->workers = plan.workers;
	if (r == 0)
		r = spawn(&plan, &pid, &c->report_fd);
	if (r < 0) {
		c->start_error = -r;
		tell_problem(c, EVENT_CHILD_EXEC_FAILED, "%s: cannot start: %s", c->status.name,
			     *why ? why : strerror(-r));
		feed(c, RESTART_EXEC_FAILED);
		return;
	}
	c->status.pid = pid;
	c->status.started_mono_ns = nsec_now(CLOCK_MONOTONIC);
	c->status.starts++;
	r = watch_process(c, pid);
	if (r < 0)
		abandon(c, pid, r);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	feed(userdata, RESTART_TIMER);
	return 0;
}

static void arm_timer(struct child *c)
{
	bool armed = c->restart.deadline_ns != INT64_MAX;

	if (armed)
		(void)sd_event_source_set_time(c->timer_source,
					       (uint64_t)(c->restart.deadline_ns / NSEC_PER_USEC));
	(void)sd_event_source_set_enabled(c->timer_source, armed ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

static void feed(struct child *c, enum restart_event event)
{
	enum restart_action action =
		restart_feed(&c->restart, c->policy, event, nsec_now(CLOCK_MONOTONIC));

	arm_timer(c);
	switch (action) {
	case RESTART_NOTHING:
		break;
	case RESTART_LAUNCH:
		launch(c);
		break;
	case RESTART_TERMINATE:
		child_signal(c, SIGTERM);
		child_signal(c, SIGCONT); /* one that is stopped can end in order, too */
		break;
	case RESTART_KILL:
		child_signal(c, SIGKILL);
		break;
	case RESTART_GIVE_UP:
		tell_problem(c, EVENT_CHILD_GIVEN_UP,
			     "%s: given up after %u starts without a healthy run; last: %.120s",
			     c->status.name, c->restart.starts_in_row, c->status.problem);
		break;
	case RESTART_CONFIGURE:
		tell_problem(c, EVENT_CHILD_MISCONFIGURED,
			     "%s: does not take its configuration, and is not started again before "
			     "that changes (SIGHUP); last: %.100s",
			     c->status.name, c->status.problem);
		break;
	case RESTART_DONE:
		tell(c, EVENT_CODE_MAX, "");
		c->ops->down(c->userdata, c);
		return;
	}
	tell(c, EVENT_CODE_MAX, "");
}

void child_start(struct child *c)
{
	feed(c, RESTART_START);
}

void child_stop(struct child *c)
{
	feed(c, RESTART_STOP);
}

void child_restart(struct child *c)
{
	feed(c, RESTART_AGAIN);
}

void child_signal(struct child *c, int signal)
{
	pid_t pid = (pid_t)c->status.pid;

	/* it leads a group of its own, once it has got that far */
	if (pid > 0 && kill(-pid, signal) < 0)
		(void)kill(pid, signal);
}

const char *child_name(const struct child *c)
{
	return c->status.name;
}

const struct status_child *child_status(const struct child *c)
{
	return &c->status;
}

int child_first_start_error(const struct child *c)
{
	return c->executed ? 0 : c->start_error;
}

int child_exit_status(const struct child *c)
{
	return c->exit_status;
}

int child_new(struct child **out, sd_event *event, const char *name,
	      const struct restart_policy *policy, const struct child_ops *ops, void *userdata)
{
	struct child *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	*c = (struct child){
		.event = event,
		.ops = ops,
		.userdata = userdata,
		.policy = policy,
		.restart = restart_init(),
		.exit_status = -1,
		.report_fd = -1,
	};
	(void)snprintf(c->status.name, sizeof(c->status.name), "%s", name);
	r = sd_event_add_time(event, &c->timer_source, CLOCK_MONOTONIC, UINT64_MAX,
			      10 * (uint64_t)(NSEC_PER_MSEC / NSEC_PER_USEC), on_timer, c);
	if (r < 0) {
		free(c);
		return r;
	}
	(void)sd_event_source_set_enabled(c->timer_source, SD_EVENT_OFF);
	*out = c;
	return 0;
}

struct child *child_free(struct child *c)
{
	if (!c)
		return NULL;
	sd_event_source_unref(c->report_source);
	sd_event_source_unref(c->exit_source);
	sd_event_source_unref(c->timer_source);
	close_fdp(&c->report_fd);
	free(c);
	return NULL;
}
