/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel is, what it was told, and what it has complained of. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/procstat.h"
#include "ptpmon/check/impl.h"

enum { RECORD_MAX = 8192, MASK_DIGITS = 8 };

/* Phrases of lib/, kernel/locking, kernel/rcu, kernel/sched and kernel/hung_task.c. */
static const struct {
	const char *phrase;
	enum check_complaint kind;
} complaints[] = {
	{"BUG: sleeping function called from invalid context", COMPLAINT_LOCKING},
	{"BUG: scheduling while atomic", COMPLAINT_LOCKING},
	{"BUG: spinlock ", COMPLAINT_LOCKING},
	{"BUG: Invalid wait context", COMPLAINT_LOCKING},
	{"possible circular locking dependency", COMPLAINT_LOCKING},
	{"possible recursive locking detected", COMPLAINT_LOCKING},
	{"inconsistent lock state", COMPLAINT_LOCKING},
	{"bad unlock balance", COMPLAINT_LOCKING},
	{"lock order inversion", COMPLAINT_LOCKING},
	{"self-detected stall on CPU", COMPLAINT_RCU_STALL},
	{"detected stalls on CPUs/tasks", COMPLAINT_RCU_STALL},
	{"kthread starved for", COMPLAINT_RCU_STALL},
	{"blocked for more than", COMPLAINT_HUNG},
	{"BUG: soft lockup", COMPLAINT_HUNG},
	{"hard LOCKUP", COMPLAINT_HUNG},
	{"sched: RT throttling activated", COMPLAINT_THROTTLED},
};

/* "6,339,5140900,-;TEXT": what the kernel itself said, not what programs wrote there (facility 0).
 */
static void judge_line(struct check_kernel *k, const char *line)
{
	const char *text = strchr(line, ';');

	if (!text || *line == ' ' || strtol(line, NULL, 10) > 7)
		return;
	k->log.lines++;
	for (size_t i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++) {
		enum check_complaint kind = complaints[i].kind;

		if (!strstr(text, complaints[i].phrase))
			continue;
		if (k->log.count[kind]++ == 0)
			(void)snprintf(k->log.first[kind], CHECK_TEXT_MAX, "%.*s",
				       CHECK_TEXT_MAX - 1, text + 1);
		return;
	}
}

/* The device gives one record at a time, a copy of it whatever fits: lines are what both have. */
static void read_log(struct check_kernel *k, const char *root)
{
	CLEANUP(close_fdp) int fd = -1;
	char path[PATH_MAX];
	char text[RECORD_MAX + 1];
	size_t kept = 0;

	(void)snprintf(path, sizeof(path), "%s/dev/kmsg", root);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		(void)snprintf(k->log.why, sizeof(k->log.why), "/dev/kmsg: %s%s", strerror(errno),
			       errno == EPERM ? " (kernel.dmesg_restrict)" : "");
		return;
	}
	for (;;) {
		ssize_t n = read(fd, text + kept, RECORD_MAX - kept);
		char *line = text;
		char *end;

		if (n < 0 && (errno == EPIPE || errno == EINTR)) /* overwritten meanwhile */
			continue;
		if (n <= 0)
			break;
		text[kept + (size_t)n] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			judge_line(k, line);
		}
		kept = strlen(line);
		if (kept > RECORD_MAX / 2) /* no record is that long */
			kept = 0;
		memmove(text, line, kept);
	}
	k->log.read = true;
}

/* "ff,ffffffff": words of 32 CPUs, the highest first. */
static bool parse_mask(const char *text, struct cpulist *out)
{
	size_t bit = 0;

	for (size_t i = strlen(text); i-- > 0;) {
		char digit[2] = {text[i], '\0'};
		unsigned long nibble;
		char *end;

		if (text[i] == ',')
			continue;
		nibble = strtoul(digit, &end, 16);
		if (*end)
			return false;
		for (unsigned b = 0; b < 4; b++, bit++)
			if (nibble >> b & 1 && bit < CPULIST_MAX)
				cpulist_add(out, bit);
	}
	return bit > 0;
}

void facts_read_kernel(struct check_facts *f, const char *root)
{
	struct check_kernel *k = &f->kernel;
	char text[CHECK_COMMAND_LINE_MAX];
	char path[PATH_MAX];

	(void)procstat_text(root, k->release, sizeof(k->release), "/proc/sys/kernel/osrelease");
	(void)procstat_text(root, k->version, sizeof(k->version), "/proc/sys/kernel/version");
	(void)procstat_text(root, k->command_line, sizeof(k->command_line), "/proc/cmdline");
	k->realtime = (int)number_in(root, CHECK_UNKNOWN, "/sys/kernel/realtime");
	(void)snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/nohz_full", root);
	(void)cpulist_read(path, &k->nohz_full); /* no such file, "" and "(null)" are none */
	if (procstat_text(root, text, sizeof(text), "/proc/irq/default_smp_affinity") > 0)
		k->irq_default_known = parse_mask(text, &k->irq_default);
	k->rt_runtime_us = number_in(root, INT64_MIN, "/proc/sys/kernel/sched_rt_runtime_us");
	k->rt_period_us = number_in(root, INT64_MIN, "/proc/sys/kernel/sched_rt_period_us");
	(void)procstat_text(root, k->clocksource, sizeof(k->clocksource),
			    "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	(void)snprintf(k->before.why, sizeof(k->before.why), "no run is recorded");
	read_log(k, root);
}
