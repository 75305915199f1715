/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the CPUs: how fast they are, how deep they sleep, who is on the isolated ones. */
#include <inttypes.h>

#include "ptpmon/check/impl.h"

enum { NEARLY_PERCENT = 95, MARGIN_MC = 5000, MILLI = 1000 };

static void judge_governor(const struct check_facts *f, const struct check_port *p,
			   struct check_finding *out)
{
	const struct check_cpus *c = &f->cpus;

	if (!c->governed)
		found(out, CHECK_SKIP, "no CPU has a frequency governor");
	else
		found(out, c->performing == c->governed ? CHECK_PASS : CHECK_FAIL,
		      "%s, performance on %u of %u", c->governors, c->performing, c->governed);
}

static void judge_frequency(const struct check_facts *f, const struct check_port *p,
			    struct check_finding *out)
{
	const struct check_cpus *c = &f->cpus;
	int64_t now = c->slowest.now_khz;
	int64_t hardware = c->slowest.hardware_khz;

	if (!c->slowest.known)
		found(out, CHECK_SKIP, "no CPU tells its frequency");
	else if (c->slowest.allowed_khz < hardware)
		found(out, CHECK_FAIL, "CPU %zu may run at %" PRId64 " of %" PRId64 " MHz",
		      c->slowest.cpu, c->slowest.allowed_khz / MILLI, hardware / MILLI);
	else
		found(out,
		      now * 100 >= hardware * NEARLY_PERCENT ? CHECK_PASS
		      : c->performing == c->governed         ? CHECK_FAIL
							     : CHECK_WARN,
		      "CPU %zu, the slowest now, at %" PRId64 " of %" PRId64 " MHz", c->slowest.cpu,
		      now / MILLI, hardware / MILLI);
}

static void judge_idle_states(const struct check_facts *f, const struct check_port *p,
			      struct check_finding *out)
{
	const struct check_cpus *c = &f->cpus;

	if (!c->idle_states)
		found(out, CHECK_SKIP, "no CPU has idle states to choose from");
	else if (c->deep_allowed)
		found(out, CHECK_FAIL, "deep states off %u of %u; %s takes %" PRId64 " us to leave",
		      c->deep - c->deep_allowed, c->deep, c->deepest, c->deepest_us);
	else if (c->deep)
		found(out, CHECK_PASS, "deep states off %u of %u", c->deep, c->deep);
	else
		found(out, CHECK_PASS, "no deep state");
}

static void judge_temperature(const struct check_facts *f, const struct check_port *p,
			      struct check_finding *out)
{
	const struct check_cpus *c = &f->cpus;
	int64_t now = c->thermal.temperature_mc;
	int64_t limit = c->thermal.limit_mc;

	if (!c->thermal.n)
		found(out, CHECK_SKIP, "no thermal zone tells");
	else if (limit == INT64_MAX)
		found(out, CHECK_PASS, "%s %.1f C", c->thermal.zone, (double)now / MILLI);
	else
		found(out,
		      now >= limit               ? CHECK_FAIL
		      : now >= limit - MARGIN_MC ? CHECK_WARN
						 : CHECK_PASS,
		      "%s %.1f C, its limit %.1f C", c->thermal.zone, (double)now / MILLI,
		      (double)limit / MILLI);
}

static void judge_throttling(const struct check_facts *f, const struct check_port *p,
			     struct check_finding *out)
{
	const struct check_cpus *c = &f->cpus;

	if (!c->throttling.known)
		found(out, CHECK_SKIP, "nothing tells");
	else if (*c->throttling.now)
		found(out, CHECK_FAIL, "now: %s", c->throttling.now);
	else if (*c->throttling.past)
		found(out, CHECK_WARN, "since boot: %s", c->throttling.past);
	else
		found(out, CHECK_PASS, "none");
}

static void judge_intruders(const struct check_facts *f, unsigned n, const char *names,
			    const char *what, struct check_finding *out)
{
	if (cpulist_next(&f->cpus.limits.isolated, 0) == CPULIST_MAX)
		found(out, CHECK_SKIP, "no CPU is isolated");
	else if (n)
		found(out, CHECK_WARN, "%u %s may be there: %s", n, what, names);
	else
		found(out, CHECK_PASS, "free of others' %s", what);
}

static void judge_tasks(const struct check_facts *f, const struct check_port *p,
			struct check_finding *out)
{
	judge_intruders(f, f->cpus.intruders, f->cpus.tasks, "threads", out);
}

static void judge_irqs(const struct check_facts *f, const struct check_port *p,
		       struct check_finding *out)
{
	judge_intruders(f, f->cpus.irq_intruders, f->cpus.irqs, "interrupts", out);
}

static void judge_priorities(const struct check_facts *f, const struct check_port *p,
			     struct check_finding *out)
{
	const struct audit *a = &f->cpus.audit;
	char line[AUDIT_LINE_MAX];

	if (!a->subjects)
		found(out, CHECK_SKIP, "no ptp4l runs");
	else
		found(out, audit_has_trouble(a) ? CHECK_WARN : CHECK_PASS, "%s",
		      audit_describe(a, line));
}

/* clang-format off */
static const struct check rows[] = {
	{"cpu-governor", judge_governor,
	 "every CPU has the frequency governor performance",
	 "for f in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo performance >$f; done", SECTION_CPUS},
	{"cpu-frequency", judge_frequency,
	 "no CPU is allowed, or runs at, less than 95 % of its maximum",
	 "set the governor; raise scaling_max_freq; see cpu-throttling", SECTION_CPUS},
	{"cpu-idle-states", judge_idle_states,
	 "no CPU may enter an idle state that takes 50 us or more to leave",
	 "echo 1 >/sys/devices/system/cpu/cpuN/cpuidle/stateM/disable, on every CPU", SECTION_CPUS},
	{"cpu-temperature", judge_temperature,
	 "every thermal zone is 5 C or more below where something is done about it",
	 "cool it, or do less", SECTION_CPUS},
	{"cpu-throttling", judge_throttling,
	 "neither heat nor a weak supply holds a CPU down, or has since boot",
	 "cool it; a supply that holds its voltage", SECTION_CPUS},
	{"cpu-isolated-tasks", judge_tasks,
	 "only threads of linuxptp and ptpmon may run on isolated CPUs",
	 "taskset -pc OTHER-CPUS TID, or CPUAffinity= of that service", SECTION_CPUS},
	{"cpu-isolated-irqs", judge_irqs,
	 "no interrupt is delivered to an isolated CPU",
	 "echo OTHER-CPUS >/proc/irq/N/smp_affinity_list; irqaffinity= for the next boot", SECTION_CPUS},
	{"cpu-priorities", judge_priorities,
	 "nobody else's thread has a higher priority than the ptp4l that runs, on its CPUs",
	 "give it a lower priority or other CPUs; [ptp4l] fifo_priority and cpus", SECTION_CPUS},
};
/* clang-format on */

CHECK_TABLE(checks_cpus, rows);
