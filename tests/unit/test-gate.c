/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"

enum { STEPS_MAX = 8 };

static const struct gate_policy stop = {
	.on_loss = GATE_LOSS_STOP,
	.max_offset_ns = 1000,
	.loss_ns = 2 * NSEC_PER_SEC,
};
static const struct gate_policy hold = {
	.on_loss = GATE_LOSS_HOLD,
	.max_offset_ns = 1000,
	.loss_ns = 2 * NSEC_PER_SEC,
};

#define GOOD                                                                                       \
	.wanted = true, .phc_index = 0, .epoch_ok = true, .slave = true, .offset_known = true,     \
	.offset_ns = -1000, .utc_known = true, .utc_offset_s = 37

/* One look a second. */
struct step {
	struct gate_input in;
	enum gate_action action;
	enum gate_reason reason;
};

/* Rows are good but for what they name, which comes later and counts. */
#pragma GCC diagnostic ignored "-Woverride-init"

/* clang-format off */
static const struct row {
	const char *name;
	const struct gate_policy *policy;
	size_t n;
	struct step steps[STEPS_MAX];
} rows[] = {
	{ "opens when all is good, and stays", &stop, 2, { { { GOOD }, GATE_DO_START, GATE_OPEN }, { { GOOD }, GATE_DO_NOTHING, GATE_OPEN } } },
	{ "does not open when it is off", &stop, 1, { { { GOOD, .wanted = false }, GATE_DO_NOTHING, GATE_NOT_WANTED } } },
	{ "… without a slave", &stop, 1, { { { GOOD, .slave = false }, GATE_DO_NOTHING, GATE_NO_SLAVE } } },
	{ "… without a PHC", &stop, 1, { { { GOOD, .phc_index = -1 }, GATE_DO_NOTHING, GATE_NO_PHC } } },
	{ "… with one that fails", &stop, 1, { { { GOOD, .phc_failed = true }, GATE_DO_NOTHING, GATE_PHC_FAILED } } },
	{ "… with one that stands still", &stop, 1, { { { GOOD, .phc_stuck = true }, GATE_DO_NOTHING, GATE_PHC_STUCK } } },
	{ "… with one from 1970", &stop, 1, { { { GOOD, .epoch_ok = false }, GATE_DO_NOTHING, GATE_EPOCH } } },
	{ "… before an offset", &stop, 1, { { { GOOD, .offset_known = false }, GATE_DO_NOTHING, GATE_NO_OFFSET } } },
	{ "… while it is large", &stop, 1, { { { GOOD, .offset_ns = -1001 }, GATE_DO_NOTHING, GATE_OFFSET_LARGE } } },
	{ "… before TAI - UTC is known", &stop, 1, { { { GOOD, .utc_known = false }, GATE_DO_NOTHING, GATE_NO_UTC_OFFSET } } },
	{ "… to a PHC that is not there", &stop, 1, { { { GOOD, .sink_missing = true }, GATE_DO_NOTHING, GATE_NO_SINK } } },
	{ "… to one that ptp4l steers", &stop, 1, { { { GOOD, .sink_taken = true }, GATE_DO_NOTHING, GATE_SINK_TAKEN } } },
	{ "… by one that another phc2sys has not let go of", &stop, 2, {
		{ { GOOD, .source_busy = true }, GATE_DO_NOTHING, GATE_SOURCE_BUSY },
		{ { GOOD }, GATE_DO_START, GATE_OPEN } } },
	{ "the cause comes first", &stop, 1, { { { GOOD, .slave = false, .offset_known = false }, GATE_DO_NOTHING, GATE_NO_SLAVE } } },
	{ "a moment of loss is forgiven", &stop, 4, {
		{ { GOOD }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .slave = false }, GATE_DO_NOTHING, GATE_NO_SLAVE },
		{ { GOOD }, GATE_DO_NOTHING, GATE_OPEN },
		{ { GOOD, .slave = false }, GATE_DO_NOTHING, GATE_NO_SLAVE } } },
	{ "a loss stops it, and it comes back", &stop, 6, {
		{ { GOOD }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .offset_ns = 2000 }, GATE_DO_NOTHING, GATE_OFFSET_LARGE },
		{ { GOOD, .slave = false }, GATE_DO_NOTHING, GATE_NO_SLAVE },
		{ { GOOD, .offset_known = false }, GATE_DO_STOP, GATE_NO_OFFSET },
		{ { GOOD, .offset_known = false }, GATE_DO_NOTHING, GATE_NO_OFFSET },
		{ { GOOD }, GATE_DO_START, GATE_OPEN } } },
	{ "held, it goes on", &hold, 5, {
		{ { GOOD }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .slave = false }, GATE_DO_NOTHING, GATE_NO_SLAVE },
		{ { GOOD, .slave = false }, GATE_DO_NOTHING, GATE_NO_SLAVE },
		{ { GOOD, .slave = false }, GATE_DO_NOTHING, GATE_NO_SLAVE },
		{ { GOOD }, GATE_DO_NOTHING, GATE_OPEN } } },
	{ "held, it does not follow a clock that stands still", &hold, 3, {
		{ { GOOD }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .phc_stuck = true }, GATE_DO_STOP, GATE_PHC_STUCK },
		{ { GOOD }, GATE_DO_START, GATE_OPEN } } },
	{ "… or that fell back to 1970", &hold, 2, {
		{ { GOOD }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .epoch_ok = false }, GATE_DO_STOP, GATE_EPOCH } } },
	{ "a leap second", &stop, 3, {
		{ { GOOD }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .utc_offset_s = 38 }, GATE_DO_RESTART, GATE_OPEN },
		{ { GOOD, .utc_offset_s = 38 }, GATE_DO_NOTHING, GATE_OPEN } } },
	{ "another port, another PHC", &stop, 3, {
		{ { GOOD }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .phc_index = 1 }, GATE_DO_RESTART, GATE_OPEN },
		{ { GOOD, .phc_index = 1 }, GATE_DO_NOTHING, GATE_OPEN } } },
	{ "not while it is lost", &stop, 2, {
		{ { GOOD }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .slave = false, .phc_index = -1, .utc_offset_s = 0 }, GATE_DO_NOTHING, GATE_NO_SLAVE } } },
	{ "its port is about to be SLAVE: stopped at once", &stop, 3, {
		{ { GOOD, .sink_index = 1 }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .sink_index = 1, .sink_taken = true, .slave = false }, GATE_DO_STOP, GATE_SINK_TAKEN },
		{ { GOOD, .sink_index = 1, .sink_taken = true }, GATE_DO_NOTHING, GATE_SINK_TAKEN } } },
	{ "… held or not, and not started again while ptp4l steers", &hold, 3, {
		{ { GOOD, .sink_index = 1 }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .sink_index = 1, .slave = false }, GATE_DO_NOTHING, GATE_NO_SLAVE },
		{ { GOOD, .sink_index = 1, .slave = false, .sink_taken = true }, GATE_DO_STOP, GATE_SINK_TAKEN } } },
	{ "the port that it steers has another PHC", &stop, 2, {
		{ { GOOD, .sink_index = 1 }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .sink_index = 2 }, GATE_DO_RESTART, GATE_OPEN } } },
	{ "the PHC that it steers is gone", &hold, 2, {
		{ { GOOD, .sink_index = 1 }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .sink_index = -1, .sink_missing = true }, GATE_DO_STOP, GATE_NO_SINK } } },
	{ "turned off", &hold, 2, {
		{ { GOOD }, GATE_DO_START, GATE_OPEN },
		{ { GOOD, .wanted = false }, GATE_DO_STOP, GATE_NOT_WANTED } } },
};
/* clang-format on */

static void it_does_what_its_table_says(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct gate g = {.reason = GATE_NOT_WANTED};

		for (size_t s = 0; s < rows[i].n; s++) {
			const struct step *step = &rows[i].steps[s];
			enum gate_action action = gate_feed(&g, rows[i].policy, &step->in,
							    (int64_t)(s + 1) * NSEC_PER_SEC);

			if (action != step->action || g.reason != step->reason)
				fail_msg("%s: look %zu: action %d, %s", rows[i].name, s + 1,
					 (int)action, gate_reason_text(g.reason));
		}
	}
}

static void it_knows_what_phc2sys_was_started_with(void **state)
{
	const struct gate_input good = {GOOD};
	struct gate g = {.reason = GATE_NOT_WANTED};

	assert_int_equal(gate_feed(&g, &stop, &good, NSEC_PER_SEC), GATE_DO_START);
	assert_true(g.open);
	assert_int_equal(g.phc_index, 0);
	assert_int_equal(g.utc_offset_s, 37);
	assert_int_equal(gate_feed(&g, &stop, &good, 2 * NSEC_PER_SEC), GATE_DO_NOTHING);
}

static void every_reason_has_its_words(void **state)
{
	for (enum gate_reason r = 0; r < GATE_REASON_MAX; r++)
		assert_true(strlen(gate_reason_text(r)) > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_does_what_its_table_says),
		cmocka_unit_test(it_knows_what_phc2sys_was_started_with),
		cmocka_unit_test(every_reason_has_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
