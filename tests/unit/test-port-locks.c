/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One ptpmon on a port, and one writer on a PHC. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/parent/port_locks.h"

static struct config parse(const char *text)
{
	char error[CONFIG_ERROR_MAX] = "";
	struct config c;

	if (config_parse(&c, text, "test", error) != 0)
		fail_msg("%s", error);
	return c;
}

/* Names that no port of this machine has: the test may run beside a service. */
static void a_port_is_taken_once(void **state)
{
	const struct config c = parse("[ptpmon]\nrole=slave\ninterfaces=unit-a\n");
	const struct config more = parse("[ptpmon]\nrole=slave\ninterfaces=unit-a\n"
					 "[ptp4l b]\nrole=grandmaster\ninterfaces=unit-b\n");
	const struct config watching = parse("[ptpmon]\nrole=monitor\ninterfaces=unit-a\n");
	char why[PORT_LOCKS_WHY_MAX] = "";
	char expected[64];
	struct port_locks ours = {0};
	struct port_locks theirs = {0};

	assert_int_equal(port_locks_move(&ours, &c, why), 0);
	assert_int_equal(port_locks_move(&theirs, &c, why), -EBUSY);
	(void)snprintf(expected, sizeof(expected), "unit-a: another ptpmon (pid %d) runs",
		       (int)getpid());
	assert_non_null(strstr(why, expected));
	assert_int_equal(port_locks_move(&theirs, &watching, why), 0);
	/* what is wanted still stays taken; on failure all stays */
	assert_int_equal(port_locks_move(&ours, &more, why), 0);
	assert_int_equal(port_locks_move(&theirs, &more, why), -EBUSY);
	assert_int_equal(theirs.n, 0);
	assert_int_equal(port_locks_move(&ours, &watching, why), 0);
	assert_int_equal(port_locks_move(&theirs, &more, why), 0);
	assert_int_equal(theirs.n, 2);
	assert_int_equal(port_locks_move(&ours, &c, why), -EBUSY);
	port_locks_release(&theirs);
	assert_int_equal(port_locks_move(&ours, &c, why), 0);
	port_locks_release(&ours);
}

/* eth0 and eth1 have one clock, as on an i.MX 95; eth2 has its own; others have none. */
static int phc_index(const char *interface)
{
	static const struct {
		const char *name;
		int index;
	} phcs[] = {{"eth0", 0}, {"eth1", 0}, {"eth2", 1}};

	for (size_t i = 0; i < sizeof(phcs) / sizeof(phcs[0]); i++)
		if (strcmp(phcs[i].name, interface) == 0)
			return phcs[i].index;
	return -1;
}

/* clang-format off */
static const struct {
	const char *name, *conf;
	int result;
} sharings[] = {
	{ "two slaves on one PHC", "[ptpmon]\nrole=slave\ninterfaces=eth0\n[ptp4l b]\ninterfaces=eth1\n", -EBUSY },
	{ "a slave and a grandmaster", "[ptpmon]\nrole=slave\ninterfaces=eth0\n[ptp4l b]\nrole=grandmaster\ninterfaces=eth1\n", 0 },
	{ "two slaves on two PHCs", "[ptpmon]\nrole=slave\ninterfaces=eth0\n[ptp4l b]\ninterfaces=eth2\n", 0 },
	{ "two boundary clocks that meet", "[ptpmon]\nrole=boundary\ninterfaces=eth0 eth9\n[ptp4l b]\ninterfaces=eth2 eth1\n", -EBUSY },
	{ "ports without clocks", "[ptpmon]\nrole=slave\ninterfaces=eth8\n[ptp4l b]\ninterfaces=eth9\n", 0 },
	{ "one of them has software timestamps", "[ptpmon]\nrole=slave\ninterfaces=eth0\n[ptp4l b]\ninterfaces=eth1\ntimestamping=software\n", 0 },
	{ "one of them is somebody else's, and a slave", "[ptpmon]\nrole=slave\ninterfaces=eth0\n[ptp4l b]\ninterfaces=eth1\nmanage=no\n", -EBUSY },
	{ "one is only watched", "[ptpmon]\nrole=slave\ninterfaces=eth0\n[ptp4l b]\ninterfaces=eth1\nrole=monitor\n", 0 },
};
/* clang-format on */

static void a_phc_has_one_writer(void **state)
{
	for (size_t i = 0; i < sizeof(sharings) / sizeof(sharings[0]); i++) {
		const struct config c = parse(sharings[i].conf);
		char why[PORT_LOCKS_WHY_MAX] = "";
		int r = phc_is_shared(&c, 1, PHC_ANY_OTHER, phc_index, why);

		if (r != sharings[i].result || (r < 0) != (strstr(why, "/dev/ptp0") != NULL))
			fail_msg("%s: %d, %s", sharings[i].name, r, why);
		/* only one of them waits for the other */
		assert_int_equal(phc_is_shared(&c, 0, PHC_ANY_OTHER, phc_index, why),
				 sharings[i].result);
		assert_int_equal(phc_is_shared(&c, 0, 0x1, phc_index, why), 0);
	}
}

/* clang-format off */
static const struct {
	const char *name, *ports;
	const char *firsts; /* of each PHC */
	bool several;
} joins[] = {
	{ "one PHC, as on an i.MX 95", "eth0 eth1", "eth0", false },
	{ "two", "eth0 eth2", "eth0 eth2", true },
	{ "the other way round, and a third port", "eth2 eth1 eth0", "eth2 eth1", true },
	{ "a port that is not there yet may have one", "eth0 eth8", "eth0 eth8", false },
	{ "… each of them", "eth8 eth9", "eth8 eth9", false },
	{ "… between others", "eth9 eth0 eth1 eth2", "eth9 eth0 eth2", true },
};
/* clang-format on */

static void the_phcs_of_a_boundary_clock_are_told_apart(void **state)
{
	for (size_t i = 0; i < sizeof(joins) / sizeof(joins[0]); i++) {
		size_t ports[CONFIG_INTERFACES_MAX];
		char conf[128];
		char firsts[128] = "";
		struct config c;
		size_t n;

		(void)snprintf(conf, sizeof(conf), "[ptpmon]\nrole=boundary\ninterfaces=%s\n",
			       joins[i].ports);
		c = parse(conf);
		n = phc_first_ports(&c.ptp4l[0], phc_index, ports);
		for (size_t k = 0; k < n; k++) {
			(void)strcat(firsts, k ? " " : "");
			(void)strcat(firsts, c.ptp4l[0].interfaces.name[ports[k]]);
		}
		if (strcmp(firsts, joins[i].firsts) != 0 ||
		    phc_are_several(&c.ptp4l[0], phc_index) != joins[i].several)
			fail_msg("%s: %s", joins[i].name, firsts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_is_taken_once),
		cmocka_unit_test(a_phc_has_one_writer),
		cmocka_unit_test(the_phcs_of_a_boundary_clock_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
