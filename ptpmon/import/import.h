/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/import/import.h: what was measured elsewhere, as runs of a database of its own.
 *
 * A log of ptp4l, phc2sys or ts2phc becomes a run: offsets, what summary lines say, changes of
 * state, and the wall clock where the lines have it. A program whose time goes back was started on
 * another boot, which is another run. cyclictest's histograms become one window a thread. What is
 * not understood is counted and shown, never guessed.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/store/store.h"

enum { IMPORT_SHOWN_MAX = 5, IMPORT_TEXT_MAX = 200 };

struct import_options {
	const char *database;
	const char *label;   /* NULL: the name of the file */
	bool nanoseconds;    /* cyclictest ran with -N; JSON says so itself */
	int64_t interval_ns; /* cyclictest's -i, which a histogram does not tell; 0: not known */
};

enum import_kind { IMPORT_LOG, IMPORT_CYCLICTEST };

struct import_result {
	enum import_kind kind;
	int64_t first_run, last_run; /* 0: nothing to import */
	uint64_t lines;
	uint64_t samples, summaries, states, notices; /* recorded */
	uint64_t chatter;                             /* understood, and not worth recording */
	uint64_t strange;                             /* not understood */
	struct import_strange {
		uint64_t line;
		char text[IMPORT_TEXT_MAX]; /* printable */
	} shown[IMPORT_SHOWN_MAX];          /* the first of them */
	uint64_t threads, wakeups;          /* of cyclictest */
};

/* 0, or -errno with one line in why; what was recorded until then stays. */
int import_file(const struct import_options *options, const char *path, struct import_result *out,
		char why[static STORE_ERROR_MAX]);
