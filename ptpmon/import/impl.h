/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/import/impl.h: the inside of an import: import.c tells what a file is and begins and ends
 * runs, log.c and histogram.c read it.
 */
#pragma once
#include <stdio.h>

#include "ptpmon/import/import.h"
#include "ptpmon/store/store.h"

struct import {
	const struct import_options *options;
	const char *path;
	struct import_result *result;
	struct store *store; /* NULL: no run yet */
	unsigned runs;
	int64_t newest_ns;
	uint64_t unwritten;
	char *why;
};

/* Each 0, or -errno with one line in im->why. */
int import_begin_run(struct import *im, int64_t start_ns, const char *kernel, const char *machine);
int import_end_run(struct import *im);

/* After each row. */
int import_count_row(struct import *im);

int import_put_event(struct import *im, const struct event *e);

int import_log(struct import *im, FILE *f);
int import_histogram(struct import *im, const char *text, size_t len);
