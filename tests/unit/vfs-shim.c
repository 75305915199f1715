/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vfs-shim.h"

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 8, SECTOR = 512, ROOM = 1 << 20 };

struct change { /* not synced yet */
	struct change *next;
	sqlite3_int64 offset;
	int len; /* -1: a truncation to offset */
	uint8_t bytes[];
};

struct known { /* of one name, whoever has it open */
	char name[32];
	uint8_t *durable;
	size_t len;
	struct change *first, **last;
};

struct shim_file {
	sqlite3_file base;
	struct known *known; /* NULL: not one of those that matter */
	sqlite3_file *real;
};

static struct {
	sqlite3_vfs vfs;
	sqlite3_vfs *real;
	pthread_mutex_t mutex;
	struct known files[FILES_MAX];
	size_t n_files;
	int failure;
	bool lying;
	void (*before)(void *userdata);
	void *userdata;
} shim = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static sqlite3_file *real_of(sqlite3_file *file)
{
	return ((struct shim_file *)file)->real;
}

/* A new database appears under its name only when it is whole: ".new" is not told apart. */
static struct known *know(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	char name[32];
	char *new;

	if (!slash || strncmp(slash + 1, "ptpmon.db", 9) != 0 || strstr(slash, "-journal"))
		return NULL;
	(void)snprintf(name, sizeof(name), "%s", slash + 1);
	new = strstr(name, ".new");
	if (new)
		memmove(new, new + 4, strlen(new + 4) + 1);
	for (size_t i = 0; i < shim.n_files; i++)
		if (strcmp(shim.files[i].name, name) == 0)
			return &shim.files[i];
	assert(shim.n_files < FILES_MAX);
	shim.files[shim.n_files].last = &shim.files[shim.n_files].first;
	(void)strcpy(shim.files[shim.n_files].name, name);
	return &shim.files[shim.n_files++];
}

static size_t room_for(size_t len)
{
	return (len / ROOM + 1) * ROOM;
}

/* There is always room_for(*len). */
static void extend(uint8_t **bytes, size_t *len, size_t to)
{
	if (to <= *len)
		return;
	if (room_for(to) > room_for(*len) || !*bytes)
		*bytes = realloc(*bytes, room_for(to));
	assert(*bytes);
	memset(*bytes + *len, 0, to - *len);
	*len = to;
}

/* The change, or those of its sectors that the bits of chance pick. */
static void apply(const struct change *c, uint8_t **bytes, size_t *len, unsigned *chance)
{
	if (c->len < 0) {
		if ((size_t)c->offset < *len && (!chance || rand_r(chance) % 2))
			*len = (size_t)c->offset;
		return;
	}
	for (int at = 0; at < c->len; at += SECTOR) {
		size_t n = (size_t)(c->len - at < SECTOR ? c->len - at : SECTOR);
		size_t to = (size_t)c->offset + (size_t)at;

		if (chance && rand_r(chance) % 2)
			continue;
		extend(bytes, len, to + n);
		memcpy(*bytes + to, c->bytes + at, n);
	}
}

static void remember(struct known *k, const void *bytes, int len, sqlite3_int64 offset)
{
	struct change *c = malloc(sizeof(*c) + (size_t)(len > 0 ? len : 0));

	assert(c);
	*c = (struct change){.offset = offset, .len = len};
	if (len > 0)
		memcpy(c->bytes, bytes, (size_t)len);
	*k->last = c;
	k->last = &c->next;
}

static void make_durable(struct known *k)
{
	struct change *next;

	for (struct change *c = k->first; c; c = next) {
		next = c->next;
		apply(c, &k->durable, &k->len, NULL);
		free(c);
	}
	k->first = NULL;
	k->last = &k->first;
}

static int about_to_change(sqlite3_file *file)
{
	if (!((struct shim_file *)file)->known)
		return SQLITE_OK;
	if (shim.before)
		shim.before(shim.userdata);
	return __atomic_load_n(&shim.failure, __ATOMIC_SEQ_CST);
}

static int shim_close(sqlite3_file *file)
{
	return real_of(file)->pMethods->xClose(real_of(file));
}

static int shim_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
	return real_of(file)->pMethods->xRead(real_of(file), to, n, at);
}

static int shim_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 at)
{
	struct known *known = ((struct shim_file *)file)->known;
	int r = about_to_change(file);

	if (r == SQLITE_OK)
		r = real_of(file)->pMethods->xWrite(real_of(file), from, n, at);
	if (r == SQLITE_OK && known) {
		(void)pthread_mutex_lock(&shim.mutex);
		remember(known, from, n, at);
		(void)pthread_mutex_unlock(&shim.mutex);
	}
	return r;
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct known *known = ((struct shim_file *)file)->known;
	int r = about_to_change(file);

	if (r == SQLITE_OK)
		r = real_of(file)->pMethods->xTruncate(real_of(file), size);
	if (r == SQLITE_OK && known) {
		(void)pthread_mutex_lock(&shim.mutex);
		remember(known, NULL, -1, size);
		(void)pthread_mutex_unlock(&shim.mutex);
	}
	return r;
}

/* The real disk is spared: what it has is never looked at after a cut. */
static int shim_sync(sqlite3_file *file, int flags)
{
	struct known *known = ((struct shim_file *)file)->known;
	int r = about_to_change(file);

	if (r == SQLITE_OK && known && !shim.lying) {
		(void)pthread_mutex_lock(&shim.mutex);
		make_durable(known);
		(void)pthread_mutex_unlock(&shim.mutex);
	}
	return r;
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *size)
{
	return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int shim_lock(sqlite3_file *file, int level)
{
	return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int shim_unlock(sqlite3_file *file, int level)
{
	return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int shim_check_lock(sqlite3_file *file, int *reserved)
{
	return real_of(file)->pMethods->xCheckReservedLock(real_of(file), reserved);
}

static int shim_control(sqlite3_file *file, int op, void *arg)
{
	return real_of(file)->pMethods->xFileControl(real_of(file), op, arg);
}

static int shim_sector(sqlite3_file *file)
{
	return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int shim_character(sqlite3_file *file)
{
	return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int shim_shm_map(sqlite3_file *file, int page, int size, int extend_it, void volatile **out)
{
	return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend_it, out);
}

static int shim_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
	return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}

static void shim_shm_barrier(sqlite3_file *file)
{
	real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int shim_shm_unmap(sqlite3_file *file, int remove_it)
{
	return real_of(file)->pMethods->xShmUnmap(real_of(file), remove_it);
}

static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = shim_close,
	.xRead = shim_read,
	.xWrite = shim_write,
	.xTruncate = shim_truncate,
	.xSync = shim_sync,
	.xFileSize = shim_size,
	.xLock = shim_lock,
	.xUnlock = shim_unlock,
	.xCheckReservedLock = shim_check_lock,
	.xFileControl = shim_control,
	.xSectorSize = shim_sector,
	.xDeviceCharacteristics = shim_character,
	.xShmMap = shim_shm_map,
	.xShmLock = shim_shm_lock,
	.xShmBarrier = shim_shm_barrier,
	.xShmUnmap = shim_shm_unmap,
};

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
	struct shim_file *f = (struct shim_file *)file;
	int r;

	f->real = (sqlite3_file *)(void *)(f + 1);
	r = shim.real->xOpen(shim.real, name, f->real, flags, out);
	f->base.pMethods = f->real->pMethods ? &methods : NULL;
	(void)pthread_mutex_lock(&shim.mutex);
	f->known = know(name);
	(void)pthread_mutex_unlock(&shim.mutex);
	return r;
}

void shim_install(void)
{
	shim.real = sqlite3_vfs_find(NULL);
	shim.vfs = *shim.real;
	shim.vfs.pNext = NULL;
	shim.vfs.zName = "shim";
	shim.vfs.szOsFile = (int)sizeof(struct shim_file) + shim.real->szOsFile;
	shim.vfs.xOpen = shim_open;
	assert(sqlite3_vfs_register(&shim.vfs, 1) == SQLITE_OK);
}

void shim_remove(void)
{
	(void)sqlite3_vfs_unregister(&shim.vfs);
	(void)sqlite3_vfs_register(shim.real, 1);
	for (size_t i = 0; i < shim.n_files; i++) {
		make_durable(&shim.files[i]);
		free(shim.files[i].durable);
		shim.files[i] = (struct known){0};
	}
	shim.n_files = 0;
	shim.failure = 0;
	shim.lying = false;
	shim.before = NULL;
}

void shim_fail(int code)
{
	__atomic_store_n(&shim.failure, code, __ATOMIC_SEQ_CST);
}

void shim_lie(bool lying)
{
	shim.lying = lying;
}

void shim_watch(void (*before)(void *userdata), void *userdata)
{
	shim.userdata = userdata;
	shim.before = before;
}

static void leave_file(const struct known *k, const char *directory, unsigned *chance)
{
	size_t len = k->len;
	uint8_t *bytes = malloc(room_for(len));
	char path[256];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", directory, k->name);
	assert(bytes);
	if (len > 0)
		memcpy(bytes, k->durable, len);
	for (const struct change *c = k->first; c; c = c->next)
		apply(c, &bytes, &len, chance);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	assert(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
	(void)close(fd);
	free(bytes);
}

void shim_cut(const char *directory, unsigned seed)
{
	unsigned chance = seed;

	(void)pthread_mutex_lock(&shim.mutex);
	for (size_t i = 0; i < shim.n_files; i++)
		leave_file(&shim.files[i], directory, &chance);
	(void)pthread_mutex_unlock(&shim.mutex);
}
