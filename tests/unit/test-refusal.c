/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each way to be refused is told apart, in trees that are made for it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/supervise/refusal.h"
#include "tree-fixture.h"

#define CPUS "/sys/devices/system/cpu/"
#define V1                                                                                         \
	"31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"                                        \
	"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup "            \
	"rw,cpu,cpuacct\n"                                                                         \
	"33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"                        \
	"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
#define V2 "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"

static void board(const char *capabilities, const char *rtprio, const char *cgroup,
		  const char *mounts)
{
	plant("/proc/self/status", "Name:\tx\nCapInh:\t0000000000000000\nCapEff:\t%s\n",
	      capabilities);
	plant("/proc/self/limits",
	      "Limit                     Soft Limit           Hard Limit           Units     \n"
	      "Max nice priority         0                    0                    \n"
	      "Max realtime priority     %-20s %-20s \n",
	      rtprio, rtprio);
	plant("/proc/self/cgroup", "%s", cgroup);
	plant("/proc/self/mountinfo", "%s", mounts);
}

#define ALL_CAPS "000001ffffffffff"
#define NICE_CAP "0000000000800000"
#define NO_CAPS  "0000000000000000"
#define NOT_NICE "000001ffff7fffff"
#define V1_ROOT  "3:cpuset:/\n2:cpu,cpuacct:/\n0::/\n"
#define V1_CHILD "3:cpuset:/\n2:cpu,cpuacct:/system.slice/ptpmon.service\n0::/\n"
#define V2_CHILD "0::/system.slice/ptpmon.service\n"

/* clang-format off */
static const struct {
	const char *name, *capabilities, *rtprio, *cgroup, *mounts;
	int error;
	const char *says[3], *says_not;
} rows[] = {
	{ "no capability, no limit",  NO_CAPS,  "0",  V1_ROOT, V1, EPERM,
	  { "no CAP_SYS_NICE", "RLIMIT_RTPRIO is 0", "AmbientCapabilities=CAP_SYS_NICE" }, "cgroup" },
	{ "all but that capability",  NOT_NICE, "0",  V1_ROOT, V1, EPERM, { "no CAP_SYS_NICE" }, "cgroup" },
	{ "a limit too low",          NO_CAPS,  "50", V1_ROOT, V1, EPERM,
	  { "RLIMIT_RTPRIO allows priority 50 at most", "LimitRTPRIO= to 70" }, "cgroup" },
	{ "no budget",                NICE_CAP, "0",  V1_CHILD, V1, EPERM,
	  { "RT group scheduling gives this cgroup no real-time time",
	    "write 950000 to /sys/fs/cgroup/cpu,cpuacct/system.slice/ptpmon.service/cpu.rt_runtime_us" },
	  "CAP_SYS_NICE" },
	{ "no budget, no capability", NO_CAPS,  "0",  V1_CHILD, V1, EPERM,
	  { "no CAP_SYS_NICE", "; RT group scheduling" }, NULL },
	{ "no budget, limit enough",  NO_CAPS,  "99", V1_CHILD, V1, EPERM, { "RT group" }, "CAP_SYS" },
	{ "version 2",                ALL_CAPS, "0",  V2_CHILD, V2, EPERM, { "rt_group_sched=0" }, "CAP_SYS" },
	{ "nothing known is wrong",   ALL_CAPS, "0",  V1_ROOT, V1, EPERM, { "in spite of CAP_SYS_NICE" }, "cgroup" },
	{ "another error",            NO_CAPS,  "0",  V1_CHILD, V1, EINVAL, { "Invalid argument" }, "CAP" },
};
/* clang-format on */

static void each_refusal_is_told_apart(void **state)
{
	plant("/sys/fs/cgroup/cpu,cpuacct/cpu.rt_runtime_us", "950000\n");
	plant("/sys/fs/cgroup/cpu,cpuacct/system.slice/ptpmon.service/cpu.rt_runtime_us", "0\n");
	plant("/sys/fs/cgroup/system.slice/ptpmon.service/cpu.max", "max 100000\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct refusal_facts f;
		char why[REFUSAL_WHY_MAX];

		board(rows[i].capabilities, rows[i].rtprio, rows[i].cgroup, rows[i].mounts);
		refusal_read(&f, tree());
		refusal_explain_priority(&f, rows[i].error, 70, why);
		for (size_t j = 0; j < 3 && rows[i].says[j]; j++)
			if (!strstr(why, rows[i].says[j]))
				fail_msg("%s: %s", rows[i].name, why);
		if (rows[i].says_not && strstr(why, rows[i].says_not))
			fail_msg("%s: %s", rows[i].name, why);
	}
}

static void a_container_sees_part_of_the_tree(void **state)
{
	struct refusal_facts f;

	plant("/sys/fs/cgroup/c/cpu.rt_runtime_us", "0\n");
	board(ALL_CAPS, "0", "2:cpu:/box/c\n",
	      "32 31 0:29 /box /sys/fs/cgroup rw - cgroup cgroup rw,cpu\n");
	refusal_read(&f, tree());
	assert_string_equal(f.no_budget_file, "/sys/fs/cgroup/c/cpu.rt_runtime_us");
}

static const char *why_not(const char *list)
{
	static char why[REFUSAL_WHY_MAX];
	struct refusal_facts f;
	struct cpulist cpus;

	assert_int_equal(cpulist_parse(list, &cpus), 0);
	refusal_read(&f, tree());
	refusal_explain_cpus(&f, &cpus, why);
	return why;
}

static void a_cpu_that_cannot_be_had_is_named(void **state)
{
	plant(CPUS "present", "0-5\n");
	plant(CPUS "online", "0-2,4-5\n");
	plant(CPUS "isolated", "5\n");
	plant("/sys/fs/cgroup/cpuset/cpuset.effective_cpus", "0-2,4\n");
	board(ALL_CAPS, "0", V1_ROOT, V1);
	assert_string_equal(why_not("0-2,4"), "");
	assert_string_equal(why_not("9"), "no such CPU: 9: this machine has 0-5");
	assert_string_equal(why_not("3"),
			    "CPU 3 offline: write 1 to /sys/devices/system/cpu/cpu3/online");
	assert_string_equal(why_not("5"), "CPU 5 isolated away from /sys/fs/cgroup/cpuset: "
					  "another cpuset has it");
	assert_string_equal(why_not("3,9"),
			    "no such CPU: 9: this machine has 0-5; CPU 3 offline: write 1 to "
			    "/sys/devices/system/cpu/cpu3/online");
	plant("/sys/fs/cgroup/cpuset/cpuset.effective_cpus", "0-1,4-5\n");
	assert_string_equal(why_not("2"),
			    "CPU 2 not in cpuset /sys/fs/cgroup/cpuset, which allows 0-1,4-5");
}

static void a_group_without_a_cpuset_has_its_parents(void **state)
{
	plant("/sys/fs/cgroup/system.slice/cpuset.cpus.effective", "0-1\n");
	board(ALL_CAPS, "0", V2_CHILD, V2);
	assert_string_equal(why_not("2"),
			    "CPU 2 not in cpuset /sys/fs/cgroup/system.slice, which allows 0-1");
}

static void a_machine_without_control_groups_has_only_cpus(void **state)
{
	board(ALL_CAPS, "0", "", "");
	assert_string_equal(why_not("2,5"), "");
	assert_string_equal(why_not("3"),
			    "CPU 3 offline: write 1 to /sys/devices/system/cpu/cpu3/online");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refusal_is_told_apart),
		cmocka_unit_test(a_container_sees_part_of_the_tree),
		cmocka_unit_test(a_cpu_that_cannot_be_had_is_named),
		cmocka_unit_test(a_group_without_a_cpuset_has_its_parents),
		cmocka_unit_test(a_machine_without_control_groups_has_only_cpus),
	};

	return cmocka_run_group_tests_name("refusal", tests, make_tree, remove_tree);
}
