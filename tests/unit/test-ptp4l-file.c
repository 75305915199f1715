/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A configuration file of ptp4l that is used as it is. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/conf/ptp4l_file.h"

static void what_is_looked_for_is_found(void **state)
{
	static const char text[] = "# a comment\n[global]\n\tgmCapable\t\t1\ndomainNumber 24\r\n"
				   "transportSpecific\t0x1\nuds_address   /run/here/ptp4l\n"
				   "uds_ro_address /run/here/ro\nclientOnly 1\n#domainNumber 3\n"
				   "time_stamping software\n\n[unicast_master_table]\ntable_id 1\n"
				   "[eth0]\nlogSyncInterval -3\n[eth1]\n[eth0]\n";
	char error[CONFIG_ERROR_MAX] = "";
	struct ptp4l_file f;

	assert_int_equal(ptp4l_file_parse(&f, text, "x", error), 0);
	assert_int_equal(f.domain, 24);
	assert_int_equal(f.transport_specific, 1);
	assert_string_equal(f.uds_address, "/run/here/ptp4l");
	assert_string_equal(f.uds_ro_address, "/run/here/ro");
	assert_true(f.slave_only);
	assert_int_equal(f.timestamping, TIMESTAMPING_SOFTWARE);
	assert_int_equal(f.interfaces.n, 2);
	assert_string_equal(f.interfaces.name[0], "eth0");
	assert_string_equal(f.interfaces.name[1], "eth1");
}

static void what_is_not_said_is_as_ptp4l_has_it(void **state)
{
	char error[CONFIG_ERROR_MAX] = "";
	struct ptp4l_file f;

	assert_int_equal(ptp4l_file_parse(&f, "", "x", error), 0);
	assert_int_equal(f.domain, 0);
	assert_int_equal(f.transport_specific, 0);
	assert_string_equal(f.uds_address, "");
	assert_false(f.slave_only);
	assert_int_equal(f.timestamping, TIMESTAMPING_HARDWARE);
	assert_int_equal(f.interfaces.n, 0);
}

/* clang-format off */
static const struct {
	const char *text, *error;
} refused[] = {
	{ "[global]\ndomainNumber many\n", "x:2: domainNumber: not a number from 0 to 127" },
	{ "[global]\ndomainNumber 128\n", "x:2: domainNumber: not a number from 0 to 127" },
	{ "[global]\ntransportSpecific 0x10\n", "x:2: transportSpecific: not a number from 0 to 15" },
	{ "[global]\nuds_address ptp4l\n", "x:2: uds_address: not an absolute path of a socket" },
	{ "[global]\ntime_stamping legacy\n", "x:2: time_stamping: none that ptpmon knows" },
	{ "[global\n", "x:1: a section header ends in ']'" },
	{ "\n[a-name-that-is-too-long]\n", "x:2: [a-name-that-is-too-long]: cannot be the name of an interface" },
};
/* clang-format on */

static void what_is_wrong_names_file_and_line(void **state)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		char error[CONFIG_ERROR_MAX] = "";
		struct ptp4l_file f;

		if (ptp4l_file_parse(&f, refused[i].text, "x", error) != -EINVAL ||
		    strcmp(error, refused[i].error) != 0)
			fail_msg("expected: %s\n     got: %s", refused[i].error, error);
	}
}

/* A file with that text; its name is valid until the next call. */
static const char *file_of(const char *text)
{
	static char path[] = "/tmp/test-ptp4l-file-XXXXXX";
	FILE *f;
	int fd;

	(void)strcpy(path, "/tmp/test-ptp4l-file-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	(void)fputs(text, f);
	assert_int_equal(fclose(f), 0);
	return path;
}

static int configure(struct config *c, const char *ptpmon, const char *ptp4l, char *error)
{
	const char *path = file_of(ptp4l);
	char text[1024];
	int r;

	(void)snprintf(text, sizeof(text), "%s[ptp4l]\nconfig_file = %s\n", ptpmon, path);
	r = config_parse(c, text, "x", error);
	if (r == 0)
		r = config_read_ptp4l_files(c, error);
	(void)unlink(path);
	return r;
}

static void an_instance_has_what_its_file_says(void **state)
{
	char error[CONFIG_ERROR_MAX] = "";
	char path[CONFIG_PATH_MAX];
	struct config c;
	struct config again;
	char *text;

	assert_int_equal(configure(&c, "[ptpmon]\nrole = slave\n",
				   "[global]\ndomainNumber 5\ntransportSpecific 1\n[eth3]\n",
				   error),
			 0);
	assert_int_equal(c.n_ptp4l, 1);
	assert_int_equal(c.ptp4l[0].domain, 5);
	assert_int_equal(c.ptp4l[0].transport_specific, 1);
	assert_string_equal(c.ptp4l[0].interfaces.name[0], "eth3");
	assert_string_equal(config_ptp4l_socket(&c, 0, path), "/run/ptpmon/eth3/ptp4l");

	assert_int_equal(configure(&c, "[ptpmon]\nrole = boundary\ninterfaces = eth1 eth2\n",
				   "[global]\nuds_address /run/theirs\n[eth2]\n[eth3]\n", error),
			 0);
	assert_int_equal(c.ptp4l[0].interfaces.n, 3);
	assert_string_equal(c.ptp4l[0].interfaces.name[2], "eth3");
	text = config_to_text(&c); /* as the recorder gets it, which cannot read the file */
	assert_int_equal(config_parse(&again, text, "again", error), 0);
	free(text);
	assert_int_equal(again.ptp4l[0].interfaces.n, 3);
	assert_string_equal(config_ptp4l_socket(&c, 0, path), "/run/theirs");
}

static void a_file_that_does_not_suit_is_refused(void **state)
{
	char error[CONFIG_ERROR_MAX] = "";
	struct config c;

	assert_int_equal(configure(&c, "[ptpmon]\nrole = slave\n", "[global]\n", error), -EINVAL);
	assert_non_null(strstr(error, "missing: the ports of this ptp4l"));
	assert_int_equal(configure(&c, "[ptpmon]\nrole = slave\n", "[eth0]\n[eth1]\n", error),
			 -EINVAL);
	assert_non_null(strstr(error, "a slave has one port, these are 2"));
	assert_int_equal(configure(&c, "[ptpmon]\nrole = grandmaster\ninterfaces = eth0\n",
				   "[global]\nslaveOnly 1\n", error),
			 -EINVAL);
	assert_non_null(strstr(error, "slaveOnly, and [ptp4l] is a grandmaster"));
}

static void a_key_that_the_file_has_is_not_also_ours(void **state)
{
	char error[CONFIG_ERROR_MAX] = "";
	char path[64];
	struct config c;

	(void)snprintf(
		path, sizeof(path), "%s",
		file_of("[ptpmon]\nrole = slave\n[ptp4l]\nconfig_file = /etc/x\ndomain = 3\n"));
	assert_int_equal(config_load(&c, path, error), -EINVAL);
	assert_non_null(strstr(error, ":5: [ptp4l] domain: does not count beside config_file: say "
				      "it in /etc/x"));
	(void)unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_looked_for_is_found),
		cmocka_unit_test(what_is_not_said_is_as_ptp4l_has_it),
		cmocka_unit_test(what_is_wrong_names_file_and_line),
		cmocka_unit_test(an_instance_has_what_its_file_says),
		cmocka_unit_test(a_file_that_does_not_suit_is_refused),
		cmocka_unit_test(a_key_that_the_file_has_is_not_also_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
