/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/base/cleanup.h: what a scope owns is released when the scope ends.
 *
 * CLEANUP(fn) runs fn(&variable) on every way out; steal() hands ownership on.
 */
#pragma once
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(fn) __attribute__((cleanup(fn)))

/* Defines fn##p(T **), for CLEANUP(fn##p) on a T *. fn takes NULL and returns NULL. */
#define DEFINE_FREEP(type, fn)                                                                     \
	static inline void fn##p(type **p)                                                         \
	{                                                                                          \
		if (*p)                                                                            \
			*p = fn(*p);                                                               \
	}

/* The pointer, leaving NULL behind, so that the scope's cleanup has nothing left to free. */
#define steal(p)                                                                                   \
	__extension__({                                                                            \
		__typeof__(*(p)) stolen_ = *(p);                                                   \
		*(p) = NULL;                                                                       \
		stolen_;                                                                           \
	})

static inline int steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}

/* Closes *fd if it is open, keeps errno, and leaves -1. */
static inline void close_fdp(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
	errno = saved;
}

static inline void freep(void *p)
{
	void **pp = p;

	free(*pp);
	*pp = NULL;
}

static inline void fclosep(FILE **f)
{
	if (*f)
		(void)fclose(*f);
	*f = NULL;
}

static inline void closedirp(DIR **d)
{
	if (*d)
		(void)closedir(*d);
	*d = NULL;
}
