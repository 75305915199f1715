/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/status_text.h: struct status as one screen of text.
 *
 * Its first word is the answer: GOOD, BAD or UNKNOWN, and why. What is not known is the word
 * `unknown`, with how long ago it was. It fits 80 x 24: several ports shrink to a line each, many
 * CPUs to all of them and the worst, many children to the troubled ones and a count.
 */
#pragma once
#include <stdbool.h>

#include "ptpmon/model/status.h"

struct status_screen {
	unsigned columns, rows; /* 80 x 24 where there is no terminal */
	bool colour;            /* of the first word */
};

/* Of an expired status. To be freed by the caller; NULL without memory. */
char *status_to_text(const struct status *s, const struct status_screen *screen);
