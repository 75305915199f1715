/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of a board, from a small copy of its /proc and /sys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "ptpmon/collect/board.h"

static char root[] = "/tmp/test-board-XXXXXX";

static void plant(const char *path, const char *text)
{
	char full[512];
	FILE *f;

	(void)snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(full, 0700);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static json_t *facts(const char *where)
{
	char *text = board_facts(where);
	json_t *object;

	assert_non_null(text);
	object = json_loads(text, 0, NULL);
	free(text);
	assert_true(json_is_object(object));
	return object;
}

static void assert_fact(json_t *object, const char *key, const char *value)
{
	const char *is = json_string_value(json_object_get(object, key));

	if (!is || strcmp(is, value) != 0)
		fail_msg("%s: %s", key, is ? is : "none");
}

#define CPU "/sys/devices/system/cpu/"

static void a_tuned_board_is_described(void **state)
{
	json_t *object;

	plant("/proc/cmdline", "console=ttyLP0 isolcpus=domain,managed_irq,5 root=\"x y\"\n");
	plant("/sys/kernel/realtime", "1\n");
	plant("/sys/firmware/devicetree/base/model", "NXP i.MX95 19X19 board");
	plant(CPU "online", "0-5\n");
	plant(CPU "isolated", "5\n");
	plant(CPU "cpu0/cpufreq/scaling_governor", "performance\n");
	plant(CPU "cpu1/cpufreq/scaling_governor", "performance\n");
	plant(CPU "cpu5/cpufreq/scaling_governor", "ondemand\n");
	plant(CPU "cpu0/cpuidle/state0/name", "WFI\n");
	plant(CPU "cpu0/cpuidle/state0/disable", "0\n");
	plant(CPU "cpu0/cpuidle/state1/name", "cpu-pd-wait\n");
	plant(CPU "cpu0/cpuidle/state1/disable", "1\n");
	object = facts(root);
	assert_fact(object, "command_line",
		    "console=ttyLP0 isolcpus=domain,managed_irq,5 root=\"x y\"");
	assert_fact(object, "realtime_kernel", "1");
	assert_fact(object, "model", "NXP i.MX95 19X19 board");
	assert_fact(object, "online_cpus", "0-5");
	assert_fact(object, "isolated_cpus", "5");
	assert_fact(object, "governor", "performance, ondemand");
	assert_fact(object, "idle_states", "WFI on, cpu-pd-wait off");
	assert_null(json_object_get(object, "clocksource"));
	json_decref(object);
}

static void an_empty_tree_is_no_board(void **state)
{
	json_t *object = facts("/no/such/tree");

	assert_int_equal(json_object_size(object), 0);
	json_decref(object);
}

static void this_machine_has_a_command_line(void **state)
{
	json_t *object = facts("");

	assert_non_null(json_object_get(object, "command_line"));
	assert_non_null(json_object_get(object, "online_cpus"));
	json_decref(object);
}

static int make_root(void **state)
{
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command); /* NOLINT(cert-env33-c): a tree of our own */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tuned_board_is_described),
		cmocka_unit_test(an_empty_tree_is_no_board),
		cmocka_unit_test(this_machine_has_a_command_line),
	};

	return cmocka_run_group_tests_name("board", tests, make_root, remove_root);
}
