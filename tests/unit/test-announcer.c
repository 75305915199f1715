// SPDX-License-Identifier: GPL-2.0-or-later
/* The announcer, fed with answers and numbers for a clock, against a ptp4l of a few lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/announcer.h"

#define S NSEC_PER_SEC

static const struct ptp_grandmaster_settings_np fresh = {
	.clock_class = 248,
	.clock_accuracy = 0xfe,
	.offset_scaled_log_variance = 0xffff,
	.current_utc_offset_s = 37,
	.flags = PTP_LEAP61 | PTP_TIMESCALE,
	.time_source = 0xa0,
};

static const struct announcement wanted = {
	.flags_mask = PTP_TIMESCALE | PTP_UTC_OFFSET_VALID | PTP_TIME_TRACEABLE,
	.flags = PTP_TIMESCALE | PTP_UTC_OFFSET_VALID,
	.utc_offset_s = 38,
	.clock_class = CLOCK_CLASS_AUTO,
};

struct fake {
	struct announcer a;
	struct ptp_grandmaster_settings_np settings;
	bool deaf;                    /* obeys without doing it */
	enum pmc_outcome outcome;     /* PMC_OK, or how all fails */
	unsigned gets, sets, told[4]; /* by enum announcer_news */
};

/* Until nothing is due any more at that moment. */
static void run(struct fake *f, int64_t now_ns)
{
	struct ptp_grandmaster_settings_np out = {0};
	enum announcer_request request;

	while ((request = announcer_next(&f->a, now_ns, &out)) != ANNOUNCER_NOTHING) {
		if (request == ANNOUNCER_SET && !f->deaf && f->outcome == PMC_OK)
			f->settings = out;
		*(request == ANNOUNCER_SET ? &f->sets : &f->gets) += 1;
		f->told[announcer_answered(&f->a, f->outcome, &f->settings, now_ns)]++;
		if (f->gets + f->sets > 1000)
			fail_msg("it asks for ever");
	}
}

static struct fake begin(int64_t now_ns)
{
	struct fake f = {.settings = fresh};

	announcer_want(&f.a, &wanted, now_ns);
	run(&f, now_ns);
	return f;
}

static void it_gets_modifies_sets_and_reads_back(void **state)
{
	struct fake f = begin(S);

	assert_int_equal(f.gets, 2);
	assert_int_equal(f.sets, 1);
	assert_int_equal(f.told[ANNOUNCER_IS_SET], 1);
	assert_int_equal(f.settings.flags, PTP_LEAP61 | PTP_TIMESCALE | PTP_UTC_OFFSET_VALID);
	assert_int_equal(f.settings.current_utc_offset_s, 38);
	assert_int_equal(f.settings.clock_class, 248);
	assert_int_equal(f.settings.clock_accuracy, 0xfe);
	assert_int_equal(f.settings.time_source, 0xa0);
	assert_int_equal(f.a.seen_mono_ns, S);
	assert_memory_equal(&f.a.seen, &f.settings, sizeof(f.settings));
}

static void nothing_is_asked_before_something_is_wanted(void **state)
{
	struct announcer a = {0};

	announcer_restarted(&a, S);
	assert_int_equal(announcer_due_ns(&a), INT64_MAX);
	assert_int_equal(announcer_next(&a, 9 * S, NULL), ANNOUNCER_NOTHING);
}

static void what_is_as_wanted_is_not_set(void **state)
{
	struct fake f = begin(S);

	assert_false(announcer_want(&f.a, &wanted, 2 * S));
	run(&f, 2 * S);
	run(&f, S + ANNOUNCER_LOOK_NS - 1);
	assert_int_equal(f.gets, 2);
	run(&f, S + ANNOUNCER_LOOK_NS);
	assert_int_equal(f.gets, 3);
	assert_int_equal(f.sets, 1);
	assert_int_equal(f.told[ANNOUNCER_IS_SET], 1);
}

static void another_wish_is_set_at_once(void **state)
{
	struct announcement other = wanted;
	struct fake f = begin(S);

	other.clock_class = 6;
	assert_true(announcer_want(&f.a, &other, 2 * S));
	run(&f, 2 * S);
	assert_int_equal(f.sets, 2);
	assert_int_equal(f.settings.clock_class, 6);
	assert_int_equal(f.told[ANNOUNCER_IS_SET], 2);
}

static void another_ptp4l_is_set_again(void **state)
{
	struct fake f = begin(S);

	f.settings = fresh;
	announcer_restarted(&f.a, 3 * S);
	assert_int_equal(f.a.seen_mono_ns, 0);
	run(&f, 3 * S);
	assert_int_equal(f.sets, 2);
	assert_int_equal(f.told[ANNOUNCER_IS_SET], 2);
	assert_int_equal(f.told[ANNOUNCER_FELL_BACK], 0);
}

static void what_fell_back_is_told_and_set_again(void **state)
{
	struct fake f = begin(S);

	f.settings = fresh;
	run(&f, S + ANNOUNCER_LOOK_NS);
	assert_int_equal(f.told[ANNOUNCER_FELL_BACK], 1);
	assert_int_equal(f.told[ANNOUNCER_IS_SET], 2);
	assert_int_equal(f.settings.current_utc_offset_s, 38);
}

/* A minute of a ptp4l that fails: the requests, which are bounded, and what is told. */
static unsigned requests_of_a_minute(struct fake *f, int64_t from_ns)
{
	unsigned before = f->gets + f->sets;

	for (int64_t t = from_ns; t < from_ns + 60 * S; t += S / 10)
		run(f, t);
	return f->gets + f->sets - before;
}

static void what_is_not_obeyed_is_told_once_and_tried_more_slowly(void **state)
{
	struct fake f = {.settings = fresh, .deaf = true};

	announcer_want(&f.a, &wanted, S);
	assert_true(requests_of_a_minute(&f, S) <= 7 * 3);
	assert_int_equal(f.told[ANNOUNCER_REFUSED], 1);
	assert_int_equal(f.told[ANNOUNCER_IS_SET], 0);
	f.deaf = false;
	run(&f, 100 * S);
	assert_int_equal(f.told[ANNOUNCER_IS_SET], 1);
	f.deaf = true;
	f.settings = fresh;
	assert_true(requests_of_a_minute(&f, 120 * S) >= 3);
	assert_int_equal(f.told[ANNOUNCER_REFUSED], 2);
}

static void an_error_is_told_once(void **state)
{
	struct fake f = {.settings = fresh, .outcome = PMC_NOT_SUPPORTED};

	announcer_want(&f.a, &wanted, S);
	assert_true(requests_of_a_minute(&f, S) <= 7);
	assert_int_equal(f.told[ANNOUNCER_REFUSED], 1);
}

static void silence_is_not_told_here(void **state)
{
	struct fake f = begin(S);

	f.outcome = PMC_TIMED_OUT;
	assert_true(requests_of_a_minute(&f, 2 * S) <= 7);
	assert_int_equal(f.told[ANNOUNCER_REFUSED], 0);
	f.outcome = PMC_OK;
	run(&f, 200 * S);
	assert_int_equal(f.sets, 1);
	assert_int_equal(f.told[ANNOUNCER_IS_SET], 1); /* it was so all the time */
}

static void settings_are_described(void **state)
{
	char text[ANNOUNCER_TEXT_MAX];
	struct fake f = begin(S);

	assert_string_equal(announcer_describe(&fresh, text),
			    "UTC offset 37 s not valid, PTP time scale, class 248");
	assert_string_equal(announcer_describe(&f.settings, text),
			    "UTC offset 38 s valid, PTP time scale, class 248");
	f.settings.flags = PTP_TIME_TRACEABLE | PTP_FREQUENCY_TRACEABLE;
	assert_string_equal(announcer_describe(&f.settings, text),
			    "UTC offset 38 s not valid, arbitrary time scale, time traceable, "
			    "frequency traceable, class 248");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_gets_modifies_sets_and_reads_back),
		cmocka_unit_test(nothing_is_asked_before_something_is_wanted),
		cmocka_unit_test(what_is_as_wanted_is_not_set),
		cmocka_unit_test(another_wish_is_set_at_once),
		cmocka_unit_test(another_ptp4l_is_set_again),
		cmocka_unit_test(what_fell_back_is_told_and_set_again),
		cmocka_unit_test(what_is_not_obeyed_is_told_once_and_tried_more_slowly),
		cmocka_unit_test(an_error_is_told_once),
		cmocka_unit_test(silence_is_not_told_here),
		cmocka_unit_test(settings_are_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
