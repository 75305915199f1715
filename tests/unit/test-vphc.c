/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lab/vphc.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"

struct fixture {
	char directory[PATH_MAX];
	struct vphc *phc;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	(void)strcpy(f->directory, "/tmp/test-vphc-XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	assert_int_equal(vphc_create(f->directory, "ptp0", 37 * NSEC_PER_SEC, 1000, 0), 0);
	assert_int_equal(vphc_open(&f->phc, f->directory, "ptp0"), 0);
	*state = f;
	return 0;
}

static void remove_file(const struct fixture *f, const char *name)
{
	char path[PATH_MAX + 16];

	(void)snprintf(path, sizeof(path), "%s/%s", f->directory, name);
	(void)unlink(path);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	f->phc = vphc_close(f->phc);
	remove_file(f, "ptp0");
	remove_file(f, "ptp0.clock");
	assert_int_equal(rmdir(f->directory), 0);
	free(f);
	return 0;
}

static void a_new_clock_is_good(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(vphc_time_ns(f->phc, 0), 37 * NSEC_PER_SEC);
	assert_int_equal(vphc_time_ns(f->phc, NSEC_PER_SEC), 38 * NSEC_PER_SEC + 1000);
	assert_int_equal(vphc_order(f->phc, VPHC_PRECISE), EOPNOTSUPP);
	assert_int_equal(vphc_order(f->phc, VPHC_EXTENDED), 0);
	assert_int_equal(vphc_order(f->phc, VPHC_READ), 0);
	assert_true(vphc_order(f->phc, VPHC_WINDOW_NS) > 0);
	assert_int_equal(vphc_create(f->directory, "ptp0", 0, 0, 0), -EEXIST);
}

static void an_order_is_heard_by_all(void **state)
{
	struct fixture *f = *state;
	struct vphc *other = NULL;

	assert_int_equal(vphc_open(&other, f->directory, "ptp0"), 0);
	assert_int_equal(vphc_tell(f->phc, VPHC_READ, EIO), 0);
	assert_int_equal(vphc_order(other, VPHC_READ), EIO);
	vphc_close(other);
}

static void a_stuck_clock_shows_the_same(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(vphc_tell(f->phc, VPHC_STUCK_NS, 12345), 0);
	assert_int_equal(vphc_tell(f->phc, VPHC_STUCK, 1), 0);
	assert_int_equal(vphc_time_ns(f->phc, 0), 12345);
	assert_int_equal(vphc_time_ns(f->phc, NSEC_PER_SEC), 12345);
	assert_int_equal(vphc_tell(f->phc, VPHC_STUCK, 0), 0);
	assert_int_equal(vphc_time_ns(f->phc, 0), 37 * NSEC_PER_SEC);
}

static void what_is_no_clock_is_refused(void **state)
{
	struct fixture *f = *state;
	struct vphc *p = NULL;

	assert_int_equal(vphc_open(&p, f->directory, "ptp1"), -ENOENT);
	assert_int_equal(vphc_open(&p, f->directory, "ptp0.clock"), -EBADMSG);
	assert_null(p);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_new_clock_is_good),
		CASE(an_order_is_heard_by_all),
		CASE(a_stuck_clock_shows_the_same),
		CASE(what_is_no_clock_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
