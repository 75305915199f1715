/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk that fails for a while: full, broken, made read-only. What comes in waits, what has no
 * room is counted, and when the disk works again all that waited is there.
 */
#include "store-fixture.h"
#include "vfs-shim.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

/* A service that records, one sample so far. */
static struct store *recording(struct fixture *f)
{
	struct sample sample = sample_at(0, 0);
	struct store *s = open_fixture(f);

	(void)store_put_series(s, &fixture_offset);
	(void)store_put_sample(s, &sample);
	assert_int_equal(store_start(s, 2 * NSEC_PER_MSEC, -1), 0);
	WAIT_FOR(store_health(s).samples == 1);
	return s;
}

static void put_samples(struct store *s, int64_t from, int64_t to)
{
	for (int64_t i = from; i < to; i++) {
		struct sample sample = sample_at(i, i);

		(void)store_put_sample(s, &sample);
	}
}

static void assert_recovers(const char *name, struct fixture *f, struct store *s, int64_t n)
{
	WAIT_FOR(store_health(s).ok && store_health(s).samples == (uint64_t)n);
	(void)store_close(s, "stopped", 10 * NSEC_PER_SEC);
	if (ask_int(f->path, "SELECT count(DISTINCT value_ns) FROM sample") != n ||
	    ask_int(f->path, "SELECT count(*) FROM sample") != n)
		fail_msg("%s: rows are missing, or twice", name);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM event WHERE code = 'store-failed'"),
			 1);
	assert_int_equal(
		ask_int(f->path, "SELECT count(*) FROM event WHERE code = 'store-recovered'"), 1);
}

/* clang-format off */
static const struct {
	const char *name;
	int code;
	const char *says;
} faults[] = {
	{ "full",             SQLITE_FULL,           "full: make room there" },
	{ "write error",      SQLITE_IOERR_WRITE,    "disk I/O error" },
	{ "sync error",       SQLITE_IOERR_FSYNC,    "disk I/O error" },
	{ "made read-only",   SQLITE_READONLY,       "make it and its directory writable" },
};
/* clang-format on */

static void test_faults_are_survived(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(faults); i++) {
		struct store *s;

		(void)snprintf(f->directory, sizeof(f->directory), "%s/%zu", f->top, i);
		(void)snprintf(f->path, sizeof(f->path), "%s/ptpmon.db", f->directory);
		shim_install();
		s = recording(f);
		shim_fail(faults[i].code);
		put_samples(s, 1, 1000);
		WAIT_FOR(!store_health(s).ok);
		if (!strstr(store_health(s).problem, faults[i].says))
			fail_msg("%s: %s", faults[i].name, store_health(s).problem);
		put_samples(s, 1000, 2000);
		assert_int_equal(store_health(s).samples, 1);
		shim_fail(0);
		assert_recovers(faults[i].name, f, s, 2000);
		assert_int_equal(ask_int(f->path, "SELECT count(*) FROM event "
						  "WHERE code = 'samples-dropped'"),
				 0);
		shim_remove();
	}
}

/* A fault that comes and goes with every few operations. */
static void flicker(void *userdata)
{
	unsigned *n = userdata;

	shim_fail(++*n % 5 < 2 ? SQLITE_IOERR_WRITE : 0);
}

static void test_a_fault_in_the_middle_of_a_commit(void **state)
{
	struct fixture *f = *state;
	unsigned n = 0;
	struct store *s;

	shim_install();
	s = recording(f);
	shim_watch(flicker, &n);
	for (int i = 0; i < 50; i++) {
		put_samples(s, 1 + i * 300, 1 + (i + 1) * 300);
		nap();
	}
	shim_watch(NULL, NULL);
	shim_fail(0);
	WAIT_FOR(store_health(s).ok && store_health(s).samples == 15001);
	(void)store_close(s, "stopped", 10 * NSEC_PER_SEC);
	shim_remove();
	assert_int_equal(ask_int(f->path, "SELECT count(DISTINCT value_ns) FROM sample"), 15001);
	assert_int_equal(ask_int(f->path, "SELECT count(*) FROM sample"), 15001);
	assert_string_equal(ask(f->path, "PRAGMA integrity_check"), "ok");
}

static void test_what_has_no_room_is_counted(void **state)
{
	struct fixture *f = *state;
	struct store *s;
	uint64_t dropped;
	char code[128];

	shim_install();
	s = recording(f);
	shim_fail(SQLITE_IOERR_WRITE);
	put_samples(s, 1, STORE_QUEUE_MAX + 5000);
	WAIT_FOR(!store_health(s).ok);
	dropped = store_health(s).dropped;
	assert_in_range(dropped, 4000, 5000);
	shim_fail(0);
	assert_recovers("no room", f, s, STORE_QUEUE_MAX + 5000 - (int64_t)dropped);
	shim_remove();
	(void)snprintf(code, sizeof(code),
		       "SELECT detail = '{\"dropped\": %ju}' FROM event "
		       "WHERE code = 'samples-dropped'",
		       (uintmax_t)dropped);
	assert_int_equal(ask_int(f->path, code), 1);
}

/* A file system that is really full, and then is not any more. */
static void fill_a_small_disk(struct fixture *f)
{
	char ballast[128];
	char block[4096] = {0};
	struct store *s;
	int fd;

	assert_int_equal(unshare(CLONE_NEWNS), 0);
	assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	assert_int_equal(mkdir(f->directory, 0750), 0);
	assert_int_equal(mount("none", f->directory, "tmpfs", 0, "size=3m,mode=0750"), 0);
	s = recording(f);
	(void)snprintf(ballast, sizeof(ballast), "%s/ballast", f->directory);
	fd = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	while (write(fd, block, sizeof(block)) == (ssize_t)sizeof(block))
		;
	put_samples(s, 1, 20000);
	WAIT_FOR(!store_health(s).ok);
	assert_non_null(strstr(store_health(s).problem, "make room there"));
	assert_int_equal(ftruncate(fd, 0), 0);
	(void)close(fd);
	assert_recovers("small disk", f, s, 20000);
}

static void test_a_disk_that_is_really_full(void **state)
{
	in_child(fill_a_small_disk, *state);
}

/* The limit of the process, as of a quota. */
static void limit_file_size(rlim_t octets)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = octets;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_a_file_that_may_not_grow(void **state)
{
	struct fixture *f = *state;
	struct store *s;

	(void)signal(SIGXFSZ, SIG_IGN);
	s = recording(f);
	limit_file_size(65536);
	put_samples(s, 1, 20000);
	WAIT_FOR(!store_health(s).ok);
	if (!strstr(store_health(s).problem, "disk I/O error (File too large)"))
		fail_msg("%s", store_health(s).problem);
	limit_file_size(RLIM_INFINITY);
	assert_recovers("limited", f, s, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_faults_are_survived),
		FIXTURE_TEST(test_a_fault_in_the_middle_of_a_commit),
		FIXTURE_TEST(test_what_has_no_room_is_counted),
		FIXTURE_TEST(test_a_disk_that_is_really_full),
		FIXTURE_TEST(test_a_file_that_may_not_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
