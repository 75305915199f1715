/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/collect/cyclictest_impl.h: what cyclictest.c (text) and cyclictest_json.c share. */
#pragma once
#include <errno.h>
#include <stdio.h>

#include "ptpmon/collect/cyclictest.h"

#define REFUSE(why, ...) (snprintf(why, CYCLICTEST_ERROR_MAX, __VA_ARGS__), -EBADMSG)

enum { CYCLICTEST_UNIT_NS = 1000 }; /* what its numbers are worth without -N */

/* With n empty threads; NULL without memory. */
struct cyclictest *cyclictest_make(size_t n);

int cyclictest_add_bucket(struct cyclictest_thread *t, uint64_t bucket, uint64_t count,
			  int64_t unit_ns, char *why);

/* What the summary of a thread says, in its own unit. */
int cyclictest_finish_thread(struct cyclictest_thread *t, uint64_t overflow, uint64_t min,
			     uint64_t max, double avg, int64_t unit_ns, char *why);

int cyclictest_parse_json(struct cyclictest **out, const char *text, size_t len, int64_t unit_ns,
			  char *why);
