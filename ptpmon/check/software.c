/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of linuxptp, of ptpmon itself, of who else is about, and of the system's clocks. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/timex.h>

#include "ptpmon/check/impl.h"

#define MIB (INT64_C(1) << 20)

enum {
	LEAST_MIB = 64,         /* below it the record may stop at any moment */
	COMFORTABLE_MIB = 1024, /* two nights of eight updates a second */
	MEMLOCK_MIB = 64,       /* more than ptp4l, phc2sys and the sampler lock */
	QUIET_LOGLEVEL = 4,     /* errors and worse */
};

/* -- linuxptp ---------------------------------------------------------------------------- */

static bool is_before(const struct check_software *s, unsigned major, unsigned minor,
		      unsigned patch)
{
	if (s->major != major)
		return s->major < major;
	return s->minor != minor ? s->minor < minor : s->patch < patch;
}

/* 3.1.1 mended CVE-2021-3570 and -3571; 4.0 began to send minor version 1. */
static void judge_linuxptp(const struct check_facts *f, const struct check_port *p,
			   struct check_finding *out)
{
	const struct check_software *s = &f->software;

	if (!s->linuxptp)
		found(out, CHECK_FAIL, "%s", s->linuxptp_why);
	else if (!s->major)
		found(out, CHECK_WARN, "it does not tell its version");
	else if (is_before(s, 3, 1, 1))
		found(out, CHECK_FAIL, "%s: can be crashed by a packet (CVE-2021-3570)",
		      s->version);
	else if (is_before(s, 4, 0, 0))
		found(out, CHECK_PASS, "%s: offsets are polled, it has no pushes", s->version);
	else
		found(out, CHECK_PASS, "%s", s->version);
}

static void judge_rivals(const struct check_facts *f, const struct check_port *p,
			 struct check_finding *out)
{
	if (f->software.rivals)
		found(out, CHECK_FAIL, "%s", f->software.rival);
	else
		found(out, CHECK_PASS, "nobody else steers a clock of ours");
}

static void judge_stale(const struct check_facts *f, const struct check_port *p,
			struct check_finding *out)
{
	if (f->software.stale_sockets)
		found(out, CHECK_WARN, "nobody listens: %s", f->software.stale);
	else
		found(out, CHECK_PASS, "none");
}

static void judge_foreign(const struct check_facts *f, const struct check_port *p,
			  struct check_finding *out)
{
	if (f->software.foreign_sockets)
		found(out, CHECK_WARN, "a ptp4l that ptpmon did not start: %s",
		      f->software.foreign);
	else
		found(out, CHECK_PASS, "none");
}

/* -- ptpmon ------------------------------------------------------------------------------ */

static const struct {
	unsigned capability;
	const char *name;
} capabilities[] = {
	{CAP_SYS_NICE, "CAP_SYS_NICE"},   {CAP_SYS_TIME, "CAP_SYS_TIME"},
	{CAP_NET_ADMIN, "CAP_NET_ADMIN"}, {CAP_NET_RAW, "CAP_NET_RAW"},
	{CAP_IPC_LOCK, "CAP_IPC_LOCK"},
};

/* A high enough limit does for a capability where there is one. */
static bool is_granted(const struct check_software *s, unsigned capability)
{
	return s->rights.capabilities >> capability & 1 ||
	       (capability == CAP_SYS_NICE && s->rights.rtprio >= 99) ||
	       (capability == CAP_IPC_LOCK && s->rights.memlock_bytes >= MEMLOCK_MIB * MIB);
}

static void judge_privileges(const struct check_facts *f, const struct check_port *p,
			     struct check_finding *out)
{
	const struct check_software *s = &f->software;
	const char *who = s->rights.service ? "the service" : "this user";
	char missing[CHECK_TEXT_MAX] = "";

	if (!s->rights.known) {
		found(out, CHECK_SKIP, "the kernel does not tell");
		return;
	}
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
		if (!is_granted(s, capabilities[i].capability))
			list_add(missing, sizeof(missing), "%s", capabilities[i].name);
	if (*missing)
		found(out, s->rights.service ? CHECK_FAIL : CHECK_WARN, "%s is without %s", who,
		      missing);
	else
		found(out, CHECK_PASS, "%s has what it needs", who);
}

static void judge_disk(const struct check_facts *f, const struct check_port *p,
		       struct check_finding *out)
{
	int64_t mib = f->software.disk.free_bytes / MIB;

	if (f->software.disk.error == ENODATA)
		found(out, CHECK_SKIP, "no configuration says where the record is to be");
	else if (f->software.disk.error)
		found(out, CHECK_SKIP, "%s: %s", f->software.disk.path,
		      strerror(f->software.disk.error));
	else
		found(out,
		      mib < LEAST_MIB         ? CHECK_FAIL
		      : mib < COMFORTABLE_MIB ? CHECK_WARN
					      : CHECK_PASS,
		      "%" PRId64 " MiB free for %s", mib, f->software.disk.path);
}

static void judge_database(const struct check_facts *f, const struct check_port *p,
			   struct check_finding *out)
{
	int error = f->software.disk.database_error;

	if (!error)
		found(out, CHECK_PASS, "it opens; its newest run is %" PRId64,
		      f->software.disk.run);
	else if (error == ENODATA)
		found(out, CHECK_SKIP, "no configuration says where the record is");
	else if (error == -ENOENT)
		found(out, CHECK_SKIP, "nothing is recorded yet");
	else if (error == -EACCES)
		found(out, CHECK_WARN, "%s", f->software.disk.database_why);
	else
		found(out, CHECK_FAIL, "%s", f->software.disk.database_why);
}

/* A serial line at 115200 takes a line of 80 characters 7 ms, with the printing CPU waiting. */
static void judge_console(const struct check_facts *f, const struct check_port *p,
			  struct check_finding *out)
{
	const char *name = f->software.console.console;
	bool loud = f->software.console.loglevel > QUIET_LOGLEVEL;
	bool journal = f->software.console.journal;

	if (!*name)
		found(out, CHECK_SKIP, "the kernel has no console");
	else if (!f->software.console.serial)
		found(out, CHECK_PASS, "%s is no serial line", name);
	else if (!loud && !journal)
		found(out, CHECK_PASS, "%s gets errors only", name);
	else
		found(out, f->software.console.ours ? CHECK_FAIL : CHECK_WARN,
		      "%s%s%s write to %s%s", loud ? "the kernel" : "",
		      loud && journal ? " and " : "", journal ? "the journal" : "", name,
		      f->software.console.ours ? ", which is this terminal" : "");
}

/* -- the system's clocks ----------------------------------------------------------------- */

static void judge_tai(const struct check_facts *f, const struct check_port *p,
		      struct check_finding *out)
{
	const struct check_clock *c = &f->clock;

	if (!c->known)
		found(out, CHECK_SKIP, "the kernel does not tell");
	else if (!c->tai_offset_s)
		found(out, CHECK_WARN, "not set: CLOCK_TAI shows UTC");
	else
		found(out, c->tai_offset_s == c->expected_tai_s ? CHECK_PASS : CHECK_FAIL,
		      "TAI - UTC is %" PRId64 " s%s", c->tai_offset_s,
		      c->tai_offset_s == c->expected_tai_s ? "" : ", which is wrong");
}

static void judge_leap(const struct check_facts *f, const struct check_port *p,
		       struct check_finding *out)
{
	if (!f->clock.known)
		found(out, CHECK_SKIP, "the kernel does not tell");
	else if (f->clock.leap == TIME_INS || f->clock.leap == TIME_DEL ||
		 f->clock.leap == TIME_OOP)
		found(out, CHECK_WARN, "a leap second is %s",
		      f->clock.leap == TIME_OOP   ? "in progress"
		      : f->clock.leap == TIME_INS ? "inserted at the end of this day"
						  : "left out at the end of this day");
	else
		found(out, CHECK_PASS, "none is pending");
}

static void judge_rtc(const struct check_facts *f, const struct check_port *p,
		      struct check_finding *out)
{
	if (f->clock.rtcs)
		found(out, CHECK_PASS, "%s", f->clock.rtc);
	else
		found(out, CHECK_WARN, "none: the time is wrong from each boot until it is set");
}

/* clang-format off */
static const struct check rows[] = {
	{"sw-linuxptp", judge_linuxptp, "ptp4l is installed, 3.1.1 or later",
	 "install linuxptp 3.1.1 or later; [ptp4l] program says where it is", SECTION_SOFTWARE},
	{"sw-rivals", judge_rivals, "no other program steers a clock that is ptpmon's to steer",
	 "systemctl disable --now systemd-timesyncd (chrony, ntp, timemaster, ptp4l@, phc2sys@)", SECTION_SOFTWARE},
	{"sw-stale-sockets", judge_stale, "no management socket of a ptp4l that is gone lies about",
	 "remove it", SECTION_SOFTWARE},
	{"sw-foreign-sockets", judge_foreign, "no ptp4l runs that ptpmon did not start",
	 "stop it, or watch it: role = monitor", SECTION_SOFTWARE},
	{"sw-privileges", judge_privileges, "the running service, else who asks, has the capabilities and limits that ptpmon needs",
	 "run as root, or use the unit that is installed with ptpmon (AmbientCapabilities=)", SECTION_SOFTWARE},
	{"sw-disk", judge_disk, "there is 1 GiB free for the record, or 64 MiB with a warning",
	 "make room, or set [store] directory or size_cap", SECTION_SOFTWARE},
	{"sw-database", judge_database, "the database opens and is in order",
	 "ptpmon run sets a damaged one aside and begins anew", SECTION_SOFTWARE},
	{"sw-console", judge_console, "neither kernel nor journal writes to a serial line that slows them down, or that the dashboard uses",
	 "sysctl kernel.printk=4, or loglevel=4; ForwardToConsole=no in journald.conf", SECTION_SOFTWARE},
	{"clock-tai", judge_tai, "the kernel knows TAI - UTC, as taprio and others who use CLOCK_TAI need",
	 "ptp4l or phc2sys set it as soon as they follow a grandmaster that knows it", SECTION_SOFTWARE},
	{"clock-leap", judge_leap, "no leap second is pending",
	 "keep the next midnight UTC out of measurements", SECTION_SOFTWARE},
	{"clock-rtc", judge_rtc, "there is a real-time clock",
	 "a grandmaster must not serve before its time is set: the epoch guard sees to it", SECTION_SOFTWARE},
};
/* clang-format on */

CHECK_TABLE(checks_software, rows);
