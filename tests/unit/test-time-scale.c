// SPDX-License-Identifier: GPL-2.0-or-later
/* What a slave is told of its time scale, and when that is told on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/time_scale.h"

enum { VALID = PTP_TIMESCALE | PTP_UTC_OFFSET_VALID };

struct told {
	unsigned n;
	struct event last;
};

static void on_event(void *userdata, const struct event *e)
{
	struct told *told = userdata;

	told->n++;
	told->last = *e;
}

static struct time_scale begin(struct told *told)
{
	return (struct time_scale){
		.name = "eth0",
		.on_event = on_event,
		.userdata = told,
		.ours = {37, UTC_FROM_TABLE},
		.ours_known = true,
	};
}

static bool hear(struct time_scale *t, uint8_t flags, int16_t utc_offset_s, bool is_slave)
{
	const struct ptp_time_properties_ds ds = {.flags = flags,
						  .current_utc_offset_s = utc_offset_s};

	return time_scale_properties(t, &ds, is_slave, NSEC_PER_SEC);
}

static void what_is_good_from_the_start_is_not_told(void **state)
{
	struct told told = {0};
	struct time_scale t = begin(&told);

	for (int i = 0; i < 3; i++)
		assert_false(hear(&t, VALID, 37, true));
	assert_int_equal(told.n, 0);
}

static void what_is_wrong_is_told_when_it_was_so_twice(void **state)
{
	static const struct {
		const char *name;
		uint8_t flags;
		int16_t utc_offset_s;
		enum event_code code;
		const char *text;
	} rows[] = {
		{"one second less", VALID, 36, EVENT_UTC_OFFSET_MISMATCH,
		 "a UTC offset of 36 s, but TAI - UTC is 37 s (leap-seconds.list): UTC is +1 s "
		 "off"},
		{"not vouched for", PTP_TIMESCALE, 37, EVENT_UTC_OFFSET_INVALID, "as not valid"},
		{"arbitrary", 0, 37, EVENT_TIME_SCALE_ARBITRARY, "arbitrary, not TAI"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct told told = {0};
		struct time_scale t = begin(&told);

		if (!hear(&t, rows[i].flags, rows[i].utc_offset_s, true) || told.n != 0)
			fail_msg("%s: to be asked again", rows[i].name);
		for (int n = 0; n < 3; n++)
			(void)hear(&t, rows[i].flags, rows[i].utc_offset_s, true);
		if (told.n != 1 || told.last.code != rows[i].code ||
		    !strstr(told.last.text, rows[i].text))
			fail_msg("%s: %u, %s", rows[i].name, told.n, told.last.text);
		(void)hear(&t, VALID, 37, true);
		(void)hear(&t, VALID, 37, true);
		if (told.n != 2 || told.last.code != EVENT_TIME_SCALE_GOOD)
			fail_msg("%s: back, %u, %s", rows[i].name, told.n, told.last.text);
	}
}

static void what_passes_is_not_told(void **state)
{
	struct told told = {0};
	struct time_scale t = begin(&told);

	for (int i = 0; i < 4; i++) {
		(void)hear(&t, PTP_TIMESCALE, 37, true);
		(void)hear(&t, VALID, 37, true);
	}
	assert_int_equal(told.n, 0);
}

/* Without a master the properties are this clock's own. */
static void only_a_slave_is_told_something(void **state)
{
	struct told told = {0};
	struct time_scale t = begin(&told);

	for (int i = 0; i < 3; i++)
		assert_false(hear(&t, 0, 0, false));
	(void)hear(&t, 0, 37, true);
	(void)hear(&t, 0, 37, false);
	(void)hear(&t, 0, 37, true);
	assert_int_equal(told.n, 0);
	t.ours_known = false;
	for (int i = 0; i < 3; i++)
		assert_false(hear(&t, 0, 37, true));
	assert_int_equal(told.n, 0);
}

static void another_ptp4l_is_judged_anew(void **state)
{
	struct told told = {0};
	struct time_scale t = begin(&told);

	for (int i = 0; i < 2; i++)
		(void)hear(&t, 0, 37, true);
	time_scale_restarted(&t, NSEC_PER_SEC);
	for (int i = 0; i < 2; i++)
		(void)hear(&t, 0, 37, true);
	assert_int_equal(told.n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_good_from_the_start_is_not_told),
		cmocka_unit_test(what_is_wrong_is_told_when_it_was_so_twice),
		cmocka_unit_test(what_passes_is_not_told),
		cmocka_unit_test(only_a_slave_is_told_something),
		cmocka_unit_test(another_ptp4l_is_judged_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
