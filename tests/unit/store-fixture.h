/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/store-fixture.h: a directory for each test, and small steps that the tests of the
 * store share.
 */
#pragma once
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/store/query.h"
#include "ptpmon/store/store.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
	char top[64];       /* made for the test, removed after it */
	char directory[80]; /* of the record: not there yet */
	char path[96];      /* of the database */
	char log[104];      /* of its write-ahead log */
	char why[QUERY_ERROR_MAX];
};

static inline int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	return remove(path);
}

static inline int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	(void)snprintf(f->top, sizeof(f->top), "/tmp/ptpmon-test-XXXXXX");
	assert_non_null(mkdtemp(f->top));
	assert_int_equal(chmod(f->top, 0755), 0);
	(void)snprintf(f->directory, sizeof(f->directory), "%s/record", f->top);
	(void)snprintf(f->path, sizeof(f->path), "%s/ptpmon.db", f->directory);
	(void)snprintf(f->log, sizeof(f->log), "%s-wal", f->path);
	*state = f;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	int r = nftw(f->top, remove_entry, 8, FTW_DEPTH | FTW_PHYS);

	free(f);
	return r;
}

#define FIXTURE_TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

static const struct store_run fixture_run = {
	.token = "token-1",
	.boot_id = "boot-1",
	.host = "board",
	.kernel = "6.1.0-rt",
	.machine = "aarch64",
	.version = "0.1.0",
	.configuration = "[ptpmon]\nrole = slave\n",
	.label = "first night",
};

static const struct series fixture_offset = {SERIES_OFFSET, "pmc", "eth0", "ns"};
static const struct series fixture_latency = {SERIES_LATENCY, "latency", "cpu 3", "ns"};

static inline struct store *open_as(struct fixture *f, const struct store_run *run,
				    int64_t *resumed_from_mono_ns)
{
	struct store *s = NULL;
	int r = store_open(&s, f->directory, run, resumed_from_mono_ns, f->why);

	if (r < 0)
		fail_msg("store_open: %d: %s", r, f->why);
	return s;
}

static inline struct store *open_fixture(struct fixture *f)
{
	int64_t resumed_from_mono_ns;

	return open_as(f, &fixture_run, &resumed_from_mono_ns);
}

static inline struct query *query_fixture(struct fixture *f, const char *run)
{
	struct query *q = NULL;
	int r = query_open(&q, f->path, run, f->why);

	if (r < 0)
		fail_msg("query_open: %d: %s", r, f->why);
	return q;
}

static inline struct sample sample_at(int64_t mono_ns, int64_t value)
{
	return (struct sample){.mono_ns = mono_ns, .value = value, .delay_ns = SAMPLE_UNKNOWN};
}

static inline void nap(void)
{
	(void)usleep(2000);
}

/* Waits, for a bounded time, until the condition is true. */
#define WAIT_FOR(condition)                                                                        \
	do {                                                                                       \
		int64_t until_ns_ = nsec_now(CLOCK_MONOTONIC) + 20 * NSEC_PER_SEC;                 \
		while (!(condition)) {                                                             \
			if (nsec_now(CLOCK_MONOTONIC) > until_ns_)                                 \
				fail_msg("never: %s", #condition);                                 \
			nap();                                                                     \
		}                                                                                  \
	} while (0)

/* A thousand samples on the disk of a run that goes on: the body of a child. */
static inline void record_a_thousand(struct fixture *f)
{
	struct store *s = open_fixture(f);

	(void)store_put_series(s, &fixture_offset);
	for (int i = 0; i < 1000; i++) {
		struct sample sample = sample_at(i, i);

		(void)store_put_sample(s, &sample);
	}
	(void)store_start(s, NSEC_PER_MSEC, -1);
	WAIT_FOR(store_health(s).samples == 1000);
}

static inline sqlite3 *open_raw(const char *path)
{
	sqlite3 *db = NULL;
	int persist = 1;

	assert_int_equal(
		sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL),
		SQLITE_OK);
	(void)sqlite3_busy_timeout(db, 1000);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
	return db;
}

static inline void exec_raw(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

/* One statement's first column, as text that the next call overwrites; "NULL" for NULL. */
static inline const char *ask(const char *path, const char *sql)
{
	static char answer[1024];
	sqlite3 *db = open_raw(path);
	sqlite3_stmt *row = NULL;
	const unsigned char *value;

	if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_step(row), SQLITE_ROW);
	value = sqlite3_column_text(row, 0);
	(void)snprintf(answer, sizeof(answer), "%s", value ? (const char *)value : "NULL");
	(void)sqlite3_finalize(row);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return answer;
}

static inline int64_t ask_int(const char *path, const char *sql)
{
	return strtoll(ask(path, sql), NULL, 10);
}

struct contents {
	uint8_t *bytes;
	size_t len;
};

static inline struct contents contents_of(const char *path)
{
	struct contents c = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	c.len = (size_t)st.st_size;
	c.bytes = malloc(c.len + 1);
	assert_non_null(c.bytes);
	assert_int_equal(read(fd, c.bytes, c.len + 1), (ssize_t)c.len);
	(void)close(fd);
	return c;
}

static inline void assert_contents(const char *path, struct contents *before)
{
	struct contents now = contents_of(path);

	if (now.len != before->len || memcmp(now.bytes, before->bytes, now.len) != 0)
		fail_msg("%s was touched", path);
	free(now.bytes);
	free(before->bytes);
}

/* Runs body in a child, which must end with status 0. */
static inline void in_child(void (*body)(struct fixture *f), struct fixture *f)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		body(f);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}
