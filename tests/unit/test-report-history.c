/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/history.h"

enum { START = 100, END = 200, EVENTS_MAX = 6 };

struct happening {
	enum event_code code;
	int64_t at;
	const char *subject, *detail;
};

struct row {
	const char *name;
	struct happening events[EVENTS_MAX];
	int64_t slave, unknown; /* time of eth0 in 100 .. 200 */
};

#define STATE(at, name)                                                                            \
	{                                                                                          \
		EVENT_PORT_STATE, at, "eth0", "{\"state\": \"" name "\", \"was\": null}"           \
	}
#define BETWEEN(f, t) "{\"from_mono_ns\": \"" #f "\", \"to_mono_ns\": \"" #t "\"}"

/* clang-format off */
static const struct row rows[] = {
	{ "nothing is told: nothing is known", {{0}}, 0, 100 },
	{ "unknown until told", { STATE(110, "SLAVE") }, 90, 10 },
	{ "told otherwise", { STATE(110, "LISTENING"), STATE(120, "UNCALIBRATED"),
	  STATE(130, "SLAVE") }, 70, 10 },
	{ "lost for a while", { STATE(110, "SLAVE"), STATE(150, "FAULTY"), STATE(160, "SLAVE") },
	  80, 10 },
	{ "another port", { STATE(110, "SLAVE"),
	  { EVENT_PORT_STATE, 120, "eth1", "{\"state\": \"FAULTY\"}" } }, 90, 10 },
	{ "silent, and back as before", { STATE(100, "SLAVE"),
	  { EVENT_SOURCE_SILENT, 150, "eth0", "" }, { EVENT_SOURCE_BACK, 160, "eth0", "" } }, 90, 10 },
	{ "silent since before it was noticed", { STATE(100, "SLAVE"),
	  { EVENT_SOURCE_SILENT, 150, "eth0", BETWEEN(140, 150) },
	  { EVENT_SOURCE_BACK, 160, "eth0", "" } }, 80, 20 },
	{ "silent twice over", { STATE(100, "SLAVE"), { EVENT_SOURCE_SILENT, 150, "eth0", "" },
	  { EVENT_SOURCE_SILENT, 155, "eth0", "" }, { EVENT_SOURCE_BACK, 160, "eth0", "" } }, 90, 10 },
	{ "silent, and another state when back", { STATE(100, "SLAVE"),
	  { EVENT_SOURCE_SILENT, 150, "eth0", "" }, STATE(160, "LISTENING"),
	  { EVENT_SOURCE_BACK, 161, "eth0", "" } }, 50, 10 },
	{ "silent before the state was known", { { EVENT_SOURCE_SILENT, 110, "eth0", "" },
	  { EVENT_SOURCE_BACK, 120, "eth0", "" } }, 0, 100 },
	{ "silent to the end", { STATE(100, "SLAVE"), { EVENT_SOURCE_SILENT, 150, "eth0", "" } },
	  50, 50 },
	{ "a gap, and told again", { STATE(100, "SLAVE"), { EVENT_GAP, 160, "", BETWEEN(130, 160) },
	  STATE(170, "SLAVE") }, 60, 40 },
	{ "a gap, and not told again", { STATE(100, "SLAVE"),
	  { EVENT_GAP, 160, "", BETWEEN(130, 160) } }, 30, 70 },
	{ "told after its end, before it was declared", { STATE(100, "SLAVE"), STATE(161, "SLAVE"),
	  { EVENT_GAP, 170, "", BETWEEN(130, 160) } }, 69, 31 },
	{ "told again while it was open", { STATE(100, "SLAVE"), STATE(140, "SLAVE"),
	  { EVENT_GAP, 160, "eth0", BETWEEN(130, 160) } }, 90, 10 },
	{ "two gaps, the later one first", { STATE(100, "SLAVE"), STATE(120, "SLAVE"),
	  { EVENT_GAP, 190, "", BETWEEN(180, 190) }, { EVENT_GAP, 190, "", BETWEEN(110, 119) } },
	  70, 30 },
	{ "a gap that begins before the run", { STATE(110, "SLAVE"),
	  { EVENT_GAP, 105, "", BETWEEN(0, 105) } }, 90, 10 },
	{ "a gap of another port", { STATE(100, "SLAVE"),
	  { EVENT_GAP, 160, "eth1", BETWEEN(130, 160) } }, 100, 0 },
	{ "a gap that ends before it begins", { STATE(100, "SLAVE"),
	  { EVENT_GAP, 160, "", BETWEEN(160, 130) } }, 100, 0 },
	{ "silent, though the state was told since", { STATE(100, "SLAVE"), STATE(145, "LISTENING"),
	  { EVENT_SOURCE_SILENT, 150, "eth0", BETWEEN(140, 150) } }, 45, 0 },
	{ "details that are no JSON", { STATE(100, "SLAVE"), { EVENT_GAP, 160, "", "{" },
	  { EVENT_PORT_STATE, 170, "eth0", "SLAVE" } }, 70, 30 },
	{ "times that are none", { STATE(100, "SLAVE"),
	  { EVENT_GAP, 160, "", "{\"from_mono_ns\": \"12x\", \"to_mono_ns\": []}" } }, 100, 0 },
	{ "events about something else", { STATE(100, "SLAVE"), { EVENT_LINK_DOWN, 150, "eth0", "" } },
	  100, 0 },
};
/* clang-format on */

/* Gaps first, then the events. */
static void tell(struct history *h, const struct happening *events)
{
	for (const struct happening *e = events; e < events + EVENTS_MAX && e->subject; e++)
		if (e->code == EVENT_GAP)
			assert_int_equal(history_gap(h, e->at, e->subject, e->detail), 0);
	for (const struct happening *e = events; e < events + EVENTS_MAX && e->subject; e++)
		assert_int_equal(history_event(h, e->code, e->at, e->subject, e->detail), 0);
}

static void time_in_slave_is_told_apart(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(history_clear) struct history h = {.start_ns = START};
		const struct port_history *p;
		int64_t slave;
		int64_t unknown;

		assert_int_equal(history_add_port(&h, "eth0"), 0);
		tell(&h, rows[i].events);
		assert_int_equal(history_end(&h, END), 0);
		p = history_port(&h, "eth0");
		slave = spans_overlap(p->slave.v, p->slave.n, START, END);
		unknown = spans_overlap(p->unknown.v, p->unknown.n, START, END);
		if (slave != rows[i].slave || unknown != rows[i].unknown)
			fail_msg("%s: slave %lld, unknown %lld", rows[i].name, (long long)slave,
				 (long long)unknown);
	}
}

static void a_port_appears_when_it_is_told(void **state)
{
	CLEANUP(history_clear) struct history h = {.start_ns = START};
	const struct port_history *p;

	assert_null(history_port(&h, "eth7"));
	assert_int_equal(history_event(&h, EVENT_PORT_STATE, 120, "eth7", "{\"state\": \"SLAVE\"}"),
			 0);
	assert_int_equal(history_end(&h, END), 0);
	p = history_port(&h, "eth7");
	assert_non_null(p);
	assert_int_equal(spans_overlap(p->unknown.v, p->unknown.n, 0, 1000), 20);
	assert_int_equal(spans_overlap(p->slave.v, p->slave.n, 0, 1000), 80);
}

static void declared_gaps_are_kept(void **state)
{
	CLEANUP(history_clear) struct history h = {.start_ns = START};

	assert_int_equal(history_gap(&h, 170, "eth0", BETWEEN(165, 170)), 0);
	assert_int_equal(history_gap(&h, 160, "", BETWEEN(130, 160)), 0);
	assert_int_equal(h.n_gaps, 2);
	assert_int_equal(h.gaps[0].span.from_ns, 130);
	assert_int_equal(h.gaps[0].span.to_ns, 160);
	assert_true(history_gap_concerns(&h.gaps[0], "eth1"));
	assert_true(history_gap_concerns(&h.gaps[1], "eth0"));
	assert_false(history_gap_concerns(&h.gaps[1], "eth1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_in_slave_is_told_apart),
		cmocka_unit_test(a_port_appears_when_it_is_told),
		cmocka_unit_test(declared_gaps_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
