// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any octets as a log: each line is parsed, and what was understood of it holds what it promises; a
 * sample printed again is the same sample.
 */
#include "ptpmon/collect/linuxptp_log.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/model/sample.h"
#include "ptpmon/model/timemap.h"

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void print_again(const struct linuxptp_line *l)
{
	char line[512];
	struct linuxptp_line again;
	int n = snprintf(line, sizeof(line),
			 "ptp4l[%" PRId64 ".%03" PRId64 "]: master offset %" PRId64
			 " s%u freq %+" PRId64 " path delay %" PRId64,
			 l->mono_ns / 1000000000, l->mono_ns / 1000000 % 1000, l->offset_ns,
			 l->servo, l->freq_ppb, l->delay_ns);

	require(linuxptp_parse(line, (size_t)n, &again) == LINUXPTP_SAMPLE);
	require(again.mono_ns == l->mono_ns && again.offset_ns == l->offset_ns &&
		again.servo == l->servo && again.freq_ppb == l->freq_ppb &&
		again.delay_ns == l->delay_ns);
}

static void parse(const uint8_t *octets, size_t len)
{
	struct linuxptp_line l;

	if (linuxptp_parse((const char *)octets, len, &l) == LINUXPTP_STRANGE)
		return;
	for (const char *c = l.text; *c; c++)
		require(*c >= 0x20 && *c < 0x7f);
	require(l.mono_ns >= 0 && l.servo <= 3 && l.port <= 65535);
	require(l.utc_ns == TIME_UNKNOWN || l.utc_resolution_ns > 0);
	if (l.kind == LINUXPTP_SAMPLE && strcmp(l.program, "ptp4l") == 0)
		print_again(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len)
{
	const uint8_t *end;

	for (; (end = memchr(octets, '\n', len)); octets = end + 1) {
		parse(octets, (size_t)(end - octets));
		len -= (size_t)(end - octets) + 1;
	}
	parse(octets, len);
	return 0;
}
