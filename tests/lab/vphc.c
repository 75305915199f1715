// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lab/vphc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"

enum { USUAL_WINDOW_NS = 2000 };

static const uint64_t vphc_magic = 0x70746d2d70686331;

struct vphc_file {
	_Atomic uint64_t magic; /* stored last by the creator */
	_Atomic int64_t orders[VPHC_ORDER_MAX];
};

struct vphc {
	struct vphc_file *file;
	bool writable;
	struct vclock *clock;
};

DEFINE_FREEP(struct vphc, vphc_close)

static void name_files(const char *directory, const char *name, char orders[static PATH_MAX],
		       char clock[static PATH_MAX])
{
	(void)snprintf(orders, PATH_MAX, "%s/%s", directory, name);
	(void)snprintf(clock, PATH_MAX, "%s/%s.clock", directory, name);
}

static int map_file(struct vphc_file **out, int fd, int protection)
{
	void *map = mmap(NULL, sizeof(**out), protection, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	*out = map;
	return 0;
}

int vphc_create(const char *directory, const char *name, int64_t offset_ns, int64_t drift_ppb,
		int64_t real_ns)
{
	CLEANUP(close_fdp) int fd = -1;
	char orders[PATH_MAX];
	char clock[PATH_MAX];
	struct vphc_file *f = NULL;
	int r;

	name_files(directory, name, orders, clock);
	fd = open(orders, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 || ftruncate(fd, sizeof(*f)) < 0)
		return -errno;
	r = vclock_create(clock, offset_ns, drift_ppb, real_ns);
	if (r == 0)
		r = map_file(&f, fd, PROT_READ | PROT_WRITE);
	if (r < 0)
		return r;
	atomic_store(&f->orders[VPHC_PRECISE], EOPNOTSUPP);
	atomic_store(&f->orders[VPHC_WINDOW_NS], USUAL_WINDOW_NS);
	atomic_store(&f->magic, vphc_magic);
	(void)munmap(f, sizeof(*f));
	return 0;
}

int vphc_open(struct vphc **out, const char *directory, const char *name)
{
	CLEANUP(vphc_closep) struct vphc *p = calloc(1, sizeof(*p));
	CLEANUP(close_fdp) int fd = -1;
	char orders[PATH_MAX];
	char clock[PATH_MAX];
	struct stat st;
	int r;

	if (!p)
		return -ENOMEM;
	name_files(directory, name, orders, clock);
	fd = open(orders, O_RDWR | O_CLOEXEC);
	p->writable = fd >= 0;
	if (fd < 0 && (errno == EACCES || errno == EROFS))
		fd = open(orders, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size != (off_t)sizeof(*p->file))
		return -EBADMSG;
	r = map_file(&p->file, fd, p->writable ? PROT_READ | PROT_WRITE : PROT_READ);
	if (r < 0)
		return r;
	if (atomic_load(&p->file->magic) != vphc_magic)
		return -EBADMSG;
	r = vclock_open(&p->clock, clock);
	if (r < 0)
		return r;
	*out = steal(&p);
	return 0;
}

struct vphc *vphc_close(struct vphc *p)
{
	if (!p)
		return NULL;
	if (p->file)
		(void)munmap(p->file, sizeof(*p->file));
	vclock_close(p->clock);
	free(p);
	return NULL;
}

struct vclock *vphc_clock(const struct vphc *p)
{
	return p->clock;
}

int64_t vphc_order(const struct vphc *p, enum vphc_order order)
{
	return atomic_load(&p->file->orders[order]);
}

int vphc_tell(struct vphc *p, enum vphc_order order, int64_t value)
{
	if (!p->writable)
		return -EACCES;
	atomic_store(&p->file->orders[order], value);
	return 0;
}

int64_t vphc_time_ns(const struct vphc *p, int64_t real_ns)
{
	struct vclock_state s;

	if (vphc_order(p, VPHC_STUCK))
		return vphc_order(p, VPHC_STUCK_NS);
	vclock_read(p->clock, &s);
	return vclock_time_ns(&s, real_ns);
}
