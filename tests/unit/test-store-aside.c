/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A database that is damaged, found at the start or while it is written, is set aside with its log
 * and a new one begun, which tells of it. Nothing of the damaged one is lost or changed.
 */
#include "store-fixture.h"

#include <dirent.h>

static void create_file(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	assert_int_equal(close(fd), 0);
}

static void text_file(struct fixture *f)
{
	static const char text[] = "2026-03-01 22:00 measured by hand: 12 ns\n";

	assert_int_equal(mkdir(f->directory, 0750), 0);
	create_file(f->path, text, sizeof(text) - 1);
}

static void empty_file(struct fixture *f)
{
	assert_int_equal(mkdir(f->directory, 0750), 0);
	create_file(f->path, "", 0);
}

static void overwrite(const char *path, off_t at)
{
	char noise[4096];
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	memset(noise, 0xa5, sizeof(noise));
	assert_int_equal(pwrite(fd, noise, sizeof(noise), at), (ssize_t)sizeof(noise));
	assert_int_equal(close(fd), 0);
}

static void overwrite_page(const char *path, off_t page)
{
	overwrite(path, page * 4096);
}

static void damaged_page(struct fixture *f)
{
	in_child(record_a_thousand, f);
	assert_int_equal(ask_int(f->path, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
	overwrite_page(f->path, 10);
}

static void cut_short(struct fixture *f)
{
	in_child(record_a_thousand, f);
	assert_int_equal(ask_int(f->path, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
	assert_int_equal(truncate(f->path, 9000), 0);
}

static void log_alone(struct fixture *f)
{
	in_child(record_a_thousand, f);
	assert_int_equal(unlink(f->path), 0);
}

static void table_missing(struct fixture *f)
{
	sqlite3 *db;

	in_child(record_a_thousand, f);
	db = open_raw(f->path);
	exec_raw(db, "DROP TABLE latency");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* clang-format off */
static const struct {
	const char *name;
	void (*make)(struct fixture *f);
	const char *says;
} damages[] = {
	{ "a text file",             text_file,           "file is not a database" },
	{ "an empty file",           empty_file,          "empty" },
	{ "a damaged page",          damaged_page,        "damaged (" },
	{ "a file that was cut",     cut_short,           "" },
	{ "a log without its file",  log_alone,           "the log of a database that is not there" },
	{ "a table is missing",      table_missing,       "tables are missing" },
};
/* clang-format on */

/* The file of the directory whose name holds "-damaged-" and ends so; false if there is none. */
static bool find_aside(struct fixture *f, const char *suffix, char path[static 512])
{
	DIR *directory = opendir(f->directory);
	const struct dirent *e;
	bool found = false;

	assert_non_null(directory);
	while ((e = readdir(directory))) {
		size_t len = strlen(e->d_name);

		if (!strstr(e->d_name, "ptpmon-damaged-20") || len < strlen(suffix) ||
		    strcmp(e->d_name + len - strlen(suffix), suffix) != 0)
			continue;
		(void)snprintf(path, 512, "%s/%s", f->directory, e->d_name);
		found = true;
	}
	(void)closedir(directory);
	return found;
}

static void assert_told(struct fixture *f, const char *name, const char *says)
{
	const char *text = ask(f->path, "SELECT coalesce(max(text), 'no event') FROM event WHERE "
					"code = 'store-set-aside'");

	if (!strstr(text, "record: set aside as ptpmon-damaged-20") || !strstr(text, says) ||
	    strchr(text, '\n'))
		fail_msg("%s: %s", name, text);
}

static void test_what_is_damaged_is_set_aside(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(damages); i++) {
		struct contents file = {0};
		struct contents log = {0};
		char aside[512];

		(void)snprintf(f->directory, sizeof(f->directory), "%s/%zu", f->top, i);
		(void)snprintf(f->path, sizeof(f->path), "%s/ptpmon.db", f->directory);
		(void)snprintf(f->log, sizeof(f->log), "%s-wal", f->path);
		damages[i].make(f);
		if (access(f->path, F_OK) == 0)
			file = contents_of(f->path);
		if (access(f->log, F_OK) == 0)
			log = contents_of(f->log);
		in_child(record_a_thousand, f);
		assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
		assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample"), 1000);
		assert_told(f, damages[i].name, damages[i].says);
		if (file.bytes && !find_aside(f, ".db", aside))
			fail_msg("%s: the file is gone", damages[i].name);
		if (file.bytes)
			assert_contents(aside, &file);
		if (log.bytes && !find_aside(f, ".db-wal", aside))
			fail_msg("%s: the log is gone", damages[i].name);
		if (log.bytes)
			assert_contents(aside, &log);
	}
}

static int count_asides(struct fixture *f)
{
	DIR *directory = opendir(f->directory);
	const struct dirent *e;
	int n = 0;

	assert_non_null(directory);
	while ((e = readdir(directory)))
		n += strstr(e->d_name, "-damaged-") ? 1 : 0;
	(void)closedir(directory);
	return n;
}

static void test_names_do_not_collide(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdir(f->directory, 0750), 0);
	for (int i = 0; i < 5; i++) {
		create_file(f->path, "x", 1);
		(void)store_close(open_fixture(f), "stopped", NSEC_PER_SEC);
		assert_int_equal(unlink(f->path), 0);
		(void)unlink(f->log);
	}
	assert_int_equal(count_asides(f), 5);
}

/* A service that has recorded a while, in a phase. */
static struct store *recording(struct fixture *f)
{
	struct sample sample = sample_at(1000, 1);
	struct store *s = open_fixture(f);

	(void)store_put_series(s, &fixture_offset);
	(void)store_begin_phase(s, 500, "load");
	(void)store_put_sample(s, &sample);
	assert_int_equal(store_start(s, 5 * NSEC_PER_MSEC, -1), 0);
	WAIT_FOR(store_health(s).samples == 1);
	return s;
}

static void assert_goes_on(struct fixture *f, struct store *s)
{
	struct sample sample = sample_at(2000, 2);

	(void)store_put_sample(s, &sample);
	WAIT_FOR(store_health(s).samples == 2);
	assert_true(store_health(s).ok);
	assert_int_equal(store_health(s).dropped, 0);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample WHERE value_ns = 2"), 1);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM clock_map"), 1);
	assert_string_equal(ask(f->path, "SELECT name FROM phase"), "load");
	assert_string_equal(ask(f->path, "SELECT token || label || how FROM run"),
			    "token-1first nightstopped");
}

static void test_a_file_damaged_while_it_is_written(void **state)
{
	struct fixture *f = *state;
	struct store *s = recording(f);
	char aside[512];

	(void)ask_int(f->path, "PRAGMA wal_checkpoint(TRUNCATE)");
	for (off_t page = 0; page < 5; page++)
		overwrite(f->path, page * 4096 + (page == 0 ? 100 : 0)); /* not its header */
	assert_goes_on(f, s);
	assert_true(find_aside(f, ".db", aside));
	assert_told(f, "while written", "");
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM event WHERE code = 'store-failed'"),
			 1);
}

static void test_a_file_moved_away_while_it_is_written(void **state)
{
	struct fixture *f = *state;
	struct store *s = recording(f);
	char elsewhere[128];

	(void)snprintf(elsewhere, sizeof(elsewhere), "%s/kept.db", f->top);
	assert_int_equal(rename(f->path, elsewhere), 0);
	assert_goes_on(f, s);
	assert_non_null(strstr(ask(f->path, "SELECT text FROM event WHERE "
					    "code = 'store-set-aside'"),
			       "moved or removed"));
	assert_string_equal(ask(elsewhere, "PRAGMA integrity_check"), "ok");
	assert_int_equal(ask_int(elsewhere, "SELECT value_ns FROM sample"), 1);
}

/* SQLite would go on writing to what nobody can read any more. */
static void test_files_harmed_while_they_are_written(void **state)
{
	enum harm { UNLINK, TRUNCATE, OVERWRITE };
	static const struct {
		const char *suffix;
		enum harm harm;
		bool loses;
		const char *told;
	} rows[] = {
		{"-wal", UNLINK, false,
		 "record: its log (-wal) was removed by somebody: opened again, and sound"},
		{"-shm", UNLINK, false, "(-shm) was removed by somebody: opened again, and sound"},
		{"", TRUNCATE, true, "set aside as ptpmon-damaged-"},
		{"", OVERWRITE, true, "set aside as ptpmon-damaged-"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct sample sample = sample_at(2000, 2);
		struct store *s;
		char path[128];

		(void)snprintf(f->directory, sizeof(f->directory), "%s/%zu", f->top, i);
		(void)snprintf(f->path, sizeof(f->path), "%s/ptpmon.db", f->directory);
		(void)snprintf(path, sizeof(path), "%s%s", f->path, rows[i].suffix);
		s = recording(f);
		if (rows[i].loses) /* else all of it would still be in the log */
			(void)ask_int(f->path, "PRAGMA wal_checkpoint(TRUNCATE)");
		if (rows[i].harm == UNLINK)
			assert_int_equal(unlink(path), 0);
		else if (rows[i].harm == TRUNCATE)
			assert_int_equal(truncate(path, 8192), 0);
		else
			overwrite_page(path, 0);
		(void)store_put_sample(s, &sample);
		WAIT_FOR(store_health(s).samples == 2);
		/* before it ends, and so in what others see */
		assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample"),
				 rows[i].loses ? 1 : 2);
		assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
		assert_non_null(strstr(ask(f->path, "SELECT text FROM event WHERE "
						    "code = 'store-set-aside'"),
				       rows[i].told));
		(void)store_close(s, "stopped", NSEC_PER_SEC);
		assert_int_equal(ask_int(f->path, "SELECT count(*) FROM run"), 1);
		assert_string_equal(ask(f->path, "SELECT how FROM run"), "stopped");
	}
}

static void test_a_table_dropped_while_it_is_written(void **state)
{
	struct fixture *f = *state;
	struct store *s = recording(f);
	char aside[512];
	sqlite3 *db = open_raw(f->path);

	exec_raw(db, "DROP TABLE sample");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_goes_on(f, s);
	assert_true(find_aside(f, ".db", aside));
}

/* The log of the old file must not be played into the one that took its place. */
static void test_a_file_replaced_while_it_is_written(void **state)
{
	struct fixture *f = *state;
	struct fixture other = *f;
	struct sample sample = sample_at(2000, 2000);
	struct store *s;

	(void)snprintf(other.directory, sizeof(other.directory), "%s/other", f->top);
	(void)snprintf(other.path, sizeof(other.path), "%s/ptpmon.db", other.directory);
	in_child(record_a_thousand, &other);
	assert_int_equal(ask_int(other.path, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
	s = recording(f);
	assert_int_equal(rename(other.path, f->path), 0);
	(void)store_put_sample(s, &sample);
	WAIT_FOR(store_health(s).samples == 2);
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample"), 1001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_what_is_damaged_is_set_aside),
		FIXTURE_TEST(test_names_do_not_collide),
		FIXTURE_TEST(test_a_file_damaged_while_it_is_written),
		FIXTURE_TEST(test_a_file_moved_away_while_it_is_written),
		FIXTURE_TEST(test_files_harmed_while_they_are_written),
		FIXTURE_TEST(test_a_table_dropped_while_it_is_written),
		FIXTURE_TEST(test_a_file_replaced_while_it_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
