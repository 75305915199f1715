/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/board.h"

#include <glob.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/strbuf.h"

enum { FACT_MAX = 4096, PATH_BYTES = 512 };

/* The first line of a file (a device tree's text ends in NUL), or false. */
static bool read_fact(const char *path, char out[static FACT_MAX])
{
	CLEANUP(fclosep) FILE *f = fopen(path, "re");

	if (!f || !fgets(out, FACT_MAX, f))
		return false;
	out[strcspn(out, "\n")] = '\0';
	return *out;
}

static void add_fact(json_t *facts, const char *key, const char *text)
{
	json_t *value = json_string(text); /* NULL for what is not UTF-8 */

	if (value)
		(void)json_object_set_new(facts, key, value);
}

static void add_file(json_t *facts, const char *key, const char *root, const char *path)
{
	char full[PATH_BYTES];
	char fact[FACT_MAX];

	(void)snprintf(full, sizeof(full), "%s%s", root, path);
	if (!json_object_get(facts, key) && read_fact(full, fact))
		add_fact(facts, key, fact);
}

/* Every value that the files have, once: governors of CPUs that differ are all named. */
static void add_values(json_t *facts, const char *key, const char *root, const char *pattern)
{
	CLEANUP(strbuf_clear) struct strbuf values = {0};
	char full[PATH_BYTES];
	char fact[FACT_MAX];
	glob_t found = {0};

	(void)snprintf(full, sizeof(full), "%s%s", root, pattern);
	if (glob(full, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *so_far = strbuf_text(&values);

			if (read_fact(found.gl_pathv[i], fact) && so_far && !strstr(so_far, fact))
				strbuf_addf(&values, "%s%s", *so_far ? ", " : "", fact);
		}
	globfree(&found);
	if (strbuf_text(&values) && *strbuf_text(&values))
		add_fact(facts, key, strbuf_text(&values));
}

/* "WFI on, cpu-pd-wait off" of the first CPU. */
static void add_idle_states(json_t *facts, const char *root)
{
	CLEANUP(strbuf_clear) struct strbuf states = {0};
	char name[FACT_MAX];
	char disabled[FACT_MAX];
	char path[PATH_BYTES];

	for (int i = 0;; i++) {
		(void)snprintf(path, sizeof(path),
			       "%s/sys/devices/system/cpu/cpu0/cpuidle/state%d/name", root, i);
		if (!read_fact(path, name))
			break;
		(void)snprintf(path, sizeof(path),
			       "%s/sys/devices/system/cpu/cpu0/cpuidle/state%d/disable", root, i);
		strbuf_addf(&states, "%s%.64s %s", i ? ", " : "", name,
			    read_fact(path, disabled) && strcmp(disabled, "0") != 0 ? "off" : "on");
	}
	if (strbuf_text(&states) && *strbuf_text(&states))
		add_fact(facts, "idle_states", strbuf_text(&states));
}

char *board_facts(const char *root)
{
	json_auto_t *facts = json_object();

	add_file(facts, "model", root, "/sys/firmware/devicetree/base/model");
	add_file(facts, "model", root, "/sys/class/dmi/id/product_name");
	add_file(facts, "command_line", root, "/proc/cmdline");
	add_file(facts, "realtime_kernel", root, "/sys/kernel/realtime");
	add_file(facts, "online_cpus", root, "/sys/devices/system/cpu/online");
	add_file(facts, "isolated_cpus", root, "/sys/devices/system/cpu/isolated");
	add_file(facts, "clocksource", root,
		 "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	add_values(facts, "governor", root,
		   "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor");
	add_idle_states(facts, root);
	return json_dumps(facts, JSON_COMPACT);
}
