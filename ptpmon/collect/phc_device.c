/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/phc_device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ptp_clock.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include "ptpmon/base/nsec.h"

#define FROZEN_LEAST_NS NSEC_PER_USEC /* the coarsest PHCs tick every 40 ns or so */

static int64_t ns_of(const struct ptp_clock_time *t)
{
	return t->sec * NSEC_PER_SEC + t->nsec;
}

/* One of several: the PHC between two readings of the system's clock. */
struct bracket {
	int64_t before_ns, phc_ns, after_ns;
};

/* The quickest, and whether the PHC moved from the first to the last. */
static void choose(const struct bracket *brackets, unsigned n, struct phc_reading *out)
{
	const struct bracket *best = &brackets[0];
	const struct bracket *last = &brackets[n - 1];

	for (unsigned i = 1; i < n; i++)
		if (brackets[i].after_ns - brackets[i].before_ns < best->after_ns - best->before_ns)
			best = &brackets[i];
	out->delay_ns = best->after_ns - best->before_ns;
	out->system_ns = best->before_ns + out->delay_ns / 2;
	out->phc_ns = best->phc_ns;
	out->frozen = last->phc_ns == brackets[0].phc_ns &&
		      last->before_ns - brackets[0].after_ns >= FROZEN_LEAST_NS;
}

static int read_precise(int fd, unsigned n, struct phc_reading *out)
{
	struct ptp_sys_offset_precise o = {0};

	if (ioctl(fd, PTP_SYS_OFFSET_PRECISE, &o) < 0)
		return -errno;
	out->phc_ns = ns_of(&o.device);
	out->system_ns = ns_of(&o.sys_realtime);
	out->delay_ns = 0;
	out->frozen = false;
	return 0;
}

static int read_extended(int fd, unsigned n, struct phc_reading *out)
{
	struct ptp_sys_offset_extended o = {.n_samples = n};
	struct bracket brackets[PTP_MAX_SAMPLES];

	if (ioctl(fd, PTP_SYS_OFFSET_EXTENDED, &o) < 0)
		return -errno;
	for (unsigned i = 0; i < n; i++)
		brackets[i] = (struct bracket){ns_of(&o.ts[i][0]), ns_of(&o.ts[i][1]),
					       ns_of(&o.ts[i][2])};
	choose(brackets, n, out);
	return 0;
}

static int read_plain(int fd, unsigned n, struct phc_reading *out)
{
	struct ptp_sys_offset o = {.n_samples = n};
	struct bracket brackets[PTP_MAX_SAMPLES];
	const struct ptp_clock_time *t = o.ts;

	if (ioctl(fd, PTP_SYS_OFFSET, &o) < 0)
		return -errno;
	for (unsigned i = 0; i < n; i++, t += 2) /* the time after is the time before the next */
		brackets[i] = (struct bracket){ns_of(&t[0]), ns_of(&t[1]), ns_of(&t[2])};
	choose(brackets, n, out);
	return 0;
}

static const struct {
	const char *name;
	int (*read)(int fd, unsigned n, struct phc_reading *out);
} methods[PHC_METHOD_MAX] = {
	[PHC_METHOD_PRECISE] = {"PTP_SYS_OFFSET_PRECISE", read_precise},
	[PHC_METHOD_EXTENDED] = {"PTP_SYS_OFFSET_EXTENDED", read_extended},
	[PHC_METHOD_PLAIN] = {"PTP_SYS_OFFSET", read_plain},
};

const char *phc_method_name(enum phc_method method)
{
	return methods[method].name;
}

int phc_device_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static bool is_missing(int r)
{
	return r == -EOPNOTSUPP || r == -ENOTTY || r == -EINVAL || r == -ENOSYS;
}

static int64_t within(int64_t ns, int64_t from_ns, int64_t to_ns)
{
	return ns < from_ns ? from_ns : ns > to_ns ? to_ns : ns;
}

int phc_device_read(int fd, unsigned n, enum phc_method *method, struct phc_reading *out)
{
	struct phc_reading reading = {0};
	int r = -EOPNOTSUPP;

	for (enum phc_method m = *method; m < PHC_METHOD_MAX && is_missing(r); m++) {
		int64_t from_ns = nsec_now(CLOCK_MONOTONIC);
		int64_t since_ns;
		int64_t to_ns;

		r = methods[m].read(fd, n, &reading);
		since_ns = nsec_now(CLOCK_REALTIME) - reading.system_ns;
		to_ns = nsec_now(CLOCK_MONOTONIC);
		if (r < 0)
			continue;
		reading.method = *method = m;
		reading.took_ns = to_ns - from_ns;
		reading.mono_ns = within(to_ns - since_ns, from_ns, to_ns);
		*out = reading;
	}
	return is_missing(r) ? -EOPNOTSUPP : r;
}
