/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the clock does, beside what our program says that it does: a letter a second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/steering.h"

#define S NSEC_PER_SEC

/*
 * Each second: '.' our program prints what it sets, 'r' one line is still on its way, 'x' somebody
 * else set another frequency, 'q' our program prints nothing and the clock is where it was, 'Q' it
 * prints nothing and another frequency is there, 'p' as '.' with the kernel's PLL on, 'j' our own
 * step, 's' a step that is not ours, 'b' our program begins and steps, 'l' a step seen 2 s before
 * our line that tells of it, 'S' our program slews by a twentieth, which is seen as a step.
 */
static const struct {
	const char *name, *seconds, *told;
} rows[] = {
	{"alone", "....................", ""},
	{"a line on its way now and then", "..r...r.....r.r", ""},
	{"somebody else sets it all the time", "...xxxxx", "4 frequency"},
	{"once, and at once put right", "...x...x...", ""},
	{"twice, with peace between", "...xx...xx.", "4 frequency, 9 frequency"},
	{"our program hangs", "...qqqqqqq", ""},
	{"nothing is concluded from silence", "...QQQQQ", ""},
	{"the kernel's PLL", "...ppp..pp", "3 pll, 8 pll"},
	{"a step, and the PLL when that is told", "........s..ppp..", "11 step, 12 pll"},
	{"our own step", "...j......", ""},
	{"our own step, told late", "...l.j.......", ""},
	{"a step of somebody else", "........s........", "11 step"},
	{"our program begins", "b.........", ""},
	{"our own slew", "....SSSS.....", ""},
};

static void second(struct steering *s, char c, int64_t t, char *told, size_t size)
{
	static const char *const words[] = {
		[STEERING_FREQUENCY] = "frequency",
		[STEERING_PLL] = "pll",
		[STEERING_STEP] = "step",
	};
	struct steering_reading now = {.freq_ppb = -1000 - t * 10, .kernel_pll = c == 'p'};
	enum steering_news news;

	if (c == 'b')
		steering_began(s, t * S);
	if (c == 'S')
		steering_line(s, -50000000, 2, t * S);
	if (strchr("jslbS", c))
		steering_step(s, c == 'S' ? S / 20 : 5 * S, t * S);
	if (!strchr("qQ", c))
		steering_line(s, 1000 + t * 10 - (c == 'r' ? 5 : 0), c == 'j' ? 1 : 2, t * S);
	if (c == 'r')
		now.freq_ppb = -1000 - t * 10 - 77;
	if (strchr("xQ", c))
		now.freq_ppb = 54321;
	news = steering_look(s, &now, t * S);
	if (news != STEERING_NOTHING)
		(void)snprintf(told + strlen(told), size - strlen(told), "%s%lld %s",
			       *told ? ", " : "", (long long)t, words[news]);
}

static void strangers_are_told_apart(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct steering s = {0};
		char told[256] = "";

		for (size_t t = 0; rows[i].seconds[t]; t++)
			second(&s, rows[i].seconds[t], (int64_t)t + 0, told, sizeof(told));
		if (strcmp(told, rows[i].told) != 0)
			fail_msg("%s: %s", rows[i].name, told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strangers_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
