// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lab/vclock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"

#define WORDS        (sizeof(struct vclock_state) / sizeof(int64_t))
#define NOMINAL_TICK 10000
#define TICK_PPB     100000.0
#define FREQ_PPB     (1000.0 / 65536.0)

enum { MAXERROR_LIMIT_US = 16000000 }; /* NTP_PHASE_LIMIT of the kernel */

static const uint64_t vclock_magic = 0x70746d2d636c6b31;

union words {
	struct vclock_state state;
	int64_t word[WORDS];
};

/*
 * What is in the file. The copy that counts is copy[turn & 1]; a writer fills the other one and
 * then advances turn. A reader whose copy could have been overwritten sees that turn has moved.
 * All of these accesses are sequentially consistent, which is what that argument rests on.
 */
struct vclock_file {
	_Atomic uint64_t magic; /* stored last by the creator */
	_Atomic uint64_t turn;
	_Atomic int64_t copy[2][WORDS];
	pthread_mutex_t writer; /* robust: a killed writer leaves the valid copy as it was */
};

static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "atomics must work between processes");

struct vclock {
	struct vclock_file *file;
	bool writable;
};

DEFINE_FREEP(struct vclock, vclock_close)

static int map_file(struct vclock_file **out, int fd, int protection)
{
	void *map = mmap(NULL, sizeof(**out), protection, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	*out = map;
	return 0;
}

static void publish(struct vclock_file *f, const struct vclock_state *state)
{
	union words w = {.state = *state};
	uint64_t next = atomic_load(&f->turn) + 1;

	for (size_t i = 0; i < WORDS; i++)
		atomic_store(&f->copy[next & 1][i], w.word[i]);
	atomic_store(&f->turn, next);
}

static int init_mutex(pthread_mutex_t *m)
{
	pthread_mutexattr_t attr;
	int r = pthread_mutexattr_init(&attr);

	if (r != 0)
		return -r;
	(void)pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	(void)pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	r = pthread_mutex_init(m, &attr);
	(void)pthread_mutexattr_destroy(&attr);
	return -r;
}

int vclock_create(const char *path, int64_t offset_ns, int64_t drift_ppb, int64_t real_ns)
{
	const struct vclock_state first = {
		.real0_ns = real_ns,
		.virt0_ns = real_ns + offset_ns,
		.drift_ppb = drift_ppb,
		.tick_us = NOMINAL_TICK,
		.status = STA_UNSYNC,
		.maxerror_us = MAXERROR_LIMIT_US,
	};
	CLEANUP(close_fdp) int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	struct vclock_file *f = NULL;
	int r;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, sizeof(*f)) < 0)
		return -errno;
	r = map_file(&f, fd, PROT_READ | PROT_WRITE);
	if (r < 0)
		return r;
	r = init_mutex(&f->writer);
	if (r == 0) {
		publish(f, &first);
		atomic_store(&f->magic, vclock_magic);
	}
	(void)munmap(f, sizeof(*f));
	return r;
}

int vclock_open(struct vclock **out, const char *path)
{
	CLEANUP(vclock_closep) struct vclock *c = calloc(1, sizeof(*c));
	CLEANUP(close_fdp) int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	int r;

	if (!c)
		return -ENOMEM;
	c->writable = fd >= 0;
	if (fd < 0 && (errno == EACCES || errno == EROFS))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size != (off_t)sizeof(*c->file))
		return -EBADMSG;
	r = map_file(&c->file, fd, c->writable ? PROT_READ | PROT_WRITE : PROT_READ);
	if (r < 0)
		return r;
	if (atomic_load(&c->file->magic) != vclock_magic)
		return -EBADMSG;
	*out = steal(&c);
	return 0;
}

struct vclock *vclock_close(struct vclock *c)
{
	if (c && c->file)
		(void)munmap(c->file, sizeof(*c->file));
	free(c);
	return NULL;
}

void vclock_read(const struct vclock *c, struct vclock_state *out)
{
	union words w;
	uint64_t turn;

	do {
		turn = atomic_load(&c->file->turn);
		for (size_t i = 0; i < WORDS; i++)
			w.word[i] = atomic_load(&c->file->copy[turn & 1][i]);
	} while (atomic_load(&c->file->turn) != turn);
	*out = w.state;
}

int vclock_begin(struct vclock *c, struct vclock_state *state)
{
	struct timespec deadline;
	int r;

	if (!c->writable)
		return -EACCES;
	(void)clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec++;
	r = pthread_mutex_clocklock(&c->file->writer, CLOCK_MONOTONIC, &deadline);
	if (r == EOWNERDEAD)
		r = pthread_mutex_consistent(&c->file->writer);
	if (r != 0)
		return -r;
	vclock_read(c, state);
	return 0;
}

void vclock_commit(struct vclock *c, const struct vclock_state *state)
{
	publish(c->file, state);
	(void)pthread_mutex_unlock(&c->file->writer);
}

double vclock_freq_ppb(const struct vclock_state *s)
{
	return (double)s->freq * FREQ_PPB + (double)(s->tick_us - NOMINAL_TICK) * TICK_PPB;
}

int64_t vclock_time_ns(const struct vclock_state *s, int64_t real_ns)
{
	int64_t elapsed_ns = real_ns - s->real0_ns;
	double faster_ppb = (double)s->drift_ppb + vclock_freq_ppb(s);

	return s->virt0_ns + elapsed_ns + llrint((double)elapsed_ns * faster_ppb * 1e-9);
}

int64_t vclock_status(const struct vclock_state *s)
{
	return s->status | (s->maxerror_us >= MAXERROR_LIMIT_US ? STA_UNSYNC : 0);
}

void vclock_anchor(struct vclock_state *s, int64_t real_ns)
{
	s->virt0_ns = vclock_time_ns(s, real_ns);
	s->real0_ns = real_ns;
}
