/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/supervise/refusal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/procstat.h"

#define CPU_DIRECTORY "/sys/devices/system/cpu"

enum { TEXT_MAX = 4096, LINE_OCTETS = 4096 };

/* -- this process ------------------------------------------------------------------------ */

static bool has_cap_sys_nice(const char *root)
{
	char text[TEXT_MAX];
	const char *at;

	(void)procstat_text(root, text, sizeof(text), "/proc/self/status");
	at = procstat_value(text, "CapEff");
	return at && strtoull(at, NULL, 16) >> CAP_SYS_NICE & 1;
}

/* "Max realtime priority     0                    0" */
static int64_t rtprio_limit(const char *root)
{
	static const char key[] = "\nMax realtime priority";
	char text[TEXT_MAX];
	const char *at;
	int64_t limit;

	(void)procstat_text(root, text, sizeof(text), "/proc/self/limits");
	at = strstr(text, key);
	return at && sscanf(at + sizeof(key) - 1, "%" SCNd64, &limit) == 1 ? limit : INT64_MAX;
}

/* -- its control groups ------------------------------------------------------------------ */

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, word, len) == 0 && (at[len] == ',' || !at[len]))
			return true;
	return false;
}

/* The group of this process in the hierarchy of a controller ("": version 2). */
static bool group_of(const char *root, const char *controller, char out[static REFUSAL_PATH_MAX])
{
	CLEANUP(fclosep) FILE *f = NULL;
	char line[LINE_OCTETS];

	(void)snprintf(line, sizeof(line), "%s/proc/self/cgroup", root);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f)) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*controllers++ = *path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (*controller ? !has_word(controllers, controller) : *controllers)
			continue;
		(void)snprintf(out, REFUSAL_PATH_MAX, "%.*s", REFUSAL_PATH_MAX - 1,
			       strcmp(path, "/") == 0 ? "" : path);
		return true;
	}
	return false;
}

/*
 * Where that hierarchy is mounted, and which of its groups stands there (proc(5), mountinfo: "31
 * 23 0:28 ROOT MOUNT OPTIONS … - TYPE SOURCE SUPER-OPTIONS").
 */
static bool mount_of(const char *root, const char *controller, char mount[static REFUSAL_PATH_MAX],
		     char group[static REFUSAL_PATH_MAX])
{
	CLEANUP(fclosep) FILE *f = NULL;
	char line[LINE_OCTETS];

	(void)snprintf(line, sizeof(line), "%s/proc/self/mountinfo", root);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f)) {
		char type[16];
		char options[160];
		const char *rest = strstr(line, " - ");

		if (!rest || sscanf(line, "%*s %*s %*s %255s %255s", group, mount) != 2 ||
		    sscanf(rest, " - %15s %*s %159s", type, options) != 2)
			continue;
		if (*controller ? strcmp(type, "cgroup") == 0 && has_word(options, controller)
				: strcmp(type, "cgroup2") == 0)
			return true;
	}
	return false;
}

/* The directory of this process's group, without root. */
static bool directory_of(const char *root, const char *controller,
			 char out[static REFUSAL_PATH_MAX])
{
	char path[REFUSAL_PATH_MAX];
	char mount[REFUSAL_PATH_MAX];
	char group[REFUSAL_PATH_MAX];
	size_t len;

	if (!group_of(root, controller, path) || !mount_of(root, controller, mount, group))
		return false;
	len = strcmp(group, "/") == 0 ? 0 : strlen(group); /* a container has a part of the tree */
	if (strncmp(path, group, len) != 0)
		len = 0;
	return snprintf(out, REFUSAL_PATH_MAX, "%s%s", mount, path + len) < REFUSAL_PATH_MAX;
}

static void read_budget(struct refusal_facts *f, const char *root)
{
	char directory[REFUSAL_PATH_MAX];
	char text[64];

	if (directory_of(root, "cpu", directory) &&
	    procstat_text(root, text, sizeof(text), "%s/cpu.rt_runtime_us", directory) > 0 &&
	    strcmp(text, "0") == 0)
		(void)snprintf(f->no_budget_file, sizeof(f->no_budget_file),
			       "%.*s/cpu.rt_runtime_us", REFUSAL_PATH_MAX - 20, directory);
	if (directory_of(root, "", directory))
		f->unified_cpu =
			procstat_text(root, text, sizeof(text), "%s/cpu.max", directory) > 0;
}

/* The nearest group that has a cpuset at all says what is allowed. */
static bool read_cpuset(struct refusal_facts *f, const char *root, const char *controller,
			const char *file)
{
	char directory[REFUSAL_PATH_MAX];
	char text[CPULIST_TEXT_MAX];
	char *slash;

	if (!directory_of(root, controller, directory))
		return false;
	while (procstat_text(root, text, sizeof(text), "%s/%s", directory, file) <= 0) {
		slash = strrchr(directory, '/');
		if (!slash || slash == directory)
			return false;
		*slash = '\0';
	}
	if (cpulist_parse(text, &f->allowed) < 0)
		return false;
	(void)snprintf(f->cpuset, sizeof(f->cpuset), "%s", directory);
	return true;
}

static void read_cpus(struct cpulist *out, const char *root, const char *name)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s" CPU_DIRECTORY "/%s", root, name);
	(void)cpulist_read(path, out); /* a kernel that cannot isolate has no such file */
}

void refusal_read(struct refusal_facts *out, const char *root)
{
	*out = (struct refusal_facts){
		.cap_sys_nice = has_cap_sys_nice(root),
		.rtprio_limit = rtprio_limit(root),
	};
	read_budget(out, root);
	read_cpus(&out->present, root, "present");
	read_cpus(&out->online, root, "online");
	read_cpus(&out->isolated, root, "isolated");
	if (!read_cpuset(out, root, "cpuset", "cpuset.effective_cpus") &&
	    !read_cpuset(out, root, "", "cpuset.cpus.effective"))
		out->allowed = out->online;
}

/* -- in words ---------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void add(char *why, const char *fmt, ...)
{
	size_t len = strlen(why);
	va_list ap;

	if (len && len < REFUSAL_WHY_MAX - 3)
		len += (size_t)snprintf(why + len, REFUSAL_WHY_MAX - len, "; ");
	va_start(ap, fmt);
	(void)vsnprintf(why + len, REFUSAL_WHY_MAX - len, fmt, ap);
	va_end(ap);
}

void refusal_explain_priority(const struct refusal_facts *f, int error, int priority,
			      char why[static REFUSAL_WHY_MAX])
{
	why[0] = '\0';
	if (error != EPERM) {
		add(why, "%s", strerror(error));
		return;
	}
	if (!f->cap_sys_nice && f->rtprio_limit == 0)
		add(why, "no CAP_SYS_NICE, and RLIMIT_RTPRIO is 0: run as root, or with "
			 "AmbientCapabilities=CAP_SYS_NICE");
	else if (!f->cap_sys_nice && f->rtprio_limit < priority)
		add(why,
		    "no CAP_SYS_NICE, and RLIMIT_RTPRIO allows priority %" PRId64
		    " at most: raise LimitRTPRIO= to %d, or ask for less",
		    f->rtprio_limit, priority);
	if (*f->no_budget_file)
		add(why,
		    "RT group scheduling gives this cgroup no real-time time: write 950000 to %s",
		    f->no_budget_file);
	else if (f->unified_cpu && !*why)
		add(why, "RT group scheduling, it seems, which has no budget to give in cgroup "
			 "version 2: boot with rt_group_sched=0, or without the cpu controller");
	if (!*why)
		add(why, "refused in spite of CAP_SYS_NICE or RLIMIT_RTPRIO: a security module, "
			 "or seccomp");
}

static bool is_empty(const struct cpulist *set)
{
	return cpulist_next(set, 0) == CPULIST_MAX;
}

/* "CPU 5", "CPUs 4-5" */
static const char *name_cpus(const struct cpulist *set, char out[static CPULIST_TEXT_MAX + 8])
{
	char list[CPULIST_TEXT_MAX];

	(void)snprintf(out, CPULIST_TEXT_MAX + 8, "%s %s", cpulist_count(set) == 1 ? "CPU" : "CPUs",
		       cpulist_format(set, list));
	return out;
}

void refusal_explain_cpus(const struct refusal_facts *f, const struct cpulist *cpus,
			  char why[static REFUSAL_WHY_MAX])
{
	struct cpulist absent = {0};
	struct cpulist offline = {0};
	struct cpulist isolated = {0};
	struct cpulist denied = {0};
	char list[CPULIST_TEXT_MAX];
	char name[CPULIST_TEXT_MAX + 8];

	why[0] = '\0';
	for (size_t i = 0; i < CPULIST_WORDS; i++) {
		absent.bits[i] = cpus->bits[i] & ~f->present.bits[i];
		offline.bits[i] = cpus->bits[i] & f->present.bits[i] & ~f->online.bits[i];
		denied.bits[i] = cpus->bits[i] & f->online.bits[i] & ~f->allowed.bits[i];
		isolated.bits[i] = denied.bits[i] & f->isolated.bits[i];
		denied.bits[i] &= ~isolated.bits[i];
	}
	if (!is_empty(&absent))
		add(why, "no such CPU: %s: this machine has %s", cpulist_format(&absent, name),
		    cpulist_format(&f->present, list));
	if (!is_empty(&offline))
		add(why, "%.40s offline: write 1 to " CPU_DIRECTORY "/cpu%zu/online",
		    name_cpus(&offline, name), cpulist_next(&offline, 0));
	if (!is_empty(&isolated))
		add(why, "%.40s isolated away from %.60s: another cpuset has it",
		    name_cpus(&isolated, name), f->cpuset);
	if (!is_empty(&denied))
		add(why, "%.40s not in cpuset %.60s, which allows %.40s", name_cpus(&denied, name),
		    f->cpuset, cpulist_format(&f->allowed, list));
}
