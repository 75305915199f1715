/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/aside.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ptpmon/store/directory.h"

enum { ASIDE_MAX = 100 }; /* in one second of a clock that may well stand still */

/* A name beside path that is not taken: NAME-damaged-TIME.db, NAME-damaged-TIME-2.db, … */
static int name_aside(const char *path, char out[static PATH_MAX])
{
	const char *dot = strrchr(path, '.');
	int len = dot && strcmp(dot, ".db") == 0 ? (int)(dot - path) : (int)strlen(path);
	time_t now_s = time(NULL);
	char when[32];
	struct tm tm;

	(void)strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", gmtime_r(&now_s, &tm));
	for (int i = 1; i <= ASIDE_MAX; i++) {
		char log[PATH_MAX];
		char again[16] = "";

		if (i > 1)
			(void)snprintf(again, sizeof(again), "-%d", i);
		(void)snprintf(out, PATH_MAX, "%.*s-damaged-%s%s.db", len, path, when, again);
		(void)snprintf(log, sizeof(log), "%.*s-damaged-%s%s.db-wal", len, path, when,
			       again);
		if (access(out, F_OK) < 0 && access(log, F_OK) < 0)
			return 0;
	}
	return -EEXIST;
}

/* 0 if there is no such file, too. */
static int rename_with(const char *path, const char *to, const char *suffix)
{
	char old_name[PATH_MAX];
	char new_name[PATH_MAX];

	(void)snprintf(old_name, sizeof(old_name), "%s%s", path, suffix);
	(void)snprintf(new_name, sizeof(new_name), "%s%s", to, suffix);
	return rename(old_name, new_name) < 0 && errno != ENOENT ? -errno : 0;
}

/*
 * The file first: were its log moved first and then the power cut, what is left might look whole
 * and lack what was in the log. The -shm is but an index of the log, made anew where it is missing.
 */
int aside_move(const char *path, const char *reason, char told[static DATABASE_ERROR_MAX],
	       char why[static DATABASE_ERROR_MAX])
{
	size_t path_len = strlen(path);
	const char *rest = reason;
	char to[PATH_MAX];
	char shm[PATH_MAX];
	const char *name;
	int r = name_aside(path, to);

	if (r == 0)
		r = rename_with(path, to, "");
	if (r == 0)
		r = rename_with(path, to, "-wal");
	if (r < 0) {
		(void)snprintf(why, DATABASE_ERROR_MAX,
			       "%.160s: damaged, and cannot be set aside: %s", path, strerror(-r));
		return r;
	}
	(void)snprintf(shm, sizeof(shm), "%s-shm", path);
	(void)unlink(shm);
	(void)directory_sync_of(path);
	if (strncmp(rest, path, path_len) == 0) /* the name is not said twice */
		rest += path_len + strspn(rest + path_len, ": ");
	name = strrchr(to, '/');
	(void)snprintf(told, DATABASE_ERROR_MAX, "set aside as %.100s: %.120s",
		       name ? name + 1 : to, rest);
	return 0;
}

int aside_move_log(const char *path, char why[static DATABASE_ERROR_MAX])
{
	char to[PATH_MAX];
	int r = name_aside(path, to);

	if (r == 0)
		r = rename_with(path, to, "-wal");
	if (r < 0)
		(void)snprintf(why, DATABASE_ERROR_MAX, "%.160s-wal: cannot be set aside: %s", path,
			       strerror(-r));
	return r;
}
