/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/cmd/limits.h: reads sets of limits, the presets of config/limits and files of one's own.
 *
 * INI text: [preset] with about, edition and provenance, then a section for each mask, whose name
 * is what the mask is called:
 *
 *	[dTE_L MTIE, constant temperature]
 *	quantity = MTIE                         max|TE|, |cTE|, pk-pk, MTIE, TDEV
 *	filter = low-pass                       none, low-pass, high-pass: 0.1 Hz
 *	source = G.8273.2 Table 7-4
 *	limit = 0.275 tau + 25, tau in (0.1, 273]
 *	limit = 100, tau in (273, inf)
 *
 * limit is in ns, tau in s; of what is no function of tau, it is one number. Every key is needed.
 */
#pragma once
#include <stdio.h>

#include "ptpmon/conf/ini.h"
#include "ptpmon/stats/mask.h"

enum { LIMITS_ERROR_MAX = INI_ERROR_MAX + 128 };

/* 0, or -EINVAL, -E2BIG, -ENOMEM with why ("FILE:LINE: …"); name is what errors call the text. */
int limits_read(struct limits *out, const char *name, const char *text, size_t len,
		char why[static LIMITS_ERROR_MAX]);

/*
 * The preset of that name, or what a file holds: its name has a '/' or ends in .ini. 0, or -errno
 * with why; -ENOENT names the presets there are.
 */
int limits_find(struct limits *out, const char *name, char why[static LIMITS_ERROR_MAX]);

/* One line for each preset: its name, what it is about, its edition. */
void limits_list(FILE *out);
