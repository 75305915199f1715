/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/coincidence.h: do two kinds of excursion come together more often than by chance?
 *
 * Both are marked in windows of equal length that follow one another. Chance is measured, not
 * assumed: one row of marks is turned against the other by every number of windows, which keeps
 * how each of them groups and takes away what they have to do with one another.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum coincidence_mark { COINCIDENCE_A = 1, COINCIDENCE_B = 2 };

struct coincidence {
	size_t windows;
	size_t a, b;     /* windows marked */
	size_t both;     /* with both marks … */
	double expected; /* … and how many that are when turned, on average */
	double chance;   /* share of turns with as many or more: small, if it was no chance */
};

/* n windows of marks. 0; -ENODATA if either mark is in none or all of them; -ENOMEM. */
int coincidence_count(struct coincidence *out, const uint8_t *marks, size_t n);
