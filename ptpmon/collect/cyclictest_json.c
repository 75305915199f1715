/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/cyclictest_impl.h"
#include "ptpmon/model/timemap.h"

/* Where the line ends that begins with the command line; if all is one line, where the next key
 * begins. */
static char *end_of_cmdline(char *cmdline)
{
	static const char *const next[] = {"\"rt_test_version", "\"start_time"};
	char *end = strchr(cmdline, '\n');

	for (size_t i = 0; i < sizeof(next) / sizeof(next[0]); i++) {
		char *key = strstr(cmdline, next[i]);

		if (key && (!end || key < end))
			end = key;
	}
	return end ?: cmdline;
}

/*
 * What cyclictest prints need not be JSON: the command line is not escaped, and the average of no
 * values is nan. Neither is needed.
 */
static char *mended(const char *text, size_t len)
{
	char *copy = strndup(text, len);
	char *at = copy ? strstr(copy, "\"cmdline") : NULL;

	if (at)
		memset(at, ' ', (size_t)(end_of_cmdline(at) - at));
	for (at = copy; at && (at = strstr(at, "\"avg\":"));) {
		size_t number = 6 + strspn(at + 6, " -");

		if (strncmp(at + number, "nan", 3) == 0)
			memcpy(at + number, "0.0", 3);
		at += number;
	}
	return copy;
}

/* What went through another program may be valid: that is not to be mended. */
static json_t *load(const char *text, size_t len, json_error_t *error)
{
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, error);
	CLEANUP(freep) char *copy = root ? NULL : mended(text, len);

	return copy ? json_loads(copy, JSON_REJECT_DUPLICATES, error) : root;
}

static bool parse_natural(const char *text, uint64_t *out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0';
}

static bool get_natural(const json_t *object, const char *key, uint64_t *out)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*out = (uint64_t)json_integer_value(value);
	return true;
}

static int take_buckets(struct cyclictest_thread *t, const json_t *histogram, int64_t unit_ns,
			char *why)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)histogram, key, value)
	{
		uint64_t bucket;
		int r;

		if (!parse_natural(key, &bucket) || !json_is_integer(value) ||
		    json_integer_value(value) < 0)
			return REFUSE(why, "a bucket that is no number and count");
		r = cyclictest_add_bucket(t, bucket, (uint64_t)json_integer_value(value), unit_ns,
					  why);
		if (r < 0)
			return r;
	}
	return 0;
}

static int take_thread(struct cyclictest_thread *t, const json_t *thread, int64_t unit_ns,
		       char *why)
{
	uint64_t cycles;
	uint64_t cpu = 0;
	uint64_t min;
	uint64_t max;
	int r;

	if (!get_natural(thread, "cycles", &cycles) || !get_natural(thread, "min", &min) ||
	    !get_natural(thread, "max", &max))
		return REFUSE(why, "a thread without cycles, min or max");
	if (!json_is_object(json_object_get(thread, "histogram")) && cycles > 0)
		return REFUSE(why, "no histogram in it: measure with -h");
	(void)get_natural(thread, "cpu", &cpu);
	t->cpu = cpu < UINT32_MAX ? (unsigned)cpu : 0;
	r = take_buckets(t, json_object_get(thread, "histogram"), unit_ns, why);
	if (r == 0 && t->cycles > cycles)
		r = REFUSE(why, "CPU %u: more in the buckets than cycles", t->cpu);
	/* overflows are nowhere else */
	return r < 0 ? r
		     : cyclictest_finish_thread(t, cycles - t->cycles, min, max,
						json_number_value(json_object_get(thread, "avg")),
						unit_ns, why);
}

/* RFC 2822, as cyclictest prints it. */
static int64_t get_time(const json_t *root, const char *key)
{
	const char *text = json_string_value(json_object_get(root, key));
	struct tm tm = {0};
	const char *rest = text ? strptime(text, "%a, %d %b %Y %H:%M:%S %z", &tm) : NULL;
	long ahead_s = tm.tm_gmtoff;

	if (!rest || *rest || tm.tm_year < 70 || tm.tm_year > 300)
		return TIME_UNKNOWN;
	return ((int64_t)timegm(&tm) - ahead_s) * NSEC_PER_SEC;
}

static void take_system(struct cyclictest *c, const json_t *root)
{
	const json_t *system = json_object_get(root, "sysinfo");
	const char *release = json_string_value(json_object_get(system, "release"));
	const char *version = json_string_value(json_object_get(system, "version"));
	const char *machine = json_string_value(json_object_get(system, "machine"));

	(void)snprintf(c->kernel, sizeof(c->kernel), "%s%s%s", release ?: "", version ? " " : "",
		       version ?: "");
	(void)snprintf(c->machine, sizeof(c->machine), "%s", machine ?: "");
	c->start_utc_ns = get_time(root, "start_time");
	c->end_utc_ns = get_time(root, "end_time");
}

/* What it stands near to is quoted: not what drives a terminal. */
static int refuse_syntax(const json_error_t *error, char *why)
{
	(void)REFUSE(why, "line %d: %.100s", error->line, error->text);
	for (char *c = why; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
			*c = '?';
	return -EBADMSG;
}

int cyclictest_parse_json(struct cyclictest **out, const char *text, size_t len, int64_t unit_ns,
			  char *why)
{
	CLEANUP(freep) struct cyclictest *c = NULL;
	json_error_t error;
	json_auto_t *root = load(text, len, &error);
	const json_t *threads;
	const char *key;
	uint64_t resolution = 0;
	json_t *thread;
	size_t n = 0;

	if (!root)
		return refuse_syntax(&error, why);
	threads = json_object_get(root, "thread");
	n = json_object_size(threads);
	if (n == 0 || n > CYCLICTEST_THREADS_MAX)
		return REFUSE(why, "JSON, but without the threads of cyclictest");
	c = cyclictest_make(n);
	if (!c)
		return -ENOMEM;
	if (get_natural(root, "resolution_in_ns", &resolution) && resolution == 1)
		unit_ns = 1;
	take_system(c, root);
	n = 0;
	json_object_foreach((json_t *)threads, key, thread)
	{
		int r = take_thread(&c->threads[n++], thread, unit_ns, why);

		if (r < 0)
			return r;
	}
	*out = steal(&c);
	return 0;
}
