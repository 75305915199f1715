/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/servo_lines.h: what ptp4l printed of its servo, joined with the offsets it tells.
 *
 * Frequency and servo state are not in the management protocol: they are in the line that ptp4l
 * prints for each update, before it tells anybody of it. Both come in order, and a line is that of
 * an update if it has its offset and was read after its Sync was received. Pure.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/sample.h"

enum { SERVO_LINES_MAX = 32 };

struct servo_line {
	int64_t offset_ns, freq_ppb; /* as printed */
	unsigned servo;
	int64_t read_mono_ns;
};

/* The newest that no sample was found for, a ring. Begins as {0}. */
struct servo_lines {
	struct servo_line v[SERVO_LINES_MAX];
	size_t first, n;
};

void servo_lines_add(struct servo_lines *lines, const struct servo_line *line);

/*
 * Fills freq_ppb, servo and the flag of the sample if its line is there. That line and those before
 * it are forgotten.
 */
bool servo_lines_join(struct servo_lines *lines, struct sample *sample);
