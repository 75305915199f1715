/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/usage.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ptpmon/base/cleanup.h"

#define PAGE_BYTES_MAX    4096 /* of any record: older ones have such */
#define LOG_SHARE_MIN     (8 << 20)
#define LOG_SHARE_MAX     (64 << 20)
#define PAGES_TOUCHED_MAX 64 /* by a transaction, beside those that its rows fill */

/* The file is emptied into while somebody may read: not waited for longer than this. */
enum { EMPTY_LOG_MS = 20 };

static int64_t log_share(const struct usage *u)
{
	int64_t share = u->cap_bytes / 8;

	if (share < LOG_SHARE_MIN)
		return LOG_SHARE_MIN;
	return share > LOG_SHARE_MAX ? LOG_SHARE_MAX : share;
}

int64_t usage_file_limit(const struct usage *u)
{
	return u->cap_bytes > 0 ? u->cap_bytes - log_share(u) : INT64_MAX;
}

int usage_file(const struct usage *u, int64_t *bytes, int64_t *used_bytes)
{
	int64_t page_bytes = 0;
	int64_t pages = 0;
	int64_t free_pages = 0;
	int r = database_int(u->db, "PRAGMA page_size", &page_bytes);

	if (r == 0)
		r = database_int(u->db, "PRAGMA page_count", &pages);
	if (r == 0)
		r = database_int(u->db, "PRAGMA freelist_count", &free_pages);
	if (r < 0)
		return r;
	*bytes = pages * page_bytes;
	*used_bytes = (pages - free_pages) * page_bytes;
	return 0;
}

int64_t usage_log(const struct usage *u)
{
	char path[PATH_MAX];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s-wal", sqlite3_db_filename(u->db, "main"));
	return stat(path, &st) == 0 ? st.st_size : 0;
}

int usage_apply_limit(const struct usage *u)
{
	char sql[64];
	int64_t page_bytes = PAGE_BYTES_MAX;
	int r = database_int(u->db, "PRAGMA page_size", &page_bytes);
	int64_t limit = u->cap_bytes > 0 ? usage_file_limit(u) / page_bytes : UINT32_MAX - 1;
	int64_t ignored;

	if (r < 0)
		return r;
	/* one that is less than the file is large makes that the limit: it may shrink, not grow */
	(void)snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %" PRId64, limit);
	return database_int(u->db, sql, &ignored);
}

int usage_make_room(const struct usage *u, int64_t bytes, char why[static DATABASE_ERROR_MAX])
{
	int64_t need = bytes + bytes / 8 + PAGES_TOUCHED_MAX * PAGE_BYTES_MAX;

	if (u->cap_bytes == 0 || usage_log(u) + need <= log_share(u))
		return 0;
	(void)sqlite3_busy_timeout(u->db, EMPTY_LOG_MS);
	(void)sqlite3_wal_checkpoint_v2(u->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	(void)sqlite3_busy_timeout(u->db, DATABASE_BUSY_MS);
	if (usage_log(u) + need <= log_share(u))
		return 0;
	(void)snprintf(why, DATABASE_ERROR_MAX,
		       "%.120s: [store] size_cap reached: a program that reads keeps the log from "
		       "being emptied",
		       sqlite3_db_filename(u->db, "main"));
	return -ENOSPC;
}

int64_t usage_thread_written(void)
{
	CLEANUP(fclosep) FILE *f = fopen("/proc/thread-self/io", "re");
	int64_t written = -1;
	char line[64];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "write_bytes: %" SCNd64, &written) == 1)
			break;
	return written;
}
