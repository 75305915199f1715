// SPDX-License-Identifier: GPL-2.0-or-later
/* A status survives the way through JSON, unknowns included, and bad JSON is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/model/sample.h"
#include "ptpmon/report/status_json.h"
#include "ptpmon/report/status_text.h"
#include "ptpmon/serve/varlink.h"
#include "status-fixture.h"

static const struct status_screen screen = {.columns = 200, .rows = 500};

static void test_round_trip(void **state)
{
	struct status *back = calloc(1, sizeof(*back));

	for (size_t i = 0; i < n_status_fixtures; i++) {
		const char *name = status_fixtures[i].name;
		struct status *s = status_fixture_new(&status_fixtures[i]);
		json_t *first = status_to_json(s);
		json_t *second;
		char *before = status_to_text(s, &screen);
		char *after;

		assert_non_null(first);
		if (status_from_json(back, first) < 0)
			fail_msg("%s: not taken back", name);
		second = status_to_json(back);
		after = status_to_text(back, &screen);
		/* what a terminal must not see is cleaned on the way */
		if (!json_equal(first, second) || strcmp(before, after) != 0)
			fail_msg("%s: came back as\n%s", name, after);
		if (s->n_ports && s->ports[0].offset_ns.mono_ns != back->ports[0].offset_ns.mono_ns)
			fail_msg("%s: the offset's time changed", name);
		json_decref(first);
		json_decref(second);
		free(before);
		free(after);
		free(s);
	}
	free(back);
}

/* The contract, word for word: names, kinds and order. */
static void test_documents(void **state)
{
	static const char *const names[] = {"good-slave", "no-data"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t f = 0; f < n_status_fixtures; f++) {
			char path[512];
			json_t *expected;
			json_t *json;
			struct status *s;

			if (strcmp(names[i], status_fixtures[f].name) != 0)
				continue;
			snprintf(path, sizeof(path), "%s/status/%s.json", getenv("TEST_DATA"),
				 names[i]);
			expected = json_load_file(path, 0, NULL);
			if (!expected)
				fail_msg("%s: cannot read it", path);
			s = status_fixture_new(&status_fixtures[f]);
			json = status_to_json(s);
			if (!json_equal(json, expected))
				fail_msg("%s:\n%s", names[i], json_dumps(json, JSON_INDENT(2)));
			json_decref(json);
			json_decref(expected);
			free(s);
		}
}

/* The largest status there can be goes through the control socket. */
static void test_largest(void **state)
{
	struct status *s = status_fixture_new(&status_fixtures[0]);
	json_t *json;
	char *text;

	s->n_ports = STATUS_PORTS_MAX;
	for (size_t i = 1; i < s->n_ports; i++)
		s->ports[i] = s->ports[0];
	s->n_children = STATUS_CHILDREN_MAX;
	for (size_t i = 0; i < s->n_children; i++) {
		s->children[i] = s->children[1];
		memset(s->children[i].problem, 'p', sizeof(s->children[i].problem) - 1);
	}
	s->n_cpus = STATUS_CPUS_MAX;
	for (size_t i = 0; i < s->n_cpus; i++)
		s->cpus[i] =
			(struct status_cpu){(unsigned)i, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX,
					    INT64_MAX,   INT64_MAX, INT64_MAX, INT64_MAX};
	s->n_alarms = STATUS_ALARMS_MAX;
	for (size_t i = 0; i < s->n_alarms; i++) {
		s->alarms[i] = (struct alarm){ALARM_NOT_REALTIME, "",        true,
					      UINT32_MAX,         INT64_MAX, INT64_MAX,
					      INT64_MAX,          INT64_MAX, INT64_MAX};
		memset(s->alarms[i].subject, '"', ALARM_SUBJECT_MAX - 1);
	}
	json = status_to_json(s);
	text = json_dumps(json, JSON_COMPACT);
	assert_in_range(strlen(text), 1, VARLINK_UNSENT_MAX - 1024);
	free(text);
	json_decref(json);
	free(s);
}

/* A text cut in the middle of a character. */
static void test_cut_character(void **state)
{
	struct status *s = status_fixture_new(&status_fixtures[0]);
	json_t *json;

	strcpy(s->label, "T\xc3");
	json = status_to_json(s);
	assert_string_equal(json_string_value(json_object_get(json, "label")), "T?");
	json_decref(json);
	free(s);
}

static const struct bad {
	const char *name, *text;
	int result;
} bad[] = {
	{"empty", "{}", -EBADMSG},
	{"array", "[]", -EBADMSG},
	{"another schema", "{\"schema\":\"ptpmon.status/2\"}", -EPROTO},
	{"schema alone", "{\"schema\":\"ptpmon.status/1\"}", 0},
	{"later member", "{\"schema\":\"ptpmon.status/1\",\"weather\":\"fine\"}", 0},
	{"host is a number", "{\"schema\":\"ptpmon.status/1\",\"host\":1}", -EBADMSG},
	{"moment is a number", "{\"schema\":\"ptpmon.status/1\",\"taken_mono_ns\":1}", -EBADMSG},
	{"moment is no number", "{\"schema\":\"ptpmon.status/1\",\"taken_mono_ns\":\"1x\"}",
	 -EBADMSG},
	{"moment too large",
	 "{\"schema\":\"ptpmon.status/1\",\"taken_mono_ns\":\"99999999999999999999\"}", -EBADMSG},
	{"no date", "{\"schema\":\"ptpmon.status/1\",\"taken_utc\":\"yesterday\"}", -EBADMSG},
	{"date without fraction",
	 "{\"schema\":\"ptpmon.status/1\",\"taken_utc\":\"2026-03-01T22:00:00Z\"}", -EBADMSG},
	{"date out of range",
	 "{\"schema\":\"ptpmon.status/1\",\"taken_utc\":\"9999-03-01T22:00:00.000000000Z\"}",
	 -EBADMSG},
	{"record is a list", "{\"schema\":\"ptpmon.status/1\",\"record\":[]}", -EBADMSG},
	{"ports is an object", "{\"schema\":\"ptpmon.status/1\",\"ports\":{}}", -EBADMSG},
	{"port is a number", "{\"schema\":\"ptpmon.status/1\",\"ports\":[1]}", -EBADMSG},
	{"too many ports",
	 "{\"schema\":\"ptpmon.status/1\",\"ports\":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},"
	 "{},{}]}",
	 -EBADMSG},
	{"unheard-of port state",
	 "{\"schema\":\"ptpmon.status/1\",\"ports\":[{\"state\":{\"value\":\"HAPPY\"}}]}",
	 -EBADMSG},
	{"port state by number",
	 "{\"schema\":\"ptpmon.status/1\",\"ports\":[{\"state\":{\"value\":77,\"age_ns\":0}}]}", 0},
	{"reading is a number", "{\"schema\":\"ptpmon.status/1\",\"ports\":[{\"offset_ns\":5}]}",
	 -EBADMSG},
	{"reading without an age",
	 "{\"schema\":\"ptpmon.status/1\",\"ports\":[{\"offset_ns\":{\"value\":5}}]}", 0},
	{"fraction of a nanosecond",
	 "{\"schema\":\"ptpmon.status/1\",\"ports\":[{\"offset_ns\":{\"value\":5.5}}]}", -EBADMSG},
	{"age that overflows",
	 "{\"schema\":\"ptpmon.status/1\",\"ports\":"
	 "[{\"offset_ns\":{\"value\":5,\"age_ns\":-9223372036854775808}}]}",
	 -EBADMSG},
	{"carrier is a number", "{\"schema\":\"ptpmon.status/1\",\"ports\":[{\"carrier\":1}]}",
	 -EBADMSG},
	{"child without a state", "{\"schema\":\"ptpmon.status/1\",\"children\":[{}]}", -EBADMSG},
	{"an alarm without a code", "{\"schema\":\"ptpmon.status/1\",\"alarms\":[{}]}", -EBADMSG},
	{"an unheard-of alarm",
	 "{\"schema\":\"ptpmon.status/1\",\"alarms\":[{\"code\":\"weather\"}]}", -EBADMSG},
	{"negative count", "{\"schema\":\"ptpmon.status/1\",\"record\":{\"samples\":-1}}",
	 -EBADMSG},
	{"CPU beyond 32 bits", "{\"schema\":\"ptpmon.status/1\",\"cpus\":[{\"cpu\":4294967296}]}",
	 -EBADMSG},
};

static void test_bad(void **state)
{
	struct status *s = calloc(1, sizeof(*s));

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		json_t *json = json_loads(bad[i].text, 0, NULL);
		int r = status_from_json(s, json);

		if (!json || r != bad[i].result)
			fail_msg("%s: %d", bad[i].name, r);
		json_decref(json);
	}
	free(s);
}

/* What is missing is unknown, not zero. */
static void test_missing(void **state)
{
	struct status *s = calloc(1, sizeof(*s));
	json_t *json = json_loads("{\"schema\":\"ptpmon.status/1\",\"ports\":[{}],\"cpus\":[{}]}",
				  0, NULL);

	assert_int_equal(status_from_json(s, json), 0);
	assert_int_equal(s->n_ports, 1);
	assert_false(s->ports[0].offset_ns.known);
	assert_false(s->ports[0].carrier_known);
	assert_true(s->ports[0].last_minute.max_ns == SAMPLE_UNKNOWN);
	assert_true(s->cpus[0].last_max_ns == SAMPLE_UNKNOWN);
	json_decref(json);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_documents),
		cmocka_unit_test(test_largest),    cmocka_unit_test(test_cut_character),
		cmocka_unit_test(test_bad),        cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
