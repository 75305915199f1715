/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store-fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "ptpmon/store/runs.h"

static void test_the_file_is_what_was_promised(void **state)
{
	static const mode_t masks[] = {0, 022, 077};
	struct fixture *f = *state;
	mode_t before = umask(0);
	struct stat st;

	for (size_t i = 0; i < COUNT(masks); i++) {
		(void)umask(masks[i]);
		(void)snprintf(f->directory, sizeof(f->directory), "%s/%zu", f->top, i);
		(void)snprintf(f->path, sizeof(f->path), "%s/ptpmon.db", f->directory);
		(void)store_close(open_fixture(f), "stopped", NSEC_PER_SEC);
		assert_int_equal(stat(f->directory, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0750);
		assert_int_equal(stat(f->path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0640);
	}
	(void)umask(before);
	assert_int_equal(ask_int(f->path, "PRAGMA page_size"), 1024);
	assert_int_equal(ask_int(f->path, "PRAGMA auto_vacuum"), 2);
	assert_string_equal(ask(f->path, "PRAGMA journal_mode"), "wal");
	assert_int_equal(ask_int(f->path, "PRAGMA user_version"), 5);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM pragma_table_list "
					  "WHERE type = 'table' AND name NOT LIKE 'sqlite%' "
					  "AND NOT strict"),
			 0);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sqlite_schema WHERE type = 'index' "
					  "AND tbl_name IN ('sample', 'latency')"),
			 0);
}

static void newer_version(struct fixture *f)
{
	sqlite3 *db;

	in_child(record_a_thousand, f);
	db = open_raw(f->path);
	exec_raw(db, "PRAGMA user_version = 99");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void create_file(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	assert_int_equal(close(fd), 0);
}

static void foreign_database(struct fixture *f)
{
	sqlite3 *db;

	assert_int_equal(mkdir(f->directory, 0750), 0);
	db = open_raw(f->path);
	exec_raw(db, "CREATE TABLE photos (taken TEXT); INSERT INTO photos VALUES ('yesterday')");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void a_directory(struct fixture *f)
{
	assert_int_equal(mkdir(f->directory, 0750), 0);
	assert_int_equal(mkdir(f->path, 0750), 0);
}

/* clang-format off */
static const struct {
	const char *name;
	void (*make)(struct fixture *f);
	int error;
	const char *says;
} left_alone[] = {
	{ "a newer version",       newer_version,    -ENOTUNIQ, "record version 99, this ptpmon knows up to " },
	{ "somebody's database",   foreign_database, -EUCLEAN,  "not one of ptpmon's" },
};
/* clang-format on */

static void test_what_is_not_ours_is_not_touched(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(left_alone); i++) {
		struct store *s = NULL;
		int64_t resumed_from_mono_ns;
		struct contents before;
		struct contents log = {0};
		int r;

		(void)snprintf(f->directory, sizeof(f->directory), "%s/%zu", f->top, i);
		(void)snprintf(f->path, sizeof(f->path), "%s/ptpmon.db", f->directory);
		(void)snprintf(f->log, sizeof(f->log), "%s-wal", f->path);
		left_alone[i].make(f);
		before = contents_of(f->path);
		if (access(f->log, F_OK) == 0)
			log = contents_of(f->log);
		r = store_open(&s, f->directory, &fixture_run, &resumed_from_mono_ns, f->why);
		if (r != left_alone[i].error || !strstr(f->why, left_alone[i].says) ||
		    strchr(f->why, '\n'))
			fail_msg("%s: %d: %s", left_alone[i].name, r, f->why);
		assert_contents(f->path, &before);
		if (log.bytes)
			assert_contents(f->log, &log);
	}
}

static void test_a_newer_version_is_not_read_either(void **state)
{
	struct fixture *f = *state;
	struct query *q = NULL;
	struct contents before;
	struct contents log;

	newer_version(f);
	before = contents_of(f->path);
	log = contents_of(f->log);
	assert_true(log.len > 0);
	assert_int_equal(query_open(&q, f->path, NULL, f->why), -ENOTUNIQ);
	assert_non_null(strstr(f->why, "record version 99, this ptpmon knows up to "));
	assert_contents(f->path, &before);
	assert_contents(f->log, &log);
}

static void test_a_directory_is_no_database(void **state)
{
	struct fixture *f = *state;
	struct store *s = NULL;
	int64_t resumed_from_mono_ns;

	a_directory(f);
	assert_int_equal(store_open(&s, f->directory, &fixture_run, &resumed_from_mono_ns, f->why),
			 -EUCLEAN);
	assert_non_null(strstr(f->why, "not a regular file: left alone"));
}

/* What the first version had instead. */
static const char to_version_1[] =
	"DROP VIEW phcs; DROP VIEW hours; DROP TABLE rollup; ALTER TABLE run DROP COLUMN "
	"data_bytes; "
	"ALTER TABLE run DROP COLUMN written_bytes; CREATE TABLE rollup (series INTEGER NOT NULL "
	"REFERENCES series, hour INTEGER NOT NULL, count INTEGER NOT NULL, min INTEGER, max "
	"INTEGER, "
	"sum REAL NOT NULL, sum_squares REAL NOT NULL, histogram BLOB NOT NULL, "
	"PRIMARY KEY (series, hour)) STRICT, WITHOUT ROWID; "
	"ALTER TABLE verdict DROP COLUMN mono_ns; ALTER TABLE verdict DROP COLUMN who; "
	"PRAGMA user_version = 1";

static int count_samples(void *userdata, const struct sample *sample)
{
	++*(int *)userdata;
	return 0;
}

static int no_rollup(void *userdata, const struct query_rollup *rollup)
{
	return 1;
}

static int count_runs(void *userdata, const struct run_facts *run)
{
	++*(int *)userdata;
	assert_int_equal(run->samples, 1000);
	assert_int_equal(run->written_bytes, TIME_UNKNOWN);
	return 0;
}

static void test_a_record_of_version_1_is_read_and_taken_on(void **state)
{
	struct fixture *f = *state;
	struct runs_size size;
	struct query *q;
	sqlite3 *db;
	int samples = 0;
	int runs = 0;

	in_child(record_a_thousand, f);
	db = open_raw(f->path);
	exec_raw(db, to_version_1);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	q = query_fixture(f, "1");
	assert_int_equal(query_visit_samples(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX,
					     count_samples, &samples),
			 0);
	assert_int_equal(samples, 1000);
	assert_int_equal(
		query_visit_rollups(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX, no_rollup, NULL), 0);
	(void)query_free(q);
	assert_int_equal(runs_visit(f->path, count_runs, &runs, &size, f->why), 0);
	assert_int_equal(runs, 1);
	assert_true(size.file_bytes > 0);
	assert_int_equal(ask_int(f->path, "PRAGMA user_version"), 1);
	(void)store_close(open_fixture(f), "stopped", NSEC_PER_SEC);
	assert_int_equal(ask_int(f->path, "PRAGMA user_version"), 5);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample"), 1000);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM hours"), 0);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM phcs"), 0);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
}

/* As records were made until version 3; what is measured of the file is by its own pages. */
static void test_a_record_of_larger_pages_is_gone_on_with(void **state)
{
	struct fixture *f = *state;
	struct store_health health;
	char copy[128];
	char sql[256];
	struct store *s;
	struct stat st;
	sqlite3 *db;

	in_child(record_a_thousand, f);
	(void)snprintf(copy, sizeof(copy), "%s/copy", f->top);
	(void)snprintf(sql, sizeof(sql), "PRAGMA page_size = 4096; VACUUM INTO '%s'", copy);
	db = open_raw(f->path);
	exec_raw(db, sql);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(unlink(f->log), 0);
	assert_int_equal(rename(copy, f->path), 0);
	assert_int_equal(ask_int(f->path, "PRAGMA page_size"), 4096);
	s = open_fixture(f);
	assert_int_equal(store_start(s, NSEC_PER_MSEC, -1), 0);
	(void)store_put_mark(s, 5, "on it goes", "test");
	do {
		(void)usleep(1000);
		health = store_health(s);
	} while (health.flushed_mono_ns == 0);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	assert_int_equal(ask_int(f->path, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(health.file_bytes, st.st_size);
	assert_int_equal(ask_int(f->path, "PRAGMA page_size"), 4096);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample"), 1000);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
}

static void test_one_writer_at_a_time(void **state)
{
	struct fixture *f = *state;
	struct store *s = open_fixture(f);
	struct store *second = NULL;
	int64_t resumed_from_mono_ns;

	assert_int_equal(
		store_open(&second, f->directory, &fixture_run, &resumed_from_mono_ns, f->why),
		-EBUSY);
	assert_non_null(strstr(f->why, "another ptpmon records there"));
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	(void)store_close(open_fixture(f), "stopped", NSEC_PER_SEC);
}

static void become_nobody(void)
{
	if (geteuid() == 0)
		assert_int_equal(setuid(65534), 0);
}

static void open_what_may_not_be_written(struct fixture *f)
{
	struct store *s = NULL;
	int64_t resumed_from_mono_ns;

	become_nobody();
	if (store_open(&s, f->directory, &fixture_run, &resumed_from_mono_ns, f->why) != -EACCES ||
	    !strstr(f->why, "[store] directory"))
		_exit(1);
}

/* As when the first ptpmon ran as root and left a file that the service cannot write. */
static void test_no_permission(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdir(f->directory, 0555), 0);
	in_child(open_what_may_not_be_written, f);
}

static void open_file_that_may_not_be_written(struct fixture *f)
{
	struct store *s = NULL;
	int64_t resumed_from_mono_ns;

	become_nobody();
	if (store_open(&s, f->directory, &fixture_run, &resumed_from_mono_ns, f->why) != -EACCES ||
	    !strstr(f->why, "make it writable"))
		_exit(1);
}

static void test_no_permission_for_the_file(void **state)
{
	struct fixture *f = *state;

	(void)store_close(open_fixture(f), "stopped", NSEC_PER_SEC);
	assert_int_equal(chmod(f->directory, 0777), 0);
	assert_int_equal(chmod(f->path, 0444), 0);
	in_child(open_file_that_may_not_be_written, f);
}

static void read_without_permission_to_write(struct fixture *f)
{
	become_nobody();
	(void)query_free(query_fixture(f, NULL));
}

/* The log stays after a clean stop: else whoever may only read could not. */
static void test_who_may_only_read_can_read(void **state)
{
	struct fixture *f = *state;
	char shm[112];

	(void)snprintf(shm, sizeof(shm), "%s-shm", f->path);
	(void)store_close(open_fixture(f), "stopped", NSEC_PER_SEC);
	assert_int_equal(chmod(f->path, 0444), 0);
	assert_int_equal(chmod(f->log, 0444), 0);
	assert_int_equal(chmod(shm, 0444), 0);
	assert_int_equal(chmod(f->directory, 0555), 0);
	in_child(read_without_permission_to_write, f);
	assert_int_equal(chmod(f->directory, 0755), 0);
}

/* Evidence that was copied: the file alone, its name not made for URIs, nothing writable. */
static void test_a_copy_without_its_log_can_be_read(void **state)
{
	struct fixture *f = *state;
	char evidence[88];
	struct contents copy;

	(void)store_close(open_fixture(f), "stopped", NSEC_PER_SEC);
	copy = contents_of(f->path);
	(void)snprintf(evidence, sizeof(evidence), "%s/night?#100%%", f->top);
	assert_int_equal(mkdir(evidence, 0755), 0);
	(void)snprintf(f->path, sizeof(f->path), "%s/a.db", evidence);
	create_file(f->path, (const char *)copy.bytes, copy.len);
	free(copy.bytes);
	assert_int_equal(chmod(f->path, 0444), 0);
	assert_int_equal(chmod(evidence, 0555), 0);
	in_child(read_without_permission_to_write, f);
	assert_int_equal(chmod(evidence, 0755), 0);
}

/* clang-format off */
static const struct {
	const char *name, *below, *says;
	int error;
} bad_directories[] = {
	{ "below a file",          "file/record",    "Not a directory", -ENOTDIR },
	{ "a file",                "file",           "Not a directory", -ENOTDIR },
	{ "two levels missing",    "missing/record", "make the directory above it", -ENOENT },
};
/* clang-format on */

static void test_directories_that_cannot_be(void **state)
{
	struct fixture *f = *state;
	char file[80];

	(void)snprintf(file, sizeof(file), "%s/file", f->top);
	create_file(file, "x", 1);
	for (size_t i = 0; i < COUNT(bad_directories); i++) {
		struct store *s = NULL;
		int64_t resumed_from_mono_ns;
		char directory[96];
		int r;

		(void)snprintf(directory, sizeof(directory), "%s/%s", f->top,
			       bad_directories[i].below);
		r = store_open(&s, directory, &fixture_run, &resumed_from_mono_ns, f->why);
		if (r != bad_directories[i].error || !strstr(f->why, bad_directories[i].says))
			fail_msg("%s: %d: %s", bad_directories[i].name, r, f->why);
	}
}

/* Nothing half-made is left where the next start would take it for a database. */
static void test_a_disk_that_is_full_from_the_start(void **state)
{
	static const rlim_t limits[] = {0, 1024, 8192, 16000, 24000};
	struct fixture *f = *state;
	struct rlimit before;

	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	for (size_t i = 0; i < COUNT(limits); i++) {
		struct rlimit limit = {limits[i], before.rlim_max};
		struct store *s = NULL;
		int64_t resumed_from_mono_ns;
		int r;

		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		r = store_open(&s, f->directory, &fixture_run, &resumed_from_mono_ns, f->why);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		if (r >= 0 || !strstr(f->why, "ptpmon.db"))
			fail_msg("%ju octets: %d: %s", (uintmax_t)limits[i], r, f->why);
		if (access(f->path, F_OK) == 0)
			fail_msg("%ju octets: a file is left", (uintmax_t)limits[i]);
	}
	(void)store_close(open_fixture(f), "stopped", NSEC_PER_SEC);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_the_file_is_what_was_promised),
		FIXTURE_TEST(test_what_is_not_ours_is_not_touched),
		FIXTURE_TEST(test_a_newer_version_is_not_read_either),
		FIXTURE_TEST(test_a_directory_is_no_database),
		FIXTURE_TEST(test_a_record_of_version_1_is_read_and_taken_on),
		FIXTURE_TEST(test_a_record_of_larger_pages_is_gone_on_with),
		FIXTURE_TEST(test_one_writer_at_a_time),
		FIXTURE_TEST(test_no_permission),
		FIXTURE_TEST(test_no_permission_for_the_file),
		FIXTURE_TEST(test_who_may_only_read_can_read),
		FIXTURE_TEST(test_a_copy_without_its_log_can_be_read),
		FIXTURE_TEST(test_directories_that_cannot_be),
		FIXTURE_TEST(test_a_disk_that_is_full_from_the_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
