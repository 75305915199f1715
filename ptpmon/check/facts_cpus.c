/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the CPUs are set: frequency, idle states, temperature. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/procstat.h"
#include "ptpmon/check/impl.h"

#define CPU "/sys/devices/system/cpu/cpu%zu"

enum { IDLE_STATES_LIMIT = 16, TRIPS_LIMIT = 16, DEEP_US = 50 };

static void read_frequency(struct check_cpus *c, const char *root, size_t cpu)
{
	char governor[CHECK_NAME_MAX];
	int64_t now = number_in(root, 0, CPU "/cpufreq/scaling_cur_freq", cpu);
	int64_t hardware = number_in(root, 0, CPU "/cpufreq/cpuinfo_max_freq", cpu);

	if (procstat_text(root, governor, sizeof(governor), CPU "/cpufreq/scaling_governor", cpu) >
	    0) {
		c->governed++;
		c->performing += strcmp(governor, "performance") == 0;
		if (!strstr(c->governors, governor))
			list_add(c->governors, sizeof(c->governors), "%s", governor);
	}
	if (now <= 0 || hardware <= 0)
		return;
	if (c->slowest.known &&
	    (double)now / (double)hardware >=
		    (double)c->slowest.now_khz / (double)c->slowest.hardware_khz)
		return;
	c->slowest.known = true;
	c->slowest.cpu = cpu;
	c->slowest.now_khz = now;
	c->slowest.hardware_khz = hardware;
	c->slowest.allowed_khz = number_in(root, hardware, CPU "/cpufreq/scaling_max_freq", cpu);
}

/* The first state is the CPU's own wait, which costs nothing to leave. */
static void read_idle_states(struct check_cpus *c, const char *root, size_t cpu)
{
	char name[CHECK_NAME_MAX];

	for (int i = 0; i < IDLE_STATES_LIMIT; i++) {
		int64_t latency_us;

		if (procstat_text(root, name, sizeof(name), CPU "/cpuidle/state%d/name", cpu, i) <=
		    0)
			break;
		c->idle_states++;
		latency_us = number_in(root, 0, CPU "/cpuidle/state%d/latency", cpu, i);
		if (i == 0 || latency_us < DEEP_US)
			continue;
		c->deep++;
		if (number_in(root, 0, CPU "/cpuidle/state%d/disable", cpu, i) != 0)
			continue;
		c->deep_allowed++;
		if (latency_us < c->deepest_us)
			continue;
		c->deepest_us = latency_us;
		(void)snprintf(c->deepest, sizeof(c->deepest), "%s", name);
	}
}

/* Its limit is the lowest temperature at which something is done about it. */
static void read_zone(void *userdata, const char *root, const char *zone)
{
	struct check_cpus *c = userdata;
	int64_t now = number_in(root, INT64_MIN, "/sys/class/thermal/%s/temp", zone);
	int64_t limit = INT64_MAX;
	char type[CHECK_NAME_MAX];

	if (now == INT64_MIN)
		return;
	for (int i = 0; i < TRIPS_LIMIT; i++) {
		int64_t trip =
			number_in(root, 0, "/sys/class/thermal/%s/trip_point_%d_temp", zone, i);

		(void)procstat_text(root, type, sizeof(type),
				    "/sys/class/thermal/%s/trip_point_%d_type", zone, i);
		if (trip > 0 && trip < limit && *type && strcmp(type, "active") != 0)
			limit = trip;
	}
	if (c->thermal.n++ > 0 && limit - now >= c->thermal.limit_mc - c->thermal.temperature_mc)
		return;
	c->thermal.temperature_mc = now;
	c->thermal.limit_mc = limit;
	if (procstat_text(root, c->thermal.zone, sizeof(c->thermal.zone),
			  "/sys/class/thermal/%s/type", zone) <= 0)
		(void)snprintf(c->thermal.zone, sizeof(c->thermal.zone), "%.*s", CHECK_NAME_MAX - 1,
			       zone);
}

static bool cools_cpus(const char *type)
{
	return strstr(type, "cpufreq") || strcmp(type, "Processor") == 0;
}

static void read_cooling(void *userdata, const char *root, const char *device)
{
	struct check_cpus *c = userdata;
	char type[CHECK_NAME_MAX];
	int64_t state = number_in(root, 0, "/sys/class/thermal/%s/cur_state", device);

	if (procstat_text(root, type, sizeof(type), "/sys/class/thermal/%s/type", device) <= 0 ||
	    !cools_cpus(type))
		return;
	c->throttling.known = true;
	if (state > 0)
		list_add(c->throttling.now, sizeof(c->throttling.now), "%s at step %" PRId64, type,
			 state);
}

/* x86 counts how often it did. */
static void read_counter(struct check_cpus *c, const char *root, size_t cpu)
{
	int64_t n =
		number_in(root, CHECK_UNKNOWN, CPU "/thermal_throttle/core_throttle_count", cpu);

	c->throttling.known |= n >= 0;
	if (n > 0)
		list_add(c->throttling.past, sizeof(c->throttling.past),
			 "CPU %zu %" PRId64 " times", cpu, n);
}

/* The firmware of a Raspberry Pi: bits 0 to 3 are now, 16 to 19 since boot. */
static void read_firmware(struct check_cpus *c, const char *root)
{
	static const char *const bits[] = {"under-voltage", "frequency capped", "throttled",
					   "soft temperature limit"};
	char text[32];
	unsigned long mask;

	if (procstat_text(root, text, sizeof(text),
			  "/sys/devices/platform/soc/soc:firmware/get_throttled") <= 0)
		return;
	c->throttling.known = true;
	mask = strtoul(text, NULL, 16);
	for (unsigned i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		if (mask >> i & 1)
			list_add(c->throttling.now, sizeof(c->throttling.now), "%s", bits[i]);
		if (mask >> (i + 16) & 1)
			list_add(c->throttling.past, sizeof(c->throttling.past), "%s", bits[i]);
	}
}

void facts_read_cpus(struct check_facts *f, const char *root)
{
	struct check_cpus *c = &f->cpus;
	const struct cpulist *online = &c->limits.online;

	for (size_t cpu = cpulist_next(online, 0); cpu < CPULIST_MAX;
	     cpu = cpulist_next(online, cpu + 1)) {
		read_frequency(c, root, cpu);
		read_idle_states(c, root, cpu);
		read_counter(c, root, cpu);
	}
	each_entry(root, "/sys/class/thermal", "thermal_zone[0-9]*", read_zone, c);
	each_entry(root, "/sys/class/thermal", "cooling_device[0-9]*", read_cooling, c);
	read_firmware(c, root);
}
