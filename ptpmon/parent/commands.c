/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/parent/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"

enum { GRANDMASTER_PRIORITY1 = 100 };

void command_add(struct command *c, const char *fmt, ...)
{
	size_t room = sizeof(c->text) - c->used;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(c->text + c->used, room, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= room || c->n == COMMAND_ARGUMENTS_MAX) {
		c->too_long = true;
		return;
	}
	c->argv[c->n++] = c->text + c->used;
	c->argv[c->n] = NULL;
	c->used += (size_t)n + 1;
}

struct ptp4l_version ptp4l_version_parse(const char *text)
{
	struct ptp4l_version v = {0};
	unsigned major;
	unsigned minor = 0;

	if (sscanf(text, "%u.%u", &major, &minor) < 1)
		return v;
	v.major = major;
	v.minor = minor;
	(void)snprintf(v.text, sizeof(v.text), "%.*s", (int)strcspn(text, " \n"), text);
	return v;
}

/* Split at blanks, as promised: no quoting, no shell. */
static void add_extra_arguments(struct command *out, const char *text)
{
	char copy[CONFIG_ARGUMENTS_MAX];
	char *rest = NULL;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		command_add(out, "%s", word);
}

static void add_role(struct command *out, const struct config_ptp4l *p)
{
	int64_t priority1 = p->priority1;

	/* slaveOnly is clientOnly from linuxptp 4.0, which still reads the old word; for 802.1AS it
	 * is gmCapable, and ptp4l takes no mixture */
	if (p->role == ROLE_SLAVE && p->profile != PROFILE_GPTP)
		command_add(out, "--slaveOnly=1");
	if (priority1 < 0 && p->role == ROLE_GRANDMASTER)
		priority1 = GRANDMASTER_PRIORITY1;
	if (priority1 >= 0)
		command_add(out, "--priority1=%" PRId64, priority1);
}

/* IEEE 802.1AS as linuxptp's own gPTP.cfg has it; the Sync interval is a key. */
static void add_gptp(struct command *out, const struct config_ptp4l *p)
{
	static const char *const options[] = {
		"--delay_mechanism=P2P",
		"--ptp_dst_mac=01:80:C2:00:00:0E",
		"--logAnnounceInterval=0",
		"--syncReceiptTimeout=3",
		"--neighborPropDelayThresh=800",
		"--min_neighbor_prop_delay=-20000000",
		"--assume_two_step=1",
		"--path_trace_enabled=1",
		"--follow_up_info=1",
		"--priority2=248",
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		command_add(out, "%s", options[i]);
	command_add(out, "--gmCapable=%d", p->role != ROLE_SLAVE);
	if (p->priority1 < 0 && p->role != ROLE_GRANDMASTER && p->role != ROLE_SLAVE)
		command_add(out, "--priority1=248");
}

static void add_protocol(struct command *out, const struct config_ptp4l *p)
{
	command_add(out, "--domainNumber=%" PRId64, p->domain);
	command_add(out, "--transportSpecific=%" PRId64, p->transport_specific);
	command_add(out, "--network_transport=%s", transport_name(p->transport));
	command_add(out, "--time_stamping=%s", timestamping_name(p->timestamping));
	command_add(out, "--tx_timestamp_timeout=%" PRId64,
		    (p->tx_timestamp_timeout_ns + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
	command_add(out, "--logSyncInterval=%" PRId64, p->log_sync_interval);
	if (p->step_threshold_ns)
		command_add(out, "--step_threshold=%.9f", (double)p->step_threshold_ns / 1e9);
	if (p->profile == PROFILE_GPTP)
		add_gptp(out, p);
	add_role(out, p);
}

int command_ptp4l(struct command *out, const struct config *c, size_t i, const char *program,
		  const struct ptp4l_version *version)
{
	const struct config_ptp4l *p = &c->ptp4l[i];
	char socket[CONFIG_PATH_MAX];

	config_ptp4l_socket(c, i, socket);
	command_add(out, "%s", program);
	if (*p->config_file) {
		command_add(out, "-f");
		command_add(out, "%s", p->config_file);
	}
	for (size_t port = 0; port < p->interfaces.n; port++) {
		command_add(out, "-i");
		command_add(out, "%s", p->interfaces.name[port]);
	}
	command_add(out, "--uds_address=%s", socket);
	if (version->major >= 4 && !*p->ro_socket) /* its default would be shared by all */
		command_add(out, "--uds_ro_address=%sro", socket);
	command_add(out, "--use_syslog=0");
	command_add(out, "--verbose=1");
	if (!*p->config_file)
		add_protocol(out, p);
	add_extra_arguments(out, p->extra_arguments);
	return out->too_long ? -E2BIG : 0;
}

/* phc2sys takes seconds; 0 is never. */
static void add_seconds(struct command *out, const char *option, int64_t ns)
{
	command_add(out, "%s", option);
	command_add(out, "%" PRId64 ".%09" PRId64, ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

int command_phc2sys(struct command *out, const struct config *c, const char *program, int phc_index,
		    int utc_offset_s)
{
	command_add(out, "%s", program);
	command_add(out, "-s");
	command_add(out, "/dev/ptp%d", phc_index);
	command_add(out, "-c");
	command_add(out, "CLOCK_REALTIME");
	command_add(out, "-O"); /* CLOCK_REALTIME - PHC */
	command_add(out, "%d", -utc_offset_s);
	add_seconds(out, "-F", c->phc2sys.first_step_ns);
	add_seconds(out, "-S", c->phc2sys.step_threshold_ns);
	command_add(out, "-m");
	command_add(out, "-q");
	add_extra_arguments(out, c->phc2sys.extra_arguments);
	return out->too_long ? -E2BIG : 0;
}

/* phc2sys, to a PHC: one that is far off is stepped, since that is never brought back otherwise. */
static int to_phc(struct command *out, const struct config *c, const char *program,
		  const char *source, int sink_index, int offset_s)
{
	int64_t step_ns = c->phc2sys.step_threshold_ns;

	command_add(out, "%s", program);
	command_add(out, "-s");
	command_add(out, "%s", source);
	command_add(out, "-c");
	command_add(out, "/dev/ptp%d", sink_index);
	command_add(out, "-O"); /* sink - source */
	command_add(out, "%d", offset_s);
	add_seconds(out, "-F", c->phc2sys.first_step_ns);
	add_seconds(out, "-S", step_ns ? step_ns : PHC_FAR_NS);
	command_add(out, "-m");
	command_add(out, "-q");
	add_extra_arguments(out, c->phc2sys.extra_arguments);
	return out->too_long ? -E2BIG : 0;
}

int command_feeder(struct command *out, const struct config *c, const char *program, int phc_index,
		   int utc_offset_s)
{
	return to_phc(out, c, program, "CLOCK_REALTIME", phc_index, utc_offset_s);
}

int command_joiner(struct command *out, const struct config *c, const char *program, int phc_index,
		   int sink_index)
{
	char source[32];

	(void)snprintf(source, sizeof(source), "/dev/ptp%d", phc_index);
	return to_phc(out, c, program, source, sink_index, 0);
}

int cpu_choice_resolve(const struct cpu_choice *choice, struct cpulist *out)
{
	struct cpulist online;
	struct cpulist isolated = {0};
	int r;

	if (choice->kind == CPUS_LISTED) {
		*out = choice->list;
		return 0;
	}
	r = cpulist_read("/sys/devices/system/cpu/online", &online);
	if (r < 0)
		return r;
	(void)cpulist_read("/sys/devices/system/cpu/isolated", &isolated); /* absent: none is */
	*out = (struct cpulist){0};
	for (size_t cpu = cpulist_next(&online, 0); cpu < CPULIST_MAX;
	     cpu = cpulist_next(&online, cpu + 1))
		if (choice->kind == CPUS_ALL ||
		    (choice->kind == CPUS_ISOLATED) == cpulist_has(&isolated, cpu))
			cpulist_add(out, cpu);
	return 0;
}

int command_sampler(struct command *out, const struct config *c, const char *program, int window_fd)
{
	char cpus[CPULIST_TEXT_MAX];
	char interval[NSEC_TEXT_MAX];
	struct cpulist set;
	int r = cpu_choice_resolve(&c->latency.cpus, &set);

	if (r < 0)
		return r;
	if (cpulist_count(&set) == 0)
		return -ENODEV;
	command_add(out, "%s", program);
	command_add(out, "--cpus=%s", cpulist_format(&set, cpus));
	command_add(out, "--priority=%" PRId64, c->latency.priority);
	command_add(out, "--interval=%s", nsec_format_duration(c->latency.interval_ns, interval));
	command_add(out, "--idle-states=%s", idle_states_name(c->latency.idle_states));
	command_add(out, "--on-refusal=%s", on_refusal_name(c->realtime.on_refusal));
	command_add(out, "--fd=%d", window_fd);
	return out->too_long ? -E2BIG : 0;
}

unsigned schedule_sampler(const struct config *c, struct schedule *out)
{
	struct cpulist cpus;

	*out = (struct schedule){
		.policy = c->latency.priority ? SCHED_FIFO : SCHED_OTHER,
		.priority = (int)c->latency.priority,
	};
	return cpu_choice_resolve(&c->latency.cpus, &cpus) < 0 ? 0 : (unsigned)cpulist_count(&cpus);
}

static int schedule_fifo(int64_t priority, const struct cpu_choice *cpus, struct schedule *out)
{
	struct schedule s = {
		.policy = priority ? SCHED_FIFO : SCHED_OTHER,
		.priority = (int)priority,
		.pinned = cpus->kind != CPUS_ALL,
	};
	int r = s.pinned ? cpu_choice_resolve(cpus, &s.cpus) : 0;

	if (r == 0)
		*out = s;
	return r;
}

int schedule_ptp4l(const struct config_ptp4l *p, struct schedule *out)
{
	return schedule_fifo(p->fifo_priority, &p->cpus, out);
}

int schedule_phc2sys(const struct config *c, struct schedule *out)
{
	return schedule_fifo(c->phc2sys.fifo_priority, &c->phc2sys.cpus, out);
}
