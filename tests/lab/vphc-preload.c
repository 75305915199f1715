// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vphc.so: gives the programs it is preloaded into the hardware clocks of their board.
 *
 *     LD_PRELOAD=".../vphc.so .../vclock.so" VPHC_DIR=DIRECTORY VCLOCK_FILE=FILE PROGRAM
 *
 * An open of /dev/ptpN gives a descriptor of DIRECTORY/ptpN, and what programs do with it goes to
 * that clock: its ioctls, and clock_gettime, clock_settime and clock_adjtime on the clock behind
 * it. An interface that DIRECTORY links to a clock says through the ethtool ioctl that it has
 * hardware timestamps and which clock makes them, takes SIOCSHWTSTAMP, and the kernel's software
 * stamps of what it receives and sends become stamps of that clock: so a ptp4l with hardware
 * timestamps locks it. It must be named before vclock.so, whose clock is then the system's in
 * PTP_SYS_OFFSET. Without VPHC_DIR it changes nothing.
 *
 * What it cannot do: static programs and raw system calls; ethtool netlink, which programs are told
 * is not there; pins, external time stamps, and alarms;
 * /sys/class/ptp.
 */
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "ptpmon/base/nsec.h"
#include "tests/lab/vphc.h"

#define INTERPOSED __attribute__((visibility("default")))
#define DEVICE     "/dev/ptp"

enum {
	PHCS_MAX = 4,
	FDS_MAX = 1024,
	NLE_OBJ_NOTFOUND = 12,  /* of libnl */
	MAX_ADJ_PPB = 62499999, /* as an 82576 */
	FREQ_PER_PPM = 1 << 16, /* of struct timex */
};

#define HARDWARE                                                                                   \
	(SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE |                             \
	 SOF_TIMESTAMPING_RAW_HARDWARE)
#define SOFTWARE                                                                                   \
	(SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE)

static_assert(sizeof(long) == sizeof(int64_t), "struct timespec is copied out of control messages");

static const char *board; /* VPHC_DIR; NULL: the machine's own clocks */

/* By index. What a descriptor is of is told by its file. */
static struct known {
	struct vphc *phc;
	dev_t device;
	ino_t inode;
} phcs[PHCS_MAX];

/*
 * The clocks that stamp this program's packets. A socket gets that of the interface which was told
 * last to make hardware timestamps; one that is opened later may have the same number.
 */
static struct {
	const struct vphc *by_fd[FDS_MAX];
	const struct vphc *chosen;
	struct hwtstamp_config config;
} stamps;

static struct {
	int (*open)(const char *, int, ...);
	int (*open64)(const char *, int, ...);
	int (*ioctl)(int, unsigned long, ...);
	int (*gettime)(clockid_t, struct timespec *);
	int (*settime)(clockid_t, const struct timespec *);
	int (*adjtime)(clockid_t, struct timex *);
	int (*setsockopt)(int, int, int, const void *, socklen_t);
	ssize_t (*recvmsg)(int, struct msghdr *, int);
	int (*resolve)(void *, const char *);
	char *(*realpath)(const char *, char *);
} next;

static void learn(size_t index)
{
	char name[16];
	char path[PATH_MAX];
	struct stat st;

	(void)snprintf(name, sizeof(name), "ptp%zu", index);
	(void)snprintf(path, sizeof(path), "%s/%s", board, name);
	if (stat(path, &st) < 0 || vphc_open(&phcs[index].phc, board, name) < 0)
		return;
	phcs[index].device = st.st_dev;
	phcs[index].inode = st.st_ino;
}

/* Other libraries' constructors may come here before ours has run. */
static void find_next(void)
{
	if (next.open)
		return;
	*(void **)&next.open = dlsym(RTLD_NEXT, "open");
	*(void **)&next.open64 = dlsym(RTLD_NEXT, "open64");
	*(void **)&next.ioctl = dlsym(RTLD_NEXT, "ioctl");
	*(void **)&next.gettime = dlsym(RTLD_NEXT, "clock_gettime");
	*(void **)&next.settime = dlsym(RTLD_NEXT, "clock_settime");
	*(void **)&next.adjtime = dlsym(RTLD_NEXT, "clock_adjtime");
	*(void **)&next.setsockopt = dlsym(RTLD_NEXT, "setsockopt");
	*(void **)&next.recvmsg = dlsym(RTLD_NEXT, "recvmsg");
	*(void **)&next.resolve = dlsym(RTLD_NEXT, "genl_ctrl_resolve");
	*(void **)&next.realpath = dlsym(RTLD_NEXT, "realpath");
}

__attribute__((constructor)) static void attach(void)
{
	find_next();
	board = getenv("VPHC_DIR");
	for (size_t i = 0; board && i < PHCS_MAX; i++)
		learn(i);
}

static int fail(int error)
{
	errno = error;
	return -1;
}

static int64_t real_now_ns(void)
{
	struct timespec t;

	(void)syscall(SYS_clock_gettime, CLOCK_REALTIME, &t);
	return nsec_from_timespec(&t);
}

/* The board's own. */
static int64_t system_now_ns(void)
{
	struct timespec t;

	(void)next.gettime(CLOCK_REALTIME, &t);
	return nsec_from_timespec(&t);
}

static struct timespec timespec_of(int64_t ns)
{
	struct timespec t = {ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};

	if (t.tv_nsec < 0) {
		t.tv_sec--;
		t.tv_nsec += NSEC_PER_SEC;
	}
	return t;
}

static struct ptp_clock_time clock_time_of(int64_t ns)
{
	struct timespec t = timespec_of(ns);

	return (struct ptp_clock_time){.sec = t.tv_sec, .nsec = (uint32_t)t.tv_nsec};
}

static struct vphc *phc_of_fd(int fd)
{
	struct stat st;

	if (!board || fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	for (size_t i = 0; i < PHCS_MAX; i++)
		if (phcs[i].phc && phcs[i].device == st.st_dev && phcs[i].inode == st.st_ino)
			return phcs[i].phc;
	return NULL;
}

/* A clock behind a descriptor has a negative id (CLOCKFD is 3). */
static struct vphc *phc_of_clock(clockid_t clock, int *fd)
{
	if (clock >= 0 || (clock & 7) != 3)
		return NULL;
	*fd = ~(clock >> 3);
	return phc_of_fd(*fd);
}

static void take_long(int64_t ns)
{
	struct timespec t = timespec_of(ns);

	while (ns > 0 && nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

/* How the hardware is now: what it was told to answer, after what it was told to take. */
static int reach(const struct vphc *p)
{
	take_long(vphc_order(p, VPHC_SLOW_NS));
	return (int)vphc_order(p, VPHC_READ);
}

/* Half a window goes by. */
static void half_a_window(const struct vphc *p)
{
	int64_t until_ns = real_now_ns() + vphc_order(p, VPHC_WINDOW_NS) / 2;

	while (real_now_ns() < until_ns)
		;
}

static int64_t read_within_window(const struct vphc *p)
{
	int64_t ns;

	half_a_window(p);
	ns = vphc_time_ns(p, real_now_ns());
	half_a_window(p);
	return ns;
}

/* The device */

static int get_caps(const struct vphc *p, struct ptp_clock_caps *out)
{
	*out = (struct ptp_clock_caps){
		.max_adj = MAX_ADJ_PPB,
		.cross_timestamping = vphc_order(p, VPHC_PRECISE) == 0,
	};
	return 0;
}

static int sys_offset(const struct vphc *p, struct ptp_sys_offset *o)
{
	int error = (int)vphc_order(p, VPHC_PLAIN);
	struct ptp_clock_time *t = o->ts;

	if (o->n_samples > PTP_MAX_SAMPLES)
		error = EINVAL;
	for (unsigned i = 0; i < o->n_samples && !error; i++) {
		error = reach(p);
		*t++ = clock_time_of(system_now_ns());
		*t++ = clock_time_of(read_within_window(p));
	}
	*t = clock_time_of(system_now_ns());
	return error ? fail(error) : 0;
}

static int sys_offset_extended(const struct vphc *p, struct ptp_sys_offset_extended *o)
{
	int error = (int)vphc_order(p, VPHC_EXTENDED);

	if (o->n_samples > PTP_MAX_SAMPLES)
		error = EINVAL;
	for (unsigned i = 0; i < o->n_samples && !error; i++) {
		error = reach(p);
		o->ts[i][0] = clock_time_of(system_now_ns());
		o->ts[i][1] = clock_time_of(read_within_window(p));
		o->ts[i][2] = clock_time_of(system_now_ns());
	}
	return error ? fail(error) : 0;
}

/* Both at one instant: what lies between two readings of the machine's clock, in its middle. */
static int sys_offset_precise(const struct vphc *p, struct ptp_sys_offset_precise *o)
{
	int error = (int)vphc_order(p, VPHC_PRECISE);
	struct timespec raw;
	int64_t before_ns;
	int64_t system_ns;
	int64_t after_ns;

	if (!error)
		error = reach(p);
	if (error)
		return fail(error);
	before_ns = real_now_ns();
	system_ns = system_now_ns();
	after_ns = real_now_ns();
	(void)next.gettime(CLOCK_MONOTONIC_RAW, &raw);
	o->device = clock_time_of(vphc_time_ns(p, before_ns + (after_ns - before_ns) / 2));
	o->sys_realtime = clock_time_of(system_ns);
	o->sys_monoraw = clock_time_of(nsec_from_timespec(&raw));
	return 0;
}

static int phc_ioctl(const struct vphc *p, unsigned long request, void *argument)
{
	switch (request) {
	case PTP_CLOCK_GETCAPS:
	case PTP_CLOCK_GETCAPS2:
		return get_caps(p, argument);
	case PTP_SYS_OFFSET:
	case PTP_SYS_OFFSET2:
		return sys_offset(p, argument);
	case PTP_SYS_OFFSET_EXTENDED:
	case PTP_SYS_OFFSET_EXTENDED2:
		return sys_offset_extended(p, argument);
	case PTP_SYS_OFFSET_PRECISE:
	case PTP_SYS_OFFSET_PRECISE2:
		return sys_offset_precise(p, argument);
	default:
		return fail(ENOTTY);
	}
}

/* The index in "/dev/ptpN"; NULL: that is another file, or the machine's. */
static const char *index_in(const char *path)
{
	return board && strncmp(path, DEVICE, strlen(DEVICE)) == 0 ? path + strlen(DEVICE) : NULL;
}

static int open_next(bool large, const char *path, int flags, mode_t mode)
{
	const char *index = index_in(path);
	char in_board[PATH_MAX];

	find_next();
	if (index) {
		size_t i = (size_t)(*index - '0');

		if (i >= PHCS_MAX || index[1] != '\0' || !phcs[i].phc)
			return fail(ENOENT);
		if (vphc_order(phcs[i].phc, VPHC_OPEN))
			return fail((int)vphc_order(phcs[i].phc, VPHC_OPEN));
		(void)snprintf(in_board, sizeof(in_board), "%s/ptp%s", board, index);
		path = in_board;
	}
	return large ? next.open64(path, flags, mode) : next.open(path, flags, mode);
}

#define MODE_OF(flags, mode)                                                                       \
	do {                                                                                       \
		va_list ap_;                                                                       \
		va_start(ap_, flags);                                                              \
		if ((flags) & (O_CREAT | O_TMPFILE))                                               \
			(mode) = va_arg(ap_, mode_t);                                              \
		va_end(ap_);                                                                       \
	} while (0)

INTERPOSED int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_OF(flags, mode);
	return open_next(false, path, flags, mode);
}

INTERPOSED int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_OF(flags, mode);
	return open_next(true, path, flags, mode);
}

/* linuxptp 4 wants to know what /dev/ptpN is a link to. */
INTERPOSED char *realpath(const char *restrict path, char *restrict resolved)
{
	find_next();
	if (!index_in(path))
		return next.realpath(path, resolved);
	return resolved ? strcpy(resolved, path) : strdup(path);
}

/* What a fortified program calls instead. */
char *checked_realpath(const char *path, char *resolved, size_t size) __asm__("__realpath_chk");
INTERPOSED char *checked_realpath(const char *path, char *resolved, size_t size)
{
	return realpath(path, resolved);
}

/* The clock behind a descriptor */

INTERPOSED int clock_gettime(clockid_t clock, struct timespec *out)
{
	int fd;
	const struct vphc *p = phc_of_clock(clock, &fd);
	int error;

	if (!p)
		return next.gettime ? next.gettime(clock, out)
				    : (int)syscall(SYS_clock_gettime, clock, out);
	error = reach(p);
	if (error)
		return fail(error);
	*out = timespec_of(vphc_time_ns(p, real_now_ns()));
	return 0;
}

static bool is_for_reading_only(int fd)
{
	return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

INTERPOSED int clock_settime(clockid_t clock, const struct timespec *to)
{
	int fd;
	const struct vphc *p = phc_of_clock(clock, &fd);
	struct vclock_state s;
	int error;

	if (!p)
		return next.settime(clock, to);
	error = is_for_reading_only(fd) ? EACCES : reach(p);
	if (!error)
		error = (int)vphc_order(p, VPHC_SET);
	if (!error)
		error = -vclock_begin(vphc_clock(p), &s);
	if (error)
		return fail(error);
	s.real0_ns = real_now_ns();
	s.virt0_ns = nsec_from_timespec(to);
	s.steps++;
	vclock_commit(vphc_clock(p), &s);
	return 0;
}

static int adjust(struct vclock_state *s, const struct timex *x)
{
	if (x->modes & ADJ_SETOFFSET) {
		s->virt0_ns += x->time.tv_sec * NSEC_PER_SEC;
		s->virt0_ns += x->time.tv_usec * (x->modes & ADJ_NANO ? 1 : NSEC_PER_USEC);
		s->steps++;
	} else if (x->modes & ADJ_FREQUENCY) {
		if (llabs(x->freq) / FREQ_PER_PPM > MAX_ADJ_PPB / 1000)
			return ERANGE;
		s->freq = x->freq;
	} else if (x->modes) {
		return EOPNOTSUPP;
	}
	return 0;
}

INTERPOSED int clock_adjtime(clockid_t clock, struct timex *x)
{
	int fd;
	const struct vphc *p = phc_of_clock(clock, &fd);
	struct vclock_state s;
	struct vclock_state changed;
	int error;

	if (!p)
		return next.adjtime(clock, x);
	error = is_for_reading_only(fd) ? EACCES : reach(p);
	if (!error)
		error = -vclock_begin(vphc_clock(p), &s);
	if (error)
		return fail(error);
	changed = s;
	vclock_anchor(&changed, real_now_ns());
	error = adjust(&changed, x);
	vclock_commit(vphc_clock(p), error ? &s : &changed);
	if (error)
		return fail(error);
	x->freq = changed.freq;
	return 0;
}

/* The interface */

/* The clock that the board links an interface to, and its index. */
static const struct vphc *phc_of_interface(const char *interface, int *index)
{
	char path[PATH_MAX];
	char target[16];
	ssize_t n;

	if (!board)
		return NULL;
	(void)snprintf(path, sizeof(path), "%s/%.*s", board, IFNAMSIZ, interface);
	n = readlink(path, target, sizeof(target) - 1);
	if (n != 4 || strncmp(target, "ptp", 3) != 0)
		return NULL;
	*index = target[3] - '0';
	return *index >= 0 && *index < PHCS_MAX ? phcs[*index].phc : NULL;
}

static int get_ts_info(struct ethtool_ts_info *out, int index)
{
	*out = (struct ethtool_ts_info){
		.cmd = ETHTOOL_GET_TS_INFO,
		.so_timestamping = HARDWARE | SOFTWARE,
		.phc_index = index,
		.tx_types = 1 << HWTSTAMP_TX_OFF | 1 << HWTSTAMP_TX_ON,
		.rx_filters = 1 << HWTSTAMP_FILTER_NONE | 1 << HWTSTAMP_FILTER_ALL |
			      1 << HWTSTAMP_FILTER_PTP_V2_EVENT |
			      1 << HWTSTAMP_FILTER_PTP_V2_L2_EVENT |
			      1 << HWTSTAMP_FILTER_PTP_V2_L4_EVENT,
	};
	return 0;
}

/* 1: not ours to answer. */
static int interface_ioctl(unsigned long request, struct ifreq *r)
{
	int index;
	const struct vphc *p = phc_of_interface(r->ifr_name, &index);

	if (!p)
		return 1;
	switch (request) {
	case SIOCETHTOOL:
		if (*(const uint32_t *)(const void *)r->ifr_data != ETHTOOL_GET_TS_INFO)
			return 1;
		return get_ts_info((struct ethtool_ts_info *)(void *)r->ifr_data, index);
	case SIOCSHWTSTAMP:
		memcpy(&stamps.config, r->ifr_data, sizeof(stamps.config));
		stamps.chosen = p;
		return 0;
	case SIOCGHWTSTAMP:
		memcpy(r->ifr_data, &stamps.config, sizeof(stamps.config));
		return 0;
	default:
		return 1;
	}
}

static bool is_of_interface(unsigned long request)
{
	return request == SIOCETHTOOL || request == SIOCSHWTSTAMP || request == SIOCGHWTSTAMP;
}

INTERPOSED int ioctl(int fd, unsigned long request, ...)
{
	const struct vphc *p = phc_of_fd(fd);
	void *argument;
	va_list ap;
	int r = 1;

	find_next();
	va_start(ap, request);
	argument = va_arg(ap, void *);
	va_end(ap);
	if (p)
		return phc_ioctl(p, request, argument);
	if (board && is_of_interface(request))
		r = interface_ioctl(request, argument);
	return r == 1 ? next.ioctl(fd, request, argument) : r;
}

/* Who asks by ethtool netlink would hear of the interface that is really there. */
INTERPOSED int genl_ctrl_resolve(void *socket, const char *name);
INTERPOSED int genl_ctrl_resolve(void *socket, const char *name)
{
	if (board && strcmp(name, "ethtool") == 0)
		return -NLE_OBJ_NOTFOUND;
	return next.resolve(socket, name);
}

/* Timestamps: asked of the kernel as software's, and handed on as the clock's. */

INTERPOSED int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	int flags;

	if (!stamps.chosen || level != SOL_SOCKET || name != SO_TIMESTAMPING || len < sizeof(flags))
		return next.setsockopt(fd, level, name, value, len);
	memcpy(&flags, value, sizeof(flags));
	if (!(flags & HARDWARE))
		return next.setsockopt(fd, level, name, value, len);
	if (fd < 0 || fd >= FDS_MAX)
		return fail(EBADF);
	stamps.by_fd[fd] = stamps.chosen;
	flags = (flags & ~(HARDWARE | SOF_TIMESTAMPING_BIND_PHC)) | SOFTWARE;
	return next.setsockopt(fd, level, name, &flags, sizeof(flags));
}

/* The first of three is the kernel's own, the last the hardware's. */
static void turn_stamp(const struct vphc *phc, unsigned char *p)
{
	struct timespec t[3];

	memcpy(t, p, sizeof(t));
	if (t[0].tv_sec == 0 && t[0].tv_nsec == 0)
		return;
	t[2] = timespec_of(vphc_time_ns(phc, nsec_from_timespec(&t[0])));
	t[0] = (struct timespec){0};
	memcpy(p, t, sizeof(t));
}

INTERPOSED ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	const struct vphc *phc = fd >= 0 && fd < FDS_MAX ? stamps.by_fd[fd] : NULL;
	ssize_t n;

	if (!phc)
		return next.recvmsg(fd, m, flags);
	n = syscall(SYS_recvmsg, fd, m, flags); /* not as vclock.so would move the stamp */
	for (struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING &&
		    c->cmsg_len >= CMSG_LEN(3 * sizeof(struct timespec)))
			turn_stamp(phc, CMSG_DATA(c));
	return n;
}
