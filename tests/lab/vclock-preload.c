// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vclock.so: gives the programs it is preloaded into the private clock of their board.
 *
 *     LD_PRELOAD=.../vclock.so VCLOCK_FILE=FILE PROGRAM
 *
 * Every way by which ptp4l, phc2sys and ptpmon read, set or slew CLOCK_REALTIME (and CLOCK_TAI,
 * which follows it) goes to the clock in FILE, and the kernel's software timestamps of received and
 * sent packets are moved to where that clock stood. So the control loop is real and closed, while
 * nothing reaches the machine's clock. Without VCLOCK_FILE it changes nothing; with a FILE that
 * is not a clock the program ends at once, before it could touch the real one.
 *
 * What it cannot do: programs that are static or make raw system calls; waits until a time of
 * CLOCK_REALTIME (clock_nanosleep, pthread_cond_timedwait, timerfd), which go by the machine's
 * clock; and a timerfd with TFD_TIMER_CANCEL_ON_SET, which the kernel cancels only when the
 * machine's own clock is set, so a step of a private clock must be found by comparing
 * CLOCK_REALTIME with CLOCK_MONOTONIC; PTP_SYS_OFFSET ioctls, whose system times are the
 * machine's; inode times.
 */
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "ptpmon/base/nsec.h"
#include "tests/lab/vclock.h"

#define INTERPOSED __attribute__((visibility("default")))

/* The frequency and tick that the kernel takes: +-500 ppm and +-10 %. */
enum { FREQ_MAX = 500 << 16, TICK_MIN = 9000, TICK_MAX = 11000 };

static_assert(sizeof(long) == sizeof(int64_t), "struct timespec is copied out of control messages");

static struct vclock *board_clock; /* NULL: the machine's own */

static struct {
	int (*gettime)(clockid_t, struct timespec *);
	int (*settime)(clockid_t, const struct timespec *);
	int (*adjtime)(clockid_t, struct timex *);
	ssize_t (*recvmsg)(int, struct msghdr *, int);
	int (*recvmmsg)(int, struct mmsghdr *, unsigned int, int, struct timespec *);
} next;

__attribute__((constructor)) static void attach(void)
{
	const char *path = getenv("VCLOCK_FILE");
	int r;

	*(void **)&next.gettime = dlsym(RTLD_NEXT, "clock_gettime");
	*(void **)&next.settime = dlsym(RTLD_NEXT, "clock_settime");
	*(void **)&next.adjtime = dlsym(RTLD_NEXT, "clock_adjtime");
	*(void **)&next.recvmsg = dlsym(RTLD_NEXT, "recvmsg");
	*(void **)&next.recvmmsg = dlsym(RTLD_NEXT, "recvmmsg");
	if (!path)
		return;
	r = vclock_open(&board_clock, path);
	if (r < 0) {
		(void)fprintf(stderr, "vclock: %s: %s\n", path, strerror(-r));
		_exit(127);
	}
}

/* Other libraries' constructors may come here before attach() did. */
static int next_gettime(clockid_t clock, struct timespec *out)
{
	return next.gettime ? next.gettime(clock, out)
			    : (int)syscall(SYS_clock_gettime, clock, out);
}

static int64_t real_now_ns(void)
{
	struct timespec t;

	(void)next_gettime(CLOCK_REALTIME, &t);
	return nsec_from_timespec(&t);
}

static int fail(int r)
{
	errno = -r;
	return -1;
}

static void board_time(struct timespec *out, int64_t real_ns, bool tai)
{
	struct vclock_state s;
	int64_t ns;

	vclock_read(board_clock, &s);
	ns = vclock_time_ns(&s, real_ns) + (tai ? s.tai_s * NSEC_PER_SEC : 0);
	out->tv_sec = ns / NSEC_PER_SEC;
	out->tv_nsec = ns % NSEC_PER_SEC;
	if (out->tv_nsec < 0) {
		out->tv_sec--;
		out->tv_nsec += NSEC_PER_SEC;
	}
}

INTERPOSED int clock_gettime(clockid_t clock, struct timespec *out)
{
	if (!board_clock ||
	    (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE && clock != CLOCK_TAI))
		return next_gettime(clock, out);
	board_time(out, real_now_ns(), clock == CLOCK_TAI);
	return 0;
}

INTERPOSED int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	struct timespec t;

	if (zone)
		*(struct timezone *)zone = (struct timezone){0};
	(void)clock_gettime(CLOCK_REALTIME, &t);
	out->tv_sec = t.tv_sec;
	out->tv_usec = t.tv_nsec / NSEC_PER_USEC;
	return 0;
}

INTERPOSED time_t time(time_t *out)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}

INTERPOSED int clock_settime(clockid_t clock, const struct timespec *to)
{
	struct vclock_state s;
	int r;

	if (!board_clock || clock != CLOCK_REALTIME)
		return next.settime(clock, to);
	if (to->tv_nsec < 0 || to->tv_nsec >= NSEC_PER_SEC)
		return fail(-EINVAL);
	r = vclock_begin(board_clock, &s);
	if (r < 0)
		return fail(r);
	s.real0_ns = real_now_ns();
	s.virt0_ns = nsec_from_timespec(to);
	s.steps++;
	vclock_commit(board_clock, &s);
	return 0;
}

INTERPOSED int settimeofday(const struct timeval *to, const struct timezone *zone)
{
	struct timespec t;

	if (!to || zone)
		return fail(-EINVAL);
	t = (struct timespec){to->tv_sec, to->tv_usec * NSEC_PER_USEC};
	return clock_settime(CLOCK_REALTIME, &t);
}

static int64_t clamp(int64_t v, int64_t min, int64_t max)
{
	return v < min ? min : v > max ? max : v;
}

/* The modes in x applied to *s, whose point is now. ADJ_OFFSET, which no program here uses, is
 * refused. */
static int adjust(struct vclock_state *s, const struct timex *x)
{
	const unsigned int known = ADJ_FREQUENCY | ADJ_TICK | ADJ_SETOFFSET | ADJ_STATUS | ADJ_TAI |
				   ADJ_NANO | ADJ_MICRO | ADJ_MAXERROR | ADJ_ESTERROR;

	if (x->modes & ~known)
		return -EINVAL;
	if (x->modes & ADJ_TICK && (x->tick < TICK_MIN || x->tick > TICK_MAX))
		return -EINVAL;
	if (x->modes & ADJ_FREQUENCY)
		s->freq = clamp(x->freq, -FREQ_MAX, FREQ_MAX);
	if (x->modes & ADJ_TICK)
		s->tick_us = x->tick;
	if (x->modes & ADJ_STATUS)
		s->status = x->status;
	if (x->modes & ADJ_MAXERROR)
		s->maxerror_us = x->maxerror;
	if (x->modes & ADJ_TAI)
		s->tai_s = x->constant;
	if (x->modes & ADJ_SETOFFSET) {
		s->virt0_ns += x->time.tv_sec * NSEC_PER_SEC;
		s->virt0_ns += x->time.tv_usec * (x->modes & ADJ_NANO ? 1 : NSEC_PER_USEC);
		s->steps++;
	}
	return 0;
}

static void describe(const struct vclock_state *s, struct timex *x)
{
	x->freq = s->freq;
	x->tick = s->tick_us;
	x->status = (int)vclock_status(s) | STA_NANO;
	x->maxerror = s->maxerror_us;
	x->tai = (int)s->tai_s;
	x->tolerance = FREQ_MAX;
	x->time.tv_sec = s->virt0_ns / NSEC_PER_SEC;
	x->time.tv_usec = s->virt0_ns % NSEC_PER_SEC;
}

INTERPOSED int clock_adjtime(clockid_t clock, struct timex *x)
{
	struct vclock_state s;
	int r;

	if (!board_clock || clock != CLOCK_REALTIME)
		return next.adjtime(clock, x);
	if (x->modes == 0) {
		vclock_read(board_clock, &s);
		vclock_anchor(&s, real_now_ns());
	} else {
		struct vclock_state changed;

		r = vclock_begin(board_clock, &s);
		if (r < 0)
			return fail(r);
		changed = s;
		vclock_anchor(&changed, real_now_ns());
		r = adjust(&changed, x);
		if (r == 0)
			s = changed;
		vclock_commit(board_clock, &s);
		if (r < 0)
			return fail(r);
	}
	describe(&s, x);
	return x->status & STA_UNSYNC ? TIME_ERROR : TIME_OK;
}

INTERPOSED int adjtimex(struct timex *x)
{
	return clock_adjtime(CLOCK_REALTIME, x);
}

INTERPOSED int ntp_adjtime(struct timex *x)
{
	return clock_adjtime(CLOCK_REALTIME, x);
}

/* A stamp of the kernel at p, in the fraction's unit: microseconds for SO_TIMESTAMP, else ns. */
static void move_stamp(unsigned char *p, int64_t unit_ns)
{
	struct timespec t;

	memcpy(&t, p, sizeof(t));
	if (t.tv_sec == 0 && t.tv_nsec == 0)
		return;
	board_time(&t, t.tv_sec * NSEC_PER_SEC + t.tv_nsec * unit_ns, false);
	t.tv_nsec /= unit_ns;
	memcpy(p, &t, sizeof(t));
}

static void move_stamps(struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_len < CMSG_LEN(sizeof(struct timespec)))
			continue;
		if (c->cmsg_type == SCM_TIMESTAMPING || c->cmsg_type == SCM_TIMESTAMPNS)
			move_stamp(CMSG_DATA(c), 1); /* the first of three is the software's */
		else if (c->cmsg_type == SCM_TIMESTAMP)
			move_stamp(CMSG_DATA(c), NSEC_PER_USEC);
	}
}

INTERPOSED ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	ssize_t n = next.recvmsg(fd, m, flags);

	if (board_clock && n >= 0)
		move_stamps(m);
	return n;
}

INTERPOSED int recvmmsg(int fd, struct mmsghdr *m, unsigned int len, int flags,
			struct timespec *timeout)
{
	int n = next.recvmmsg(fd, m, len, flags, timeout);

	for (int i = 0; board_clock && i < n; i++)
		move_stamps(&m[i].msg_hdr);
	return n;
}
