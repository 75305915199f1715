/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who runs here: programs on isolated CPUs, interrupts there, rivals, who has a hand on the ports.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/base/procstat.h"
#include "ptpmon/check/impl.h"
#include "ptpmon/collect/threads.h"
#include "ptpmon/model/rivals.h"

DEFINE_FREEP(struct thread_scan, thread_scan_free)

enum { COMMAND_MAX = 2048, WORDS_MAX = 64, STATUS_MAX = 4096 };

struct tasks {
	struct check_facts *f;
	struct rivals_ours ours;
	const char *ports[CONFIG_PORTS_MAX];
	pid_t pid;
};

static bool meet(const struct cpulist *a, const struct cpulist *b)
{
	for (size_t i = 0; i < CPULIST_WORDS; i++)
		if (a->bits[i] & b->bits[i])
			return true;
	return false;
}

static bool is_ours(const char *name)
{
	static const char *const ours[] = {"ptp4l", "phc2sys", "ptpmon"};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strncmp(name, ours[i], strlen(ours[i])) == 0)
			return true;
	return false;
}

static bool may_run_on(const char *root, pid_t pid, const char *tid, const struct cpulist *cpus)
{
	char status[STATUS_MAX];
	struct cpulist allowed = {0};
	char list[CPULIST_TEXT_MAX];
	const char *at;

	(void)procstat_text(root, status, sizeof(status), "/proc/%d/task/%s/status", (int)pid, tid);
	at = procstat_value(status, "Cpus_allowed_list");
	return at && sscanf(at, " %255[^\n]", list) == 1 && cpulist_parse(list, &allowed) == 0 &&
	       meet(&allowed, cpus);
}

/* The kernel keeps its own per-CPU threads everywhere; what else it may run there, others placed.
 */
static void judge_thread(void *userdata, const char *root, const char *tid)
{
	struct tasks *t = userdata;
	struct check_cpus *c = &t->f->cpus;
	struct procstat s;

	if (procstat_read(root, t->pid, (pid_t)strtol(tid, NULL, 10), &s) < 0 || s.kernel ||
	    is_ours(s.name) || !may_run_on(root, t->pid, tid, &c->limits.isolated))
		return;
	c->intruders++;
	list_add(c->tasks, sizeof(c->tasks), "%s/%s", s.name, tid);
}

static bool is_child_of_ptpmon(const char *root, pid_t pid)
{
	char text[STATUS_MAX];
	struct procstat parent;
	const char *at;

	(void)procstat_text(root, text, sizeof(text), "/proc/%d/status", (int)pid);
	at = procstat_value(text, "PPid");
	return at && procstat_read(root, (pid_t)strtol(at, NULL, 10), 0, &parent) == 0 &&
	       strcmp(parent.name, "ptpmon") == 0;
}

/* The words of its command line, in text. */
static size_t read_words(const char *root, pid_t pid, char text[static COMMAND_MAX],
			 const char *words[static WORDS_MAX])
{
	ssize_t len = procstat_text(root, text, COMMAND_MAX, "/proc/%d/cmdline", (int)pid);
	size_t n = 0;

	for (const char *at = text; at < text + len && n < WORDS_MAX; at += strlen(at) + 1)
		words[n++] = at;
	return n;
}

static void judge_rival(const struct tasks *t, const char *root, const char *name)
{
	struct check_software *software = &t->f->software;
	char command[COMMAND_MAX];
	const char *words[WORDS_MAX];
	char why[RIVAL_WHY_MAX];
	size_t n;

	if (!rival_is_known(name))
		return;
	n = read_words(root, t->pid, command, words);
	if (rival_judge(name, words, n, &t->ours, why) != RIVAL_RIVAL ||
	    is_child_of_ptpmon(root, t->pid))
		return;
	software->rivals++;
	list_add(software->rival, sizeof(software->rival), "%s (pid %d) %s", name, (int)t->pid,
		 why);
}

/* The service itself, and none of the commands that ask it. */
static bool is_service(const char *root, pid_t pid, const char *name)
{
	char command[COMMAND_MAX];
	const char *words[WORDS_MAX];

	return strcmp(name, "ptpmon") == 0 && read_words(root, pid, command, words) > 1 &&
	       strcmp(words[1], "run") == 0;
}

/* Of another network namespace: another board's, for all that concerns ports and clocks here. */
static bool is_elsewhere(const char *root, pid_t pid)
{
	char path[PATH_MAX];
	struct stat own;
	struct stat its;

	(void)snprintf(path, sizeof(path), "%s/proc/self/net/dev", root);
	if (stat(path, &own) < 0)
		return false;
	(void)snprintf(path, sizeof(path), "%s/proc/%d/net/dev", root, (int)pid);
	return stat(path, &its) == 0 && its.st_ino != own.st_ino;
}

static void add_pid(int32_t pids[static CHECK_PROGRAMS_MAX], size_t *n, pid_t pid)
{
	if (*n < CHECK_PROGRAMS_MAX)
		pids[(*n)++] = pid;
}

static void judge_neighbour(struct tasks *t, const char *root, const char *pid, const char *name)
{
	if (is_elsewhere(root, t->pid))
		return;
	judge_rival(t, root, name);
	if (strcmp(name, "ptp4l") == 0)
		add_pid(t->f->software.ptp4l, &t->f->software.n_ptp4l, t->pid);
	if (is_ours(name))
		add_pid(t->f->software.ours, &t->f->software.n_ours, t->pid);
	if (strcmp(name, "NetworkManager") == 0)
		t->f->software.network_manager = true;
	else if (is_service(root, t->pid, name))
		facts_read_rights(t->f, root, pid);
}

static void judge_process(void *userdata, const char *root, const char *pid)
{
	struct tasks *t = userdata;
	struct procstat s;
	char directory[64];

	t->pid = (pid_t)strtol(pid, NULL, 10);
	if (procstat_read(root, t->pid, 0, &s) < 0 || s.state == 'Z')
		return;
	judge_neighbour(t, root, pid, s.name);
	if (cpulist_next(&t->f->cpus.limits.isolated, 0) == CPULIST_MAX || s.kernel)
		return;
	(void)snprintf(directory, sizeof(directory), "/proc/%d/task", (int)t->pid);
	each_entry(root, directory, "[0-9]*", judge_thread, t);
}

static void judge_interrupt(void *userdata, const char *root, const char *irq)
{
	struct check_cpus *c = &((struct tasks *)userdata)->f->cpus;
	char list[CPULIST_TEXT_MAX];
	struct cpulist cpus = {0};

	if (procstat_text(root, list, sizeof(list), "/proc/irq/%s/effective_affinity_list", irq) <=
		    0 ||
	    cpulist_parse(list, &cpus) < 0 || !meet(&cpus, &c->limits.isolated))
		return;
	c->irq_intruders++;
	list_add(c->irqs, sizeof(c->irqs), "%s", irq);
}

/* What the configuration has us steer; without one, the system clock. */
static void learn_ours(struct tasks *t, const struct config *c)
{
	t->ours.system = !c || config_wants_phc2sys(c);
	t->ours.ports = t->ports;
	for (size_t i = 0; c && i < c->n_ptp4l; i++) {
		const struct config_ptp4l *p = &c->ptp4l[i];
		bool software = p->timestamping == TIMESTAMPING_SOFTWARE;

		if (!p->manage)
			continue;
		t->ours.system |= software && config_ptp4l_steers(p);
		t->ours.phc |= !software && config_ptp4l_steers(p);
		for (size_t k = 0; k < p->interfaces.n && t->ours.n_ports < CONFIG_PORTS_MAX; k++)
			t->ports[t->ours.n_ports++] = p->interfaces.name[k];
	}
}

/* One look: who waits for a CPU between two is the recorder's to see. */
static void read_priorities(struct check_facts *f, const char *root)
{
	CLEANUP(thread_scan_freep) struct thread_scan *s = NULL;
	const struct check_software *software = &f->software;
	const struct audit_context context = {
		.subject = "ptp4l",
		.our_pids = software->ours,
		.n_our_pids = software->n_ours,
	};
	int64_t now_mono_ns = nsec_now(CLOCK_MONOTONIC);

	if (software->n_ptp4l && thread_scan_new(&s, root) == 0 &&
	    thread_scan_begin(s, software->ptp4l, software->n_ptp4l, now_mono_ns) == 0 &&
	    thread_scan_step(s, SIZE_MAX) == 1)
		thread_scan_judge(s, &context, now_mono_ns, &f->cpus.audit);
}

void facts_read_tasks(struct check_facts *f, const struct check_request *rq)
{
	struct tasks t = {.f = f};

	learn_ours(&t, rq->config);
	each_entry(rq->root, "/proc", "[0-9]*", judge_process, &t);
	each_entry(rq->root, "/proc/irq", "[0-9]*", judge_interrupt, &t);
	read_priorities(f, rq->root);
}
