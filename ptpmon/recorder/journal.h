/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/recorder/journal.h: what a child prints, in the journal under the child's own name.
 *
 * A stream of its own beside our stderr: `journalctl -t ptp4l` finds it. It never blocks: what a
 * journal that does not read has no room for is counted, not waited for.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/base/log.h"

struct journal_stream {
	int fd; /* -1: there is none */
	uint64_t lost;
};

/* If our own stderr is the journal's; else, or if it fails, there is none. */
void journal_stream_open(struct journal_stream *j, const char *identifier);
void journal_stream_close(struct journal_stream *j);

/* False if there is no journal: it is the caller's to print. */
bool journal_stream_line(struct journal_stream *j, enum log_level level, const char *text);
