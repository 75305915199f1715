/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the machine as a whole. */
#include <inttypes.h>

#include "ptpmon/check/impl.h"

enum { MEMORY_FAIL_PERCENT = 5, MEMORY_WARN_PERCENT = 10 };

#define PRESSURE_WARN 1.0 /* percent of a minute in which somebody waited for memory */
#define PRESSURE_FAIL 10.0

static void judge_units(const struct check_facts *f, const struct check_port *p,
			struct check_finding *out)
{
	const struct check_system *s = &f->system;

	if (s->failed_units < 0)
		found(out, CHECK_SKIP, "%s", s->units);
	else if (s->failed_units)
		found(out, CHECK_FAIL, "%d: %s", s->failed_units, s->units);
	else
		found(out, CHECK_PASS, "none");
}

static void judge_watchdog(const struct check_facts *f, const struct check_port *p,
			   struct check_finding *out)
{
	const struct check_system *s = &f->system;

	if (!s->watchdog)
		found(out, CHECK_WARN, "none");
	else if (s->watchdog_s > 0)
		found(out, CHECK_PASS, "%s, %" PRId64 " s", s->watchdog_identity, s->watchdog_s);
	else
		found(out, CHECK_PASS, "%s", s->watchdog_identity);
}

static void judge_memory(const struct check_facts *f, const struct check_port *p,
			 struct check_finding *out)
{
	const struct check_system *s = &f->system;
	int64_t percent;

	if (s->memory_kib <= 0 || s->available_kib < 0) {
		found(out, CHECK_SKIP, "the kernel does not tell");
		return;
	}
	percent = s->available_kib * 100 / s->memory_kib;
	found(out,
	      percent < MEMORY_FAIL_PERCENT   ? CHECK_FAIL
	      : percent < MEMORY_WARN_PERCENT ? CHECK_WARN
					      : CHECK_PASS,
	      "%" PRId64 " of %" PRId64 " MiB available", s->available_kib / 1024,
	      s->memory_kib / 1024);
}

static void judge_pressure(const struct check_facts *f, const struct check_port *p,
			   struct check_finding *out)
{
	double pressure = f->system.pressure;

	if (pressure < 0)
		found(out, CHECK_SKIP, "the kernel does not tell");
	else
		found(out,
		      pressure >= PRESSURE_FAIL   ? CHECK_FAIL
		      : pressure >= PRESSURE_WARN ? CHECK_WARN
						  : CHECK_PASS,
		      "somebody waited for memory %.2f %% of the last minute", pressure);
}

/* clang-format off */
static const struct check rows[] = {
	{"sys-units", judge_units, "no systemd unit has failed",
	 "systemctl --failed; systemctl status UNIT", SECTION_SYSTEM},
	{"sys-watchdog", judge_watchdog, "there is a hardware watchdog",
	 "a driver for the board's watchdog, and RuntimeWatchdogSec= in system.conf", SECTION_SYSTEM},
	{"sys-memory", judge_memory, "a tenth of the memory is available, or a twentieth with a warning",
	 "see who has it: ps -e --sort=-rss -o rss,comm", SECTION_SYSTEM},
	{"sys-pressure", judge_pressure, "nobody waits for memory more than 1 % of the time",
	 "less load, or MemoryLow= for ptpmon.service", SECTION_SYSTEM},
};
/* clang-format on */

CHECK_TABLE(checks_system, rows);
