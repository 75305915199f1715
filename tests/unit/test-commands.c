/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command lines that configurations make. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/parent/commands.h"

static struct config parse(const char *text)
{
	char error[CONFIG_ERROR_MAX] = "";
	struct config c;

	if (config_parse(&c, text, "test", error) != 0)
		fail_msg("%s", error);
	return c;
}

/* All arguments in one line. */
static const char *joined(const struct command *c)
{
	static char line[COMMAND_TEXT_MAX];
	size_t at = 0;

	line[0] = '\0';
	for (size_t i = 0; i < c->n; i++)
		at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s", i ? " " : "",
				       c->argv[i]);
	assert_null(c->argv[c->n]);
	return line;
}

/* clang-format off */
static const struct {
	const char *name, *conf, *version, *line;
} lines[] = {
	{ "a slave of three lines",
	  "[ptpmon]\nrole=slave\ninterfaces=eth0\n", "3.1.1-4",
	  "/sbin/ptp4l -i eth0 --uds_address=/run/ptpmon/eth0/ptp4l --use_syslog=0 --verbose=1 "
	  "--domainNumber=0 --transportSpecific=0 --network_transport=L2 --time_stamping=hardware --tx_timestamp_timeout=20 "
	  "--logSyncInterval=0 --slaveOnly=1" },
	{ "a grandmaster with two ports, from 4.0 on",
	  "[ptpmon]\nrole=grandmaster\ninterfaces=eth0 eth1\n[ptp4l]\ntransport=UDPv4\n"
	  "log_sync_interval=-3\n", "4.2",
	  "/sbin/ptp4l -i eth0 -i eth1 --uds_address=/run/ptpmon/eth0/ptp4l "
	  "--uds_ro_address=/run/ptpmon/eth0/ptp4lro --use_syslog=0 --verbose=1 "
	  "--domainNumber=0 --transportSpecific=0 --network_transport=UDPv4 --time_stamping=hardware --tx_timestamp_timeout=20 "
	  "--logSyncInterval=-3 --priority1=100" },
	{ "a gPTP slave: linuxptp's own gPTP.cfg",
	  "[ptpmon]\nrole=slave\ninterfaces=eth0\n[ptp4l]\nprofile=gptp\nstep_threshold = 20 us\n", "3.1.1",
	  "/sbin/ptp4l -i eth0 --uds_address=/run/ptpmon/eth0/ptp4l --use_syslog=0 --verbose=1 "
	  "--domainNumber=0 --transportSpecific=1 --network_transport=L2 --time_stamping=hardware "
	  "--tx_timestamp_timeout=20 --logSyncInterval=-3 --step_threshold=0.000020000 "
	  "--delay_mechanism=P2P --ptp_dst_mac=01:80:C2:00:00:0E --logAnnounceInterval=0 "
	  "--syncReceiptTimeout=3 --neighborPropDelayThresh=800 --min_neighbor_prop_delay=-20000000 "
	  "--assume_two_step=1 --path_trace_enabled=1 --follow_up_info=1 --priority2=248 "
	  "--gmCapable=0" },
	{ "a gPTP bridge of its own Sync interval",
	  "[ptpmon]\nrole=boundary\ninterfaces=eth0 eth1\n[ptp4l]\nprofile=802.1AS\nlog_sync_interval=-2\n", "4.2",
	  "/sbin/ptp4l -i eth0 -i eth1 --uds_address=/run/ptpmon/eth0/ptp4l "
	  "--uds_ro_address=/run/ptpmon/eth0/ptp4lro --use_syslog=0 --verbose=1 "
	  "--domainNumber=0 --transportSpecific=1 --network_transport=L2 --time_stamping=hardware "
	  "--tx_timestamp_timeout=20 --logSyncInterval=-2 "
	  "--delay_mechanism=P2P --ptp_dst_mac=01:80:C2:00:00:0E --logAnnounceInterval=0 "
	  "--syncReceiptTimeout=3 --neighborPropDelayThresh=800 --min_neighbor_prop_delay=-20000000 "
	  "--assume_two_step=1 --path_trace_enabled=1 --follow_up_info=1 --priority2=248 "
	  "--gmCapable=1 --priority1=248" },
	{ "a file of ptp4l's own is used as it is",
	  "[ptpmon]\nrole=slave\ninterfaces=eth0\n[ptp4l]\nconfig_file=/etc/ptp4l_cfg/gPTP.cfg\n"
	  "extra_arguments=-l 6\n", "4.2",
	  "/sbin/ptp4l -f /etc/ptp4l_cfg/gPTP.cfg -i eth0 --uds_address=/run/ptpmon/eth0/ptp4l "
	  "--uds_ro_address=/run/ptpmon/eth0/ptp4lro --use_syslog=0 --verbose=1 -l 6" },
	{ "everything said by hand",
	  "[ptpmon]\nrole=slave\ninterfaces=eth0\n[ptp4l]\nsocket=/run/x\npriority1=7\ndomain=24\n"
	  "timestamping=software\ntx_timestamp_timeout=1500 us\n"
	  "extra_arguments = -l 7\t--neighborPropDelayThresh=800 \n", "",
	  "/sbin/ptp4l -i eth0 --uds_address=/run/x --use_syslog=0 --verbose=1 "
	  "--domainNumber=24 --transportSpecific=0 --network_transport=L2 --time_stamping=software --tx_timestamp_timeout=2 "
	  "--logSyncInterval=0 --slaveOnly=1 --priority1=7 -l 7 --neighborPropDelayThresh=800" },
};
/* clang-format on */

static void ptp4l_is_started_as_configured(void **state)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct config c = parse(lines[i].conf);
		const struct ptp4l_version version = ptp4l_version_parse(lines[i].version);
		struct command command = {0};

		assert_int_equal(command_ptp4l(&command, &c, 0, "/sbin/ptp4l", &version), 0);
		if (strcmp(joined(&command), lines[i].line) != 0)
			fail_msg("%s:\n%s", lines[i].name, joined(&command));
	}
}

static void a_grandmasters_phc_follows_the_system_clock(void **state)
{
	static struct command out;
	const struct config c = parse("[ptpmon]\nrole = grandmaster\ninterfaces = eth0\n"
				      "[phc2sys]\nextra_arguments = -R 8\n");

	assert_int_equal(command_feeder(&out, &c, "/usr/sbin/phc2sys", 3, 37), 0);
	assert_string_equal(joined(&out),
			    "/usr/sbin/phc2sys -s CLOCK_REALTIME -c /dev/ptp3 -O 37 -F 0.000020000 "
			    "-S 1.000000000 -m -q -R 8");
}

static void one_phc_is_kept_with_another(void **state)
{
	struct command out = {0};
	const struct config c =
		parse("[ptpmon]\nrole = boundary\ninterfaces = eth0 eth1\n"
		      "[phc2sys]\nstep_threshold = 50 ms\nextra_arguments = -R 8\n");

	assert_int_equal(command_joiner(&out, &c, "/usr/sbin/phc2sys", 0, 1), 0);
	assert_string_equal(joined(&out),
			    "/usr/sbin/phc2sys -s /dev/ptp0 -c /dev/ptp1 -O 0 -F 0.000020000 "
			    "-S 0.050000000 -m -q -R 8");
}

static void versions_are_read(void **state)
{
	static const struct {
		const char *text;
		unsigned major, minor;
		const char *kept;
	} versions[] = {
		{"3.1.1-4", 3, 1, "3.1.1-4"},
		{"4.2", 4, 2, "4.2"},
		{"4.4-00010-ge312b95 more", 4, 4, "4.4-00010-ge312b95"},
		{"unknown", 0, 0, ""},
		{"", 0, 0, ""},
	};

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct ptp4l_version v = ptp4l_version_parse(versions[i].text);

		assert_int_equal(v.major, versions[i].major);
		assert_int_equal(v.minor, versions[i].minor);
		assert_string_equal(v.text, versions[i].kept);
	}
}

static void too_many_arguments_are_refused_whole(void **state)
{
	struct config c = parse("[ptpmon]\nrole=slave\ninterfaces=eth0\n");
	const struct ptp4l_version version = {0};
	struct command command = {0};

	for (size_t i = 0; i + 2 < sizeof(c.ptp4l[0].extra_arguments); i += 2)
		(void)memcpy(c.ptp4l[0].extra_arguments + i, "x ", 3);
	assert_int_equal(command_ptp4l(&command, &c, 0, "ptp4l", &version), -E2BIG);
}

static void phc2sys_is_told_all_that_it_is_to_do(void **state)
{
	const struct config plain = parse("[ptpmon]\nrole=slave\ninterfaces=eth0\n");
	const struct config own = parse("[ptpmon]\nrole=slave\ninterfaces=eth0\n"
					"[phc2sys]\nfirst_step=1 ms\nstep_threshold=1500 ms\n"
					"extra_arguments=-R 8  -E linreg\n");
	struct command command = {0};
	struct command second = {0};

	assert_int_equal(command_phc2sys(&command, &plain, "/sbin/phc2sys", 0, 37), 0);
	assert_string_equal(joined(&command), "/sbin/phc2sys -s /dev/ptp0 -c CLOCK_REALTIME -O -37 "
					      "-F 0.000020000 -S 0.000000000 -m -q");
	assert_int_equal(command_phc2sys(&second, &own, "phc2sys", 12, 0), 0);
	assert_string_equal(joined(&second), "phc2sys -s /dev/ptp12 -c CLOCK_REALTIME -O 0 "
					     "-F 0.001000000 -S 1.500000000 -m -q -R 8 -E linreg");
}

static void phc2sys_runs_below_ptp4l(void **state)
{
	const struct config c = parse("[ptpmon]\nrole=slave\ninterfaces=eth0\n");
	struct schedule s;

	assert_int_equal(schedule_phc2sys(&c, &s), 0);
	assert_int_equal(s.policy, SCHED_FIFO);
	assert_int_equal(s.priority, 60);
}

static void the_sampler_gets_its_cpus_and_descriptor(void **state)
{
	const struct config c = parse("[ptpmon]\nrole=slave\ninterfaces=eth0\n"
				      "[latency]\ncpus=0-1,5\ninterval=500 us\npriority=90\n"
				      "idle_states=hold\n");
	struct command command = {0};

	assert_int_equal(command_sampler(&command, &c, "/x/sampler", 9), 0);
	assert_string_equal(joined(&command),
			    "/x/sampler --cpus=0-1,5 --priority=90 --interval=500 us "
			    "--idle-states=hold --on-refusal=warn --fd=9");
}

static void the_schedule_is_fifo_on_the_chosen_cpus(void **state)
{
	const struct config plain = parse("[ptpmon]\nrole=slave\ninterfaces=eth0\n");
	const struct config pinned = parse("[ptpmon]\nrole=slave\ninterfaces=eth0\n"
					   "[ptp4l]\ncpus=1\nfifo_priority=0\n");
	struct schedule s;

	assert_int_equal(schedule_ptp4l(&plain.ptp4l[0], &s), 0);
	assert_int_equal(s.policy, SCHED_FIFO);
	assert_int_equal(s.priority, 70);
	assert_false(s.pinned);
	assert_int_equal(schedule_ptp4l(&pinned.ptp4l[0], &s), 0);
	assert_int_equal(s.policy, SCHED_OTHER);
	assert_int_equal(s.priority, 0);
	assert_true(s.pinned);
	assert_true(cpulist_has(&s.cpus, 1));
	assert_int_equal(cpulist_count(&s.cpus), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ptp4l_is_started_as_configured),
		cmocka_unit_test(a_grandmasters_phc_follows_the_system_clock),
		cmocka_unit_test(one_phc_is_kept_with_another),
		cmocka_unit_test(versions_are_read),
		cmocka_unit_test(too_many_arguments_are_refused_whole),
		cmocka_unit_test(phc2sys_is_told_all_that_it_is_to_do),
		cmocka_unit_test(phc2sys_runs_below_ptp4l),
		cmocka_unit_test(the_sampler_gets_its_cpus_and_descriptor),
		cmocka_unit_test(the_schedule_is_fifo_on_the_chosen_cpus),
	};

	return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}
