/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/steering.h: whether only our program steers CLOCK_REALTIME, by what the clock does.
 *
 * Whoever steers prints the frequency that it sets. One that the clock has and nobody of ours
 * printed, a step that nobody of ours made, and the kernel's own PLL switched on, which linuxptp
 * never uses, are somebody else's. Two looks in a row must agree: a line can be on its way. Pure.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { STEERING_PRINTED = 4 };

/* Begins as {0}. */
struct steering {
	int64_t printed_ppb[STEERING_PRINTED]; /* the newest, a ring: the clock's sign */
	unsigned n_printed;
	unsigned n_looked;        /* n_printed at the last look */
	unsigned strange_looks;   /* in a row */
	bool disturbed, locked;   /* told so */
	int64_t step_mono_ns;     /* one to be explained; 0: none */
	int64_t own_step_mono_ns; /* our program's newest */
};

/* What adjtimex() answers: the clock's frequency with its tick taken in, and STA_PLL or STA_FLL. */
struct steering_reading {
	int64_t freq_ppb;
	bool kernel_pll;
};

enum steering_news { STEERING_NOTHING, STEERING_FREQUENCY, STEERING_PLL, STEERING_STEP };

/* A line of our program's: the frequency that it prints (its own sign), and the servo state. */
void steering_line(struct steering *s, int64_t printed_ppb, unsigned servo, int64_t mono_ns);

/* linuxptp slews by up to a tenth: what our program printed of late explains that move. */
bool steering_explains(const struct steering *s, int64_t moved_ns);

/* CLOCK_REALTIME was stepped. */
void steering_step(struct steering *s, int64_t step_ns, int64_t mono_ns);

/* Our program was started: it may step. */
void steering_began(struct steering *s, int64_t mono_ns);

/* Once a second, after the lines that there are. Each disturbance is told when it begins. */
enum steering_news steering_look(struct steering *s, const struct steering_reading *now,
				 int64_t mono_ns);
