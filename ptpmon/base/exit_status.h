/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/base/exit_status.h: what every subcommand's exit status means. */
#pragma once

enum exit_status {
	EXIT_GOOD = 0,
	EXIT_BAD = 1,   /* what was examined is bad, or timed out */
	EXIT_USAGE = 2, /* usage, or it cannot run */
	EXIT_INCONCLUSIVE = 3,
	EXIT_INTERRUPTED = 4,
};
