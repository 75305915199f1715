/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the kernel: real time, isolation, what it has complained of. */
#include <inttypes.h>
#include <string.h>

#include "ptpmon/check/impl.h"

enum { DEFAULT_SHARE_PERCENT = 95 };

static bool is_empty(const struct cpulist *set)
{
	return cpulist_next(set, 0) == CPULIST_MAX;
}

static bool contains(const struct cpulist *all, const struct cpulist *some)
{
	for (size_t i = 0; i < CPULIST_WORDS; i++)
		if (some->bits[i] & ~all->bits[i])
			return false;
	return true;
}

/* What follows "NAME=" in the command line, as far as the next blank; NULL: it is not there. */
static const char *argument(const struct check_kernel *k, const char *name,
			    char out[static CPULIST_TEXT_MAX])
{
	size_t len = strlen(name);

	for (const char *at = k->command_line; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word > len && strncmp(at, name, len) == 0 && at[len] == '=') {
			(void)snprintf(out, CPULIST_TEXT_MAX, "%.*s", (int)(word - len - 1),
				       at + len + 1);
			return out;
		}
		at += word;
	}
	return NULL;
}

/* "domain,managed_irq,2-5": words first, then the list. */
static void argument_cpus(const struct check_kernel *k, const char *name, const struct cpulist *all,
			  struct cpulist *out)
{
	char text[CPULIST_TEXT_MAX];
	const char *list = argument(k, name, text);

	*out = (struct cpulist){0};
	if (!list)
		return;
	if (strcmp(list, "all") == 0)
		*out = *all;
	list = strpbrk(list, "0123456789");
	if (list)
		(void)cpulist_parse(list, out);
}

static bool says_realtime(const char *version)
{
	return strstr(version, "PREEMPT_RT") || strstr(version, "PREEMPT RT");
}

static bool is_realtime(const struct check_kernel *k)
{
	return says_realtime(k->version) && k->realtime != 0;
}

static void judge_rt(const struct check_facts *f, const struct check_port *p,
		     struct check_finding *out)
{
	const struct check_kernel *k = &f->kernel;
	bool says = says_realtime(k->version);

	if (says && k->realtime == 1)
		found(out, CHECK_PASS, "%s, PREEMPT_RT, /sys/kernel/realtime is 1", k->release);
	else if (says && k->realtime == CHECK_UNKNOWN)
		found(out, CHECK_PASS, "%s, PREEMPT_RT", k->release);
	else if (says || k->realtime == 1)
		found(out, CHECK_WARN, "%s: its version and /sys/kernel/realtime disagree",
		      k->release);
	else
		found(out, CHECK_FAIL, "%s is no PREEMPT_RT kernel", k->release);
}

static void judge_changed(const struct check_facts *f, const struct check_port *p,
			  struct check_finding *out)
{
	const struct check_kernel *k = &f->kernel;
	char now[2 * CHECK_TEXT_MAX];

	(void)snprintf(now, sizeof(now), "%s %s", k->release, k->version);
	if (!k->before.known)
		found(out, CHECK_SKIP, "%s", k->before.why);
	else if (says_realtime(k->before.kernel) && !is_realtime(k))
		found(out, CHECK_FAIL, "%s is no PREEMPT_RT kernel; run %" PRId64 " had one, %.*s",
		      k->release, k->before.run, (int)strcspn(k->before.kernel, " "),
		      k->before.kernel);
	else if (strcmp(now, k->before.kernel) != 0)
		found(out, CHECK_WARN, "now %s; run %" PRId64 " had %s", now, k->before.run,
		      k->before.kernel);
	else
		found(out, CHECK_PASS, "%s, as in run %" PRId64, k->release, k->before.run);
}

static void judge_isolation(const struct check_facts *f, const struct check_port *p,
			    struct check_finding *out)
{
	const struct cpulist *isolated = &f->cpus.limits.isolated;
	struct cpulist asked;
	char list[CPULIST_TEXT_MAX];
	char is[CPULIST_TEXT_MAX];

	argument_cpus(&f->kernel, "isolcpus", &f->cpus.limits.present, &asked);
	(void)cpulist_format(isolated, is);
	if (!contains(isolated, &asked))
		found(out, CHECK_FAIL, "isolcpus asks for %s, isolated: %s",
		      cpulist_format(&asked, list), *is ? is : "none");
	else if (!is_empty(isolated))
		found(out, CHECK_PASS, "isolated: %s", is);
	else if (cpulist_count(&f->cpus.limits.online) < 2)
		found(out, CHECK_SKIP, "there is one CPU");
	else
		found(out, CHECK_WARN, "no CPU is isolated");
}

static void judge_nohz_full(const struct check_facts *f, const struct check_port *p,
			    struct check_finding *out)
{
	const struct cpulist *isolated = &f->cpus.limits.isolated;
	char list[CPULIST_TEXT_MAX];

	if (is_empty(isolated))
		found(out, CHECK_SKIP, "no CPU is isolated");
	else if (contains(&f->kernel.nohz_full, isolated))
		found(out, CHECK_PASS, "nohz_full: %s", cpulist_format(&f->kernel.nohz_full, list));
	else
		found(out, CHECK_WARN, "the isolated CPUs, %s, keep their tick",
		      cpulist_format(isolated, list));
}

/* nohz_full implies it. */
static void judge_rcu_nocbs(const struct check_facts *f, const struct check_port *p,
			    struct check_finding *out)
{
	const struct cpulist *isolated = &f->cpus.limits.isolated;
	struct cpulist offloaded;
	char list[CPULIST_TEXT_MAX];

	argument_cpus(&f->kernel, "rcu_nocbs", &f->cpus.limits.present, &offloaded);
	for (size_t i = 0; i < CPULIST_WORDS; i++)
		offloaded.bits[i] |= f->kernel.nohz_full.bits[i];
	if (is_empty(isolated))
		found(out, CHECK_SKIP, "no CPU is isolated");
	else if (contains(&offloaded, isolated))
		found(out, CHECK_PASS, "RCU callbacks of %s run elsewhere",
		      cpulist_format(&offloaded, list));
	else
		found(out, CHECK_WARN, "the isolated CPUs, %s, run RCU callbacks",
		      cpulist_format(isolated, list));
}

static void judge_irqaffinity(const struct check_facts *f, const struct check_port *p,
			      struct check_finding *out)
{
	const struct cpulist *isolated = &f->cpus.limits.isolated;
	char list[CPULIST_TEXT_MAX];
	bool meets = false;

	for (size_t i = 0; i < CPULIST_WORDS; i++)
		meets |= (f->kernel.irq_default.bits[i] & isolated->bits[i]) != 0;
	if (is_empty(isolated))
		found(out, CHECK_SKIP, "no CPU is isolated");
	else if (!f->kernel.irq_default_known)
		found(out, CHECK_SKIP, "the kernel does not tell");
	else
		found(out, meets ? CHECK_FAIL : CHECK_PASS, "new interrupts go to CPUs %s%s",
		      cpulist_format(&f->kernel.irq_default, list),
		      meets ? ", isolated ones among them" : "");
}

static void judge_throttling(const struct check_facts *f, const struct check_port *p,
			     struct check_finding *out)
{
	const struct check_kernel *k = &f->kernel;
	int64_t runtime_us = k->rt_runtime_us;
	int64_t period_us = k->rt_period_us;

	if (k->log.count[COMPLAINT_THROTTLED])
		found(out, CHECK_FAIL, "real-time threads have been stopped since boot");
	else if (runtime_us == INT64_MIN || period_us <= 0)
		found(out, CHECK_SKIP, "the kernel does not tell");
	else if (runtime_us < 0 || runtime_us >= period_us)
		found(out, CHECK_PASS, "off");
	else
		found(out,
		      runtime_us * 100 >= period_us * DEFAULT_SHARE_PERCENT ? CHECK_PASS
									    : CHECK_WARN,
		      "real-time threads may use %" PRId64 " of each %" PRId64 " ms%s",
		      runtime_us / 1000, period_us / 1000,
		      k->log.read ? "" : "; whether that stopped any, the kernel tells root alone");
}

static void judge_rt_group(const struct check_facts *f, const struct check_port *p,
			   struct check_finding *out)
{
	const char *file = f->cpus.limits.no_budget_file;

	if (*file)
		found(out, CHECK_FAIL, "this control group has no real-time time: %s is 0", file);
	else
		found(out, CHECK_PASS, "no control group withholds real-time time");
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

static void judge_clocksource(const struct check_facts *f, const struct check_port *p,
			      struct check_finding *out)
{
	static const char *const quick[] = {"tsc", "arch_sys_counter", "kvm-clock",
					    "hyperv_clocksource_tsc_page", NULL};
	static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies",
					   "pit",  NULL};
	const char *name = f->kernel.clocksource;

	if (!*name)
		found(out, CHECK_SKIP, "the kernel does not tell");
	else if (is_one_of(name, slow))
		found(out, CHECK_FAIL, "%s: slow to read, or coarse", name);
	else
		found(out, is_one_of(name, quick) ? CHECK_PASS : CHECK_WARN, "%s", name);
}

static void judge_log(const struct check_facts *f, enum check_complaint kind,
		      struct check_finding *out)
{
	const struct check_kernel *k = &f->kernel;

	if (!k->log.read)
		found(out, CHECK_SKIP, "%s", k->log.why);
	else if (k->log.count[kind])
		found(out, CHECK_FAIL, "%u since boot, the first: %s", k->log.count[kind],
		      k->log.first[kind]);
	else
		found(out, CHECK_PASS, "none in %u lines of the kernel", k->log.lines);
}

static void judge_locking(const struct check_facts *f, const struct check_port *p,
			  struct check_finding *out)
{
	judge_log(f, COMPLAINT_LOCKING, out);
}

static void judge_rcu_stalls(const struct check_facts *f, const struct check_port *p,
			     struct check_finding *out)
{
	judge_log(f, COMPLAINT_RCU_STALL, out);
}

static void judge_hung_tasks(const struct check_facts *f, const struct check_port *p,
			     struct check_finding *out)
{
	judge_log(f, COMPLAINT_HUNG, out);
}

/* clang-format off */
static const struct check rows[] = {
	{"kernel-rt", judge_rt,
	 "the kernel is PREEMPT_RT, by its version and by /sys/kernel/realtime",
	 "boot a kernel built with CONFIG_PREEMPT_RT", SECTION_KERNEL},
	{"kernel-changed", judge_changed,
	 "it is the kernel of the newest run that another boot recorded; one that was real-time and is not fails",
	 "see what an update installed; put the kernel back, or qualify the board anew", SECTION_KERNEL},
	{"kernel-isolation", judge_isolation,
	 "CPUs are isolated, and all that isolcpus= asks for",
	 "isolcpus=domain,managed_irq,LIST on the kernel's command line", SECTION_KERNEL},
	{"kernel-nohz-full", judge_nohz_full,
	 "isolated CPUs have no tick while one task runs",
	 "nohz_full=LIST on the kernel's command line", SECTION_KERNEL},
	{"kernel-rcu-nocbs", judge_rcu_nocbs,
	 "RCU callbacks of isolated CPUs are offloaded",
	 "rcu_nocbs=LIST on the kernel's command line", SECTION_KERNEL},
	{"kernel-irqaffinity", judge_irqaffinity,
	 "new interrupts keep off isolated CPUs",
	 "irqaffinity=LIST of the other CPUs on the kernel's command line", SECTION_KERNEL},
	{"kernel-rt-throttling", judge_throttling,
	 "real-time throttling leaves 95 % or more, and has never stopped a thread",
	 "find who uses a CPU at real-time priority without end; sysctl kernel.sched_rt_runtime_us=950000", SECTION_KERNEL},
	{"kernel-rt-group", judge_rt_group,
	 "RT group scheduling does not withhold real-time time from this control group",
	 "write 950000 to that file, or boot with rt_group_sched=0", SECTION_KERNEL},
	{"kernel-clocksource", judge_clocksource,
	 "the clock source is a counter of the CPU",
	 "see why in the kernel's log (clocksource: ...); clocksource=NAME on its command line", SECTION_KERNEL},
	{"kernel-locking", judge_locking,
	 "the kernel's log has no complaint about locks or sleeping where that is forbidden",
	 "report it to whoever made that driver: it breaks real time", SECTION_KERNEL},
	{"kernel-rcu-stalls", judge_rcu_stalls,
	 "the kernel's log has no RCU stall",
	 "see what ran on that CPU: a real-time thread that never sleeps, or firmware", SECTION_KERNEL},
	{"kernel-hung-tasks", judge_hung_tasks,
	 "the kernel's log has no task that hung, and no lockup",
	 "see what that task waits for: a disk, or a lock", SECTION_KERNEL},
};
/* clang-format on */

CHECK_TABLE(checks_kernel, rows);
