/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/boards.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/clean.h"

__attribute__((format(printf, 2, 3))) static void alert(struct compare *c, const char *fmt, ...)
{
	va_list ap;

	if (c->n_alerts == COMPARE_ALERTS_MAX)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(c->alerts[c->n_alerts++], REPORT_TEXT_MAX, fmt, ap);
	va_end(ap);
}

/* If they differ; "" is shown as "-". */
static int add(struct compare *c, const char *what, const char *a, const char *b)
{
	struct compare_difference *bigger;

	if (strcmp(a, b) == 0)
		return 0;
	bigger = reallocarray(c->differences, c->n_differences + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	c->differences = bigger;
	bigger += c->n_differences++;
	CLEAN(bigger->what, what);
	CLEAN(bigger->a, *a ? a : "-");
	CLEAN(bigger->b, *b ? b : "-");
	return 0;
}

enum realtime { REALTIME_UNKNOWN, REALTIME_NOT, REALTIME_IS };

/* "6.6.36-rt35", "6.1.0-rt5-arm64": -rt with a number that is a word of the release. */
static bool has_patch_level(const char *release)
{
	for (const char *at = release; (at = strstr(at, "-rt")); at += strlen("-rt")) {
		const char *number = at + strlen("-rt");
		size_t n = strspn(number, "0123456789");

		if (n > 0 && !isalnum((unsigned char)number[n]))
			return true;
	}
	return false;
}

/*
 * From uname's release and version: "#1 SMP PREEMPT_RT Debian …", or "PREEMPT RT" before Linux
 * 5.x. A kernel with the patch may be built without it, so the release counts only where there is
 * no version, and alone it never tells that a kernel is not.
 */
static enum realtime realtime_of_kernel(const char *kernel)
{
	const char *version = strchr(kernel, '#');

	if (!version)
		return has_patch_level(kernel) ? REALTIME_IS : REALTIME_UNKNOWN;
	return strstr(version, "PREEMPT_RT") || strstr(version, "PREEMPT RT") ? REALTIME_IS
									      : REALTIME_NOT;
}

/* The kernel's own word, "1" or "0", is better than its name. */
static enum realtime realtime_of(const struct compare_side *side)
{
	json_auto_t *board = json_loads(side->board, 0, NULL);
	const char *fact = json_string_value(json_object_get(board, "realtime_kernel"));

	if (fact && strcmp(fact, "1") == 0)
		return REALTIME_IS;
	if (fact && strcmp(fact, "0") == 0)
		return REALTIME_NOT;
	return realtime_of_kernel(side->report->run.kernel);
}

static void compare_realtime(struct compare *c)
{
	enum realtime before = realtime_of(&c->a);
	enum realtime after = realtime_of(&c->b);

	if (before == REALTIME_IS && after == REALTIME_NOT)
		alert(c, "B DID NOT RUN A REAL-TIME KERNEL, A did: %.90s", c->b.report->run.kernel);
	if (before == REALTIME_NOT && after == REALTIME_IS)
		alert(c, "A DID NOT RUN A REAL-TIME KERNEL, B did: %.90s", c->a.report->run.kernel);
}

/* How the latency of a CPU was measured decides what it is worth. */
static int compare_sampler(struct compare *c, const struct report_latency_series *a,
			   const struct report_latency_series *b)
{
	char what[REPORT_NAME_MAX];
	int r = 0;

	(void)snprintf(what, sizeof(what), "%.40s: real-time", a->series.subject);
	if (a->realtime_known && b->realtime_known)
		r = add(c, what, a->not_realtime ? "no" : "yes", b->not_realtime ? "no" : "yes");
	(void)snprintf(what, sizeof(what), "%.40s: idle states", a->series.subject);
	if (r == 0)
		r = add(c, what, report_idle_name(a->idle_states),
			report_idle_name(b->idle_states));
	return r;
}

/* Said once, whatever the number of CPUs. */
static void alert_of_samplers(struct compare *c)
{
	bool realtime = false;
	bool idle = false;

	for (size_t i = 0; i < c->n_differences; i++) {
		realtime |= !!strstr(c->differences[i].what, ": real-time");
		idle |= !!strstr(c->differences[i].what, ": idle states");
	}
	if (realtime)
		alert(c, "latency was measured in real time in one run only: it does not compare");
	if (idle)
		alert(c, "idle states were not treated alike: latency does not compare");
}

static int compare_samplers(struct compare *c)
{
	const struct report *a = c->a.report;
	const struct report *b = c->b.report;
	int r = 0;

	for (size_t i = 0; i < a->n_latencies && r == 0; i++)
		for (size_t k = 0; k < b->n_latencies && r == 0; k++)
			if (strcmp(a->latencies[i].series.subject,
				   b->latencies[k].series.subject) == 0)
				r = compare_sampler(c, &a->latencies[i], &b->latencies[k]);
	return r;
}

/* INI text as an object: {"[ptp4l] domain": "0", …}. NULL without memory. */
static json_t *flatten(const char *text)
{
	json_t *object = json_object();
	char section[REPORT_NAME_MAX] = "";

	for (size_t len; *text; text += len + (text[len] == '\n')) {
		char line[REPORT_TEXT_MAX];
		char name[REPORT_NAME_MAX + REPORT_TEXT_MAX];
		char *value;

		len = strcspn(text, "\n");
		(void)snprintf(line, sizeof(line), "%.*s", (int)(len < INT_MAX ? len : INT_MAX),
			       text);
		if (line[0] == '[') {
			CLEAN(section, line);
			continue;
		}
		value = strstr(line, " = ");
		if (!value || line[0] == '#')
			continue;
		*value = '\0';
		CLEAN(name, section);
		(void)snprintf(name + strlen(name), sizeof(name) - strlen(name), " %s", line);
		(void)json_object_set_new(object, name,
					  json_stringn_nocheck(value + 3, strlen(value + 3)));
	}
	return object;
}

/* A string as it is, all else as JSON writes it; "" for what is not there. */
static void write_value(const json_t *value, char out[static REPORT_TEXT_MAX])
{
	CLEANUP(freep) char *text = NULL;

	if (value && !json_is_string(value))
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
	clean_copy(out, REPORT_TEXT_MAX, text ? text : json_string_value(value));
}

static int compare_value(struct compare *c, const char *prefix, const char *key, const json_t *a,
			 const json_t *b)
{
	char what[REPORT_TEXT_MAX];
	char one[REPORT_TEXT_MAX];
	char other[REPORT_TEXT_MAX];

	(void)snprintf(what, sizeof(what), "%s%.200s", prefix, key);
	write_value(a, one);
	write_value(b, other);
	return add(c, what, one, other);
}

static int compare_objects(struct compare *c, const char *prefix, json_t *a, json_t *b)
{
	const char *key;
	json_t *value;
	int r = 0;

	json_object_foreach(a, key, value) if (r == 0) r =
		compare_value(c, prefix, key, value, json_object_get(b, key));
	json_object_foreach(b, key, value) if (r == 0 && !json_object_get(a, key)) r =
		compare_value(c, prefix, key, NULL, value);
	return r;
}

static int compare_configurations(struct compare *c)
{
	json_auto_t *a = flatten(c->a.configuration);
	json_auto_t *b = flatten(c->b.configuration);

	return a && b ? compare_objects(c, "", a, b) : -ENOMEM;
}

/* What is no object is nothing. */
static int compare_board_facts(struct compare *c)
{
	json_auto_t *a = json_loads(c->a.board, 0, NULL);
	json_auto_t *b = json_loads(c->b.board, 0, NULL);

	return compare_objects(c, "board: ", a, b);
}

static int compare_runs(struct compare *c)
{
	const struct report_run *a = &c->a.report->run;
	const struct report_run *b = &c->b.report->run;
	int r = add(c, "kernel", a->kernel, b->kernel);

	if (r == 0)
		r = add(c, "machine", a->machine, b->machine);
	if (r == 0)
		r = add(c, "host", a->host, b->host);
	if (r == 0)
		r = add(c, "role", a->role, b->role);
	if (r == 0)
		r = add(c, "ptpmon", a->version, b->version);
	return r < 0 ? r : add(c, "ptp4l", a->ptp4l_version, b->ptp4l_version);
}

int compare_boards(struct compare *c)
{
	static int (*const steps[])(struct compare *) = {
		compare_runs,
		compare_samplers,
		compare_board_facts,
		compare_configurations,
	};
	int r = 0;

	compare_realtime(c);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && r == 0; i++)
		r = steps[i](c);
	alert_of_samplers(c);
	return r;
}
