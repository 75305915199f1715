/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/servo_lines.h"

#include "ptpmon/base/nsec.h"

/* As exactly an update's moment is known. */
#define MARGIN_NS NSEC_PER_MSEC

static const struct servo_line *line_at(const struct servo_lines *lines, size_t i)
{
	return &lines->v[(lines->first + i) % SERVO_LINES_MAX];
}

static void forget(struct servo_lines *lines, size_t n)
{
	lines->first = (lines->first + n) % SERVO_LINES_MAX;
	lines->n -= n;
}

void servo_lines_add(struct servo_lines *lines, const struct servo_line *line)
{
	if (lines->n == SERVO_LINES_MAX)
		forget(lines, 1);
	lines->v[(lines->first + lines->n++) % SERVO_LINES_MAX] = *line;
}

bool servo_lines_join(struct servo_lines *lines, struct sample *sample)
{
	for (size_t i = 0; i < lines->n; i++) {
		const struct servo_line *line = line_at(lines, i);

		if (line->offset_ns != sample->value ||
		    line->read_mono_ns < sample->mono_ns - MARGIN_NS)
			continue;
		sample->freq_ppb = (double)line->freq_ppb;
		sample->servo = (uint8_t)line->servo;
		sample->flags |= SAMPLE_SERVO;
		forget(lines, i + 1);
		return true;
	}
	return false;
}
