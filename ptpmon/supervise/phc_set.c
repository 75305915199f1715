/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/supervise/phc_set.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"

#define REAP_NS (100 * NSEC_PER_MSEC)

_Static_assert(sizeof(struct phc_set_report) <= PIPE_BUF, "a report is written whole");

/* The clock behind a descriptor of /dev/ptpN (clock_gettime(2), "Dynamic clocks"). */
static clockid_t clock_of(int fd)
{
	return (clockid_t)((~(unsigned)fd << 3) | 3U);
}

/* How far the PHC is ahead of CLOCK_REALTIME + TAI - UTC: to the length of its reading, which is
 * microseconds where what matters is a second. */
static int read_error(int fd, int64_t tai_offset_s, int64_t *out_ns)
{
	int64_t before_ns = nsec_now(CLOCK_REALTIME);
	struct timespec phc;

	if (clock_gettime(clock_of(fd), &phc) < 0)
		return -errno;
	*out_ns = nsec_from_timespec(&phc) -
		  (before_ns + (nsec_now(CLOCK_REALTIME) - before_ns) / 2) -
		  tai_offset_s * NSEC_PER_SEC;
	return 0;
}

static int set_to_realtime(int fd, int64_t tai_offset_s)
{
	struct timespec t =
		nsec_to_timespec(nsec_now(CLOCK_REALTIME) + tai_offset_s * NSEC_PER_SEC);

	return clock_settime(clock_of(fd), &t) < 0 ? -errno : 0;
}

/* What is known of the time; the PHC comes after it. */
static void look_around(const struct phc_set_plan *plan, struct phc_set_report *r)
{
	const int64_t build_utc_ns = timescale_build_utc_ns();
	const struct realtime now = realtime_read();
	struct leap_table table = {0};

	(void)leap_table_load(LEAP_SECONDS_FILE, &table);
	r->trust = realtime_judge(&now, build_utc_ns, false);
	r->utc = utc_offset_choose(plan->utc_offset_s, now.tai_offset_s, &table, now.utc_ns,
				   build_utc_ns);
}

/* 0, or -errno with the step that failed. */
static int feed(const struct phc_set_plan *plan, struct phc_set_report *r)
{
	/* not blocking, for what else may stand at that path */
	CLEANUP(close_fdp) int fd = open(plan->path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int ret;

	r->step = PHC_SET_OPEN;
	if (fd < 0)
		return -errno;
	r->step = PHC_SET_READ;
	ret = read_error(fd, r->utc.seconds, &r->error_ns);
	if (ret < 0)
		return ret;
	r->left_ns = r->error_ns;
	r->feeding = phc_feeding_decide(plan->feed, r->error_ns, r->trust);
	if (r->feeding == PHC_SET) {
		r->step = PHC_SET_SET;
		ret = set_to_realtime(fd, r->utc.seconds);
		if (ret < 0)
			return ret;
		r->step = PHC_SET_VERIFY;
		ret = read_error(fd, r->utc.seconds, &r->left_ns);
		if (ret < 0)
			return ret;
		if (r->left_ns > PHC_FAR_NS || r->left_ns < -PHC_FAR_NS)
			return -EIO;
	}
	r->step = PHC_SET_DONE;
	return 0;
}

__attribute__((noreturn)) static void work(const struct phc_set_plan *plan, pid_t parent, int fd)
{
	struct phc_set_report r = {0};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	look_around(plan, &r);
	r.error = -feed(plan, &r);
	_exit(write(fd, &r, sizeof(r)) == (ssize_t)sizeof(r) ? 0 : 1);
}

static int await(int fd, int64_t deadline_ns, struct phc_set_report *out)
{
	struct phc_set_report r;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t left_ns;

	while ((left_ns = deadline_ns - nsec_now(CLOCK_MONOTONIC)) > 0) {
		int ready = poll(&p, 1, (int)(left_ns / NSEC_PER_MSEC) + 1);

		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready <= 0)
			continue;
		if (read(fd, &r, sizeof(r)) != (ssize_t)sizeof(r))
			return -EPROTO;
		*out = r;
		return 0;
	}
	return -ETIMEDOUT;
}

static void end_child(pid_t pid)
{
	int64_t deadline_ns = nsec_now(CLOCK_MONOTONIC) + REAP_NS;

	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, WNOHANG) == 0 && nsec_now(CLOCK_MONOTONIC) < deadline_ns)
		(void)poll(NULL, 0, 1);
}

int phc_set(const struct phc_set_plan *plan, struct phc_set_report *out)
{
	int64_t deadline_ns = nsec_now(CLOCK_MONOTONIC) + plan->timeout_ns;
	CLEANUP(close_fdp) int read_end = -1;
	CLEANUP(close_fdp) int write_end = -1;
	pid_t self = getpid();
	int fds[2];
	pid_t pid;
	int r;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	read_end = fds[0];
	write_end = fds[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		work(plan, self, write_end);
	close_fdp(&write_end);
	r = await(read_end, deadline_ns, out);
	end_child(pid);
	return r;
}

/* Telling */

static const char *const step_names[] = {
	[PHC_SET_OPEN] = "open",
	[PHC_SET_READ] = "read",
	[PHC_SET_SET] = "set",
	[PHC_SET_VERIFY] = "read back",
};

/* What helps against an errno; "" if that is not known. */
static const char *fix_of(enum phc_set_step step, int error)
{
	static const struct {
		int error;
		const char *fix;
	} fixes[] = {
		{EBUSY, ": it has virtual clocks, which go by it: write 0 to its n_vclocks in "
			"/sys/class/ptp"},
		{EPERM, ": run as root, or give the service the right to it"},
		{EACCES, ": give the service's user the right to write it (udev)"},
		{EROFS, ": give the service's user the right to write it (udev)"},
		{ENOENT, ": no such device: is its driver loaded?"},
		{ENODEV, ": the device is gone"},
		{EOPNOTSUPP, ": its driver cannot set it: say [phc2sys] feed = none"},
		{EIO, ": the device, or its driver, is at fault"},
	};

	for (size_t i = 0; i < sizeof(fixes) / sizeof(fixes[0]); i++)
		if (fixes[i].error == error)
			return fixes[i].fix;
	return step == PHC_SET_OPEN || error == EINVAL ? ": it is no PHC" : "";
}

static struct event tell_failure(const char *path, int result, const struct phc_set_report *r,
				 int64_t mono_ns)
{
	if (result == -ETIMEDOUT)
		return event_make(EVENT_PHC_NOT_SET, mono_ns, path,
				  "%s: not set: its driver did not answer in time; ptp4l serves "
				  "what it holds",
				  path);
	if (result < 0)
		return event_make(EVENT_PHC_NOT_SET, mono_ns, path, "%s: not set: %s", path,
				  strerror(-result));
	return event_make(EVENT_PHC_NOT_SET, mono_ns, path, "%s: not set: cannot %s it: %s%s", path,
			  step_names[r->step], strerror(r->error), fix_of(r->step, r->error));
}

struct event phc_set_event(const char *path, int result, const struct phc_set_report *r,
			   int64_t mono_ns)
{
	double off_s;

	if (result < 0 || r->step != PHC_SET_DONE)
		return tell_failure(path, result, r, mono_ns);
	off_s = (double)r->error_ns / 1e9;
	switch (r->feeding) {
	case PHC_SET:
		return event_make(EVENT_PHC_SET, mono_ns, path,
				  "%s: set by %+.6f s to CLOCK_REALTIME, which is %s, + %" PRId64
				  " s (TAI - UTC: %s)",
				  path, -off_s, realtime_trust_text(r->trust), r->utc.seconds,
				  utc_source_name(r->utc.source));
	case PHC_NO_REFERENCE:
		return event_make(EVENT_PHC_NOT_SET, mono_ns, path,
				  "%s: not set: CLOCK_REALTIME is %s: set that first", path,
				  realtime_trust_text(r->trust));
	case PHC_LEAVE:
	default:
		return event_make(EVENT_PHC_LEFT_ALONE, mono_ns, path,
				  "%s: left alone: %+.6f s from CLOCK_REALTIME + %" PRId64
				  " s (TAI - UTC: %s)",
				  path, off_s, r->utc.seconds, utc_source_name(r->utc.source));
	}
}
