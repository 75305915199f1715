/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rest of the machine: clocks, units, watchdog, memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <systemd/sd-bus.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/leap_seconds.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/base/procstat.h"
#include "ptpmon/check/impl.h"
#include "ptpmon/model/timescale.h"

enum { MEMINFO_MAX = 4096, BUS_TIMEOUT_US = 3000000 };

static void read_rtc(void *userdata, const char *root, const char *rtc)
{
	struct check_clock *c = userdata;

	if (c->rtcs++ == 0 &&
	    procstat_text(root, c->rtc, sizeof(c->rtc), "/sys/class/rtc/%s/name", rtc) <= 0)
		(void)snprintf(c->rtc, sizeof(c->rtc), "%.*s", CHECK_NAME_MAX - 1, rtc);
}

static void read_watchdog(void *userdata, const char *root, const char *watchdog)
{
	struct check_system *s = userdata;

	if (s->watchdog)
		return;
	s->watchdog = true;
	s->watchdog_s = number_in(root, CHECK_UNKNOWN, "/sys/class/watchdog/%s/timeout", watchdog);
	if (procstat_text(root, s->watchdog_identity, sizeof(s->watchdog_identity),
			  "/sys/class/watchdog/%s/identity", watchdog) <= 0)
		(void)snprintf(s->watchdog_identity, sizeof(s->watchdog_identity), "%.*s",
			       CHECK_NAME_MAX - 1, watchdog);
}

static int64_t memory_of(const char *meminfo, const char *key)
{
	const char *at = procstat_value(meminfo, key);

	return at ? strtoll(at, NULL, 10) : CHECK_UNKNOWN;
}

void facts_read_system(struct check_facts *f, const char *root)
{
	struct check_system *s = &f->system;
	char text[MEMINFO_MAX];
	double pressure;

	each_entry(root, "/sys/class/rtc", "rtc[0-9]*", read_rtc, &f->clock);
	each_entry(root, "/sys/class/watchdog", "watchdog[0-9]*", read_watchdog, s);
	(void)procstat_text(root, text, sizeof(text), "/proc/meminfo");
	s->memory_kib = memory_of(text, "MemTotal");
	s->available_kib = memory_of(text, "MemAvailable");
	(void)procstat_text(root, text, sizeof(text), "/proc/pressure/memory");
	s->pressure = sscanf(text, "some avg10=%*f avg60=%lf", &pressure) == 1 ? pressure : -1;
	s->failed_units = CHECK_UNKNOWN;
	(void)snprintf(s->units, sizeof(s->units), "systemd was not asked");
}

/* -- asked of this machine --------------------------------------------------------------- */

/* Units with their states: only the name is of interest here. */
static int list_units(sd_bus_message *reply, struct check_system *s)
{
	const char *name;
	int n = 0;
	int r = sd_bus_message_enter_container(reply, SD_BUS_TYPE_ARRAY, "(ssssssouso)");

	s->units[0] = '\0';
	while (r >= 0 &&
	       (r = sd_bus_message_enter_container(reply, SD_BUS_TYPE_STRUCT, "ssssssouso")) > 0) {
		r = sd_bus_message_read(reply, "s", &name);
		if (r < 0)
			break;
		n++;
		list_add(s->units, sizeof(s->units), "%s", name);
		r = sd_bus_message_skip(reply, "sssssouso");
		if (r >= 0)
			r = sd_bus_message_exit_container(reply);
	}
	return r < 0 ? r : n;
}

static void ask_units(struct check_system *s)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	sd_bus *bus = NULL;
	int r = sd_bus_open_system(&bus);

	if (r >= 0)
		r = sd_bus_set_method_call_timeout(bus, BUS_TIMEOUT_US);
	if (r >= 0)
		r = sd_bus_call_method(bus, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
				       "org.freedesktop.systemd1.Manager", "ListUnitsFiltered",
				       &error, &reply, "as", 1, "failed");
	if (r >= 0)
		r = list_units(reply, s);
	if (r < 0)
		(void)snprintf(s->units, sizeof(s->units), "systemd does not answer: %s",
			       strerror(-r));
	else
		s->failed_units = r;
	sd_bus_error_free(&error);
	(void)sd_bus_message_unref(reply);
	(void)sd_bus_flush_close_unref(bus);
}

static void ask_clock(struct check_clock *c)
{
	struct timex tx = {0};
	struct leap_table leaps = {0};
	int64_t expected_s;
	int state = clock_adjtime(CLOCK_REALTIME, &tx);

	c->known = state >= 0;
	c->leap = state;
	c->tai_offset_s = tx.tai;
	c->utc_ns = realtime_read().utc_ns;
	(void)leap_table_load(LEAP_SECONDS_FILE, &leaps);
	expected_s = leap_table_at(&leaps, c->utc_ns / NSEC_PER_SEC);
	c->expected_tai_s = expected_s ? expected_s : UTC_OFFSET_BUILD;
}

void facts_ask_system(struct check_facts *f)
{
	ask_units(&f->system);
	ask_clock(&f->clock);
}
