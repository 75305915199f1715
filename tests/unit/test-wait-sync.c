// SPDX-License-Identifier: GPL-2.0-or-later
/* wait-sync: against a service that is ready, is not, is not there, or comes back. */
#include "commands-fixture.h"

/* Not ready: the condition that fails; not there, or not yet. */
static void test_wait_sync(void **state)
{
	static const char *const patient[] = {"wait-sync", "-c", "CONFIG", NULL};
	struct fixture *f = *state;
	char output[TEXT_MAX];
	pid_t pid;

	stop_service(f);
	assert_int_equal(unlink(f->socket), 0);
	assert_int_equal(RUN(f, "wait-sync", "-c", "CONFIG", "-t", "300ms"), EXIT_BAD);
	read_file(f->output, output);
	assert_true(is_one_line(output));
	assert_non_null(strstr(output, "/control: no service listens there\n"));

	f->status = &status_fixtures[2];
	assert_string_equal(f->status->name, "no-data");
	start_service(f, false);
	assert_int_equal(RUN(f, "wait-sync", "-c", "CONFIG", "-t", "300ms"), EXIT_BAD);
	read_file(f->output, output);
	assert_true(is_one_line(output));
	assert_non_null(strstr(output, "ptpmon wait-sync: not synchronised after "));
	assert_non_null(strstr(output, ": eth0: port state unknown, never seen yet\n"));
	assert_int_equal(RUN(f, "wait-sync", "-c", "CONFIG", "-t", "300ms", "--json"), EXIT_BAD);
	assert_non_null(strstr(read_file(f->output, output),
			       "\"reason\": \"eth0: port state unknown, never seen yet\""));

	/* one that is killed, and is ready when it comes back */
	pid = start_command(f, patient);
	(void)poll(NULL, 0, 300);
	stop_service(f);
	assert_int_equal(unlink(f->socket), 0);
	(void)poll(NULL, 0, 300);
	f->status = &status_fixtures[0];
	start_service(f, false);
	assert_int_equal(wait_command(pid), EXIT_GOOD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_wait_sync)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
